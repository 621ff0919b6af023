"""Rows and columns of widgets, written in the order in which they are seen; what scrolls."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

Margins = int | tuple[int, int, int, int]
"""Pixels on all sides, or left, top, right and bottom."""
_ANYWHERE = Qt.AlignmentFlag(0)
_Box = TypeVar("_Box", bound=QBoxLayout)


class Stretch(NamedTuple):
    """Room that grows with the window, in proportion to other shares."""

    share: int = 1


class Gap(NamedTuple):
    """Room of so many pixels, beside the spacing."""

    pixels: int


Item = QWidget | QLayout
Part = Item | Stretch | Gap | tuple[Item, int] | tuple[Item, Qt.AlignmentFlag]
"""An item takes the room it needs. With a number it also takes that share of the room left over;
with an alignment it stands there in its own room."""


def row(
    *parts: Part,
    on: QWidget | None = None,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QHBoxLayout:
    """Parts from left to right, as the content of the widget `on` if there is one."""
    return _fill(QHBoxLayout(), parts, on, margins, spacing)


def column(
    *parts: Part,
    on: QWidget | None = None,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QVBoxLayout:
    """Parts from top to bottom, as the content of the widget `on` if there is one."""
    return _fill(QVBoxLayout(), parts, on, margins, spacing)


def scroll(inside: QWidget, area: QScrollArea | None = None, *, framed: bool = True) -> QScrollArea:
    """A widget, as wide as there is room, that scrolls up and down; never a stop of the Tab key."""
    area = area or QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    if not framed:
        area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def _fill(
    box: _Box,
    parts: tuple[Part, ...],
    on: QWidget | None,
    margins: Margins | None,
    spacing: int | None,
) -> _Box:
    if on is not None:
        on.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        _add(box, part)
    return box


def _add(box: QBoxLayout, part: Part) -> None:
    if isinstance(part, Stretch):
        box.addStretch(part.share)
    elif isinstance(part, Gap):
        box.addSpacing(part.pixels)
    else:
        item, place = part if isinstance(part, tuple) else (part, 0)
        share, alignment = (0, place) if isinstance(place, Qt.AlignmentFlag) else (place, _ANYWHERE)
        if isinstance(item, QLayout):
            box.addLayout(item, share)
        else:
            box.addWidget(item, share, alignment)
