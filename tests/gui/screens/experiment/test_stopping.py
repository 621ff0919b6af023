"""Whatever would end an experiment asks first; whatever reverts ends with an outcome."""

import contextlib
import threading
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.experiment import experiment_job as jobs
from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.gui.parts.widgets.consent import ConsentBox, PlainBox
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.server_identity import ServerIdentity
from tests import sessions
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.shell.test_main_window import intend
from tests.gui.watch import aside
from tests.unit.tuning.fakes import FACTS

NO_WINDOW_MANAGER = pytest.mark.qt_log_ignore(r"does not support raise", extend=True)


class Applied:
    """An ExperimentRun that has made its change and measures until it is stopped."""

    def __init__(self, target, tuner, writer, plan, *, progress, cancel, **_) -> None:
        self._tuner, self._writer, self._tell, self._cancel = tuner, writer, progress, cancel
        self.experiment = Experiment(1, plan, State.CHECKING, 0)
        self.verdict = None
        self.goes_on = threading.Event()

    def run(self) -> Experiment:
        journal = self._tuner.journal
        change = journal.get(intend(journal, self._tuner.server, str(self._writer.path)).id)
        self.experiment = replace(self.experiment, state=State.MEASURING)
        self._tell(Progress(Message("Measuring")))
        try:
            while True:
                self._cancel.check()
                self.goes_on.wait(0.01)
        finally:
            journal.update(change, state=ChangeState.REVERTED)


@pytest.fixture
def server(qtbot, window):
    made = Server(replace(FACTS, identity="389ds:here"))
    connect(window, made)
    idle(qtbot, window)
    return made


@pytest.fixture
def running(qtbot, window, server, monkeypatch, tmp_path):
    """An experiment that has changed the server."""
    monkeypatch.setattr(jobs, "ExperimentRun", Applied)
    connection = window.workbench.connection
    monkeypatch.setattr(connection.tuner, "locked", contextlib.nullcontext)
    plan = ExperimentForm(design="abba", pairs=2).plan(sessions.TREATMENT, restart=False)
    window.experiment._begin(plan, tmp_path / "run.ldapwb")
    qtbot.waitUntil(lambda: bool(window.workbench.journal.changes))
    yield window.experiment
    window.experiment.stop()
    idle(qtbot, window)


@pytest.fixture
def answers(monkeypatch):
    """What boxes ask; each is answered with the button of this text, else with the default."""
    asked, wanted = [], []

    def answer(box):
        asked.append(f"{box.text()} {box.informativeText()}")
        [button] = [b for b in box.buttons() if b.text() in wanted] or [box.defaultButton()]
        monkeypatch.setattr(box, "clickedButton", lambda: button)

    monkeypatch.setattr(PlainBox, "exec", answer)
    return asked, wanted


def cancel_button(qtbot, window):
    indicator = window.statusBar().jobs
    qtbot.waitUntil(indicator.isVisible)
    return indicator._cancel


def test_the_journal_is_live_while_an_experiment_runs(running, window):
    assert window.workbench.journal.changes[0].session.endswith("run.ldapwb")
    assert window.current_screen().name != "journal"


def test_the_cross_of_the_status_bar_asks_before_it_ends_an_experiment(
    qtbot, running, window, answers
):
    asked, wanted = answers
    qtbot.mouseClick(cancel_button(qtbot, window), Qt.MouseButton.LeftButton)
    assert "is running. Stopping it reverts its change" in asked[0]
    assert str(sessions.TREATMENT) in asked[0]
    assert running.running()
    running.execution._job.cancelling.check()
    wanted.append("&Stop and revert")
    qtbot.mouseClick(cancel_button(qtbot, window), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not running.running())
    assert running.run._progress.text.text() == (
        "The experiment was stopped and its change reverted."
    )


@pytest.mark.parametrize("way", ["menu", "journal", "group"])
def test_reverting_during_an_experiment_stops_it(qtbot, running, window, answers, way):
    told = []
    window.workbench.statusChanged.connect(told.append)
    asked, wanted = answers
    wanted.append("&Stop and revert")
    if way == "menu":
        window.actions_["revert"].trigger()
    elif way == "journal":
        window.show_screen("journal")
        assert window.journal._revert_all.isEnabled()
        window.journal.revert_all()
    else:
        window.journal.revert_group(window.workbench.journal.changes[0].group)
    qtbot.waitUntil(lambda: not running.running())
    idle(qtbot, window)
    assert len(asked) == 1
    assert "nothing to revert" not in " ".join(told)
    assert not window.workbench.journal.open_changes()


def test_revert_all_reads_the_journal_and_says_why_it_does_nothing(
    qtbot, window, server, monkeypatch
):
    told, agreed = [], []
    window.workbench.statusChanged.connect(told.append)
    monkeypatch.setattr(ConsentBox, "agreed", lambda box: agreed.append(box) or False)
    window.journal.revert_all()
    idle(qtbot, window)
    assert told[-1] == "There is nothing to revert: the change log lists no open change."
    intend(window.workbench.journal.file(), "ldap://elsewhere:389")
    window.journal.revert_all()
    idle(qtbot, window)
    assert "Open changes on elsewhere" in told[-1]
    intend(
        window.workbench.journal.file(), server.profile.ldap_url
    )  # by a command, not by the window
    window.journal.revert_all()
    idle(qtbot, window)
    assert len(agreed) == 1
    window.workbench.set_read_only(True)
    window.journal.revert_all()
    idle(qtbot, window)
    assert told[-1].startswith("Read-only mode is on")


