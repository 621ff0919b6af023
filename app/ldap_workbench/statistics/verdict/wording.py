"""The verdict as a sentence: the primary metric first, then what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping

from ldap_workbench.model.units import format_duration, format_ratio
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.statistics.counts.metrics import LEDGER, QUANTILE, SLO

NAMES = {
    "slo": "the share of operations over the limit",
    "stall_len": "the length of stalls",
    "stall_time": "the total stalled time",
    "stall_n": "the number of stalls",
}
_DECIDED = (Judgement.BETTER, Judgement.WORSE)
_OPEN = (Judgement.INCONCLUSIVE, Judgement.INSUFFICIENT)
_STALL_WORDS = {"stall_len": "as long", "stall_n": "as frequent"}


def sentence(primary: MetricVerdict, metrics: Mapping[str, MetricVerdict], design: str) -> str:
    """The primary with its interval, what goes the other way, the stalls, the design.

    `design` says the pairs: a p-value never stands without them.
    """
    parts = [f"{capital(primary.verdict)}: {effect(primary)}"]
    others = [m for m in metrics.values() if (m.type, m.metric) != (primary.type, primary.metric)]
    against = [effect(m, brief=True) for m in others if _opposes(primary, m)]
    with_it = [effect(m, brief=True) for m in others if _agrees(primary, m)]
    if against:
        parts.append(f"But {', and '.join(against)}")
    if with_it:
        parts.append(f"Also {', and '.join(with_it)}")
    same = [name_of(m) for m in others if m.verdict == Judgement.EQUIVALENT]
    if same:
        parts.append(f"Unchanged within 10 %: {', '.join(same)}")
    parts.append(f"{design}, p = {primary.p:.2g}" if primary.n_pairs else design)
    if primary.verdict in _OPEN and primary.takes:
        parts.append(f"To know: {primary.takes}")
    return ". ".join(parts) + "."


def one_shot_sentence(primary: MetricVerdict) -> str:
    """What one A and one B can say, and that it is no more."""
    return (
        f"{capital(primary.verdict)}: {effect(primary)}. One-shot: one stretch each cannot "
        "separate the change from the time that passed; randomised pairs can."
    )


def design_words(design: str, pairs: int, seconds: float) -> str:
    """The design as people say it."""
    length = f"{seconds / 60:.3g} min" if seconds >= 120 else f"{seconds:.3g} s"
    if design.startswith("abba"):
        return f"{pairs} pairs in ABBA order × {length}"
    return f"{pairs} randomised pairs × {length}"


def name_of(metric: MetricVerdict) -> str:
    """The metric in words, with its operation type."""
    name = NAMES.get(metric.metric, metric.metric)
    return name if metric.type == "ALL" else f"{metric.type} {name}"


def effect(metric: MetricVerdict, *, brief: bool = False) -> str:
    """What a metric did: as people say it, then the typical window's ratio with its interval."""
    if metric.ratio is None:
        return f"{name_of(metric)} cannot be told"
    text = _change(metric)
    if brief:
        return text
    if metric.metric not in LEDGER:
        text += f", {format_ratio(metric.ratio)} in a typical window"
    if metric.low is not None and metric.high is not None:
        text += f" [{format_ratio(metric.low)} to {format_ratio(metric.high)}]"
    return text


def _change(metric: MetricVerdict) -> str:
    ratio = format_ratio(metric.ratio or 1.0)
    if metric.metric in _STALL_WORDS:
        kind = "" if metric.type == "ALL" else f"{metric.type} "
        return f"{kind}stalls are {ratio} {_STALL_WORDS[metric.metric]}"
    if metric.a is None or metric.b is None or metric.metric not in (*QUANTILE, SLO):
        return f"{name_of(metric)} is {ratio}"
    if metric.metric == SLO:
        return f"{name_of(metric)} went from {_share(metric.a)} to {_share(metric.b)}"
    a, b = format_duration(round(metric.a)), format_duration(round(metric.b))
    return f"{name_of(metric)} went from {a} to {b}"


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def _opposes(primary: MetricVerdict, other: MetricVerdict) -> bool:
    if other.verdict not in _DECIDED:
        return False
    return primary.verdict not in _DECIDED or other.verdict != primary.verdict


def _agrees(primary: MetricVerdict, other: MetricVerdict) -> bool:
    return primary.verdict in _DECIDED and other.verdict == primary.verdict


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]
