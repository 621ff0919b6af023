"""The parts of an overview, read one after the other while somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.figures.overview.view import (
    is_of_earlier_rules,
    read_grid,
    read_stalls,
    read_tails,
    read_verdict,
    read_worst,
    stored_verdict,
)
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.reader import Session

TAILS, GRID, STALLS, WORST, VERDICT = "tails", "grid", "stalls", "worst", "verdict"


class _Part(NamedTuple):
    name: str
    title: Message
    read: Callable[[Session], Any]


class OverviewParts(QObject):
    """Asks for a part when the one before has come: whoever goes on waits for one at most.

    *Signals:* came(name, what was read), failed(Exception)
    """

    came = Signal(str, object)
    failed = Signal(object)

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._opened: OpenSession | None = None
        self._wanted: list[_Part] = []
        self._at_work = False
        self._looked_at = False

    def start(self, opened: OpenSession | None) -> None:
        """Forget what was asked for, and list the parts of this session."""
        self._opened = opened
        self._at_work = False
        self._wanted = self._parts(opened) if opened else []

    def look(self, wanted: bool) -> None:
        """Somebody looks at the overview, or no longer."""
        self._looked_at = wanted
        self._next()

    def _parts(self, opened: OpenSession) -> list[_Part]:
        summary = opened.summary
        if not summary.windows:
            return []
        slo_ns = round(self._workbench.settings.slo_ms * NS_PER_S / 1000)
        parts = [
            _Part(
                TAILS,
                Message("Reading the tails"),
                partial(read_tails, summary=summary, slo_ns=slo_ns),
            ),
            _Part(GRID, Message("Reading the timeline"), partial(read_grid, summary=summary)),
        ]
        if stored_verdict(summary) is None:
            parts.insert(1, _Part(WORST, Message("Looking for causes"), read_worst))
        elif is_of_earlier_rules(summary):
            title = Message("Judging the experiment by today's rules")
            parts.insert(1, _Part(VERDICT, title, partial(read_verdict, summary=summary)))
        parts += [
            _Part(STALLS, Message("Looking for stalls"), partial(read_stalls, windows=(window,)))
            for window in summary.windows
        ]
        return parts

    def _next(self) -> None:
        if self._at_work or not self._looked_at or not self._wanted:
            return
        part, opened = self._wanted[0], self._opened
        self._at_work = True
        self._workbench.ask_session(
            shown(part.title),
            lambda session: (opened, part.name, part.read(session)),
            self._on_part,
            self._on_failed,
            view=True,
        )

    @Slot(object)
    def _on_part(self, answer: tuple[OpenSession, str, Any]) -> None:
        opened, name, value = answer
        if opened is not self._opened:
            return
        self._at_work = False
        self._wanted.pop(0)
        self.came.emit(name, value)
        self._next()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._wanted, self._at_work = [], False
        self.failed.emit(error)
