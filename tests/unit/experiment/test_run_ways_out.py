"""Whatever ends an experiment early: the server is put back first, and what is said is true."""

from contextlib import contextmanager
from dataclasses import replace

import pytest

from ldap_workbench.experiment import measuring, run
from ldap_workbench.experiment.guards import LAG_S
from ldap_workbench.experiment.hours import Pause
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import CancelledError, ChangeError, ConnectError, ExperimentError
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceState
from tests.unit.experiment.acting import LIMIT, LIMIT_5000, THREADS_24, Measured
from tests.unit.tuning.fakes import LDBM

AS_BEFORE = "The server is as it was before."


def assert_put_back(stage):
    assert stage.server.limit == "4000"
    assert stage.open_changes == []
    assert stage.experiment.state is State.ABORTED
    assert stage.stored() == stage.experiment


# Cancelled


def test_a_cancel_in_the_treated_window_puts_the_server_back(stage):
    cancel = Cancel()
    stage.windows.during[2] = cancel.set
    error = stage.fails(cancel=cancel)
    assert isinstance(error, CancelledError)
    assert AS_BEFORE in str(error.safe)
    assert_put_back(stage)
    assert stage.windows_stored()[-1].cancelled
    assert len(stage.experiment.windows) == 1, "a cancelled window is none of the experiment's"


HASH_OFF = "nsslapd-enable-upgrade-hash=off"
STAYS = "nsslapd-enable-upgrade-hash may have been automatic; reverted, it is stored as on."


def test_what_a_revert_leaves_stored_is_known_at_the_end(stage):
    """This server does not let its dse.ldif be looked at."""
    done = stage.run(stage.plan(HASH_OFF, design="pairs:2"))
    assert [str(each) for each in done.left_stored] == [STAYS]
    assert stage.stored().left_stored == done.left_stored


def test_what_a_revert_leaves_stored_is_said_where_it_ends_early(stage):
    cancel = Cancel()
    stage.windows.during[3] = cancel.set
    error = stage.fails(stage.plan(HASH_OFF, design="pairs:2"), cancel=cancel)
    assert isinstance(error, CancelledError)
    assert AS_BEFORE not in str(error.safe)
    assert str(error.safe).startswith(f"{STAYS} All else is as it was before.")
    assert STAYS in str(stage.stored().why)


def test_one_that_goes_on_knows_what_reverts_before_it_left_stored(stage):
    """Killed and reverted by hand: the journal has it, and the session may not."""
    done = stage.run(stage.plan(HASH_OFF))
    before = replace(done, state=State.MEASURING, left_stored=(), step=2, verdict=None)
    again = stage.run(resume_from=before)
    assert [str(each) for each in again.left_stored] == [STAYS]


@pytest.mark.parametrize(
    ("words", "measured"),
    [("Checking the plan", []), ("Waiting 0 s after", []), ("Applying", ["A1"])],
)
def test_a_cancel_is_heard_before_the_next_window(stage, words, measured):
    cancel = Cancel()
    error = stage.fails(cancel=cancel, on_text={words: cancel.set})
    assert isinstance(error, CancelledError)
    assert_put_back(stage)
    assert [name for name, _ in stage.windows.measured] == measured


def test_a_cancel_while_it_judges_comes_too_late(stage):
    """All was measured: the verdict is worth more than the second it takes."""
    cancel = Cancel()
    assert stage.run(cancel=cancel, on_text={"Judging": cancel.set}).state is State.REVERTED


def test_a_pause_between_two_pairs_leaves_the_server_as_it_was(stage):
    seen = []

    class Going(Pause):
        """Goes on as soon as it rests."""

        def wait(self, needed_s, progress, cancel):
            seen.append((stage.server.limit, len(stage.windows.measured)))
            self.ask(False)

    pause = Going()
    stage.windows.during[2] = lambda: pause.ask(True)
    stage.run(stage.plan(design="abba:1"), pause=pause)
    assert seen == [("4000", 2)], "the treated window before it was over"
    assert [treated for _, treated in stage.windows.measured] == [False, True, True, False]
    assert "paused" in stage.marks()


def test_a_cancel_while_it_rests_puts_nothing_back_twice(stage):
    pause, cancel = Pause(), Cancel()
    stage.windows.during[2] = lambda: pause.ask(True)
    error = stage.fails(
        stage.plan(design="abba:1"),
        pause=pause,
        cancel=cancel,
        on_text={"Paused": cancel.set},
    )
    assert isinstance(error, CancelledError)
    assert_put_back(stage)
    assert [value for _, value in stage.server.directory.written] == [("5000",), ("4000",)]


# Safety limits and windows that cannot be judged


def test_a_safety_limit_of_errors_ends_it(stage):
    stage.windows.during[2] = lambda: Measured(err=51)
    error = stage.fails(stage.plan(design="pairs:2", guards={"error_share": 0.05}))
    assert isinstance(error, ExperimentError)
    assert "A safety limit was crossed" in str(error)
    assert_put_back(stage)
    assert len(stage.experiment.windows) == 2, "the window that shows it stays"


