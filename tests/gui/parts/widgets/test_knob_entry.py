"""A knob and a value, typed in and added, on both pages that ask for them."""

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.parts.widgets.fields import KnobEntry


@pytest.fixture
def entry(qtbot):
    made = KnobEntry("Val&ue")
    qtbot.addWidget(made)
    made.set_knobs(["nsslapd-maxthreadsperconn", "read_ahead_kb@vda"])
    made.show()
    return made


def test_return_adds_what_was_typed(qtbot, entry):
    added = []
    entry.added.connect(lambda *what: added.append(what))
    assert entry.knob.currentText() == ""
    qtbot.keyClicks(entry.value, " 20 ")
    qtbot.keyClick(entry.value, Qt.Key.Key_Return)
    assert not added  # no knob yet, and the value stays
    assert entry.value.text() == " 20 "
    entry.knob.setEditText(" read_ahead_kb@vda ")
    qtbot.keyClick(entry.value, Qt.Key.Key_Return)
    assert added == [("read_ahead_kb@vda", "20")]
    assert entry.value.text() == ""


def test_a_knob_is_found_by_any_part_of_its_name(entry):
    completer = entry.knob.completer()
    completer.setCompletionPrefix("threads")
    assert completer.currentCompletion() == "nsslapd-maxthreadsperconn"
