"""The table of metrics of a verdict: each with its ratio, interval and judgement."""

from __future__ import annotations

from ldap_workbench.figures import names
from ldap_workbench.figures.formats import DASH, amount, ratio, ratio_interval
from ldap_workbench.figures.table import Column, always
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.verdict import Judgement, MetricVerdict


def name_of(metric: MetricVerdict) -> Message:
    """The metric in words."""
    return names.metric_name(metric.metric, metric.type)


def _p(metric: MetricVerdict) -> Message | str:
    return amount(metric.p_adjusted, ".3f") if metric.n_pairs else DASH


COLUMNS = (
    Column[MetricVerdict](Message("Metric"), name_of, key="metric"),
    Column[MetricVerdict](
        Message("Verdict"), lambda m: Judgement.named(m.verdict), strong=always, key="verdict"
    ),
    Column[MetricVerdict](
        verbatim("A"),
        lambda m: names.metric_value(m.metric, m.a, m.n_a),
        lambda m: m.a,
        True,
        about=Message("As it was"),
        key="A",
    ),
    Column[MetricVerdict](
        verbatim("B"),
        lambda m: names.metric_value(m.metric, m.b, m.n_b),
        lambda m: m.b,
        True,
        about=Message("With the change"),
        key="B",
    ),
    Column[MetricVerdict](
        verbatim("B / A"),
        lambda m: ratio(m.ratio),
        lambda m: m.ratio,
        True,
        about=Message("In a typical pair of windows; below ×1 is better"),
        key="B/A",
    ),
    Column[MetricVerdict](
        Message("Interval"), lambda m: ratio_interval(m.low, m.high), number=True, key="interval"
    ),
    Column[MetricVerdict](
        Message("Pairs"),
        lambda m: amount(m.n_pairs),
        lambda m: m.n_pairs,
        True,
        key="pairs",
        printed=lambda m: str(m.n_pairs),
    ),
    Column[MetricVerdict](
        verbatim("p"),
        _p,
        lambda m: m.p_adjusted,
        True,
        about=Message("Adjusted for multiple metrics"),
        key="p",
    ),
    Column[MetricVerdict](Message("Data needed"), lambda m: m.takes, key="data needed"),
)
