"""From windows to a verdict: gates, then the test the design allows, then words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ldap_workbench.inference.counts.loop import CLOSED_BELOW, loop_index
from ldap_workbench.inference.counts.measured import Measured, measure_all, slow_part
from ldap_workbench.inference.counts.metrics import known_metric
from ldap_workbench.inference.counts.warmup import warm_up
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.gates import gate
from ldap_workbench.inference.design.load import starved
from ldap_workbench.inference.design.selection import (
    ONE_SHOT,
    Selection,
    first_pairs,
    select,
    trimmed,
    without_pairs,
)
from ldap_workbench.inference.significance.sequential import ALPHA, look_at
from ldap_workbench.inference.verdict import details
from ldap_workbench.inference.verdict.loads import load_of
from ldap_workbench.inference.verdict.missing import missing_windows
from ldap_workbench.inference.verdict.notices import notices, unseen
from ldap_workbench.inference.verdict.paired import judge_in_pairs
from ldap_workbench.inference.verdict.question import AUTO, CLOSED, Question, refusal
from ldap_workbench.inference.verdict.unpaired import judge_unpaired
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Verdict


def analyse(
    windows: Sequence[WindowCounts],
    *,
    primary: str = "slo",
    seed: int = 0,
    slo_ns: int = 100_000_000,
    design: str | None = None,
    loop: str = "auto",
    trim: float | str = 0.0,
    restarted: bool = False,
    resolution_ns: int = 1,
    looks: Sequence[int] = (),
    level: float = ALPHA,
    afterwards: bool = False,
    lost: Sequence[str] = (),
    hung: Sequence[str] = (),
    lasting: Message = NOTHING,
    waited_s: float = 0.0,
    must_last: bool = False,
) -> Verdict:
    """The verdict over windows of arms "A" and "B".

    `primary` is a metric (p50, p95, p99, p99.9, slo, stall_len, stall_time, stall_n), on its own
    over all client operations, or as "BIND:p50" for one type; it must be
    chosen beforehand. Windows with the same `pair` belong together; `design` "ab", or a single
    pair, allows suggestions only, and six or more earlier windows of A then serve as history.
    `loop`: "open", "closed" (clients wait for answers, so throughput is an outcome), "auto": closed
    where all clients are seen to wait and that explains what the load does.
    `trim`: seconds to cut from every window, or "auto" (with the longer floor if `restarted`).
    `resolution_ns`: the finest step of the log's etimes. `looks`: numbers of pairs at which it
    was planned to look, each with its share of the primary metric's `level`. `afterwards`: what is
    asked was not planned, so that the answer only suggests. `lost`: the arm of each window that was
    measured again, whose absence may be the arm's doing; `hung`: of each in which the server did
    not answer its monitor for 10 s or longer. `lasting`: what of the effect outlives the revert, so
    that *no difference* cannot be known. `waited_s`: between each change and its window, to which
    what is trimmed here is added. `must_last`: whether *better* has to be more than what a switch
    may leave behind for as long as a window. Same input and seed, same Verdict.
    Raises UsageError for a primary metric that does not exist, ValueError for an arm or a shape of
    windows that does not.
    """
    rests_on = known_metric(primary)
    warm = warm_up(windows, restarted=restarted) if trim == "auto" else None
    cut = warm.seconds if warm else float(trim)
    selection = select(trimmed(windows, cut), design)
    label = design or (ONE_SHOT if selection.one_shot else f"pairs:{len(selection.pairs)}")
    asked = Question(
        rests_on.metric,
        "" if rests_on.of_all else rests_on.type,
        seed,
        slo_ns / 1e9,
        resolution_ns,
        loop,
        tuple(looks),
        label,
        level,
        afterwards,
        lost=tuple(lost),
        hung=tuple(hung),
        lasting=lasting,
        waited_s=waited_s + cut,
        must_last=must_last,
    )
    if looks and not selection.one_shot:
        due = look_at(len(selection.pairs), asked.looks)
        if due is None:
            why = Message("The first interim analysis is planned after {n} pairs.", n=min(looks))
            return refusal(asked, selection, Judgement.INSUFFICIENT, why)
        selection = first_pairs(selection, due)
    if selection.why:
        return refusal(asked, selection, Judgement.INSUFFICIENT, selection.why)
    if warm and warm.binds:
        why = Message("The server was still warming up after half a window.")
        return refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
    verdict = _verdict(asked, selection)
    return replace(verdict, details=replace(verdict.details, trimmed_s=cut))


def _verdict(asked: Question, selection: Selection) -> Verdict:
    """Gates and load, then the judgement of what is left."""
    windows = selection.windows
    slow = slow_part(windows, asked.slo_s)
    raw = measure_all(windows, slow, asked.slo_s, asked.resolution_ns)
    loops = {arm: loop_of(windows, slow, raw, arm) for arm in "AB"}
    load = load_of(windows, asked.loop, paired=not selection.one_shot)
    asked = replace(asked, loop=CLOSED if load.outcome else asked.loop, waiting=load.waiting)
    gated = gate(windows, loops, closed=load.outcome)
    if why := (gated.why or load.why):
        warnings = (*gated.warnings, unseen(windows, raw, asked.hung), *missing_windows(asked))
        return refusal(asked, selection, Judgement.NOT_COMPARABLE, why, warnings)
    if load.matched and not selection.one_shot:
        gone = sorted({w.pair for w in load.windows if starved(w)})
        selection = without_pairs(
            replace(selection, windows=load.windows),
            gone,
            Message("hardly any of its load was common to both arms"),
        )
        if not selection.windows:
            why = Message("No pair has a load that both arms saw.")
            return refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
    elif load.matched:
        selection = replace(selection, windows=load.windows)
    judge = judge_unpaired if selection.one_shot else judge_in_pairs
    if selection.windows is not windows:
        windows = selection.windows
        slow = slow_part(windows, asked.slo_s)
        raw = measure_all(windows, slow, asked.slo_s, asked.resolution_ns)
    verdict = judge(asked, selection, slow, raw)
    noticed = notices(windows, raw, one_shot=selection.one_shot, hung=asked.hung)
    warnings = (*gated.warnings, load.warning, *verdict.warnings, *noticed)
    waiting = clients_wait(asked.loop, loops)
    rests_on = replace(
        verdict.details,
        clients=details.clients(windows, raw, loops, waiting, asked.slo_s),
        load_ratio=load.ratio,
        load_kept=load.common,
    )
    return replace(verdict, warnings=tuple(w for w in warnings if w), details=rests_on)


def loop_of(
    windows: Sequence[WindowCounts], slow: Sequence[WindowCounts], measured: Measured, arm: str
) -> float | None:
    """The loop index of an arm, below 1 where its clients wait; None where no stall shows it."""
    mine = [i for i, w in enumerate(windows) if w.arm == arm]
    return loop_index(
        [windows[i] for i in mine],
        [slow[i] for i in mine],
        [measured.stalls[i] for i in mine],
        measured.threshold_s,
    )


def clients_wait(loop: str, loops: Mapping[str, float | None]) -> bool:
    """Whether the tail is to be shown without the clients' waiting, too."""
    known = [x for x in loops.values() if x is not None]
    return loop == CLOSED or (loop == AUTO and bool(known) and min(known) < CLOSED_BELOW)
