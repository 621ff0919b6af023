"""The list of screens at the left edge."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu

from ldap_workbench.gui.parts.style.icons import icon


class Rail(QListWidget):
    """*Signals:* chosen(int), windowWanted(int) of a screen in a new window."""

    chosen = Signal(int)
    windowWanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Screens"))
        self.setIconSize(QSize(20, 20))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._icons: list[str] = []
        self.currentRowChanged.connect(self.chosen)

    def set_screens(self, icons: Sequence[str], titles: Sequence[str]) -> None:
        """List these."""
        self._icons = list(icons)
        for name, title in zip(self._icons, titles, strict=True):
            self.addItem(QListWidgetItem(icon(name), title))
        self.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        """As wide as the longest title in this language and style."""
        letter = self.fontMetrics().averageCharWidth()
        border = self.contentsMargins().right()
        self.setFixedWidth(max(self.sizeHintForColumn(0) + letter + border, 23 * letter))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button asks for the menu of a screen, and leaves the one in front there."""
        if event.button() is not Qt.MouseButton.RightButton:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the screen under the mouse, or of the one in front where a key asks."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        row = self.currentRow() if by_key else self.indexAt(event.pos()).row()
        if row < 0:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = self.tr("&Open in a new window")
        menu.addAction(words).triggered.connect(lambda: self.windowWanted.emit(row))
        menu.popup(self.mapToGlobal(self.visualItemRect(self.item(row)).center()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        if event.type() == QEvent.Type.PaletteChange:
            for row, name in enumerate(self._icons):
                self.item(row).setIcon(icon(name))
