"""Two windows side by side: each with its own session and server, one experiment in all."""

import threading

import pytest
from PySide6.QtCore import QObject

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.gui.app import load_later_parts
from ldap_workbench.gui.parts.widgets.consent import PlainBox
from ldap_workbench.gui.shell.windows import Windows
from ldap_workbench.gui.workbench.places import PLACE_OF
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Plan
from tests import sessions
from tests.gui.active import show_active
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.shell.test_main_window import intend
from tests.gui.watch import aside
from tests.unit.tuning.fakes import FACTS

pytestmark = pytest.mark.stall_allowed  # a second window is made


class Run(QObject):
    """An experiment as far as `Running` looks at it."""

    experiment, path = None, "run.ldapwb"

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan


@pytest.fixture
def windows(qapp, home, monkeypatch):
    monkeypatch.setattr(qapp, "quit", lambda: None)
    monkeypatch.setattr("ldap_workbench.gui.shell.windows.QCoreApplication.quit", lambda: None)
    load_later_parts()
    made = Windows()
    made.open(Workbench())
    yield made
    made.close_now()
    made.deleteLater()
    qapp.sendPostedEvents(None, 52)  # DeferredDelete
    qapp.processEvents()


@pytest.fixture
def pair(qtbot, windows):
    first = windows.latest()
    second = windows.open_with(None, "start")
    idle(qtbot, first)
    idle(qtbot, second)
    return first, second


def plan():
    return ExperimentForm(design="abba", pairs=2).plan(sessions.TREATMENT, restart=False)


def test_each_window_names_its_own_session_and_server(qtbot, pair, session_file, capture_file):
    first, second = pair
    first.open_paths([session_file])
    second.open_paths([capture_file])
    connect(first, Server(FACTS))
    idle(qtbot, first)
    idle(qtbot, second)
    assert first.context.session.text().startswith(f"another server {session_file.name}")
    assert second.context.session.text().startswith(f"session {capture_file.name}")
    assert first.context.server.text().startswith("server fake")
    assert second.context.server.text() == "no server"


def test_the_rail_opens_a_screen_of_the_session_in_a_new_window(qtbot, windows, session_file):
    first = windows.latest()
    first.open_paths([session_file])
    idle(qtbot, first)
    first.rail.windowWanted.emit(PLACE_OF["tails"])
    second = windows._all[-1]
    assert second is not first
    idle(qtbot, second)
    assert second.workbench.opened.path == session_file
    assert second.current_screen().name == "tails"
    assert first.current_screen().name == "overview"


def test_one_window_owns_the_experiment_and_the_others_say_so(pair):
    first, second = pair
    refused = []
    second.workbench.failed.connect(lambda title, _: refused.append(title))
    first.workbench.running.begin(Run(plan()), None, "practice", first.workbench)
    assert first.context.experiment.text().startswith("running ")
    assert second.context.experiment.text().startswith("running in another window")
    connect(second, Server(FACTS))
    second.experiment._agreement.ask = lambda *_: pytest.fail("nobody is asked")
    second.experiment.design.noise_floor = plan
    second.experiment.measure_noise()
    assert refused == ["Another window is running an experiment on practice."]
    assert not second.experiment.running()
    first.workbench.running.end()
    assert second.workbench.may_change_a_server()


def test_reverting_in_another_window_asks_in_the_window_of_the_experiment(pair, monkeypatch):
    first, second = pair
    asked = []
    monkeypatch.setattr(PlainBox, "exec", lambda box: asked.append(box.parent()))
    first.workbench.running.begin(Run(plan()), None, "practice", first.workbench)
    second.journal.revert_all()
    assert asked == [first]
    first.workbench.running.end()


def test_the_journal_and_read_only_are_one_for_all_windows(qtbot, pair):
    first, second = pair
    journal = first.workbench.journal.file()
    intend(journal, "ldap://here:389")
    first.workbench.journal.reload()
    qtbot.waitUntil(lambda: len(second.workbench.journal.changes) == 1)
    first.actions_["read_only"].setChecked(True)
    assert second.actions_["read_only"].isChecked()
    assert second.workbench.read_only


def test_a_later_start_goes_to_the_window_in_use_and_the_last_one_ends_it(
    qtbot, windows, pair, session_file, capture_file
):
    first, second = pair
    show_active(qtbot, second)
    windows.take_over([str(session_file)])
    idle(qtbot, second)
    assert second.workbench.opened.path == session_file
    assert first.workbench.opened is None
    show_active(qtbot, first)
    windows.take_over([str(capture_file)])
    idle(qtbot, first)
    assert first.workbench.opened.path == capture_file
    assert second.workbench.opened.path == session_file
    second.close()
    assert not windows.closed
    assert first.workbench.settings.open_session == capture_file
    first.workbench.settings.slo_ms = 7.0
    with aside():
        first.workbench.settings.sync()  # the second did not close what both share
    first.close()
    assert windows.closed


def test_a_fault_of_another_thread_is_shown_in_the_window_in_use(qtbot, windows, monkeypatch):
    window = windows.latest()
    told_in, fail = [], window.workbench.fail
    note = lambda error: told_in.append(threading.current_thread()) or fail(error)  # noqa: E731
    monkeypatch.setattr(window.workbench, "fail", note)
    thread = threading.Thread(target=windows.fail, args=(ZeroDivisionError(),))
    with qtbot.waitSignal(window.workbench.failed):
        thread.start()
    with aside():
        thread.join()
    assert told_in == [threading.main_thread()], "widgets belong to it"
    assert window.error_bar.isVisible()
