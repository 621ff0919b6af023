"""Findings of a session and the advice they back. Knows no Qt; called in the session's thread."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.advice import advise, conflicts, findings, settings_now
from ldap_workbench.model.finding import Advice, Evidence, Finding
from ldap_workbench.model.knob import Treatment
from ldap_workbench.session import Session

TAILS = {
    "p50": "The usual answer (p50)",
    "p99": "One in a hundred (p99)",
    "p99.9": "One in a thousand (p99.9)",
    "slo": "Answers over the limit",
}
"""What may hurt, as advice is ranked by it."""


@dataclass(frozen=True)
class Seen:
    """What was found, likely causes first; advice best first for one tail; what excludes what."""

    findings: tuple[Finding, ...]
    advice: tuple[Advice, ...]
    conflicts: tuple[str, ...]


def read_findings(session: Session, tail: str) -> Seen:
    """Look through all windows of a session; advice is ranked for `tail`, a key of TAILS."""
    found = tuple(findings(session))
    return ranked(found, session, tail)


def ranked(found: tuple[Finding, ...], session: Session, tail: str) -> Seen:
    """The same findings with advice for another tail."""
    now = settings_now(session)
    advice = tuple(advise(found, session.facts, tail=tail, settings=now))
    return Seen(found, advice, tuple(conflicts(advice)))


def settings_of(treatment: Treatment) -> list[str]:
    """A treatment as 'KNOB@PLACE=VALUE', one for each setting."""
    return [
        f"{setting.knob}{'@' + setting.place if setting.place else ''}={setting.value}"
        for setting in treatment.settings
    ]


def stretch(evidence: Evidence) -> tuple[int, int] | None:
    """From when to when (ns) to look; a moment has a second on either side."""
    if evidence.start_ns is None:
        return None
    end = evidence.end_ns if evidence.end_ns is not None else evidence.start_ns
    room = max(1_000_000_000, (end - evidence.start_ns) // 4)
    return evidence.start_ns - room, end + room
