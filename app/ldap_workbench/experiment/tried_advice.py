"""Advice beside what was tried: "on 3 May: no material change".

It is this user's own history that says so (history.py). A session, which may come from anybody,
only names the server.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ldap_workbench.experiment.history import Tried, history, history_path
from ldap_workbench.inference.verdict.wording import effect, judged
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Setting
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.tuning.catalogue import parse_setting

MOST = 3
"""Of one piece of advice are said, the newest first."""
_WORSE = (Judgement.WORSE, Judgement.SUGGESTS_WORSE)
_NO_USE = (Judgement.EQUIVALENT, Judgement.IMMATERIAL)
_BETTER = (Judgement.BETTER, Judgement.SUGGESTS_BETTER)
_AFTER = dict.fromkeys(_BETTER, 0) | dict.fromkeys(_NO_USE, 1) | dict.fromkeys(_WORSE, 2)
_BECAME = {
    State.KEPT: Message("It was kept."),
    State.REVERTED: Message("It was reverted."),
    State.ABORTED: Message("It was aborted."),
}
_Settings = frozenset[tuple[str, str, str]]


def beside_history(advice: Sequence[Advice], facts: TargetFacts | None) -> list[Advice]:
    """The advice with what is known of it on this server, in the order it is worth a try now.

    What its last verdict calls worse comes after all other, before it what changed nothing; else
    the order stays, so that of the rest high risk is the last. Nothing changes where the server is
    not known by its identity. A history that cannot be read is said, and takes no advice away.
    """
    if facts is None or not facts.identity or not advice:
        return list(advice)
    try:
        known = [tried for tried in history().tried if tried.identity == facts.identity]
    except OSError as error:
        return [replace(proposal, tried=(_unread(error),)) for proposal in advice]
    newest = sorted(known, key=lambda tried: tried.began_ns, reverse=True)
    pairs = [(proposal, _about(proposal, newest)) for proposal in advice]
    pairs.sort(key=lambda item: _place(*item))
    return [
        replace(proposal, tried=tuple(_said(proposal, experiment) for experiment in tried[:MOST]))
        for proposal, tried in pairs
    ]


def _about(advice: Advice, tried: Sequence[Tried]) -> list[Tried]:
    """Of the same knobs at the same places, whatever their values."""
    knobs = _knobs(_settings(advice.treatment.settings))
    return [experiment for experiment in tried if knobs and _knobs(_of(experiment)) == knobs]


def _place(advice: Advice, tried: Sequence[Tried]) -> int:
    """By the newest verdict on the same values that decides anything."""
    wanted = _settings(advice.treatment.settings)
    verdicts = (experiment.verdict for experiment in tried if _of(experiment) == wanted)
    return next((_AFTER[Judgement(v)] for v in verdicts if v in _AFTER), 0)


def _said(advice: Advice, tried: Tried) -> Message:
    day = f"{datetime.fromtimestamp(tried.began_ns // NS_PER_S, UTC):%Y-%m-%d}"
    began = Message("Tried on this server on {day}.", day=day)
    if _of(tried) != _settings(advice.treatment.settings):
        other = " + ".join(tried.treatment)
        began = Message("{treatment} was tried on this server on {day}.", treatment=other, day=day)
    became = _BECAME[State(tried.state)] if tried.state in _BECAME else NOTHING
    return sentences(began, _verdict(tried), became)


def _verdict(tried: Tried) -> Message:
    if tried.verdict not in set(Judgement):
        return Message("{text}.", text=tried.verdict) if tried.verdict else NOTHING
    metric = PrimaryMetric.parse(tried.metric)
    ratio, low, high = map(_finite, (tried.ratio, tried.low, tried.high))
    judged_metric = MetricVerdict(metric.metric, tried.verdict, ratio=ratio, type=metric.type)
    change = effect(judged_metric, brief=True)
    if low is None or high is None:
        return judged(tried.verdict, Message("{change}.", change=change))
    interval = Message("{change} [{low:ratio} to {high:ratio}].", change=change, low=low, high=high)
    return judged(tried.verdict, interval)


def _finite(value: float | None) -> float | None:
    """A line of the file may hold any number."""
    return value if value is not None and math.isfinite(value) else None


def _of(tried: Tried) -> _Settings:
    try:
        return _settings([parse_setting(argument) for argument in tried.treatment])
    except UsageError:
        return frozenset()


def _settings(settings: Sequence[Setting]) -> _Settings:
    return frozenset((setting.knob.lower(), setting.place, setting.value) for setting in settings)


def _knobs(settings: _Settings) -> frozenset[tuple[str, str]]:
    return frozenset((knob, place) for knob, place, _ in settings)


def _unread(error: OSError) -> Message:
    return Message(
        "It is not known whether this was tried before: {path} cannot be read: {why}.",
        path=str(history_path()),
        why=error.strerror or str(error),
    )
