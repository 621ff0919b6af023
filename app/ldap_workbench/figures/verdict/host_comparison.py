"""What companions of the logs show in B against A, as the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.figures import formats
from ldap_workbench.figures.numbers import Numbers, Row
from ldap_workbench.figures.verdict.host_changes import HostChange
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.units import format_device

_HEADINGS = (
    Message("Quantity"),
    Message("Of"),
    verbatim("A"),
    verbatim("B"),
    verbatim("B / A"),
    Message("Ranges"),
)
_APART, _OVERLAP = Message("apart"), Message("overlap")


def host_cells(change: HostChange) -> Row:
    """A quantity: its name, of what, in A and in B, their ratio, whether their ranges overlap."""
    return (
        change.quantity,
        format_device(change.place),
        change.amount(change.a),
        change.amount(change.b),
        formats.ratio(change.ratio),
        _APART if change.is_apart else _OVERLAP,
    )


def host_numbers(changes: Sequence[HostChange]) -> Numbers:
    """A row a quantity, clear changes first."""
    return Numbers(_HEADINGS, tuple(map(host_cells, changes)))
