"""Operations become tails, counts and a verdict: pure functions on numpy arrays.

In come Operations or counts per second, type and log bucket; out go Tail rows, Cubes and a
Verdict. The window is the unit, the coin of the design is what the test rests on: operations of
one window are not independent, so they are never the sample size. No screen, no file.
"""

from ldap_workbench.statistics.counts.buckets import edges_ns
from ldap_workbench.statistics.counts.counting import Tally
from ldap_workbench.statistics.counts.cube import Cube
from ldap_workbench.statistics.counts.tails import (
    ascending_etimes,
    log2_histogram,
    tails,
    tails_of,
)
from ldap_workbench.statistics.counts.warmup import WarmUp, mser5, warm_up
from ldap_workbench.statistics.counts.windows import (
    WindowCounts,
    windows_from_counts,
    windows_from_cubes,
)
from ldap_workbench.statistics.plan.pairs import (
    PairPlan,
    detectable,
    expected_noise,
    pairs_needed,
    plan_pairs,
)
from ldap_workbench.statistics.tests.rare import rare_events
from ldap_workbench.statistics.tests.sequential import PLANNED_LOOKS, evidence
from ldap_workbench.statistics.verdict.analyse import analyse
from ldap_workbench.statistics.verdict.crossover import analyse_crossover

__all__ = [
    "PLANNED_LOOKS",
    "Cube",
    "PairPlan",
    "Tally",
    "WarmUp",
    "WindowCounts",
    "analyse",
    "analyse_crossover",
    "ascending_etimes",
    "detectable",
    "edges_ns",
    "evidence",
    "expected_noise",
    "log2_histogram",
    "mser5",
    "pairs_needed",
    "plan_pairs",
    "rare_events",
    "tails",
    "tails_of",
    "warm_up",
    "windows_from_counts",
    "windows_from_cubes",
]
