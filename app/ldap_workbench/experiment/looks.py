"""Planned looks: judging what is measured so far, at the numbers of pairs named beforehand.

A look ends an experiment that is decided, for better or worse, at its share of the level. Where the
plan says so it also ends one that is futile: a stop that makes no claim costs no level.
"""

from __future__ import annotations

from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.record import Record
from ldap_workbench.inference.counts.metrics import MATERIAL
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.verdict import Judgement, Verdict


def decided_early(record: Record, done: int, progress: OnProgress) -> bool:
    """Whether a look planned after `done` windows decides, so that no more is measured."""
    plan = record.plan
    pairs, half = divmod(done, 2)
    if half or pairs not in plan.looks or done == len(plan.steps):
        return False
    progress(Progress(Message("Interim analysis after {pairs} pairs", pairs=pairs)))
    with record.reader() as session:
        verdict = judge(session, record.experiment)
    primary = verdict.primary
    decided = primary.verdict in (Judgement.BETTER, Judgement.WORSE)
    futile = plan.futility and is_futile(verdict)
    said = _said(pairs, primary.verdict, len(plan.steps) // 2 - pairs, ends=decided or futile)
    progress(Progress(said))
    record.mark("look", said)
    return decided or futile


def is_futile(verdict: Verdict) -> bool:
    """Whether no improvement that matters is likely any more.

    By the 80 % interval, whatever the level of the look: in simulated campaigns that saves a third
    of the hours, and finds what the interval of the look finds (tests/bench/campaigns.py).
    """
    hope = verdict.details.hope
    return hope is not None and hope > 1 / MATERIAL[verdict.primary.metric]


def _said(pairs: int, verdict: str, left: int, *, ends: bool) -> Message:
    if not ends:
        return Message(
            "Interim analysis after {pairs} pairs: {verdict}.", pairs=pairs, verdict=verdict
        )
    return count_of(
        "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pair "
        "is not measured.",
        "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pairs "
        "are not measured.",
        n=left,
        pairs=pairs,
        verdict=verdict,
    )
