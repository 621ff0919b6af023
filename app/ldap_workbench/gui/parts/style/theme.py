"""Light and dark, the same on every platform: Fusion, palettes of our own, chart colours."""

from __future__ import annotations

import functools
import string
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget

from ldap_workbench.resources import resource


class Scheme(StrEnum):
    """What the operator asks for; SYSTEM follows the desktop and is light where it does not say."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


LINE_STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
"""Series differ in these as well as in colour: colour is never the only carrier."""


@dataclass(frozen=True)
class ChartColours:
    """Colours of a chart as '#rrggbb'; `heat` runs from nothing to most."""

    ground: str
    text: str
    dim: str
    a: str
    b: str
    slo: str
    grid: str
    mark: str
    good: str
    bad: str
    series: tuple[str, ...]
    heat: tuple[str, ...]


@functools.cache
def colours(dark: bool) -> dict[str, str]:
    """The named colours of a theme, without those of its charts."""
    return {k: v for k, v in _theme(dark).items() if isinstance(v, str)}


@functools.cache
def chart_colours(dark: bool) -> ChartColours:
    """The colours charts are drawn with."""
    named, chart = colours(dark), _theme(dark)["chart"]
    return ChartColours(
        ground=named["base"],
        text=named["text"],
        dim=named["dim"],
        a=chart["a"],
        b=chart["b"],
        slo=chart["slo"],
        grid=chart["grid"],
        mark=chart["mark"],
        good=named["good"],
        bad=named["bad"],
        series=tuple(chart["series"]),
        heat=tuple(chart["heat"]),
    )


def is_dark(palette: QPalette) -> bool:
    """Whether a palette is one of a dark theme."""
    return palette.color(QPalette.ColorRole.Window).lightness() < 128


def palette(dark: bool) -> QPalette:
    """The Qt palette of a theme."""
    named, role = colours(dark), QPalette.ColorRole
    made = QPalette()
    pairs = {
        role.Window: "window", role.Base: "base", role.AlternateBase: "alternate",
        role.Button: "button", role.ToolTipBase: "base", role.WindowText: "text",
        role.Text: "text", role.ButtonText: "text", role.ToolTipText: "text",
        role.BrightText: "bad", role.Highlight: "accent", role.HighlightedText: "accent_text",
        role.Link: "accent", role.LinkVisited: "accent", role.PlaceholderText: "dim",
        role.Mid: "line", role.Midlight: "line", role.Light: "base", role.Accent: "accent",
    }  # fmt: skip
    for key, name in pairs.items():
        made.setColor(key, QColor(named[name]))
    for key in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, key, QColor(named["dim"]))
    return made


def apply_theme(app: QApplication, scheme: Scheme) -> bool:
    """Give the application its palette; returns whether it is dark now."""
    dark = scheme is Scheme.DARK or (scheme is Scheme.SYSTEM and _system_is_dark())
    if app.style().objectName().lower() != "fusion":
        app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(palette(dark))
    for name in _FRAMED:
        # The stub says bytes, the binding takes str and refuses bytes (6.11).
        app.setPalette(_framed(dark), name)  # type: ignore[arg-type]
    return dark


_FRAMED = (
    "QLineEdit", "QAbstractSpinBox", "QComboBox", "QCheckBox", "QRadioButton",
    "QListWidget", "QMenu",
)  # fmt: skip


def _framed(dark: bool) -> QPalette:
    """For fields with a frame and boxes to tick.

    Fusion makes it by darkening 'Window', which in a dark theme gives black on black.
    """
    made = palette(dark)
    wanted = QColor(colours(dark)["frame"])
    made.setColor(QPalette.ColorRole.Window, wanted.lighter(_FUSION_DARKENS))
    return made


_FUSION_DARKENS = 140
"""Percent."""


def apply_style(widget: QWidget) -> None:
    """Give a part of the window (a screen, the rail, a dialog) the look of the present theme.

    A style sheet for the whole application takes a third of a second at every change; parts are
    dressed when they are seen.
    """
    dark = is_dark(QGuiApplication.palette())
    if widget.property("dressed_dark") is not dark:
        widget.setProperty("dressed_dark", dark)
        widget.setStyleSheet(_style_sheet(dark))


class ThemeFollower(QObject):
    """Keeps the application in the scheme asked for, also when the desktop changes.

    *Signals:* changed(bool dark)
    """

    changed = Signal(bool)

    def __init__(self, app: QApplication, scheme: Scheme = Scheme.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self.scheme = scheme
        self.dark = apply_theme(app, scheme)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def set_scheme(self, scheme: Scheme) -> None:
        """Change the theme now."""
        self.scheme = scheme
        self.dark = apply_theme(self._app, scheme)
        self.changed.emit(self.dark)

    @Slot()
    def _on_system_changed(self) -> None:
        if self.scheme is Scheme.SYSTEM and _system_is_dark() != self.dark:
            self.set_scheme(Scheme.SYSTEM)


def _system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


@functools.cache
def _theme(dark: bool) -> dict[str, Any]:
    name = "dark" if dark else "light"
    return tomllib.loads(resource(f"themes/{name}.toml").read_text("utf-8"))


@functools.cache
def _style_sheet(dark: bool) -> str:
    template = string.Template(resource("themes/workbench.qss").read_text("utf-8"))
    return template.substitute(colours(dark))
