"""The table of groups: what operations that have something in common cost together."""

from __future__ import annotations

from ldap_workbench.figures.formats import etime, percent
from ldap_workbench.figures.operations.view import GroupRow
from ldap_workbench.figures.table import Column, latency, quantity
from ldap_workbench.model.message import Message, verbatim

NAME = Column[GroupRow](Message("Group"), lambda r: r.group.name or Message("(none)"), key="group")
"""What the operations have in common."""
NUMBERS: tuple[Column[GroupRow], ...] = (
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
