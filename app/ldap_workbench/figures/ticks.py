"""Where the ticks of an axis go and what they say.

Durations are drawn as log10(ns), percentiles as -log10(1 - p), instants as seconds since 1970.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

from ldap_workbench.figures.formats import amount
from ldap_workbench.model.message import Message

PERCENTILES = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 99.99999)
_BETWEEN = (25.0, 75.0, 95.0, 98.0, 99.5, 99.95, 99.995)
_UNITS = ((9, "s"), (6, "ms"), (3, "µs"), (0, "ns"))
_SHORT, _FEW = 0.45, 3
_CLOSEST = 0.7
"""Of the room of a tick, what two may have between them: 9 and 10 stand closest."""
_RATIOS = (1, 2, 4, 10, 100, 1000, 1.5, 3, 6, 20, 50, 1.25, 1.1)
_STEPS_S = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400),
)


def percentile_position(percentile: float) -> float:
    """Where a percentile (0 to below 100) stands on the axis."""
    return -math.log10(1.0 - percentile / 100.0) if percentile < 100.0 else math.inf


def percentile_ticks(low: float, high: float) -> tuple[list[float], list[float]]:
    """Major and minor positions between low and high."""

    def inside(values: tuple[float, ...]) -> list[float]:
        positions = [percentile_position(p) for p in values]
        return [p for p in positions if low - 1e-9 <= p <= high + 1e-9]

    return inside(PERCENTILES), inside(_BETWEEN)


def percentile_text(position: float) -> Message:
    """'99.9' at 3.0; the axis starts with '0' at 0."""
    return amount(100.0 * (1.0 - 10.0**-position) if position > 0 else 0.0, ".6g")


def log_ticks(low: float, high: float, most: int) -> tuple[list[float], list[float]]:
    """Of a log10 axis: decades, and between them what is left of at most about `most` ticks.

    Between them stand 2 and 5, or 2 to 9. Over less than a factor of three no decade helps: there
    round numbers stand at equal distances.
    """
    if high - low < _SHORT:
        return _even(low, high, most), []
    first, last = math.floor(low), math.ceil(high)
    decades = [float(d) for d in range(first, last + 1) if low - 1e-9 <= d <= high + 1e-9]
    room = _CLOSEST * (high - low) / max(1, most)
    for steps in (range(2, 10), (2, 5), *([(3,)] if len(decades) < _FEW else [])):
        every = [d + math.log10(s) for d in range(first, last + 1) for s in steps]
        between = [b for b in every if low <= b <= high]
        closest = math.log10(10 / max(steps))
        if len(decades) + len(between) <= most and closest >= room:
            return decades, between
    return decades[:: max(1, math.ceil(len(decades) / max(1, most)))], []


def _even(low: float, high: float, most: int) -> list[float]:
    """Positions of round numbers at equal distances, at most `most`."""
    start, end = 10.0**low, 10.0**high
    step = count_step(end - start, max(1, most - 1))
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    return [math.log10(step * i) for i in range(first, last + 1)]


def duration_text(position: float) -> Message:
    """'1 ms' at 6, '20 µs' at 4.30, '1,000 s' at 12: the number as short as it can be."""
    power, unit = next(row for row in _UNITS if position >= row[0] - 1e-9 or not row[0])
    value = 10.0 ** (position - power)
    # From a thousand on, .3g would write an exponent.
    return amount(value, ",.0f" if value >= 999.5 else ".3g", f" {unit}")


def decades(low: float, high: float) -> list[float]:
    """Whole positions between two on a log10 axis."""
    return [float(d) for d in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)]


def share_text(position: float) -> Message:
    """'1 %' at -2, '0.00001 %' at -7: the share of log10."""
    digits = max(0, -math.floor(position + 1e-9) - 2)
    return amount(100.0 * 10.0**position, f".{digits}f" if digits < 10 else ".1g", " %")


def quantity(value: float, unit: str) -> Message:
    """A number with its unit, as short as it can be: '12 %', '12/s', '1.2 kB'."""
    number, suffix = _scaled(value)
    joined = unit.startswith("/") or (unit == "B" and suffix)
    return amount(number, ".3g", f"{suffix}{unit if joined or not unit else f' {unit}'}")


def time_step(seconds: float, wanted: int) -> float:
    """The step of a time axis that gives about `wanted` ticks."""
    for step in _STEPS_S:
        if seconds / step <= wanted:
            return float(step)
    return float(86400 * math.ceil(seconds / 86400 / wanted))


def count_step(span: float, most: int, *, whole: bool = False) -> float:
    """The step of 1, 2, 2.5 or 5 times a power of ten that gives at most `most` steps.

    With `whole` every step is an integer.
    """
    least = max(span, 1e-12) / most
    if whole:
        least = max(least, 1.0)
    power = 10.0 ** math.floor(math.log10(least))
    steps = (s * power for s in (1, 2, 2.5, 5, 10) if s * power >= least * (1 - 1e-9))
    return next(step for step in steps if not whole or step.is_integer())


def time_text(second: float, step: float) -> str:
    """The time of day in UTC, with seconds and parts of them only where the step needs them."""
    digits = next((d for d in range(4) if step * 10**d >= 1 - 1e-9), 3)
    moment = datetime.fromtimestamp(round(second, digits), tz=UTC)
    if step >= 86400:
        return f"{moment:%d %b}"
    if step >= 60:
        return f"{moment:%H:%M}"
    part = f".{moment.microsecond:06d}"[: digits + 1] if digits else ""
    return f"{moment:%H:%M:%S}{part}"


def ratio_ticks(low: float, high: float, least: float) -> list[float]:
    """log2 positions of ratios people like, the simplest first, at least `least` apart."""
    chosen: list[float] = []
    for ratio in _RATIOS:
        for position in (math.log2(ratio), -math.log2(ratio)):
            far = all(abs(position - other) >= least for other in chosen)
            if low <= position <= high and far:
                chosen.append(position)
    return sorted(chosen)


def ratio_text(position: float) -> Message:
    """'×0.5' at -1: the ratio of log2."""
    return amount(2.0**position, "ratio")


def short_number(value: float) -> Message:
    """1.2 k, 340, 0.05: three digits with a suffix where there are thousands."""
    return quantity(value, "")


def _scaled(value: float) -> tuple[float, str]:
    for size, suffix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return value / size, suffix
    return value, ""
