"""A knob and a value in one row, to be added to what is planned."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLineEdit, QWidget

from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label


class KnobEntry(QWidget):
    """The knob is found by any part of its name; Return in the value adds both.

    *Signals:* added(knob, value)
    """

    added = Signal(str, str)

    def __init__(self, value_name: str) -> None:
        super().__init__()
        self.knob = _knob_box(self.tr("nsslapd-…"))
        self.value = QLineEdit()
        self.value.setPlaceholderText(self.tr("512 MiB, 60, on …"))
        self.value.returnPressed.connect(self._on_add)
        add = push_button(self.tr("&Add"))
        add.clicked.connect(self._on_add)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._put(self.tr("&Knob"), self.knob, 3)
        self._put(value_name, self.value, 2)
        self._row.addWidget(add)

    def set_knobs(self, names: Sequence[str]) -> None:
        """Offer these knobs."""
        self.knob.clear()
        self.knob.addItems(list(names))
        self.knob.setCurrentIndex(-1)

    def add_button(self, button: QWidget) -> None:
        """Put a button at the end of the row."""
        self._row.addWidget(button)

    def _put(self, words: str, field: QWidget, share: int) -> None:
        name = label(words)
        name.setBuddy(field)
        self._row.addWidget(name)
        self._row.addWidget(field, share)

    @Slot()
    def _on_add(self) -> None:
        knob, value = self.knob.currentText().strip(), self.value.text().strip()
        if knob and value:
            self.value.clear()
            self.added.emit(knob, value)


def _knob_box(placeholder: str) -> QComboBox:
    box = ComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(14)
    completer, line = box.completer(), box.lineEdit()
    assert completer is not None  # an editable box has both
    assert line is not None
    completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    line.setPlaceholderText(placeholder)
    return box
