"""The command palette: every command by a few letters of its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QListView, QVBoxLayout, QWidget

from ldap_workbench.gui.actions import plain_text
from ldap_workbench.gui.theme import dress


def fits(words: str, letters: str) -> bool:
    """Whether the letters occur in the words, in their order."""
    rest = iter(words.lower())
    return all(letter in rest for letter in letters.lower() if not letter.isspace())


class CommandPalette(QDialog):
    """Type, choose with the arrows, Enter."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress(self)
        self.setWindowTitle(self.tr("Commands"))
        self._actions = [action for action in actions if action.isEnabled()]
        self._shown: list[QAction] = []
        self._line = QLineEdit()
        self._line.setPlaceholderText(self.tr("Type a few letters of a command"))
        self._line.setAccessibleName(self.tr("Command"))
        self._line.textChanged.connect(self._narrow)
        self._line.installEventFilter(self)
        self._model = QStringListModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setAccessibleName(self.tr("Commands"))
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.activated.connect(self.accept)
        whole = QVBoxLayout(self)
        whole.addWidget(self._line)
        whole.addWidget(self._list)
        self.resize(self.fontMetrics().averageCharWidth() * 64, self.fontMetrics().height() * 22)
        self._narrow("")

    def chosen(self) -> QAction | None:
        """What was chosen, once accepted."""
        row = self._list.currentIndex().row()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
            key = Qt.Key(event.key())
            if key in steps:
                self._move(steps[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.accept()
                return True
        return super().eventFilter(watched, event)

    def _narrow(self, letters: str) -> None:
        self._shown = [action for action in self._actions if fits(plain_text(action), letters)]
        self._model.setStringList([_line_of(action) for action in self._shown])
        self._list.setCurrentIndex(self._model.index(0, 0))

    def _move(self, step: int) -> None:
        row = self._list.currentIndex().row() + step
        self._list.setCurrentIndex(self._model.index(max(0, min(row, len(self._shown) - 1)), 0))


def _line_of(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{plain_text(action)}    {keys}" if keys else plain_text(action)
