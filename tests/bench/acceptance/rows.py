"""The checks of the acceptance table: which experiments, which share of them, which bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.acceptance.simulated import Case

Outcome = dict[str, Any]
DECIDED = ("better", "worse")
LATENCY = ("p50", "p95", "p99", "p99.9", "slo", "stall_len")


def primary_decided(o: Outcome) -> bool:
    return o["primary"] in DECIDED


def any_secondary(o: Outcome) -> bool:
    return any(m[0] in DECIDED for name, m in o["metrics"].items() if name != "slo")


def not_comparable(o: Outcome) -> bool:
    return bool(o["primary"] == "not comparable")


def said(metric: str, *words: str) -> Callable[[Outcome], bool]:
    return lambda o: o["metrics"][metric][0] in words


def primary_said(word: str) -> Callable[[Outcome], bool]:
    return lambda o: o["primary"] == word


def raw_p(metric: str) -> Callable[[Outcome], bool]:
    return lambda o: o["metrics"][metric][1] <= 0.05


def wrong_sign(o: Outcome) -> bool:
    """The checkpoint effect makes no latency worse; the total stalled time stays the same."""
    return any(o["metrics"][name][0] == "worse" for name in LATENCY)


def unqualified(o: Outcome) -> bool:
    words = [o["primary"], *(m[0] for m in o["metrics"].values())]
    return any(word in DECIDED for word in words)


@dataclass(frozen=True)
class Check:
    """A share of the experiments of some cases, at least or at most so many per cent."""

    row: int
    what: str
    cases: tuple[Case, ...]
    holds: Callable[[Outcome], bool]
    bar: float
    at_least: bool
    reference: str


def _most(row: int, what: str, cases: Any, holds: Any, bar: float, reference: str) -> Check:
    return Check(row, what, _tuple(cases), holds, bar, False, reference)


def _least(row: int, what: str, cases: Any, holds: Any, bar: float, reference: str) -> Check:
    return Check(row, what, _tuple(cases), holds, bar, True, reference)


def _tuple(cases: Case | Sequence[Case]) -> tuple[Case, ...]:
    return (cases,) if isinstance(cases, Case) else tuple(cases)


SCENARIOS = ("stationary", "realistic", "giant", "closed")
AA = {name: Case(name, "none", "pairs:8", 5, 400) for name in SCENARIOS}
SRCH = Case("realistic", "none", "pairs:8", 5, 400, b_srch=0.80)
LOADS = {x: Case("realistic", "none", "pairs:8", 5, 400, b_load=x) for x in (1.10, 1.25)}
CKPT_8 = Case("realistic", "ckpt", "pairs:8", 5, 400)
CKPT_16 = Case("realistic", "ckpt", "pairs:16", 5, 120)
LOCK_16 = Case("realistic", "lock", "pairs:16", 5, 400)
LOCK_32 = Case("realistic", "lock", "pairs:32", 5, 100)
CACHE_8 = Case("realistic", "cache", "pairs:8", 5, 400, primary="p50")
BODY_16 = Case("realistic", "body5", "pairs:16", 5, 120, primary="p50")
GIANT_16 = Case("giant", "ckpt", "pairs:16", 5, 100)
CLOSED_16 = Case("closed", "ckpt", "pairs:16", 5, 100, primary="stall_len")
ONE_SHOT = Case("realistic", "none", "AB", 40, 300)

_REFERENCE_1 = {"stationary": "3.2", "realistic": "6.0", "giant": "4.0", "closed": "4.5"}
_REFERENCE_2 = {"stationary": "2.8", "realistic": "4.5", "giant": "2.5", "closed": "3.2"}
FALSE = "A/A: primary better or worse"
SECONDARY = "A/A: any secondary better or worse"

CHECKS = (
    *(_most(1, FALSE, AA[s], primary_decided, 7.5, _REFERENCE_1[s]) for s in SCENARIOS),
    _most(1, f"{FALSE}, pooled", AA.values(), primary_decided, 6.0, "4.4"),
    *(_most(2, SECONDARY, AA[s], any_secondary, 7.0, _REFERENCE_2[s]) for s in SCENARIOS),
    _most(3, FALSE, SRCH, primary_decided, 7.0, "3.0"),
    _most(3, SECONDARY, SRCH, any_secondary, 7.0, "2.5"),
    _most(3, FALSE, LOADS[1.10], primary_decided, 7.0, "4.0"),
    _most(3, SECONDARY, LOADS[1.10], any_secondary, 7.0, "4.3"),
    _most(3, FALSE, LOADS[1.25], primary_decided, 7.0, "0.0"),
    _most(3, SECONDARY, LOADS[1.25], any_secondary, 7.0, "2.0"),
    _least(3, "not comparable", LOADS[1.25], not_comparable, 60, "85"),
    _least(4, "stall length better", CKPT_8, said("stall_len", "better"), 95, "100"),
    _least(4, "share over limit better", CKPT_8, primary_said("better"), 65, "79"),
    _most(4, "any latency metric worse", CKPT_8, wrong_sign, 2, "0"),
    _least(5, "share over limit better", CKPT_16, primary_said("better"), 90, "97"),
    _least(5, "p99.9 raw p <= 0.05", CKPT_16, raw_p("p99.9"), 90, "99"),
    _least(6, "share over limit worse", LOCK_16, primary_said("worse"), 60, "69"),
    _most(6, "p50 better or worse", LOCK_16, said("p50", *DECIDED), 4, "0"),
    _least(6, "p50 no material change", LOCK_16, said("p50", "no material change"), 55, "100"),
    _least(7, "share over limit worse", LOCK_32, primary_said("worse"), 90, "99"),
    _least(8, "p50 better", CACHE_8, said("p50", "better"), 98, "100"),
    _least(9, "p50 raw p <= 0.05", BODY_16, raw_p("p50"), 80, "88"),
    _least(10, "stall length better", GIANT_16, said("stall_len", "better"), 95, "100"),
    _least(10, "share over limit better", GIANT_16, said("slo", "better"), 60, "75"),
    _least(11, "stall length better", CLOSED_16, said("stall_len", "better"), 95, "100"),
    _most(12, "one-shot A/A: better or worse, unqualified", ONE_SHOT, unqualified, 0, "0"),
)
