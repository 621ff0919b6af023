"""The table of metrics of a verdict: each with its ratio, interval and judgement."""

from __future__ import annotations

from ldap_workbench.figures import names
from ldap_workbench.figures.formats import DASH, amount, ratio, ratio_interval
from ldap_workbench.figures.table import Column, always, quantity
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.verdict import Judgement, MetricVerdict


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
