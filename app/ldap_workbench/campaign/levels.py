"""How the 5 % of a campaign are shared: the fallback procedure over a fixed queue.

Every treatment has its share of the level, in proportion to its weight. One that decides hands its
share on to the next, and so does one that was never measured, for neither has spent it. What is
spent on treatments that do nothing is therefore never more than the level in all, so that a
campaign finds something where there is nothing at most that often, whatever was kept on the way.

Source: Wiens, B. L. (2003), A fixed sequence Bonferroni procedure for testing multiple endpoints.
"""

from __future__ import annotations

from collections.abc import Sequence


def level_of(index: int, weights: Sequence[float], spent: Sequence[bool], level: float) -> float:
    """The level of the treatment at `index`; `spent` says of all before whether theirs is gone."""
    shares = [level * weight / sum(weights) for weight in weights]
    carried = 0.0
    for share, gone in zip(shares[:index], spent, strict=False):
        carried = 0.0 if gone else carried + share
    return carried + shares[index]


def least_pairs(level: float, looks: int) -> int:
    """The fewest pairs whose clearest outcome reaches a level.

    A design is drawn from all orders but the two in which every pair begins alike.
    """
    pairs = 2
    while 2 / (2**pairs - 2) > level / max(looks, 1):
        pairs += 1
    return pairs
