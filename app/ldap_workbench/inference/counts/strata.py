"""Strata: the kinds of request that every window of a verdict has, by which it is standardised.

Told apart as far as enough operations allow it, without regard to the arms: the more frequent kinds
each for itself, and what is left of a type as one.

Mixtures put to the same: types as they occur in both arms, and kinds of request inside each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.requests import (
    PARTS,
    Kind,
    RequestColumns,
    Requests,
    groups_of,
)
from ldap_workbench.model.kind import OperationKind

Float = NDArray[np.float64]

MOST = 16
"""Kinds that are told apart, beside what is left of each type."""
LEAST_SHARE = 0.01
LEAST_OPERATIONS = 20
_LEAST_OF_MEAN = 0.2
"""Of its mean share, what a kind must have in a window: else a few operations stand for many."""
_EXCEPT = 0.125
"""Share of the windows in which a kind may have less: one that hung says nothing of the kinds."""
_ALL_OF_IT = 0.99
_NOTHING_LEFT = 0.0005


@dataclass(frozen=True)
class Stratum:
    """Requests of one kind, but for the finer kinds in it that are strata of their own.

    kind    () for requests of which only the end is known, as their clients gave up: an outcome,
            which keeps the share it has of its type
    type    operation type
    asked   whether it is of the kind of operation that the verdict was asked for
    """

    kind: Kind
    type: str
    asked: bool = False

    @property
    def given_up(self) -> bool:
        return not self.kind


@dataclass(frozen=True)
class Strata:
    """The strata of a verdict, the same in all its windows."""

    strata: tuple[Stratum, ...]
    wanted: OperationKind | None = None

    @cached_property
    def kinds(self) -> dict[Kind, int]:
        """Of each kind that is told apart, which stratum it is."""
        return {stratum.kind: i for i, stratum in enumerate(self.strata)}

    def of(self, requests: RequestColumns) -> NDArray[np.uint8]:
        """The stratum of each request: the finest kind it is of."""
        numbers, names = groups_of(requests, self.wanted)
        texts: list[list[str | None]] = []
        size = len(names)
        for depth, (column, table) in enumerate(PARTS, 1):
            used = sorted({kind[depth] for kind in self.kinds if len(kind) > depth})
            rank = {text: i + 1 for i, text in enumerate(used)}
            ranks = np.array([rank.get(text, 0) for text in ("", *requests.tables[table])])
            numbers = numbers * (len(used) + 1) + ranks[requests.places(column, table) + 1]
            size *= len(used) + 1
            texts.append([None, *used])
        stratum = np.zeros(size, np.uint8)
        for number in np.flatnonzero(np.bincount(numbers, minlength=size)).tolist():
            stratum[number] = self._finest(number, names, texts)
        strata = stratum[numbers]
        strata[requests.given_up] = self.kinds[()]
        return strata

    def _finest(
        self, number: int, names: Sequence[str], texts: Sequence[Sequence[str | None]]
    ) -> int:
        parts: list[str | None] = []
        for table in reversed(texts):
            number, rank = divmod(number, len(table))
            parts.insert(0, table[rank])
        kind: Kind = (names[number],)
        finest = self.kinds.get(kind, self.kinds[()])
        for part in parts:
            if part is None:
                break
            kind = (*kind, part)
            finest = self.kinds.get(kind, finest)
        return finest

    def tells_apart(self, shape: Kind) -> bool:
        """Whether requests of a type's filter shape have strata of their own."""
        return any(kind[:2] == shape[:2] for kind in self.kinds)


def choose_strata(windows: Sequence[Requests], wanted: OperationKind | None = None) -> Strata:
    """The kinds to tell apart in these windows, whatever their arms are."""
    counted = [window for window in windows if window.n]
    shares = _shares(counted)
    groups = [kind for kind in shares if len(kind) == 1]
    frequent = _frequent(shares, counted)
    kinds = [*groups, *sorted(_with_enough_left(frequent, groups, shares, counted))]
    strata = [Stratum(kind, kind[0].partition("[")[0], "[" in kind[0]) for kind in kinds]
    return Strata((*strata, Stratum((), "SRCH")), wanted)


def _shares(windows: Sequence[Requests]) -> dict[Kind, Float]:
    """Share of each kind in the requests of each window [window]."""
    kinds = {kind for window in windows for kind in window.kinds}
    return {
        kind: np.array([window.kinds.get(kind, 0) / window.n for window in windows])
        for kind in sorted(kinds)
    }


