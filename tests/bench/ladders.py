"""Ladders of levels beside every level in full: python -m tests.bench.ladders [--runs N].

Six levels of one knob on a server whose pairs of windows differ by noise alone. What is compared:

- the ladder as the program climbs it: rounds of 6 and 12 pairs, the better half goes on, the best
  is confirmed by 24 fresh pairs at 5 %;
- every level on 24 pairs at 5 % / 6 (Bonferroni), the one with the greatest gain of those better.

Prints the table of docs/verdict.md. The choice and the test are the program's; only the pairs are
simulated, as in tests/bench/campaigns.py.
"""

from __future__ import annotations

import argparse
from math import exp, log

import numpy as np

from ldap_workbench.campaign.ladder import best_of, next_round
from ldap_workbench.campaign.plan import rounds_of
from ldap_workbench.campaign.state import Entry, Fate
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from tests.bench.campaigns import (
    HOURS_A_PAIR,
    LEVEL,
    PAIRS,
    differences,
    judged,
    order_of,
    share,
)

SHAPES = {
    "flat": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "one direction": (1.0, 0.95, 0.9, 0.85, 0.8, 0.75),
    "U": (1.3, 1.0, 0.85, 0.75, 0.9, 1.4),
    "one good level": (1.0, 1.0, 1.0, 0.8, 1.0, 1.0),
}
"""p99 of each level against the server as it is."""


def ladder(random: np.random.Generator, ratios: tuple[float, ...]) -> tuple[int | None, int]:
    """The level that is kept, and how many pairs it took."""
    entries = tuple(Entry(str(level)) for level in range(len(ratios)))
    rounds, pairs = rounds_of(len(ratios)), 0
    while True:
        entries = tuple(_measured(random, each, ratios, rounds[each.round]) for each in entries)
        following = next_round(entries, rounds)
        if not following:
            break
        entries += following
    pairs = sum(rounds[each.round] for each in entries)
    best = best_of(entries)
    if best is None:
        return None, pairs
    effect = log(ratios[int(best.treatment)])
    confirmed = judged(differences(random, effect, PAIRS), order_of(random), LEVEL)
    better = confirmed.primary.verdict == Judgement.BETTER
    return (int(best.treatment) if better else None), pairs + PAIRS


def _measured(
    random: np.random.Generator, entry: Entry, ratios: tuple[float, ...], pairs: int
) -> Entry:
    if entry.verdict:
        return entry
    d = differences(random, log(ratios[int(entry.treatment)]), pairs)
    seen = MetricVerdict("p99", "", ratio=exp(float(np.median(d))), n_pairs=pairs)
    return Entry(entry.treatment, Fate.REVERTED, verdict=seen, round=entry.round)


def in_full(random: np.random.Generator, ratios: tuple[float, ...]) -> tuple[int | None, int]:
    """The level that is kept, and how many pairs it took."""
    better: dict[int, float] = {}
    for level, ratio in enumerate(ratios):
        d = differences(random, log(ratio), PAIRS)
        verdict = judged(d, order_of(random), LEVEL / len(ratios)).primary
        if verdict.verdict == Judgement.BETTER and verdict.ratio:
            better[level] = verdict.ratio
    return min(better, key=lambda level: better[level], default=None), PAIRS * len(ratios)


def row(name: str, shape: str, found: list[tuple[int | None, int]]) -> str:
    """One line of the table."""
    ratios = SHAPES[shape]
    some = [level for level, _ in found if level is not None]
    least = min(ratios)
    near = [level is not None and ratios[level] <= 1.05 * least for level, _ in found]
    wrong = [level is not None and ratios[level] >= 1 for level, _ in found]
    gain = np.mean([ratios[level] for level in some]) if some else float("nan")
    hours = HOURS_A_PAIR * float(np.mean([pairs for _, pairs in found]))
    best = share(near) if least < 1 else ""
    kept = f"{gain:.2f}" if least < 1 else ""
    return f"| {shape} | {name} | {best} | {share(wrong)} | {kept} | {hours:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ladders")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=731_000)
    asked = parser.parse_args()
    print(
        "| six levels | method | keeps the best or one within 5 % of it, % "
        "| keeps one that is no better, % "
        "| p99 of what is kept | hours |\n|---|---|---:|---:|---:|---:|"
    )
    for shape, ratios in SHAPES.items():
        for name, way in (("ladder", ladder), ("every level in full", in_full)):
            found = [way(np.random.default_rng((asked.seed, i)), ratios) for i in range(asked.runs)]
            print(row(name, shape, found), flush=True)


if __name__ == "__main__":
    main()
