"""The metrics of a verdict: each with its ratio, interval and judgement."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures import names
from ldap_workbench.figures.formats import metric_value
from ldap_workbench.gui.models.table import DASH, Column, RowsModel, always
from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_ratio
from ldap_workbench.model.verdict import MetricVerdict


class MetricsModel(RowsModel[MetricVerdict]):
    """The primary metric first."""

    def __init__(self, rows: Sequence[MetricVerdict] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)


def name_of(metric: MetricVerdict) -> str:
    """The metric in words, in the language of the window."""
    return shown(names.metric_name(metric.metric, metric.type))


def interval(metric: MetricVerdict) -> str:
    """The interval of the typical-window ratio."""
    if metric.low is None or metric.high is None:
        return DASH
    return shown(Message("{low:ratio} to {high:ratio}", low=metric.low, high=metric.high))


def _ratio(value: float | None) -> str:
    return DASH if value is None else format_ratio(value)


COLUMNS = (
    Column[MetricVerdict]("Metric", name_of),
    Column[MetricVerdict](
        "Verdict", lambda m: shown(names.judgement_name(m.verdict)), strong=always
    ),
    Column[MetricVerdict](
        "A", lambda m: metric_value(m.metric, m.a), lambda m: m.a, True, about="As it was"
    ),
    Column[MetricVerdict](
        "B", lambda m: metric_value(m.metric, m.b), lambda m: m.b, True, about="With the change"
    ),
    Column[MetricVerdict](
        "B / A", lambda m: _ratio(m.ratio), lambda m: m.ratio, True,
        about="In a typical pair of windows; below ×1 is better",
    ),
    Column[MetricVerdict]("Interval", interval, number=True),
    Column[MetricVerdict]("Pairs", lambda m: str(m.n_pairs), lambda m: m.n_pairs, True),
    Column[MetricVerdict](
        "p", lambda m: f"{m.p_adjusted:.3f}" if m.n_pairs else DASH, lambda m: m.p_adjusted, True,
        about="Adjusted for multiple metrics",
    ),
    Column[MetricVerdict]("Data needed", lambda m: shown(m.takes)),
)  # fmt: skip
