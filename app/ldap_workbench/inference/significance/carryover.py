"""Carry-over: does the arm measured before still show in a window?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.windows import WindowCounts

Float = NDArray[np.float64]

LEAST_PAIRS = 16
_SHUFFLES = 999


def carry_over(windows: Sequence[WindowCounts], log_values: Float, seed: int) -> float | None:
    """p of "a pair's first window is as it is, whichever arm ran before"; None where untestable.

    `log_values` [window]. The second window of a pair always follows the other arm, so only the
    first ones can tell: B - A is compared between the pairs that begin with the arm that ran
    before them and those that begin with the other.
    """
    if any(w.start_s is None for w in windows) or len(windows) < 2 * LEAST_PAIRS:
        return None
    if not np.isfinite(log_values).all():
        return None
    order = sorted(range(len(windows)), key=lambda i: (windows[i].start_s or 0.0, windows[i].pair))
    arms = [windows[i].arm for i in order]
    values = log_values[order]
    firsts = [i for i in range(2, len(order) - 1, 2) if _together(windows, order, i)]
    differences = np.array([_b_less_a(arms, values, i) for i in firsts])
    same = np.array([arms[i] == arms[i - 1] for i in firsts])
    if len(firsts) < LEAST_PAIRS - 1 or not 2 <= same.sum() <= len(same) - 2:
        return None
    # What is left of the arm before makes a first window resemble it: B - A comes out larger where
    # the pair begins with the arm that ran before, smaller where it begins with the other.
    return _shuffled_p(differences - differences.mean(), same, seed)


def _together(windows: Sequence[WindowCounts], order: Sequence[int], i: int) -> bool:
    return windows[order[i]].pair == windows[order[i + 1]].pair


def _b_less_a(arms: Sequence[str], values: Float, i: int) -> float:
    step = float(values[i + 1] - values[i])
    return step if arms[i] == "A" else -step


def _shuffled_p(excess: Float, same: NDArray[np.bool_], seed: int) -> float:
    marks = np.tile(same, (_SHUFFLES + 1, 1))
    marks[1:] = np.random.default_rng(seed).permuted(marks[1:], axis=1)
    # With the mean removed the sum over the marked ones says as much as the difference of means.
    sizes = np.abs(marks @ excess)
    return float(np.mean(sizes >= sizes[0] * (1 - 1e-9)))
