"""Edits of a plan are undone and made again; nothing on a server is."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.model.knob import Setting


@pytest.fixture
def design(window):
    window.show_screen("experiment")
    return window.experiment.design


def test_edits_of_the_design_are_undone_in_turn(qtbot, window, design):
    before: ExperimentForm = design.form()
    design._pairs.setValue(12)
    design._design.setCurrentIndex(1)
    design._trim_auto.setChecked(not before.trim_auto)
    after = design.form()
    assert after != before
    undo, redo = window.actions_["undo"], window.actions_["redo"]
    assert "plan" in undo.text()
    undo.trigger()
    assert design.form().trim_auto is before.trim_auto
    assert design.form().design == after.design
    undo.trigger()
    undo.trigger()
    assert design.form() == before
    assert not undo.isEnabled()
    for _ in range(3):
        redo.trigger()
    assert design.form() == after
    assert not redo.isEnabled()


def test_the_treatment_goes_back_to_what_was_planned_before(window, monkeypatch):
    page = window.experiment.change
    monkeypatch.setattr(page, "ask", lambda: page._set(None))  # no server checks it
    eight = Setting("nsslapd-threadnumber", "8")
    sixteen = replace(eight, value="16")
    page.add(eight)
    page.add(sixteen)
    page.clear()
    told = []
    for _ in range(3):
        window.actions_["undo"].trigger()
        told.append(page.settings())
    assert told == [(sixteen,), (eight,), ()]
    window.actions_["redo"].trigger()
    assert page.settings() == (eight,)


def test_a_plan_for_another_server_begins_anew(window, design):
    design._pairs.setValue(12)
    window.workbench.connectionChanged.emit()
    assert not window.actions_["undo"].isEnabled()


def test_ctrl_z_undoes_where_no_text_is_edited(qtbot, window, design):
    with qtbot.waitActive(window):
        window.activateWindow()
    before = design._pairs.value()
    design._pairs.setValue(before + 3)
    window.rail.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert design._pairs.value() == before
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(window, Qt.Key.Key_Z, both)
    assert design._pairs.value() == before + 3
