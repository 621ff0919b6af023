"""Rare events: what a count of long stalls, or of none, allows to say."""

from __future__ import annotations

from ldap_workbench.inference.counts.distributions import (
    beta_quantile,
    binomial_at_most,
    poisson_limit,
)
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import RareEvents

LONG_S = 10.0
"""Stalls from this long on are counted as rare events."""


def rare_events(n_a: int, hours_a: float, n_b: int, hours_b: float) -> RareEvents:
    """Compare two counts of rare events; nothing but their number and the hours is used."""
    n, share = n_a + n_b, hours_b / (hours_a + hours_b)
    low, high = _clopper_pearson(n_b, n)
    odds = hours_a / hours_b
    needed = hours_a * (0.025 ** (-1 / n_a) - 1) if n_a else None
    return RareEvents(
        n_a,
        n_b,
        hours_a,
        hours_b,
        _binomial_p(n_b, n, share),
        odds * low / (1 - low) if 0 < low < 1 else None,
        odds * high / (1 - high) if 0 < high < 1 else None,
        poisson_limit(n_b, 0.95) / hours_b,
        needed,
        _sentence(n_a, hours_a, n_b, hours_b, needed),
    )


def _binomial_p(k: int, n: int, share: float) -> float:
    """Two-sided, twice the smaller tail."""
    if n == 0:
        return 1.0
    below = float(binomial_at_most(k, n, share))
    from_here = float(binomial_at_most(n - k, n, 1 - share))
    return min(1.0, 2 * min(below, from_here))


def _clopper_pearson(k: int, n: int) -> tuple[float, float]:
    low = beta_quantile(0.025, k, n - k + 1) if k else 0.0
    high = beta_quantile(0.975, k + 1, n - k) if k < n else 1.0
    return low, high


def _sentence(n_a: int, hours_a: float, n_b: int, hours_b: float, needed: float | None) -> Message:
    counts = Message(
        "Stalls of {long:duration} or more: {n_a} in {hours_a:.3g} h of A, {n_b} in "
        "{hours_b:.3g} h of B.",
        long=round(LONG_S * NS_PER_S),
        n_a=n_a,
        hours_a=hours_a,
        n_b=n_b,
        hours_b=hours_b,
    )
    if n_b or needed is None:
        return counts
    expected = Message(
        "At the rate of A, {n:.2g} would be expected in B.", n=n_a * hours_b / hours_a
    )
    if hours_b >= needed:
        return sentences(counts, expected)
    too_early = Message("This says nothing before {hours:.3g} h of B.", hours=needed)
    return sentences(counts, expected, too_early)
