"""What is said to be found, and what is: python -m tests.bench.found [--runs N].

Each run measures a noise floor of 8 windows, has the program say from which effect on the plan
finds one in 8 of 10 experiments, and tries an experiment with the effect at either end of that
range. Beside it the formula that stood here before: (1.96 + 0.84) s / sqrt(k - 2).

Prints the table of docs/verdict.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.experiment.plan import SIZES
from ldap_workbench.inference.design.pairs import noise as noise_of_steps
from ldap_workbench.inference.significance.power import (
    UNLIKELY,
    Tested,
    detectable_range,
    known_from_steps,
    limits_of,
    noise_of,
    share_found,
)

FLOOR = 8
TRUE = 0.1
"""Standard deviation of ln B - ln A."""
TESTED = {
    "Quick": Tested(SIZES["quick"].pairs),
    "Standard": Tested(SIZES["standard"].pairs),
    "Thorough": Tested(SIZES["thorough"].pairs),
    "12 pairs at 1 %, one of a campaign of five": Tested(12, level=0.01),
    "24 pairs with five looks": Tested(24, looks=(8, 12, 16, 20, 24)),
    "24 pairs at 1 % with five looks and futility": Tested(
        24, level=0.01, looks=(8, 12, 16, 20, 24), futile_within=math.log(1.05)
    ),
}
TAILS = {0: "normal", 4: "t, 4 degrees of freedom", 3: "t, 3 degrees of freedom"}

Float = NDArray[np.float64]


def by_formula(s: float, tested: Tested) -> float:
    z = NormalDist().inv_cdf(1 - tested.level / 2) + 0.84
    return math.exp(z * s / math.sqrt(tested.pairs - 2))


def found(ratios: Sequence[float], limits: tuple[Float, Float], tested: Tested) -> float:
    """Per cent of the experiments, each with its own ratio as the truth."""
    decides, futile = limits
    margin = tested.futile_within and tested.futile_within / TRUE
    shares = [
        share_found(math.log(ratio) / TRUE, decides[:, [run]], futile[:, [run]], margin)
        for run, ratio in enumerate(ratios)
    ]
    return 100 * float(np.mean(shares))


def row(name: str, tested: Tested, tail: int, runs: int, seed: int) -> str:
    random = np.random.default_rng((seed, tested.pairs, tail))
    floors = noise_of(random, tail, (runs, FLOOR)) * TRUE / math.sqrt(2)
    noise = [noise_of_steps(floor) for floor in floors]
    said = [detectable_range(s, known_from_steps(FLOOR), tested) for s in noise]
    pairs = noise_of(random, tail, (runs, tested.pairs))
    looks = tested.looks or (tested.pairs,)
    alpha = tested.level / len(looks)
    ends = [limits_of(pairs[:, :look], tested.pairs, alpha, UNLIKELY) for look in looks]
    limits = -np.array([lower for lower, _ in ends]), np.array([upper for _, upper in ends])
    cells = [
        found([by_formula(s, tested) for s in noise], limits, tested),
        found([each.low for each in said], limits, tested),
        found([each.high for each in said], limits, tested),
    ]
    return f"| {name} | {TAILS[tail]} | {' | '.join(f'{cell:.0f}' for cell in cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.found")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=951_000)
    asked = parser.parse_args()
    print("| plan | noise | by the formula % | lower end % | upper end % |")
    print("|---|---|---:|---:|---:|")
    for name, tested in TESTED.items():
        for tail in TAILS:
            print(row(name, tested, tail, asked.runs, asked.seed), flush=True)


if __name__ == "__main__":
    main()
