"""What follows from a verdict: kept, reverted, asked for, judged early, not comparable."""

import pytest

from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.verdict import Judgement
from tests.unit.experiment.acting import LIMIT, LIMIT_5000, Measured
from tests.unit.tuning.fakes import LDBM


@pytest.fixture
def better(new_stage):
    """A stage on which the treatment halves every etime."""
    return new_stage(factor=0.5)


def test_what_is_kept_stays_in_force(stage):
    experiment = stage.run(stage.plan(then=Then.KEEP))
    assert experiment.state is State.KEPT
    assert stage.server.limit == "5000"
    assert stage.marks() == ["applied", "kept"]


def test_what_is_kept_is_applied_again_where_the_last_window_was_of_arm_a(stage):
    experiment = stage.run(stage.plan(design="abba:1", then=Then.KEEP))
    assert stage.windows.measured[-1] == ("A2", False)
    assert experiment.state is State.KEPT
    assert stage.server.limit == "5000"
    assert len(experiment.change_groups) == 2


def test_what_is_better_is_kept_where_the_plan_says_so(better):
    experiment = better.run(better.plan(design="pairs:6", then=Then.KEEP_IF_BETTER))
    assert experiment.verdict.primary.verdict == Judgement.BETTER
    assert experiment.verdict.primary.ratio == pytest.approx(0.5, rel=0.1)
    assert experiment.state is State.KEPT
    assert better.server.limit == "5000"


def test_what_is_only_suggested_is_not_kept_by_itself(better):
    """One pair proves nothing."""
    experiment = better.run(better.plan(design="ab", then=Then.KEEP_IF_BETTER))
    assert experiment.state is State.REVERTED
    assert better.server.limit == "4000"


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_what_is_not_better_is_reverted(new_stage, factor):
    stage = new_stage(factor=factor)
    experiment = stage.run(stage.plan(design="pairs:6", then=Then.KEEP_IF_BETTER))
    worse = experiment.verdict.primary.verdict == Judgement.WORSE
    assert worse is (factor > 1)
    assert experiment.state is State.REVERTED
    assert stage.server.limit == "4000"


@pytest.mark.parametrize(
    ("answer", "state", "limit"),
    [(Then.KEEP, State.KEPT, "5000"), (Then.REVERT, State.REVERTED, "4000")],
)
def test_the_operator_is_asked_with_the_verdict(stage, answer, state, limit):
    asked = []

    def decide(verdict):
        asked.append((verdict, stage.writer.states[-1]))
        return answer

    experiment = stage.run(stage.plan(then=Then.ASK), decide=decide)
    assert asked == [(experiment.verdict, State.DECIDING)], "it is stored before anybody is asked"
    assert experiment.state is state
    assert stage.server.limit == limit


def test_where_nobody_can_be_asked_it_is_reverted(stage):
    assert stage.run(stage.plan(then=Then.ASK)).state is State.REVERTED
    assert stage.server.limit == "4000"


def test_the_verdict_is_in_the_file_when_it_is_reverted(stage):
    stage.run()
    assert stage.stored().verdict == stage.run_.verdict
    assert stage.stored().verdict.primary.metric == "p50"


def test_an_interim_analysis_that_decides_ends_it(new_stage):
    stage = new_stage(factor=0.2)
    experiment = stage.run(stage.plan(design="pairs:8", looks=(6,)))
    assert len(stage.windows.measured) == 12
    assert experiment.verdict.primary.verdict == Judgement.BETTER
    assert experiment.state is State.REVERTED
    assert "look" in stage.marks()


def test_windows_under_another_load_are_not_comparable(stage):
    """Four times the operations in every treated window."""
    stage.windows.busier = 4
    experiment = stage.run(stage.plan(design="pairs:6", then=Then.KEEP_IF_BETTER))
    assert experiment.verdict.primary.verdict == Judgement.NOT_COMPARABLE
    assert experiment.state is State.REVERTED


def test_a_server_that_has_the_treatment_already_is_left_alone(stage):
    stage.server.set_by_another(LIMIT, "5000", LDBM)
    error = stage.fails()
    assert f"already has {LIMIT_5000}" in str(error)
    assert stage.experiment.state is State.ABORTED
    assert stage.windows.measured == []
    assert stage.server.directory.written == []


def test_a_failing_window_is_told_with_what_it_measured(stage):
    """Errors of clients are no reason to end it: there is no limit in this plan."""
    stage.windows.during[2] = lambda: Measured(err=1)
    assert stage.run().state is State.REVERTED
