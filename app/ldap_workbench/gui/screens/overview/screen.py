"""Overview: the verdict or what costs most, tails and timeline small, and where to go next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QSplitter,
    QWidget,
)

from ldap_workbench.figures.overview.session_summary import SessionSummary
from ldap_workbench.figures.overview.view import (
    WorstFinding,
    WorstFindings,
    completeness_of,
    is_of_earlier_rules,
    read_grid,
    read_stalls,
    read_tails,
    read_verdict,
    read_worst,
    stored_verdict,
)
from ldap_workbench.figures.tails.curve import TailsPicture
from ldap_workbench.figures.verdict.before_after import before_after
from ldap_workbench.gui.parts.charts.account import AccountChart
from ldap_workbench.gui.parts.charts.before_after import BeforeAfterChart
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.buttons import LinkButton, link_button, push_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import LEVELS, ElidedLabel, badge, label, set_mood
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row, scroll
from ldap_workbench.gui.parts.widgets.progress import share_bar
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import NOTHING, Message, sentences
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
                Message("Reading latencies"),
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


_CHART_EM, _NARROW_EM = 16, 50
"""Least height of a row of charts, where the page scrolls in a lower window; and what is narrow."""


class OverviewScreen(Screen):
    """What a session is about, on one screen; it is where a session opens.

    *Signals:* wanted(str): "verdict", "findings", "tails", "timeline", "experiment" or "report";
    operationsWanted(str): the operations that these words find; findingWanted(str): an id
    """

    name = "overview"
    of_whole_windows = True

    wanted = Signal(str)
    operationsWanted = Signal(str)
    findingWanted = Signal(str)

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.band = VerdictBand()
        self.bars, self.time, self.worst = BeforeAfterChart(), AccountChart(), WorstCard()
        self.tails, self.heatmap = TailsChart(), Heatmap()
        self._stalls: list[Any] = []
        self._tested = NOTHING
        self._state, self._complete = badge(""), ElidedLabel("", Qt.TextElideMode.ElideRight)
        self.buttons = self._make_buttons()
        self._body = self._make_body()
        self._empty = EmptyState(
            "overview",
            self.tr("No session is open"),
            self.tr(
                "Open a session, drop logs or capture a window to see here what was slow, "
                "what it costs and what to do next."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        self.time.wanted.connect(self.operationsWanted)
        self.worst.wanted.connect(self.findingWanted)
        self.parts = OverviewParts(workbench, self)
        self.parts.came.connect(self._on_part)
        self.parts.failed.connect(workbench.fail)
        workbench.sessionChanged.connect(self._on_session)

    def shown(self) -> None:
        self.parts.look(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parts.look(False)

    def reload(self) -> None:
        self._on_session()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window one chart stands below the other: both keep room for their words."""
        super().resizeEvent(event)
        narrow = self.width() < _NARROW_EM * self.fontMetrics().height()
        upper = self.splits[0]
        upper.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        upper.setMinimumHeight(_CHART_EM * self.fontMetrics().height() * (3 if narrow else 1))

    def _make_buttons(self) -> dict[str, QPushButton]:
        words = {
            "verdict": self.tr("Read the verd&ict"),
            "findings": self.tr("Loo&k at the findings"),
            "tails": self.tr("Compare la&tencies"),
            "timeline": self.tr("Open the ti&meline"),
            "experiment": self.tr("Test a cha&nge …"),
            "report": self.tr("&Write the report"),
        }
        buttons = {}
        for name, text in words.items():
            # The first way: the verdict where there is one, else the findings.
            button = push_button(
                text,
                lambda _=False, name=name: self.wanted.emit(name),
                primary=name in ("verdict", "findings"),
            )
            buttons[name] = button
        return buttons

    def _make_body(self) -> QWidget:
        # Splitters: in a layout each chart would be as high as its words like it for its width.
        upper = QSplitter(Qt.Orientation.Horizontal)
        for widget, stretch in ((self.bars, 4), (self.time, 4), (self.worst, 4), (self.tails, 5)):
            upper.addWidget(widget)
            upper.setStretchFactor(upper.count() - 1, stretch)
        upper.setSizes(
            [400, 400, 400, 500]
        )  # else as wide as each likes: a list of titles, not at all
        split = QSplitter(Qt.Orientation.Vertical)
        for half in (upper, self.heatmap):
            half.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
            split.addWidget(half)
            split.setStretchFactor(split.count() - 1, 1)
        split.setSizes([1, 1])
        self.splits = (upper, split)
        for name, splitter in zip(("overview upper", "overview halves"), self.splits, strict=True):
            splitter.setObjectName(name)
            splitter.setChildrenCollapsible(False)
        self.area = scroll(split, framed=False)
        body = QWidget()
        sources = row(self._state, (self._complete, 1))
        foot = column(sources, flow(*self.buttons.values()), spacing=8)
        column(self.band, (self.area, 1), foot, on=body, margins=0, spacing=10)
        return body

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self.parts.start(opened)
        self._stalls = []
        self.tails.set_picture(TailsPicture())
        self.heatmap.set_grid(None)
        if opened is None:
            self.set_subtitle("")
            self.show_body(self._empty)
            return
        self.set_subtitle(shown(opened.summary.headline()))
        self._show_summary(opened.summary)
        self.show_body(self._body)
        self.parts.look(self.isVisible())

    def _show_summary(self, summary: SessionSummary) -> None:
        """What is known of a session without reading its operations."""
        verdict, experiment = stored_verdict(summary), summary.experiment
        self.band.setVisible(verdict is not None)
        self._tested = NOTHING
        if verdict and experiment:
            treatment = str(experiment.plan.treatment)
            self._tested = Message("Tested: {treatment}", treatment=treatment)
            self.band.show_line(verdict, self._tested)
        self.bars.setVisible(verdict is not None)
        self.bars.set_bars(before_after(verdict) if verdict else None)
        self.time.setVisible(verdict is None)
        self.time.set_bars(())
        self.worst.setVisible(verdict is None)
        self.worst.show_reading()
        self.buttons["verdict"].setVisible(verdict is not None)
        self.buttons["findings"].setVisible(verdict is None)
        complete = completeness_of(summary.sources, len(summary.windows))
        self._state.setText(self.tr("complete") if complete.complete else self.tr("not complete"))
        set_mood(self._state, "good" if complete.complete else "warn")
        self._complete.set_whole(shown(complete.sentence))

    @Slot(str, object)
    def _on_part(self, name: str, value: Any) -> None:
        if name == TAILS:
            self.tails.set_picture(value)
        elif name == VERDICT and value:
            self.band.show_line(value, sentences(value.warnings[0], self._tested))
            self.bars.set_bars(before_after(value))
        elif name == WORST:
            self.worst.show_worst(value)
            self.time.set_bars(value.bars)
        elif name == GRID:
            self.heatmap.set_grid(value)
        elif name == STALLS and value:
            self._stalls += value
            self.heatmap.set_stalls(self._stalls)


