"""Planned looks: judging what is measured so far, at the numbers of pairs named beforehand."""

from __future__ import annotations

from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.verdict import Judgement


def decided_early(record: Record, done: int, progress: OnProgress) -> bool:
    """Whether a look planned after `done` windows decides, so that no more is measured."""
    plan = record.plan
    pairs, half = divmod(done, 2)
    if half or pairs not in plan.looks or done == len(plan.steps):
        return False
    progress(Progress(Message("Interim analysis after {pairs} pairs", pairs=pairs)))
    with record.reader() as session:
        found = judge(session, record.experiment).primary.verdict
    decided = found in (Judgement.BETTER, Judgement.WORSE)
    said = Message("Interim analysis after {pairs} pairs: {verdict}.", pairs=pairs, verdict=found)
    if decided:
        said = count_of(
            "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pair "
            "is not measured.",
            "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pairs "
            "are not measured.",
            n=len(plan.steps) // 2 - pairs,
            pairs=pairs,
            verdict=found,
        )
    progress(Progress(said))
    record.mark("look", said)
    return decided
