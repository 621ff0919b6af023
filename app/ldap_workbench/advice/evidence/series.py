"""What sampled series are called; the only place that knows.

Monitor series are 'ENTRY DN:attribute' in lower-case attributes, iostat 'iostat:DEVICE:column',
vmstat 'vmstat:column'. Counters only grow, until a restart sets them to 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import Message

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
