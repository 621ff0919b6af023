"""What units add up to: merged in any order, written down in one way only.

Whether counts of a stranger can be what operations add up to; raises ValueError where not. What
passes can be merged, joined and shown: it may be a lie, and leads to no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.fleet.counts import KEY_AT, NAMES, SLO_NS, Cells, ServerCounts, Sums
from ldap_workbench.fleet.fragments import ORPHAN, Fragment, Joined, join
from ldap_workbench.fleet.packing import damaged, pack, unpack
from ldap_workbench.fleet.units import Unit, is_of
from ldap_workbench.inference.counts.buckets import edges_ns
from ldap_workbench.model.units import NS_PER_S

Int64 = NDArray[np.int64]

LARGEST_ANSWER = 512 << 20
"""Bytes of a unit's summary, unpacked; 256 MiB of a log make about 1 MB."""
LARGEST_SERVER = 2 << 30
"""Bytes of a server's summary, unpacked: of a year of a busy one."""


@dataclass(frozen=True, eq=False)
class Summary:
    """Counts and open ends of some units, by server.

    Merging is associative and commutative: counts are integers that are added, and fragments are
    joined only once all are there.
    """

    counts: Mapping[str, ServerCounts] = field(default_factory=dict)
    fragments: tuple[Fragment, ...] = ()

    @classmethod
    def total(cls, parts: Sequence[Summary]) -> Summary:
        """All of them merged."""
        hosts = sorted({host for part in parts for host in part.counts})
        counts = {
            host: ServerCounts.total([p.counts[host] for p in parts if host in p.counts])
            for host in hosts
        }
        fragments = sorted((f for part in parts for f in part.fragments), key=lambda f: f.at)
        return cls(counts, tuple(fragments))

    def servers(self) -> dict[str, Joined]:
        """Each server with the ends of its parts joined."""
        return {
            host: join(counts, [f for f in self.fragments if f.host == host])
            for host, counts in self.counts.items()
        }

    def to_bytes(self) -> bytes:
        """The same bytes for the same summary."""
        return pack(
            {
                "counts": {host: _counts_tree(counts) for host, counts in self.counts.items()},
                "fragments": [_fragment_tree(fragment) for fragment in self.fragments],
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Summary:
        """What `to_bytes` wrote. Raises LogError for anything else."""
        with damaged():
            tree = unpack(data, LARGEST_ANSWER)
            counts = {str(host): _counts(counts) for host, counts in tree["counts"].items()}
            return cls(counts, tuple(_fragment(fragment) for fragment in tree["fragments"]))


def joined_bytes(server: Joined) -> bytes:
    """A server's joined counts, written down: the same bytes however its logs were divided."""
    ends = {"unjoined": server.unjoined, "open": server.open, "overlaps": list(server.overlaps)}
    return pack({"counts": _counts_tree(server.counts), **ends})


def joined_from_bytes(data: bytes) -> Joined:
    """What `joined_bytes` wrote. Raises LogError for anything else."""
    with damaged():
        tree = unpack(data, LARGEST_SERVER)
        ends = int(tree["unjoined"]), int(tree["open"]), tuple(map(str, tree["overlaps"]))
        return Joined(_counts(tree["counts"]), *ends)


def _counts_tree(counts: ServerCounts) -> dict[str, Any]:
    return {
        "seconds": _cells_tree(counts.seconds),
        "hours": _sums_tree(counts.hours),
        "client_names": list(counts.client_names),
        "clients": _cells_tree(counts.clients),
        "shape_names": list(counts.shape_names),
        "shapes": _sums_tree(counts.shapes),
        "lines": list(counts.lines),
    }


def _counts(tree: Any) -> ServerCounts:
    understood, aside, unknown = map(int, tree["lines"])
    counts = ServerCounts(
        _cells(tree["seconds"]),
        _sums(tree["hours"]),
        tuple(map(str, tree["client_names"])),
        _cells(tree["clients"]),
        tuple(map(str, tree["shape_names"])),
        _sums(tree["shapes"]),
        (understood, aside, unknown),
    )
    check_counts(counts)
    return counts


def _cells_tree(cells: Cells) -> list[Any]:
    return [cells.numbers, cells.counts]


def _cells(tree: Any) -> Cells:
    numbers, counts = tree
    return Cells(numbers, counts)


def _sums_tree(sums: Sums) -> list[Any]:
    return [sums.keys, sums.added, sums.max_ns]


def _sums(tree: Any) -> Sums:
    keys, added, max_ns = tree
    return Sums(keys, added, max_ns)


_PLAIN = ("host", "file", "place", "begin", "end", "whole", "runs", "first_opened", "newest")
_NUMBERS = ("first_ns", "last_ns", "lost")


def _fragment_tree(fragment: Fragment) -> dict[str, Any]:
    return {
        **{name: getattr(fragment, name) for name in (*_PLAIN, *_NUMBERS)},
        "recent": list(fragment.recent),
        "open": [[*key, *asked] for key, asked in sorted(fragment.open.items())],
        "clients": [list(item) for item in sorted(fragment.clients.items())],
        "conns": _cells_tree(fragment.conns),
        "orphans": fragment.orphans,
    }


def _fragment(tree: Any) -> Fragment:
    kinds = {field.name: field.type for field in fields(Fragment)}
    plain = {name: tree[name] for name in (*_PLAIN, *_NUMBERS)}
    for name, value in plain.items():
        if type(value).__name__ != kinds[name]:
            raise ValueError(f"{name} is {value!r}")
    fragment = Fragment(
        **plain,
        recent=tuple(map(int, tree["recent"])),
        open={(int(c), int(op)): (int(kind), str(shape)) for c, op, kind, shape in tree["open"]},
        clients={int(conn): str(client) for conn, client in tree["clients"]},
        conns=_cells(tree["conns"]),
        orphans=tree["orphans"],
    )
    check_fragment(fragment)
    return fragment


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
