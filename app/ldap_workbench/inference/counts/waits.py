"""Connections whose client waits for each answer before it asks again, without a stall to show it.

The loop index needs stalls. What is counted here needs none: how much of its time a connection that
asks one thing after another spends waiting for answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]

BINS = 20
"""Of the share of its time that a connection waits for answers: 0 to 5 %, 5 to 10 % and so on."""
_NONE = (0.0,) * BINS
_OVERLAPPING = 0.05
"""A connection of which more operations overlap does not wait for its answers."""
_AHEAD = 0.5
"""From which share of an operation on the next one overlaps it.

A server may log an answer a little after it was sent, when the next request has come already.
"""
_SMALL = 1 << 16


@dataclass(frozen=True)
class Waits:
    """Operations that followed another one on their connection, by how busy the connection was.

    Busy is the share of its time that a connection waits for an answer; one that asks more before
    it has its answer counts as never. `operations` and the sum of their connections' `busy` shares
    [bin]; `of` all operations that were looked at.
    """

    operations: tuple[float, ...] = _NONE
    busy: tuple[float, ...] = _NONE
    of: int = 0

    def plus(self, other: Waits) -> Waits:
        return Waits(
            _added(self.operations, other.operations),
            _added(self.busy, other.busy),
            self.of + other.of,
        )

    @property
    def known(self) -> float:
        """The share of operations that followed another one."""
        return sum(self.operations) / self.of if self.of else 0.0

    def waiting_share(self, least: float) -> float:
        """The share of these on connections that wait for at least `least` of their time."""
        waiting = sum(self.operations[round(least * BINS) :])
        return waiting / max(sum(self.operations), 1e-300)

    def throughput(self, factor: float) -> float:
        """By how much these clients would answer more often if all etimes were times `factor`.

        A client that thinks as long as before asks again after its etime and that time.
        """
        operations, busy = np.array(self.operations), np.array(self.busy)
        used = operations > 0
        share = busy[used] / operations[used]
        more = operations[used] / (1 - share * (1 - factor))
        return float(more.sum() / operations.sum())


NO_WAITS = Waits()


def _added(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def waits_of(end_ns: Int64, etime_ns: Int64, connection: Int64) -> Waits:
    """Of operations in the order of their answers; `connection` numbers them as the log does."""
    order = np.argsort(_narrow(connection), kind="stable")
    ends, etimes, numbers = end_ns[order], etime_ns[order], connection[order]
    follows = numbers[1:] == numbers[:-1]
    if not follows.any():
        return Waits(of=len(numbers))
    pause = (ends[1:] - etimes[1:] - ends[:-1])[follows]
    etime, before = etimes[1:][follows], etimes[:-1][follows]
    overlaps = -pause > _AHEAD * np.minimum(etime, before)
    same = numbers[1:][follows]
    firsts = np.flatnonzero(np.concatenate([[True], np.diff(same) != 0]))
    n = np.diff(np.concatenate([firsts, [len(same)]])).astype(np.float64)
    waited = np.add.reduceat(etime, firsts).astype(np.float64)
    thought = np.add.reduceat(np.maximum(pause, 0), firsts).astype(np.float64)
    busy = waited / np.maximum(waited + thought, 1.0)
    busy[np.add.reduceat(overlaps, firsts, dtype=np.int64) > _OVERLAPPING * n] = 0.0
    at = np.minimum((busy * BINS).astype(np.int64), BINS - 1)
    return Waits(_binned(at, n), _binned(at, n * busy), len(numbers))


def _narrow(connection: Int64) -> NDArray[np.int64] | NDArray[np.uint16]:
    """The numbers from 0 on, in 16 bits where they fit, which sort several times as fast."""
    rank = connection - connection.min()
    return rank.astype(np.uint16) if int(rank.max()) < _SMALL else np.asarray(rank)


def _binned(at: Int64, weights: Float) -> tuple[float, ...]:
    return tuple(np.bincount(at, weights, BINS).tolist())
