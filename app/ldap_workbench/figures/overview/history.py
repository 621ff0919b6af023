"""What was tried on servers, as a list shows it, with its outcome in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ldap_workbench.experiment.history import History, Tried, history, history_path
from ldap_workbench.figures.formats import attribute_values, number, ratio, ratio_interval, seconds
from ldap_workbench.figures.names import CHANGE_STATES, OUTCOMES, metric_name
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.metric import PrimaryMetric
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.verdict import Judgement


def read_history() -> History:
    """All that was tried, oldest first. Raises SessionError where the file cannot be read."""
    try:
        return history()
    except OSError as error:
        raise SessionError(
            Message("{path} cannot be read: {why}.", path=str(history_path()), why=str(error)),
            safe=Message("Nothing was changed."),
            remedy=Message("Make the file readable; the sessions themselves say the same."),
        ) from error


def newest_first(tried: Sequence[Tried]) -> list[Tried]:
    """By when they began."""
    return sorted(tried, key=lambda entry: entry.began_ns, reverse=True)


def tried_on(tried: Sequence[Tried], url: str, identity: str) -> tuple[Tried, ...]:
    """What was tried on one server, by its URL or its identity."""
    return tuple(entry for entry in tried if entry.is_on(url, identity))


def outcome_of(tried: Tried) -> Message:
    """Whether the change was kept; why its revert was given up."""
    if tried.because:
        return Message("closed, not reverted: {because}", because=tried.because)
    return OUTCOMES.get(tried.state) or verbatim(tried.state)


def verdict_of(tried: Tried) -> Message:
    """The judgement; that there was none where it ended before one."""
    return Judgement.named(tried.verdict) if tried.verdict else Message("no verdict")


def campaign_of(tried: Tried) -> str:
    """The name of the campaign it was part of; '' where it was none."""
    return Path(tried.campaign).stem


def took_ns(tried: Tried) -> int:
    """From its begin to its end, in whole seconds."""
    return round((tried.ended_ns - tried.began_ns) / NS_PER_S) * NS_PER_S


def ratio_known(tried: Tried) -> float | None:
    """B / A, or None: a line of the file may hold anything."""
    return number(tried.ratio)


def _is_kept(tried: Tried) -> bool:
    return tried.state == State.KEPT.value


def _metric(tried: Tried) -> Message:
    primary = PrimaryMetric.parse(tried.metric)
    return metric_name(primary.metric, primary.type)


COLUMNS: tuple[Column[Tried], ...] = (
    Column(Message("When (UTC)"), lambda t: format_time(t.began_ns)[:16], lambda t: t.began_ns),
    Column(Message("Server"), lambda t: known_as(t.profile, t.server), tip=lambda t: t.server),
    Column(Message("Treatment"), lambda t: " + ".join(t.treatment), strong=_is_kept),
    Column(Message("Verdict"), verdict_of, tip=_metric, strong=_is_kept),
    quantity(verbatim("B / A"), ratio_known, ratio),
    Column(Message("Interval"), lambda t: ratio_interval(t.low, t.high), number=True),
    Column(Message("Outcome"), outcome_of, strong=_is_kept),
    quantity(Message("Duration"), took_ns, lambda ns: seconds(ns / NS_PER_S)),
    Column(Message("Campaign"), campaign_of, tip=lambda t: t.campaign),
    Column(Message("Session"), lambda t: t.session),
)
METRIC: Column[Tried] = Column(Message("Metric"), _metric)
"""For a table without tips."""


def _open(change: Change) -> bool:
    return change.state.open


JOURNAL_COLUMNS: tuple[Column[Change], ...] = (
    quantity(Message("No."), lambda c: c.id, str),
    Column(Message("State"), lambda c: CHANGE_STATES[c.state], strong=_open),
    Column(Message("Server"), lambda c: c.server_name, tip=lambda c: c.server),
    Column(Message("Setting"), lambda c: c.knob, tip=lambda c: c.dn, strong=_open),
    Column(Message("Before"), lambda c: attribute_values(c.before), number=True),
    Column(Message("Requested"), lambda c: attribute_values(c.asked), number=True),
    Column(Message("Read back"), lambda c: attribute_values(c.got), number=True),
    Column(Message("Changed at"), lambda c: format_time(c.created_ns), lambda c: c.created_ns),
    Column(Message("Proof"), lambda c: c.proof or c.message, tip=lambda c: c.message or c.proof),
)
