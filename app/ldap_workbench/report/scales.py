"""Scales of the charts: from a value to a place on paper, with the ticks of figures/ticks.py."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ldap_workbench.figures import formats, ticks
from ldap_workbench.model.units import NS_PER_S

_MOST = 9
"""Ticks on an axis; words that would lie over each other are left out."""
_BESIDE_ZERO = 40
"""Points of paper between the 0 at the beginning of a logarithmic axis and the next tick."""
_NEAR = 0.06
"""Between two ticks of a ratio, as a share of the axis."""


@dataclass(frozen=True)
class Tick:
    """A place on an axis in the scale's own value, and what it says."""

    value: float
    label: str


class Scale(Protocol):
    """A scale over a range of paper from `first` to `last`, in points."""

    def place(self, value: float) -> float: ...
    def ticks(self) -> list[Tick]: ...


def _between(share: float, first: float, last: float) -> float:
    return first + min(max(share, 0.0), 1.0) * (last - first)


@dataclass(frozen=True)
class LogScale:
    """Logarithmic from `low` to `high`, both positive; values outside stay on the edge."""

    low: float
    high: float
    first: float
    last: float

    def place(self, value: float) -> float:
        if value <= self.low:
            return self.first
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return _between(share, self.first, self.last)

    def ticks(self) -> list[Tick]:
        return [Tick(10.0**position, self.label(position)) for position in self.positions()]

    def positions(self) -> Iterable[float]:
        """log10 of the values of the ticks, ascending."""
        major, minor = ticks.log_ticks(math.log10(self.low), math.log10(self.high), _MOST)
        return sorted((*major, *minor))

    def label(self, position: float) -> str:
        return f"{10.0**position:.6g}"


@dataclass(frozen=True)
class LogTime(LogScale):
    """Durations in ns: 1 ms, 10 ms, 1 s."""

    def label(self, position: float) -> str:
        return str(ticks.duration_text(position))


@dataclass(frozen=True)
class LogShare(LogScale):
    """Shares of operations: 100 %, 1 %, 0.01 %; with `zero` its beginning stands for none."""

    zero: bool = False

    def ticks(self) -> list[Tick]:
        regular = super().ticks()
        if not self.zero:
            return regular
        beside = [tick for tick in regular if self.place(tick.value) > self.first + _BESIDE_ZERO]
        return [Tick(0.0, str(formats.share(0.0))), *beside]

    def label(self, position: float) -> str:
        return str(ticks.share_text(position))


@dataclass(frozen=True)
class LogRatio(LogScale):
    """Ratios around 1: ×0.5, ×1, ×2."""

    def ticks(self) -> list[Tick]:
        low, high = math.log2(self.low), math.log2(self.high)
        positions = ticks.ratio_ticks(low, high, _NEAR * (high - low))
        return [Tick(2.0**position, str(ticks.ratio_text(position))) for position in positions]


@dataclass(frozen=True)
class LogPercentile:
    """Shares p of operations, 0 <= p < 1, on log10(1 / (1 - p)): each nine takes as much paper."""

    top: float
    """The largest p shown."""
    first: float
    last: float

    def place(self, value: float) -> float:
        share = ticks.percentile_position(100 * value) / ticks.percentile_position(100 * self.top)
        return _between(share, self.first, self.last)

    def ticks(self) -> list[Tick]:
        positions, _ = ticks.percentile_ticks(0.0, ticks.percentile_position(100 * self.top))
        return [
            Tick(1 - 10.0**-position, str(ticks.percentile_text(position)))
            for position in positions
        ]


@dataclass(frozen=True)
class TimeScale:
    """Instants in ns since 1970, labelled in UTC."""

    start_ns: int
    end_ns: int
    first: float
    last: float

    def place(self, value: float) -> float:
        share = (value - self.start_ns) / max(self.end_ns - self.start_ns, 1)
        return _between(share, self.first, self.last)

    def ticks(self) -> list[Tick]:
        start, end = self.start_ns / NS_PER_S, self.end_ns / NS_PER_S
        step = ticks.time_step(end - start, _MOST)
        numbers = range(math.ceil(start / step), math.floor(end / step) + 1)
        return [Tick(i * step * NS_PER_S, ticks.time_text(i * step, step)) for i in numbers]


@dataclass(frozen=True)
class Linear:
    """Linear from 0 to `high` with a unit behind the number."""

    high: float
    first: float
    last: float
    unit: str = ""

    def place(self, value: float) -> float:
        return _between(value / self.high if self.high else 0.0, self.first, self.last)

    def ticks(self) -> list[Tick]:
        return [Tick(value, str(ticks.quantity(value, self.unit))) for value in (0.0, self.high)]


def round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20 ... that is not below the value; 1 for nothing."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999999)


def round_down(value: float) -> float:
    """The next of ... 0.5, 1, 2, 5, 10 that is not above the value, which is positive."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (10, 5, 2, 1) if step * power <= value * 1.000001)
