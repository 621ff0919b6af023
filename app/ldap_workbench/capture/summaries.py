"""What logconv counted in an access log, beside what the window counts in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldap_workbench.model.operations import NOTES, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.window import Window

_TOLERANCE_NS = 2 * NS_PER_S
"""A window begins with its first operation, the log a little before, with a connection."""
_TYPES = {
    "Searches": ("SRCH", "search", "searches"),
    "Binds": ("BIND", "bind", "binds"),
    "Modifications": ("MOD", "modification", "modifications"),
    "Adds": ("ADD", "add", "adds"),
    "Deletes": ("DEL", "delete", "deletes"),
    "Mod RDNs": ("MODRDN", "rename", "renames"),
    "Compares": ("CMP", "compare", "compares"),
}
_NOTED = {
    "Unindexed Searches": ("A", "search without index", "searches without index"),
    "Unindexed Components": ("U", "search partly without index", "searches partly without index"),
}
"""Figures by the names logconv prints: what they are with us, one and several of it."""


@dataclass
class LogTotals:
    """What the operations that start in a window add up to, internal ones with them.

    logconv counts those of the server itself with those of clients, where the log has them.
    """

    start_ns: int | None
    end_ns: int | None
    types: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    errors: Counter[int] = field(default_factory=Counter)
    connections: set[tuple[int, int]] = field(default_factory=set)
    longest_ns: int = 0
    internal: int = 0

    def add(self, operations: Operations) -> None:
        """Count some more of them."""
        inside = np.ones(len(operations), np.bool_)
        if self.start_ns is not None:
            inside &= operations.start_ns >= self.start_ns
        if self.end_ns is not None:
            inside &= operations.start_ns < self.end_ns
        part = operations.take(inside)
        if not len(part):
            return
        for kind, n in zip(*np.unique_counts(part.kind), strict=True):
            self.types[TYPES[kind]] += int(n)
        for code, n in zip(*np.unique_counts(part.err), strict=True):
            self.errors[int(code)] += int(n)
        for letter, *_ in _NOTED.values():
            noted = part.notes & (1 << NOTES.index(letter)) != 0
            self.notes[letter] += int(np.count_nonzero(noted))
        self.internal += int(np.count_nonzero(part.internal))
        boot, conn = part.boot[~part.internal], part.conn[~part.internal]
        pairs = np.unique(np.stack([boot.astype(np.int64), conn]), axis=1)
        self.connections.update((int(boot), int(conn)) for boot, conn in pairs.T)
        self.longest_ns = max(self.longest_ns, int(part.etime_ns.max()))


@dataclass(frozen=True)
class _Count:
    one: str
    several: str
    theirs: int
    ours: int

    def __str__(self) -> str:
        return f"{self.theirs:,} {self.one if self.theirs == 1 else self.several}"


def compared(summary: dict[str, Any], window: Window, totals: LogTotals | None) -> list[str]:
    """Sentences: what the summary counted, beside the window's own count where it has a log."""
    counts = _counts(summary, totals or LogTotals(None, None))
    if totals is None:
        listed = ", ".join(map(str, counts))
        return [_ALONE, *([f"logconv counted {listed}."] if listed else [])]
    same = ", ".join(str(each) for each in counts if each.theirs == each.ours)
    said = [f"logconv and this window count the same: {same}."] if same else []
    said += [
        f"logconv: {each}; this window: {each.ours:,}."
        for each in counts
        if each.theirs != each.ours
    ]
    if (longest := summary["longest_s"]) is not None:
        ours = totals.longest_ns / NS_PER_S
        said.append(f"logconv: longest etime {longest:.6f} s; this window: {ours:.6f} s.")
    if totals.internal:
        said.append(f"Both count operations of the server itself: {totals.internal:,} here.")
    return said + (_other_time(summary, window) or _unanswered(summary))


_ALONE = (
    "A summary alone, without its access log: totals, and no latency of any operation. Import the "
    "access log it was made from."
)


def _counts(summary: dict[str, Any], totals: LogTotals) -> list[_Count]:
    """Logconv's count and ours of all that either saw."""
    figures, errors = summary["figures"], summary["errors"]
    found = [
        _Count(one, several, int(figures[name]), ours[key])
        for names, ours in ((_TYPES, totals.types), (_NOTED, totals.notes))
        for name, (key, one, several) in names.items()
        if name in figures
    ]
    if (opened := figures.get("Total Connections")) is not None:
        found.append(_Count("connection", "connections", int(opened), len(totals.connections)))
    for code in sorted({*errors, *totals.errors} - {0}) if errors is not None else ():
        what = f"result with err={code}", f"results with err={code}"
        found.append(_Count(*what, errors.get(code, 0), totals.errors[code]))
    return [each for each in found if each.theirs or each.ours]


def _other_time(summary: dict[str, Any], window: Window) -> list[str]:
    """Where the summary covers another time than the window, which explains other counts."""
    begin, end = summary["start_ns"], summary["end_ns"]
    if begin is None or end is None:
        return ["The summary does not say what time it covers."]
    if max(abs(window.start_ns - begin), abs(window.end_ns - end)) <= _TOLERANCE_NS:
        return []
    return [
        "The summary covers another time than this window, so counts may differ: "
        f"{format_time(begin)} to {format_time(end)}."
    ]


def _unanswered(summary: dict[str, Any]) -> list[str]:
    """logconv counts requests, a window what was answered."""
    figures = summary["figures"]
    without = int(figures.get("Total Operations", 0) - figures.get("Total Results", 0))
    if without <= 0:
        return []
    return [f"logconv counts requests, a window those with a result: {without:,} without one."]
