"""A plot of how the cost of an import grows with its log, as SVG: both axes in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 560, 320, 56, 32, 44
_RIGHT = 120


@dataclass(frozen=True)
class Grown:
    """One import: lines of its log, bytes, wall and processor seconds, peak memory and session in
    bytes."""

    lines: int
    size: int
    wall: float
    cpu: float
    peak: int
    session: int


def _power(value: float) -> float:
    return math.log10(value)


class _Frame:
    """Where a pair of values is, for values within these powers of ten."""

    def __init__(self, x: tuple[int, int], y: tuple[int, int]) -> None:
        self.x, self.y = x, y

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = (_power(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (_power(y) - self.y[0]) / (self.y[1] - self.y[0])
        width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        return round(_LEFT + across * width, 1), round(_TOP + (1 - up) * height, 1)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'


def _axes(frame: _Frame) -> list[str]:
    drawn = []
    for power in range(frame.y[0], frame.y[1] + 1):
        (left, y), (right, _) = (frame.at(10 ** frame.x[i], 10**power) for i in (0, 1))
        drawn.append(f'<path d="M{left} {y}H{right}" stroke="#ccc"/>')
        drawn.append(_text(left - 8, y + 4, f"{10**power:g}", "end"))
    for power in range(frame.x[0], frame.x[1] + 1):
        x, y = frame.at(10**power, 10 ** frame.y[0])
        drawn.append(_text(x, y + 18, f"{10**power:,}"))
    drawn.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, "lines of the log"))
    return drawn


def _curve(frame: _Frame, points: Sequence[tuple[float, float]], colour: str, name: str) -> str:
    places = [frame.at(x, y) for x, y in points]
    way = " ".join(f"{x},{y}" for x, y in places)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in places)
    last_x, last_y = places[-1]
    label = f'<text x="{last_x + 8}" y="{last_y + 4}">{name}</text>'
    line = f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return f'{line}<g fill="{colour}">{dots}{label if name else ""}</g>'


def draw(runs: Sequence[Grown], path: Path) -> None:
    """Write the plot: both times, what strict proportion would be, and peak memory."""
    powers = [round(_power(run.lines)) for run in runs]
    highest = max(run.peak / 1e6 for run in runs)
    frame = _Frame((min(powers), max(powers)), (-1, math.ceil(_power(highest))))
    walls = [(run.lines, run.wall) for run in runs]
    last = runs[-1]
    even = [(x, last.cpu * x / last.lines) for x, _ in walls]
    shown = [(x, y) for x, y in even if y >= 0.1]
    peaks = [(run.lines, run.peak / 1e6) for run in runs]
    body = [
        *_axes(frame),
        _curve(frame, shown, "#999", "") if len(shown) > 1 else "",
        _curve(frame, walls, "#93c5fd", "wall, s"),
        _curve(frame, [(run.lines, run.cpu) for run in runs], "#0b6bcb", "processor, s"),
        _curve(frame, peaks, "#c2410c", "peak, MB"),
        _text(12, 16, "grey: in proportion to lines", "start"),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
    style = 'font-family="sans-serif" font-size="12" fill="#555">'
    paper = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
    path.write_text("\n".join([head + style, paper, *filter(None, body), "</svg>", ""]))
