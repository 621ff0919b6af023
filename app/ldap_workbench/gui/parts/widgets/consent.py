"""The last question before a server is changed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QMessageBox, QWidget


class PlainBox(QMessageBox):
    """A box that shows names, values and paths as they stand."""

    def __init__(
        self, title: str, text: str, more: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        self.setInformativeText(more)
        for words in self.findChildren(QLabel):  # the second text has a format of its own
            words.setTextFormat(Qt.TextFormat.PlainText)


class ConsentBox(PlainBox):
    """Says what will be done to which server; `verb` is the button that agrees.

    Where the server has to be stopped for it, only a tick that allows this makes the button work.
    """

    def __init__(
        self, title: str, text: str, consequences: str, verb: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(title, text, consequences, parent)
        self._agree = self.addButton(verb, QMessageBox.ButtonRole.AcceptRole)
        self.addButton(QMessageBox.StandardButton.Cancel)

    def ask_for_stop(self) -> None:
        """Let nobody agree without allowing the server to be stopped."""
        # A child of the box: the box alone does not keep it alive.
        tick = QCheckBox(self.tr("The server &may be stopped to edit its configuration"), self)
        tick.toggled.connect(self._agree.setEnabled)
        self._agree.setEnabled(False)
        self.setCheckBox(tick)

    def agreed(self) -> bool:
        """Ask, and wait for the answer."""
        self.exec()
        return self.clickedButton() is self._agree
