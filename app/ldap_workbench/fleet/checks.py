"""Whether counts of a stranger can be what operations add up to; raises ValueError where not.

What passes can be merged, joined and shown: it may be a lie, and leads to no fault.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.fleet.counts import KEY_AT, NAMES, SLO_NS, Cells, ServerCounts, Sums
from ldap_workbench.fleet.fragments import ORPHAN, Fragment
from ldap_workbench.fleet.units import Unit, is_of
from ldap_workbench.inference.counts.buckets import edges_ns
from ldap_workbench.model.units import NS_PER_S

if TYPE_CHECKING:
    from ldap_workbench.fleet.summary import Summary

Int64 = NDArray[np.int64]

_MOST = 1 << 53
"""Operations of a server: as many as numbers hold to the last one when they are added."""
_LAST_HOUR = 24 * 366 * 200
"""In the 22nd century; every calendar knows it."""


def check_counts(counts: ServerCounts) -> None:
    """Of one server."""
    _check_cells(counts.seconds)
    _check_sums(counts.hours)
    _check_cells(counts.clients, counts.client_names)
    _check_sums(counts.shapes, counts.shape_names)
    hours = counts.hours
    _require(not len(hours.keys) or int(hours.ids.max()) <= _LAST_HOUR, "times")
    by_hour = (counts.seconds.ids // 3600) << KEY_AT | counts.seconds.kinds
    keys, places = np.unique(by_hour, return_inverse=True)
    _require(np.array_equal(keys, hours.keys), "hours")
    n = np.zeros(len(keys), np.int64)
    np.add.at(n, places, counts.seconds.counts)
    _require(np.array_equal(n, hours.added[:, 0]), "seconds and hours")
    _require(min(counts.lines) >= 0, "lines")


def check_fragment(fragment: Fragment) -> None:
    """The open ends of one part of a log."""
    _check_cells(fragment.conns)
    _require(0 <= fragment.begin <= fragment.end and fragment.place >= 0, "place")
    _require(min(fragment.runs, fragment.lost, fragment.first_ns) >= 0, "runs")
    _require(all(0 <= kind < len(NAMES) for kind, _ in fragment.open.values()), "types")
    orphans = fragment.orphans
    columns = dict(zip(ORPHAN, orphans.T, strict=True))
    _require(_within(columns["kind"], len(NAMES)), "types")
    _require(_within(columns["end_ns"], (_LAST_HOUR + 1) * 3600 * NS_PER_S), "times")
    _require(_within(columns["etime_ns"], _MOST), "etimes")


def check_answer(summary: Summary, unit: Unit) -> None:
    """A worker speaks of the part that it was asked for, and of no other server."""
    _require(all(is_of(host, unit.host) for host in summary.counts), "servers")
    _require(sorted(f.host for f in summary.fragments) == sorted(summary.counts), "parts")
    for fragment in summary.fragments:
        asked = unit.place, unit.begin, unit.whole
        _require((fragment.place, fragment.begin, fragment.whole) == asked, "parts")
        _require(unit.end in (-1, fragment.end) and fragment.file == unit.file, "parts")


def _check_cells(cells: Cells, names: Collection[str] | None = None) -> None:
    numbers, counts = cells.numbers, cells.counts
    _require(numbers.ndim == 1 and numbers.shape == counts.shape, "columns")
    if not len(numbers):
        return
    _check_keys(numbers, cells.ids, cells.kinds, names)
    _require(int(cells.buckets.max()) < len(edges_ns(SLO_NS)) - 1, "buckets")
    _require(int(counts.min()) > 0 and float(counts.sum(dtype=np.float64)) < _MOST, "counts")


def _check_sums(sums: Sums, names: Collection[str] | None = None) -> None:
    keys, added, max_ns = sums.keys, sums.added, sums.max_ns
    _require(keys.ndim == 1 and added.shape == (len(keys), 4), "columns")
    _require(max_ns.shape == keys.shape, "columns")
    if not len(keys):
        return
    _check_keys(keys, sums.ids, sums.kinds, names)
    _require(int(added.min()) >= 0 and int(added[:, 0].min()) > 0, "counts")
    _require(bool((added[:, 2:] <= added[:, :1]).all()), "counts")
    _require(bool((added.sum(axis=0, dtype=np.float64) < 2.0**62).all()), "counts")
    _require(int(max_ns.min()) >= 0 and bool((max_ns <= added[:, 1]).all()), "etimes")


def _check_keys(keys: Int64, ids: Int64, kinds: Int64, names: Collection[str] | None) -> None:
    _require(int(keys[0]) >= 0 and bool((np.diff(keys) > 0).all()), "order")
    _require(int(kinds.max()) < len(NAMES), "types")
    _require(names is None or int(ids.max()) < len(names), "names")


def _within(values: Int64, end: int) -> bool:
    return not len(values) or 0 <= int(values.min()) <= int(values.max()) < end


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"its {what} do not fit")
