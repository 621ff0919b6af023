"""The tables of operations: the slowest of a window, and groups of what they have in common."""

from __future__ import annotations

from ldap_workbench.figures.formats import amount, etime, percent
from ldap_workbench.figures.operations.view import GroupRow, OperationRow
from ldap_workbench.figures.table import Column, always, latency, quantity
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.units import format_time
from ldap_workbench.session.conditions import DURATIONS, exactly, iso

COLUMNS: tuple[Column[OperationRow], ...] = (
    latency(
        verbatim("etime"),
        lambda r: r.etime_ns,
        strong=always,
        about=Message("From the request's arrival to its result"),
    ),
    latency(
        verbatim("wtime"),
        lambda r: r.wtime_ns,
        about=Message("Part of it: waiting in the work queue"),
    ),
    latency(
        verbatim("optime"), lambda r: r.optime_ns, about=Message("Part of it: being processed")
    ),
    Column(Message("Operation"), lambda r: r.type),
    Column(
        Message("Started (server time)"), lambda r: format_time(r.start_ns), lambda r: r.start_ns
    ),
    quantity(
        verbatim("err"),
        lambda r: r.err,
        str,
        strong=lambda r: r.err != 0,
        about=Message("LDAP result code"),
    ),
    quantity(Message("Entries"), lambda r: r.nentries),
    Column(
        Message("Notes"), lambda r: r.notes, about=Message("U, A: unindexed; P: paged; F: filter")
    ),
    quantity(verbatim("conn"), lambda r: r.conn, str),
    quantity(verbatim("op"), lambda r: r.op, str),
    Column(Message("Client"), lambda r: r.client),
    Column(
        Message("Bind DN"),
        lambda r: r.bind_dn,
        about=Message("Bind DN of the client; empty if anonymous"),
    ),
    Column(Message("Base"), lambda r: r.base),
    Column(Message("Filter"), lambda r: r.fingerprint, about=Message("Values are omitted")),
    Column(Message("Window"), lambda r: r.window),
)

_DEREF = (
    Message("never"), Message("searching"), Message("finding the base"), Message("always")
)  # fmt: skip


def _deref(row: OperationRow) -> Message | str:
    return "" if row.deref is None else _DEREF[row.deref]


_BUSY_OF = "{busy} / {workers}"


def _busy(row: OperationRow) -> Message:
    if row.wbusy is None or row.wmax is None:
        return amount(row.wbusy)
    return Message(_BUSY_OF, busy=row.wbusy, workers=row.wmax)


RARE_COLUMNS: dict[str, Column[OperationRow]] = {
    "wqtime_ns": latency(
        verbatim("wqtime"),
        lambda r: r.wqtime_ns,
        about=Message("Waiting in the queue of the worker threads"),
    ),
    "writetime_ns": latency(
        verbatim("writetime"),
        lambda r: r.writetime_ns,
        about=Message("Writing the answer to the client"),
    ),
    "index_ns": quantity(
        Message("Index time"),
        lambda r: r.index_ns,
        etime,
        about=Message("Time spent reading indexes"),
    ),
    "index_ids": quantity(
        Message("Index entries"),
        lambda r: r.index_ids,
        about=Message("Entries listed by the largest index key that was read"),
    ),
    "index_key": Column(
        Message("Largest index key"),
        lambda r: r.index_key,
        about=Message("Attribute and key of the index with the most entries"),
    ),
    "wbusy": Column(
        Message("Busy workers"),
        _busy,
        lambda r: r.wbusy,
        True,
        about=Message("Busy worker threads, of how many, when the answer was logged"),
    ),
    "wqdepth": quantity(
        Message("Queue"),
        lambda r: r.wqdepth,
        about=Message("Operations that waited for a worker when the answer was logged"),
    ),
    "deref": Column(Message("Aliases"), _deref, about=Message("When the search follows aliases")),
    "vlv": Column(
        Message("List view"),
        lambda r: verbatim("VLV") if r.vlv else "",
        about=Message("A page of a sorted list was requested (virtual list view)"),
    ),
}
"""Columns of RARE that are shown where the session says something in them."""
ALL_COLUMNS = (*COLUMNS, *RARE_COLUMNS.values())

ORDERS = (
    "etime", "wtime", "optime", "type", "start", "err", "entries", "notes", "conn", "op",
    "client", "dn", "base", "filter", "window",
    "wqtime", "writetime", "index_time", "index_entries", "index_key",
    "wbusy", "wqdepth", "deref", "vlv",
)  # fmt: skip
"""What the search sorts by for each of ALL_COLUMNS."""


def cell_terms(column: int, row: OperationRow) -> tuple[str, ...]:
    """What finds the operations with the value of a cell in ALL_COLUMNS, and what finds others.

    Of times those as long, and shorter ones. Nothing for a column that cannot be searched.
    """
    name, value = ORDERS[column], getattr(row, _FIELDS.get(ORDERS[column], ""), None)
    if value is None:
        return ()
    if name == "start":
        return tuple(f"{bound}={iso(value)}" for bound in ("from", "to"))
    if name in DURATIONS:
        return tuple(f"{name}{sign}{_in_ms(value)}" for sign in (">=", "<"))
    return tuple(exactly(name, str(value), sign) for sign in ("=", "!="))


_FIELDS = {
    "etime": "etime_ns", "wtime": "wtime_ns", "optime": "optime_ns", "type": "type",
    "start": "start_ns", "err": "err", "entries": "nentries", "notes": "notes", "conn": "conn",
    "op": "op", "client": "client", "dn": "bind_dn", "base": "base", "filter": "fingerprint",
}  # fmt: skip
"""What of a row each of ORDERS is about, where conditions know it."""


def _in_ms(ns: int) -> str:
    return f"{ns // 10**6}.{ns % 10**6:06d}".rstrip("0").rstrip(".") + "ms"


GROUP_NAME = Column[GroupRow](
    Message("Group"), lambda r: r.group.name or Message("(none)"), key="group"
)
"""What the operations have in common."""
GROUP_NUMBERS: tuple[Column[GroupRow], ...] = (
    quantity(Message("Operations"), lambda r: r.group.n, key="operations"),
    quantity(
        Message("Share of time"),
        lambda r: r.share,
        percent,
        strong=lambda r: r.share >= 0.25,
        about=Message("Share of the total etime of all operations found"),
        key="of the time",
    ),
    quantity(Message("Total time"), lambda r: r.group.sum_ns, etime, key="in all"),
    latency(verbatim("p50"), lambda r: r.group.p50_ns, key="p50"),
    latency(verbatim("p99"), lambda r: r.group.p99_ns, key="p99"),
    latency(Message("Longest"), lambda r: r.group.max_ns, key="max"),
    quantity(
        Message("Errors"),
        lambda r: r.group.failed,
        strong=lambda r: r.group.failed > 0,
        about=Message("Result codes that mean failure"),
        key="errors",
        printed=lambda r: str(r.group.failed),
    ),
    quantity(
        Message("Unindexed"),
        lambda r: r.group.unindexed,
        strong=lambda r: r.group.unindexed > 0,
        about=Message("Notes U or A"),
        key="unindexed",
        printed=lambda r: str(r.group.unindexed),
    ),
)
"""What they cost; the window shows the name before these, a command behind them."""
