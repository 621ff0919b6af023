"""Mixtures put to the same: types as they occur in both arms, and kinds of request inside each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.strata import Stratum

Float = NDArray[np.float64]

_MOST_WEIGHT = 10.0
"""How many operations of its kind one may stand for: a handful says little of hundreds."""


def mix_weights(totals: Float, arms: Sequence[str], strata: Sequence[Stratum]) -> Float:
    """What an operation counts [row, stratum], so that all rows have the mean mix of both arms.

    `totals` [row, stratum] are operations of windows, or of arms. Strata are weighed inside their
    type. Those without an answer keep the share they have of it, for that is an outcome.
    """
    types = sorted({stratum.type for stratum in strata})
    columns = [[i for i, stratum in enumerate(strata) if stratum.type == name] for name in types]
    by_type = np.column_stack([totals[:, mine].sum(1) for mine in columns])
    wanted_types = _at_mean_mix(by_type, arms)
    wanted = np.zeros_like(totals)
    for column, mine in enumerate(columns):
        factor = _ratio(wanted_types[:, column], by_type[:, column])[:, None]
        wanted[:, mine] = factor * totals[:, mine]
        answered = [i for i in mine if not strata[i].given_up]
        if len(answered) > 1:
            wanted[:, answered] = factor * _at_mean_mix(totals[:, answered], arms, _MOST_WEIGHT)
    return _ratio(wanted, totals)


def _at_mean_mix(totals: Float, arms: Sequence[str], most: float = np.inf) -> Float:
    """Operations of each row as if in the mean mix; what a row lacks is shared out in it."""
    of_row = np.array(list(arms))
    mixes = [_shares(totals[of_row == arm].sum(0)) for arm in np.unique(of_row)]
    mix = np.sum(mixes, axis=0) / len(mixes)
    sums = totals.sum(1, keepdims=True)
    share = np.where(totals > 0, mix, 0.0)
    if np.isfinite(most):
        share = np.minimum(share, most * _ratio(totals, np.broadcast_to(sums, totals.shape)))
    share /= np.maximum(share.sum(1, keepdims=True), 1e-300)
    return np.asarray(share * sums)


def _shares(totals: Float) -> Float:
    return np.asarray(totals / max(totals.sum(), 1e-300))


def _ratio(a: Float, b: Float) -> Float:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
