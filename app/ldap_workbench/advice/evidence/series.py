"""Sampled series: what they are called, which only this file knows, and what they say.

Monitor series are 'ENTRY DN:attribute' in lower-case attributes, iostat 'iostat:DEVICE:column',
vmstat 'vmstat:column'. Counters only grow, until a restart sets them to 0.

An interval with one slow request and one with a thousand quick ones are two means; their mean is
not what requests waited. Every mean here is weighted by how many requests each interval had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

Series = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Times (ns, server clock) and values, in time order."""
Samples = Mapping[str, Series]

BASE = "cn=monitor"
LDBM = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"
DATABASE = "cn=database,cn=monitor,cn=ldbm database,cn=plugins,cn=config"

DB_STAT = "db_stat"
"""Stands for both where the tool of Berkeley DB was read, which names no server."""

_OF_ENTRY_CACHE = ("entrycachetries", "entrycachehitratio", "maxentrycachesize")


def get(samples: Samples, entry: str, attribute: str) -> Series | None:
    """One monitor attribute, whatever the case of the names; None where it was not sampled."""
    wanted = f"{entry}:{attribute}".lower()
    for name in samples:
        if name.lower() == wanted:
            return samples[name]
    return None


def backends(samples: Samples) -> dict[str, str]:
    """Name of each back end that has an entry cache -> DN of its monitor entry."""
    entries = {}
    for name in samples:
        entry, _, attribute = name.rpartition(":")
        if attribute.lower() in _OF_ENTRY_CACHE and entry.lower().startswith("cn=monitor,cn="):
            entries[entry.split(",")[1].partition("=")[2]] = entry
    return entries


def devices(samples: Samples) -> tuple[str, ...]:
    """Devices iostat showed, without the processors."""
    names = {name.split(":")[1] for name in samples if name.startswith("iostat:")}
    return tuple(sorted(names - {"cpu", "avg-cpu"}))


def iostat(samples: Samples, device: str, *columns: str) -> Series | None:
    """The first of some columns of a device; sysstat has renamed them over the years."""
    for column in columns:
        for name in (f"iostat:{device}:{column}", f"iostat:{device}:%{column}"):
            if name in samples:
                return samples[name]
    return None


def cpu_idle(samples: Samples) -> Series | None:
    """Idle share of the processors in percent."""
    for name in ("iostat:cpu:idle", "iostat:avg-cpu:idle", "iostat:cpu:id", "vmstat:id"):
        if name in samples:
            return samples[name]
    return None


def idle_percent(samples: Samples) -> float | None:
    """The mean of that share; None where it was not sampled."""
    return mean(cpu_idle(samples))


def vmstat(samples: Samples, column: str) -> Series | None:
    """A column of vmstat; None where it was not sampled."""
    return samples.get(f"vmstat:{column}")


def growth(series: Series | None) -> float:
    """How far a counter grew in the window; a restart in between counts from 0. 0 if unknown."""
    if series is None or len(series[1]) < 2:
        return 0.0
    steps = np.diff(series[1])
    return float(np.where(steps < 0, series[1][1:], steps).sum())


def last(series: Series | None) -> float | None:
    """The last value; None without a series."""
    return float(series[1][-1]) if series is not None and len(series[1]) else None


def mean(series: Series | None) -> float | None:
    """The mean of all values; None without a series."""
    return float(series[1].mean()) if series is not None and len(series[1]) else None


def median(series: Series | None) -> float | None:
    """The median of all values; None without a series."""
    return float(np.median(series[1])) if series is not None and len(series[1]) else None


def rounded(value: float | None, digits: int = 1) -> float | None:
    """For the numbers of a finding."""
    return None if value is None else round(value, digits)


def gauges(samples: Samples, entry: str, *attributes: str) -> list[float | None]:
    """The last values of some attributes of a monitor entry."""
    return [last(get(samples, entry, attribute)) for attribute in attributes]


def share_over(values: Series | None, limit: float) -> float:
    """Part of the samples that reach a limit, 0..1; 0 without a series."""
    return float((values[1] >= limit).mean()) if values is not None and len(values[1]) else 0.0


@dataclass(frozen=True)
class HitRatio:
    """Part of the look-ups a cache answered, 0..1, and how many there were.

    `since_start`: of a single reading, so all since the server's start; `tries` is None where it
    prints the ratio alone.
    """

    share: float
    tries: float | None
    since_start: bool = False

    @property
    def when(self) -> Message:
        if self.since_start:
            return Message("since the server started")
        return Message("in this window")


def hit_ratio(samples: Samples, entry: str, hits: str, tries: str) -> HitRatio | None:
    """The hit ratio of the window; of a single reading that since the server's start.

    None where nothing was asked, or nothing is known.
    """
    answered, asked = get(samples, entry, hits), get(samples, entry, tries)
    if grown := growth(asked):
        return HitRatio(min(growth(answered) / grown, 1.0), grown)
    if asked is not None and len(asked[1]) > 1:
        return None
    all_hits, all_tries = last(answered), last(asked)
    if all_hits is not None and all_tries:
        return HitRatio(min(all_hits / all_tries, 1.0), all_tries, since_start=True)
    printed = get(samples, entry, hits.removesuffix("hits") + "hitratio")
    if asked is None and printed is not None and len(printed[1]):
        return HitRatio(min(float(printed[1][-1]) / 100, 1.0), None, since_start=True)
    return None


