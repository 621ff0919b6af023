"""The table of clients: who each is, what it cost, and which findings name it."""

from __future__ import annotations

from collections.abc import Mapping

from ldap_workbench.figures.formats import amount, etime, percent
from ldap_workbench.figures.operations.clients import ClientRow, bind_dn_of
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S


def columns(titles: Mapping[str, Message]) -> tuple[Column[ClientRow], ...]:
    """The columns of the window, in its order; `titles` names a finding by its id."""

    def known(row: ClientRow) -> tuple[Message, ...]:
        return tuple(titles[which] for which in row.findings if which in titles)

    def text(row: ClientRow) -> Message:
        names = known(row)
        return Message("{titles:list}", titles=names) if names else NOTHING

    def printed(row: ClientRow) -> str:
        return "; ".join(map(str, known(row)))

    findings = Column[ClientRow](Message("Findings"), text, key="found", printed=printed)
    return (*_COST, findings, *_WORK)


def _worker_seconds(row: ClientRow) -> str:
    seconds = row.worker_s_per_h
    return f"{seconds:,.3g}" if seconds < 1000 else f"{seconds:,.0f}"


def _per_connection(row: ClientRow) -> Message:
    return amount(row.operations_per_connection, ".1f")


def _per_connection_printed(row: ClientRow) -> Message | str:
    return "" if row.operations_per_connection is None else _per_connection(row)


_COST: tuple[Column[ClientRow], ...] = (
    Column(Message("Client"), lambda r: r.address or Message("(not known)"), key="client"),
    Column(Message("Bind DN"), bind_dn_of, key="bind DN"),
    quantity(
        Message("Worker time/h"),
        lambda r: round(r.worker_s_per_h * NS_PER_S),
        etime,
        about=Message("Time of worker threads that the client took, in an hour"),
        key="worker s/h",
        printed=_worker_seconds,
    ),
    quantity(
        Message("Share"),
        lambda r: r.share,
        percent,
        strong=lambda r: r.share >= 0.25,
        about=Message("Of the worker time of all clients"),
        key="share",
    ),
    quantity(
        Message("Worker time/op."),
        lambda r: r.worker_ns_per_operation,
        etime,
        about=Message("Time of worker threads that one operation took, on average"),
        key="worker/op.",
    ),
)
"""Who it is, and what it costs."""
_WORK: tuple[Column[ClientRow], ...] = (
    quantity(Message("Connections"), lambda r: r.connections, key="connections"),
    Column(
        Message("Operations each"),
        _per_connection,
        lambda r: r.operations_per_connection,
        number=True,
        strong=lambda r: "no_pooling" in r.findings,
        about=Message("Operations on a connection, on average"),
        key="ops/conn.",
        printed=_per_connection_printed,
    ),
    quantity(Message("Operations"), lambda r: r.operations, key="operations"),
    quantity(Message("Searches"), lambda r: r.searches, key="searches"),
    quantity(Message("Binds"), lambda r: r.binds, key="binds"),
    quantity(Message("Writes"), lambda r: r.writes, key="writes"),
    quantity(Message("Entries"), lambda r: r.entries, key="entries"),
)
