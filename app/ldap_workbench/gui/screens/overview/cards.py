"""A card for each finding, with ways to its evidence; a chain of events with its time line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QGuiApplication, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.overview.findings import (
    CONFIDENCES,
    Share,
    cost_of,
    span_of_links,
    span_to_show,
    spans_of,
    strip_title,
)
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import link_button, set_primary
from ldap_workbench.gui.parts.widgets.labels import (
    LEVELS,
    RISK_BADGES,
    ElidedLabel,
    badge,
    label,
    set_tip,
)
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.gui.parts.widgets.progress import share_bar
from ldap_workbench.model.finding import Advice, Evidence, Finding, FindingGroup, Link
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Span

_SHOWN = 3

_NOT_SEEN = Message("not seen")
_WIDTH, _HEIGHT, _SMALL = 150, 18, 80
"""Pixels of the time of a chain, and of the small picture in a row."""
_ALWAYS = 0.9
"""Share of the whole time from which a picture of when it was says nothing."""
_THIN = 3.0
"""A moment is drawn this wide, else nobody would see it."""

Ways = Callable[[Link], QWidget | None]
"""Makes the links that lead from one link of the chain to its evidence."""


class FindingCard(QFrame):
    """A row with its share of the time and one line; expanded, all that was seen.

    Each piece of evidence leads to its moment, its strip and its operations. Below it what it
    costs, how sure it is, what would disprove it, what the clients' owner can do, and the other
    findings of the same group. Evidence without a time of its own leads to `whole`, the windows
    the finding is about. `level` is a key of LEVELS, `share` its part of the time. Its first button
    tests `advice`, the best that rests on it and can be tried.

    *Signals:* momentWanted(from_ns, to_ns, title of a strip or NOTHING, filter or None),
    operationsWanted(OperationFilter), adviceWanted(Advice)
    """

    momentWanted = Signal(object, object, object, object)
    operationsWanted = Signal(object)
    adviceWanted = Signal(object)

    def __init__(
        self,
        group: FindingGroup,
        whole: Span | None = None,
        *,
        level: int = 1,
        share: Share | None = None,
        advice: Advice | None = None,
    ) -> None:
        super().__init__()
        self._whole = whole
        self.test = TestButton(self.tr("Test …"), advice, self.adviceWanted) if advice else None
        self._pressed = False
        self.setProperty("role", "card")
        finding = group.lead
        self.title = title = shown(finding.title)
        sentence = shown(finding.sentence)
        self.setAccessibleName(f"{title} {sentence}")
        self.arrow = QToolButton()
        self.arrow.setCheckable(True)
        self.arrow.setAutoRaise(True)
        self.arrow.setFixedWidth(2 * self.fontMetrics().height() - 4)
        self.arrow.toggled.connect(self._on_arrow)
        mark, mood = LEVELS[level]
        top = row(
            self.arrow,
            (label(title, "heading", wrap=True), 1),
            *self._time_bar(group),
            share_bar(share),
            (badge(shown(mark), mood), Qt.AlignmentFlag.AlignVCenter),
            *([self.test] if self.test else []),
            spacing=10,
        )
        self._line = ElidedLabel(sentence, Qt.TextElideMode.ElideRight)
        indent = self.arrow.width() + 10
        self._line.setIndent(indent)
        self.details = QWidget()
        inside = column(on=self.details, margins=(indent, 0, 0, 4), spacing=6)
        self._add(inside, finding)
        for other in group.others:
            inside.addSpacing(6)
            inside.addWidget(label(shown(other.title), "strip", wrap=True))
            self._add(inside, other)
        column(top, self._line, self.details, on=self, margins=(10, 8, 16, 8), spacing=4)
        self._on_arrow(False)

    def _time_bar(self, group: FindingGroup) -> Iterator[TimeBar]:
        """A small picture of when it was, where it was at some times only."""
        spans = spans_of(group)
        if self._whole is None or not spans:
            return
        start, end = spans[0][0], max(end for _, end in spans)
        if end - start < _ALWAYS * (self._whole[1] - self._whole[0]):
            first, last = (format_time(moment)[11:19] for moment in (start, end))
            yield TimeBar(spans, self._whole, f"{first} – {last} UTC", _SMALL)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the press, or there is no release; the second of a double click comes to no one."""
        self._pressed = event.button() is Qt.MouseButton.LeftButton

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed = False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The arrow is small: a click anywhere on the row does the same."""
        pressed, self._pressed = self._pressed, False
        on_row = event.position().y() < self.details.y() or self.details.isHidden()
        if pressed and on_row and self.rect().contains(event.position().toPoint()):
            self.arrow.toggle()

    def _on_arrow(self, expanded: bool) -> None:
        self.details.setVisible(expanded)
        self._line.setVisible(not expanded)
        arrows = Qt.ArrowType
        self.arrow.setArrowType(arrows.DownArrow if expanded else arrows.RightArrow)
        words = self.tr("Collapse") if expanded else self.tr("Expand")
        set_tip(self.arrow, words)
        self.arrow.setAccessibleName(f"{words}: {self.accessibleName()}")

    def _add(self, inside: QVBoxLayout, finding: Finding) -> None:
        """One finding of the group, without its title."""
        inside.addWidget(label(shown(finding.sentence), wrap=True))
        beside = cost_of(finding), CONFIDENCES[finding.confidence]
        inside.addWidget(label(" ".join(shown(text) for text in beside if text), wrap=True))
        self._add_evidence(inside, finding)
        if finding.disproof:
            disproof = Message("What would rule this out: {disproof}", disproof=finding.disproof)
            inside.addWidget(label(shown(disproof), "dim", wrap=True))
        if finding.owner_steps:
            steps = [f"{n}. {shown(step)}" for n, step in enumerate(finding.owner_steps, start=1)]
            words = [self.tr("For the owner of the clients:"), *steps]
            inside.addWidget(label("\n".join(words), wrap=True))

    def _add_evidence(self, inside: QVBoxLayout, finding: Finding) -> None:
        if links := [link for link in finding.evidence if isinstance(link, Link)]:
            inside.addLayout(_chain_rows(links, self._ways_of))
            return
        for evidence in finding.evidence[:_SHOWN]:
            inside.addLayout(self._evidence(evidence))
        if (more := len(finding.evidence) - _SHOWN) > 0:
            inside.addWidget(label(self.tr("and {n} more like these").format(n=more), "dim"))

    def _ways_of(self, link: Link) -> QWidget | None:
        """The ways of one link in a row; None where it was not seen."""
        if link.start_ns is None:
            return None
        ways = QWidget()
        self._add_ways(row(on=ways, margins=0), link, shown(link.text))
        return ways

    def _evidence(self, evidence: Evidence) -> QHBoxLayout:
        when = f"{format_time(evidence.start_ns)[11:19]} UTC  " if evidence.start_ns else ""
        text = f"{when}{shown(evidence.text)}"
        line = row((label(text, "dim", wrap=True), 1))
        self._add_ways(line, evidence, text)
        return line

    def _add_ways(self, line: QHBoxLayout, evidence: Evidence, text: str) -> None:
        if (there := span_to_show(evidence, self._whole)) is None:
            return
        strip = strip_title(evidence.series)
        show_when = partial(self.momentWanted.emit, *there, strip, evidence.which)
        ways = [(self.tr("Show when"), show_when)]
        if evidence.which is not None:
            go_there = partial(self.operationsWanted.emit, evidence.which)
            ways.append((self.tr("Show operations"), go_there))
        for words, go in ways:
            link = link_button(words, f"{words}: {text}", on_click=lambda _=False, go=go: go())
            link.setAccessibleName(link.toolTip())
            line.addWidget(link)


def card_column(card: QFrame, title: str, mark: Message, mood: str) -> QVBoxLayout:
    """The column of a card: its title with a mark beside it; the rest is added below."""
    level = badge(shown(mark), mood), Qt.AlignmentFlag.AlignVCenter
    top = row((label(title, "heading", wrap=True), 1), level)
    return column(top, on=card, margins=(16, 12, 16, 12), spacing=6)


class TimeBar(QWidget):
    """When something was, within a longer time; an empty outline where nobody saw it."""

    def __init__(self, spans: Sequence[Span], whole: Span, words: str, width: int = _WIDTH) -> None:
        super().__init__()
        self._spans, self._whole = spans, whole
        self.setFixedSize(QSize(width, _HEIGHT))
        self.setAccessibleName(words)
        set_tip(self, words)

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self.palette().mid().color()
        painter.setPen(QPen(line, 1, Qt.PenStyle.DotLine))
        painter.drawLine(0, _HEIGHT // 2, self.width(), _HEIGHT // 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().highlight())
        for bar in self.bars():
            painter.drawRoundedRect(bar, 3, 3)

    def bars(self) -> list[QRectF]:
        """Where they are drawn."""
        first, last = self._whole
        room = self.width()
        scale = room / max(last - first, 1)
        bars = []
        for start, end in self._spans:
            left = min(max((start - first) * scale, 0.0), room - _THIN)
            wide = max((end - start) * scale, _THIN)
            bars.append(QRectF(left, 3, min(wide, room - left), _HEIGHT - 6))
        return bars


class LinkBar(TimeBar):
    """When a link was, within the time of the whole chain."""

    def __init__(self, link: Link, whole: Span) -> None:
        spans = []
        if link.start_ns is not None and link.end_ns is not None:
            spans.append((link.start_ns, link.end_ns))
        super().__init__(spans, whole, _describe_time(link) or shown(_NOT_SEEN))


def _chain_rows(links: Sequence[Link], ways: Ways) -> QGridLayout:
    """Time, link, bar, what is seen and the ways to it: one row a link."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(3, 1)
    whole = span_of_links(links)
    top = Qt.AlignmentFlag.AlignTop
    for place, link in enumerate(links):
        grid.addWidget(label(_describe_time(link) or shown(_NOT_SEEN), "dim"), place, 0, top)
        grid.addWidget(label(shown(link.link), "strip"), place, 1, top)
        if whole is not None:
            grid.addWidget(LinkBar(link, whole), place, 2, top)
        source = f"{shown(link.source)}: " if link.source else ""
        grid.addWidget(label(f"{source}{shown(link.text)}", "dim", wrap=True), place, 3, top)
        if (there := ways(link)) is not None:
            grid.addWidget(there, place, 4, top | Qt.AlignmentFlag.AlignRight)
    return grid