FEWEST = 10
"""Requests of a kind below which their mean says nothing of the disk."""
_KINDS = (
    (Message("reads"), ("r_await",), ("r/s",)),
    (Message("writes"), ("w_await",), ("w/s",)),
    (Message("flushes"), ("f_await",), ("f/s",)),
)
_TOGETHER = Message("requests"), ("await", "asvc_t", "svc_t"), ("tps", "r/s", "w/s")
"""Tools without a time for each kind: sar -d, Solaris, sysstat before version 10."""


@dataclass(frozen=True)
class Waits:
    """The time of one kind of request in each interval, ms, queue included.

    `rates` are requests a second of the same intervals; None where the tool prints none, and every
    interval counts alike then.
    """

    kind: Message
    times: NDArray[np.int64]
    ms: NDArray[np.float64]
    rates: NDArray[np.float64] | None

    @property
    def mean_ms(self) -> float:
        """What a request of the kind waited on average."""
        if self.rates is None:
            return float(self.ms.mean())
        return float((self.ms * self.rates).sum() / self.rates.sum())

    @property
    def requests(self) -> float | None:
        """How many there were; None where nobody counted them."""
        if self.rates is None:
            return None
        gap_ns = float(np.median(np.diff(self.times))) if len(self.times) > 1 else NS_PER_S
        return float(self.rates.sum()) * gap_ns / NS_PER_S

    def while_busy(self, busy: Series | None, least: float) -> Waits:
        """With 0 where nobody counted requests and the device had next to nothing to do.

        The first request after a rest may take long, and nobody feels it.
        """
        if self.rates is not None or busy is None:
            return self
        utils = self._aligned(busy)
        return Waits(self.kind, self.times, np.where(utils >= least, self.ms, 0.0), None)

    def share_over(self, limit_ms: float, busy: Series | None, least: float) -> float:
        """Share of the time in which they waited so long, of the requests where that is less."""
        over = self.ms >= limit_ms
        if busy is not None:
            over &= self._aligned(busy) >= least
        if self.rates is None:
            return float(over.mean())
        return min(float(over.mean()), float(self.rates[over].sum() / self.rates.sum()))

    def _aligned(self, other: Series) -> NDArray[np.float64]:
        """Values of another series at these times; 0 where it has none."""
        shared, here, there = np.intersect1d(self.times, other[0], return_indices=True)
        values = np.zeros(len(self.times))
        values[here[: len(shared)]] = other[1][there]
        return values


def waits_of(samples: Samples, device: str) -> tuple[Waits, ...]:
    """Each kind of request whose time is known, of which there were enough to speak of."""
    return tuple(
        waits
        for waits in every_kind(samples, device)
        if waits.requests is None or waits.requests >= FEWEST
    )


def every_kind(samples: Samples, device: str) -> tuple[Waits, ...]:
    """Each kind of request whose time is known; all kinds together where none is alone."""
    apart = [waits for kind in _KINDS for waits in _read(samples, device, *kind)]
    return tuple(apart or _read(samples, device, *_TOGETHER))


def _read(
    samples: Samples, device: str, kind: Message, columns: tuple[str, ...], rates: tuple[str, ...]
) -> Iterator[Waits]:
    waits = iostat(samples, device, *columns)
    if waits is None or not len(waits[1]):
        return
    rate = _rate(samples, device, rates)
    if rate is None:
        yield Waits(kind, waits[0], waits[1], None)
        return
    # PCP has no time of a request where there was none, so columns differ in length.
    times, here, there = np.intersect1d(waits[0], rate[0], return_indices=True)
    if rate[1][there].sum() > 0:
        yield Waits(kind, times, waits[1][here], rate[1][there])


def _rate(samples: Samples, device: str, columns: tuple[str, ...]) -> Series | None:
    """Requests a second: the first column where it is printed, else the sum of the others."""
    first = iostat(samples, device, columns[0])
    others = [iostat(samples, device, column) for column in columns[1:]]
    rates = [rate for rate in others if rate is not None]
    if first is not None or not rates:
        return first
    if any(len(rate[1]) != len(rates[0][1]) for rate in rates):
        return None
    return rates[0][0], np.sum([values for _, values in rates], axis=0)


def longest(samples: Samples, device: str, busy: Series | None, least: float) -> float | None:
    """Mean ms of the kind of request that waits longest; None where no time is printed."""
    means = [waits.while_busy(busy, least).mean_ms for waits in waits_of(samples, device)]
    return max(means, default=None)


def mean_of(samples: Samples, device: str, column: str, *rates: str) -> float | None:
    """The mean of one column over requests; over intervals where their number is not printed."""
    for waits in _read(samples, device, Message("requests"), (column,), rates):
        return waits.mean_ms
    return None
