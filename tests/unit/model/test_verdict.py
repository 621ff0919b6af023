"""Whether a verdict makes keeping the change the safe choice."""

from dataclasses import replace

import pytest

from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import MetricVerdict, RareEvents, Verdict, VerdictDetails


def verdict(primary: str, **others: str) -> Verdict:
    metrics = {name: MetricVerdict(name, word) for name, word in {"p50": primary, **others}.items()}
    return Verdict(metrics["p50"], metrics, True, NOTHING, "pairs", NOTHING)


@pytest.mark.parametrize("word", ["worse", "not enough data", "inconclusive", "suggests better"])
def test_only_a_better_primary_metric_earns_it(word):
    assert not verdict(word, p99="better").earns_keep


def test_better_earns_it_where_nothing_is_worse():
    assert verdict("better", p99="inconclusive", slo="no material change").earns_keep


@pytest.mark.parametrize("metric", ["p95", "p99", "p999", "slo", "stall_time", "errors"])
def test_one_metric_that_is_worse_loses_it(metric):
    assert not verdict("better", **{metric: "worse"}).earns_keep


def test_what_was_only_looked_at_loses_nothing():
    better = verdict("better")
    looked_at = MetricVerdict("p99", "worse", exploratory=True)
    assert replace(better, metrics={**better.metrics, "p99": looked_at}).earns_keep


@pytest.mark.parametrize("what", ["lost", "hung"])
@pytest.mark.parametrize(
    ("arms", "earned"), [("B", False), ("BBA", False), ("AB", True), ("A", True)]
)
def test_windows_that_b_lost_more_often_than_a_lose_it(what, arms, earned):
    """They may have been lost because of the change, and none of them is in the figures."""
    details = VerdictDetails(**{what: tuple(arms)})
    assert replace(verdict("better"), details=details).earns_keep is earned


def test_more_long_stalls_lose_it():
    better = verdict("better")
    more = RareEvents(n_a=1, n_b=30, low=3.0, high=90.0)
    as_many = RareEvents(n_a=3, n_b=4, low=0.3, high=9.0)
    assert not replace(better, details=VerdictDetails(long_stalls=more)).earns_keep
    assert replace(better, details=VerdictDetails(long_stalls=as_many)).earns_keep
