"""What arms, metrics and judgements are called, and values of metrics, wherever they are shown."""

from __future__ import annotations

from ldap_workbench.figures.formats import NOT_KNOWN, amount, number
from ldap_workbench.inference.verdict.wording import share_of
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import State
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.knob import Effect, Risk
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.operations import ALL

ARMS = {"A": Message("A, as it was"), "B": Message("B, with the change")}
METRICS = {
    "p50": Message("p50 etime"),
    "p95": Message("p95 etime"),
    "p99": Message("p99 etime"),
    "p99.9": Message("p99.9 etime"),
    "slo": Message("share over the latency target"),
    "failed": Message("share that fails"),
    "stall_len": Message("stall length"),
    "stall_time": Message("time stalled"),
    "stall_n": Message("number of stalls"),
}
METRIC_UNITS = {"slo": "share", "failed": "share", "stall_n": "count"} | dict.fromkeys(
    ("p50", "p95", "p99", "p99.9", "stall_len", "stall_time"), "ns"
)

# Not a literal where it is used: there is nothing in it to translate.
_OF_KIND = "{operations}, {metric}"
OUTCOMES = {
    State.KEPT.value: Message("kept"),
    State.REVERTED.value: Message("reverted"),
    State.ABORTED.value: Message("aborted"),
    ChangeState.CLOSED.value: Message("closed, not reverted"),
}


EFFECTS = {
    Effect.LIVE: Message("immediately"),
    Effect.RESTART: Message("after a restart"),
    Effect.OFFLINE: Message("server stopped"),
}
RISKS = {
    Risk.LOW: Message("low"),
    Risk.MEDIUM: Message("medium"),
    Risk.HIGH: Message("high"),
}
CHANGE_STATES = {
    ChangeState.INTENDED: Message("OPEN: possibly written"),
    ChangeState.APPLIED: Message("OPEN: in place"),
    ChangeState.REVERTING: Message("OPEN: being reverted"),
    ChangeState.REVERTED: Message("reverted"),
    ChangeState.KEPT: Message("kept"),
    ChangeState.REFUSED: Message("refused by the server"),
    ChangeState.CLOSED: Message("closed, not reverted"),
    ChangeState.DONE: Message("done, nothing to revert"),
}
STATE_WORDS = {
    State.PLANNED: (Message("Starting"), ""),
    State.CHECKING: (Message("Checking the plan against the server"), ""),
    State.APPLYING: (Message("Applying the change"), "warn"),
    State.REVERTING: (Message("Reverting the change"), "warn"),
    State.RESTARTING: (Message("Restarting the server"), "warn"),
    State.SETTLING: (Message("Waiting after the change"), ""),
    State.MEASURING: (Message("Measuring"), ""),
    State.JUDGING: (Message("Judging"), ""),
    State.DECIDING: (Message("Waiting for your decision"), "warn"),
    State.KEPT: (Message("Done: the change was kept"), "good"),
    State.REVERTED: (Message("Done: the change was reverted"), "good"),
    State.ABORTED: (Message("Ended early"), "bad"),
}
"""What an experiment does now, and the mood of that."""


def arm_name(arm: str) -> Message:
    """'A, as it was'; nothing for a window of no arm."""
    return ARMS.get(arm) or (verbatim(arm) if arm else NOTHING)


def metric_name(metric: str, kind: str = ALL) -> Message:
    """A metric in words: 'BIND p99 etime' of a type, 'searches (mail=?), p50 etime' of a kind."""
    name = METRICS.get(metric) or verbatim(metric)
    if of_kind := OperationKind.parse(kind):
        return Message(_OF_KIND, operations=of_kind.name, metric=name)
    return name if kind == ALL else Message("{type} {metric}", type=kind, metric=name)


def metric_value(metric: str, value: float | None, n: int | None = None) -> Message:
    """A value of an arm, from `n` operations, in its unit: 1.25 ms, 0.34 %, 12 stalls."""
    value = number(value)
    if value is None:
        return NOT_KNOWN
    unit = METRIC_UNITS.get(metric, "count")
    if unit == "ns":
        return amount(round(value), "duration")
    if unit == "share":
        return share_of(value, n)
    return Message("{count:,.3g} stalls", count=value)
