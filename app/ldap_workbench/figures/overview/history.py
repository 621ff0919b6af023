"""Tests as a list shows them: planned, running, interrupted, and done with their outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.campaign.canary import Canary, Seat
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.experiment.history import History, Tried, history, history_path
from ldap_workbench.figures.formats import attribute_values, number, ratio, ratio_interval, seconds
from ldap_workbench.figures.names import CHANGE_STATES, OUTCOMES, metric_name
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import Plan, State
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.tuning.journal import server_name


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


_OPEN = {
    "planned": Message("planned"),
    "running": Message("running"),
    "interrupted": Message("interrupted"),
}


@dataclass(frozen=True)
class OpenTest(Tried):
    """A test that has not ended; its `state` is one of _OPEN, and no file of the history has it."""

    kind: str = ""
    """experiment, campaign or canary; '' for the one that runs."""


def planned_test(treatment: Treatment, profile: str, url: str, identity: str) -> OpenTest:
    """A change that is chosen and checked, and not measured yet."""
    names = tuple(setting.argument for setting in treatment.settings)
    return OpenTest(
        server_name(url), identity, profile, names, 0, 0, "planned", "", kind="experiment"
    )


def running_test(plan: Plan, profile: str, session: Path) -> OpenTest:
    """What is measured now."""
    names = tuple(setting.argument for setting in plan.treatment.settings)
    return OpenTest(profile, "", profile, names, 0, 0, "running", str(session), metric=plan.primary)


def interrupted(series: Sequence[Campaign | Canary]) -> list[OpenTest]:
    """Campaigns and canaries that can go on or be reverted."""
    return [_interrupted(state) for state in series if not state.ended]


def _interrupted(series: Campaign | Canary) -> OpenTest:
    if isinstance(series, Canary):
        kind: str = "canary"
        on: Seat | Campaign = series.seats[0]
        names: tuple[str, ...] = (str(series.plan.treatment),)
    else:
        kind, on = "campaign", series
        names = tuple(entry.treatment for entry in series.entries)
    file, began_ns = str(series.output), series.began_ns
    return OpenTest(
        on.server,
        on.identity,
        on.profile,
        names,
        began_ns,
        began_ns,
        "interrupted",
        file,
        campaign=file,
        kind=kind,
    )


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
    return OUTCOMES.get(tried.state) or _OPEN.get(tried.state) or verbatim(tried.state)


def verdict_of(tried: Tried) -> Message:
    """The judgement; that there was none where it ended before one."""
    if isinstance(tried, OpenTest):
        return NOTHING
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


def _is_kept_or_open(tried: Tried) -> bool:
    return tried.state == State.KEPT.value or isinstance(tried, OpenTest)


def _change(tried: Tried) -> Message | str:
    return " + ".join(tried.treatment) or Message("baseline")


def _when(tried: Tried) -> str:
    return format_time(tried.began_ns)[:16] if tried.began_ns else ""


def _duration(tried: Tried) -> Message | str:
    return "" if isinstance(tried, OpenTest) else seconds(took_ns(tried) / NS_PER_S)


def _metric(tried: Tried) -> Message:
    if not tried.metric:
        return NOTHING
    primary = PrimaryMetric.parse(tried.metric)
    return metric_name(primary.metric, primary.type)


COLUMNS: tuple[Column[Tried], ...] = (
    Column(Message("State"), outcome_of, strong=_is_kept_or_open),
    Column(Message("Change"), _change, strong=_is_kept_or_open),
    Column(Message("Verdict"), verdict_of, tip=_metric, strong=_is_kept_or_open),
    quantity(verbatim("B / A"), ratio_known, ratio),
    Column(Message("Interval"), lambda t: ratio_interval(t.low, t.high), number=True),
    Column(Message("Server"), lambda t: known_as(t.profile, t.server), tip=lambda t: t.server),
    Column(Message("When (UTC)"), _when, lambda t: t.began_ns),
    Column(Message("Duration"), _duration, took_ns, number=True),
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
    Column(
        Message("Verification"), lambda c: c.proof or c.message, tip=lambda c: c.message or c.proof
    ),
)
