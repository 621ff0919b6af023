"""Operations with a known truth, and what must and must not be said of them.

Unlike the acceptance table, these experiments go operation by operation: what clients that wait,
clients that give up and effects that take time do to a verdict cannot be seen in windows of counts.
`python -m tests.bench.acceptance.cells` runs them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.inference.verdict.crossover import Terms, analyse_crossover
from ldap_workbench.model.kind import OperationKind, PrimaryMetric
from ldap_workbench.model.message import NOTHING as UNMARKED
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement, Verdict
from tests.bench.acceptance.operations import Asked, Server, Stream, Truth, canary, simulate

CLAIMS = (Judgement.BETTER, Judgement.WORSE)
NO_DIFFERENCE = (Judgement.EQUIVALENT, Judgement.IMMATERIAL)
_LASTING = Message("passwords that were hashed anew stay so")
_MOST_FALSE = 7.5

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
    """A truth, the words of its primary metric that are wrong or right, and their bound in %.

    Without a bound the share is only published: a rule that protects was left out.
    """

    truth: Truth
    words: tuple[str, ...]
    bound: float | None = _MOST_FALSE
    at_least: bool = False

    def holds(self, share: float) -> bool:
        if self.bound is None:
            return True
        return share >= self.bound if self.at_least else share <= self.bound


def never(truth: Truth, *words: Judgement) -> Check:
    return Check(truth, words)


def mostly(truth: Truth, word: Judgement, least: float = 80.0) -> Check:
    return Check(truth, (word,), least, at_least=True)


def unbounded(truth: Truth, *words: Judgement) -> Check:
    return Check(truth, words, None)


NOTHING = Truth("nothing changed: p50", Server((CROWD, SLOW)), Server((CROWD, SLOW)), primary="p50")
NOTHING_SLO = replace(NOTHING, primary="slo", name="nothing changed: slo")
NOTHING_P99 = replace(NOTHING, primary="p99", name="nothing changed: p99")
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
CUT = replace(
    GIVING_UP,
    abandons_logged=False,
    name="slow searches ×3 slower, clients give up and the log does not say so: p99",
)
CUT_SLO = replace(
    CUT,
    primary="slo",
    name="slow searches ×3 slower, clients give up and the log does not say so: slo",
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
WAITED = replace(
    FILLS, wait_s=300.0, name="B empties a cache, windows begin 300 s after each change: p50"
)
BUILDS_UP = Truth(
    "×0.8 that builds up and fades over three windows: p50",
    Server((CROWD,), settles_s=180.0),
    Server((CROWD,), factor=0.8, settles_s=180.0),
    primary="p50",
)
SMALL = Truth("×1.065 at once: p50", Server((CROWD,)), Server((CROWD,), factor=1.065), "p50")
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
NO_MORE_STALLS = replace(
    STALLS, b=Server((CROWD, SLOW)), name="stalls of 1 s, every 20 s, are gone: slo"
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
EVENED_OUT = replace(
    CANARY,
    b=Server((CROWD,), load=1.2),
    name="canary on 2 replicas, ×0.8 that a balancer evens out with ×1.2 of the load: p50",
)
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
ONE_KIND_ALIKE = replace(
    ONE_KIND, b=ONE_KIND.a, name="nothing changed in one search in fifty: SRCH[(mail=?)]:p50"
)

NOISY = replace(NOTHING, name="nothing changed, windows apart by 15 %: p50", noise=0.15)

CHECKS = (
    never(NOTHING, *CLAIMS),
    never(NOTHING_SLO, *CLAIMS),
    never(NOTHING_P99, *CLAIMS),
    never(NOISY, *CLAIMS),
    never(STALLS, *CLAIMS),
    never(WAITING, Judgement.BETTER),
    never(WAITING_P99, Judgement.BETTER),
    never(FASTER, Judgement.WORSE),
    never(GIVING_UP, Judgement.BETTER),
    never(GIVING_UP_SLO, Judgement.BETTER),
    never(CUT, Judgement.BETTER),
    never(CUT_SLO, Judgement.BETTER),
    never(MIXED, Judgement.BETTER),
    never(MIXED_ALIKE, *CLAIMS),
    never(FILLS, Judgement.WORSE),
    never(FILLS, *NO_DIFFERENCE),
    never(BUILDS_UP, *NO_DIFFERENCE),
    never(COLD_TAIL, Judgement.WORSE),
    never(COLD_TAIL, *NO_DIFFERENCE),
    never(COLD_CANARY, Judgement.WORSE),
    never(COLD_CANARY, *NO_DIFFERENCE),
    never(SLOW_CANARY, *NO_DIFFERENCE),
    never(EVENED_OUT, *NO_DIFFERENCE),
    never(IDLE_CANARY, *CLAIMS),
    never(ONE_KIND_ALIKE, *CLAIMS),
    never(SMALL, *NO_DIFFERENCE),
    never(NOTHING, Judgement.NOT_SETTLED),
    never(NOISY, Judgement.NOT_SETTLED),
    never(STALLS, Judgement.NOT_SETTLED),
    never(IDLE_CANARY, Judgement.NOT_SETTLED),
    mostly(CANARY, Judgement.BETTER),
    mostly(AT_ONCE, Judgement.BETTER),
    mostly(WAITED, Judgement.BETTER),
    mostly(HALF_QUICK, Judgement.BETTER),
    mostly(NO_MORE_STALLS, Judgement.BETTER),
    mostly(MIXED, Judgement.WORSE),
    mostly(BY_CLIENT, Judgement.WORSE),
    mostly(UNTOLD, Judgement.NOT_COMPARABLE),
    mostly(RARE, Judgement.NOT_COMPARABLE),
    mostly(ONE_KIND, Judgement.BETTER),
)


def verdict_of(truth: Truth, seed: int, flips: int) -> Verdict:
    """What is said of one experiment; `flips` is the seed of the test."""
    if truth.replicas:
        return analyse_crossover(*canary(truth, seed), Terms(truth.primary, flips))
    windows, lost = _simulated(_scene(truth), seed)
    if truth.asked in (Asked.AFTERWARDS, Asked.AFTERWARDS_UNSAID):
        afterwards = truth.asked is Asked.AFTERWARDS
        return analyse(windows, primary=_most_moved(windows), seed=flips, afterwards=afterwards)
    return analyse(
        windows,
        primary=truth.primary,
        seed=flips,
        lost=() if truth.asked is Asked.LOSSES_UNSAID else lost,
        lasting=_LASTING if truth.asked is Asked.OF_WHAT_LASTS else UNMARKED,
        waited_s=truth.wait_s,
    )


def word_of(truth: Truth, seed: int, flips: int) -> str:
    """What is said of the primary metric of one experiment."""
    verdict = verdict_of(truth, seed, flips)
    word = str(verdict.primary.verdict)
    if truth.asked is Asked.OF_WHAT_IS_RARE and word in NO_DIFFERENCE:
        limited = any("remain possible" in str(warning) for warning in verdict.warnings)
        return f"{word}, stalls remain possible" if limited else word
    return word


def _scene(truth: Truth) -> Truth:
    """What happens, without what is asked of it: the same operations answer several questions."""
    kind = PrimaryMetric.parse(truth.primary).type
    primary = truth.primary if OperationKind.parse(kind) else ""
    return replace(truth, name="", primary=primary or "p50", asked=Asked.AS_PLANNED)


@lru_cache(maxsize=1)
def _simulated(scene: Truth, seed: int) -> tuple[list[WindowCounts], tuple[str, ...]]:
    return simulate(scene, seed)


def _most_moved(windows: list[WindowCounts]) -> str:
    """The metric that whoever looks at all of them would ask about."""
    metrics = analyse(windows).metrics
    return min(metrics, key=lambda name: metrics[name].p)
