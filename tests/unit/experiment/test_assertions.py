"""What must hold of a verdict for a nightly test to pass."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from ldap_workbench.experiment.assertions import Outcome, check, parse_assertion, to_junit
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import MetricVerdict, Verdict

P99 = MetricVerdict("p99", "worse", ratio=1.1, low=1.05, high=1.2)
P50 = MetricVerdict("p50", "not enough data")
BIND = MetricVerdict("p50", "better", ratio=0.5, low=0.4, high=0.6, type="BIND")


def verdict(*, comparable=True):
    metrics = {"p99": P99, "p50": P50}
    why = NOTHING if comparable else Message("The load differs.")
    types = {"BIND": {"p50": BIND}, "SRCH[(mail=?)]": {"p50": replace(BIND, type="SRCH[(mail=?)]")}}
    return Verdict(P99, metrics, comparable, why, "pairs:8", Message("x"), types=types)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("p99 <= 1.2", Outcome.HOLDS),
        ("p99<=1.1", Outcome.UNDECIDED),
        ("p99 <= 1.04", Outcome.VIOLATED),
        ("p99 >= 1.05", Outcome.HOLDS),
        ("p99 >= 1.3", Outcome.VIOLATED),
        ("BIND:p50 <= 1", Outcome.HOLDS),
        ("SRCH[(mail=?)]:p50 <= 1", Outcome.HOLDS),
        ("SRCH[(sn>=?)]:p50 >= 1", Outcome.UNDECIDED),
        ("MOD:p50 <= 1", Outcome.UNDECIDED),
        ("p50 <= 1", Outcome.UNDECIDED),
    ],
)
def test_the_whole_interval_decides(text, outcome):
    (found,) = check([parse_assertion(text)], verdict())
    assert found.outcome is outcome


def test_arms_that_cannot_be_compared_decide_nothing():
    (found,) = check([parse_assertion("p99 <= 9")], verdict(comparable=False))
    assert (found.outcome, str(found.finding)) == (Outcome.UNDECIDED, "The load differs.")


def test_an_effect_on_its_way_decides_nothing():
    late = MetricVerdict("p99", "not settled", ratio=0.5, low=0.4, high=0.6, takes=Message("time"))
    (found,) = check([parse_assertion("p99 <= 1")], replace(verdict(), metrics={"p99": late}))
    assert (found.outcome, str(found.finding)) == (Outcome.UNDECIDED, "Not settled: it takes time.")


@pytest.mark.parametrize("text", ["", "p99", "p99 < 1", "p98 <= 1", "p99 <= -1", "p99 <= x"])
def test_what_cannot_be_checked_is_refused(text):
    with pytest.raises(UsageError, match="asserts nothing"):
        parse_assertion(text)


def test_junit_knows_failures_from_what_is_not_known():
    texts = ("p99 <= 1.2", "p99 <= 1.1", "p99 <= 1.04")
    suite = ElementTree.fromstring(
        to_junit("nightly", check(map(parse_assertion, texts), verdict()))
    )
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [[], ["skipped"], ["failure"]]
    assert suite[2][0].get("message") == "p99 is ×1.05 to ×1.2."
