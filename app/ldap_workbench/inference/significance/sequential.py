"""Looking before the end: planned looks, and evidence that may be looked at any time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.verdict import SequentialEvidence

Float = NDArray[np.float64]

ALPHA = 0.05
PLANNED_LOOKS = (8, 12, 16, 20, 24)
"""Numbers of pairs at which to look; each look has its share of the 5 %."""
ENOUGH_EVIDENCE = 20.0
_LAMBDAS = (0.5, 1.0, 2.0, 4.0)


def look_alpha(looks: Sequence[int], level: float = ALPHA) -> float:
    """The level of each of some planned looks, of an experiment's level in all."""
    return level / len(looks) if looks else level


def look_at(pairs: int, looks: Sequence[int]) -> int | None:
    """The planned look that is due with so many pairs done; None before the first."""
    return max((look for look in looks if look <= pairs), default=None)


def evidence(differences: Sequence[float], designed: int = 0) -> SequentialEvidence:
    """Anytime-valid evidence against "the sign of each difference is a fair coin".

    E = mean over lambda in {0.5, 1, 2, 4} and both signs of prod 2 / (1 + exp(-2 lambda d_i /
    s_i)), with s_i the median of |d_1| ... |d_i|: sizes may be known beforehand, only signs are
    bet on (Vovk & Wang, e-tests of symmetry). A design of so many pairs never draws an order in
    which all begin alike: E times the probability of the others keeps the promise.
    """
    d = np.asarray(differences, np.float64)
    if not len(d):
        return SequentialEvidence()
    sizes = np.array([np.median(np.abs(d[: i + 1])) for i in range(len(d))])
    scaled = np.divide(d, sizes, out=np.zeros_like(d), where=sizes > 0)
    bets = np.array([sign * bet for bet in _LAMBDAS for sign in (1, -1)])
    odds = -np.logaddexp(0.0, -2 * bets[:, None] * scaled[None, :])
    logs = np.cumsum(np.log(2) + odds, axis=1)
    values = np.exp(np.minimum(logs, 600.0)).mean(0)
    values *= 1 - 2.0 ** (1 - designed) if designed > 1 else 1.0
    reached = np.flatnonzero(values >= ENOUGH_EVIDENCE)
    decided = int(reached[0]) + 1 if len(reached) else None
    return SequentialEvidence(tuple(values.tolist()), decided)
