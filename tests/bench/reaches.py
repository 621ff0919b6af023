"""The table of `inference/design/pairs.py`: python -m tests.bench.reaches [--runs N].

Simulated with the sign-flip test at 5 %: the effect found in 8 of 10 experiments, in standard
deviations of a paired difference, times the root of the pairs.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from ldap_workbench.inference.design.pairs import PAIRS, POWER
from ldap_workbench.inference.significance.power import TAILS, UNLIKELY, limits_of, noise_of


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reaches")
    parser.add_argument("--runs", type=int, default=4_000)
    runs = parser.parse_args().runs
    for tail in TAILS:
        scaled = []
        for pairs in PAIRS:
            noise = noise_of(np.random.default_rng((731, pairs, tail)), tail, (runs, pairs))
            lower, _ = limits_of(noise, pairs, 0.05, UNLIKELY)
            scaled.append(float(np.quantile(-lower, POWER)) * math.sqrt(pairs))
        print(f"{tail}: ({', '.join(f'{each:.3f}' for each in scaled)}),", flush=True)


if __name__ == "__main__":
    main()
