"""The steps across the top of the experiment: where you are, and where you may go."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from ldap_workbench.gui.parts.widgets.buttons import push_button

CHANGE, DESIGN, RUN, VERDICT = range(4)


class StepBar(QWidget):
    """*Signals:* wanted(int)."""

    wanted = Signal(int)

    def __init__(self, titles: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for number, title in enumerate(titles):
            button = push_button(f"&{number + 1}  {title}")
            button.setCheckable(True)
            button.setProperty("role", "step")
            self._group.addButton(button, number)
            row.addWidget(button)
        row.addStretch(1)
        self._group.idClicked.connect(self.wanted)

    def show_step(self, number: int, reachable: set[int]) -> None:
        """Mark where we are; the others can be clicked only where that makes sense."""
        for other in range(len(self._group.buttons())):
            self.button(other).setEnabled(other in reachable)
        self.button(number).setChecked(True)

    def button(self, number: int) -> QPushButton:
        """The button of a step."""
        button = self._group.button(number)
        assert isinstance(button, QPushButton)
        return button
