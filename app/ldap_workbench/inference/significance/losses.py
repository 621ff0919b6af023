"""Windows that were lost: *better* has to hold whatever was in them.

A change that hangs the server loses windows of its own arm, and what is measured again are its good
moments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.design.pairs import LEAST_PAIRS
from ldap_workbench.inference.significance.paired import few
from ldap_workbench.inference.significance.signflip import flips, p_value
from ldap_workbench.model.verdict import Judgement

Float = NDArray[np.float64]


def with_lost(logs: Float, lost: Sequence[str]) -> Float:
    """ln B - ln A of the pairs, and of one more for each lost window [pair].

    `logs` are natural logarithms of a metric [window], A and B of each pair in turn; nan where a
    window lacks it, with which its pair is left out. Of a lost pair, B counts as the worst window
    seen and A as the best. Against the mean of the other arm it would weigh less than what was
    measured: where windows are alike, the worst one seen is nearly as good as any.
    """
    a, b = logs[::2], logs[1::2]
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    worst, best = max(a.max(), b.max()), min(a.min(), b.min())
    return np.concatenate([b - a, [worst - best for arm in lost if arm in ("A", "B")]])


def is_better(metric: str, d: Float, seed: int, alpha: float) -> bool:
    """Whether B is better, or seems so in few pairs, by the differences `d` [pair]."""
    if d.mean() >= 0:
        return False
    if len(d) < LEAST_PAIRS:
        return few(metric, d) is Judgement.SUGGESTS_BETTER
    return p_value(d, flips(len(d), seed)) <= alpha
