"""A canary in sentences, to read before saying yes: who, how long, what it can find."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from ldap_workbench.campaign.canary import Canary, CanaryPlan, Outcome, session_paths
from ldap_workbench.campaign.canary_judge import HARM
from ldap_workbench.experiment.counting import counted_together, kind_in
from ldap_workbench.experiment.description import (
    afterwards,
    end_by_the_clock,
    length,
    limits_in_words,
    warm_up_of,
)
from ldap_workbench.experiment.foresight import baseline_windows
from ldap_workbench.experiment.plan import RESTART_S
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.significance.crossover import false_stop_rate
from ldap_workbench.inference.significance.power import (
    chance_range,
    detectable,
    known_from_rows,
)
from ldap_workbench.inference.verdict.crossover import side_by_side_noise
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

HOPELESS = 0.2
"""A plan that at best finds the wanted effect less often than this is refused."""
_USUAL_NOISE = (0.05, 0.10, 0.20)
_TOGETHER = 0.2
"""Windows that begin so close to each other, as a share of their length, are side by side."""

_OUTCOMES = {
    Outcome.RUNNING: Message("The canary has not ended."),
    Outcome.KEPT: Message("The change is in force on all replicas."),
    Outcome.REVERTED: Message("The change was reverted: all replicas are as they were before."),
    Outcome.ABORTED: Message("The canary was aborted; what is in force is in the journal."),
}


def describe_canary(plan: CanaryPlan, profiles: Sequence[str]) -> list[Message]:
    """The treatment, the turns, the time, the restarts, the limits, the end."""
    trial, count = plan.trial, len(plan.windows)
    least, most = plan.duration_range_s
    lines = [
        Message("Treatment: {treatment}.", treatment=str(plan.treatment)),
        count_of(
            "{n} block of {replicas} windows of {window:g} s, measured on all replicas side by "
            "side; {least} to {most} in all.",
            "{n} blocks of {replicas} windows of {window:g} s, measured on all replicas side by "
            "side; {least} to {most} in all.",
            n=plan.blocks,
            replicas=plan.replicas,
            window=trial.window_s,
            least=length(least),
            most=length(most),
        ),
        Message(
            "In each window one replica has the treatment; in turn, in this random order (seed "
            "{seed:plain}): {turns}.",
            seed=trial.seed,
            turns=_turns(plan, profiles),
        ),
    ]
    if trial.restart:
        lines.append(
            Message(
                "Every replica is restarted before every window, one after the other: {times} "
                "restarts of each, about {down} without service of each in all.",
                times=count,
                down=length(RESTART_S * count),
            )
        )
        lines.append(warm_up_of(trial))
    lines += [_limits(plan), afterwards(trial)]
    return [line for line in lines if line]


def canary_restarts_ahead(canary: Canary, now_s: float) -> Message:
    """What users will notice before anything else, of the windows that are left.

    NOTHING where no replica is restarted. By the clock of this machine.
    """
    plan, measured = canary.plan, len(canary.windows)
    left = len(plan.windows) - measured
    if not plan.trial.restart or not left:
        return NOTHING
    return count_of(
        "This restarts each of {replicas} replicas once, one after the other: about {down} without "
        "service of each, until about {time} (local time).",
        "This restarts each of {replicas} replicas {n} times, one after the other: about {down} "
        "without service of each in all, until about {time} (local time).",
        n=left,
        replicas=plan.replicas,
        down=length(RESTART_S * left),
        time=end_by_the_clock(now_s, plan.left_s(measured)),
    )


def _turns(plan: CanaryPlan, profiles: Sequence[str]) -> str:
    return "; ".join(" ".join(profiles[number] for number in block) for block in plan.orders)


def _limits(plan: CanaryPlan) -> Message:
    """What reverts all replicas, whichever of them it happens to."""
    limits = [*limits_in_words(plan.trial.guards)]
    if plan.max_lag_s is not None:
        limits.append(Message("it is more than {lag:g} s behind the others", lag=plan.max_lag_s))
    harm = Message("the canary is worse than its controls (p ≤ 0.05 after a block)")
    return Message(
        "All replicas are reverted at once when on any of them: {limits:or}.",
        limits=(*limits, harm),
    )


def foresee_canary(
    plan: CanaryPlan, profiles: Sequence[str], baseline: Path | None, ratio: float
) -> list[Message]:
    """What the plan can find. Raises UsageError where it is next to nothing."""
    design, level = (plan.replicas, plan.blocks), plan.trial.level
    noise, rows = _noise(plan, session_paths(baseline, profiles)) if baseline else (None, 0)
    if noise is None:
        examples = tuple(
            Message(
                "{ratio:ratio} with {noise:percent}",
                ratio=detectable(usual, design, level),
                noise=usual,
            )
            for usual in _USUAL_NOISE
        )
        said = Message(
            "The smallest change it detects in 8 of 10 canaries depends on how much windows of "
            "one replica vary: {found:list}. To know it here, capture the replicas side by side "
            "without a change and name that file with --baseline.",
            found=examples,
        )
        harm = _false_stops(plan)
        if baseline is None:
            return [said, harm]
        too_short = Message(
            "{path} has too few windows side by side to tell the noise.", path=str(baseline)
        )
        return [too_short, said, harm]
    chance = chance_range(noise, known_from_rows(rows, plan.replicas), ratio, design, level)
    said = Message(
        "Judging by {n} windows of each replica without a change, they vary by {noise:percent}: a "
        "true {ratio:ratio} is found in {least:percent} to {most:percent} of such canaries.",
        n=rows,
        noise=noise,
        ratio=ratio,
        least=chance.low,
        most=chance.high,
    )
    if chance.high < HOPELESS:
        raise UsageError(
            said,
            safe=Message("Nothing was changed."),
            remedy=Message("Use more --blocks or a longer --window, or look for more: --effect."),
        )
    return [said, _false_stops(plan)]


def _false_stops(plan: CanaryPlan) -> Message:
    return Message(
        "A change without any effect is called harmful after one of the blocks in about "
        "{share:percent} of such canaries.",
        share=false_stop_rate(plan.replicas, plan.blocks, HARM, plan.trial.level),
    )


def _noise(plan: CanaryPlan, paths: Sequence[Path]) -> tuple[float | None, int]:
    """From windows that every replica has at the same time, and how many of each these are."""
    with ExitStack() as stack:
        sessions = [stack.enter_context(Session.open(path)) for path in paths]
        baselines = [baseline_windows(session, plan.trial) for session in sessions]
        offsets = [session.facts.clock_offset_ns if session.facts else 0 for session in sessions]
        together = [_beside(first, baselines, offsets) for first in baselines[0]]
        whole = [row for row in together if row]
        columns: list[list[WindowCounts]] = counted_together(
            [(session, [row[i] for row in whole]) for i, session in enumerate(sessions)],
            plan.trial.slo_ns,
            plan.trial.trim_s,
            kind_in(plan.trial.primary),
        )
    rows = [list(row) for row in zip(*columns, strict=True)]
    return side_by_side_noise(rows, plan.trial.primary, plan.trial.slo_ns), len(rows)


def _beside(
    first: Window, baselines: Sequence[Sequence[Window]], offsets: Sequence[int]
) -> list[Window]:
    """The windows of all replicas that began with `first`; [] where one has none."""
    row = []
    limit = _TOGETHER * (first.end_ns - first.start_ns)
    began = first.start_ns - offsets[0]
    for windows, offset in zip(baselines, offsets, strict=True):
        near = [window for window in windows if abs(window.start_ns - offset - began) <= limit]
        if not near:
            return []
        row.append(near[0])
    return row


def outcome_of(canary: Canary) -> Message:
    """What is in force now."""
    if canary.outcome is Outcome.REVERTED:
        reverted = Message("The change was reverted on all replicas.")
        return after_reverts(canary.left_stored, _OUTCOMES[canary.outcome], reverted)
    return _OUTCOMES[canary.outcome]
