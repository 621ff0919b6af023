"""The four steps of an experiment: which page is seen, and which others can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.pages import Pages

CHANGE, DESIGN, RUN, VERDICT = range(4)


class StepBar(QWidget):
    """The steps across the top: where you are, and where you may go.

    *Signals:* wanted(int)
    """

    wanted = Signal(int)

    def __init__(self, titles: tuple[str, ...]) -> None:
        super().__init__()
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


@dataclass(frozen=True)
class Situation:
    """What there is to go on with."""

    running: bool
    connected: bool
    read_only: bool
    planned: bool
    """A change is chosen and checked."""
    complete: bool
    """The fields of the design make a plan of it."""
    stored: bool
    """The session has an experiment whose plan can be read."""
    has_run: bool
    judged: bool

    def reachable(self) -> set[int]:
        """The steps that make sense now."""
        steps = set()
        if self.connected and not self.running:
            steps.add(CHANGE)
        if (self.planned or self.stored) and not self.running:
            steps.add(DESIGN)
        if self.running or self.has_run:
            steps.add(RUN)
        if self.judged:
            steps.add(VERDICT)
        return steps


class Stepper(QWidget):
    """A bar of the steps, their pages, and a footer with the way on.

    *Signals:* wanted(a step), startWanted()
    """

    wanted = Signal(int)
    startWanted = Signal()

    def __init__(self, pages: Sequence[QWidget]) -> None:
        super().__init__()
        self.bar = StepBar(
            (
                self.tr("Change"),
                self.tr("Design"),
                self.tr("Run"),
                self.tr("Verdict"),
            )
        )
        self.bar.wanted.connect(self.wanted)
        self.pages = Pages()
        for page in pages:
            self.pages.add(page)
        self.footer = Footer()
        self.footer.back.clicked.connect(lambda: self.wanted.emit(self.step() - 1))
        self.footer.onward.clicked.connect(lambda: self.wanted.emit(self.step() + 1))
        self.footer.start.clicked.connect(self.startWanted)
        column(self.bar, (self.pages, 1), self.footer, on=self, margins=0, spacing=12)

    def step(self) -> int:
        """The step that is seen."""
        return self.pages.currentIndex()

    def in_sight(self) -> tuple[QWidget, ...]:
        """What is seen: the page of the step and what is around it."""
        around = (self.bar, self.footer, self.pages.verticalScrollBar())
        page = self.pages.currentWidget()
        return (*around, page) if page else around

    def show_step(self, step: int) -> None:
        """Show the page of a step."""
        self.pages.show_number(step)

    def follow(self, now: Situation) -> None:
        """Enable what makes sense, and say what is missing for the rest."""
        step, reachable = self.step(), now.reachable()
        self.bar.show_step(step, reachable | {step})
        self.footer.show_step(step, reachable, planned=now.planned)
        self.footer.start.setEnabled(now.planned and now.complete and not now.read_only)
        self.footer.set_hint(
            connected=now.running or now.connected,
            read_only=now.read_only,
            planned=now.planned,
            designing=step == DESIGN,
        )


class Footer(QWidget):
    """Three buttons at the right, and at the left what is missing before one of them works."""

    def __init__(self) -> None:
        super().__init__()
        self.why = label("", "dim", wrap=True)
        self.back = push_button(self.tr("Back"))
        self.back.setShortcut("Alt+Left")
        self.onward = push_button(self.tr("&Next: design"), primary=True)
        self.start = push_button(self.tr("Sta&rt …"), primary=True)
        row((self.why, 1), self.back, self.onward, self.start, on=self, margins=0)

    def show_step(self, step: int, reachable: set[int], *, planned: bool) -> None:
        """The buttons of a step; none while it runs and when it is judged."""
        self.back.setVisible(step == DESIGN)
        self.back.setEnabled(CHANGE in reachable)
        self.onward.setVisible(step == CHANGE)
        self.onward.setEnabled(planned)
        self.start.setVisible(step == DESIGN)
        # Last: every button that appears in what is seen has the whole page laid out again.
        self.setVisible(step in (CHANGE, DESIGN))

    def set_hint(self, *, connected: bool, read_only: bool, planned: bool, designing: bool) -> None:
        """Say what is missing, the first thing first; nothing where nothing is."""
        hint = ""
        if not connected:
            hint = self.tr("Connect to a server to continue (Server menu or Home).")
        elif designing and read_only:
            hint = self.tr("Read-only mode is on. Turn it off in the Server menu.")
        elif designing and not planned:
            hint = self.tr("Choose the change first, one step back.")
        self.why.setText(hint)
