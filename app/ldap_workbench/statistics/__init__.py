"""Operations become tails, counts and a verdict: pure functions on numpy arrays.

In come Operations or counts per second, type and log bucket; out go Tail rows, Cubes and a
Verdict. The window is the unit, the coin of the design is what the test rests on: operations of
one window are not independent, so they are never the sample size. No screen, no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldap_workbench.model.loading import on_demand

if TYPE_CHECKING:
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

# Tails of a session need nothing of what judges two arms.
__getattr__ = on_demand(
    {
        "Cube": "ldap_workbench.statistics.counts.cube",
        "PLANNED_LOOKS": "ldap_workbench.statistics.tests.sequential",
        "PairPlan": "ldap_workbench.statistics.plan.pairs",
        "Tally": "ldap_workbench.statistics.counts.counting",
        "WarmUp": "ldap_workbench.statistics.counts.warmup",
        "WindowCounts": "ldap_workbench.statistics.counts.windows",
        "analyse": "ldap_workbench.statistics.verdict.analyse",
        "analyse_crossover": "ldap_workbench.statistics.verdict.crossover",
        "ascending_etimes": "ldap_workbench.statistics.counts.tails",
        "detectable": "ldap_workbench.statistics.plan.pairs",
        "edges_ns": "ldap_workbench.statistics.counts.buckets",
        "evidence": "ldap_workbench.statistics.tests.sequential",
        "expected_noise": "ldap_workbench.statistics.plan.pairs",
        "log2_histogram": "ldap_workbench.statistics.counts.tails",
        "mser5": "ldap_workbench.statistics.counts.warmup",
        "pairs_needed": "ldap_workbench.statistics.plan.pairs",
        "plan_pairs": "ldap_workbench.statistics.plan.pairs",
        "rare_events": "ldap_workbench.statistics.tests.rare",
        "tails": "ldap_workbench.statistics.counts.tails",
        "tails_of": "ldap_workbench.statistics.counts.tails",
        "warm_up": "ldap_workbench.statistics.counts.warmup",
        "windows_from_counts": "ldap_workbench.statistics.counts.windows",
        "windows_from_cubes": "ldap_workbench.statistics.counts.windows",
    }
)
