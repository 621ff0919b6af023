"""From windows to a verdict: gates, then the test the design allows, then words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldap_workbench.inference.counts.metrics import known_metric
from ldap_workbench.inference.counts.warmup import warm_up
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.load import (
    MATCHED,
    Load,
    WaitingLoad,
    load_ratio,
    match_load,
    starts_per_s,
    starved,
    waiting_load,
)
from ldap_workbench.inference.design.pairs import LEAST_PAIRS
from ldap_workbench.inference.design.selection import (
    ONE_SHOT,
    Selection,
    first_pairs,
    select,
    trimmed,
    without_pairs,
)
from ldap_workbench.inference.significance.sequential import ALPHA, look_at
from ldap_workbench.inference.significance.signflip import flips, p_value
from ldap_workbench.inference.verdict.notices import notices
from ldap_workbench.inference.verdict.paired import judge_in_pairs
from ldap_workbench.inference.verdict.question import AUTO, CLOSED, Question, refusal
from ldap_workbench.inference.verdict.steps import (
    completed,
    measure,
    pass_gates,
    refused_unmeasured,
)
from ldap_workbench.inference.verdict.unpaired import judge_unpaired
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Verdict

_CHANCE = 0.05
"""From which p on, by sign flips of the pairs, a difference of the load may be chance."""


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
    lasting: Message = NOTHING,
    waited_s: float = 0.0,
    must_last: bool = False,
    of_sessions: bool = False,
    failures: bool = False,
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
    measured again, whose absence may be the arm's doing. `lasting`: what of the effect outlives the
    revert, so that *no difference* cannot be known. `waited_s`: between each change and its
    window, to which what is trimmed here is added. `must_last`: whether *better* has to be more
    than what a switch may leave behind for as long as a window. `of_sessions`: with `design` "ab"
    `pair` is the number of a window's session, and sessions are what is counted. `failures`: the
    arms may differ in what fails, see `analyse_failures`.

    Same input and seed, same Verdict. Raises UsageError for a primary metric that does not exist,
    ValueError for an arm or a shape of windows that does not.
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
        hung=tuple(window.arm for window in windows if window.hung),
        lasting=lasting,
        waited_s=waited_s + cut,
        must_last=must_last,
        of_sessions=of_sessions,
        failures=failures,
    )
    if looks and not selection.one_shot:
        due = look_at(len(selection.pairs), asked.looks)
        if due is None:
            why = Message("The first interim analysis is planned after {n} pairs.", n=min(looks))
            return refusal(asked, selection, Judgement.INSUFFICIENT, why)
        selection = first_pairs(selection, due)
    warming_up = warm is not None and warm.binds
    if refused := refused_unmeasured(asked, selection, warming_up=warming_up):
        return refused
    verdict = _verdict(asked, selection)
    return replace(verdict, details=replace(verdict.details, trimmed_s=cut))


def _verdict(asked: Question, selection: Selection) -> Verdict:
    """Gates and load, then the judgement of what is left."""
    measured = measure(asked, selection.windows)
    loops = measured.loops
    load = _load_of(
        selection.windows,
        asked.loop,
        paired=not selection.one_shot,
        of_sessions=asked.of_sessions,
    )
    asked = replace(asked, loop=CLOSED if load.outcome else asked.loop, waiting=load.waiting)
    gated, refused = pass_gates(asked, selection, measured, load)
    if refused:
        return refused
    if load.matched:
        selection = _of_common_load(selection, load)
        if not selection.windows:
            why = Message("No pair has a load that both arms saw.")
            return refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
        measured = measure(asked, selection.windows)
    judge = judge_unpaired if selection.one_shot else judge_in_pairs
    verdict = judge(asked, selection, measured.slow, measured.whole)
    noticed = notices(
        measured.windows, measured.whole, one_shot=selection.one_shot, hung=asked.hung
    )
    warnings = (*gated.warnings, load.warning, *verdict.warnings, *noticed)
    return completed(
        verdict,
        asked,
        measured,
        loops,
        warnings,
        load_ratio=load.ratio,
        load_kept=load.common,
    )


def _of_common_load(selection: Selection, load: Load) -> Selection:
    """Windows weighted to the same load, without the pairs of which it leaves too little."""
    selection = replace(selection, windows=load.windows)
    if selection.one_shot:
        return selection
    gone = sorted({w.pair for w in load.windows if starved(w)})
    return without_pairs(selection, gone, Message("hardly any of its load was common to both arms"))


def _load_of(
    windows: Sequence[WindowCounts], loop: str, *, paired: bool, of_sessions: bool
) -> Load:
    """Whether and how the arms can be compared; `paired` windows come as A, B, A, B ...

    Where the load is apart because all clients wait, it is an outcome. Where it is apart too far to
    be matched, but not in one direction, it is noise: the random order puts it into either arm.
    """
    if loop == CLOSED:
        ratio = load_ratio(windows, of_sessions=of_sessions)
        return Load(list(windows), ratio, outcome=True, waiting=True)
    load = match_load(windows, of_sessions=of_sessions)
    seen = waiting_load(windows, of_sessions=of_sessions) if loop == AUTO else None
    load = replace(load, waiting=seen is not None)
    if not load.why and not load.warning:
        return load
    if seen is not None and seen.explained:
        return replace(
            load,
            windows=list(windows),
            common=1.0,
            why=NOTHING,
            outcome=True,
            warning=_outcome(seen),
        )
    too_little = paired and (load.why or _pairs_left(load.windows) < LEAST_PAIRS)
    if too_little and (p := _chance(windows, load.ratio)) is not None:
        by_chance = _by_chance(load.ratio, p)
        return replace(load, windows=list(windows), common=1.0, why=NOTHING, warning=by_chance)
    return load


def _pairs_left(windows: Sequence[WindowCounts]) -> int:
    """Pairs of which load matching leaves enough in both windows."""
    return len({w.pair for w in windows} - {w.pair for w in windows if starved(w)})


def _outcome(seen: WaitingLoad) -> Message:
    return Message(
        "All clients wait for their answers, so the load is an outcome (loop=closed, chosen "
        "automatically): arm B had {throughput:ratio} the throughput of arm A and {etime:ratio} "
        "its mean etime, which agree.",
        throughput=seen.throughput,
        etime=seen.etime,
    )


def _chance(windows: Sequence[WindowCounts], ratio: float) -> float | None:
    """p of the difference of the load by the random order; None where it is more than chance."""
    logs = np.log([starts_per_s(window) for window in windows])
    d = logs[1::2] - logs[::2]
    if len(d) < LEAST_PAIRS or max(ratio, 1 / ratio) > MATCHED:
        return None
    p = p_value(d, flips(len(d), 0))
    return p if p > _CHANCE else None


def _by_chance(ratio: float, p: float) -> Message:
    return Message(
        "Arm B had {ratio:ratio} the load of arm A. Load varies from window to window, so this may "
        "be chance (p = {p:.2g}): the windows were compared as they are.",
        ratio=ratio,
        p=p,
    )
