"""Icons: one-colour SVG files tinted with the palette, so that they fit every theme."""

from __future__ import annotations

import functools

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from ldap_workbench.resources import resource

_SIZES = (16, 24, 32, 48)


def icon(name: str) -> QIcon:
    """The icon `name` in the text colour of the present theme."""
    shown = QGuiApplication.palette()
    group, role = QPalette.ColorGroup, QPalette.ColorRole
    colours = (
        shown.color(role.WindowText),
        shown.color(role.HighlightedText),
        shown.color(group.Disabled, role.WindowText),
    )
    return _in_colours(name, *(colour.name() for colour in colours))


@functools.cache
def _in_colours(name: str, normal: str, selected: str, disabled: str) -> QIcon:
    """A window has some 150 icons, of which most are the same few."""
    made = QIcon()
    modes = (
        (QIcon.Mode.Normal, normal),
        (QIcon.Mode.Selected, selected),
        (QIcon.Mode.Disabled, disabled),
    )
    for mode, colour in modes:
        for size in _SIZES:
            made.addPixmap(_tinted(name, colour, size), mode)
    return made


def program_icon() -> QIcon:
    """The icon of the program, in its own colours."""
    return QIcon(str(resource("icons/ldap-workbench.svg")))


@functools.cache
def _tinted(name: str, colour: str, size: int) -> QPixmap:
    drawn = QPixmap(QSize(size, size))
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        _drawing(name).render(painter, QRectF(0, 0, size, size))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(drawn.rect(), QColor(colour))
    return drawn


@functools.cache
def _drawing(name: str) -> QSvgRenderer:
    """The file, read once for all sizes and colours."""
    return QSvgRenderer(str(resource(f"icons/{name}.svg")))