def _frequent(shares: Mapping[Kind, Float], windows: Sequence[Requests]) -> list[Kind]:
    """The most frequent filter shapes, then their bases, then their clients, within the budget."""
    chosen: list[Kind] = []
    divisible: set[Kind] = {kind for kind in shares if len(kind) == 1}
    for length in range(2, 2 + len(PARTS)):
        kinds = [kind for kind in shares if len(kind) == length and kind[:-1] in divisible]
        kinds.sort(key=lambda kind: (-float(shares[kind].mean()), kind))
        for kind in kinds:
            if float(shares[kind].mean()) >= _ALL_OF_IT * float(shares[kind[:-1]].mean()):
                divisible.add(kind)  # nothing to tell apart here, but perhaps inside
            elif len(chosen) < MOST and _is_enough(shares[kind], windows):
                chosen.append(kind)
                divisible.add(kind)
    return chosen


def _is_enough(share: Float, windows: Sequence[Requests]) -> bool:
    """Whether a kind with such a share of each window may stand for itself."""
    mean = float(share.mean())
    if mean < LEAST_SHARE:
        return False
    n = np.array([window.n for window in windows])
    few = (share * n < LEAST_OPERATIONS) | (share < _LEAST_OF_MEAN * mean)
    return float(few.mean()) <= _EXCEPT


def _with_enough_left(
    frequent: list[Kind],
    groups: Sequence[Kind],
    shares: Mapping[Kind, Float],
    windows: Sequence[Requests],
) -> list[Kind]:
    """The kinds without those that what is left of their type, or of their shape, has to take in.

    What is left is a stratum, too, and needs enough operations as any other.
    """
    chosen = list(frequent)
    for holder in sorted([*groups, *frequent], key=len, reverse=True):
        while inside := _nearest(holder, chosen):
            left = shares[holder] - np.sum([shares[kind] for kind in inside], axis=0)
            if float(left.mean()) <= _NOTHING_LEFT or _is_enough(left, windows):
                break
            smallest = min(inside, key=lambda kind: (float(shares[kind].mean()), kind))
            chosen = [kind for kind in chosen if kind[: len(smallest)] != smallest]
    return chosen


def _nearest(holder: Kind, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds that lie in another one, without those that lie in one of these."""
    inside = [kind for kind in kinds if len(kind) > len(holder) and kind[: len(holder)] == holder]
    return [
        kind
        for kind in inside
        if not any(kind != other and kind[: len(other)] == other for other in inside)
    ]


_MOST_WEIGHT = 10.0
"""How many operations of its kind one may stand for: a handful says little of hundreds."""


def mix_weights(totals: Float, arms: Sequence[str], strata: Sequence[Stratum]) -> Float:
    """What an operation counts [row, stratum], so that all rows have the mean mix of both arms.

    `totals` [row, stratum] are operations of windows, or of arms. Strata are weighed inside their
    type. Those without an answer keep the share they have of it, for that is an outcome.
    """
    types = sorted({stratum.type for stratum in strata})
    columns = [[i for i, stratum in enumerate(strata) if stratum.type == name] for name in types]
    by_type = np.column_stack([totals[:, mine].sum(1) for mine in columns])
    wanted_types = _at_mean_mix(by_type, arms)
    wanted = np.zeros_like(totals)
    for column, mine in enumerate(columns):
        factor = _ratio(wanted_types[:, column], by_type[:, column])[:, None]
        wanted[:, mine] = factor * totals[:, mine]
        answered = [i for i in mine if not strata[i].given_up]
        if len(answered) > 1:
            wanted[:, answered] = factor * _at_mean_mix(totals[:, answered], arms, _MOST_WEIGHT)
    return _ratio(wanted, totals)


def _at_mean_mix(totals: Float, arms: Sequence[str], most: float = np.inf) -> Float:
    """Operations of each row as if in the mean mix; what a row lacks is shared out in it."""
    of_row = np.array(list(arms))
    mixes = [_type_shares(totals[of_row == arm].sum(0)) for arm in np.unique(of_row)]
    mix = np.sum(mixes, axis=0) / len(mixes)
    sums = totals.sum(1, keepdims=True)
    share = np.where(totals > 0, mix, 0.0)
    if np.isfinite(most):
        share = np.minimum(share, most * _ratio(totals, np.broadcast_to(sums, totals.shape)))
    share /= np.maximum(share.sum(1, keepdims=True), 1e-300)
    return np.asarray(share * sums)


def _type_shares(totals: Float) -> Float:
    return np.asarray(totals / max(totals.sum(), 1e-300))


def _ratio(a: Float, b: Float) -> Float:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
