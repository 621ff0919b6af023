"""What pairs find, by the test itself: its sign flips over simulated noise, at its own level.

A run of noise z is found with an effect d on top exactly if d exceeds minus the lower limit of the
interval of z, for interval and test never disagree. So one inversion a run tells, for all effects
at once, from which one on the run would have been found, and the effect found in 8 of 10 runs is a
quantile of these.

What a canary finds, by its test itself: its assignments over simulated noise, at its own level. As
for pairs: a run of noise is found with an effect on top exactly if the effect
exceeds minus the lower limit of the interval of that noise, so one inversion a run tells it for
every effect and every noise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.design.pairs import LEAST_PAIRS, POWER, pairs_needed, reach, reach_of
from ldap_workbench.inference.significance.sequential import ALPHA, look_alpha
from ldap_workbench.inference.significance.signflip import flips

Float = NDArray[np.float64]

RUNS = 1_000
TAILS = (0, 4)
"""Degrees of freedom of t that noise is drawn with, scaled to a standard deviation of 1; 0: normal.

What is said holds for both.
"""
UNLIKELY = 0.20
"""Level of the interval that tells whether an experiment is futile."""
_OUTSIDE = 0.05
"""The true noise lies beyond each end of what is said of it this often."""
_FLOORS = 4_000
_BLOCK = 200
"""Runs that are inverted at a time: 4,096 flips of each take 6 MB."""
_FARTHEST, _HALVINGS = 40.0, 20
_MOST_LOG = 20.0
_MANY, _STRICTEST = 24, 1e-9


@dataclass(frozen=True)
class Range:
    """Ratios above 1, or numbers: the true one lies between them; both ends as tested."""

    low: float
    high: float


@dataclass(frozen=True)
class Tested:
    """How an experiment is tested.

    `futile_within` is the margin, ln of a ratio, of one that ends at a look once an improvement
    by as much is unlikely; None for one that does not.
    """

    pairs: int
    level: float = ALPHA
    looks: tuple[int, ...] = ()
    futile_within: float | None = None


def detectable_range(s: float, known: tuple[float, float], tested: Tested) -> Range:
    """The smallest ratio found in 8 of 10 experiments, as far as the noise is known.

    `s` is the measured standard deviation of ln B - ln A, `known` between which shares of the true
    one it lies.
    """
    if not s:
        return Range(1.0, 1.0)
    least_noise, most_noise = s / known[1], s / known[0]
    low = min(_reach(tested, tail, least_noise) for tail in TAILS) * least_noise
    high = max(_reach(tested, tail, most_noise) for tail in TAILS) * most_noise
    return Range(math.exp(min(low, _MOST_LOG)), math.exp(min(high, _MOST_LOG)))


def pairs_range(s: float, known: tuple[float, float], ratio: float, level: float = ALPHA) -> Range:
    """Pairs that find a ratio in 8 of 10 experiments, as far as the noise is known."""
    stricter, least = _stricter(level), _least_pairs(level)
    ends = (pairs_needed(stricter * s / share, ratio) for share in (known[1], known[0]))
    return Range(*(max(least, pairs) for pairs in ends))


@lru_cache(maxsize=64)
def _stricter(level: float) -> float:
    """How much larger than at 5 % an effect has to be, by many pairs."""
    if level == ALPHA:
        return 1.0
    simulated = max(_reach(Tested(_MANY, level), tail, 1.0) for tail in TAILS) / reach(_MANY)
    if math.isfinite(simulated):
        return simulated
    # Fewer flips are drawn than such a level needs: by the normal distribution then.
    quantiles = (NormalDist().inv_cdf(1 - max(alpha, _STRICTEST) / 2) for alpha in (level, ALPHA))
    strict, usual = (quantile + NormalDist().inv_cdf(POWER) for quantile in quantiles)
    return strict / usual


def _least_pairs(level: float) -> int:
    """The fewest whose clearest outcome has such a p."""
    pairs = LEAST_PAIRS
    while 2 / (2.0**pairs - 2) > max(level, _STRICTEST):
        pairs += 1
    return pairs


@lru_cache(maxsize=64)
def known_from_steps(windows: int) -> tuple[float, float]:
    """Between which shares of the true noise that of so many baseline windows lies (90 %)."""
    return _spread(windows, steps=True)


@lru_cache(maxsize=64)
def known_from_pairs(pairs: int) -> tuple[float, float]:
    """The same of the standard deviation of so many pairs."""
    return _spread(pairs, steps=False)


def _spread(n: int, *, steps: bool) -> tuple[float, float]:
    ends = []
    for tail in TAILS:
        values = noise_of(np.random.default_rng(n), tail, (_FLOORS, n))
        if steps:
            measured = np.sqrt((np.diff(values, axis=1) ** 2).mean(1) / 2)
        else:
            measured = values.std(1, ddof=1)
        ends.append(np.quantile(measured, (_OUTSIDE, 1 - _OUTSIDE)))
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


def _reach(tested: Tested, tail: int, noise: float) -> float:
    """The effect found in 8 of 10, in units of the noise."""
    if not tested.looks and tested.level == ALPHA:
        return reach_of(tested.pairs, tail)
    if tested.futile_within is None:
        return _reach_of_looks(tested, tail)
    needed, futile = _limits(tested, tail)
    margin = tested.futile_within / max(noise, 1e-9)
    low, high = 0.0, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = share_found(middle, needed, futile, margin) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


@lru_cache(maxsize=64)
def _reach_of_looks(tested: Tested, tail: int) -> float:
    """Where nothing but a decision ends an experiment, the first look that decides is enough."""
    needed, _ = _limits(tested, tail)
    return float(np.quantile(needed.min(0), POWER, method="higher"))


def share_found(effect: float, needed: Float, futile: Float, margin: float | None) -> float:
    """The share of runs that end by finding an effect.

    `needed` [look, run] is the effect beyond which a look decides, `futile` the upper limit of what
    noise alone leaves likely: with an effect on top below the margin the run ends as well.
    """
    decides = needed < effect
    ends = decides if margin is None else decides | (futile + effect < margin)
    first = ends.argmax(0)
    return float(np.take_along_axis(decides, first[None], 0).mean())


@lru_cache(maxsize=64)
def _limits(tested: Tested, tail: int) -> tuple[Float, Float]:
    looks = tested.looks or (tested.pairs,)
    alpha = look_alpha(tested.looks, tested.level)
    noise = noise_of(np.random.default_rng((tested.pairs, tail)), tail, (RUNS, tested.pairs))
    wants_futility = tested.futile_within is not None
    needed, futile = [], []
    for look in looks:
        lower, upper = limits_of(noise[:, :look], tested.pairs, alpha, UNLIKELY)
        needed.append(-lower)
        futile.append(upper if wants_futility else np.full(RUNS, np.inf))
    return np.array(needed), np.array(futile)


def limits_of(noise: Float, designed: int, alpha: float, narrow: float) -> tuple[Float, Float]:
    """The lower limit at `alpha` and the upper one at `narrow`, of runs [run, pair] of a design."""
    k = noise.shape[1]
    # Any order but one in which all begin alike: turned signs leave noise what it is.
    order = tuple(1 if pair % 2 else -1 for pair in range(k))
    drawn = flips(k, 0, order, designed)
    counted = drawn.weight > 0
    signs, total = drawn.signs[counted], float(drawn.weight[counted].sum())
    carried = signs.mean(1)[:, None]
    everything = np.abs(carried) > 1 - 1e-12
    lower, upper = [], []
    for first in range(0, len(noise), _BLOCK):
        z = noise[first : first + _BLOCK]
        own, others = z.mean(1)[None], signs @ z.T / k
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = (own + others) / (1 + carried), (own - others) / (1 - carried)
        lowest = np.where(everything, -np.inf, np.fmin(one, other))
        highest = np.where(everything, np.inf, np.fmax(one, other))
        lower.append(_ranked(lowest, alpha * total))
        upper.append(-_ranked(-highest, narrow * total))
    return np.concatenate(lower), np.concatenate(upper)


def _ranked(values: Float, beyond: float) -> Float:
    """The first value [flip, run], rising, up to which more than so many flips lie."""
    rank = int(beyond * (1 + 1e-12))
    return np.asarray(np.partition(values, rank, axis=0)[rank])


def noise_of(random: np.random.Generator, tail: int, shape: Sequence[int]) -> Float:
    """Noise of a standard deviation of 1."""
    if not tail:
        return random.standard_normal(tuple(shape))
    return np.asarray(random.standard_t(tail, tuple(shape)) * math.sqrt((tail - 2) / tail))


_MOST_ASSIGNMENTS = 4_096
_CANARY_BLOCK = 100
"""Runs at a time: their means under all assignments take 3 MB."""


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
    for _ in range(0, RUNS, _CANARY_BLOCK):
        noise = noise_of(random, tail, (_CANARY_BLOCK, blocks, replicas, replicas))
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
