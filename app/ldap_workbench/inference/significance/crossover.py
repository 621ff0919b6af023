"""Exact inference on a canary that crosses over between replicas, beside concurrent controls.

A block has as many windows as there are replicas. In each window one replica, the canary, has the
treatment and the others are its controls; the order of turns is drawn at random for every block.
What a block says is the mean, over its windows, of ln canary minus the mean ln of its controls:
load that changes on all replicas alike cancels in each window, and what one replica always has
cancels over the block. Under "the treatment does nothing" the orders that were not drawn would have
met the very same values, so the test needs no other assumption.

Source: Bojinov, I., Simchi-Levi, D., Zhao, J. (2023), Design and analysis of switchback
experiments; Rosenbaum, P. (2002), Observational studies, chapter 2.

How often a look after every block ends a canary whose treatment does nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.significance.signflip import shifts_reached, unrejected

Float = NDArray[np.float64]
Orders = Sequence[Sequence[int]]
"""[block][window] the replica that is the canary; each replica once in a block."""

EXACT_UP_TO = 6**6
"""As many assignments are tried one by one; of more a random part."""
RANDOM_ASSIGNMENTS = 9_999
_CLOSE = 1e-12


def draw_orders(replicas: int, blocks: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """The turns of a design: for each block an order of the replicas, all equally likely."""
    random = np.random.default_rng(seed)
    return tuple(tuple(random.permutation(replicas).tolist()) for _ in range(blocks))


def clearest_p(replicas: int, blocks: int) -> float:
    """The p-value of the clearest outcome a design can have.

    With two replicas the opposite assignment is as far from zero, so two of all reach it.
    """
    return (2.0 if replicas == 2 else 1.0) / float(math.factorial(replicas)) ** blocks


def least_blocks(replicas: int, level: float) -> int:
    """The fewest blocks that can reach a level; two at least, for one has no spread."""
    blocks = 2
    while clearest_p(replicas, blocks) > level:
        blocks += 1
    return blocks


@dataclass(frozen=True, eq=False)
class Crossover:
    """What one metric says of a canary.

    values  [block, window, replica] ln of the metric in each window
    orders  [block, window] index of the canary
    """

    values: Float
    orders: NDArray[np.int64]
    seed: int = 0

    @cached_property
    def effects(self) -> Float:
        """ln canary - ln controls of each block."""
        return _own(_of_every_order(self.values), self._own_orders)

    @property
    def estimate(self) -> float:
        """ln of the ratio canary / controls."""
        return float(self.effects.mean())

    @cached_property
    def noise(self) -> float:
        """Standard deviation of ln of one window of one replica, beside what all share.

        0 with a single block of two replicas, which leaves nothing to tell it by.
        """
        blocks, windows, replicas = self.values.shape
        treated = _indicator(self.orders, replicas)
        left = (self.values - self.estimate * treated).reshape(-1, replicas)
        left = left - left.mean(1, keepdims=True)
        left = left - left.mean(0)
        freedom = (blocks * windows - 1) * (replicas - 1) - 1
        return math.sqrt(float((left**2).sum()) / freedom) if freedom > 0 else 0.0

    def p(self) -> float:
        """Two-sided: the share of assignments whose mean effect is as far from zero."""
        reached = np.abs(self._means) >= abs(self.estimate) * (1 - _CLOSE) - _CLOSE
        return float(reached.mean())

    def p_worse(self) -> float:
        """One-sided: the share of assignments whose mean effect is as large or larger."""
        own = self.estimate
        return float((self._means >= own - _CLOSE * (1 + abs(own))).mean())

    def interval(self, alpha: float = 0.05) -> tuple[float, float] | None:
        """All effects the test does not reject at `alpha`; None where it can reject none."""
        shifts = shifts_reached(self.estimate, self._means, self._carried)
        return unrejected(*shifts, np.ones(len(self._means)), alpha, abs(self.estimate))

    @cached_property
    def scale(self) -> float:
        """Standard deviation of the mean effect over all assignments."""
        return float(self._means.std())

    @property
    def assigned(self) -> Float:
        """The mean effect under each assignment, that which was drawn first."""
        return self._means

    @cached_property
    def _means(self) -> Float:
        return self._over_assignments(self.values)

    @cached_property
    def _carried(self) -> Float:
        """How much of a true effect shows under each assignment: all of it under its own."""
        treated = _indicator(self.orders, self.values.shape[2])
        return self._over_assignments(treated)

    @cached_property
    def _own_orders(self) -> NDArray[np.int64]:
        """Which of all orders each block had."""
        replicas = self.values.shape[2]
        known = {order: i for i, order in enumerate(itertools.permutations(range(replicas)))}
        return np.array([known[tuple(order)] for order in self.orders.tolist()], np.int64)

    def _over_assignments(self, values: Float) -> Float:
        """The mean effect over the blocks under each assignment, their own first."""
        by_order = _of_every_order(values)
        own = float(_own(by_order, self._own_orders).mean())
        blocks, orders = by_order.shape
        if orders**blocks <= EXACT_UP_TO:
            return _first(_every_sum(by_order) / blocks, self._own_orders, orders, own)
        random = np.random.default_rng(self.seed)
        drawn = random.integers(0, orders, (RANDOM_ASSIGNMENTS, blocks))
        means = by_order[np.arange(blocks), drawn].mean(1)
        return np.concatenate([[own], means])


def _indicator(orders: NDArray[np.int64], replicas: int) -> Float:
    """[block, window, replica] 1 where the replica is the canary."""
    return np.asarray(orders[:, :, None] == np.arange(replicas), np.float64)


def _of_every_order(values: Float) -> Float:
    """What each block would say under each order of its replicas [block, order]."""
    replicas = values.shape[2]
    against = (values - values.mean(2, keepdims=True)) * (replicas / (replicas - 1))
    orders = np.array(list(itertools.permutations(range(replicas))))
    windows = np.arange(replicas)
    return np.asarray(against[:, windows, orders].mean(2))


def _own(by_order: Float, own: NDArray[np.int64]) -> Float:
    return np.asarray(by_order[np.arange(len(own)), own])


def _every_sum(by_order: Float) -> Float:
    """The sum over the blocks for every combination of their orders."""
    sums = np.zeros(1)
    for block in by_order:
        sums = (sums[:, None] + block).ravel()
    return sums


def _first(means: Float, own_orders: NDArray[np.int64], orders: int, own: float) -> Float:
    """The assignment that was drawn in front."""
    index = 0
    for order in own_orders:
        index = index * orders + int(order)
    means[0], means[index] = own, means[0]
    return means


def max_t(family: Sequence[Crossover]) -> Float:
    """Adjusted p of each metric, over the largest of all; same orders and seed for all of them."""
    if not family:
        return np.zeros(0)
    scales = np.maximum([metric.scale for metric in family], 1e-12)
    t = np.abs([metric.assigned for metric in family]) / scales[:, None]
    largest = t.max(0)
    return np.asarray([(largest >= own * (1 - 1e-9)).mean() for own in t[:, 0]])


_RUNS, _ASSIGNMENTS = 1000, 300


@lru_cache(maxsize=64)
def false_stop_rate(replicas: int, blocks: int, limit: float, level: float) -> float:
    """The chance that one of the looks has a one-sided p of at most `limit`; 0 to 1.

    A look follows each block but the last, from the first on whose blocks can reach `level`.
    Simulated with normal noise and random assignments. It is less where the noise is so small that
    what chance does is too small to matter.
    """
    random = np.random.default_rng(0)
    first = least_blocks(replicas, level)
    stopped = np.zeros(_RUNS, np.bool_)
    sums = np.zeros((_RUNS, _ASSIGNMENTS))
    for block in range(1, blocks):
        sums += _block(random, replicas)
        if block >= first:
            as_large = sums >= sums[:, :1] - 1e-9
            stopped |= as_large.mean(1) <= limit
    return float(stopped.mean())


def _block(random: np.random.Generator, replicas: int) -> NDArray[np.float64]:
    """What a block says under each assignment [run, assignment], the drawn one first."""
    values = random.standard_normal((_RUNS, replicas, replicas))
    orders = random.permuted(np.tile(np.arange(replicas), (_ASSIGNMENTS, 1)), axis=1)
    against = (values - values.mean(2, keepdims=True)) * (replicas / (replicas - 1))
    effects = np.zeros((_RUNS, _ASSIGNMENTS))
    for window in range(replicas):
        effects += against[:, window, orders[:, window]]
    return effects / replicas
