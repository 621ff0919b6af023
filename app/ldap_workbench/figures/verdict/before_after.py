"""The primary metric of a verdict before and after the change: two bars and their intervals."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.figures.formats import number
from ldap_workbench.figures.names import METRIC_UNITS, metric_name, metric_value
from ldap_workbench.figures.verdict.stored import window_value
from ldap_workbench.inference.counts.metrics import QUANTILE, SHARES
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import MetricVerdict, Verdict

_ARMS = Message("A, as it was"), Message("B, with the change")
_SIDE_BY_SIDE = Message("A, controls"), Message("B, canary")
"""Of a canary: measured in the same windows, so neither comes before the other."""


@dataclass(frozen=True)
class ArmBar:
    """One arm: its value over all windows, in the unit of the metric (ns or share).

    `low` and `high` are where the 95 % interval of B / A puts it, None for A, which it is measured
    against; `windows` are the values of single windows, where the verdict kept them.
    """

    arm: str
    label: Message
    value: float
    text: Message
    low: float | None = None
    high: float | None = None
    windows: tuple[float, ...] = ()

    @property
    def highest(self) -> float:
        """How far its bar, its interval and its windows reach."""
        return max([self.value, self.high or 0.0, *self.windows])


@dataclass(frozen=True)
class BeforeAfter:
    """A and B of one metric; `unit` is ns or share."""

    metric: Message
    unit: str
    a: ArmBar
    b: ArmBar

    @property
    def bars(self) -> tuple[ArmBar, ArmBar]:
        return self.a, self.b


def before_after(verdict: Verdict) -> BeforeAfter | None:
    """The picture of a verdict; None where its file does not tell both values."""
    primary = verdict.primary
    a, b = number(primary.a), number(primary.b)
    if a is None or b is None or min(a, b) < 0 or max(a, b) == 0:
        return None
    if primary.metric not in (*QUANTILE, *SHARES):
        return None
    low, high = _interval(primary, a)
    before, after = _SIDE_BY_SIDE if verdict.design.startswith("crossover") else _ARMS
    text_a = metric_value(primary.metric, a, primary.n_a)
    text_b = metric_value(primary.metric, b, primary.n_b)
    bars = (
        ArmBar("A", before, a, text_a, windows=_windows(verdict, "A")),
        ArmBar("B", after, b, text_b, low, high, _windows(verdict, "B")),
    )
    name = metric_name(primary.metric, primary.type)
    return BeforeAfter(name, METRIC_UNITS[primary.metric], *bars)


def _interval(primary: MetricVerdict, a: float) -> tuple[float | None, float | None]:
    """Of B, by the ratio of all windows, as the bars are; else by that of a typical window."""
    for pair in ((primary.pooled_low, primary.pooled_high), (primary.low, primary.high)):
        low, high = map(number, pair)
        if low is not None and high is not None and 0 <= low <= high:
            return a * low, a * high
    return None, None


def _windows(verdict: Verdict, arm: str) -> tuple[float, ...]:
    """Windows are kept with the values of all their operations only."""
    if verdict.primary.type != ALL:
        return ()
    values = (
        window_value(w, verdict.primary.metric) for w in verdict.details.windows if w.arm == arm
    )
    return tuple(value for value in values if value is not None and value >= 0)
