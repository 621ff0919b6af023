"""Timers that are known by the constant they wait; data in resources/advice/timers.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.period import chance_of
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import Int64
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.resources import resource

_SPAN = 25
_ALONE = 0.2
"""Waits that meet fewer others than this are no stall, however rare they are."""


@dataclass(frozen=True)
class Timer:
    """One [[timer]]; see the file for each field."""

    id: str
    of: str
    at_ms: int
    meaning: str
    source: str
    steps: bool = False
    products: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    @property
    def at_ns(self) -> int:
        return self.at_ms * 1_000_000


@dataclass(frozen=True, eq=False)
class Peak:
    """What lies in the narrow peak of a timer: a mask of the values, and how many by chance would.

    `chance` is the probability of so many, at most.
    """

    inside: NDArray[np.bool_]
    expected: float
    chance: float

    @property
    def count(self) -> int:
        return int(self.inside.sum())

    @property
    def times(self) -> float:
        return self.count / self.expected


@dataclass(frozen=True)
class Band:
    """Parts of a constant.

    The peak from `low` to `high`, and its neighbours, beyond `gap` on either side, down to `below`
    and up to `above`.
    """

    low: float
    high: float
    below: float
    above: float
    gap: float


def band_of(which: str) -> Band:
    """The band that the limits of a finding say."""
    limit = limits(which)
    return Band(limit["low"], limit["high"], limit["below"], limit["above"], limit["gap"])


def is_sure(which: str, candidate: Peak, ends_ns: Int64, at_ns: int, tests: int) -> bool:
    """Whether a peak is one by the limits of a finding; `ends_ns` are of the operations in it.

    A stall lets many operations of one length go together: that is one time, not a timer.
    """
    limit = limits(which)
    return (
        len(ends_ns) >= limit["operations"]
        and candidate.times >= limit["times"]
        and candidate.chance <= limit["chance"] / tests
        and len(np.unique(ends_ns // max(at_ns, NS_PER_S))) >= limit["moments"]
        and together(ends_ns, at_ns) <= limit["together"]
    )


def more_constants(n: int) -> Message:
    """Behind a sentence about the constant with the most time."""
    if not n:
        return NOTHING
    return count_of(" {n} more constant is seen.", " {n} more constants are seen.", n=n)


@cache
def load_timers() -> tuple[Timer, ...]:
    """All that are known, in the order of the file."""
    rows = tomllib.loads(resource("advice/timers.toml").read_text("utf-8"))["timer"]
    lists = ({key: tuple(v) for key, v in row.items() if isinstance(v, list)} for row in rows)
    return tuple(Timer(**row | of_row) for row, of_row in zip(rows, lists, strict=True))


def peak(values_ns: Int64, at_ns: int, band: Band) -> Peak:
    """The peak of some latencies at a constant, against what lies beside it on a logarithmic scale.

    Both sides are smoothed as one: latencies of load fall off evenly over so short a range. The
    chance is Chernoff's bound on a Poisson number, which is never too small.
    """
    inside = _between(values_ns, band.low * at_ns, band.high * at_ns)
    left = _between(values_ns, band.below * at_ns, (band.low - band.gap) * at_ns)
    right = _between(values_ns, (band.high + band.gap) * at_ns, band.above * at_ns)
    width = log((band.low - band.gap) / band.below) + log(band.above / (band.high + band.gap))
    beside = int(left.sum() + right.sum())
    expected = max(beside * log(band.high / band.low) / width, 1.0)
    return Peak(inside, expected, chance_of(int(inside.sum()), expected))


def together(ends_ns: Int64, at_ns: int) -> float:
    """How many times as many others a wait of `at_ns` meets as if they were spread evenly.

    Evenly over the spans of _SPAN constants that have any: a client may work now and then.
    """
    _, span, waits = np.unique(ends_ns // (_SPAN * at_ns), return_inverse=True, return_counts=True)
    evenly = float((waits[span] - 1).mean()) * 2 / _SPAN
    ordered = np.sort(ends_ns)
    others = np.searchsorted(ordered, ends_ns + at_ns) - 1
    others -= np.searchsorted(ordered, ends_ns - at_ns, "right")
    return float(others.mean()) / max(evenly, _ALONE)


def _between(values: Int64, low: float, high: float) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (values >= low) & (values < high)
    return inside
