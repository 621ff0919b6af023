"""Hit ratios of the entry cache and the database cache, and how they warm up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.practice.model.knobs import Knobs
from ldap_workbench.practice.model.scenario import Workload

Float = NDArray[np.float64]

ENTRY_BYTES = 5_500
"""Of one entry in the entry cache (measured on 389 DS 2.3.1: 550 MB for 100,104 entries)."""
PAGE = 8192
DATABASE_BYTES = 3_600
"""Of one entry on disk with its share of the indexes (measured: 361 MB for 100,104 entries)."""


def hit_ratio(resident: Float | float, everything: float, popularity: float) -> Float:
    """Share of requests for the most popular `resident` of `everything`: (r/N)**b."""
    share = np.clip(np.asarray(resident, dtype=np.float64) / everything, 0.0, 1.0)
    ratio: Float = share**popularity
    return ratio


@dataclass
class Cache:
    """One cache: how many of its things are resident, out of how many there are."""

    everything: float
    popularity: float
    resident: float = 0.0

    def settle(self, capacity: float) -> None:
        """As after a long time at this capacity."""
        self.resident = min(capacity, self.everything)

    def passing(self, capacity: float, rate: float, grid: Float) -> Float:
        """Hit ratio at the times of `grid` (s); every miss brings one thing in.

        dr/dt = rate x (1 - (r/N)**b) up to the capacity; a smaller capacity evicts at once.
        """
        limit = min(capacity, self.everything)
        ratios = np.empty(len(grid))
        self.resident = min(self.resident, limit)
        for i, step in enumerate(np.diff(grid, append=grid[-1])):
            ratios[i] = hit_ratio(self.resident, self.everything, self.popularity)
            self.resident = min(limit, self.resident + rate * (1 - ratios[i]) * step)
        return ratios


class Caches:
    """The entry cache and the database cache of one backend."""

    def __init__(self, workload: Workload) -> None:
        pages = max(1.0, workload.users * DATABASE_BYTES / PAGE)
        self.entries = Cache(float(workload.users), workload.popularity)
        self.pages = Cache(pages, workload.popularity)

    def settle(self, knobs: Knobs) -> None:
        self.entries.settle(knobs.entry_cache / ENTRY_BYTES)
        self.pages.settle(knobs.db_cache / PAGE)

    def empty(self) -> None:
        """As after a restart of the server."""
        self.entries.resident = 0.0
        self.pages.resident = 0.0

    def passing(self, knobs: Knobs, rate: float, grid: Float) -> tuple[Float, Float]:
        """Hit ratios of entries and of pages at the times of `grid`."""
        entries = self.entries.passing(knobs.entry_cache / ENTRY_BYTES, rate, grid)
        misses = rate * (1 - float(entries.mean()))
        pages = self.pages.passing(knobs.db_cache / PAGE, 2 * misses + 0.2 * rate, grid)
        return entries, pages
