"""What is said of operations with a known truth: `python -m tests.bench.acceptance.truths`.

Unlike the acceptance table, these experiments go operation by operation: what clients that wait,
clients that give up and effects that take time do to a verdict cannot be seen in windows of counts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ldap_workbench.model.verdict import Verdict
from ldap_workbench.statistics import analyse, analyse_crossover
from ldap_workbench.statistics.verdict.crossover import Terms
from tests.bench.acceptance.operations import Server, Stream, Truth, canary, experiment

RUNS = 40
SEED = 850_000

CROWD = Stream(rate=400.0)
"""Quick searches of clients that ask whatever the server does."""
IMPATIENT = Stream(rate=8.0, etime_s=0.8, sigma=0.4, patience_s=2.0)
"""Searches over the target, 2 % of all; few are given up unless they become slower."""
ONE_CLIENT = Stream(clients=1, etime_s=0.15, sigma=0.2)
"""Waits for each answer: 1.6 % of all operations, all of them over the target."""
NEAR = Stream(rate=4.0, etime_s=0.08, sigma=0.4)
"""Half as many that take about the target."""
SLOW = Stream(rate=8.0, etime_s=0.15, sigma=0.2)
"""As many slow searches, of clients that do not wait."""
CHEAP = Stream(rate=400.0)
DEAR = Stream(rate=60.0, etime_s=0.02, filter="(cn=*?*)", client="192.0.2.7", entries=40)
"""Searches of another kind, 13 % of all."""
MAIL = Stream(rate=8.0, filter="(mail=?)")


@dataclass(frozen=True)
class Check:
    """A truth, the words of its primary metric that are wrong or right, and their bound in %."""

    truth: Truth
    words: tuple[str, ...]
    bound: float
    at_least: bool = False

    def holds(self, share: float) -> bool:
        return share >= self.bound if self.at_least else share <= self.bound


NOTHING = Truth("nothing changed: p50", Server((CROWD, SLOW)), Server((CROWD, SLOW)), primary="p50")
WAITING = Truth(
    "one client that waits, its searches ×3 slower: slo",
    Server((CROWD, ONE_CLIENT)),
    Server((CROWD, ONE_CLIENT.slower(3.0))),
)
WAITING_P99 = replace(
    WAITING, primary="p99", name="one client that waits, its searches ×3 slower: p99"
)
FASTER = Truth(
    "one client that waits, its searches ×2 faster: p99",
    Server((CROWD, ONE_CLIENT.slower(3.0))),
    Server((CROWD, ONE_CLIENT.slower(1.5))),
    primary="p99",
)
GIVING_UP = Truth(
    "slow searches ×3 slower, clients give up: p99",
    Server((CROWD, IMPATIENT)),
    Server((CROWD, IMPATIENT.slower(3.0))),
    primary="p99",
)
GIVING_UP_SLO = replace(
    GIVING_UP, primary="slo", name="slow searches ×3 slower, clients give up: slo"
)
HALF_QUICK = Truth(
    "half of the slow searches become quick: slo",
    Server((CROWD, SLOW)),
    Server((CROWD, replace(SLOW, rate=4.0), Stream(rate=4.0))),
)
FILLS = Truth(
    "B empties a cache, ends at ×0.8 after two windows: p50",
    Server((CROWD,)),
    Server((CROWD,), factor=0.8, settles_s=60.0, shock=2.0),
    primary="p50",
)
BUILDS_UP = Truth(
    "×0.8 that builds up and fades over three windows: p50",
    Server((CROWD,), settles_s=180.0),
    Server((CROWD,), factor=0.8, settles_s=180.0),
    primary="p50",
)
AT_ONCE = Truth("×0.8 at once: p50", Server((CROWD,)), Server((CROWD,), factor=0.8), primary="p50")

COLD_TAIL = Truth(
    "slow searches begin ×20 slower in B and end at ×0.8, the others stay: slo",
    Server((replace(CROWD, steady=True), NEAR)),
    Server((replace(CROWD, steady=True), NEAR), factor=0.8, settles_s=20.0, shock=20.0),
    pairs=12,
)
STALLS = Truth(
    "nothing changed, stalls of 1 s: slo",
    Server((CROWD, SLOW), stall_every_s=20.0, stall_s=1.0),
    Server((CROWD, SLOW), stall_every_s=20.0, stall_s=1.0),
)
COLD_CANARY = Truth(
    "canary on 2 replicas, every turn starts ×2.5 cold and ends at ×0.8: p50",
    Server((CROWD,)),
    Server((CROWD,), factor=0.8, settles_s=30.0, shock=2.5),
    primary="p50",
    replicas=2,
)
SLOW_CANARY = replace(BUILDS_UP, replicas=2, name=f"canary on 2 replicas, {BUILDS_UP.name}")
CANARY = replace(AT_ONCE, replicas=2, name=f"canary on 2 replicas, {AT_ONCE.name}")
IDLE_CANARY = replace(NOTHING, replicas=2, name=f"canary on 2 replicas, {NOTHING.name}")
MIXED = Truth(
    "cheap and dear searches both ×1.10 slower, half as many dear ones: p95",
    Server((CHEAP, DEAR)),
    Server((replace(CHEAP, rate=430.0).slower(1.1), replace(DEAR, rate=30.0).slower(1.1))),
    primary="p95",
)
MIXED_ALIKE = replace(
    MIXED,
    b=Server((replace(CHEAP, rate=430.0), replace(DEAR, rate=30.0))),
    name="nothing changed but half as many dear searches: p95",
)
ONE_ADDRESS = replace(DEAR, client=CHEAP.client)
UNTOLD = Truth(
    "both ×1.10 slower, half as many dear ones, no filters in the log: p95",
    Server((CHEAP, ONE_ADDRESS)),
    Server((replace(CHEAP, rate=430.0).slower(1.1), replace(ONE_ADDRESS, rate=30.0).slower(1.1))),
    primary="p95",
    filters_logged=False,
)
BY_CLIENT = replace(
    MIXED,
    filters_logged=False,
    name="both ×1.10 slower, half as many dear ones, known by their client alone: p95",
)
RARE = Truth(
    "both ×1.10 slower, half as many dear ones, 400 filters of each: p95",
    Server((replace(CHEAP, filters=400), replace(ONE_ADDRESS, filters=400))),
    Server(
        (
            replace(CHEAP, rate=430.0, filters=400).slower(1.1),
            replace(ONE_ADDRESS, rate=30.0, filters=400).slower(1.1),
        )
    ),
    primary="p95",
)
ONE_KIND = Truth(
    "one search in fifty ×0.8: SRCH[(mail=?)]:p50",
    Server((CROWD, MAIL)),
    Server((CROWD, MAIL.slower(0.8))),
    primary="SRCH[(mail=?)]:p50",
)
ONE_KIND_ALIKE = replace(ONE_KIND, b=ONE_KIND.a, name="nothing changed: SRCH[(mail=?)]:p50")

NOISY = replace(NOTHING, name="nothing changed, windows apart by 15 %: p50", noise=0.15)

CHECKS = (
    Check(NOTHING, ("better", "worse"), 7.5),
    Check(NOISY, ("better", "worse"), 7.5),
    Check(WAITING, ("better",), 7.5),
    Check(WAITING_P99, ("better",), 7.5),
    Check(FASTER, ("worse",), 7.5),
    Check(GIVING_UP, ("better",), 7.5),
    Check(GIVING_UP_SLO, ("better",), 7.5),
    Check(NOTHING, ("not settled",), 7.5),
    Check(NOISY, ("not settled",), 7.5),
    Check(STALLS, ("not settled",), 7.5),
    Check(FILLS, ("worse", "no material change"), 7.5),
    Check(BUILDS_UP, ("no material change",), 7.5),
    Check(COLD_TAIL, ("worse", "no material change"), 7.5),
    Check(COLD_CANARY, ("worse", "no material change"), 7.5),
    Check(SLOW_CANARY, ("no material change",), 7.5),
    Check(IDLE_CANARY, ("better", "worse", "not settled"), 7.5),
    Check(CANARY, ("better",), 80.0, at_least=True),
    Check(AT_ONCE, ("better",), 80.0, at_least=True),
    Check(HALF_QUICK, ("better",), 80.0, at_least=True),
    Check(MIXED, ("better",), 7.5),
    Check(MIXED, ("worse",), 80.0, at_least=True),
    Check(MIXED_ALIKE, ("better", "worse"), 7.5),
    Check(BY_CLIENT, ("worse",), 80.0, at_least=True),
    Check(UNTOLD, ("not comparable",), 80.0, at_least=True),
    Check(RARE, ("not comparable",), 80.0, at_least=True),
    Check(ONE_KIND, ("better",), 80.0, at_least=True),
    Check(ONE_KIND_ALIKE, ("better", "worse"), 7.5),
)


def words_of(truth: Truth, runs: int, seed: int = SEED) -> list[str]:
    """What is said of the primary metric in so many experiments."""
    return [str(verdict_of(truth, seed + i, i).primary.verdict) for i in range(runs)]


def verdict_of(truth: Truth, seed: int, flips: int) -> Verdict:
    """What is said of one experiment; `flips` is the seed of the test."""
    if truth.replicas:
        return analyse_crossover(*canary(truth, seed), Terms(truth.primary, flips))
    return analyse(experiment(truth, seed), primary=truth.primary, seed=flips)


def rows(
    runs: int, seed: int = SEED, only: str = "", checks: Sequence[Check] = CHECKS
) -> Iterator[tuple[str, bool]]:
    """Rows of the table, and whether each keeps its bound; experiments are run once a truth."""
    known: dict[Truth, list[str]] = {}
    for check in checks:
        if only not in check.truth.name:
            continue
        if check.truth not in known:
            known[check.truth] = words_of(check.truth, runs, seed)
        words = Counter(known[check.truth])
        share = 100 * sum(words[word] for word in check.words) / runs
        said = ", ".join(f"{word} {count}" for word, count in words.most_common())
        bound = f"{' or '.join(check.words)} {'≥' if check.at_least else '≤'} {check.bound:g} %"
        mark = "ok" if check.holds(share) else "**missed**"
        yield (
            f"| {check.truth.name} | {runs} | {said} | {bound} | {share:.1f} % | {mark} |",
            (check.holds(share)),
        )


def main(module: str = "truths", checks: Sequence[Check] = CHECKS) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m tests.bench.acceptance.{module}")
    parser.add_argument("--runs", type=int, default=RUNS, help="experiments of each kind")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default="", help="truths whose name has this in it")
    asked = parser.parse_args()
    print("| truth | runs | said of the primary metric | bound | measured | |")
    print("|---|---|---|---|---|---|")
    good = True
    for line, holds in rows(asked.runs, asked.seed, asked.only, checks):
        print(line, flush=True)
        good &= holds
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
