"""What can be found at all: pairs for a wanted ratio, the smallest ratio for given pairs.

The effect that randomised pairs find in 8 of 10 experiments, as a multiple of their noise. By the
sign-flip test at 5 % itself, simulated (significance/power.py), as with few pairs it is coarser
than a normal approximation: six pairs find 1.74 standard deviations of a difference, not 1.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.ledger import stalls_of, threshold_s
from ldap_workbench.inference.counts.metrics import (
    LEDGER,
    histogram_metrics,
    least_operations,
    ledger_metrics,
    standardised,
)
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.message import NOTHING, Message

Float = NDArray[np.float64]

LEAST_PAIRS = 6
LEAST_BASELINE = 8
_MOST_LOG = 20.0


def noise(log_values: Sequence[float] | Float) -> float:
    """Noise of a paired difference from baseline windows in time order: RMS of their steps."""
    steps = np.diff(np.asarray(log_values, np.float64))
    return float(np.sqrt(np.mean(steps**2))) if len(steps) else 0.0


def pooled_s(differences: Sequence[float] | Float) -> float:
    """Noise from the paired differences of an experiment itself."""
    d = np.asarray(differences, np.float64)
    return float(np.std(d, ddof=1)) if len(d) > 1 else 0.0


def pairs_needed(s: float, ratio: float) -> int:
    """Pairs that find a change by `ratio` in 8 of 10 experiments, the noise of a pair being `s`."""
    if ratio <= 0 or ratio == 1:
        raise UsageError(
            Message("An effect to plan for is a ratio other than 1."),
            remedy=Message("Give one such as 0.5 or 2."),
        )
    wanted = abs(math.log(ratio))
    low = high = LEAST_PAIRS
    while reach(high) * s > wanted:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reach(middle) * s <= wanted else (middle + 1, high)
    return high


def detectable(s: float, pairs: int) -> float:
    """The smallest ratio (> 1) found in 8 of 10 experiments; its inverse as well."""
    return math.exp(min(reach(pairs) * s, _MOST_LOG))


def noise_behind(ratio: float, pairs: int) -> float:
    """The noise with which `pairs` pairs find `ratio` (> 1): `detectable` the other way round."""
    return math.log(ratio) / reach(pairs)


def expected_noise(
    baseline: Sequence[WindowCounts], metric: str, kind: str, slo_s: float
) -> tuple[float | None, Message]:
    """Noise of a paired difference of one metric, of one type where `kind` names it, else of all.

    None, with why, where such windows do not measure it.
    """
    if kind and kind not in baseline[0].types and OperationKind.parse(kind) is None:
        return None, Message("there is no operation type {type}", type=kind)
    if kind:
        baseline = [w.of(kind) for w in baseline]
    fewest = min(w.n for w in baseline)
    if fewest == 0:
        return None, Message("a window had no such operation")
    if metric not in LEDGER and fewest < least_operations(metric):
        least = round(least_operations(metric))
        return None, Message("a window must hold {n} operations", n=least)
    logs = _baseline_metrics(baseline, slo_s)[metric]
    if not np.isfinite(logs).all():
        return None, Message("a window had no stall")
    return noise(logs), NOTHING


def _baseline_metrics(windows: Sequence[WindowCounts], slo_s: float) -> dict[str, Float]:
    """ln of every metric of each window, in time order; nan where a window has none."""
    ordered = sorted(windows, key=lambda w: (w.start_s or 0.0, w.pair))
    stalls = stalls_of(ordered, threshold_s(ordered, slo_s))
    metrics = histogram_metrics(standardised(ordered), ordered[0].edges_s, slo_s)
    return metrics | ledger_metrics(stalls, ordered)


POWER = 0.8
"""8 of 10."""
PAIRS = (6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 24, 32, 48, 67, 96, 128)
# fmt: off
SCALED: dict[int, tuple[float, ...]] = {
    0: (4.259, 3.589, 3.343, 3.298, 3.136, 3.132, 3.079, 3.061,
        2.986, 2.979, 2.941, 2.940, 2.866, 2.835, 2.809, 2.819),
    4: (4.208, 3.311, 3.102, 3.023, 2.980, 2.951, 2.903, 2.866,
        2.887, 2.828, 2.833, 2.816, 2.753, 2.788, 2.771, 2.765),
}
# fmt: on
"""Of normal noise and of t with 4 degrees of freedom: the effect times the root of the pairs.

Printed by tests/bench/reaches.py.
"""


def reach(pairs: int) -> float:
    """Of noise with either tail: the larger."""
    return max(reach_of(pairs, tail) for tail in SCALED)


def reach_of(pairs: int, tail: int) -> float:
    """Between two numbers of pairs that were simulated by 1/pairs, beyond the last as it is."""
    inverse = [1 / k for k in PAIRS]
    scaled = np.interp(1 / pairs, inverse[::-1], SCALED[tail][::-1])
    return float(scaled) / math.sqrt(pairs)
