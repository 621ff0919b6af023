"""The verdict of a canary, from the sessions of its replicas."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from ldap_workbench.campaign.canary import Canary
from ldap_workbench.campaign.replica import Replica
from ldap_workbench.experiment.counting import counted_together, kind_in
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.verdict.crossover import Terms, analyse_crossover, harm_p
from ldap_workbench.inference.verdict.wording import judged
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.verdict import RULES, Judgement, Verdict
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session

HARM = 0.05
"""One-sided, at every block: it ends a canary and establishes nothing."""


def judge_canary(canary: Canary, replicas: Sequence[Replica]) -> Verdict:
    """The verdict over the whole blocks.

    One that was ended as harmful only suggests it, and not even that where it had not settled.
    """
    blocks, resolution_ns = _blocks(canary, replicas)
    orders = canary.plan.orders[: len(blocks)]
    verdict = analyse_crossover(blocks, orders, _terms(canary, resolution_ns))
    verdict = verdict.naming(verbatim(str(canary.plan.treatment)))
    settled = verdict.primary.verdict != Judgement.NOT_SETTLED
    if len(blocks) < canary.plan.blocks and settled:
        verdict = _suggested(verdict)
    return replace(verdict, warnings=(*verdict.warnings, *canary.remarks), rules=RULES)


def harm_so_far(canary: Canary, replicas: Sequence[Replica]) -> float:
    """One-sided p that the canary is worse than its controls, after the blocks so far."""
    blocks, resolution_ns = _blocks(canary, replicas)
    orders = canary.plan.orders[: len(blocks)]
    return harm_p(blocks, orders, _terms(canary, resolution_ns))


def _suggested(verdict: Verdict) -> Verdict:
    """It was looked at after every block, so its p-value is not that of one look."""
    word = Judgement.SUGGESTS_WORSE
    parts = verdict.explanation
    primary = replace(verdict.primary, verdict=word.value)
    return replace(verdict, primary=primary, sentence=judged(word, parts))


def _terms(canary: Canary, resolution_ns: int) -> Terms:
    trial = canary.plan.trial
    return Terms(
        primary=trial.primary,
        seed=trial.seed,
        slo_ns=trial.slo_ns,
        loop="closed" if trial.load and not trial.replays else "auto",
        resolution_ns=resolution_ns,
        level=trial.level,
        trim="auto" if trial.trim_auto else 0.0,
        restarted=trial.restart,
        waited_s=trial.settle_s + trial.trim_s,
    )


def _blocks(
    canary: Canary, replicas: Sequence[Replica]
) -> tuple[list[list[list[WindowCounts]]], int]:
    """Counts [block][window][replica] of the whole blocks, and the finest step of the logs."""
    parts, resolution_ns = [], 1
    size, trial = canary.plan.replicas, canary.plan.trial
    whole = canary.whole_blocks * size
    with ExitStack() as stack:
        for number, replica in enumerate(replicas):
            ids = [row[number] for row in canary.windows[:whole]]
            session = stack.enter_context(replica.record.reader())
            known = {window.id: window for window in session.windows()}
            parts.append((session, [known[number] for number in ids]))
            resolution_ns = max(resolution_ns, _resolution(session, ids))
        columns = counted_together(parts, trial.slo_ns, trial.trim_s, kind_in(trial.primary))
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [rows[i : i + size] for i in range(0, whole, size)], resolution_ns


def _resolution(session: Session, ids: Sequence[int]) -> int:
    logs = [source for number in ids for source in session.sources(number)]
    steps = [log.resolution_ns for log in logs if log.kind is SourceKind.ACCESS_LOG]
    return max(steps, default=1)
