"""Timeline: etimes over time, and on the same axis what server and disks did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QStyle,
    QWidget,
)

from ldap_workbench.figures.timeline.minimap import minimap_of
from ldap_workbench.figures.timeline.view import SOURCE_COLUMNS, Timeline, note_near, source_rows
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.minimap import MinimapView
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, link_button, push_button
from ldap_workbench.gui.parts.widgets.fields import WindowPicker
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.timeline.asking import TimelineQueries
from ldap_workbench.gui.screens.timeline.axis import TimeAxis
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.window import MARK, Mark
from ldap_workbench.session.conditions import Condition, parse_conditions, words_of
from ldap_workbench.session.notes import change_mark, may_note


class FilterBar(QFrame):
    """One line; hidden while there is no filter. At first all operations are shown.

    *Signals:* changed(), operationsWanted(OperationFilter)
    """

    changed = Signal()
    operationsWanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "band")
        self._which: OperationFilter | None = None
        self.only = QCheckBox(self.tr("Only the operations of the findin&g"))
        set_tip(self.only, self.tr("The heat map and its concurrency show no other operations"))
        self.only.toggled.connect(self.changed)
        self._count = label("", "dim")
        self.listed = link_button(self.tr("Show operations"), on_click=self._on_listed)
        row(self.only, (self._count, 1), self.listed, on=self, margins=(14, 4, 12, 4))
        self.hide()

    def set_filter(self, which: OperationFilter | None) -> None:
        """Offer this filter, or none; it is not applied yet."""
        self._which = which
        self.only.blockSignals(True)
        self.only.setChecked(False)
        self.only.blockSignals(False)
        self.setVisible(which is not None)
        count = count_of("{n} operation", "{n} operations", n=which.count) if which else NOTHING
        self._count.setText(shown(count))

    def conditions(self) -> tuple[Condition, ...]:
        """What the operations shown have to meet; empty for all."""
        if self._which is None or not self.only.isChecked():
            return ()
        return parse_conditions(words_of(self._which))

    @Slot()
    def _on_listed(self) -> None:
        self.operationsWanted.emit(self._which)


_LINES = 38
"""Of text: room for a heat map with its names, two strips and the minimap."""


class _Left(NamedTuple):
    """What was looked at when the session was closed to be written."""

    path: Path
    windows: frozenset[int]
    range_s: tuple[float, float]


class TimelineScreen(SessionScreen):
    """Heat map, strips, and how complete their sources are."""

    name = "timeline"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self._look_at: tuple[float, float] | None = None
        self._strip = NOTHING
        self._left: _Left | None = None
        self._wants_focus = False
        self._windows = WindowPicker(self.tr("Windows"))
        self._windows.chosen.connect(self._ask)
        self._select = push_button(self.tr("&Use this time range everywhere"))
        set_tip(
            self._select,
            self.tr(
                "Latency and Operations show the time range that you see here. You can also drag "
                "with Shift over a chart, or press S."
            ),
        )
        for tool in (self._select, self._windows):
            self.add_tool(tool)
        self.filter_bar = FilterBar()
        self.filter_bar.changed.connect(self._on_filter)
        self.heatmap = Heatmap()
        self._asker = TimelineQueries(workbench, self.heatmap, self)
        self._asker.arrived.connect(self._on_timeline)
        self._asker.failed.connect(self._on_unread)
        self.stack = StripStack(columns=1)
        self.stack.follow(self.heatmap)
        self.stack.complete.connect(self._on_strips)
        self._make_axis()
        self._make_minimap()
        name = self.tr("Sources of the windows")
        self._sources = RowsTable(name, SOURCE_COLUMNS, keep="sources table", stretch=5)
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.selection.changed.connect(self._on_selection)

    def show_time_range(
        self,
        from_ns: int,
        to_ns: int,
        strip: Message = NOTHING,
        which: OperationFilter | None = None,
    ) -> None:
        """Look at a time range and at a strip, all windows that overlap it chosen.

        `which` finds the operations that it is about, where a filter does.
        """
        opened = self.workbench.opened
        if opened is None:
            return
        every = opened.summary.windows
        there = [w for w in every if w.start_ns < to_ns and w.end_ns > from_ns]
        self._windows.set_windows(every, there or every)
        self._look_at = (from_ns / NS_PER_S, to_ns / NS_PER_S)
        self._strip = strip
        self.filter_bar.set_filter(which)
        self._ask()

    def _make_axis(self) -> None:
        self.axis = TimeAxis(self)
        self.axis.add(self.heatmap)
        self.stack.chartMade.connect(self.axis.add)
        self.axis.selected.connect(self._on_selected)
        self.notes = TimelineNotes(self.workbench, self)
        self.axis.noted.connect(self.notes.ask)
        self.notes.writing.connect(self._on_writing)
        self._select.clicked.connect(lambda: self.axis.select_shown(self.heatmap))

    def _make_minimap(self) -> None:
        self.minimap = MinimapView()
        box = self.heatmap.plot.getViewBox()
        self.minimap.grabbed.connect(box.remember)
        self.minimap.wanted.connect(self.heatmap.plot.setXRange)
        box.sigXRangeChanged.connect(self._on_range)

    def _make_body(self) -> QWidget:
        # As wide as the strips beside their scroll bar, so that moments stand above one another.
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        upper = _beside_bar(self.heatmap, bar)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setObjectName("timeline parts")
        self.split = split
        for widget, share in ((upper, 1), (self.stack, 1)):
            split.addWidget(widget)
            split.setStretchFactor(split.count() - 1, share)
        split.setChildrenCollapsible(False)
        split.setSizes([420, 320])
        below = QWidget()
        column(self.filter_bar, (split, 1), _beside_bar(self.minimap, bar), on=below, margins=0)
        self.panes = Panes("timeline panes", below, lines=_LINES)
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        title = self.tr("Sources of the windows")
        self.panes.add("sources", title, self._sources, bottom, 16)
        return self.panes

    @Slot(object, object)
    def _on_range(self, _: object, limits: Sequence[float]) -> None:
        self.minimap.set_shown(*limits)

    @Slot(float, float)
    def _on_selected(self, from_s: float, to_s: float) -> None:
        """As far as there are windows: beside them nothing is known."""
        windows = self._windows.windows()
        if not windows:
            return
        first = max(round(from_s * NS_PER_S), min(w.start_ns for w in windows))
        last = min(round(to_s * NS_PER_S), max(w.end_ns for w in windows))
        if first < last:
            self.workbench.selection.choose(first, last)
        else:
            self._on_selection()

    @Slot()
    def _on_selection(self) -> None:
        now = self.workbench.selection.now
        self.axis.mark((now[0] / NS_PER_S, now[1] / NS_PER_S) if now else None)

    @Slot()
    def _on_filter(self) -> None:
        """Other operations, the same time range."""
        low, high = self.heatmap.plot.getViewBox().viewRange()[0]
        self._look_at = (low, high)
        self._ask()

    def _clear(self) -> None:
        opened = self.workbench.opened
        self.filter_bar.set_filter(None)
        self._asker.read_from(opened.session if opened else None)

    def _begin(self, opened: OpenSession) -> None:
        self._come_back(opened)
        self.show_reading(self.tr("Reading the timeline"))

    @Slot()
    def _on_writing(self) -> None:
        """The session will be opened again: what is seen of it stays."""
        opened = self.workbench.opened
        assert opened is not None
        low, high = self.heatmap.plot.getViewBox().viewRange()[0]
        ids = frozenset(window.id for window in self._windows.windows())
        self._left = _Left(opened.path, ids, (low, high))

    def _come_back(self, opened: OpenSession) -> None:
        """All windows of a session, or those that were looked at before it was written."""
        left, self._left = self._left, None
        every = opened.summary.windows
        back = left is not None and left.path == opened.path
        self._windows.set_windows(
            every, [w for w in every if left and w.id in left.windows] if back else every
        )
        self._look_at = left.range_s if left and back else None
        self._wants_focus = back

    @Slot()
    def _ask(self) -> None:
        opened = self.workbench.opened
        if opened is None:
            return
        self._stale = False
        windows = self._windows.windows()
        self._sources.rows.set_rows(source_rows(windows, opened.summary.sources))
        self._asker.ask(windows, self.filter_bar.conditions())

    def coming(self) -> bool:
        """Whether strips are still to be made."""
        return self.stack.coming()

    @Slot()
    def _on_strips(self) -> None:
        self.stack.show_strip(self._strip)
        self._strip = NOTHING

    @Slot(object)
    def _on_timeline(self, timeline: Timeline) -> None:
        self.heatmap.set_grid(timeline.grid)
        self.minimap.set_minimap(minimap_of(timeline.grid) if timeline.grid else None)
        self.show_body(self._body)  # after them: shown before, they would be drawn twice in a turn
        self.stack.set_strips(timeline.strips)
        self.heatmap.fit()
        if self._look_at and timeline.grid:
            self.heatmap.plot.setXRange(*self._look_at, padding=0)
        self._look_at = None
        if self._wants_focus:
            self._wants_focus = False
            self.heatmap.setFocus(Qt.FocusReason.OtherFocusReason)


def _beside_bar(chart: QWidget, bar: int) -> QWidget:
    """A chart as wide as those beside a scroll bar."""
    made = QWidget()
    row(chart, on=made, margins=(0, 0, bar, 0))
    return made


_LONGEST = 300


class MarkDialog(QDialog):
    """The note at a moment, shown only where the file is read-only; '' takes it out."""

    def __init__(self, mark: Mark, *, known: bool, writable: bool, parent: QWidget) -> None:
        super().__init__(parent)
        apply_style(self)
        moment = format_time(mark.time_ns)[:19]
        self.setWindowTitle(self.tr("Note at {time} UTC").format(time=moment))
        self._note = QLineEdit(str(mark.text))
        self._note.setMaxLength(_LONGEST)
        self._note.setReadOnly(not writable)
        named = label(self.tr("&Note at {time} UTC").format(time=moment))
        named.setBuddy(self._note)
        whole = column(named, self._note, on=self, spacing=10)
        if not writable:
            hint = self.tr("This session is read-only. Save a copy to add notes.")
            whole.addWidget(label(hint, "dim", wrap=True))
        whole.addLayout(self._buttons(known=known, writable=writable))
        self.resize(self.fontMetrics().averageCharWidth() * 60, self.sizeHint().height())

    @property
    def note(self) -> str:
        """What was written."""
        return self._note.text().strip()

    @Slot()
    def _remove(self) -> None:
        self._note.clear()
        self.accept()

    def _buttons(self, *, known: bool, writable: bool) -> QHBoxLayout:
        keep = push_button(self.tr("&Keep the note"), self.accept, primary=True)
        keep.setEnabled(writable)
        remove = push_button(self.tr("&Remove"), self._remove)
        remove.setVisible(known and writable)
        cancel = push_button(self.tr("Cancel"), self.reject)
        return button_row(remove, cancel, keep)


class TimelineNotes(QObject):
    """Asks for notes over the timeline and writes them into the open session.

    *Signals:* writing(), before the session is closed to be written
    """

    writing = Signal()

    def __init__(self, workbench: Workbench, screen: QWidget) -> None:
        super().__init__(screen)
        self._workbench, self._screen = workbench, screen

    def ask(self, second: float, shown_s: float) -> MarkDialog | None:
        """Ask for the note at a moment, or near it; does not wait. None without a session."""
        opened = self._workbench.opened
        if opened is None:
            return None
        before = note_near(opened.summary.marks, second, shown_s)
        mark = before or Mark(round(second * NS_PER_S), MARK, verbatim(""))
        writable = may_note(opened.path)
        dialog = MarkDialog(
            mark, known=before is not None, writable=writable, parent=self._screen.window()
        )
        dialog.accepted.connect(partial(self._write, dialog, before, mark))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _write(self, dialog: MarkDialog, before: Mark | None, mark: Mark) -> None:
        after = replace(mark, text=verbatim(dialog.note)) if dialog.note else None
        if after == before:
            return
        self.writing.emit()
        title = self.tr("Writing the note")
        self._workbench.rewrite_session(title, lambda path: change_mark(path, before, after))
