"""The command palette: all commands, by a few letters, with the keyboard alone."""

from functools import partial

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QTableView

from ldap_workbench.gui.shell.about import ShortcutsDialog
from ldap_workbench.gui.shell.actions import is_acting, mark_acting, name_place
from ldap_workbench.gui.shell.palette import CommandPalette, fit
from ldap_workbench.model.profile import Profile
from tests.gui.active import show_active
from tests.gui.conftest import idle, opened

pytestmark = pytest.mark.one_window

COMMANDS = (
    "Export the report",
    "Report",
    "Open a session",
    "Refresh",
    "Revert all open changes",
)


@pytest.mark.parametrize(
    ("letters", "first"),
    [
        ("report", "Report"),
        ("expo", "Export the report"),
        ("os", "Open a session"),
        ("refr", "Refresh"),
        ("rev all", "Revert all open changes"),
        ("EXR", "Export the report"),
    ],
)
def test_the_nearest_command_comes_first(letters, first):
    known = {words: fit(words, letters) for words in COMMANDS}
    assert min((how, words) for words, how in known.items() if how is not None)[1] == first


def test_letters_that_are_missing_or_in_another_order_do_not_fit():
    assert fit("Report", "x") is None
    assert fit("Report", "trop") is None


def test_every_enabled_command_of_the_menus_is_offered(qtbot, window):
    palette = CommandPalette(list(window.actions_.by_name.values()), window)
    qtbot.addWidget(palette)
    shown = set(palette._model.stringList())
    assert any(line.startswith("Dark") for line in shown)
    assert any(line.split() == ["Home", "Home", "Ctrl+1"] for line in shown)
    assert any(line.split()[:2] == ["Fleet", "Home"] for line in shown), "with its place"
    assert not any(line.startswith("Record") for line in shown), "no server is connected"
    assert not any(line.startswith("Close the session") for line in shown), "nothing is open"


@pytest.mark.parametrize("keys", [Qt.KeyboardModifier.ShiftModifier, None])
def test_a_command_is_given_by_keys_alone(qtbot, window, keys):
    show_active(qtbot, window)
    QTimer.singleShot(50, partial(_type, qtbot, "journal"))
    control = Qt.KeyboardModifier.ControlModifier
    if keys:
        qtbot.keyClick(window, Qt.Key.Key_P, control | keys)
    else:
        qtbot.keyClick(window, Qt.Key.Key_K, control)
    assert window.current_screen().name == "journal"


def test_escape_gives_no_command(qtbot, window):
    show_active(qtbot, window)
    QTimer.singleShot(50, partial(_escape, qtbot))
    window.actions_["palette"].trigger()
    assert window.current_screen().name == "start"


@pytest.fixture
def palette(qtbot, qapp):
    """With a command that acts on a server, and one that does not."""
    connect, journal = mark_acting(QAction("Connect to ldap1")), QAction("Journal")
    made = CommandPalette([connect, journal])
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.deleteLater()


def run_on_enter(qtbot, palette, letters):
    """Whether Enter runs a command at once."""
    qtbot.keyClicks(palette._line, letters)
    qtbot.keyClick(palette._line, Qt.Key.Key_Return)
    return palette.result() == CommandPalette.DialogCode.Accepted


@pytest.mark.parametrize(
    ("letters", "at_once"),
    [
        ("journal", True),
        ("jrn", True),
        ("ldap1", True),
        ("connect ldap1", True),
        ("conn", False),
        ("cld", False),
        ("l", False),
    ],
)
def test_a_loose_match_acts_on_no_server(qtbot, palette, letters, at_once):
    assert run_on_enter(qtbot, palette, letters) is at_once
    assert palette._question.isHidden() is at_once
    if not at_once:
        assert "Connect to ldap1" in palette._question.text()
        qtbot.keyClick(palette._line, Qt.Key.Key_Return)
        assert palette.result() == CommandPalette.DialogCode.Accepted


@pytest.mark.parametrize(
    ("letters", "at_once"),
    [("start", False), ("recording", True), ("start recording", True), ("connect", False)],
)
def test_a_word_that_other_commands_have_too_acts_on_no_server(qtbot, qapp, letters, at_once):
    acting = [mark_acting(QAction(words)) for words in ("Start recording", "Connect to ldap1")]
    home = QAction("Home")
    name_place(home, "Home", "start servers sessions")
    palette = CommandPalette([*acting, home, QAction("Disconnect")])
    qtbot.addWidget(palette)
    palette.show()
    qtbot.waitExposed(palette)
    assert run_on_enter(qtbot, palette, letters) is at_once
    assert not at_once or palette.chosen() is acting[0]


