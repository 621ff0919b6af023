"""The command palette: all commands, by a few letters, with the keyboard alone."""

from functools import partial

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from ldap_workbench.gui.about import ShortcutsDialog
from ldap_workbench.gui.palette import CommandPalette, fit
from tests.gui.active import show_active

COMMANDS = (
    "Export the report",
    "Report",
    "Open a session",
    "Read again",
    "Revert all open changes",
)


@pytest.mark.parametrize(
    ("letters", "first"),
    [
        ("report", "Report"),
        ("expo", "Export the report"),
        ("os", "Open a session"),
        ("ra", "Read again"),
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
    assert any(line.startswith("Capture") and "Ctrl+2" in line for line in shown)
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


def test_the_list_of_shortcuts_names_every_key(qtbot, window):
    dialog = ShortcutsDialog(window.actions_.shortcuts(), window)
    qtbot.addWidget(dialog)
    listed = dict(window.actions_.shortcuts())
    assert listed["Ctrl+Shift+P, Ctrl+K"] == "Commands"
    assert listed["F5"] == "Read again"
    assert len(listed) == len([a for a in window.actions_.by_name.values() if a.shortcuts()])


def _type(qtbot, letters):
    palette = QApplication.activeModalWidget()
    assert isinstance(palette, CommandPalette)
    qtbot.keyClicks(palette._line, letters)
    qtbot.keyClick(palette._line, Qt.Key.Key_Return)


def _escape(qtbot):
    palette = QApplication.activeModalWidget()
    qtbot.keyClick(palette, Qt.Key.Key_Escape)