class WorstCard(QFrame):
    """*Signals:* wanted(id) when somebody wants to read more of a finding."""

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._heading = label(self.tr("What costs most"), "heading")
        self._words = label("", "dim", wrap=True)
        self._rows = column(spacing=4)
        self._links: list[LinkButton] = []
        column(self._heading, self._words, self._rows, Stretch(), on=self, margins=(16, 10, 16, 10))

    def show_reading(self) -> None:
        """Nothing is known yet."""
        self._fill(WorstFindings())
        self._words.setText(self.tr("Looking for causes in the open session …"))

    def show_worst(self, worst: WorstFindings) -> None:
        """These findings, the dearest first."""
        self._fill(worst)
        if not worst.lines:
            words = shown(worst.judged)
        elif worst.of > len(worst.lines):
            words = self.tr("{n} of {all} findings, in order of cost").format(
                n=len(worst.lines), all=worst.of
            )
        else:
            words = self.tr("In order of cost")
        self._words.setText(words)

    def texts(self) -> list[str]:
        """The lines as a person reads them."""
        return [link.accessibleName() for link in self._links]

    def _fill(self, worst: WorstFindings) -> None:
        self._links = []
        while (item := self._rows.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for line in worst.lines:
            self._rows.addWidget(self._row(line))

    def _row(self, line: WorstFinding) -> QWidget:
        title, cost = shown(line.title), shown(line.cost)
        link = link_button(title, title, on_click=lambda: self.wanted.emit(line.id))
        link.setAccessibleName(f"{title} {cost}".strip())
        self._links.append(link)
        mark, mood = LEVELS[line.level]
        made = QWidget()
        first = row(link, Stretch(), share_bar(line.share), badge(shown(mark), mood), spacing=10)
        whole = column(first, on=made, margins=0, spacing=0)
        if cost:
            price = ElidedLabel(cost, Qt.TextElideMode.ElideRight)
            price.setIndent(7)
            whole.addWidget(price)
        return made
