"""Choosing what to compare: any windows of any two sessions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from ldap_workbench.figures.overview.session_summary import SessionSummary
from ldap_workbench.figures.overview.sides import Side, Sides, summary_of
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.saving import asked_session
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Window

KEY = "compare"


class SidePicker(QWidget):
    """One side: a session, and windows of it.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, workbench: Workbench, words: tuple[str, str, str], path: Path | None):
        super().__init__()
        self._workbench = workbench
        self._windows: dict[int, Window] = {}
        self._sessions = ComboBox()
        self._list = QListWidget()
        self._list.setAccessibleName(words[1])
        self._list.itemChanged.connect(self.changed)
        browse = push_button(words[2], self._on_browse)
        named = label(words[0])
        named.setBuddy(self._sessions)
        column(named, self._sessions, self._list, browse, on=self, margins=0)
        self._offer(path)
        self._sessions.currentIndexChanged.connect(self._look)
        self._look()

    def side(self) -> Side | None:
        """What is chosen; None while that is not one window at least."""
        items = [self._list.item(row) for row in range(self._list.count())]
        ticked = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        chosen = tuple(self._windows[item.data(Qt.ItemDataRole.UserRole)] for item in ticked)
        path = self._sessions.currentData()
        return Side(path, chosen) if path and chosen else None

    def choose_file(self, path: Path) -> None:
        """Take a session file, offered or not."""
        row = self._sessions.findData(path)
        if row < 0:
            self._sessions.insertItem(0, path.name, path)
            row = 0
        self._sessions.setCurrentIndex(row)

    def _offer(self, first: Path | None) -> None:
        recent = self._workbench.settings.recent
        for path in dict.fromkeys([*([first] if first else []), *recent]):
            self._sessions.addItem(path.name, path)

    @Slot()
    def _on_browse(self) -> None:
        if path := asked_session(self, self._workbench.settings.folder):
            self.choose_file(path)

    @Slot()
    def _look(self) -> None:
        """Read which windows the session has."""
        self._list.clear()
        self.changed.emit()
        if path := self._sessions.currentData():
            title = self.tr("Reading {name}").format(name=path.name)
            self._workbench.start(KEY, title, lambda _, __: summary_of(path), self._on_summary)

    @Slot(object)
    def _on_summary(self, summary: SessionSummary) -> None:
        if summary.path != self._sessions.currentData():
            return  # another one was chosen meanwhile
        self._windows = {window.id: window for window in summary.windows}
        self._list.clear()
        for window in summary.windows:
            self._list.addItem(_item(window))
        if len(summary.windows) == 1:
            self._list.item(0).setCheckState(Qt.CheckState.Checked)
        self.changed.emit()


class CompareDialog(QDialog):
    """Two sides next to one another.

    *Signals:* chosen(Side a, Side b)
    """

    chosen = Signal(object, object)

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Compare windows"))
        path = workbench.opened.path if workbench.opened else None
        words_a = self.tr("Session of &A"), self.tr("Windows of A"), self.tr("&File for A …")
        words_b = self.tr("Session of &B"), self.tr("Windows of B"), self.tr("Fi&le for B …")
        self.a, self.b = (SidePicker(workbench, words, path) for words in (words_a, words_b))
        for side in (self.a, self.b):
            side.changed.connect(self._on_changed)
        sides = row(self.a, self.b, spacing=16)
        hint = self.tr(
            "Not randomised: indicative only. What else differed between these "
            "windows is not known."
        )
        column((sides, 1), label(hint, "dim", wrap=True), self._buttons(), on=self, spacing=10)
        self.resize(self.fontMetrics().averageCharWidth() * 108, self.fontMetrics().height() * 26)
        self._on_changed()

    def accept(self) -> None:
        a, b = self.a.side(), self.b.side()
        if a and b:
            self.chosen.emit(a, b)
            super().accept()

    def _buttons(self) -> QHBoxLayout:
        self.go = push_button(self.tr("&Compare"), self.accept, primary=True)
        self.go.setDefault(True)
        cancel = push_button(self.tr("Cancel"), self.reject)
        return button_row(cancel, self.go)

    @Slot()
    def _on_changed(self) -> None:
        self.go.setEnabled(self.a.side() is not None and self.b.side() is not None)


def _item(window: Window) -> QListWidgetItem:
    arm = f", {window.arm}" if window.arm else ""
    words = f"{window.name}{arm}   {format_time(window.start_ns)[:19]} UTC, {window.seconds:.0f} s"
    item = QListWidgetItem(words)
    item.setData(Qt.ItemDataRole.UserRole, window.id)
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Unchecked)
    return item


class Comparison(QObject):
    """At most one pair of sessions beside the open one; used in the thread of KEY only.

    *Signals:* began(), ended()
    """

    began = Signal()
    ended = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._parent = parent
        self._wanted: tuple[Side, Side] | None = None
        self.sides: Sides | None = None
        self.band = Band()
        back = push_button(self.tr("Bac&k to the open session"), self.end)
        self.band.add_button(back)
        self.band.hide()

    @Slot()
    def ask(self) -> CompareDialog:
        """Let the operator choose; does not wait for it."""
        dialog = CompareDialog(self._workbench, self._parent)
        dialog.chosen.connect(self.begin)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    @Slot(object, object)
    def begin(self, a: Side, b: Side) -> None:
        """Open both sides in place of those before."""
        self._close()
        self._wanted = a, b
        title = self.tr("Opening {a} and {b}").format(a=a.path.name, b=b.path.name)
        self._workbench.start(KEY, title, lambda _, __: Sides.open(a.path, b.path), self._on_open)

    @Slot()
    def end(self) -> None:
        """Look at the open session again."""
        self._wanted = None
        if self.sides:
            self._close()
            self._workbench.runner.forget(KEY)
            self.band.hide()
            self.ended.emit()

    def wanted(self) -> tuple[Side, Side]:
        """The sides that were chosen; while `sides` are there."""
        assert self._wanted is not None
        return self._wanted

    @Slot(object)
    def _on_open(self, sides: Sides) -> None:
        if self._wanted is None or sides.paths != tuple(side.path for side in self._wanted):
            self._let_go(sides)  # others were chosen meanwhile
            return
        self.sides = sides
        a, b = sides.paths
        words = self.tr("A: {a} · B: {b}").format(a=a.name, b=b.name)
        about = [f"{arm}: {shown(summary.headline())}" for arm, summary in sides.summaries.items()]
        self.band.say(words, "\n".join(about))
        self.band.show()
        self.began.emit()

    def _close(self) -> None:
        if sides := self.sides:
            self.sides = None
            self._let_go(sides)

    def _let_go(self, sides: Sides) -> None:
        title = self.tr("Closing two sessions")
        self._workbench.runner.start(KEY, title, lambda _, __: sides.close())
