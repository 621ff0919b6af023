"""What a campaign is to try, in its order: by hand, from advice, or levels of one knob."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from ldap_workbench.campaign.plan import Candidate
from ldap_workbench.campaign.queue import advised, levels, named
from ldap_workbench.figures.verdict.campaign_view import QUEUE
from ldap_workbench.gui.parts.widgets.bands import anywhere
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.knob_entry import KnobEntry
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.state import Workbench

_ROWS = 7


class QueueCard(QFrame):
    """Every candidate is checked against the server before it is in the table.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._workbench = workbench
        self.candidates: tuple[Candidate, ...] = ()
        self.table = RowsTable(self.tr("Queue of the campaign"), QUEUE, stretch=0)
        self._make_fields()
        self._lay_out()
        self._show(0)

    def is_ladder(self) -> bool:
        """Whether the candidates are levels of one knob."""
        return self.ladder.isChecked()

    def set_knobs(self, names: Sequence[str]) -> None:
        """Offer these knobs."""
        self.entry.set_knobs(names)

    def clear(self) -> None:
        """Nothing is to be tried any more."""
        self._put(())

    def add(self, text: str) -> None:
        """Add 'KNOB=VALUE', a group joined by +, or the levels of a ladder: KNOB=V,V,..."""
        if self.is_ladder():
            self._ask(lambda c: levels(c.target, c.tuner, text))
        else:
            self._ask(lambda c: [named(c.target, c.tuner, text)])

    def add_advice(self, session: Path) -> None:
        """Add what the advice of a session can try."""
        self._ask(lambda c: advised(c.target, c.tuner, session))

    def _ask(self, work: Callable[[Connection], list[Candidate]]) -> None:
        self._workbench.ask_server(
            self.tr("Checking the treatments"),
            lambda c, _, __: work(c),
            on_done=self._on_candidates,
        )

    @Slot(object)
    def _on_candidates(self, candidates: list[Candidate]) -> None:
        known = {str(candidate.treatment) for candidate in self.candidates}
        new = [candidate for candidate in candidates if str(candidate.treatment) not in known]
        if not new:
            self._workbench.show_status(self.tr("Nothing new: the queue has it already."))
        self._put((*self.candidates, *new))

    def _put(self, candidates: Sequence[Candidate], chosen: int = 0) -> None:
        self.candidates = tuple(candidates)
        self._show(chosen)
        self.changed.emit()

    def _show(self, chosen: int) -> None:
        self.table.rows.set_rows(self.candidates)
        self.table.fit_height(_ROWS)
        self.table.setVisible(bool(self.candidates))
        self._nothing.setVisible(not self.candidates)
        if self.candidates:
            self.table.selectRow(min(chosen, len(self.candidates) - 1))
        for button in (self._up, self._down, self._remove):
            button.setEnabled(bool(self.candidates))

    @Slot()
    def _on_advice(self) -> None:
        if opened := self._workbench.opened:
            self.add_advice(opened.path)
        else:
            self._workbench.show_status(self.tr("Open a session of this server first."))

    @Slot()
    def _on_ladder(self) -> None:
        """Levels and treatments do not mix."""
        placeholder = self.tr("4, 8, 16, 32") if self.is_ladder() else self.tr("512 MiB, 60, on …")
        self.entry.value.setPlaceholderText(placeholder)
        self.advice.setEnabled(not self.is_ladder())
        self.clear()

    def _move(self, by: int) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row + by < len(self.candidates) and row >= 0:
            moved = list(self.candidates)
            moved[row], moved[row + by] = moved[row + by], moved[row]
            self._put(moved, row + by)

    @Slot()
    def _on_remove(self) -> None:
        row = self.table.currentIndex().row()
        if row >= 0:
            self._put((*self.candidates[:row], *self.candidates[row + 1 :]), row)

    def _make_fields(self) -> None:
        self.entry = KnobEntry(self.tr("Val&ue"))
        self.entry.added.connect(lambda knob, value: self.add(f"{knob}={value}"))
        self.advice = push_button(self.tr("Add the advice of the o&pen session"))
        self.advice.clicked.connect(self._on_advice)
        self.ladder = QCheckBox(self.tr("&Levels of one knob (4 to 6 values)"))
        self.ladder.toggled.connect(self._on_ladder)
        self._up = anywhere(self.tr("Move up"), "Alt+Up")
        self._up.clicked.connect(lambda: self._move(-1))
        self._down = anywhere(self.tr("Move down"), "Alt+Down")
        self._down.clicked.connect(lambda: self._move(1))
        self._remove = anywhere(self.tr("Remove"), "Alt+Del")
        self._remove.clicked.connect(self._on_remove)

    def _lay_out(self) -> None:
        self._nothing = label(
            self.tr(
                "Add treatments in the order in which to try them. Each is tested alone; an "
                "improvement is kept and becomes the baseline of the next."
            ),
            "dim",
            wrap=True,
        )
        tools = QWidget()
        flow(self.advice, self._up, self._down, self._remove, self.ladder, on=tools)
        column(
            label(self.tr("What is tried"), "heading"),
            self.entry,
            self._nothing,
            self.table,
            tools,
            on=self,
            margins=(14, 10, 14, 12),
        )
