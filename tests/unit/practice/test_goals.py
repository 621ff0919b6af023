"""What a lesson asks for is done by evidence in a session, and by nothing less."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.experiment import Design, Experiment, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.practice.goals import goals
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names

LESSONS = [load_scenario(name) for name in scenario_names()]


def tried(lesson, judgement, *, metric="p50", treatment=None, comparable=True, others=()):
    """One experiment with this judgement of its primary metric, and of others."""
    metrics = {name: MetricVerdict(name, said) for name, said in others}
    primary = MetricVerdict(metric, judgement)
    verdict = Verdict(primary, metrics, comparable, verbatim(""), "pairs", verbatim(""))
    plan = make_plan(treatment or lesson.treatment, Design(), window_s=300, seed=1)
    return Experiment(1, plan, State.REVERTED, 16, verdict=verdict)


def reached(lesson, findings=(), experiments=()):
    return [goal.reached for goal in goals(lesson, findings, experiments)]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_nothing_is_reached_at_first_and_all_by_what_the_answer_says(lesson):
    assert reached(lesson)
    assert not any(reached(lesson))
    wanted = lesson.expected[lesson.primary]
    done = tried(lesson, wanted, metric=lesson.primary)
    assert all(reached(lesson, {lesson.finding}, [done]))


def test_the_cause_is_found_by_its_own_finding_only():
    lesson = load_scenario("slow-pages")
    assert reached(lesson, {"unindexed"}) == [False]
    assert reached(lesson, {"unindexed", "no_pooling"}) == [True]


@pytest.mark.parametrize("judgement", [j for j in Judgement if j is not Judgement.BETTER])
def test_a_remedy_is_proved_by_better_alone(judgement):
    lesson = load_scenario("too-many-threads")
    assert reached(lesson, (), [tried(lesson, judgement)]) == [False]


def test_the_lessons_metric_counts_where_another_was_the_primary():
    lesson = load_scenario("trap")
    median = tried(lesson, "better", others=[("p99.9", "worse")])
    assert reached(lesson, (), [median]) == [True]
    assert reached(lesson, (), [tried(lesson, "better")]) == [False]


def test_another_knob_proves_nothing():
    lesson = load_scenario("too-many-threads")
    other = Treatment((Setting("nsslapd-enable-upgrade-hash", "off"),))
    assert reached(lesson, (), [tried(lesson, "better", treatment=other)]) == [False]


def test_another_value_of_the_knob_may_be_a_remedy_too():
    lesson = load_scenario("checkpoint-storms")
    shorter = Treatment((Setting("NSSLAPD-DB-checkpoint-interval", "20"),))
    assert reached(lesson, (), [tried(lesson, "better", treatment=shorter)]) == [True]


def test_what_is_not_comparable_counts_for_nothing():
    lesson = load_scenario("too-many-threads")
    assert reached(lesson, (), [tried(lesson, "better", comparable=False)]) == [False]
    unjudged = replace(tried(lesson, "better"), verdict=None)
    assert reached(lesson, (), [unjudged]) == [False]


def test_two_causes_need_both_remedies_in_one_experiment_or_two():
    lesson = load_scenario("two-causes")
    first, second = (
        tried(lesson, "better", treatment=Treatment((setting,)))
        for setting in lesson.treatment.settings
    )
    assert reached(lesson, (), [first]) == [False]
    assert reached(lesson, (), [first, second]) == [True]
    assert reached(lesson, (), [tried(lesson, "better")]) == [True]


def test_no_difference_is_shown_by_a_verdict_that_says_so():
    lesson = load_scenario("healthy")
    assert reached(lesson, (), [tried(lesson, "inconclusive")]) == [False]
    assert reached(lesson, (), [tried(lesson, "too small to matter")]) == [True]
