"""A workbench that is killed: what file and journal know, and how the experiment goes on."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import CancelledError, KnobError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.progress import Cancel
from tests.unit.experiment.acting import LIMIT_5000, THREADS_24, Measured


class Killed(BaseException):
    """What is on the disks was copied; whatever this process does from here on is not seen."""


@pytest.fixture
def killed(new_stage, tmp_path):
    """Run an experiment and kill it at a moment; the stage that the next workbench comes to.

    `arrange` is given the first stage and what kills it.
    """

    def run(arrange, plan=None, **how):
        first, left = new_stage(**how), {}

        def kill(*_):
            if not left:
                left["entries"] = first.copy_to(tmp_path / "second")
                raise Killed

        on_text = arrange(first, kill)
        assert isinstance(first.fails(plan and first.plan(**plan), on_text=on_text), Killed)
        return new_stage(tmp_path / "second", entries=left["entries"], **how)

    return run


def in_window(number):
    def arrange(stage, kill):
        stage.windows.during[number] = kill

    return arrange


def at_text(words):
    return lambda stage, kill: {words: kill}


def after_write(number):
    """The server has it, and the journal does not know yet."""

    def arrange(stage, kill):
        writes = []

        def count(attribute):
            writes.append(attribute)
            if len(writes) == number:
                kill()

        stage.server.directory.after_write = count

    return arrange


MOMENTS = {
    "in the first window": (in_window(1), State.MEASURING, "4000", None),
    "before the change": (at_text("Applying"), State.APPLYING, "4000", None),
    "with the change half made": (after_write(1), State.APPLYING, "5000", ChangeState.INTENDED),
    "in the treated window": (in_window(2), State.MEASURING, "5000", ChangeState.APPLIED),
    "in a later pair": (in_window(4), State.MEASURING, "4000", None),
    "before it is taken back": (at_text("Reverting"), State.REVERTING, "5000", ChangeState.APPLIED),
    "while it is taken back": (after_write(2), State.REVERTING, "4000", ChangeState.REVERTING),
    "while it is judged": (at_text("Judging"), State.JUDGING, "4000", None),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_at_any_moment_is_known_undone_and_gone_on_from(killed, moment):
    arrange, state, limit, change = MOMENTS[moment]
    stage = killed(arrange, {"design": "abba:1"})
    stored = stage.stored()
    assert stored.state is state, "the file says what was being done"
    assert stage.server.limit == limit
    assert [each.state for each in stage.open_changes] == ([change] if change else [])
    done = len(stored.windows)

    stage.tuner.recover()
    assert stage.server.limit == "4000"
    assert stage.open_changes == []

    experiment = stage.run(resume_from=stored)
    assert experiment.state is State.REVERTED
    assert experiment.windows[:done] == stored.windows, "what was measured is not measured again"
    assert len(stage.windows.measured) == 4 - done
    by_id = {window.id: window for window in stage.windows_stored()}
    assert [by_id[number].arm for number in experiment.windows] == ["A", "B", "B", "A"]
    assert experiment.verdict is not None
    assert stage.server.limit == "4000"


def test_a_change_that_is_still_in_force_is_not_measured_as_arm_a(killed):
    """Without the revert both arms would be the same."""
    stage = killed(in_window(2))
    error = stage.fails(resume_from=stage.stored())
    assert isinstance(error, KnobError)
    assert f"already has {LIMIT_5000}" in str(error)
    assert stage.windows.measured == []
    assert stage.server.limit == "4000", "and it is put back by the journal all the same"


def test_a_server_that_was_started_with_the_treatment_is_restarted_without(killed):
    """Killed when the treated window was measured: the running server still works with it."""
    how = {"restart_command": "restart-it now"}
    stage = killed(at_text("Reverting"), {"setting": THREADS_24, "restart": True}, **how)
    stage.server.directory.starts = 10
    stage.tuner.recover()
    assert stage.server.threads == 24, "only a restart ends it"
    experiment = stage.run(resume_from=stage.stored())
    assert experiment.state is State.REVERTED
    assert stage.server.threads == 16
    assert stage.windows.measured == []


def test_lost_pairs_are_counted_on_over_a_kill(killed):
    def arrange(stage, kill):
        stage.windows.during[1] = lambda: Measured(monitor_details={"cuts": 1})
        stage.windows.during[2] = kill

    stage = killed(arrange, {"repeats": 1})
    stored = stage.stored()
    assert len(stored.void) == 1
    stage.windows.during[1] = lambda: Measured(monitor_details={"cuts": 1})
    error = stage.fails(resume_from=stored)
    assert "1 pair was measured again already." in str(error)
    assert stage.experiment.state is State.ABORTED


@pytest.mark.parametrize(("window", "restarts"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_a_server_started_with_the_treatment_is_restarted_also_by_who_gives_up(
    killed, window, restarts
):
    """Of A, B, B, A: by the arm of the last window that was stored, nothing else says so."""
    plan = {"setting": THREADS_24, "design": "abba:1", "restart": True}
    stage = killed(in_window(window), plan, restart_command="restart-it")
    stored = stage.stored()
    assert stored.step == window - 1
    stage.tuner.recover()
    cancel = Cancel()
    cancel.set()
    assert isinstance(stage.fails(resume_from=stored, cancel=cancel), CancelledError)
    assert stage.server.directory.starts == restarts


def test_hours_are_asked_before_each_pair_for_room_for_a_pair(stage):
    asked = []
    hours = SimpleNamespace(wait_s=lambda seconds: asked.append(seconds) or 0)
    stage.server.facts = replace(stage.server.facts, clock_rate=2.0)
    stage.run(stage.plan(design="abba:1"), hours=hours)
    assert asked == [2 * (10 + 15) / 2.0] * 2


def test_before_the_first_window_of_b_there_is_room_for_all_of_them(stage):
    """Nothing rests in arm B: the server would be changed outside the hours."""
    asked = []
    hours = SimpleNamespace(wait_s=lambda seconds: asked.append(seconds) or 0)
    stage.run(stage.plan(design="ab:3"), hours=hours)
    window = 10 + 15
    assert asked == [2 * window, 2 * window, 2 * window, 3 * window]
