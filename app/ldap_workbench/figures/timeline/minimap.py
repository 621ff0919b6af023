"""All operations of a timeline by time, and the range of it that is shown elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldap_workbench.figures.ticks import time_text
from ldap_workbench.figures.timeline.heat_grid import HeatGrid, Int64
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences

_LEAST_S = 0.05
"""No range is made shorter."""


@dataclass(frozen=True)
class Shown:
    """The range of time that is shown, in seconds."""

    from_s: float
    to_s: float

    @property
    def length_s(self) -> float:
        return self.to_s - self.from_s


@dataclass(frozen=True, eq=False)
class Minimap:
    """Operations in each column of `step_s` seconds from `start_s`."""

    start_s: float
    step_s: float
    counts: Int64
    spans: tuple[tuple[float, float, str, str], ...] = ()
    """From, to (seconds), name and arm of every window."""

    @property
    def end_s(self) -> float:
        return float(self.start_s + len(self.counts) * self.step_s)

    @property
    def whole(self) -> Shown:
        return Shown(self.start_s, self.end_s)

    def moved(self, now: Shown, by_s: float) -> Shown:
        """The range moved by so many seconds, as far as there is anything."""
        low = min(
            max(now.from_s + by_s, self.start_s), max(self.start_s, self.end_s - now.length_s)
        )
        return Shown(low, min(low + now.length_s, self.end_s))

    def zoomed(self, now: Shown, factor: float) -> Shown:
        """The range made `factor` times as long around its middle."""
        half = max(_LEAST_S, factor * now.length_s) / 2
        middle = (now.from_s + now.to_s) / 2
        return self.moved(Shown(middle - half, middle + half), 0.0)

    def between(self, one_s: float, other_s: float) -> Shown:
        """From one moment to another, in whichever order, not shorter than can be shown."""
        low, high = sorted((max(one_s, self.start_s), min(other_s, self.end_s)))
        return Shown(low, max(high, low + _LEAST_S))

    def heights(self, columns: int) -> np.ndarray:
        """The most operations of a column of ours in each of so many, as a share of the most."""
        if not columns or not self.counts.any():
            return np.zeros(columns)
        edges = np.arange(columns) * len(self.counts) / columns
        firsts = edges.astype(np.int64)
        lasts = np.maximum(firsts + 1, np.ceil(edges + len(self.counts) / columns).astype(np.int64))
        most = [int(self.counts[a:b].max()) for a, b in zip(firsts, lasts, strict=True)]
        return np.array(most) / int(self.counts.max())


def minimap_of(grid: HeatGrid) -> Minimap:
    """All of a heat map by time."""
    return Minimap(grid.start_s, grid.step_s, grid.counts.sum(axis=1), grid.spans)


def minimap_reading(minimap: Minimap | None, now: Shown | None) -> Message:
    """How many operations there are, from when to when, and which time is shown."""
    if minimap is None:
        return Message("no data yet.")
    all_of_it = count_of(
        "{n} operation from {start} to {end} UTC.",
        "{n} operations from {start} to {end} UTC.",
        n=int(minimap.counts.sum()),
        start=_clock(minimap.start_s, minimap.step_s),
        end=_clock(minimap.end_s, minimap.step_s),
    )
    return sentences(all_of_it, _shown(minimap, now) if now else NOTHING)


def _shown(minimap: Minimap, now: Shown) -> Message:
    if now.from_s <= minimap.start_s and now.to_s >= minimap.end_s:
        return Message("All of it is shown.")
    step = min(1.0, now.length_s / 100)
    return Message(
        "Shown: {start} to {end}.", start=_clock(now.from_s, step), end=_clock(now.to_s, step)
    )


def _clock(second: float, step_s: float) -> str:
    return time_text(second, min(1.0, step_s))
