"""What requests waited for a disk: over requests, as a tool prints only the mean of each interval.

An interval with one slow request and one with a thousand quick ones are two means; their mean is
not what requests waited. Every mean here is weighted by how many requests each interval had.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import Samples, Series
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

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
    waits = series.iostat(samples, device, *columns)
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
    first = series.iostat(samples, device, columns[0])
    others = [series.iostat(samples, device, column) for column in columns[1:]]
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