def test_revert_all_by_a_name_that_has_moved_says_so_and_asks_nothing(
    qtbot, window, server, monkeypatch
):
    told, agreed = [], []
    window.workbench.statusChanged.connect(told.append)
    monkeypatch.setattr(ConsentBox, "agreed", lambda box: agreed.append(box) or False)
    journal = window.workbench.journal.file()
    change = intend(
        journal, server.profile.ldap_url, identity=ServerIdentity("389ds:elsewhere", "ldap7")
    )
    window.journal.revert_all()
    idle(qtbot, window)
    assert "leads to another server now" in told[-1]
    assert "ldap7 (389ds:elsewher)" in told[-1]
    assert agreed == []
    assert journal.get(change.id).state.open


def test_what_only_the_url_names_is_said_before_it_is_reverted(qtbot, window, server, monkeypatch):
    texts = []
    monkeypatch.setattr(
        ConsentBox, "agreed", lambda box: texts.append(box.informativeText()) or False
    )
    journal = window.workbench.journal.file()
    change = intend(journal, server.profile.ldap_url)
    window.journal.revert_all()
    idle(qtbot, window)
    assert "Only the URL says" in texts[-1]
    with aside():
        journal.update(change, state=ChangeState.REVERTED)
    intend(journal, server.profile.ldap_url, identity=ServerIdentity(server.facts.identity))
    window.journal.revert_all()
    idle(qtbot, window)
    assert "Only the URL says" not in texts[-1]


def test_what_is_open_after_a_revert_is_said(qtbot, window, server, monkeypatch):
    tuner = window.workbench.connection.tuner
    intend(window.workbench.journal.file(), server.profile.ldap_url)
    monkeypatch.setattr(ConsentBox, "agreed", lambda _: True)
    monkeypatch.setattr(tuner, "recover", list)
    window.journal.revert_all()
    idle(qtbot, window)
    assert window.notice.isVisible()
    assert window.notice.heading.text() == "Not all changes are reverted"
    assert "nsslapd-threadnumber" in window.notice.sentence.text()


def test_what_a_revert_leaves_stored_is_said_before_and_after(qtbot, window, server, monkeypatch):
    told, asked = [], []
    window.workbench.statusChanged.connect(told.append)
    monkeypatch.setattr(
        ConsentBox, "agreed", lambda box: bool(asked.append(box.informativeText())) or True
    )
    journal = window.workbench.journal.file()
    change = intend(journal, server.profile.ldap_url)
    with aside():
        journal.update(change, state=ChangeState.APPLIED, got=change.asked)
        journal.note_pinned(change)
    reverted = partial(journal.update, change, state=ChangeState.REVERTED)
    monkeypatch.setattr(window.workbench.connection.tuner, "recover", lambda: [reverted()])
    window.journal.revert_all()
    idle(qtbot, window)
    stays = "nsslapd-threadnumber was automatic; reverted, it is stored as"
    assert stays in asked[0]
    assert stays in told[-1]
    assert told[-1].endswith("All else is as it was before.")


def test_a_revert_that_was_cancelled_says_so(qtbot, window, server, monkeypatch):
    told, gate = [], threading.Event()
    window.workbench.statusChanged.connect(told.append)
    change = intend(window.workbench.journal.file(), server.profile.ldap_url)
    window.workbench.journal.reload()
    idle(qtbot, window)
    monkeypatch.setattr(ConsentBox, "agreed", lambda _: True)
    window.workbench.ask_server("something long", lambda *_: gate.wait(60))
    window.journal.revert_group(change.group)
    [job] = [job for job in window.workbench.runner.jobs if job.title == "Reverting"]
    job.cancel()
    gate.set()
    idle(qtbot, window)
    assert told[-1] == "Reverting was cancelled before it began; nothing was reverted."


@pytest.fixture
def told(monkeypatch):
    """Notifications of the desktop."""
    heard = []
    notify = "ldap_workbench.gui.shell.background.notify"
    monkeypatch.setattr(notify, lambda *words: heard.append(words))
    return heard


@NO_WINDOW_MANAGER
def test_a_busy_window_goes_to_the_background_and_comes_back(qtbot, window, running, answers, told):
    asked, _ = answers
    assert window.close() is False
    assert "An experiment is running." in asked[0]
    assert not window.isVisible(), "in the background, as the default says"
    qtbot.waitUntil(lambda: len(told) == 1)
    assert running.running()
    window.take_over([])  # a second start of the program
    assert window.isVisible()
    window.background.go()
    running.stop()
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told[-1][0] == "The experiment has ended early"


@NO_WINDOW_MANAGER
def test_stop_and_close_goes_once_the_server_is_put_back(qtbot, window, running, answers, told):
    answers[1].append("&Stop and close")
    assert window.close() is False, "the change is still to be reverted"
    assert not window.isVisible()
    window.workbench.fail(RuntimeError("x"))
    assert window.isVisible(), "what goes wrong on the way out is seen"
    window.close()
    with qtbot.waitSignal(window.ended):
        pass
    assert window.closed


def test_kept_open_it_stays_as_it_is(window, running, answers):
    answers[1].append("&Keep open")
    assert window.close() is False
    assert window.isVisible()
    assert running.running()
