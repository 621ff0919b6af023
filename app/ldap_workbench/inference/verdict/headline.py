"""The verdict in one line, with its error rate.

'Binds are 44 times faster: p99 11.0 ms → 250 µs; chance alone does this in 3 of 100 experiments'.
"""

from __future__ import annotations

import math

from ldap_workbench.inference.counts.metrics import FAILED, QUANTILE, SHARES, SLO
from ldap_workbench.inference.verdict.wording import name_of, share_of, typical
from ldap_workbench.model.kind import PrimaryMetric, subject_of
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.verdict import Judgement, MetricVerdict

_IN_THESE_WINDOWS = Message("in these windows")
_INDICATIVE = Message("indicative only")
_RESERVATIONS = {
    Judgement.IMMATERIAL: _IN_THESE_WINDOWS,
    Judgement.EQUIVALENT: _IN_THESE_WINDOWS,
    Judgement.SUGGESTS_BETTER: _INDICATIVE,
    Judgement.SUGGESTS_WORSE: _INDICATIVE,
    Judgement.INCONCLUSIVE: Message("may be chance"),
}
# Not literals where they are used: there is nothing in them to translate.
_LINE = "{change}: {values}; {reservation}"
_WITHOUT = "{change}: {values}"
_FROM_TO = "{before} → {after}"
_NAMED = "{metric} {values}"
_ROUNDED = "{times:.2g}"
_ETIME = "{etime:duration}"

_TIMES = 1.95
"""From this factor on it is told as '2 times', below it as per cent."""
_WHOLE_TIMES = 10
_ONE_OF_100 = 0.01


def headline(primary: MetricVerdict) -> Message:
    """What the change did, from what to what, and how often chance alone does as much.

    Of a file the numbers may be anything: what cannot be said is left out.
    """
    judgement = Judgement.known(primary.verdict)
    if judgement is None:
        return verbatim(str(primary.verdict))
    heading = judgement.heading
    if judgement in (Judgement.BETTER, Judgement.WORSE):
        if change := _change(primary):
            values = _from_to(primary, with_name=primary.metric not in SHARES, with_type=False)
            return _line(change, values, _error_rate(primary))
        return _line(heading, _values(primary, judgement), _error_rate(primary))
    if judgement not in _RESERVATIONS:
        return heading
    return _line(heading, _values(primary, judgement), _RESERVATIONS[judgement])


def _line(change: Message, values: Message | None, reservation: Message | None) -> Message:
    if values is None:
        return change
    if reservation is None:
        return Message(_WITHOUT, change=change, values=values)
    return Message(_LINE, change=change, values=values, reservation=reservation)


def _error_rate(primary: MetricVerdict) -> Message | None:
    """How often a change of nothing looks like this, by the p of the test; None without one."""
    p = _number(primary.p)
    if p is None or p >= 1:
        return None
    if p < _ONE_OF_100:
        return Message("chance alone does this in fewer than 1 of 100 experiments")
    return Message("chance alone does this in {n} of 100 experiments", n=round(100 * p))


def _change(primary: MetricVerdict) -> Message | None:
    """What became of the operations; None where that is not as simple as the numbers."""
    a, b = _positive(primary.a), _positive(primary.b)
    operations = subject_of(primary.type)
    if operations is None or a is None or not _agrees(primary):
        return None
    better = primary.verdict == Judgement.BETTER
    if primary.metric == SLO:
        if better:
            return Message("{operations} miss the latency target less often", operations=operations)
        return Message("{operations} miss the latency target more often", operations=operations)
    if primary.metric == FAILED:
        if better:
            return Message("{operations} fail less often", operations=operations)
        return Message("{operations} fail more often", operations=operations)
    if primary.metric not in QUANTILE or b is None:
        return None
    factor = a / b if better else b / a
    if factor >= _TIMES:
        return _times(operations, factor, better=better)
    percent = round(100 * abs(b / a - 1))
    if not percent:
        return None
    if better:
        return Message(
            "{operations} take {percent} % less time", operations=operations, percent=percent
        )
    return Message(
        "{operations} take {percent} % more time", operations=operations, percent=percent
    )


def _times(operations: Message, factor: float, *, better: bool) -> Message:
    times = round(factor) if factor >= _WHOLE_TIMES else Message(_ROUNDED, times=factor)
    if better:
        return Message("{operations} are {times} times faster", operations=operations, times=times)
    return Message("{operations} are {times} times slower", operations=operations, times=times)


def _values(primary: MetricVerdict, judgement: Judgement) -> Message | None:
    """From what to what; by the ratio where the values of all windows say something else."""
    undecided = judgement not in (Judgement.BETTER, Judgement.WORSE)
    values = _from_to(primary, with_name=True, with_type=True)
    if values and (undecided or _agrees(primary)):
        return values
    if (ratio := _positive(primary.ratio)) is None:
        return None
    return typical(primary, ratio)


def _from_to(primary: MetricVerdict, *, with_name: bool, with_type: bool) -> Message | None:
    a, b = _number(primary.a), _number(primary.b)
    if a is None or b is None:
        return None
    before: Message
    if primary.metric in SHARES:
        before, after = share_of(a, primary.n_a), share_of(b, primary.n_b)
    elif primary.metric in QUANTILE:
        before, after = (Message(_ETIME, etime=value) for value in (a, b))
    else:
        return None
    values = Message(_FROM_TO, before=before, after=after)
    if not with_name:
        return values
    name = name_of(primary if with_type else PrimaryMetric(primary.metric))
    return Message(_NAMED, metric=name, values=values)


def _agrees(primary: MetricVerdict) -> bool:
    """Whether the values of all windows moved as the judgement says."""
    a, b = _number(primary.a), _number(primary.b)
    if a is None or b is None:
        return False
    return b < a if primary.verdict == Judgement.BETTER else b > a


def _positive(value: object) -> float | None:
    known = _number(value)
    return known if known is not None and known > 0 else None


def _number(value: object) -> float | None:
    """A finite number from 0 on, or None."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    return float(value) if value >= 0 else None
