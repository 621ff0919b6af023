"""Quick, standard or thorough: how long each plan takes and what it can find."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QLabel,
    QRadioButton,
    QWidget,
)

from ldap_workbench.experiment.description import length
from ldap_workbench.experiment.plan import SIZES, duration_s
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message


class _Card(QFrame):
    """A card that chooses its button wherever it is clicked."""

    def __init__(self, button: QRadioButton) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._button = button

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # else the release goes elsewhere

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self._button.click()


class SizesBar(QWidget):
    """Three cards side by side; none is chosen where the fields say something else.

    *Signals:* wanted(a key of SIZES)
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        self._takes: dict[str, QLabel] = {}
        self._finds: dict[str, QLabel] = {}
        cards = [self._card(name, shown(size.title)) for name, size in SIZES.items()]
        for button, key in zip(self.buttons.values(), "QST", strict=True):
            button.setShortcut(f"Alt+Shift+{key}")
        row(*((card, 1) for card in cards), on=self, margins=0, spacing=12)

    def show_plans(self, plans: Mapping[str, Plan], clock_rate: float) -> None:
        """How long each takes; what each finds is not known yet.

        A simulated server has a clock of its own, so there a card is not named by hours.
        """
        for name, plan in plans.items():
            size = SIZES[name]
            self.buttons[name].setText(shown(size.title if clock_rate == 1.0 else size.name))
            takes = Message(
                "{pairs} pairs of {window:g} s windows, about {length}",
                pairs=len(plan.steps) // 2,
                window=plan.window_s,
                length=length(duration_s(plan, clock_rate)),
            )
            self._takes[name].setText(shown(takes))
            self._describe(name)

    def show_finds(self, finds: Mapping[str, str]) -> None:
        """What each can find."""
        for name, effect in finds.items():
            self._finds[name].setText(effect)
            self._describe(name)

    def choose(self, name: str) -> None:
        """Mark the size the fields say; '' for none."""
        self._group.setExclusive(False)
        for size, button in self.buttons.items():
            button.setChecked(size == name)
        self._group.setExclusive(True)

    def _describe(self, name: str) -> None:
        description = f"{self._takes[name].text()}. {self._finds[name].text()}"
        self.buttons[name].setAccessibleDescription(description)

    def _card(self, name: str, title: str) -> QFrame:
        button = QRadioButton(title)
        button.clicked.connect(lambda: self.wanted.emit(name))
        self._group.addButton(button)
        self.buttons[name] = button
        self._takes[name], self._finds[name] = label("", wrap=True), label("", "dim", wrap=True)
        made = _Card(button)
        inside = column(
            (button, Qt.AlignmentFlag.AlignTop),
            (self._takes[name], Qt.AlignmentFlag.AlignTop),
            (self._finds[name], Qt.AlignmentFlag.AlignTop),
            on=made,
            margins=(14, 10, 14, 12),
        )
        # Beside its words a button does not take a click: the card does.
        inside.setAlignment(button, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        inside.addStretch(1)
        return made
