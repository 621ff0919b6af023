"""Words beside moments of a chart, placed so that none lies over another."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QFont, QFontMetrics

_GAP = 6.0
"""Pixels between two labels of a row."""
_MARGIN = 1.0
"""Pixels around the words of a label; Qt's own four would take half a row."""


def label_text(words: str, colour: str) -> pg.TextItem:
    """Words for a row of labels."""
    text = pg.TextItem(words, color=colour)
    text.textItem.document().setDocumentMargin(_MARGIN)
    return text


def text_width(words: str) -> float:
    """Width of such words in pixels."""
    return QFontMetrics(QFont()).horizontalAdvance(words) + 2 * _MARGIN


def row_height() -> float:
    """Height of a row of labels in pixels."""
    return QFontMetrics(QFont()).height() + 2 * _MARGIN


def rows_of(lefts: Sequence[float], widths: Sequence[float], most: int) -> list[int]:
    """The row (0 is the first) of each label, by its left edge and width in pixels.

    Each goes to the first row that is free there; -1 where none of `most` rows is.
    """
    ends = [float("-inf")] * most
    rows = [-1] * len(lefts)
    for i in sorted(range(len(lefts)), key=lambda i: lefts[i]):
        free = next((row for row, end in enumerate(ends) if end + _GAP <= lefts[i]), -1)
        rows[i] = free
        if free >= 0:
            ends[free] = lefts[i] + widths[i]
    return rows


class MomentLabels:
    """Labels of one view box in rows above where they are put, from row `first` on.

    Each hangs `share` of its width left of its moment.
    """

    def __init__(self, box: pg.ViewBox, first: int, rows: int, share: float) -> None:
        self._box, self._first, self._rows, self._share = box, first, rows, share
        self._labels: list[tuple[float, pg.TextItem]] = []
        self.room = first + rows
        """Rows that are seen, of all kinds of labels: what stands above them is hidden."""
        box.sigRangeChanged.connect(self.place)
        box.sigResized.connect(self.place)

    def start(self) -> None:
        """Forget all labels: those of a new drawing follow."""
        self._labels = []

    def add(self, at: float, item: pg.TextItem) -> None:
        """A label that is in the plot, at `at` on its bottom axis."""
        self._labels.append((at, item))

    def place(self, *_: object) -> None:
        """Find room for each, or hide it."""
        if not self._labels:
            return
        low, high = self._box.viewRange()[0]
        room = self._box.width()
        scale = room / max(high - low, 1e-9)
        widths = [item.boundingRect().width() for _, item in self._labels]
        places = [(at - low) * scale for at, _ in self._labels]
        lefts = [
            _inside(at - self._share * width, at, width, room)
            for at, width in zip(places, widths, strict=True)
        ]
        rows_shown = max(0, min(self._rows, self.room - self._first))
        for number, row in enumerate(rows_of(lefts, widths, rows_shown)):
            item = self._labels[number][1]
            item.setVisible(row >= 0)
            share = (places[number] - lefts[number]) / max(widths[number], 1.0)
            item.setAnchor((share, 1.0 + self._first + max(row, 0)))


def _inside(left: float, at: float, width: float, room: float) -> float:
    """The left edge of a label that is not cut, as long as its moment is seen."""
    return max(0.0, min(left, room - width)) if 0 <= at <= room else left
