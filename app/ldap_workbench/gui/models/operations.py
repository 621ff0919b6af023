"""Operations as rows: the slowest of a window, each with the text of its request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from ldap_workbench.gui.models.table import DASH, Column, RowsModel, always
from ldap_workbench.gui.models.words import count, duration
from ldap_workbench.model.operations import ABSENT, NOTES, TYPES, Operations
from ldap_workbench.model.units import format_time


@dataclass(frozen=True)
class OperationRow:
    """One operation as a person looks at it. Times in ns; None where the log does not say."""

    window: str
    source: int
    type: str
    etime_ns: int
    wtime_ns: int | None
    optime_ns: int | None
    start_ns: int
    conn: int
    op: int
    err: int
    nentries: int | None
    notes: str
    client: str
    bind_dn: str
    base: str
    fingerprint: str
    request_at: int
    result_at: int


class OperationsModel(RowsModel[OperationRow]):
    """The slowest first, as they come."""

    def __init__(self, rows: Sequence[OperationRow] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)


def operation_rows(operations: Operations, window: str, source: int) -> list[OperationRow]:
    """Rows of a few operations; not meant for a whole log."""
    return [_row(operations, i, window, source) for i in range(len(operations))]


def _row(ops: Operations, i: int, window: str, source: int) -> OperationRow:
    return OperationRow(
        window=window,
        source=source,
        type=TYPES[ops.kind[i]],
        etime_ns=int(ops.etime_ns[i]),
        wtime_ns=_known(ops.wtime_ns[i]),
        optime_ns=_known(ops.optime_ns[i]),
        start_ns=int(ops.end_ns[i] - ops.etime_ns[i]),
        conn=int(ops.conn[i]),
        op=int(ops.op[i]),
        err=int(ops.err[i]),
        nentries=_known(ops.nentries[i]),
        notes="".join(letter for bit, letter in enumerate(NOTES) if ops.notes[i] >> bit & 1),
        client=_text(ops.clients, ops.client[i]),
        bind_dn=_text(ops.bind_dns, ops.bind_dn[i]),
        base=_text(ops.bases, ops.base[i]),
        fingerprint=_text(ops.fingerprints, ops.fingerprint[i]),
        request_at=int(ops.request_at[i]),
        result_at=int(ops.result_at[i]),
    )


def _known(value: int) -> int | None:
    return None if value == ABSENT else int(value)


def _text(table: Sequence[str], index: int) -> str:
    return table[index] if 0 <= index < len(table) else ""


def _entries(row: OperationRow) -> str:
    return DASH if row.nentries is None else count(row.nentries)


COLUMNS = (
    Column[OperationRow](
        "etime", lambda r: duration(r.etime_ns), lambda r: r.etime_ns, True,
        strong=always, about="From the request's arrival to its result",
    ),
    Column[OperationRow](
        "wtime", lambda r: duration(r.wtime_ns), lambda r: r.wtime_ns, True,
        about="Of it, waiting in the work queue",
    ),
    Column[OperationRow](
        "optime", lambda r: duration(r.optime_ns), lambda r: r.optime_ns, True,
        about="Of it, at work",
    ),
    Column[OperationRow]("Operation", lambda r: r.type),
    Column[OperationRow]("Started (server time)", lambda r: format_time(r.start_ns),
                         lambda r: r.start_ns),
    Column[OperationRow]("err", lambda r: str(r.err), lambda r: r.err, True,
                         strong=lambda r: r.err != 0, about="LDAP result code"),
    Column[OperationRow]("Entries", _entries, lambda r: r.nentries, True),
    Column[OperationRow]("Notes", lambda r: r.notes, about="U, A: unindexed; P: paged; F: filter"),
    Column[OperationRow]("conn", lambda r: str(r.conn), lambda r: r.conn, True),
    Column[OperationRow]("op", lambda r: str(r.op), lambda r: r.op, True),
    Column[OperationRow]("Client", lambda r: r.client),
    Column[OperationRow]("Base", lambda r: r.base),
    Column[OperationRow]("Filter", lambda r: r.fingerprint, about="Values are left out"),
    Column[OperationRow]("Window", lambda r: r.window),
)  # fmt: skip
