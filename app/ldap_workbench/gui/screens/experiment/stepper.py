"""The four steps of an experiment: which page is seen, and which others can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.pages import Pages
from ldap_workbench.gui.screens.experiment.footer import Footer
from ldap_workbench.gui.screens.experiment.steps import CHANGE, DESIGN, RUN, VERDICT, StepBar


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

    def __init__(self, pages: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
