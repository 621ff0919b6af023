"""What is said of a verdict that earlier rules gave, beside or instead of today's."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.inference.verdict.wording import effect
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement, Verdict
from ldap_workbench.session.reader import Session


def with_earlier_word(today: Verdict, stored: Verdict, session: Session) -> Verdict:
    """Today's verdict; where the stored one had another word, with a note of it and of why."""
    before, now = stored.primary.verdict, today.primary.verdict
    if before == now:
        return today
    note = Message(
        "Judged {before} by {version} when it was measured; by today's rules: {now}. {why}",
        before=Judgement.named(before),
        version=_version(session),
        now=Judgement.named(now),
        why=_reason(today),
    )
    return replace(today, warnings=(note, *today.warnings))


def not_judged_again(stored: Verdict, session: Session, why: Message) -> Verdict:
    """The stored verdict with a note that it is of earlier rules."""
    note = Message(
        "Judged by {version}, whose rules were others. It cannot be judged again: {why}",
        version=_version(session),
        why=why,
    )
    return replace(stored, warnings=(note, *stored.warnings))


def _version(session: Session) -> Message | str:
    return session.meta.get("written_by") or Message("an earlier version")


def _reason(today: Verdict) -> Message:
    if today.why:
        return today.why
    if today.primary.takes:
        return Message("Data needed: {takes}.", takes=today.primary.takes)
    return Message("{effect}.", effect=effect(today.primary))
