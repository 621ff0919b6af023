"""Whole campaigns beside other ways to tune: python -m tests.bench.campaigns [--runs N].

Queues of five treatments on a server whose pairs of windows differ by noise alone: nothing true,
one good, or a good and a harmful one. What is compared, at the same queue:

- the campaign as the program runs it: 24 pairs a treatment, looks at 8, 12, 16, 20 and 24,
  futility, the fallback procedure, winners stay, one confirmation;
- each treatment alone on all its 24 pairs, at 5 % / 5 (Bonferroni), those better kept;
- a random search with the hours of the campaign: settings drawn anew for each pair, the best kept.

Prints the table of docs/verdict.md. The tests are the program's; only the pairs are simulated:
ln ratios of p99 with heavy tails (t with 4 degrees of freedom) and a standard deviation of 0.15.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from math import log

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.campaign.plan import level_of
from ldap_workbench.experiment.judge import is_futile
from ldap_workbench.inference.significance.paired import Columns, Test, hope, judge_metric
from ldap_workbench.inference.significance.sequential import PLANNED_LOOKS, look_alpha
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict, VerdictDetails

METRIC = "p99"
LEVEL = 0.05
PAIRS = PLANNED_LOOKS[-1]
NOISE = 0.15
HOURS_A_PAIR = 2 * 305 / 3600
"""Two windows of 5 minutes, each after 5 s of settling."""

QUEUES = {
    "nothing true": (0.0, 0.0, 0.0, 0.0, 0.0),
    "one good (÷ 1.2)": (0.0, 0.0, -log(1.2), 0.0, 0.0),
    "one good, one harmful (× 1.5)": (log(1.5), 0.0, -log(1.2), 0.0, 0.0),
}
"""ln ratios of p99 that each treatment of the queue truly has."""

Float = NDArray[np.float64]


@dataclass
class Outcome:
    """What one run kept, by index, and how many pairs it measured."""

    kept: set[int] = field(default_factory=set)
    pairs: int = 0
    claims: bool = False
    """Whether it says at its end that the server is better now."""


def differences(random: np.random.Generator, effect: float, n: int) -> Float:
    """ln B - ln A of n pairs."""
    tails = random.standard_t(4, n) / np.sqrt(2.0)
    return np.asarray(effect + NOISE * tails)


def order_of(random: np.random.Generator) -> tuple[int, ...]:
    """Which pairs begin with A: never all alike, as the program draws them."""
    while True:
        drawn = tuple(int(each) for each in random.choice((1, -1), PAIRS))
        if len({*drawn}) > 1:
            return drawn


def judged(d: Float, order: tuple[int, ...], alpha: float) -> Verdict:
    """The verdict of the first pairs of a design."""
    columns = Columns({METRIC: d}, 1e9, 0, 0.0, {}, order[: len(d)], len(order))
    primary = judge_metric(columns, METRIC, Test(0, alpha))
    details = VerdictDetails(hope=hope(columns, METRIC, 0))
    return Verdict(primary, {}, True, NOTHING, f"pairs:{PAIRS}", NOTHING, details=details)


def campaign(random: np.random.Generator, effects: tuple[float, ...]) -> Outcome:
    """As `ldap-workbench campaign` goes through its queue."""
    outcome, spent = Outcome(), list[bool]()
    for index, effect in enumerate(effects):
        level = level_of(index, [1.0] * len(effects), spent, LEVEL)
        verdict, pairs = with_looks(random, effect, level)
        outcome.pairs += pairs
        if verdict.verdict == Judgement.BETTER:
            outcome.kept.add(index)
        spent.append(verdict.verdict not in (Judgement.BETTER, Judgement.WORSE))
    if outcome.kept:
        together = sum(effects[index] for index in outcome.kept)
        confirmed = judged(differences(random, together, PAIRS), order_of(random), LEVEL)
        outcome.pairs += PAIRS
        outcome.claims = confirmed.primary.verdict == Judgement.BETTER
        if not outcome.claims:
            outcome.kept.clear()
    return outcome


def with_looks(
    random: np.random.Generator, effect: float, level: float
) -> tuple[MetricVerdict, int]:
    """One experiment of the queue, ended by the first look that decides or sees no hope."""
    d, order = differences(random, effect, PAIRS), order_of(random)
    for pairs in PLANNED_LOOKS:
        verdict = judged(d[:pairs], order, look_alpha(PLANNED_LOOKS, level))
        decided = verdict.primary.verdict in (Judgement.BETTER, Judgement.WORSE)
        if decided or is_futile(verdict):
            break
    return verdict.primary, pairs


def bonferroni(random: np.random.Generator, effects: tuple[float, ...]) -> Outcome:
    """Every treatment alone, against the server as it was."""
    outcome = Outcome(pairs=PAIRS * len(effects))
    for index, effect in enumerate(effects):
        d = differences(random, effect, PAIRS)
        verdict = judged(d, order_of(random), LEVEL / len(effects)).primary
        if verdict.verdict == Judgement.BETTER:
            outcome.kept.add(index)
    outcome.claims = bool(outcome.kept)
    return outcome


def random_search(pairs: int) -> Callable[[np.random.Generator, tuple[float, ...]], Outcome]:
    """So many pairs, each with settings drawn by coins against the server as it was."""

    def search(random: np.random.Generator, effects: tuple[float, ...]) -> Outcome:
        drawn = random.integers(0, 2, (pairs, len(effects))).astype(bool)
        measured = np.array([differences(random, drawn[i] @ effects, 1)[0] for i in range(pairs)])
        best = drawn[int(np.argmin(measured))]
        kept = {int(each) for each in np.flatnonzero(best)}
        return Outcome(kept, pairs, claims=bool(kept))

    return search


def share(of: list[bool]) -> str:
    """'12.3'"""
    return f"{100 * sum(of) / len(of):.1f}"


def row(name: str, queue: str, found: list[Outcome]) -> str:
    """One line of the table."""
    effects = QUEUES[queue]
    good = {i for i, effect in enumerate(effects) if effect < 0}
    wrong = [bool(each.kept - good) for each in found]
    right = share([good <= each.kept for each in found]) if good else ""
    harmful = [any(effects[i] > 0 for i in each.kept) for each in found]
    hours = HOURS_A_PAIR * float(np.mean([each.pairs for each in found]))
    return f"| {queue} | {name} | {right} | {share(wrong)} | {share(harmful)} | {hours:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.campaigns")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=731_000)
    asked = parser.parse_args()
    print(
        "| queue of five | method | keeps the good one % | keeps one that is not % | a harmful one "
        "% | hours |\n|---|---|---:|---:|---:|---:|"
    )
    for queue, effects in QUEUES.items():
        found = runs(campaign, effects, asked.runs, asked.seed)
        print(row("campaign", queue, found), flush=True)
        print(row("one at a time, Bonferroni", queue, runs(bonferroni, effects, asked.runs, 1)))
        pairs = max(1, round(float(np.mean([each.pairs for each in found]))))
        print(row("random search", queue, runs(random_search(pairs), effects, asked.runs, 2)))


def runs(
    way: Callable[[np.random.Generator, tuple[float, ...]], Outcome],
    effects: tuple[float, ...],
    count: int,
    seed: int,
) -> list[Outcome]:
    """So many runs of one way, each with a generator of its own."""
    return [way(np.random.default_rng((seed, i)), effects) for i in range(count)]


if __name__ == "__main__":
    main()
