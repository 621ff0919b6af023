"""What stands behind a verdict, for charts and tables.

The table of metrics of a verdict: each with its ratio, interval and judgement.

The primary metric of a verdict before and after the change: two bars and their intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.figures import names
from ldap_workbench.figures.formats import DASH, amount, clock, number, ratio, ratio_interval
from ldap_workbench.figures.names import METRIC_UNITS, METRICS, arm_name, metric_name, metric_value
from ldap_workbench.figures.table import Column, Numbers, Row, always, quantity
from ldap_workbench.figures.tails.view import Judged
from ldap_workbench.figures.verdict.stored import (
    STALLS,
    PairRatio,
    Rung,
    ShiftCurve,
    ledger_of,
    pair_values,
    shift_of,
    window_value,
)
from ldap_workbench.inference.counts.metrics import MATERIAL, QUANTILE, SHARES, SLO
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict
from ldap_workbench.model.window import Window

_OF_A_KIND = (*QUANTILE, SLO)
"""Stalls are of all operations."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of one verdict, beside its metrics; None and empty where it has none."""

    verdict: Verdict
    shift: ShiftCurve | None = None
    ledger: Numbers | None = None
    pairs: tuple[PairRatio, ...] = ()


def evidence_of(judged: Judged) -> Evidence:
    """All of it."""
    verdict, windows = judged.verdict, judged.windows
    return Evidence(
        verdict,
        shift_of(verdict),
        stall_ledger(verdict, windows, judged.trim_s),
        pair_ratios(verdict, windows),
    )


def metrics_of(verdict: Verdict) -> list[MetricVerdict]:
    """All metrics of a verdict once, the primary first; a stored one has them in another order.

    Where the primary is of one kind of operation, the other metrics of that kind follow it.
    """
    first = verdict.primary
    rest = [m for m in verdict.metrics.values() if (m.type, m.metric) != (first.type, first.metric)]
    return [first, *_of_its_kind(verdict), *sorted(rest, key=_place)]


def _of_its_kind(verdict: Verdict) -> list[MetricVerdict]:
    """The etimes and the share over the target of the primary's kind, without the primary."""
    first = verdict.primary
    if OperationKind.parse(first.type) is None:
        return []
    metrics = verdict.types.get(first.type, {})
    return [metrics[name] for name in _OF_A_KIND if name in metrics and name != first.metric]


def _place(metric: MetricVerdict) -> tuple[bool, str, int]:
    """All operations first; metrics as they are listed everywhere, one of a stranger last."""
    order = list(METRICS)
    place = order.index(metric.metric) if metric.metric in METRICS else len(order)
    return metric.type != ALL, metric.type, place


def rungs_of(metrics: Sequence[MetricVerdict]) -> tuple[Rung, ...]:
    """One rung a metric, the first as the primary, each with what is too small to matter in it."""
    return tuple(
        Rung(
            metric_name(metric.metric, metric.type),
            metric.ratio,
            metric.low,
            metric.high,
            str(metric.verdict),
            primary=place == 0,
            material=MATERIAL.get(metric.metric, 1.1),
        )
        for place, metric in enumerate(metrics)
    )


def pair_ratios(verdict: Verdict, windows: Sequence[Window]) -> tuple[PairRatio, ...]:
    """B / A of the primary metric in each whole pair, over all operations; () for one pair."""
    began = {(window.arm, window.pair): window.start_ns for window in windows}
    pairs = {pair for arm, pair in began if arm == "B" and ("A", pair) in began}
    b_first = {pair: began["B", pair] < began["A", pair] for pair in pairs}
    values = pair_values(verdict, verdict.primary.metric, b_first)
    if len(values) < 2:
        return ()
    return tuple(PairRatio(v.pair, v.b / v.a, "B A" if v.b_first else "A B") for v in values)


def stall_ledger(verdict: Verdict, windows: Sequence[Window], trim_s: float) -> Numbers | None:
    """The stalls of both arms in all, then the longest one by one; None where it has none."""
    ledger = ledger_of(verdict, windows, trim_s)
    if ledger is None:
        return None
    rows: list[Row] = [
        (
            arm_name(arm.arm),
            amount(arm.count),
            amount(arm.per_hour, ".3g", "/h"),
            amount(arm.stalled_s_per_hour, ".3g", " s/h"),
            amount(arm.longest_ns, "duration"),
        )
        for arm in ledger.arms
    ]
    for stall in ledger.stalls[:STALLS]:
        start = DASH if stall.start_ns is None else clock(stall.start_ns)
        where = f"{stall.window or stall.arm}, {start}"
        length = amount(stall.length_ns, "duration")
        rows.append((where, "", "", amount(stall.operations), length))
    headings = (
        Message("Stalls"),
        Message("Count"),
        Message("Rate"),
        Message("Time stalled (or operations)"),
        Message("Longest (or length)"),
    )
    return Numbers(headings, tuple(rows))


def name_of(metric: MetricVerdict) -> Message:
    """The metric in words."""
    return names.metric_name(metric.metric, metric.type)


def _p(metric: MetricVerdict) -> Message | str:
    return amount(metric.p_adjusted, ".3f") if metric.n_pairs else DASH


COLUMNS: tuple[Column[MetricVerdict], ...] = (
    Column(Message("Metric"), name_of, key="metric"),
    Column(Message("Verdict"), lambda m: Judgement.named(m.verdict), strong=always, key="verdict"),
    Column(
        verbatim("A"),
        lambda m: names.metric_value(m.metric, m.a, m.n_a),
        lambda m: m.a,
        True,
        about=Message("As it was"),
        key="A",
    ),
    Column(
        verbatim("B"),
        lambda m: names.metric_value(m.metric, m.b, m.n_b),
        lambda m: m.b,
        True,
        about=Message("With the change"),
        key="B",
    ),
    quantity(
        verbatim("B / A"),
        lambda m: m.ratio,
        ratio,
        about=Message("In a typical pair of windows; below ×1 is better"),
        key="B/A",
    ),
    Column(
        Message("Interval"), lambda m: ratio_interval(m.low, m.high), number=True, key="interval"
    ),
    quantity(Message("Pairs"), lambda m: m.n_pairs, key="pairs", printed=lambda m: str(m.n_pairs)),
    Column(
        verbatim("p"),
        _p,
        lambda m: m.p_adjusted,
        True,
        about=Message("Adjusted for multiple metrics"),
        key="p",
    ),
    Column(Message("Data needed"), lambda m: m.takes, key="data needed"),
)


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
