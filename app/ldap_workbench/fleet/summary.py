"""What units add up to: merged in any order, written down in one way only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ldap_workbench.fleet.checks import check_counts, check_fragment
from ldap_workbench.fleet.counts import Cells, ServerCounts, Sums
from ldap_workbench.fleet.fragments import Fragment, Joined, join
from ldap_workbench.fleet.packing import damaged, pack, unpack

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
