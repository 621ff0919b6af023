"""What access control costs: the same search as two identities, in turn, as a paired test.

The directory manager is above all access control, so its searches are the same work without it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.connect.directory import Directory
from ldap_workbench.inference.significance.signflip import flips, interval, p_value
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress

FEWEST_PAIRS = 6
"""Fewer cannot show a difference at 5 %, whatever they measure."""
_SEED = 19


@dataclass(frozen=True)
class SearchQuestion:
    """What is searched for, by both."""

    base: str
    filter: str = "(objectClass=*)"
    scope: str = "sub"


@dataclass(frozen=True)
class IdentityComparison:
    """Medians of both in ns, with what they were shown.

    And how many times as long the second takes with its 95 % interval, None where no interval can
    be given.
    """

    pairs: int
    first_ns: int
    second_ns: int
    first_entries: int
    second_entries: int
    times: float
    low: float | None
    high: float | None
    p: float

    @property
    def established(self) -> bool:
        """Whether the interval leaves out 1: both alike."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high

    @property
    def sentence(self) -> Message:
        values = {"times": self.times, "low": self.low or 0.0, "high": self.high or 0.0}
        if not self.established:
            return Message(
                "No difference is established: {times:.2f} times as long ({low:.2f} to "
                "{high:.2f}, 95 %) over {pairs} pairs.",
                pairs=self.pairs,
                **values,
            )
        return Message(
            "The second identity waits {times:.2f} times as long ({low:.2f} to {high:.2f}, 95 %) "
            "over {pairs} pairs: that is what access control costs it.",
            pairs=self.pairs,
            **values,
        )


def compare_identities(
    first: Directory,
    second: Directory,
    question: SearchQuestion,
    pairs: int,
    *,
    now_ns: Callable[[], int] = time.perf_counter_ns,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> IdentityComparison:
    """Ask both, each pair in an order of its own drawn by chance; one search each goes before.

    Raises DirectoryError where the server refuses the search to one of them, CancelledError
    between two pairs.
    """
    cancel = cancel if cancel is not None else Cancel()
    both = (first, second)
    entries = [len(_search(directory, question)) for directory in both]  # caches are warm for both
    orders = np.random.default_rng(_SEED).integers(0, 2, pairs)
    times = np.zeros((pairs, 2), np.int64)
    for pair, turned in enumerate(orders):
        cancel.check()
        progress(Progress(Message("Searching as both identities"), pair / pairs))
        for which in (1, 0) if turned else (0, 1):
            began = now_ns()
            _search(both[which], question)
            times[pair, which] = now_ns() - began
    return _judged(times, entries, tuple(int(1 - 2 * turned) for turned in orders))


def _search(directory: Directory, question: SearchQuestion) -> list[object]:
    entries = directory.search(question.base, scope=question.scope, filter=question.filter)
    return list(entries)


def _judged(
    times: NDArray[np.int64], entries: list[int], order: tuple[int, ...]
) -> IdentityComparison:
    """Differences are of logarithms: a search of a second and one of a millisecond count alike."""
    d = np.log(np.maximum(times[:, 1], 1) / np.maximum(times[:, 0], 1))
    drawn = flips(len(d), _SEED, order)
    between = interval(d, drawn)
    return IdentityComparison(
        pairs=len(d),
        first_ns=int(np.median(times[:, 0])),
        second_ns=int(np.median(times[:, 1])),
        first_entries=entries[0],
        second_entries=entries[1],
        times=math.exp(float(d.mean())),
        low=math.exp(between[0]) if between else None,
        high=math.exp(between[1]) if between else None,
        p=p_value(d, drawn),
    )
