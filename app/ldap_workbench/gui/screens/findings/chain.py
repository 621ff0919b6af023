"""The time line of a chain of events: a row for each link, with a bar on one scale of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QWidget

from ldap_workbench.figures.overview.findings import span_of_links
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.tips import set_tip
from ldap_workbench.model.finding import Link
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Span

NOT_SEEN = Message("not seen")
_WIDTH, _HEIGHT = 150, 18
_THIN = 3.0
"""A moment is drawn this wide, else nobody would see it."""

Ways = Callable[[Link], QWidget | None]
"""Makes the links that lead from one link of the chain to its evidence."""


class LinkBar(QWidget):
    """When a link was, within the time of the whole chain; an empty outline where nobody saw it."""

    def __init__(self, link: Link, whole: Span, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._whole = whole
        self.setFixedSize(QSize(_WIDTH, _HEIGHT))
        self.setAccessibleName(describe_time(link) or shown(NOT_SEEN))
        set_tip(self, self.accessibleName())

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self.palette().mid().color()
        painter.setPen(QPen(line, 1, Qt.PenStyle.DotLine))
        painter.drawLine(0, _HEIGHT // 2, _WIDTH, _HEIGHT // 2)
        if (bar := self.bar()) is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().highlight())
        painter.drawRoundedRect(bar, 3, 3)

    def bar(self) -> QRectF | None:
        """Where it is drawn; None where its times are not known."""
        link = self._link
        if link.start_ns is None or link.end_ns is None:
            return None
        first, last = self._whole
        scale = _WIDTH / max(last - first, 1)
        left = min((link.start_ns - first) * scale, _WIDTH - _THIN)
        wide = max((link.end_ns - link.start_ns) * scale, _THIN)
        return QRectF(left, 3, min(wide, _WIDTH - left), _HEIGHT - 6)


def chain_rows(links: Sequence[Link], ways: Ways) -> QGridLayout:
    """Time, link, bar, what is seen and the ways to it: one row a link."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(3, 1)
    whole = span_of_links(links)
    top = Qt.AlignmentFlag.AlignTop
    for row, link in enumerate(links):
        grid.addWidget(label(describe_time(link) or shown(NOT_SEEN), "dim"), row, 0, top)
        grid.addWidget(label(shown(link.link), "strip"), row, 1, top)
        if whole is not None:
            grid.addWidget(LinkBar(link, whole), row, 2, top)
        source = f"{shown(link.source)}: " if link.source else ""
        grid.addWidget(label(f"{source}{shown(link.text)}", "dim", wrap=True), row, 3, top)
        if (there := ways(link)) is not None:
            grid.addWidget(there, row, 4, top | Qt.AlignmentFlag.AlignRight)
    return grid


def describe_time(link: Link) -> str:
    """'16:22:06 – 16:22:56 UTC'; '' where its time is not known."""
    if link.start_ns is None:
        return ""
    start = format_time(link.start_ns)[11:19]
    end = format_time(link.end_ns)[11:19] if link.end_ns else start
    return f"{start} UTC" if start == end else f"{start} – {end} UTC"
