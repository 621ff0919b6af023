"""A small writer of SVG: a sheet with axes, lines, marks and words.

Every element carries a class, so that a style sheet may colour it (dark mode), and the same look as
attributes, so that readers without style sheets (PDF) draw it too. Arms differ by dash and shape,
not by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from ldap_workbench.model.visible import printable
from ldap_workbench.report.scales import Scale

Point = tuple[float, float]

VERMILLION, GREEN, ORANGE, GREY = "#D55E00", "#009E73", "#E69F00", "#7a7a7a"
"""Colours of Okabe and Ito that people of every colour vision tell apart."""

ARM_A, ARM_B = "#003366", "#be5900"
"""As in the window's light theme: a print without colour tells them apart, too."""

LOOKS: dict[str, dict[str, str]] = {
    "grid": {"stroke": "#dddddd", "stroke-width": "1"},
    "axis": {"stroke": "#888888", "stroke-width": "1"},
    "word": {"fill": "#222222"},
    "faint": {"fill": "#5f5f5f"},
    "strong": {"fill": "#222222", "font-weight": "600"},
    "line-a": {"stroke": ARM_A, "stroke-width": "2.2", "fill": "none"},
    "line-b": {
        "stroke": ARM_B,
        "stroke-width": "2.2",
        "stroke-dasharray": "7 3",
        "fill": "none",
    },
    "line-n": {"stroke": ARM_A, "stroke-width": "1.6", "fill": "none"},
    "thin-a": {"stroke": ARM_A, "stroke-width": "0.8", "stroke-opacity": "0.55", "fill": "none"},
    "thin-b": {
        "stroke": ARM_B,
        "stroke-width": "0.8",
        "stroke-opacity": "0.55",
        "stroke-dasharray": "3 2",
        "fill": "none",
    },
    "thin-n": {"stroke": "#888888", "stroke-width": "0.8", "stroke-opacity": "0.7", "fill": "none"},
    "dot-a": {"fill": ARM_A, "stroke": ARM_A},
    "dot-b": {"fill": "#ffffff", "stroke": ARM_B, "stroke-width": "2"},
    "bar-a": {"fill": ARM_A},
    "bar-b": {"fill": ARM_B},
    "interval": {"stroke": "#222222", "stroke-width": "2"},
    "fill-a": {"fill": ARM_A, "fill-opacity": "0.10"},
    "fill-b": {"fill": ARM_B, "fill-opacity": "0.14"},
    "fill-n": {"fill": "#888888", "fill-opacity": "0.10"},
    "band": {"fill": "#888888", "fill-opacity": "0.18"},
    "hatch": {"stroke": "#888888", "stroke-width": "0.8", "stroke-opacity": "0.6"},
    "limit": {"stroke": "#222222", "stroke-width": "1.2", "stroke-dasharray": "2 3"},
    "link": {"stroke": "#888888", "stroke-width": "1.4"},
    "better": {"stroke": GREEN, "fill": GREEN, "stroke-width": "2.4"},
    "worse": {"stroke": VERMILLION, "fill": VERMILLION, "stroke-width": "2.4"},
    "open": {"stroke": GREY, "fill": "none", "stroke-width": "2.4"},
    "series": {"stroke": "#444444", "stroke-width": "1.3", "fill": "none"},
    "edge": {"stroke": "#444444", "stroke-width": "0.8", "stroke-dasharray": "2 2", "fill": "none"},
    "series-2": {
        "stroke": ORANGE,
        "stroke-width": "1.3",
        "fill": "none",
        "stroke-dasharray": "4 2",
    },
}

_FONT = 'font-family="system-ui, \'DejaVu Sans\', sans-serif" font-size="12"'


_LETTER = 7.6
"""Points for a letter of a legend, in the widest font of those that a report may be shown with."""


