"""The states of an experiment, in their order, and the server in each of them."""

from itertools import groupby

from ldap_workbench.experiment.arms import Arms, Restarts
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Experiment, State, Then
from ldap_workbench.model.progress import no_progress
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.page_cache import DROP_CACHES
from tests.unit.experiment.acting import LIMIT, THREADS_24
from tests.unit.tuning.fakes import FakeShell

_MEASURED = [State.SETTLING, State.MEASURING]


def test_every_state_is_stored_in_its_order(stage):
    experiment = stage.run()
    assert stage.states == [
        State.PLANNED,
        State.CHECKING,
        *_MEASURED,
        State.APPLYING,
        *_MEASURED,
        State.JUDGING,
        State.DECIDING,
        State.REVERTING,
        State.REVERTED,
    ]
    assert stage.stored() == experiment


def test_the_treatment_is_in_force_in_arm_b_alone(stage):
    stage.run(stage.plan(design="abba:1"))
    assert stage.windows.measured == [("A1", False), ("B1", True), ("B2", True), ("A2", False)]
    assert stage.server.limit == "4000"


def test_the_server_is_left_alone_between_two_windows_of_one_arm(stage):
    stage.run(stage.plan(design="abba:1"))
    assert [name for name, _ in stage.server.directory.written] == [LIMIT, LIMIT]


def test_windows_are_numbered_with_their_arm_and_pair(stage):
    experiment = stage.run(stage.plan(design="pairs:2"))
    windows = stage.windows_stored()
    assert tuple(window.id for window in windows) == experiment.windows
    assert [(w.arm, w.pair) for w in windows] == [(s.arm, s.pair) for s in experiment.plan.steps]
    assert experiment.step == 4


def test_a_state_is_stored_before_it_is_acted_upon(stage):
    """So that after a crash the file says what was being done."""
    seen = []

    def look(attribute):
        seen.append((stage.writer.states[-1], stage.experiment.state))

    stage.server.directory.before_write = look
    stage.run()
    assert seen == [(State.APPLYING, State.APPLYING), (State.REVERTING, State.REVERTING)]


def test_whether_the_treatment_is_applied_may_be_asked_at_any_time(stage):
    with SessionWriter.create(stage.path, stage.server.facts) as writer, stage.tuner.locked():
        record = Record(writer, stage.server, Experiment(1, stage.plan(), State.PLANNED, step=0))
        restarts = Restarts(stage.server, writer, no_progress, with_treatment=False, wait_s=2.0)
        arms = Arms(stage.server, stage.tuner, record, restarts, no_progress)
        states = []
        for arm in "ABBA":
            arms.enter(arm)
            states.append((arms.treated, stage.server.treated))
    assert states == [(False, False), (True, True), (True, True), (False, False)]


def test_the_session_has_the_changes_and_what_became_of_them(stage):
    experiment = stage.run()
    with Session.open(stage.path) as session:
        (change,) = session.changes()
    assert (change.knob, change.asked, change.state) == (LIMIT, ("5000",), ChangeState.REVERTED)
    assert experiment.change_groups == (change.group,)
    assert stage.marks() == ["applied", "reverted"]


def test_every_window_has_the_settings_it_was_measured_with(stage):
    stage.run()
    with Session.open(stage.path) as session:
        settings = [
            source.details["settings"][LIMIT]
            for window in session.windows()
            for source in session.sources(window.id)
            if source.kind is SourceKind.CONFIG
        ]
    assert settings == ["4000", "5000"]


def test_progress_tells_the_window_of_how_many(stage):
    stage.run()
    phases = [text for text, _ in groupby(stage.said)]
    assert phases[0] == "Checking the plan against the server"
    assert f"Applying {LIMIT}=5000" in phases
    assert phases[-2:] == ["Judging", f"Reverting {LIMIT}=5000"]


def test_a_noise_floor_changes_nothing(stage):
    experiment = stage.run(stage.plan(setting=""))
    assert experiment.state is State.REVERTED
    assert stage.server.directory.written == []
    assert State.APPLYING not in stage.states
    assert stage.windows.measured == [("A1", False), ("B1", False)]


def test_a_treatment_that_needs_a_restart_restarts_both_arms(new_stage):
    stage = new_stage(restart_command="restart-it now")
    experiment = stage.run(stage.plan(THREADS_24, restart=True))
    assert stage.windows.measured == [("A1", False), ("B1", True)]
    assert stage.server.directory.starts == 3, "before each window, and when it was taken back"
    assert stage.server.threads == 16
    assert experiment.state is State.REVERTED
    assert stage.marks() == ["restart", "applied", "restart", "proof", "reverted", "restart"]


def test_the_page_cache_is_dropped_before_every_window(stage):
    shell = stage.server.shell
    shell.files[DROP_CACHES] = "0"
    drops = []

    def look():
        drops.append(sum(argv == ["sync"] for argv, _ in shell.ran))

    stage.windows.during = {1: look, 2: look}
    experiment = stage.run(stage.plan(cold=True))
    assert drops == [1, 2]
    assert experiment.state is State.REVERTED
    assert stage.marks().count("page cache") == 2


def test_a_page_cache_that_cannot_be_dropped_is_said_before_anything_is_done(stage):
    stage.server.shell = FakeShell(stage.server.directory, may_sudo=False)
    stage.server.shell.files[DROP_CACHES] = "0"
    assert isinstance(stage.fails(stage.plan(cold=True)), ExperimentError)
    assert stage.windows.measured == []
    assert stage.server.directory.written == []


def test_what_is_kept_with_a_restart_is_started_with(new_stage):
    stage = new_stage(restart_command="restart-it now")
    experiment = stage.run(stage.plan(THREADS_24, restart=True, then=Then.KEEP))
    assert experiment.state is State.KEPT
    assert stage.server.threads == 24
    assert stage.states[-2:] == [State.RESTARTING, State.KEPT]


def test_the_journal_has_nothing_open_at_the_end(stage):
    stage.run(stage.plan(then=Then.KEEP))
    assert stage.open_changes == []
