"""The numbers of a plan, each once: name, unit, default, range and help.

`Plan` takes its defaults from here, the commands the defaults and help of their options, and the
window what its fields offer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

Number = TypeVar("Number", int, float)

NS_PER_MS = 1e6
"""Latencies are entered in milliseconds and stored in nanoseconds."""


@dataclass(frozen=True)
class PlanField(Generic[Number]):
    """One number, in `unit` as a person enters it."""

    name: str
    """Of the field that stores it, which ends with the unit it is stored in."""
    unit: str
    default: Number
    least: Number
    most: Number
    """The window offers `least` to `most`; a command also takes what is not usual."""
    help: str


WINDOW = PlanField[float]("window_s", "s", 300.0, 1, 86_400, "Length of each window, s.")
SETTLE = PlanField[float]("settle_s", "s", 5.0, 0, 3600, "Wait after each change, s.")
TRIM = PlanField[float]("trim_s", "s", 0.0, 0, 3600, "Warm-up to discard from every window, s.")
SLO = PlanField[float]("slo_ns", "ms", 100.0, 0, 600_000, "Latency target (SLO), ms.")
REPEATS = PlanField[int](
    "repeats",
    "pairs",
    3,
    0,
    200,
    "Most pairs to measure again, in all, because the link broke or another administrator changed "
    "the server.",
)
PATIENCE = PlanField[float](
    "patience_s", "s", 120.0, 1, 86_400, "Longest wait for a server that does not answer, s."
)
RESTART_WAIT = PlanField[float](
    "restart_wait_s",
    "s",
    300.0,
    1,
    86_400,
    "Longest wait for the server after a restart command, s.",
)
OF_EVERY_PLAN = (WINDOW, SETTLE, TRIM, SLO, REPEATS, PATIENCE, RESTART_WAIT)
"""Fields of `Plan` itself: finite, and never negative."""

P99 = PlanField[float]("p99_ns", "ms", 0.0, 0, 600_000, "Abort when p99 exceeds this, ms.")
"""A safety limit: 0 in the window is no limit. So is that of the lag."""
LAG = PlanField[float](
    "max_lag_s",
    "s",
    0.0,
    0,
    86_400,
    "Abort when a replica is more than this many seconds behind the others.",
)
LEAST_LAG_S = 5.0
"""Less is lost among readings a second apart."""
PAIRS = PlanField[int]("k", "pairs", 8, 1, 200, "Pairs of windows.")
BLOCKS = PlanField[int]("k", "blocks", 8, 1, 200, "Blocks; in each every replica has a turn.")
