"""The table of groups: what operations that have something in common cost together."""

from __future__ import annotations

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.figures.operations.view import GroupRow
from ldap_workbench.figures.table import Column
from ldap_workbench.model.message import Message, verbatim

NAME = Column[GroupRow](Message("Group"), lambda r: r.group.name or Message("(none)"), key="group")
"""What the operations have in common."""
NUMBERS = (
    Column[GroupRow](
        Message("Operations"),
        lambda r: amount(r.group.n),
        lambda r: r.group.n,
        number=True,
        key="operations",
    ),
    Column[GroupRow](
        Message("Share of time"),
        lambda r: amount(100 * r.share, ".1f", " %"),
        lambda r: r.group.sum_ns,
        number=True,
        strong=lambda r: r.share >= 0.25,
        about=Message("Share of the total etime of all operations found"),
        key="of the time",
    ),
    Column[GroupRow](
        Message("Total time"),
        lambda r: etime(r.group.sum_ns),
        lambda r: r.group.sum_ns,
        number=True,
        key="in all",
    ),
    Column[GroupRow](
        verbatim("p50"),
        lambda r: etime(r.group.p50_ns, r.resolution_ns),
        lambda r: r.group.p50_ns,
        number=True,
        key="p50",
    ),
    Column[GroupRow](
        verbatim("p99"),
        lambda r: etime(r.group.p99_ns, r.resolution_ns),
        lambda r: r.group.p99_ns,
        number=True,
        key="p99",
    ),
    Column[GroupRow](
        Message("Longest"),
        lambda r: etime(r.group.max_ns, r.resolution_ns),
        lambda r: r.group.max_ns,
        number=True,
        key="max",
    ),
    Column[GroupRow](
        Message("Errors"),
        lambda r: amount(r.group.failed),
        lambda r: r.group.failed,
        number=True,
        strong=lambda r: r.group.failed > 0,
        about=Message("Result codes that mean failure"),
        key="errors",
        printed=lambda r: str(r.group.failed),
    ),
    Column[GroupRow](
        Message("Unindexed"),
        lambda r: amount(r.group.unindexed),
        lambda r: r.group.unindexed,
        number=True,
        strong=lambda r: r.group.unindexed > 0,
        about=Message("Notes U or A"),
        key="unindexed",
        printed=lambda r: str(r.group.unindexed),
    ),
)
"""What they cost; the window shows the name before these, a command behind them."""
