"""Warm-up: how much to cut from the start of every window, the same from all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.windows import WindowCounts

Float = NDArray[np.float64]

BATCH = 5
FLOOR_S, RESTART_FLOOR_S = 60.0, 120.0
FACTOR = 1.5
LEAST_CHANGE = 0.05
"""A start counts as warm-up only where its mean ln etime is off by this much."""


@dataclass(frozen=True)
class WarmUp:
    """What to cut from every window; `binds` where half a window was not enough."""

    seconds: float
    binds: bool


def mser5(series: Float) -> int:
    """Observations to cut by the MSER-5 rule: the cut that leaves the surest mean.

    Batches of 5; the cut d minimises var(y_d ...) / (n - d) over d <= n / 2.
    """
    n = len(series) // BATCH
    if n < 2:
        return 0
    means = series[: n * BATCH].reshape(n, BATCH).mean(1)
    reverse = means[::-1]
    left = np.arange(1, n + 1)
    sums, squares = np.cumsum(reverse), np.cumsum(reverse**2)
    error = np.maximum(squares - sums**2 / left, 0.0) / left**2
    by_cut = error[::-1][: n // 2 + 1]
    return int(np.argmin(by_cut)) * BATCH


def warm_up(windows: Sequence[WindowCounts], *, restarted: bool = False) -> WarmUp:
    """The cut for all windows: 1.5 x MSER-5 on the mean ln etime per second, at least 60 s.

    The profile is averaged over all windows first (Welch's way), whichever arm they are of: a
    warm-up comes back at the same place of every window, drift and stalls do not (over single
    windows MSER-5 cuts half of nearly all). A cut that knew the arms would not be the same under
    another order of them, and the test no longer exact. At least 120 s after a restart; never
    more than half a window, and `binds` says when that was too little.
    """
    shortest = min((w.bins for w in windows), default=0)
    if shortest == 0:
        return WarmUp(0.0, False)
    dt = windows[0].dt
    cut = _cut(_profile(windows, shortest))
    floor = RESTART_FLOOR_S if restarted else FLOOR_S
    wanted, most = max(FACTOR * cut * dt, floor), shortest * dt / 2
    return WarmUp(min(wanted, most), wanted > most)


def _cut(profile: Float) -> int:
    cut = mser5(profile)
    if cut == 0 or abs(float(profile[:cut].mean() - profile[cut:].mean())) < LEAST_CHANGE:
        return 0
    return cut


def _profile(windows: Sequence[WindowCounts], bins: int) -> Float:
    return np.asarray(np.mean([w.mean_log[:bins] - w.mean_log[:bins].mean() for w in windows], 0))
