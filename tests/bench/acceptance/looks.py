"""Error rate and power of looking early: python -m tests.bench.acceptance.looks [--n N].

Experiments of up to 24 pairs of 5 minutes, of which nothing was changed or stalls became longer,
judged by the share of operations over the limit: at the end, at planned looks, after every pair by
the e-process, and after every pair by p <= 0.05, which is what nobody should do.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from ldap_workbench.inference.significance.sequential import (
    ALPHA,
    PLANNED_LOOKS,
    evidence,
    look_alpha,
)
from ldap_workbench.inference.significance.signflip import flips, p_value
from ldap_workbench.inference.verdict.analyse import analyse
from tests.bench.acceptance.simulated import Case, windows

SEED = 905_000
PAIRS = 24


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acceptance.looks")
    parser.add_argument("--n", type=int, default=150)
    count = parser.parse_args().n
    print("| nothing changed / longer stalls | rejects % | pairs (median) |\n|---|---|---|")
    found = {
        effect: [differences(effect, SEED + i) for i in range(count)] for effect in ("none", "lock")
    }
    for name, stop in STOPS.items():
        ends = {effect: [stop(d) for d in many] for effect, many in found.items()}
        rates = [100 * np.mean([e is not None for e in ends[x]]) for x in ("none", "lock")]
        pairs = np.median([PAIRS if e is None else e for e in ends["lock"]])
        print(f"| {name} | {rates[0]:.1f} / {rates[1]:.1f} | {pairs:.0f} |", flush=True)


def differences(effect: str, seed: int) -> list[float]:
    """ln B - ln A of the share over the limit, pair by pair."""
    case = Case("realistic", effect, f"pairs:{PAIRS}", 5, 0)
    rows = analyse(windows(case, seed), seed=seed).details.windows
    logs = {(row.pair, row.arm): np.log(row.slo) for row in rows}
    return [float(logs[pair, "B"] - logs[pair, "A"]) for pair in range(PAIRS)]


def _p(d: Sequence[float]) -> float:
    return p_value(np.array(d), flips(len(d), 0))


def at_the_end(d: Sequence[float]) -> int | None:
    return PAIRS if _p(d) <= ALPHA else None


def at_planned_looks(d: Sequence[float]) -> int | None:
    level = look_alpha(PLANNED_LOOKS)
    return next((k for k in PLANNED_LOOKS if _p(d[:k]) <= level), None)


def by_evidence(d: Sequence[float]) -> int | None:
    return evidence(d).decided


def after_every_pair(d: Sequence[float]) -> int | None:
    return next((k for k in range(6, PAIRS + 1) if _p(d[:k]) <= ALPHA), None)


STOPS = {
    "once, after 24 pairs": at_the_end,
    "planned looks at 8, 12, 16, 20, 24": at_planned_looks,
    "e-process, after every pair": by_evidence,
    "p <= 0.05 after every pair (never do this)": after_every_pair,
}

if __name__ == "__main__":
    main()