def test_a_safety_limit_of_the_tail_ends_it_in_the_treated_window(new_stage):
    stage = new_stage(factor=10)
    error = stage.fails(stage.plan(guards={"p99_ns": 15_000_000}))
    assert "p99 was" in str(error)
    assert stage.windows.measured == [("A1", False), ("B1", True)]
    assert_put_back(stage)


def test_a_limit_that_is_not_crossed_ends_nothing(stage):
    assert stage.run(stage.plan(guards={"p99_ns": 15_000_000})).state is State.REVERTED


def test_a_log_that_cannot_be_read_ends_it_in_the_first_window(stage):
    stage.windows.during[1] = lambda: Measured(log=SourceState.MISSING)
    error = stage.fails()
    assert "The access log was not read in window A1" in str(error)
    assert stage.server.directory.written == [], "nothing was ever changed"
    assert_put_back(stage)


def test_a_load_that_ends_by_itself_ends_it(stage, monkeypatch):
    class Short:
        """A load that is over before its window."""

        ended_early = NOTHING

        def __init__(self, command, seconds, shell, endpoint):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(measuring, "Load", Short)

    def end():
        Short.ended_early = Message("the load ended with status 3")

    stage.windows.during[2] = end
    error = stage.fails(stage.plan(load="sh -c 'exit 3'"))
    assert "During window B1 the load ended with status 3" in str(error)
    assert_put_back(stage)


def test_the_load_of_a_window_that_fails_is_ended_after_the_server_is_put_back(stage, monkeypatch):
    limits = []

    class Load:
        ended_early = NOTHING

        def __init__(self, command, seconds, shell, endpoint):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            limits.append(stage.server.limit)

    monkeypatch.setattr(measuring, "Load", Load)
    stage.windows.during[2] = lambda: 1 / 0
    stage.fails()
    assert limits == ["4000", "4000"]


def test_another_workbench_that_comes_meanwhile_ends_it(stage, monkeypatch):
    class Mark:
        """Of ours; `other` is one that came later."""

        other = False

        def __init__(self, target):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def check(self):
            if Mark.other:
                raise ChangeError(Message("Another workbench is running on this server."))

    def come():
        Mark.other = True

    monkeypatch.setattr(run, "Announcement", Mark)
    stage.windows.during[2] = come
    error = stage.fails(stage.plan(design="abba:1"))
    assert "Another workbench" in str(error.what)
    assert_put_back(stage)
    assert len(stage.windows.measured) == 2, "the window in which it came is the last"


# Defects, of ours and of the server


def test_a_defect_of_ours_puts_the_server_back_and_says_so(stage):
    stage.windows.during[2] = lambda: 1 / 0
    error = stage.fails()
    assert isinstance(error, ZeroDivisionError)
    assert AS_BEFORE in error.__notes__[0]
    assert "A defect in the workbench: ZeroDivisionError" in str(stage.experiment.why)
    assert_put_back(stage)


def test_ctrl_c_of_python_puts_the_server_back(stage):
    def interrupt():
        raise KeyboardInterrupt

    stage.windows.during[2] = interrupt
    assert isinstance(stage.fails(), KeyboardInterrupt)
    assert_put_back(stage)


def test_a_listener_that_fails_ends_it(stage):
    error = stage.fails(on_text={"Judging": lambda: 1 / 0})
    assert isinstance(error, ZeroDivisionError)
    assert_put_back(stage)


def test_a_listener_that_fails_again_cannot_keep_the_server_from_being_put_back(stage):
    def break_the_link():
        stage.server.directory.broken = True
        raise KeyboardInterrupt

    stage.windows.during[2] = break_the_link
    error = stage.fails(on_text={"does not answer; retrying": lambda: 1 / 0})
    assert isinstance(error, KeyboardInterrupt)
    assert_put_back(stage)


def test_a_value_that_the_server_refuses_is_said_and_nothing_is_left(stage):
    def refuse(attribute):
        raise ChangeError(Message("The server refused it."))

    stage.server.directory.before_write = refuse
    error = stage.fails()
    assert "The server refused it." in str(error)
    assert_put_back(stage)
    assert stage.windows.measured == [("A1", False)]


def test_a_treatment_that_is_not_in_force_after_its_restart_ends_it(new_stage, monkeypatch):
    stage = new_stage(restart_command="restart-it now")
    real = stage.server.directory.restart

    def restart_as_before():
        real()
        stage.server.directory.entries["cn=monitor"]["threads"] = ("17",)

    monkeypatch.setattr(stage.server.directory, "restart", restart_as_before)
    error = stage.fails(stage.plan(THREADS_24, restart=True))
    assert "stored but not in force" in str(error)
    assert_put_back(stage)
    assert stage.server.directory.starts == 3, "once more without the treatment"


def test_a_server_that_runs_with_the_treatment_and_cannot_be_restarted_is_told(new_stage):
    stage = new_stage(restart_command="restart-it now")

    def lose_the_command():
        stage.server.shell.run = lambda *_, **__: 1 / 0
        raise KeyboardInterrupt

    stage.windows.during[2] = lose_the_command
    error = stage.fails(stage.plan(THREADS_24, restart=True))
    assert "stays in force until the server is restarted" in error.__notes__[0]
    assert "Restart the server." in error.__notes__[0]
    assert stage.server.threads == 24
    assert stage.open_changes == []


