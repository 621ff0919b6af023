"""What logconv counted in an access log, beside what the window counts in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import NOTES, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

_TOLERANCE_NS = 2 * NS_PER_S
"""A window begins with its first operation, the log a little before, with a connection."""
_TYPES = {
    "Searches": ("SRCH", count_of("{n} search", "{n} searches", n=0)),
    "Binds": ("BIND", count_of("{n} bind", "{n} binds", n=0)),
    "Modifications": ("MOD", count_of("{n} modification", "{n} modifications", n=0)),
    "Adds": ("ADD", count_of("{n} add", "{n} adds", n=0)),
    "Deletes": ("DEL", count_of("{n} delete", "{n} deletes", n=0)),
    "Mod RDNs": ("MODRDN", count_of("{n} rename", "{n} renames", n=0)),
    "Compares": ("CMP", count_of("{n} compare", "{n} compares", n=0)),
}
_NOTED = {
    "Unindexed Searches": (
        "A",
        count_of("{n} search without index", "{n} searches without index", n=0),
    ),
    "Unindexed Components": (
        "U",
        count_of("{n} search partly without index", "{n} searches partly without index", n=0),
    ),
}
"""Figures by the names logconv prints: what they are with us, and so many of it."""
_CONNECTIONS = count_of("{n} connection", "{n} connections", n=0)


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
    name: Message
    theirs: int
    ours: int

    def described(self) -> Message:
        """Theirs, by name."""
        words = self.name.template, self.name.plural
        others = {key: value for key, value in self.name.parameters.items() if key != "n"}
        return count_of(*words, n=self.theirs, **others)


def compared(summary: dict[str, Any], window: Window, totals: LogTotals | None) -> list[Message]:
    """Sentences: what the summary counted, beside the window's own count where it has a log."""
    counts = _counts(summary, totals or LogTotals(None, None))
    if totals is None:
        listed = tuple(count.described() for count in counts)
        return [_ALONE, *([Message("logconv counted {counts}.", counts=listed)] if listed else [])]
    same = tuple(count.described() for count in counts if count.theirs == count.ours)
    said = []
    if same:
        said.append(Message("logconv and this window count the same: {counts}.", counts=same))
    said += [
        Message(
            "logconv: {theirs}; this window: {ours}.", theirs=count.described(), ours=count.ours
        )
        for count in counts
        if count.theirs != count.ours
    ]
    if (longest := summary["longest_s"]) is not None:
        said.append(
            Message(
                "logconv: longest etime {theirs:.6f} s; this window: {ours:.6f} s.",
                theirs=longest,
                ours=totals.longest_ns / NS_PER_S,
            )
        )
    if totals.internal:
        said.append(
            Message(
                "Both count operations of the server itself: {internal} here.",
                internal=totals.internal,
            )
        )
    return said + (_other_time(summary, window) or _unanswered(summary))


_ALONE = Message(
    "A summary alone, without its access log: totals, and no latency of any operation. Import the "
    "access log it was made from."
)


def _counts(summary: dict[str, Any], totals: LogTotals) -> list[_Count]:
    """Logconv's count and ours of all that either saw."""
    figures, errors = summary["figures"], summary["errors"]
    counts = [
        _Count(what, int(figures[name]), ours[key])
        for names, ours in ((_TYPES, totals.types), (_NOTED, totals.notes))
        for name, (key, what) in names.items()
        if name in figures
    ]
    if (opened := figures.get("Total Connections")) is not None:
        counts.append(_Count(_CONNECTIONS, int(opened), len(totals.connections)))
    for code in sorted({*errors, *totals.errors} - {0}) if errors is not None else ():
        what = count_of(
            "{n} result with err={code:plain}", "{n} results with err={code:plain}", n=0, code=code
        )
        counts.append(_Count(what, errors.get(code, 0), totals.errors[code]))
    return [count for count in counts if count.theirs or count.ours]


def _other_time(summary: dict[str, Any], window: Window) -> list[Message]:
    """Where the summary covers another time than the window, which explains other counts."""
    begin, end = summary["start_ns"], summary["end_ns"]
    if begin is None or end is None:
        return [Message("The summary does not say what time it covers.")]
    if max(abs(window.start_ns - begin), abs(window.end_ns - end)) <= _TOLERANCE_NS:
        return []
    return [
        Message(
            "The summary covers another time than this window, so counts may differ: {start:time} "
            "to {end:time}.",
            start=begin,
            end=end,
        )
    ]


def _unanswered(summary: dict[str, Any]) -> list[Message]:
    """logconv counts requests, a window what was answered."""
    figures = summary["figures"]
    without = int(figures.get("Total Operations", 0) - figures.get("Total Results", 0))
    if without <= 0:
        return []
    return [
        Message(
            "logconv counts requests, a window those with a result: {without} without one.",
            without=without,
        )
    ]