def _describe_time(link: Link) -> str:
    """'16:22:06 – 16:22:56 UTC'; '' where its time is not known."""
    if link.start_ns is None:
        return ""
    start = format_time(link.start_ns)[11:19]
    end = format_time(link.end_ns)[11:19] if link.end_ns else start
    return f"{start} UTC" if start == end else f"{start} – {end} UTC"


class TestButton(QPushButton):
    """Plans an experiment with a piece of advice; emits the advice by `wanted`."""

    def __init__(self, text: str, advice: Advice, wanted: SignalInstance) -> None:
        super().__init__(text)
        self.setAutoDefault(False)
        self.advice = advice
        self.setAccessibleName(
            self.tr("Test this change: {treatment}").format(treatment=advice.treatment)
        )
        self.clicked.connect(lambda: wanted.emit(advice))
        self.set_server(True, NOTHING)

    def set_server(self, may: bool, whose: Message) -> None:
        """Whether it may be tried on the connected server, and which that is."""
        about = self.tr("Plan an experiment with {treatment}; nothing is changed yet.")
        self.setEnabled(may)
        set_tip(self, f"{about.format(treatment=self.advice.treatment)} {shown(whose)}".strip())


class AdviceCard(QFrame):
    """What is worth one experiment; without a setting, what a person would do.

    `evidence` are the titles of the findings it rests on.

    *Signals:* adviceWanted(Advice)
    """

    adviceWanted = Signal(object)

    def __init__(self, advice: Advice, evidence: Sequence[Message] = ()) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.advice = advice
        self.test: TestButton | None = None
        title = shown(advice.title)
        self.setAccessibleName(f"{title} {shown(advice.why)}")
        column = card_column(self, title, *RISK_BADGES[advice.risk_level])
        column.addLayout(self._grid(evidence))
        buttons: list[QPushButton] = []
        if advice.treatment.settings:
            self.test = TestButton(self.tr("Test this change …"), advice, self.adviceWanted)
            set_primary(self.test, True)
            buttons.append(self.test)
        if advice.steps:
            self.copy = link_button(self.tr("Copy the steps"), on_click=self._copy_steps)
            buttons.append(self.copy)
        column.addLayout(row(*buttons, Stretch()))

    def _grid(self, evidence: Sequence[Message]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for place, (name, text) in enumerate(self._rows(evidence)):
            grid.addWidget(label(name, "strip"), place, 0, top)
            grid.addWidget(label(text, wrap=True), place, 1)
        return grid

    def _rows(self, evidence: Sequence[Message]) -> Iterator[tuple[str, str]]:
        """Names and texts of what there is to tell, in the order of reading."""
        advice = self.advice
        judged = PrimaryMetric.parse(advice.primary)
        rows = (
            (self.tr("Change"), str(advice.treatment) if advice.treatment.settings else ""),
            (self.tr("Tried before"), "\n".join(map(shown, advice.tried))),
            (self.tr("Steps"), self._steps()),
            (self.tr("Why"), shown(advice.why)),
            (self.tr("Expected"), shown(advice.expected)),
            (
                self.tr("Judged by"),
                shown(metric_name(judged.metric, judged.type)) if advice.primary else "",
            ),
            (self.tr("Cost"), shown(advice.cost)),
            (self.tr("Risk"), shown(advice.risk)),
            (self.tr("Counter-argument"), shown(advice.disagree)),
            (self.tr("Evidence"), "\n".join(map(shown, evidence))),
            (self.tr("Source"), "; ".join(advice.sources)),
        )
        return ((name, text) for name, text in rows if text)

    def _steps(self) -> str:
        return "\n".join(f"{n}. {shown(step)}" for n, step in enumerate(self.advice.steps, start=1))

    @Slot()
    def _copy_steps(self) -> None:
        QGuiApplication.clipboard().setText(self._steps())
        self.copy.setText(self.tr("Copied"))
