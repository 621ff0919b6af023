"""The windows of a plan in their order: done, at work, to come."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.style.theme import chart_colours, is_dark
from ldap_workbench.model.experiment import Step

_MOST = 40


class WindowProgress(QWidget):
    """A small letter for every window: filled when done, framed when at work, faint to come."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: tuple[Step, ...] = ()
        self._done = 0
        self._ended = False

    def set_steps(self, steps: Sequence[Step]) -> None:
        """Show another plan."""
        self._steps = tuple(steps)
        self.set_done(0, False)
        self.updateGeometry()

    def set_done(self, done: int, ended: bool) -> None:
        """How many windows are measured, and whether more will come."""
        self._done, self._ended = done, ended
        of = len(self._steps)
        rest = self.tr("{done} of {all} windows measured.")
        if not ended and done < of:
            rest = self.tr("{done} of {all} windows measured, measuring window {next}.")
        self.setAccessibleName(rest.format(done=done, all=of, next=done + 1))
        self.update()

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(em * 20, round(em * 1.9))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().height() * 8, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if len(self._steps) > _MOST:
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.accessibleName())
            else:
                self._paint_windows(painter)

    def _paint_windows(self, painter: QPainter) -> None:
        em = self.fontMetrics().height()
        x = 1.0
        for number, step in enumerate(self._steps):
            if number and step.pair != self._steps[number - 1].pair:
                x += em * 0.5
            self._paint_window(painter, QRectF(x, 1, em * 1.5, em * 1.6), number, step)
            x += em * 1.6

    def _paint_window(self, painter: QPainter, box: QRectF, number: int, step: Step) -> None:
        colours = chart_colours(is_dark(self.palette()))
        colour = QColor(colours.b if step.arm == "B" else colours.a)
        if number < self._done:
            frame, fill, text = QPen(colour, 1), QBrush(colour), QColor(colours.ground)
        elif number == self._done and not self._ended:
            frame, fill, text = QPen(colour, 2), QBrush(), colour
        else:
            frame, fill, text = QPen(QColor(colours.grid), 1), QBrush(), QColor(colours.dim)
        painter.setPen(frame)
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, step.arm)
