"""How long an effect takes: the time constant with which B - A moves to where it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.windows import WindowCounts

Float = NDArray[np.float64]

SHARE = 0.8
"""Of the effect: the time until so much of it is there is said."""
SEGMENTS = 12
"""Parts of a window whose B - A is fitted."""
_LEFT = 0.1
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
        small = max(_LEAST_LEFT, _LEFT * abs(self.final))
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