# The server cannot be put back


def test_a_server_that_stays_away_is_waited_for_and_then_said(stage):
    def die():
        stage.server.directory.broken = stage.server.gone = True
        raise ConnectError(Message("The link broke."))

    stage.windows.during[2] = die
    error = stage.fails()
    assert "is not known: the server did not answer for 2 s" in str(error.safe)
    assert "ldap-workbench revert fake --all" in str(error.remedy)
    assert stage.experiment.state is State.ABORTED
    assert [change.state for change in stage.open_changes] == [ChangeState.APPLIED]


def test_a_cancel_that_cannot_put_the_server_back_is_no_mere_cancel(stage):
    cancel = Cancel()

    def die():
        stage.server.directory.broken = stage.server.gone = True
        cancel.set()

    stage.windows.during[2] = die
    error = stage.fails(cancel=cancel)
    assert isinstance(error, ChangeError)
    assert isinstance(error.__cause__, CancelledError)
    assert "is not known" in str(error.safe)


def test_what_another_administrator_has_set_is_not_overwritten(stage):
    def meddle():
        stage.server.set_by_another(LIMIT, "9000", LDBM)
        raise KeyboardInterrupt

    stage.windows.during[2] = meddle
    error = stage.fails()
    assert f"{LIMIT_5000} may still be in force" in error.__notes__[0]
    assert stage.server.limit == "9000"
    assert stage.experiment.state is State.ABORTED


def test_a_session_that_cannot_be_written_does_not_keep_the_server_changed(stage):
    def fill_the_disk():
        stage.writer.full = True
        raise KeyboardInterrupt

    stage.windows.during[2] = fill_the_disk
    error = stage.fails()
    assert "The session could not be written to its end" in str(error.__notes__)
    assert stage.server.limit == "4000"
    assert stage.open_changes == []
    assert stage.experiment.state is State.ABORTED
    assert stage.stored().state is State.MEASURING, "the file has what was written before"


def test_what_was_kept_is_not_taken_back_by_a_later_failure(stage):
    """The decision is in the journal: the error is told beside it."""

    def keep(_):
        stage.writer.full = True
        return Then.KEEP

    error = stage.fails(stage.plan(then=Then.ASK), decide=keep)
    assert f"{LIMIT_5000} was kept and is in force." in str(error.__notes__)
    assert stage.server.limit == "5000"
    assert stage.open_changes == []


def test_what_cannot_be_set_while_the_server_runs_is_refused_before_the_first_window(stage):
    """Nobody has said that the server may be stopped: it would be refused after window A."""
    error = stage.fails(stage.plan("nsslapd-db-durable-transaction=off"))
    assert isinstance(error, ChangeError)
    assert "cannot be set while the server runs" in str(error)
    assert stage.windows.measured == []
    assert stage.server.directory.written == []


class Lag:
    """Of replicas as a test says; what the run tells of it in its order."""

    def __init__(self):
        self.behind, self.stops = NOTHING, 0

    def begin(self):
        pass

    def crossed(self):
        return self.behind

    @contextmanager
    def on_purpose(self):
        self.stops += 1
        yield


BEHIND = Message("ds2 was 31.0 s behind the others")


def test_a_replica_that_comes_too_far_behind_ends_it_after_the_window(stage):
    plan = stage.plan(guards={LAG_S: 30.0})
    lag = Lag()

    def fall_behind():
        if stage.server.treated:
            lag.behind = BEHIND

    stage.windows.during = dict.fromkeys(range(1, 20), fall_behind)
    error = stage.fails(plan, lag=lag)
    assert "A safety limit was crossed in window" in str(error)
    assert "ds2 was 31.0 s behind the others" in str(error)
    assert stage.open_changes == []
    assert not stage.server.treated


def test_a_replica_that_is_behind_already_prevents_the_first_window(stage):
    lag = Lag()
    lag.behind = BEHIND
    error = stage.fails(stage.plan(guards={LAG_S: 30.0}), lag=lag)
    assert "crossed before the next step: ds2 was 31.0 s behind" in str(error)
    assert stage.windows.measured == []
    assert stage.server.directory.written == []


def test_no_lag_counts_while_the_server_is_restarted_on_purpose(new_stage):
    stage, lag = new_stage(restart_command="restart-it now"), Lag()
    stage.run(stage.plan(THREADS_24, restart=True, guards={LAG_S: 30.0}), lag=lag)
    assert lag.stops == stage.server.directory.starts == 3


def test_a_limit_of_the_lag_without_replicas_begins_nothing(stage):
    error = stage.fails(stage.plan(guards={LAG_S: 30.0}))
    assert "no replicas are named" in str(error)
    assert stage.experiment.state is State.PLANNED, "so it can be continued"
    assert stage.windows.measured == []
    assert stage.server.directory.written == []
