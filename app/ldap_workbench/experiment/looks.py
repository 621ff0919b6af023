"""Planned looks: judging what is measured so far, at the numbers of pairs named beforehand.

A look ends an experiment that is decided, for better or worse, at its share of the level. Where the
plan says so it also ends one that is futile: a stop that makes no claim costs no level.
"""

from __future__ import annotations

from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.statistics.counts.metrics import MATERIAL


def decided_early(record: Record, done: int, progress: OnProgress) -> bool:
    """Whether a look planned after `done` windows decides, so that no more is measured."""
    plan = record.plan
    pairs, half = divmod(done, 2)
    if half or pairs not in plan.looks or done == len(plan.steps):
        return False
    progress(Progress(Message("Interim analysis after {pairs} pairs", pairs=pairs)))
    with record.reader() as session:
        primary = judge(session, record.experiment).primary
    decided = primary.verdict in (Judgement.BETTER, Judgement.WORSE)
    futile = plan.futility and is_futile(primary)
    said = _said(pairs, primary.verdict, len(plan.steps) // 2 - pairs, ends=decided or futile)
    progress(Progress(said))
    record.mark("look", said)
    return decided or futile


def is_futile(primary: MetricVerdict) -> bool:
    """Whether the interval of a look holds no improvement that matters any more."""
    return primary.low is not None and primary.low > 1 / MATERIAL[primary.metric]


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
