"""Scales of the charts: from a value to a place on paper, and the ticks a person reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from ldap_workbench.model.units import NS_PER_S, format_duration


@dataclass(frozen=True)
class Tick:
    """A place on an axis in the scale's own value; without a label it is a minor one."""

    value: float
    label: str = ""


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
        return [Tick(value, self.label(value)) for value in self._values()]

    def label(self, value: float) -> str:
        return f"{value:g}"

    def _values(self) -> list[float]:
        span = math.log10(self.high / self.low)
        if span < 0.45:
            return self._even_values()
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        steps = (1,) if span > 1.8 else (1, 2, 5) if span > 0.8 else (1, 1.5, 2, 3, 4, 5, 6, 8)
        values = [step * 10.0**decade for decade in decades for step in steps]
        return [v for v in values if self.low * 0.999 <= v <= self.high * 1.001]

    def _even_values(self) -> list[float]:
        """Round numbers at equal distances: over less than a factor of three no decade helps."""
        step = round_down((self.high - self.low) / 3)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [step * index for index in range(first, last + 1)]


@dataclass(frozen=True)
class LogTime(LogScale):
    """Durations in ns: 1 ms, 10 ms, 1 s."""

    def label(self, value: float) -> str:
        return _plain_duration(round(value))


@dataclass(frozen=True)
class LogShare(LogScale):
    """Shares of operations: 100 %, 1 %, 0.01 %."""

    def label(self, value: float) -> str:
        return f"{value * 100:.10g} %"


@dataclass(frozen=True)
class LogRatio(LogScale):
    """Ratios around 1: ×0.5, ×1, ×2."""

    def label(self, value: float) -> str:
        return f"×{value:g}"

    def _values(self) -> list[float]:
        spread = max(self.high, 1 / self.low)
        if spread <= 1.3:
            wanted: Sequence[float] = (0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25)
        elif spread <= 2.2:
            wanted = (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2)
        elif spread <= 12:
            wanted = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10)
        else:
            wanted = tuple(step * 10.0**power for power in range(-9, 10) for step in (1, 3))
        return [v for v in wanted if self.low * 0.999 <= v <= self.high * 1.001]


@dataclass(frozen=True)
class LogPercentile:
    """Shares p of operations, 0 <= p < 1, on log10(1 / (1 - p)): each nine takes as much paper."""

    top: float
    """The largest p shown."""
    first: float
    last: float

    def place(self, value: float) -> float:
        return _between(nines(value) / nines(self.top), self.first, self.last)

    def ticks(self) -> list[Tick]:
        wanted = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999)
        return [Tick(p, f"{p * 100:.10g} %") for p in wanted if p <= self.top + 1e-12]


def nines(p: float) -> float:
    """0 for p = 0, 1 for 0.9, 2 for 0.99."""
    return -math.log10(max(1.0 - p, 1e-12))


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
        step = self._step_s() * NS_PER_S
        at = -(-self.start_ns // step) * step
        found = []
        while at <= self.end_ns:
            found.append(Tick(at, self._label(at, step)))
            at += step
        return found

    def _step_s(self) -> int:
        span = (self.end_ns - self.start_ns) / NS_PER_S
        steps = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200)
        return next(
            (step for step in steps if span / step <= 8), 86_400 * math.ceil(span / 691_200)
        )

    @staticmethod
    def _label(at_ns: int, step_ns: int) -> str:
        moment = datetime.fromtimestamp(at_ns // NS_PER_S, tz=UTC)
        if step_ns >= 86_400 * NS_PER_S:
            return f"{moment:%Y-%m-%d}"
        return f"{moment:%H:%M}" if step_ns >= 60 * NS_PER_S else f"{moment:%H:%M:%S}"


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
        return [Tick(0, f"0{self.unit}"), Tick(self.high, f"{self.high:,.6g}{self.unit}")]


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


def _plain_duration(ns: int) -> str:
    """1 ms instead of 1.00 ms: ticks are round numbers."""
    number, unit = format_duration(ns).split(" ")
    return f"{float(number):g} {unit}"
