"""Whether events recur with a period, and constants that are known by what they wait.

A checkpoint does not tick like a clock: the server looks every 2.5 s whether its interval is over,
and counts anew when a checkpoint has ended. Phase folding over many periods therefore blurs; the
distances between neighbours do not.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from math import comb, exp, log

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import Int64
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.resources import resource

POLL_S = 2.5
"""How rarely 389 DS looks whether a checkpoint is due."""
MISSED = 3
"""An event may be missed: a distance of up to three periods counts."""
MAY_BE_CHANCE = 0.01
_COVERED = 0.5
_FEWEST = 3


@dataclass(frozen=True)
class Period:
    """A fitted period: `matched` of `intervals` distances fit it.

    `chance` is the probability that events at random would fit as well. `covered` is the part of
    the time from the first event to the last that lies in the distances that fit: events within a
    burst have a distance of their own, which says nothing of when the next burst comes.
    """

    seconds: float
    matched: int
    intervals: int
    chance: float
    covered: float = 1.0

    @property
    def sure(self) -> bool:
        return self.chance <= MAY_BE_CHANCE and self.covered >= _COVERED


def fit_period(times_ns: NDArray[np.int64], resolution_s: float = 0.0) -> Period | None:
    """The best period of events at these times, from the data alone; None with fewer than four.

    Every distance, its half and its third are tried; the chance is corrected for trying them, and
    the distance that proposed the period does not count as a match. `resolution_s` is how far the
    times themselves may be off, as those of samples are.
    """
    gaps = gaps_s(times_ns)
    if len(gaps) < _FEWEST:
        return None

    def off(period_s: float) -> float:
        return tolerance(period_s) + resolution_s

    candidates = np.unique(np.concatenate([gaps / m for m in range(1, MISSED + 1)]))
    fits = [_fit(gaps, float(p), off(float(p)), off(float(p))) for p in candidates]
    best = min(fits, key=lambda fit: (fit.chance, -fit.seconds))
    q = _by_chance(float(gaps.mean()), best.seconds, off(best.seconds), off(best.seconds))
    chance = min(1.0, len(candidates) * tail(best.intervals - 1, best.matched - 1, q))
    return replace(best, chance=chance)


def match_setting(
    times_ns: NDArray[np.int64], interval_s: float, longest_s: float = 0.0
) -> Period | None:
    """Whether distances fit a configured interval: interval + 0..2.5 s + its own duration."""
    gaps = gaps_s(times_ns)
    if len(gaps) < _FEWEST - 1 or interval_s <= 0:
        return None
    late = POLL_S + min(longest_s, interval_s) + 0.5
    return replace(_fit(gaps, interval_s, 0.5, late), covered=1.0)


def fits_setting(period: Period, interval_s: float, longest_s: float = 0.0) -> bool:
    """Whether a period that was fitted to the data is what a configured interval gives."""
    return interval_s - 0.5 <= period.seconds <= interval_s + POLL_S + longest_s + 0.5


def gaps_s(times_ns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distances between neighbours in seconds, without those of 0."""
    gaps = np.diff(np.sort(times_ns)).astype(np.float64) / NS_PER_S
    return gaps[gaps > 0]


def tolerance(period_s: float) -> float:
    """How far a distance may be off: a tenth, at most three seconds."""
    return min(0.1 * period_s, 3.0)


def in_phase(
    times_ns: NDArray[np.int64], others_ns: NDArray[np.int64], span_ns: int, near_s: float = 3.0
) -> tuple[int, float]:
    """How many of `times` lie within `near_s` of one of `others`, and the chance of so many."""
    if not len(times_ns) or not len(others_ns) or span_ns <= 0:
        return 0, 1.0
    others = np.sort(others_ns)
    at = np.clip(np.searchsorted(others, times_ns), 1, max(len(others) - 1, 1))
    before, after = others[at - 1], others[np.minimum(at, len(others) - 1)]
    distance = np.minimum(np.abs(times_ns - before), np.abs(times_ns - after))
    near = int((distance <= near_s * NS_PER_S).sum())
    share = min(1.0, len(others) * 2 * near_s * NS_PER_S / span_ns)
    return near, tail(len(times_ns), near, share)


def tail(n: int, k: int, q: float) -> float:
    """Probability of at least k hits in n trials of probability q."""
    if k <= 0:
        return 1.0
    return min(1.0, sum(comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(k, n + 1)))


def chance_of(count: int, expected: float) -> float:
    """A bound of the probability of so many events where so many are expected (Poisson)."""
    if count <= expected:
        return 1.0
    return exp(count - expected - count * log(count / expected)) if expected > 0 else 0.0


def _fit(gaps: NDArray[np.float64], period_s: float, early: float, late: float) -> Period:
    times = np.clip(np.rint((gaps - (late - early) / 2) / period_s), 1, MISSED)
    off = gaps - times * period_s
    fits = (off >= -early) & (off <= late * times)
    matched = int(fits.sum())
    fitted = float((gaps[fits] / times[fits]).mean()) if matched else period_s
    chance = tail(len(gaps), matched, _by_chance(float(gaps.mean()), period_s, early, late))
    covered = float(gaps[fits].sum() / gaps.sum())
    return Period(fitted, matched, len(gaps), chance, covered)


def _by_chance(mean_s: float, period_s: float, early: float, late: float) -> float:
    """Share of distances between events at random (same mean) that would fit the period."""
    total = 0.0
    for m in range(1, MISSED + 1):
        low, high = max(m * period_s - early, 0.0), m * (period_s + late)
        total += exp(-low / mean_s) - exp(-high / mean_s)
    return min(total, 1.0)


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
