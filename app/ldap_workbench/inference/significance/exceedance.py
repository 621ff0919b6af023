"""Two histograms of one thing: the share beyond each bucket, with an interval of the difference.

A histogram knows its values to a factor of two, so a percentile of it is a range. How many lie
beyond the bound of a bucket it knows exactly: that is what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

Z95 = 1.959964
"""Of 95 % of a normal distribution, two-sided."""


@dataclass(frozen=True)
class Beyond:
    """Shares of calls at or beyond `bound` before and after.

    `low` to `high` holds their difference with 95 % confidence.
    """

    bound: float
    before: float
    after: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def share_beyond(low: Sequence[float], counts: Sequence[int], bound: float) -> float:
    """The share of calls in the buckets that begin at `bound` or later; 0 of none."""
    total = sum(counts)
    beyond = sum(n for edge, n in zip(low, counts, strict=True) if edge >= bound)
    return beyond / total if total else 0.0


def exceedance(
    before: tuple[Sequence[float], Sequence[int]], after: tuple[Sequence[float], Sequence[int]]
) -> list[Beyond]:
    """Beyond each bound but the first of either histogram, (lower bounds, counts), ascending."""
    n_before, n_after = sum(before[1]), sum(after[1])
    beyond = []
    for bound in sorted({*before[0], *after[0]})[1:]:
        a, b = share_beyond(*before, bound), share_beyond(*after, bound)
        beyond.append(Beyond(bound, a, b, *difference_interval(a, n_before, b, n_after)))
    return beyond


def difference_interval(
    a: float, n_a: float, b: float, n_b: float, z: float = Z95
) -> tuple[float, float]:
    """Interval of b - a, two shares of n_a and n_b calls: of 95 %, or of another z.

    Newcombe 1998, method 10: from Wilson's intervals of both, sound also where a share is 0.
    """
    low_a, high_a = wilson(a, n_a, z)
    low_b, high_b = wilson(b, n_b, z)
    low = b - a - sqrt((b - low_b) ** 2 + (high_a - a) ** 2)
    high = b - a + sqrt((high_b - b) ** 2 + (a - low_a) ** 2)
    return low, high


def wilson(share: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share of n calls; 0 to 1 where there are none."""
    if n == 0:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
