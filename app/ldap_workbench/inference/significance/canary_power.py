"""What a canary finds, by its test itself: its assignments over simulated noise, at its own level.

As for pairs (tests/power.py): a run of noise is found with an effect on top exactly if the effect
exceeds minus the lower limit of the interval of that noise, so one inversion a run tells it for
every effect and every noise.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.design.reach import POWER
from ldap_workbench.inference.significance.power import RUNS, TAILS, Range, noise_of

Float = NDArray[np.float64]

_MOST_ASSIGNMENTS = 4_096
_BLOCK = 100
"""Runs at a time: their means under all assignments take 3 MB."""
_FLOORS = 4_000
_OUTSIDE = 0.05
"""The true noise lies beyond each end of what is said of it this often."""
_MOST_LOG = 20.0


def chance_range(
    noise: float, known: tuple[float, float], ratio: float, design: tuple[int, int], level: float
) -> Range:
    """In which share of canaries a true ratio is found, as far as the noise of a window is known.

    `known` says between which shares of the true noise the measured one lies; a design is how many
    replicas and blocks.
    """
    if not noise:
        return Range(1.0, 1.0)
    effect = abs(math.log(ratio))
    least_noise, most_noise = noise / known[1], noise / known[0]
    return Range(
        min(_share(effect / most_noise, design, level, tail) for tail in TAILS),
        max(_share(effect / least_noise, design, level, tail) for tail in TAILS),
    )


def detectable(noise: float, design: tuple[int, int], level: float) -> float:
    """The smallest ratio (> 1) found in 8 of 10 canaries, given the noise of a window."""
    if not noise:
        return 1.0
    reach = max(
        float(np.quantile(needed(*design, level, tail), POWER, method="higher")) for tail in TAILS
    )
    return math.exp(min(reach * noise, _MOST_LOG))


@lru_cache(maxsize=32)
def known_from_rows(rows: int, replicas: int) -> tuple[float, float]:
    """Between which shares of the true noise that of windows side by side lies (90 %).

    `rows` of as many windows as there are replicas, without what a row or a replica has in common.
    """
    ends = []
    freedom = (rows - 1) * (replicas - 1)
    for tail in TAILS:
        values = noise_of(np.random.default_rng((rows, replicas)), tail, (_FLOORS, rows, replicas))
        left = values - values.mean(2, keepdims=True)
        left -= left.mean(1, keepdims=True)
        measured = np.sqrt((left**2).sum((1, 2)) / freedom)
        ends.append(np.quantile(measured, (_OUTSIDE, 1 - _OUTSIDE)))
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


def _share(effect: float, design: tuple[int, int], level: float, tail: int) -> float:
    return float((needed(*design, level, tail) < effect).mean())


@lru_cache(maxsize=32)
def needed(replicas: int, blocks: int, level: float, tail: int) -> Float:
    """Of each simulated run the effect, in units of the noise, beyond which it is found [run]."""
    random = np.random.default_rng((replicas, blocks, tail))
    picks = _assignments(random, replicas, blocks)
    # All windows of a replica are alike: which order was drawn does not matter, so it is the first.
    canary = np.broadcast_to(np.eye(replicas), (1, blocks, replicas, replicas))
    carried = _means(canary, picks)[0]
    everything = np.abs(carried) > 1 - 1e-12
    limits = []
    for _ in range(0, RUNS, _BLOCK):
        noise = noise_of(random, tail, (_BLOCK, blocks, replicas, replicas))
        means = _means(noise, picks)
        own = means[:, :1]
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (own + means) / (1 + carried), (own - means) / (1 - carried)
        lowest = np.where(everything, -np.inf, np.fmin(one, other))
        rank = int(level * len(carried) * (1 + 1e-12))
        limits.append(-np.partition(lowest, rank, axis=1)[:, rank])
    return np.concatenate(limits)


def _assignments(random: np.random.Generator, replicas: int, blocks: int) -> NDArray[np.int64]:
    """The order of each block under each assignment [assignment, block], the own one first."""
    orders = math.factorial(replicas)
    if orders**blocks <= _MOST_ASSIGNMENTS:
        return np.array(list(itertools.product(range(orders), repeat=blocks)))
    drawn = random.integers(0, orders, (_MOST_ASSIGNMENTS, blocks))
    drawn[0] = 0
    return drawn


def _means(values: Float, picks: NDArray[np.int64]) -> Float:
    """The mean effect of each run under each assignment: values [run, block, window, replica]."""
    _, blocks, windows, replicas = values.shape
    against = (values - values.mean(3, keepdims=True)) * (replicas / (replicas - 1))
    orders = np.array(list(itertools.permutations(range(replicas))))
    by_order = against[:, :, np.arange(windows), orders].mean(3)
    picked = np.zeros((blocks, len(orders), len(picks)))
    picked[np.arange(blocks)[:, None], picks.T, np.arange(len(picks))] = 1 / blocks
    return np.asarray(by_order.reshape(len(values), -1) @ picked.reshape(-1, len(picks)))
