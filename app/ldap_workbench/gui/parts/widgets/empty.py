"""What an empty screen says: why it is empty, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.flow import FlowLayout
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Gap, Stretch, column


class EmptyState(QWidget):
    """An icon, a heading, a sentence, and buttons for the actions, or menus, that help."""

    def __init__(
        self, name: str, heading: str, sentence: str, actions: Sequence[QAction] = ()
    ) -> None:
        super().__init__()
        self._name = name
        self._picture = label("")
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._draw()
        title = label(heading, "heading")
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        words = label(sentence, "dim", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        width = self.fontMetrics().averageCharWidth() * 62
        words.setFixedWidth(width)
        words.setMinimumHeight(words.heightForWidth(width))
        column(
            Stretch(2),
            self._picture,
            title,
            (words, Qt.AlignmentFlag.AlignHCenter),
            Gap(10),
            self._buttons(actions),
            Stretch(3),
            on=self,
        )

    def _buttons(self, actions: Sequence[QAction]) -> FlowLayout:
        row = FlowLayout(at=Qt.AlignmentFlag.AlignHCenter)
        for number, action in enumerate(actions):
            button = push_button(action.text(), primary=number == 0)
            menu = action.menu()
            if isinstance(menu, QMenu):
                button.setProperty("role", "menu")
                button.setMenu(menu)
            else:
                button.clicked.connect(action.trigger)
            row.addWidget(button)
        return row

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self._picture.setPixmap(icon(self._name).pixmap(QSize(48, 48)))
