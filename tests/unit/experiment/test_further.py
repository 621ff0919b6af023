"""More pairs after a verdict that left the question open, judged by themselves."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.experiment.further import MOST_PAIRS, USUAL_PAIRS, further_plan
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.inference.design.pairs import pairs_needed, pooled_s
from ldap_workbench.inference.significance.paired import pairs_asked_for, takes
from ldap_workbench.model.experiment import Design, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import (
    MetricVerdict,
    Settling,
    Verdict,
    VerdictDetails,
    WindowValues,
)

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))
SEEN = np.array([0.3, -0.1, 0.25, 0.05, -0.2, 0.35, 0.1, 0.2])
"""ln B / A of eight pairs: an effect in sight, in too much noise."""
NOTHING_SEEN = SEEN - SEEN.mean()


def plan(design=Design("pairs", 8), **options):  # noqa: B008 - frozen
    how = {"window_s": 60, "seed": 1, "primary": "p50", "settle_s": 5.0, "load": "run it"}
    return make_plan(TREATMENT, design, **how | options)


def verdict(word="inconclusive", pairs=8, operations=1000.0, **primary):
    details = VerdictDetails(
        windows=tuple(
            WindowValues(arm=arm, pair=pair, n=operations) for pair in range(pairs) for arm in "AB"
        )
    )
    first = MetricVerdict(
        **{"metric": "p50", "verdict": word, "takes": takes(SEEN, 0.05)} | primary
    )
    return Verdict(first, {"p50": first}, True, NOTHING, "pairs:8", NOTHING, details=details)


def count(*arguments, **how):
    made = further_plan(*arguments, session="first.ldapwb", **how)
    return None if made is None else len(made.steps) // 2


def test_as_many_as_the_planning_line_asks_for():
    line = takes(SEEN, 0.05)
    least, most = line.parameters["least"], line.parameters["most"]
    assert f"takes {least} to {most} pairs" in str(line)
    assert least < count(plan(), verdict()) < most


def test_of_an_effect_that_was_hardly_seen_as_many_as_tell_it_from_the_margin():
    line = takes(NOTHING_SEEN, 0.05)
    wanted = pairs_needed(pooled_s(NOTHING_SEEN), 1.05)
    assert wanted / 2 < pairs_asked_for(line, "p50") < 2 * wanted
    assert count(plan(), verdict(takes=line)) == MOST_PAIRS, "a night at most"
    assert pairs_asked_for(line, "stall_n") < MOST_PAIRS, "a wider margin takes fewer"


def test_they_are_never_too_few_to_establish_anything():
    line = takes(np.array([0.5, 0.7, 0.5, 0.7, 0.6, 0.6]), 0.05)
    assert count(plan(), verdict(takes=line)) == 6


@pytest.mark.parametrize("word", ["better", "worse", "too small to matter", "no material change"])
def test_an_answer_wants_no_more_pairs(word):
    assert count(plan(), verdict(word)) is None


@pytest.mark.parametrize(
    "line",
    [
        Message("a metric that clients which wait for answers cannot move"),
        NOTHING,
        Message(takes(SEEN, 0.05).template, least="a stranger's", most=9),
        Message(takes(NOTHING_SEEN, 0.05).template, low=0.5, high=float("inf"), pairs=8),
    ],
)
def test_what_has_another_remedy_is_offered_none(line):
    assert count(plan(), verdict(takes=line)) is None


@pytest.mark.parametrize(
    "refused",
    [
        plan(Design("ab", 1)),
        replace(plan(), treatment=Treatment(())),
        plan(level=0.01),
    ],
)
def test_a_plan_of_another_kind_is_not_gone_on_with(refused):
    assert count(refused, verdict()) is None


def test_arms_that_cannot_be_compared_are_not_measured_again():
    assert count(plan(), replace(verdict(), comparable=False)) is None
    assert count(plan(), replace(verdict("not enough data"), why=Message("No operations."))) is None


@pytest.mark.parametrize(
    ("word", "wait_s"), [("not settled", 90.0), ("not settled", None), ("inconclusive", 90.0)]
)
def test_what_had_not_settled_is_not_cured_by_more_pairs(word, wait_s):
    """Each of them would end too early again: the wait has to be longer."""
    settling = Settling(2.0, 0.9, 0.01, wait_s=wait_s, trim_s=10.0)
    late = verdict(word)
    late = replace(late, details=replace(late.details, settling=settling))
    assert count(plan(), late) is None
    assert count(plan(), late, pairs=8) is None


def test_an_open_question_about_an_effect_on_its_way_is_no_matter_of_pairs():
    settling = Settling(2.0, 0.9, 0.01, wait_s=90.0, trim_s=10.0)
    noisy = verdict("inconclusive")
    moving = replace(noisy, details=replace(noisy.details, settling=settling))
    assert count(plan(), moving) is None
    patient = plan(settle_s=120.0, trim_s=15.0)
    assert count(patient, moving) == count(patient, noisy) > 0, "it has waited as long before"


@pytest.mark.parametrize(
    ("how", "pairs"),
    [
        ({"pairs": 3}, USUAL_PAIRS),
        ({"pairs": 3, "operations": 2.0}, None),
        ({"pairs": 8}, None),
        ({"metric": "stall_len", "takes": Message("", least=10, held=4)}, 20),
        ({"metric": "stall_len", "takes": Message("", least=10, held=0)}, MOST_PAIRS),
        ({"metric": "slo", "takes": Message("", least=10, held=9)}, 9),
    ],
)
def test_not_enough_data_is_more_pairs_only_where_pairs_are_missing(how, pairs):
    assert count(plan(), verdict("not enough data", **{"takes": NOTHING} | how)) == pairs


def test_it_is_the_same_plan_in_a_new_order():
    first = plan(Design("pairs", 24), looks=(8, 24))
    further = further_plan(first, verdict(), "first.ldapwb", seed=7, pairs=9)
    assert (further.design, further.seed, further.looks) == (Design("pairs", 9), 7, (8,))
    assert [step.pair for step in further.steps[::2]] == list(range(9))
    assert further.steps != further_plan(first, verdict(), "", seed=8, pairs=9).steps
    same = ("treatment", "window_s", "primary", "slo_ns", "load", "settle_s", "then", "guards")
    assert all(getattr(further, name) == getattr(first, name) for name in same)


def test_abba_stays_whole_blocks():
    further = further_plan(plan(Design("abba", 4)), verdict(), "", pairs=7)
    assert further.design == Design("abba", 4)


def test_what_was_seen_before_is_told_and_nothing_of_it_is_lost():
    first = further_plan(plan(), verdict(ratio=1.2), "first.ldapwb")
    second = further_plan(first, verdict(ratio=1.1), "second.ldapwb")
    one, two = map(str, second.earlier)
    assert one == (
        "Measured before in first.ldapwb, 8 pairs: Inconclusive; p50 is ×1.2, ×1.2 in a typical "
        "window. Not counted here: this verdict rests on its own pairs alone."
    )
    assert two.startswith("Measured before in second.ldapwb")


def test_the_verdict_names_it_and_counts_its_own_pairs_alone(new_stage):
    stage = new_stage(factor=0.5)
    before = Message("Measured before.")
    alone = stage.run(replace(stage.plan(design="pairs:6"), earlier=(before,)))
    assert alone.state is State.REVERTED
    assert alone.verdict.primary.n_pairs == 6
    assert before in alone.verdict.warnings
    assert stage.stored().plan.earlier == (before,)


@pytest.mark.parametrize(("log_ratio", "said"), [(20.0, "×1,000"), (-9.0, "×0.001")])
def test_pairs_for_a_true_ratio_are_asked_for_a_ratio_and_no_bound(log_ratio, said):
    d = log_ratio + np.array([0.0, 0.5, -0.5, 1.0, 0.0, 0.4])
    assert f"; a true {said} takes " in str(takes(d, 0.05))
