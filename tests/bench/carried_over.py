"""Campaigns of nothings whose switches leave something behind: python -m tests.bench.carried_over.

Five treatments that do nothing once the server has settled. But each switch to one makes operations
quicker for a while, by 6 % on average over a window, and fades with a third of a window or a whole
one. What is kept, and what is confirmed:

- by the test of the pairs alone;
- with the settling test in every keep;
- with windows of the confirmation from which the warm-up is discarded, the least the rule does;
- and, as the program runs campaigns, where typical etimes improve, too, some of that is left by
  a relaxation as slow as a window, in every keep and in the confirmation.

And of a queue in which the third treatment truly helps at once, with nothing left behind: how often
it is kept, and confirmed.

Pairs and tests are those of tests/bench/campaigns.py; the halves of a window have noise of their
own, typical etimes less of it than p99.
"""

from __future__ import annotations

import argparse
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.campaign.plan import level_of
from ldap_workbench.experiment.judge import is_futile
from ldap_workbench.inference.counts.warmup import FLOOR_S
from ldap_workbench.inference.significance.sequential import PLANNED_LOOKS, look_alpha
from ldap_workbench.inference.significance.settling import (
    Course,
    may_be_carried_over,
    paired_halves,
)
from ldap_workbench.inference.significance.signflip import flips
from ldap_workbench.model.verdict import Judgement
from tests.bench.campaigns import LEVEL, NOISE, PAIRS, judged, order_of, share

WINDOW_S = 300.0
FADES_S = (100.0, 300.0, 900.0)
"""Time constants."""
CARRIED = math.log(0.94)
"""Mean over a window of what a switch leaves behind, ln of a ratio."""
TYPICAL_NOISE = 0.05
"""Standard deviation of a typical etime's ln B - ln A in half a window, beside the window's own."""
QUEUE = 5
GOOD_AT = 2
HONEST = {
    "all etimes × 0.9": (math.log(0.9), math.log(0.9)),
    "all etimes × 0.8": (math.log(0.8), math.log(0.8)),
    "p99 × 0.8, the usual as before": (0.0, math.log(0.8)),
    "p99 × 0.8, the usual × 0.98": (math.log(0.98), math.log(0.8)),
}
"""ln ratios of typical etimes and of p99."""

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    name: str
    settling: bool
    cut_s: float = 0.0
    """From the windows of the confirmation."""
    lasts: bool = False


METHODS = (
    Method("the pairs alone", settling=False),
    Method("with the settling test", settling=True),
    Method("and with settled windows in the confirmation", settling=True, cut_s=FLOOR_S),
    Method("and more than it may leave behind", settling=True, cut_s=FLOOR_S, lasts=True),
)


@dataclass(frozen=True)
class Measured:
    """ln B - ln A: of p99 [pair], and of typical etimes and p99 [pair, half of the window]."""

    d: Float
    typical: Float
    primary: Float

    def first(self, pairs: int) -> Measured:
        return Measured(self.d[:pairs], self.typical[:pairs], self.primary[:pairs])

    def lasts(self, alpha: float) -> bool:
        return not may_be_carried_over(self.typical, self.d, 0, alpha)

    def settled(self) -> bool:
        n = len(self.d)
        windows = np.zeros((2, 2 * n, 2))
        windows[0, 1::2], windows[1, 1::2] = self.typical, self.primary
        return Course(*paired_halves(windows[0], windows[1], flips(n, 0))).settled


def left_behind(cut_s: float, fades_s: float) -> tuple[float, float]:
    """What a switch leaves in both halves of what remains of a window."""
    whole = fades_s / WINDOW_S * (1 - math.exp(-WINDOW_S / fades_s))
    at_once = CARRIED / whole
    half = (WINDOW_S - cut_s) / 2
    ends = [math.exp(-(cut_s + part * half) / fades_s) for part in range(3)]
    first, second = (fades_s * (a - b) / half for a, b in itertools.pairwise(ends))
    return at_once * first, at_once * second


@dataclass(frozen=True)
class Queue:
    """Treatments of which each switch leaves something behind, or one is good and nothing is."""

    fades_s: float = 0.0
    good: tuple[float, float] = (0.0, 0.0)

    def carried(self, cut_s: float) -> Float:
        return np.array(left_behind(cut_s, self.fades_s) if self.fades_s else (0.0, 0.0))


def measure(random: np.random.Generator, cut_s: float, queue: Queue, good: bool) -> Measured:
    carried = queue.carried(cut_s)
    typical_effect, effect = queue.good if good else (0.0, 0.0)
    tails = random.standard_t(4, (PAIRS, 2)) / np.sqrt(2.0)
    primary = effect + carried + NOISE * np.sqrt(2.0) * tails
    noise = TYPICAL_NOISE * random.standard_normal((PAIRS, 2))
    typical = typical_effect + carried + noise
    return Measured(primary.mean(1), typical, primary)


def is_better(measured: Measured, order: tuple[int, ...], alpha: float, method: Method) -> bool:
    verdict = judged(measured.d, order, alpha).primary.verdict
    if verdict != Judgement.BETTER:
        return False
    if method.settling and not measured.settled():
        return False
    return not method.lasts or measured.lasts(alpha)


def tried(
    random: np.random.Generator, level: float, method: Method, queue: Queue, good: bool
) -> bool:
    """Whether one experiment of the queue is kept, with looks and futility."""
    measured, order = measure(random, 0.0, queue, good), order_of(random)
    alpha = look_alpha(PLANNED_LOOKS, level)
    for pairs in PLANNED_LOOKS:
        so_far = measured.first(pairs)
        if is_better(so_far, order, alpha, method):
            return True
        if is_futile(judged(so_far.d, order, alpha)):
            return False
    return False


def campaign(
    random: np.random.Generator, method: Method, queue: Queue
) -> tuple[frozenset[int], bool]:
    """Which of five are kept, and whether they are confirmed."""
    spent: list[bool] = []
    for index in range(QUEUE):
        level = level_of(index, [1.0] * QUEUE, spent, LEVEL)
        spent.append(not tried(random, level, method, queue, index == GOOD_AT))
    keeps = frozenset(index for index, gone in enumerate(spent) if not gone)
    if not keeps:
        return keeps, False
    again = measure(random, method.cut_s, queue, GOOD_AT in keeps)
    return keeps, is_better(again, order_of(random), LEVEL, method)


def runs(
    asked: argparse.Namespace, method: Method, queue: Queue
) -> list[tuple[frozenset[int], bool]]:
    return [
        campaign(np.random.default_rng((asked.seed, run)), method, queue)
        for run in range(asked.runs)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.carried_over")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=741_000)
    asked = parser.parse_args()
    print("| five nothings, 6 % left behind | fades with | keeps one % | confirms % |")
    print("|---|---|---:|---:|")
    for fades_s in FADES_S:
        for method in METHODS:
            of = runs(asked, method, Queue(fades_s))
            keeps, confirms = share([bool(each) for each, _ in of]), share([yes for _, yes in of])
            print(f"| {method.name} | {fades_s:g} s | {keeps} | {confirms} |", flush=True)
    print("\n| one good of five, nothing left behind | method | keeps it % | confirms it % |")
    print("|---|---|---:|---:|")
    for name, good in HONEST.items():
        for method in METHODS[2:]:
            of = runs(asked, method, Queue(good=good))
            keeps = share([GOOD_AT in each for each, _ in of])
            confirms = share([yes and GOOD_AT in each for each, yes in of])
            print(f"| {name} | {method.name} | {keeps} | {confirms} |", flush=True)


if __name__ == "__main__":
    main()
