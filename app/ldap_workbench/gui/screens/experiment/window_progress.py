"""The windows of a plan in their order: done, at work, to come."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.style.theme import chart_colours, is_dark
from ldap_workbench.model.experiment import Step

_STEP_EM = 1.6
"""Width of a window, in heights of a line."""
_GAP_EM = 0.5
"""Between two pairs."""
_LEAST = 0.55
"""Of that: with less, no letter has room, and words say it."""


class WindowProgress(QWidget):
    """A small letter for every window: filled when done, framed when at work, faint to come."""

    def __init__(self) -> None:
        super().__init__()
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
            em = self.em()
            if em < _LEAST * self.fontMetrics().height():
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.accessibleName())
            else:
                self._paint_windows(painter, em)

    def em(self) -> float:
        """Pixels by which all is measured from left to right: less where there is no room."""
        pairs = len({step.pair for step in self._steps})
        wanted = len(self._steps) * _STEP_EM + max(0, pairs - 1) * _GAP_EM
        return min(float(self.fontMetrics().height()), (self.width() - 2) / max(wanted, 1.0))

    def _paint_windows(self, painter: QPainter, em: float) -> None:
        high = 1.6 * self.fontMetrics().height()
        x = 1.0
        for number, step in enumerate(self._steps):
            if number and step.pair != self._steps[number - 1].pair:
                x += em * _GAP_EM
            box = QRectF(x, 1, em * (_STEP_EM - 0.1), high)
            self._paint_window(painter, box, number, step)
            x += em * _STEP_EM

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
