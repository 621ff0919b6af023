"""Whether an effect was all there while it was measured: first half of a window and second.

How long an effect takes: the time constant with which B - A moves to where it ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.pairs import LEAST_PAIRS
from ldap_workbench.inference.significance.paired import is_better
from ldap_workbench.inference.significance.signflip import Flips, max_t

Float = NDArray[np.float64]

LEVELS = ((0.05, 0.45), (0.02, 0.3), (0.01, 0.2))
"""From which p, and from which share of the effect on, a change within the window counts.

The less certain it is, the larger it has to be: noise moves a small part of any effect.
"""
LEAST_CHANGE = math.log(1.02)
"""A smaller change of B - A within a window is none, however certain."""
LEAST_BINS = 10
LEFT_BY_LOST = 1 / (math.exp(0.5) - 1)
"""How much the second half of a window has of what fades as slowly as the window lasts, in units of
what it lost since the first half."""
_SHOWN, _LEFT = 0.02, 0.15
"""Two-sided levels: of a difference in typical etimes, and of what is left of it."""


@dataclass(frozen=True)
class Halves:
    """ln B less ln A in the first and in the second half of the windows.

    `p` is of the two being the same, adjusted for everything that is looked at.
    """

    first: float
    second: float
    p: float

    @property
    def settled(self) -> bool:
        """Whether nothing shows that the effect still grew, or faded, while it was measured."""
        moved = abs(self.first - self.second)
        largest = max(abs(self.first), abs(self.second))
        shown = any(self.p <= level and moved >= share * largest for level, share in LEVELS)
        return moved < LEAST_CHANGE or not shown


@dataclass(frozen=True)
class Course:
    """How the effect went within the windows.

    `typical` is of mean ln etime, `primary` of the primary metric (None where its halves do not
    have it), `relaxation` the time it took (None where nothing shows any).
    """

    typical: Halves
    primary: Halves | None = None
    relaxation: Relaxation | None = None

    @property
    def settled(self) -> bool:
        return self.typical.settled and (self.primary is None or self.primary.settled)


def may_be_carried_over(effects: Float, primary: Float, seed: int, alpha: float) -> bool:
    """Whether an improvement may all be what each switch leaves behind for a while.

    effects  ln B - ln A of typical etimes [pair, half of the window]
    primary  ln B - ln A of the primary metric [pair], nan where a pair lacks it

    It may where typical etimes improved as well, nothing of that is established to be left once
    what fades as slowly as a window lasts is gone, and the primary metric did not improve by more
    than they did. What fades more slowly than that cannot be told from an effect.
    """
    whole = effects.mean(1)
    if not is_better("p50", whole, seed, _SHOWN):
        return False
    lost = effects[:, 0] - effects[:, 1]
    if is_better("p50", effects[:, 1] - LEFT_BY_LOST * lost, seed, _LEFT):
        return False
    beyond = primary - whole
    beyond = beyond[np.isfinite(beyond)]
    return len(beyond) < LEAST_PAIRS or not is_better("p50", beyond, seed, alpha)


def has_halves(windows: Sequence[WindowCounts]) -> bool:
    """Whether windows are long enough to be halved."""
    return min(window.bins for window in windows) >= LEAST_BINS


def typical_halves(windows: Sequence[WindowCounts]) -> Float:
    """Mean ln etime [window, half].

    Seconds count alike, however much they answered. The last one is left out: what ends after the
    window is counted there.
    """
    # Rounded, as sums of floats depend on the order of the types.
    return np.round([_means(window.mean_log[:-1]) for window in windows], 9)


def split(windows: Sequence[WindowCounts]) -> list[WindowCounts]:
    """The first half of each window and its second, one after the other, as windows."""
    halves = []
    for window in windows:
        end = window.bins - 1
        halves += [window.between(0, end // 2), window.between(end // 2, end)]
    return halves


def paired_halves(
    typical: Float, primary: Float | None, drawn: Flips
) -> tuple[Halves, Halves | None]:
    """Of ln values [window, half], windows as A, B, A, B ...: one level for both, by max-T.

    A pair without the primary metric in one of its halves says nothing of it.
    """
    effects = typical[1::2] - typical[::2]
    moved = [effects[:, 0] - effects[:, 1]]
    other = None if primary is None else primary[1::2] - primary[::2]
    if other is not None:
        has = np.asarray(np.isfinite(other).all(axis=1))
        other = np.where(has[:, None], other, np.nan) if has.sum() >= LEAST_PAIRS else None
    if other is not None:
        moved.append(other[:, 0] - other[:, 1])
    p = max_t(np.column_stack(moved), drawn)
    first, second = effects.mean(0)
    typical_ones = Halves(float(first), float(second), float(p[0]))
    if other is None:
        return typical_ones, None
    first, second = np.nanmean(other, axis=0)
    return typical_ones, Halves(float(first), float(second), float(p[1]))


def _means(logs: Float) -> tuple[float, float]:
    half = len(logs) // 2
    return float(logs[:half].mean()), float(logs[half:].mean())


SHARE = 0.8
"""Of the effect: the time until so much of it is there is said."""
SEGMENTS = 12
"""Parts of a window whose B - A is fitted."""
_LEAST_PAIRS_LEFT = 0.1
"""Of the final effect: as much may still be missing when a window begins, on the log scale."""
_LEAST_LEFT = 0.01
_CONSTANTS = 40
_LONGEST = 2.0
"""Windows: a longer time constant cannot be told from a trend."""
_SIGNAL = 2.0


@dataclass(frozen=True)
class Relaxation:
    """B - A of mean ln etime, t seconds into a window: final + rest * exp(-t / constant_s).

    `bounded`: the time constant may be longer than can be told from windows this short.
    """

    constant_s: float
    final: float
    rest: float
    bounded: bool

    @property
    def reached_s(self) -> float:
        """When 80 % of the way is behind, counted from the change: no matter when one begins."""
        return -self.constant_s * math.log(1 - SHARE)

    @property
    def wait_s(self) -> float:
        """How much longer to wait before a window, until what is missing is small."""
        small = max(_LEAST_LEFT, _LEAST_PAIRS_LEFT * abs(self.final))
        return self.constant_s * max(1.0, math.log(max(abs(self.rest) / small, 1.0)))


def relaxation(effects: Float, seconds: float) -> Relaxation | None:
    """Fit of the mean of `effects` [pair, segment of the window], by least squares.

    None where the time constant explains no more than the spread between the pairs, or a value is
    missing.
    """
    if not np.isfinite(effects).all():
        return None
    profile = effects.mean(0)
    segments = len(profile)
    edges = np.linspace(0.0, seconds, segments + 1)
    step = seconds / segments
    best: tuple[float, float, float, float] | None = None
    for constant in np.geomspace(step / 2, _LONGEST * seconds, _CONSTANTS):
        decay = -constant * np.diff(np.exp(-edges / constant)) / step
        table = np.column_stack([np.ones(segments), decay])
        (final, rest), *_ = np.linalg.lstsq(table, profile, rcond=None)
        error = float(((profile - table @ (final, rest)) ** 2).sum())
        if best is None or error < best[0]:
            best = error, float(constant), float(final), float(rest)
    assert best is not None
    error, constant, final, rest = best
    spread = effects - effects.mean(1, keepdims=True)
    noise = float((spread.std(0, ddof=1) ** 2).mean()) / len(effects)
    explained = float(((profile - profile.mean()) ** 2).sum()) - error
    if explained < _SIGNAL**2 * noise:
        return None
    return Relaxation(constant, final, rest, constant > 0.9 * _LONGEST * seconds)


def segments_of(windows: Sequence[WindowCounts]) -> Float:
    """Mean ln etime [window, segment], seconds counting alike; without the last second."""
    return np.array([_segments(window.mean_log[:-1]) for window in windows])


def _segments(logs: Float) -> Float:
    number = min(SEGMENTS, len(logs))
    return np.array([part.mean() for part in np.array_split(logs, number)])
