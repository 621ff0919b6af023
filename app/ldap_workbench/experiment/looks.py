"""Planned looks: judging what is measured so far, at the numbers of pairs named beforehand."""

from __future__ import annotations

from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.verdict import Judgement


def decided_early(record: Record, done: int, progress: OnProgress) -> bool:
    """Whether a look planned after `done` windows decides, so that no more is measured."""
    plan = record.plan
    pairs, half = divmod(done, 2)
    if half or pairs not in plan.looks or done == len(plan.steps):
        return False
    progress(Progress(f"Looking as planned, after {pairs} pairs"))
    with record.reader() as session:
        found = judge(session, record.experiment).primary.verdict
    decided = found in (Judgement.BETTER, Judgement.WORSE)
    said = f"looked as planned after {pairs} pairs: {found}"
    if decided:
        left = len(plan.steps) // 2 - pairs
        said += f"; that ends the experiment, {left} pairs are not measured"
    progress(Progress(said[0].upper() + said[1:]))
    record.mark("look", said)
    return decided
