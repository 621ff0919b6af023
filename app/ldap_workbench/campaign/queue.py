"""What a campaign is to try: named by hand, from the advice of a session, or levels of one knob."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.campaign.plan import Candidate
from ldap_workbench.experiment.plan import is_built
from ldap_workbench.experiment.tried_advice import beside_history
from ldap_workbench.model.errors import ChangeError, KnobError, UsageError
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.tuner import Tuner


def named(target: Target, tuner: Tuner, text: str, *, asks_for_stop: bool = False) -> Candidate:
    """'KNOB=VALUE', or 'KNOB=VALUE+KNOB=VALUE' for a group.

    `asks_for_stop`: whether the server may be stopped is asked afterwards. Raises KnobError, and
    ChangeError for what cannot be tried.
    """
    treatment = tuner.catalogue.treatment(re.split(r"\+(?!=)", text), target.facts)
    return Candidate(treatment, _needs_restart(tuner, treatment, asks_for_stop=asks_for_stop))


def levels(
    target: Target, tuner: Tuner, ladder: str, *, asks_for_stop: bool = False
) -> list[Candidate]:
    """'nsslapd-threadnumber=4,8,16,32' -> a candidate for each value, in that order."""
    knob, _, values = ladder.partition("=")
    return [
        named(target, tuner, f"{knob}={value.strip()}", asks_for_stop=asks_for_stop)
        for value in values.split(",")
    ]


def advised(
    target: Target, tuner: Tuner, session: Path, *, asks_for_stop: bool = False
) -> list[Candidate]:
    """What the advice of a session can try without a person's steps, the best first.

    Indexes are switched many times in a campaign, so they are tried on test servers only.
    Advice that this server cannot take now, such as an index that the disk has no room for, is left
    out. Raises UsageError where the session is of another server, or backs nothing to try.
    """
    every = _advice(session, target)
    if not every:
        raise UsageError(
            Message("Nothing in {path} asks for a change: there is no advice.", path=str(session)),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Capture the server while it is slow, or name the changes to try yourself."
            ),
        )
    candidates = (
        _of_advice(target, tuner, advice, asks_for_stop=asks_for_stop)
        for advice in every
        if advice.treatment.settings
        and (target.profile.test_server or not is_built(advice.treatment))
    )
    queue = [candidate for candidate in candidates if candidate]
    if not queue:
        raise UsageError(
            Message(
                "A campaign can try none of the advice of {path} on this server.",
                path=str(session),
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Read the findings for what to do by hand, or name the changes to try."),
        )
    return queue


def _of_advice(
    target: Target, tuner: Tuner, advice: Advice, *, asks_for_stop: bool
) -> Candidate | None:
    try:
        treatment = tuner.catalogue.treatment(advice.treatment.settings, target.facts)
        needs_restart = _needs_restart(tuner, treatment, asks_for_stop=asks_for_stop)
    except (KnobError, ChangeError):
        return None
    return Candidate(
        treatment,
        needs_restart,
        _why(advice),
        advice=advice.id,
        excludes=advice.excludes,
    )


def _why(advice: Advice) -> Message:
    """What the advice is, and what came of it when it was tried last."""
    if not advice.tried:
        return advice.title
    return Message("{title}. {tried}", title=advice.title, tried=advice.tried[0])


def _needs_restart(tuner: Tuner, treatment: Treatment, *, asks_for_stop: bool) -> bool:
    planned = tuner.plan(treatment)
    tuner.check_automated(planned, may_stop=tuner.may_stop or asks_for_stop)
    return any(change.needs_restart for change in planned)


def _advice(path: Path, target: Target) -> Sequence[Advice]:
    with Session.open(path) as session:
        if session.facts is None or session.facts.identity != target.facts.identity:
            raise UsageError(
                Message("{path} is not a session of this server.", path=str(path)),
                safe=Message("Nothing was changed."),
                remedy=Message("Capture this server, and take the advice of that session."),
            )
        advice = advise(findings(session), session.facts, settings=settings_now(session))
        return beside_history(advice, target.facts)
