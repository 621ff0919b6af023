"""What is new, gone or changed in some windows against others: kinds, clients, identities, errors.

Load differs from window to window and from minute to minute. So a group counts as changed only
where it left what the groups in the middle did, where nearly every minute of one side is beyond
nearly every one of the other, and where the halves of neither side differ half as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_name, groups_of
from ldap_workbench.advice.account.blame import Phases, phases_of
from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

Values = NDArray[np.float64]

KEYS = {
    "kind": Message("Kind"),
    "client": Message("Client"),
    "bind_dn": Message("Bind DN"),
    "result": Message("Result"),
}
_FEWEST_BINS, _MOST_BINS, _BIN_NS = 8, 240, 60 * NS_PER_S
_GROUPS = 2_000
"""Groups of a side that are looked at, those with most operations."""
_MANY, _SHARE = 20, 0.01
"""Fewer operations, or a smaller share of both count and waiting, are no change of a server."""
_TIMES, _APART, _HALVES = 1.5, 0.95, 2.0
"""A change is so large, in so many pairs of minutes, and so many times that between halves."""
_BY_CHANCE = 1e-3
"""How likely a group that is there as often may be missing from every minute of the other side."""
NEW, GONE, MORE, LESS = "new", "gone", "more", "less"


@dataclass(frozen=True)
class GroupChange:
    """A group in A and in B: operations a minute, and its share of all waiting.

    `change` is one of NEW, GONE, MORE, LESS; `times` how many times as often it asks, or as long
    it waits (`of_waiting`), the change of all others taken off; None where one side has none.
    """

    key: str
    name: str
    change: str
    of_waiting: bool
    times: float | None
    per_minute: tuple[float, float]
    waiting: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class _Bins:
    """Of one side: what each group did in each bin of time, [groups, bins]."""

    names: dict[str, int]
    operations: Values
    waited: Values
    minutes: float

    def row(self, name: str, of: str) -> Values:
        values: Values = getattr(self, of)
        place = self.names.get(name)
        return values[place] if place is not None else np.zeros(values.shape[1])


def changed_groups(
    a: Sequence[Window], b: Sequence[Window], operations_of: Callable[[Window], Operations]
) -> list[GroupChange]:
    """What stands out in B against A by each of KEYS, the largest shares of the waiting first.

    The operations of one window after the other are read: all together they may not fit.
    """
    before, after = _side(a, operations_of), _side(b, operations_of)
    if before is None or after is None:
        return []
    changes = [change for key in KEYS for change in _of_key(key, before[key], after[key])]
    return sorted(
        changes, key=lambda change: (-max(change.waiting), -max(change.per_minute), change.name)
    )


def _of_key(key: str, a: _Bins, b: _Bins) -> Iterable[GroupChange]:
    usual = {of: _usual_change(a, b, of) for of in ("operations", "waited")}
    for name in {*a.names, *b.names} - {"", "0"}:
        judged = _judged(name, a, b, usual) if _is_material(key, name, a, b) else None
        if judged is not None:
            change, of_waiting, times = judged
            per_minute = tuple(side.row(name, "operations").sum() / side.minutes for side in (a, b))
            waiting = tuple(_share(side, name, "waited") for side in (a, b))
            yield GroupChange(
                key, name, change, of_waiting, times, *map(_pair, (per_minute, waiting))
            )


def _judged(
    name: str, a: _Bins, b: _Bins, usual: dict[str, float]
) -> tuple[str, bool, float | None] | None:
    """How a group changed, whether in its waiting, and how many times; None: perhaps not at all."""
    before, after = a.row(name, "operations"), b.row(name, "operations")
    if not before.any() or not after.any():
        there, elsewhere = (after, before) if after.any() else (before, after)
        by_chance = (1 - np.mean(there > 0)) ** len(elsewhere)
        is_clear = by_chance <= _BY_CHANCE
        return (NEW if after.any() else GONE, False, None) if is_clear else None
    for of in ("operations", "waited"):
        times = _times(a.row(name, of), b.row(name, of) / usual[of], b.minutes / a.minutes)
        if times is not None:
            return MORE if times > 1 else LESS, of == "waited", times
    return None


def _is_material(key: str, name: str, a: _Bins, b: _Bins) -> bool:
    if max(a.row(name, "operations").sum(), b.row(name, "operations").sum()) < _MANY:
        return False
    shares = (_share(side, name, of) for side in (a, b) for of in ("operations", "waited"))
    return key == "result" or max(shares) >= _SHARE


def _share(side: _Bins, name: str, of: str) -> float:
    return float(side.row(name, of).sum() / max(getattr(side, of).sum(), 1.0))


def _pair(values: Sequence[float]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _usual_change(a: _Bins, b: _Bins, of: str) -> float:
    """How many times as much the group in the middle did in a minute of B.

    By the weight each has on the side where it has less: one that grows has no more say for it.
    """
    ratios, weights = [1.0], [0.0]
    for name in a.names.keys() & b.names.keys():
        before = a.row(name, of).sum() / a.minutes
        after = b.row(name, of).sum() / b.minutes
        if before and after:
            ratios.append(after / before)
            weights.append(float(min(before, after)))
    order = np.argsort(ratios)
    total = np.cumsum(np.array(weights)[order])
    return ratios[int(order[np.searchsorted(total, total[-1] / 2)])] if total[-1] else 1.0


def _times(a: Values, b: Values, longer: float) -> float | None:
    """How many times as much there is in a minute of `b`; None where the difference may be noise.

    `longer`: the minutes of the side of `b` for each of `a`.
    """
    per_bin = longer * len(a) / len(b)
    b = b / per_bin
    if not a.any() or not b.any():
        return None
    times = float(b.mean() / a.mean())
    below = np.searchsorted(np.sort(a), b, "left") + np.searchsorted(np.sort(a), b, "right")
    larger = float(below.sum() / (2 * len(a) * len(b)))
    size = abs(np.log(times))
    is_clear = max(larger, 1 - larger) >= _APART and size >= np.log(_TIMES)
    return (
        times
        if is_clear and size >= _HALVES * max(_between_halves(a), _between_halves(b))
        else None
    )


def _between_halves(values: Values) -> float:
    """How many times as much there is in one half as in the other, as a logarithm."""
    half = len(values) // 2
    first, second = values[:half].mean(), values[half:].mean()
    least = values.mean() / len(values)
    return float(abs(np.log((second + least) / (first + least))))


def _side(
    windows: Sequence[Window], operations_of: Callable[[Window], Operations]
) -> dict[str, _Bins] | None:
    """The bins of some windows by key; None where one of them has no operation."""
    names: dict[str, dict[str, int]] = {key: {} for key in KEYS}
    parts: dict[str, list[tuple[Values, Values]]] = {key: [] for key in KEYS}
    for window in windows:
        of_window = operations_of(window)
        if not len(of_window):
            return None
        phases = phases_of(of_window)
        for key in KEYS:
            parts[key].append(_binned(key, window, of_window, phases, names[key]))
    if not windows:
        return None
    minutes = max(sum(window.seconds for window in windows) / 60, 1e-9)
    bins = {}
    for key, of_key in parts.items():
        operations, waited = zip(*of_key, strict=True)
        bins[key] = _Bins(names[key], _joined(operations), _joined(waited), minutes)
    return bins


def _binned(
    key: str, window: Window, operations: Operations, phases: Phases, names: dict[str, int]
) -> tuple[Values, Values]:
    """Operations and their waiting of each group in each bin; new groups get the next number."""
    codes, first = groups_of(operations, key)
    counts = np.bincount(codes[phases.counted], minlength=len(first))
    top = np.argsort(-counts, kind="stable")[:_GROUPS]
    place = np.full(len(first), -1, np.intp)
    for code in top[counts[top] > 0].tolist():
        name = group_name(operations, key, int(first[code]))
        place[code] = names.setdefault(name, len(names))
    length = window.end_ns - window.start_ns
    bins = int(np.clip(length // _BIN_NS, _FEWEST_BINS, _MOST_BINS))
    at = np.clip((operations.start_ns - window.start_ns) * bins // length, 0, bins - 1)
    rows = phases.counted & (place[codes] >= 0)
    cells = place[codes][rows] * bins + at[rows]
    shape = len(names), bins

    def table(weights: Values) -> Values:
        sums: Values = np.bincount(cells, weights, len(names) * bins).astype(np.float64)
        return sums.reshape(shape)

    return table(np.ones(len(cells))), table(phases.waited_ns[rows].astype(np.float64))


def _joined(tables: Sequence[Values]) -> Values:
    """The bins of all windows side by side; a window knows no group that came later."""
    groups = len(tables[-1])
    return np.hstack([np.pad(table, ((0, groups - len(table)), (0, 0))) for table in tables])


HEADINGS = (
    Message("Group"),
    verbatim(""),
    Message("Change"),
    Message("Operations/min, A"),
    verbatim("B"),
    Message("Share of waiting, A"),
    verbatim("B"),
)


def change_cells(change: GroupChange) -> Row:
    """A group: by what, which, how it changed, operations a minute and share of all waiting."""
    return (
        KEYS[change.key],
        verbatim(change.name),
        _change(change),
        *(formats.amount(rate, ".3g") for rate in change.per_minute),
        *(formats.amount(100 * share, ".1f", " %") for share in change.waiting),
    )


def _change(change: GroupChange) -> Message:
    if change.change == NEW:
        return Message("new")
    if change.change == GONE:
        return Message("gone")
    if change.of_waiting:
        return Message("waiting × {times:.2g}", times=change.times)
    return Message("operations × {times:.2g}", times=change.times)


def change_numbers(changes: Sequence[GroupChange]) -> Numbers:
    """A row a group, the largest shares of the waiting first."""
    return Numbers(HEADINGS, tuple(map(change_cells, changes)))
