"""The verdict as a sentence: the primary metric first, then what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ldap_workbench.inference.counts.metrics import (
    FAILED,
    LEDGER,
    MATERIAL,
    QUANTILE,
    SHARES,
    SLO,
)
from ldap_workbench.model.kind import OperationKind, PrimaryMetric
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import SENTENCE, Judgement, MetricVerdict

NAMES = {
    "p50": Message("p50"),
    "p95": Message("p95"),
    "p99": Message("p99"),
    "p99.9": Message("p99.9"),
    "slo": Message("the share of operations over the latency target"),
    "failed": Message("the share of operations that fail"),
    "stall_len": Message("the length of stalls"),
    "stall_time": Message("the total stalled time"),
    "stall_n": Message("the number of stalls"),
}
NOT_RANDOMISED = Message(
    "Not randomised: indicative only. One window of each arm cannot separate the change from the "
    "time that passed; randomised pairs can."
)
_DECIDED = (Judgement.BETTER, Judgement.WORSE)
_OPEN = (Judgement.INCONCLUSIVE, Judgement.INSUFFICIENT, Judgement.NOT_SETTLED)
_LONG_S = 120


def judged(judgement: str, *sentences: Message) -> Message:
    """A sentence of a verdict: the judgement, then what there is to say."""
    return Message(SENTENCE, judgement=Judgement(judgement).word, sentences=sentences)


def sentence(
    primary: MetricVerdict, metrics: Mapping[str, MetricVerdict], design: Message
) -> Message:
    """The primary with its interval, what goes the other way, the stalls, the design.

    `design` says the pairs: a p-value never stands without them.
    """
    parts = [Message("{effect}.", effect=effect(primary))]
    others = [m for m in metrics.values() if (m.type, m.metric) != (primary.type, primary.metric)]
    against = [effect(m, brief=True) for m in others if _opposes(primary, m)]
    with_it = [effect(m, brief=True) for m in others if _agrees(primary, m)]
    if against:
        parts.append(Message("But {effects:and}.", effects=tuple(against)))
    if with_it:
        parts.append(Message("Also {effects:and}.", effects=tuple(with_it)))
    if margin := margin_not_cleared(primary):
        parts.append(Message("It may be less than {margin} %, too small to matter.", margin=margin))
    parts += _unchanged(others)
    if primary.n_pairs:
        parts.append(Message("{design}, p = {p:.2g}.", design=design, p=primary.p))
    else:
        parts.append(Message("{design}.", design=design))
    if primary.verdict in _OPEN and primary.takes:
        parts.append(Message("Data needed: {takes}.", takes=primary.takes))
    return judged(primary.verdict, *parts)


def margin_not_cleared(metric: MetricVerdict) -> int | None:
    """The margin, per cent, where a difference is proven and may still lie inside it."""
    margin = MATERIAL[metric.metric]
    if metric.verdict == Judgement.BETTER:
        cleared = metric.high is not None and metric.high <= 1 / margin
    elif metric.verdict == Judgement.WORSE:
        cleared = metric.low is not None and metric.low >= margin
    else:
        return None
    return None if cleared else _percent(margin)


def _unchanged(metrics: Sequence[MetricVerdict]) -> list[Message]:
    """Those without a material change, by their margins."""
    by_margin: dict[int, list[Message]] = {}
    for metric in metrics:
        if metric.verdict == Judgement.EQUIVALENT:
            margin = _percent(MATERIAL[metric.metric])
            by_margin.setdefault(margin, []).append(name_of(metric))
    return [
        Message("Unchanged within {margin} %: {metrics:list}.", margin=margin, metrics=tuple(names))
        for margin, names in sorted(by_margin.items())
    ]


def _percent(margin: float) -> int:
    return round(100 * (margin - 1))


def unpaired_sentence(primary: MetricVerdict) -> Message:
    """What one A and one B can say, and that it is no more."""
    return judged(primary.verdict, Message("{effect}.", effect=effect(primary)), NOT_RANDOMISED)


def describe_design(design: str, pairs: int, seconds: float) -> Message:
    """The design in words: '8 randomised pairs × 5 min'."""
    length = length_of(seconds)
    if design.startswith("abba"):
        return count_of(
            "{n} pair in ABBA order × {length}",
            "{n} pairs in ABBA order × {length}",
            n=pairs,
            length=length,
        )
    return count_of(
        "{n} randomised pair × {length}", "{n} randomised pairs × {length}", n=pairs, length=length
    )


def length_of(seconds: float) -> Message:
    """Of a window: '5 min', '30 s'."""
    if seconds >= _LONG_S:
        return Message("{minutes:.3g} min", minutes=seconds / 60)
    return Message("{seconds:.3g} s", seconds=seconds)


def name_of(metric: MetricVerdict | PrimaryMetric) -> Message:
    """The metric as a part of a sentence, with its type or kind of operation."""
    name = NAMES.get(metric.metric) or verbatim(metric.metric)
    if kind := OperationKind.parse(metric.type):
        return _of_kind(metric.metric, name, kind.name)
    if metric.type == ALL:
        return name
    return Message("{type} {metric}", type=metric.type, metric=name)


def _of_kind(metric: str, name: Message, operations: Message) -> Message:
    if metric == SLO:
        return Message("the share of {operations} over the latency target", operations=operations)
    if metric == FAILED:
        return Message("the share of {operations} that fail", operations=operations)
    return Message("{metric} of {operations}", metric=name, operations=operations)


def effect(metric: MetricVerdict, *, brief: bool = False) -> Message:
    """What a metric did: as people say it, then the typical window's ratio with its interval."""
    if metric.ratio is None:
        return Message("{metric} cannot be determined", metric=name_of(metric))
    change = _change(metric, metric.ratio)
    if brief:
        return change if _as_pooled(metric, metric.ratio) else typical(metric, metric.ratio)
    if metric.metric not in LEDGER:
        change = Message(
            "{change}, {ratio:ratio} in a typical window", change=change, ratio=metric.ratio
        )
    if metric.low is None or metric.high is None:
        return change
    return Message(
        "{change} [{low:ratio} to {high:ratio}]", change=change, low=metric.low, high=metric.high
    )


