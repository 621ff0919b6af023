"""A pair lost by no fault of the treatment is measured again, as often as the plan says."""

import pytest

from ldap_workbench.experiment import measuring
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.model.window import STRANGER, SourceState
from tests.unit.experiment.acting import LIMIT, Measured
from tests.unit.tuning.fakes import CONFIG

PAIR_AGAIN = "Pair 1 is measured again"


def break_link(stage):
    """The link is gone; a new one goes through."""

    def happens(*_):
        stage.server.directory.broken = True
        raise ConnectError(Message("The link broke."))

    return happens


def once(work):
    """Only the first time."""
    calls = []

    def happens(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            work(*arguments)

    return happens


@pytest.mark.parametrize("number", [1, 2])
def test_a_link_that_breaks_in_a_window_costs_its_pair(stage, number):
    stage.windows.during[number] = break_link(stage)
    experiment = stage.run()
    assert experiment.state is State.REVERTED
    assert [name for name, _ in stage.windows.measured][-2:] == ["A1", "B1"]
    assert [treated for _, treated in stage.windows.measured][-2:] == [False, True]
    assert len(experiment.windows) == 2
    assert [str(why) for why in experiment.void] == [f"{PAIR_AGAIN}: The link broke."]
    assert stage.server.reconnects >= 1
    assert stage.server.limit == "4000"


@pytest.mark.parametrize(("number", "arm"), [(1, "A"), (2, "B")])
def test_the_arm_of_a_lost_window_is_kept_and_said(stage, number, arm):
    stage.windows.during[number] = break_link(stage)
    experiment = stage.run(stage.plan(design="abba:1"))
    assert experiment.lost == (arm,)
    said = {"A": "1 of A, 0 of B", "B": "0 of A, 1 of B"}[arm]
    warnings = [str(warning) for warning in experiment.verdict.warnings]
    assert f"1 window was lost and its pair measured again: {said}." in warnings


@pytest.mark.parametrize(("arm", "state"), [("A", State.KEPT), ("B", State.REVERTED)])
def test_what_lost_windows_of_b_is_not_kept_by_itself(new_stage, arm, state):
    """A change that takes the server down now and then is better in the windows that are left."""
    stage = new_stage(factor=0.5)
    plan = stage.plan(design="pairs:10", then=Then.KEEP_IF_BETTER)
    number = 1 + [step.arm for step in plan.steps].index(arm)
    stage.windows.during[number] = break_link(stage)
    experiment = stage.run(plan)
    assert experiment.lost == (arm,)
    assert experiment.verdict.primary.verdict == Judgement.BETTER
    assert experiment.state is state
    warnings = [str(warning) for warning in experiment.verdict.warnings]
    assert any("More windows of B than of A were lost" in said for said in warnings) is (arm == "B")


def test_the_windows_of_a_lost_pair_stay_in_no_arm(stage):
    stage.windows.during[2] = break_link(stage)
    experiment = stage.run()
    lost = [w for w in stage.windows_stored() if w.id not in experiment.windows]
    assert [(w.arm, w.pair) for w in lost] == [("", -1)]
    assert PAIR_AGAIN in str(lost[0].remark)
    assert "pair repeated" in stage.marks()


def test_the_load_of_a_lost_window_does_not_run_on_in_the_next(stage, monkeypatch):
    running = []

    class Load:
        ended_early = NOTHING

        def __init__(self, *_):
            pass

        def __enter__(self):
            running.append(self)
            return self

        def __exit__(self, *_):
            running.remove(self)

    counts = []
    monkeypatch.setattr(measuring, "Load", Load)
    stage.windows.during[2] = break_link(stage)
    for number in (3, 4):
        stage.windows.during[number] = lambda: counts.append(len(running))
    stage.run()
    assert counts == [1, 1]
    assert running == []


def test_the_pairs_before_a_lost_one_stand(stage):
    stage.windows.during[4] = break_link(stage)
    experiment = stage.run(stage.plan(design="abba:1"))
    names = [name for name, _ in stage.windows.measured]
    assert names == ["A1", "B1", "B2", "A2", "B2", "A2"]
    assert experiment.windows[:2] == (1, 2)


def test_the_verdict_says_that_a_pair_was_measured_again(stage):
    stage.windows.during[2] = break_link(stage)
    experiment = stage.run()
    assert any(PAIR_AGAIN in str(warning) for warning in experiment.verdict.warnings)


def test_a_link_that_breaks_in_a_write_is_put_back_and_the_pair_measured(stage):
    """The server has obeyed; the answer is lost, and then the link."""
    stage.server.directory.after_write = once(break_link(stage))
    experiment = stage.run()
    assert experiment.state is State.REVERTED
    assert [treated for _, treated in stage.windows.measured] == [False, False, True]
    assert stage.server.limit == "4000"
    assert stage.open_changes == []


def test_a_link_that_breaks_before_a_write_leaves_nothing(stage):
    stage.server.directory.before_write = once(break_link(stage))
    experiment = stage.run()
    assert experiment.state is State.REVERTED
    assert stage.server.limit == "4000"
    assert len(experiment.void) == 1


def test_a_link_that_breaks_while_it_is_taken_back_is_outlived(stage):
    """The last revert: nothing is measured again for it."""
    writes = []

    def break_at_the_second(attribute):
        writes.append(attribute)
        if len(writes) == 2:
            break_link(stage)()

    stage.server.directory.after_write = break_at_the_second
    experiment = stage.run()
    assert experiment.state is State.REVERTED
    assert experiment.void == ()
    assert stage.server.limit == "4000"
    assert stage.open_changes == []


def test_what_is_lost_more_often_than_the_plan_says_ends_it(stage):
    for number in range(1, 9):
        stage.windows.during[number] = break_link(stage)
    error = stage.fails(stage.plan(repeats=2))
    assert isinstance(error, ConnectError)
    assert "2 pairs were measured again already." in str(error)
    assert len(stage.windows.measured) == 3
    assert stage.experiment.state is State.ABORTED
    assert stage.server.limit == "4000"


def test_a_plan_without_repeats_ends_at_the_first(stage):
    stage.windows.during[2] = break_link(stage)
    error = stage.fails(stage.plan(repeats=0))
    assert str(error.what) == "The link broke."
    assert stage.experiment.void == ()
    assert stage.server.limit == "4000"


def test_a_server_that_broke_down_in_a_window_loses_it(stage):
    stage.windows.during[2] = lambda: Measured(monitor_details={"cuts": 1})
    experiment = stage.run()
    assert len(experiment.void) == 1
    assert "broke off in window B1" in str(experiment.void[0])
    lost = [w for w in stage.windows_stored() if w.id not in experiment.windows]
    assert [(w.arm, w.pair) for w in lost] == [("", -1)] * 2, "with A1, which was whole"
    assert all(PAIR_AGAIN in str(window.remark) for window in lost)


def test_a_host_that_changed_its_key_ends_it_before_the_next_change(stage):
    """It may be another machine: nothing is measured again."""
    stranger = Message("h:22 shows another SSH host key than the one on record.")
    stage.windows.during[1] = lambda: Measured(monitor_details={STRANGER: stranger})
    error = stage.fails(stage.plan(repeats=5))
    assert "changed its SSH key in window A1: h:22 shows another SSH host key" in str(error)
    assert stage.windows.measured == [("A1", False)]
    assert stage.experiment.state is State.ABORTED
    assert stage.server.limit == "4000"
    assert stage.open_changes == []
    assert list(stage.journal.changes()) == []


def test_a_log_that_breaks_off_after_the_first_window_loses_the_pair(stage):
    stage.windows.during[2] = lambda: Measured(log=SourceState.FAILED)
    assert len(stage.run().void) == 1


def test_a_machine_that_slept_in_a_window_loses_it(stage):
    gap = (0, 60 * 10**9)
    stage.windows.during[1] = lambda: Measured(monitor_details={"sample_gaps": [gap]})
    experiment = stage.run()
    assert "This machine was asleep in window A1" in str(experiment.void[0])
    assert experiment.lost == (), "a laptop sleeps whatever the arm is"


# Another administrator


@pytest.mark.parametrize("number", [1, 2])
def test_a_change_of_somebody_else_in_a_window_loses_the_pair(stage, number):
    stage.windows.during[number] = lambda: stage.server.set_by_another("nsslapd-sizelimit", "9")
    experiment = stage.run()
    assert experiment.lost == ()
    assert experiment.state is State.REVERTED
    assert "Another administrator changed the server in pair 1: nsslapd-sizelimit" in str(
        experiment.void[0]
    )
    assert "foreign change" in stage.marks()
    assert stage.server.directory.entries[CONFIG]["nsslapd-sizelimit"] == ("9",)


def test_a_change_of_somebody_else_between_two_pairs_is_only_said(stage):
    """When the first pair is over, before anybody looks for the second."""

    def meddle(_):
        if len(stage.windows.measured) == 2 and stage.experiment.step == 2:
            stage.server.set_by_another("nsslapd-sizelimit", "9")
        return 0

    class Meddling:
        wait_s = staticmethod(meddle)

    experiment = stage.run(stage.plan(design="abba:1"), hours=Meddling())
    assert experiment.void == ()
    assert "before pair 2" in str(experiment.remarks[0])
    assert str(experiment.remarks[0]) in [str(w) for w in experiment.verdict.warnings]
    assert len(stage.windows.measured) == 4


def test_our_own_change_is_nobody_elses(stage):
    experiment = stage.run(stage.plan(design="pairs:2"))
    assert experiment.remarks == experiment.void == ()
    assert stage.server.directory.written[0] == (LIMIT, ("5000",))


def test_what_nobody_of_us_changed_is_looked_at_twice_a_window(stage, monkeypatch):
    """Before and after it; a third time only where the treatment was applied or reverted."""
    looked = []
    search = type(stage.server.directory).search

    def counted(directory, base, **how):
        if "*" in how.get("attributes", ()):
            looked.append(base)
        return search(directory, base, **how)

    monkeypatch.setattr(type(stage.server.directory), "search", counted)
    stage.run(stage.plan(design="abba:1"))
    windows, applied_or_reverted = 4, 2
    assert looked.count("cn=config") == 2 * windows + applied_or_reverted


@pytest.mark.parametrize("number", [2, 5])
def test_with_one_switch_a_lost_window_alone_is_measured_again(new_stage, number):
    """All of A before all of B: windows that are whole stay."""
    stage = new_stage(factor=0.5)
    stage.windows.during[number] = break_link(stage)
    experiment = stage.run(stage.plan(design="ab:3"))
    names = [name for name, _ in stage.windows.measured]
    wanted = ["A1", "A2", "A3", "B1", "B2", "B3"]
    assert names == [*wanted[:number], *wanted[number - 1 :]]
    assert [treated for _, treated in stage.windows.measured] == [n[0] == "B" for n in names]
    again = f"Window {wanted[number - 1]} is measured again: The link broke."
    assert [str(why) for why in experiment.void] == [again]
    assert len(set(experiment.windows)) == 6
    assert stage.server.limit == "4000"
    said = [str(warning) for warning in experiment.verdict.warnings]
    assert any("3 windows of A and the 3 of B" in warning for warning in said)
    assert experiment.verdict.primary.verdict == Judgement.SUGGESTS_BETTER
