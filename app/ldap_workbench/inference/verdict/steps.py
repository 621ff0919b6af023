"""The steps of every verdict, whatever its design: measure, gates, what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ldap_workbench.inference.counts.ledger import CLOSED_BELOW, loop_index
from ldap_workbench.inference.counts.measured import (
    Measured,
    measure_all,
    slow_part,
    understated,
)
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.gates import Gate, gate
from ldap_workbench.inference.design.load import Load
from ldap_workbench.inference.design.selection import Selection
from ldap_workbench.inference.verdict import details
from ldap_workbench.inference.verdict.notices import unseen
from ldap_workbench.inference.verdict.question import (
    AUTO,
    CLOSED,
    Question,
    missing_windows,
    refusal,
)
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Judgement, Verdict

Loops = Mapping[str, float | None]
"""Loop index of each arm, below 1 where its clients wait; None where no stall shows it."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """The windows of a verdict, their slow operations, and every metric of both."""

    windows: list[WindowCounts]
    slow: list[WindowCounts]
    whole: Measured

    @cached_property
    def loops(self) -> dict[str, float | None]:
        """Loop index of each arm, see `Loops`."""
        return {arm: self._loop_of(arm) for arm in "AB"}

    def _loop_of(self, arm: str) -> float | None:
        mine = [i for i, w in enumerate(self.windows) if w.arm == arm]
        return loop_index(
            [self.windows[i] for i in mine],
            [self.slow[i] for i in mine],
            [self.whole.stalls[i] for i in mine],
            self.whole.threshold_s,
        )


_SAME_LOAD = Message(
    "To compare them, give both arms the same load: the replay of a log or another load of a fixed "
    "rate, or windows of hours that are alike. Clients that wait for their answers ask a faster "
    "server more."
)


def measure(asked: Question, windows: list[WindowCounts]) -> Measurement:
    """All metrics of all operations of these windows."""
    slow = slow_part(windows, asked.slo_s)
    whole = measure_all(windows, slow, asked.slo_s, asked.resolution_ns)
    return Measurement(windows, slow, whole)


def refused_unmeasured(
    asked: Question, selection: Selection, *, warming_up: bool
) -> Verdict | None:
    """The refusal of too few windows or of a server that was warming up; None for neither."""
    if selection.why:
        return refusal(asked, selection, Judgement.INSUFFICIENT, selection.why)
    if warming_up:
        why = Message("The server was still warming up after half a window.")
        return refusal(asked, selection, Judgement.NOT_COMPARABLE, why)
    return None


def pass_gates(
    asked: Question, selection: Selection, measured: Measurement, load: Load
) -> tuple[Gate, Verdict | None]:
    """What the gates say, and the refusal where they or the load do not let the arms pass."""
    gated = gate(
        measured.windows,
        measured.loops,
        closed=load.outcome,
        of_sessions=asked.of_sessions,
        failures=asked.failures,
    )
    why = gated.why or load.why
    if not why:
        return gated, None
    watched = unseen(measured.windows, measured.whole, asked.hung)
    way_on = NOTHING if gated.why else _SAME_LOAD
    warnings = tuple(filter(None, (way_on, *gated.warnings, watched, *missing_windows(asked))))
    return gated, refusal(asked, selection, Judgement.NOT_COMPARABLE, why, warnings)


def completed(
    verdict: Verdict,
    asked: Question,
    measured: Measurement,
    loops: Loops,
    warnings: tuple[Message, ...],
    *,
    load_ratio: float,
    load_kept: float | None = None,
) -> Verdict:
    """What was judged, with its warnings, its clients and its load."""
    waiting = _clients_wait(asked.loop, loops)
    clients = details.clients(measured.windows, measured.whole, loops, waiting, asked.slo_s)
    return replace(
        verdict,
        warnings=tuple(
            filter(None, (*warnings, _of_coarse_times(verdict, asked, measured.windows)))
        ),
        details=replace(
            verdict.details, clients=clients, load_ratio=load_ratio, load_kept=load_kept
        ),
    )


def _of_coarse_times(verdict: Verdict, asked: Question, windows: list[WindowCounts]) -> Message:
    """Which ratios are bounds, as the log cannot tell how short one arm's quantile is."""
    metrics = tuple(
        str(PrimaryMetric(name, kind or ALL))
        for kind, judged in ({"": verdict.metrics} | verdict.types).items()
        for name in understated(windows, kind, asked.slo_s, asked.resolution_ns)
        if judged[name].verdict != Judgement.INSUFFICIENT
    )
    if not metrics:
        return NOTHING
    return Message(
        "The log has steps of {step:duration}: an etime below {limit:duration} counts as "
        "{limit:duration} in both arms. The true change of {metrics:and} is at least as "
        "large as shown.",
        step=asked.resolution_ns,
        limit=round(asked.coarse_s * NS_PER_S),
        metrics=metrics,
    )


def _clients_wait(loop: str, loops: Loops) -> bool:
    """Whether the tail is to be shown without the clients' waiting, too."""
    known = [x for x in loops.values() if x is not None]
    return loop == CLOSED or (loop == AUTO and bool(known) and min(known) < CLOSED_BELOW)