def _as_pooled(metric: MetricVerdict, ratio: float) -> bool:
    """Whether the values of all windows, if they are said, moved as those of a typical one."""
    if metric.metric in LEDGER or metric.a is None or metric.b is None:
        return True
    return (metric.b < metric.a) == (ratio < 1)


def typical(metric: MetricVerdict, ratio: float) -> Message:
    """By the ratio of a typical window alone."""
    return Message(
        "{metric} {ratio:ratio} in a typical window", metric=name_of(metric), ratio=ratio
    )


def _change(metric: MetricVerdict, ratio: float) -> Message:
    if metric.metric == "stall_len":
        return Message("{stalls} are {ratio:ratio} as long", stalls=_stalls(metric), ratio=ratio)
    if metric.metric == "stall_n":
        return Message(
            "{stalls} are {ratio:ratio} as frequent", stalls=_stalls(metric), ratio=ratio
        )
    name = name_of(metric)
    if metric.a is None or metric.b is None or metric.metric not in (*QUANTILE, *SHARES):
        return Message("{metric} is {ratio:ratio}", metric=name, ratio=ratio)
    if metric.metric in SHARES:
        a, b = share_of(metric.a, metric.n_a), share_of(metric.b, metric.n_b)
        return Message("{metric} went from {a} to {b}", metric=name, a=a, b=b)
    return Message(
        "{metric} went from {a:duration} to {b:duration}", metric=name, a=metric.a, b=metric.b
    )


def share_of(share: float, n: int | None) -> Message:
    """A share of `n` operations: '0.34 %', but '0 of 12,340', which says how much none is."""
    if share == 0 and n:
        return Message("0 of {n}", n=n)
    return Message("{percent:.3g} %", percent=100 * share)


def _stalls(metric: MetricVerdict) -> Message:
    if metric.type == ALL:
        return Message("stalls")
    if kind := OperationKind.parse(metric.type):
        return Message("stalls of {operations}", operations=kind.name)
    return Message("{type} stalls", type=metric.type)


def _opposes(primary: MetricVerdict, other: MetricVerdict) -> bool:
    if other.verdict not in _DECIDED:
        return False
    return primary.verdict not in _DECIDED or other.verdict != primary.verdict


def _agrees(primary: MetricVerdict, other: MetricVerdict) -> bool:
    return primary.verdict in _DECIDED and other.verdict == primary.verdict