def test_a_question_is_about_what_was_typed_last(qtbot, palette):
    assert not run_on_enter(qtbot, palette, "conn")
    palette._line.clear()
    assert palette._question.isHidden()
    assert not run_on_enter(qtbot, palette, "ldap")


def test_who_moves_to_a_line_has_read_it(qtbot, palette):
    qtbot.keyClick(palette._line, Qt.Key.Key_Down)
    qtbot.keyClick(palette._line, Qt.Key.Key_Up)
    assert run_on_enter(qtbot, palette, "")


def test_what_acts_on_a_server_is_marked(window):
    window.workbench.profiles.add(Profile("ldap1", "ldap://ldap1:389", None))
    acting = {text for text, action in offered(window).items() if is_acting(action)}
    assert {"Connect to ldap1", "Practise: Is it the directory?"} <= acting
    for name in ("disconnect", "revert"):
        assert is_acting(window.actions_[name])
    for name in ("open", "report", "help"):
        assert not is_acting(window.actions_[name])


def test_the_list_of_shortcuts_names_every_key(qtbot, window):
    dialog = ShortcutsDialog(window.actions_.shortcuts(), window)
    qtbot.addWidget(dialog)
    listed = dict(window.actions_.shortcuts())
    assert listed["Ctrl+Shift+P, Ctrl+K"] == "Commands"
    assert listed["F5"] == "Refresh"
    assert len(listed) == len([a for a in window.actions_.by_name.values() if a.shortcuts()])


def _type(qtbot, letters):
    palette = QApplication.activeModalWidget()
    assert isinstance(palette, CommandPalette)
    qtbot.keyClicks(palette._line, letters)
    qtbot.keyClick(palette._line, Qt.Key.Key_Return)


def _escape(qtbot):
    palette = QApplication.activeModalWidget()
    qtbot.keyClick(palette, Qt.Key.Key_Escape)


def offered(window) -> dict[str, QAction]:
    return {action.text(): action for action in window.commands.actions()}


def test_servers_sessions_and_practice_are_commands(window, session_file, monkeypatch):
    wanted = []
    profile = Profile("ldap1", "ldap://ldap1:389", None)
    window.workbench.profiles.add(profile)
    window.workbench.settings.remember(session_file)
    for bench, name in ((window.workbench, "connect_to"), (window.workbench, "open_session")):
        monkeypatch.setattr(bench, name, wanted.append)
    monkeypatch.setattr(window.practice, "start", wanted.append)
    commands = offered(window)
    for words in (
        "Connect to ldap1",
        f"Open {session_file.name}",
        "Practise: Is it the directory?",
    ):
        commands[words].trigger()
    assert wanted == [profile, session_file, "healthy"]


def test_only_what_can_be_done_now_is_offered(qtbot, window, capture_file, monkeypatch):
    commands = offered(window)
    assert not {"Start recording", "Stop recording", "Start the test"} & commands.keys()
    assert not [words for words in commands if words.startswith("Export")]
    opened(qtbot, window, capture_file, "journal")
    exported = []
    monkeypatch.setattr(window.report, "export", exported.append)
    for words, action in offered(window).items():
        if words.startswith("Export"):
            action.trigger()
    assert exported == [".md", ".pdf", ".html"]
    assert window.current_screen().name == "report"
    idle(qtbot, window)


def test_a_capture_at_work_is_stopped_and_marked_from_the_palette(window, monkeypatch):
    done = []
    monkeypatch.setattr(window.capture, "running", lambda: True)
    for name in ("stop", "mark"):
        monkeypatch.setattr(window.capture, name, lambda name=name: done.append(name))
    commands = offered(window)
    commands["Stop recording"].trigger()
    commands["Add marker"].trigger()
    assert done == ["stop", "mark"]
    assert window.current_screen().name == "capture"
    monkeypatch.undo()


def test_keys_that_are_in_no_menu_are_listed_too(qtbot, window):
    dialog = ShortcutsDialog(window.actions_.shortcuts(), window)
    qtbot.addWidget(dialog)
    model = dialog.findChild(QTableView).model()
    told = {model.index(row, 0).data() for row in range(model.rowCount())}
    assert {"S", "Ctrl+C", "Esc", "Ctrl+1"} <= told
    assert "" not in told
