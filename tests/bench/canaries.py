"""A canary beside its controls, and before/after: python -m tests.bench.canaries [--runs N].

Replicas in production: a load that moves on all of them alike (a trend, a random walk and a few
jumps), what each has of its own, and the noise of a window. What is compared, with the same number
of windows and nothing true, then with a treatment that is:

- the canary as the program runs it: the treatment crosses over between the replicas at random;
- before/after: half of the windows without the treatment on all replicas, then half with it
  (Welch's t test over the windows);
- one canary that never crosses over, beside its controls: base windows, then treated ones.

Prints the tables of docs/verdict.md. The test is the program's; only the windows are simulated: ln
p99 with heavy tails (t with 4 degrees of freedom) and a standard deviation of 0.15.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import log

import numpy as np
import scipy
from numpy.typing import NDArray

from ldap_workbench.inference.significance.crossover import Crossover, draw_orders

NOISE = 0.15
LEVEL = 0.05
DESIGNS = ((2, 8), (2, 12), (3, 4), (3, 6), (4, 3))
"""Replicas and blocks."""
DRIFTS = {"none": 0.0, "strong": 1.0}
RATIOS = (1.25, 1.5)

Float = NDArray[np.float64]
Judge = Callable[[Float, NDArray[np.int64]], float]


def values_of(random: np.random.Generator, replicas: int, blocks: int, drift: float) -> Float:
    """ln p99 [block, window, replica] of servers on which the treatment does nothing.

    `drift` 1: over the whole run the load adds a trend up to 0.5 either way, steps of 0.15 from
    window to window, and one jump of 0.7 somewhere, on all replicas alike.
    """
    windows = blocks * replicas
    trend = random.uniform(-0.5, 0.5) * np.arange(windows) / windows
    walk = np.cumsum(0.15 * random.standard_normal(windows))
    jump = 0.7 * random.choice((-1, 1)) * (np.arange(windows) >= random.integers(windows))
    common = drift * (trend + walk + jump)
    own = 0.3 * random.standard_normal(replicas)
    noise = NOISE * random.standard_t(4, (windows, replicas)) / np.sqrt(2.0)
    values = common[:, None] + own[None, :] + noise
    return np.asarray(values.reshape(blocks, replicas, replicas))


def treated(values: Float, orders: NDArray[np.int64], effect: float) -> Float:
    """The same with the effect of the treatment on each window's canary."""
    canary = orders[:, :, None] == np.arange(values.shape[2])
    return np.asarray(values + effect * canary)


def crossed(values: Float, orders: NDArray[np.int64]) -> float:
    """p of the canary as the program runs it."""
    return Crossover(values, orders).p()


def before_and_after(values: Float, orders: NDArray[np.int64]) -> float:
    """p of half the windows against the other half, means of all replicas; no canary."""
    means = values.mean(2).ravel()
    half = len(means) // 2
    return _welch(means[:half], means[half:])


def never_crossed(values: Float, orders: NDArray[np.int64]) -> float:
    """p of the first replica against the others, second half against the first."""
    against = (values[:, :, 0] - values[:, :, 1:].mean(2)).ravel()
    half = len(against) // 2
    return _welch(against[:half], against[half:])


def _welch(a: Float, b: Float) -> float:
    parts = [float(each.var(ddof=1)) / len(each) for each in (a, b)]
    total = sum(parts)
    freedom = total**2 / sum(v**2 / (len(x) - 1) for v, x in zip(parts, (a, b), strict=True))
    t = abs(float(b.mean() - a.mean())) / np.sqrt(total)
    return float(2 * (1 - scipy.special.stdtr(freedom, t)))


def share_found(
    judge: Judge, design: tuple[int, int], drift: float, effect: float, runs: int, seed: int
) -> float:
    """The share of runs in which a judge says that there is an effect."""
    found = 0
    for run in range(runs):
        random = np.random.default_rng((seed, run))
        orders = np.array(draw_orders(*design, seed=int(random.integers(2**31))))
        values = treated(values_of(random, *design, drift), orders, effect)
        found += judge(values, orders) <= LEVEL
    return found / runs


def coverage(design: tuple[int, int], effect: float, runs: int, seed: int) -> float:
    """How often the interval holds the true effect, under strong drift."""
    held = 0
    for run in range(runs):
        random = np.random.default_rng((seed, run))
        orders = np.array(draw_orders(*design, seed=int(random.integers(2**31))))
        values = treated(values_of(random, *design, 1.0), orders, effect)
        low, high = Crossover(values, orders).interval(LEVEL) or (-np.inf, np.inf)
        held += low <= effect <= high
    return held / runs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.canaries")
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=905_000)
    asked = parser.parse_args()
    runs, seed = asked.runs, asked.seed
    print("| drift | replicas x blocks | canary % | never crossed over % | before/after % |")
    print("|---|---|---:|---:|---:|")
    for name, drift in DRIFTS.items():
        for design in DESIGNS:
            cells = [
                f"{100 * share_found(judge, design, drift, 0.0, runs, seed):.1f}"
                for judge in (crossed, never_crossed, before_and_after)
            ]
            print(f"| {name} | {design[0]} x {design[1]} | {' | '.join(cells)} |", flush=True)
    names = " | ".join(f"x {ratio:g} found %" for ratio in RATIOS)
    print(f"\n| replicas x blocks | windows | {names} | interval holds the truth % |")
    print("|---|---:|" + "---:|" * (len(RATIOS) + 1))
    for design in DESIGNS:
        found = [
            f"{100 * share_found(crossed, design, 1.0, log(ratio), runs, seed):.1f}"
            for ratio in RATIOS
        ]
        held = 100 * coverage(design, log(RATIOS[0]), runs, seed)
        windows = design[0] * design[1]
        cells = " | ".join([*found, f"{held:.1f}"])
        print(f"| {design[0]} x {design[1]} | {windows} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
