"""What the windows of an experiment do not show: hangs, losses, rare stalls, what outlives them."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.model.verdict import Judgement
from tests.bench.acceptance.operations import FOREVER, Asked, Server, Stream, Truth
from tests.bench.acceptance.truths import (
    CLAIMS,
    CROWD,
    NO_DIFFERENCE,
    NOISY,
    NOTHING,
    SLOW,
    never,
    unbounded,
)

QUIET = Stream(rate=60.0, sigma=0.2)
"""Fewer operations, alike, so that their p99 is known well in windows of five minutes."""
UPPER_QUARTER = 0.674
"""From how many standard deviations on a window is among the slowest quarter."""

HANGS = Truth(
    "B hangs for 40 s in a quarter of its windows, ×0.8 in the others: p50",
    Server((CROWD,)),
    Server((CROWD,), factor=0.8, hangs=0.25, hang_s=40.0),
    primary="p50",
    pairs=12,
)
HANGS_UNSEEN = replace(
    HANGS,
    pairs=8,
    b=replace(HANGS.b, hangs=0.0, lost=0.25),
    name="B is lost in a quarter of its windows, which are measured again, ×0.8 in the others: p50",
)
HANGS_UNSAID = replace(
    HANGS_UNSEEN, asked=Asked.LOSSES_UNSAID, name=f"{HANGS_UNSEEN.name}, as if nothing was lost"
)
LOSSES = replace(
    NOISY,
    b=replace(NOISY.b, lost_above=UPPER_QUARTER),
    name="nothing changed, but the slowest quarter of B is lost and measured again: p50",
)
LOSSES_UNSAID = replace(
    LOSSES, asked=Asked.LOSSES_UNSAID, name=f"{LOSSES.name}, as if nothing was lost"
)
RARE_STALLS = Truth(
    "nothing changed, stalls of 30 s once in ten minutes: slo",
    Server((CROWD, SLOW), stall_every_s=600.0, stall_s=30.0),
    Server((CROWD, SLOW), stall_every_s=600.0, stall_s=30.0),
    pairs=12,
)
RARE_STALLS_P99 = replace(
    RARE_STALLS, primary="p99", name="nothing changed, stalls of 30 s once in ten minutes: p99"
)
ONE_STALL_GONE = Truth(
    "a stall of 200 s once in three hours is gone: p99",
    Server((QUIET,), stall_every_s=10_800.0, stall_s=200.0),
    Server((QUIET,)),
    primary="p99",
    pairs=16,
    window_s=300.0,
    asked=Asked.OF_WHAT_IS_RARE,
)
LASTS = Truth(
    "×0.7 that stays after the revert: p50",
    Server((CROWD,), settles_s=FOREVER),
    Server((CROWD,), factor=0.7, settles_s=5.0),
    primary="p50",
    asked=Asked.OF_WHAT_LASTS,
)
LASTS_SLOWLY = replace(
    LASTS,
    b=Server((CROWD,), factor=0.7, settles_s=120.0),
    name="×0.7 that takes two windows and stays after the revert: p50",
)
AFTERWARDS = Truth(
    "nothing changed: the metric that moved most, chosen afterwards",
    NOTHING.a,
    NOTHING.b,
    asked=Asked.AFTERWARDS,
)


def unmarked(truth: Truth) -> Truth:
    """The same without the catalogue's mark."""
    return replace(truth, asked=Asked.AS_PLANNED, name=f"{truth.name}, not marked in the catalogue")


AS_IF_PLANNED = replace(
    AFTERWARDS,
    asked=Asked.AFTERWARDS_UNSAID,
    name="nothing changed: the metric that moved most, as if planned",
)

CHECKS = (
    never(RARE_STALLS, *CLAIMS),
    never(RARE_STALLS_P99, *CLAIMS),
    never(AFTERWARDS, *CLAIMS),
    unbounded(AS_IF_PLANNED, *CLAIMS),
    never(LOSSES, *CLAIMS),
    unbounded(LOSSES_UNSAID, *CLAIMS),
    never(HANGS, Judgement.BETTER),
    never(HANGS, *NO_DIFFERENCE),
    unbounded(HANGS_UNSEEN, Judgement.BETTER),
    unbounded(HANGS_UNSAID, Judgement.BETTER),
    never(LASTS, Judgement.WORSE),
    never(LASTS, *NO_DIFFERENCE),
    unbounded(unmarked(LASTS), *NO_DIFFERENCE),
    never(LASTS_SLOWLY, Judgement.WORSE),
    never(LASTS_SLOWLY, *NO_DIFFERENCE),
    unbounded(unmarked(LASTS_SLOWLY), *NO_DIFFERENCE),
    never(ONE_STALL_GONE, *NO_DIFFERENCE),
)
