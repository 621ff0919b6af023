"""Whose operations a verdict is about: kinds of operation first, then all, then types."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSizePolicy

from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.experiment.kinds_offered import frequent_kinds
from ldap_workbench.figures.forms.experiment import KINDS
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import set_tip
from ldap_workbench.gui.workbench.jobs import Work
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.session.reader import Session

_REST_MS = 400
"""Somebody who types the path of a baseline has ended."""


class KindChoice(ComboBox):
    """A list that is read again from the baseline, else from the open session, once it is seen.

    What is chosen stays chosen, whatever else is offered.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._advised = ""
        self._frequent: tuple[OperationKind, ...] = ()
        self._baseline: Path | None = None
        self._read: Path | None = None
        """Of which file the kinds are, or are being read."""
        self._rest = single_shot(self, self._read_kinds, _REST_MS)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.currentTextChanged.connect(self._on_text)
        workbench.sessionChanged.connect(self._read_soon)
        self._offer(ALL)

    def kind(self) -> str:
        """ALL, a type, or a kind as plans write it."""
        return str(self.currentData())

    def choose(self, kind: str) -> None:
        """One that is not offered is added: a plan must not come to rest on another."""
        before = self.kind()
        self._offer(kind)
        if kind != before:
            self.currentIndexChanged.emit(self.currentIndex())

    def advise(self, kind: str) -> None:
        """Choose what a finding is about, and offer it before all else if it is a kind."""
        self._advised = kind if OperationKind.parse(kind) else ""
        self.choose(kind)

    def set_baseline(self, path: Path | None) -> None:
        """Offer the kinds of this session; without one those of the session that is open."""
        if path != self._baseline:
            self._baseline = path
            self._read_soon()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read_soon()

    @Slot()
    def _read_soon(self) -> None:
        """A list that nobody sees reads nothing."""
        if self.isVisible():
            self._rest.start()

    @Slot()
    def _read_kinds(self) -> None:
        opened, baseline = self._workbench.opened, self._baseline
        path = baseline or (opened.path if opened else None)
        if path == self._read:
            return
        self._read = path
        if baseline is not None:
            self._start("kinds of operations", lambda *_: _kinds_of(baseline))
        elif opened is not None:
            session, of = opened.session, opened.path
            self._start(opened.key, lambda *_: (of, frequent_kinds(session)))
        else:
            self._take(())

    def _start(self, key: str, work: Work) -> None:
        title = self.tr("Listing kinds of operations")
        self._workbench.runner.start(
            key, title, work, on_done=self._on_kinds, on_failed=self._on_failed
        )

    @Slot(object)
    def _on_kinds(self, answer: tuple[Path, tuple[OperationKind, ...]]) -> None:
        path, kinds = answer
        if path == self._read:
            self._take(kinds)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._take(())
        reason = in_our_words(error).explanation
        failure = Message("The kinds of operations cannot be listed: {error}", error=reason)
        set_tip(self, shown(failure))

    def _take(self, kinds: tuple[OperationKind, ...]) -> None:
        self._frequent = kinds
        self._offer(self.kind())

    def _offer(self, chosen: str) -> None:
        """Fill the list, with nobody told: what is chosen is what was."""
        names = {kind: _name(kind) for kind in filter(None, (self._advised,))}
        names |= {str(kind): kind.name for kind in self._frequent}
        names |= KINDS
        if chosen not in names:
            names = {chosen: _name(chosen)} | names
        blocker = QSignalBlocker(self)
        self.clear()
        for place, (kind, name) in enumerate(names.items()):
            self.addItem(shown(name), kind)
            self.setItemData(place, shown(name), Qt.ItemDataRole.AccessibleTextRole)
        self.setCurrentIndex(self.findData(chosen))
        blocker.unblock()
        self._on_text(self.currentText())

    @Slot(str)
    def _on_text(self, text: str) -> None:
        """A filter may be longer than the field."""
        set_tip(self, text)


def _name(kind: str) -> Message:
    parsed = OperationKind.parse(kind)
    return parsed.name if parsed else KINDS.get(kind) or verbatim(kind)


def _kinds_of(path: Path) -> tuple[Path, tuple[OperationKind, ...]]:
    with Session.open(path) as session:
        return path, frequent_kinds(session)
