"""The verdict as a sentence: the primary metric first, then what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping

from ldap_workbench.model.units import format_duration, format_ratio
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.statistics.metrics import QUANTILE

NAMES = {
    "slo": "the share of operations over the limit",
    "stall_len": "the length of stalls",
    "stall_time": "the total stalled time",
    "stall_n": "the number of stalls",
}
_DECIDED = (Judgement.BETTER, Judgement.WORSE)


def sentence(
    primary: MetricVerdict, metrics: Mapping[str, MetricVerdict], pairs: int, seconds: float
) -> str:
    """One or two sentences without a p-value that stands alone."""
    text = f"{_capital(primary.verdict)}: {_effect(primary)}"
    text += f" ({pairs} randomised pairs of {seconds:.0f} s, p = {primary.p:.3f})."
    against = [
        _effect(m) for m in metrics.values() if m.metric != primary.metric and _opposes(primary, m)
    ]
    if against:
        text += f" But {', and '.join(against)}."
    if primary.verdict in (Judgement.INCONCLUSIVE, Judgement.INSUFFICIENT) and primary.takes:
        text += f" To know: {primary.takes}."
    return text


def one_shot_sentence(primary: MetricVerdict) -> str:
    """What one A and one B can say, and that it is no more."""
    return (
        f"{_capital(primary.verdict)}: {_effect(primary)}. One window each cannot separate the "
        "change from the time that passed; randomised pairs can."
    )


def _opposes(primary: MetricVerdict, other: MetricVerdict) -> bool:
    if other.verdict not in _DECIDED:
        return False
    return primary.verdict not in _DECIDED or other.verdict != primary.verdict


def name_of(metric: MetricVerdict) -> str:
    """The metric in words, with its operation type."""
    name = NAMES.get(metric.metric, metric.metric)
    return name if metric.type == "ALL" else f"{metric.type} {name}"


def _effect(metric: MetricVerdict) -> str:
    if metric.ratio is None:
        return f"{name_of(metric)} cannot be told"
    text = f"{name_of(metric)} {_change(metric)}"
    if metric.low is not None and metric.high is not None:
        text += f", {format_ratio(metric.ratio)} in a typical window"
        text += f" [{format_ratio(metric.low)} to {format_ratio(metric.high)}]"
    return text


def _change(metric: MetricVerdict) -> str:
    if metric.a is None or metric.b is None or metric.metric not in (*QUANTILE, "slo"):
        return f"is {format_ratio(metric.ratio or 1.0)}"
    if metric.metric == "slo":
        return f"went from {metric.a:.3%} to {metric.b:.3%}"
    return f"went from {format_duration(round(metric.a))} to {format_duration(round(metric.b))}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
