"""The plan that is measured again after a verdict that had not settled."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment.further import with_longer_wait
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import MetricVerdict, Settling, Verdict, VerdictDetails

PLAN = make_plan(
    Treatment((Setting("a", "1"),)), Design("pairs", 8), window_s=300, seed=1, settle_s=5, trim_s=20
)


def verdict(word, settling):
    metric = MetricVerdict("p50", word)
    details = VerdictDetails(settling=settling)
    return Verdict(metric, {"p50": metric}, True, NOTHING, "pairs:8", NOTHING, details=details)


LATE = Settling(2.0, 0.9, 0.01, wait_s=180.0, trim_s=75.0)


@pytest.mark.parametrize("word", ["not settled", "inconclusive"])
def test_the_wait_and_the_trim_of_the_verdict_are_in_the_plan(word):
    """Also where nothing is claimed of an effect that was on its way: the verdict names both."""
    again = with_longer_wait(PLAN, verdict(word, LATE))
    assert again == replace(PLAN, settle_s=180.0, trim_s=75.0)


def test_what_was_planned_is_never_shortened():
    patient = replace(PLAN, settle_s=600.0, trim_s=100.0)
    assert with_longer_wait(patient, verdict("not settled", LATE)) == patient


def test_a_trim_that_is_found_stays_found():
    plan = replace(PLAN, trim_auto=True, trim_s=0.0)
    again = with_longer_wait(plan, verdict("not settled", LATE))
    assert again == replace(plan, settle_s=180.0)


@pytest.mark.parametrize(
    "judged",
    [
        None,
        verdict("better", LATE),
        verdict("not settled", None),
        verdict("not settled", replace(LATE, wait_s=None)),
    ],
)
def test_where_nothing_is_asked_for_the_plan_stays(judged):
    assert with_longer_wait(PLAN, judged) == PLAN
