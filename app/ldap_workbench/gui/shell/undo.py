"""Undo for edits of a plan.

What was changed on a server is never undone here: the journal is for that, and it reads the server
first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox

from ldap_workbench.gui.screens.experiment.screen import ExperimentScreen
from ldap_workbench.model.knob import Setting

MOST = 100
Field = QComboBox | QSpinBox | QDoubleSpinBox | QCheckBox
_FIELDS = (QComboBox, QSpinBox, QDoubleSpinBox, QCheckBox)


class Edit(QUndoCommand):
    """Something was `before` and is `after`; `put` makes it either. It is `after` already."""

    def __init__(self, words: str, put: Callable[[Any], None], before: Any, after: Any) -> None:
        super().__init__(words)
        self._put, self._before, self._after = put, before, after
        self._made = True

    def undo(self) -> None:
        self._put(self._before)

    def redo(self) -> None:
        if not self._made:
            self._put(self._after)
        self._made = False


class PlanUndo(QObject):
    """Notes every edit of the experiment's treatment and design; text fields undo by themselves."""

    def __init__(self, experiment: ExperimentScreen) -> None:
        super().__init__(experiment)
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(MOST)
        self._experiment = experiment
        self._putting = False
        self._settings = experiment.change.settings()
        experiment.change.plannedChanged.connect(self._on_planned)
        self._values: dict[Field, Any] = {}
        for kind in _FIELDS:
            for field in experiment.design.findChildren(kind):
                assert isinstance(field, _FIELDS)
                self._values[field] = value_of(field)
                _changed(field).connect(self._on_field)
        experiment.runningChanged.connect(self._start_anew)
        experiment.planTaken.connect(self._start_anew)
        experiment.workbench.connectionChanged.connect(self._start_anew)

    @Slot()
    def _start_anew(self) -> None:
        """A plan under way is not edited, and one for another server is another plan."""
        self.stack.clear()
        self._settings = self._experiment.change.settings()

    @Slot()
    def _on_planned(self) -> None:
        now = self._experiment.change.settings()
        if now != self._settings:
            words = self.tr("edit of the change")
            self.stack.push(Edit(words, self._put_settings, self._settings, now))
            self._settings = now

    def _put_settings(self, settings: tuple[Setting, ...]) -> None:
        self._settings = settings
        self._experiment.change.take(settings)

    @Slot()
    def _on_field(self) -> None:
        field = self.sender()
        assert isinstance(field, _FIELDS)
        before, now = self._values[field], value_of(field)
        self._values[field] = now
        if before != now and not self._putting:
            words = self.tr("edit of the plan")
            self.stack.push(Edit(words, lambda value: self._put_value(field, value), before, now))

    def _put_value(self, field: Field, value: Any) -> None:
        self._putting = True
        try:
            put_value(field, value)
        finally:
            self._putting = False


def value_of(field: Field) -> Any:
    """What a field holds."""
    if isinstance(field, QComboBox):
        return field.currentIndex()
    return field.isChecked() if isinstance(field, QCheckBox) else field.value()


def put_value(field: Field, value: Any) -> None:
    """Let a field hold a value of `value_of`."""
    if isinstance(field, QComboBox):
        field.setCurrentIndex(value)
    elif isinstance(field, QCheckBox):
        field.setChecked(value)
    else:
        field.setValue(value)


def _changed(field: Field) -> Any:
    if isinstance(field, QComboBox):
        return field.currentIndexChanged
    return field.toggled if isinstance(field, QCheckBox) else field.valueChanged