class Sheet:
    """Paper of a chart, `width` by `height` points; y grows downwards."""

    def __init__(self, width: int, height: int, says: str) -> None:
        self.width = width
        self.height = height
        self.says = says
        """The chart in a sentence, for those who do not see it."""
        self._parts: list[str] = []

    def svg(self) -> str:
        """The whole element, ready to stand in HTML."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" {_FONT} aria-label={quoteattr(printable(self.says))}>'
        )
        return "\n".join([head, *self._parts, "</svg>"])

    def line(self, one: Point, other: Point, look: str) -> None:
        ends = f'x1="{_n(one[0])}" y1="{_n(one[1])}" x2="{_n(other[0])}" y2="{_n(other[1])}"'
        self._parts.append(f"<line {ends} {_look(look)}/>")

    def path(self, points: Sequence[Point], look: str) -> None:
        """A line through points; nothing for fewer than two."""
        if len(points) > 1:
            steps = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
            self._parts.append(f'<polyline points="{steps}" {_look(look)}/>')

    def box(self, x: float, y: float, width: float, height: float, look: str) -> None:
        size = f'width="{_n(max(width, 0))}" height="{_n(max(height, 0))}"'
        self._parts.append(f'<rect x="{_n(x)}" y="{_n(y)}" {size} {_look(look)}/>')

    def dot(self, at: Point, look: str, *, size: float = 4.0) -> None:
        """A round mark: arm A."""
        where = f'cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(size)}"'
        self._parts.append(f"<circle {where} {_look(look)}/>")

    def diamond(self, at: Point, look: str, *, size: float = 5.0) -> None:
        """A mark on its corner: arm B."""
        x, y = at
        corners = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
        points = " ".join(f"{_n(cx)},{_n(cy)}" for cx, cy in corners)
        self._parts.append(f'<polygon points="{points}" {_look(look)}/>')

    def word(
        self, at: Point, text: str, *, anchor: str = "start", look: str = "word", size: int = 12
    ) -> None:
        where = f'x="{_n(at[0])}" y="{_n(at[1])}" text-anchor="{anchor}"'
        bigger = f' font-size="{size}"' if size != 12 else ""
        self._parts.append(f"<text {where}{bigger} {_look(look)}>{escape(printable(text))}</text>")

    def hatch(self, x: float, y: float, width: float, height: float) -> None:
        """Slanted lines over an area about which nothing can be said."""
        for offset in range(0, int(width + height), 9):
            x1, y1 = x + min(offset, width), y + max(offset - width, 0)
            x2, y2 = x + max(offset - height, 0), y + min(offset, height)
            self.line((x1, y1), (x2, y2), "hatch")

    def across(self, scale: Scale, top: float, bottom: float, title: str = "") -> None:
        """A horizontal axis at the bottom with grid lines up to the top."""
        last_end = -1e9
        for tick in scale.ticks():
            x = scale.place(tick.value)
            self.line((x, top), (x, bottom), "grid")
            half = 3.4 * len(tick.label)
            if tick.label and x - half > last_end + 4:
                self.word((x, bottom + 16), tick.label, anchor="middle", look="faint", size=11)
                last_end = x + half
        if title:
            middle = (scale.place(-1e300) + scale.place(1e300)) / 2
            self.word((middle, bottom + 34), title, anchor="middle", look="faint")

    def up(self, scale: Scale, left: float, right: float) -> None:
        """A vertical axis at the left with grid lines to the right."""
        for tick in scale.ticks():
            y = scale.place(tick.value)
            self.line((left, y), (right, y), "grid")
            if tick.label:
                self.word((left - 7, y + 4), tick.label, anchor="end", look="faint", size=11)

    def legend(self, x: float, y: float, entries: Iterable[tuple[str, str]]) -> None:
        """Samples with words beside them, in one row: (look, words)."""
        for look, words in entries:
            if look.startswith("dot-"):
                (self.dot if look == "dot-a" else self.diamond)((x + 8, y - 4), look)
                width = 16.0
            elif look.startswith(("fill", "band")):
                self.box(x, y - 10, 18, 12, look)
                width = 18.0
            else:
                self.line((x, y - 4), (x + 26, y - 4), look)
                width = 26.0
            self.word((x + width + 6, y), words)
            x += width + 6 + _LETTER * len(words) + 18


def _look(look: str) -> str:
    attributes = " ".join(f'{name}="{value}"' for name, value in LOOKS[look].items())
    return f'class="{look}" {attributes}'


def _n(value: float) -> str:
    """A number with one digit behind the point at most, the same on every machine."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text
