"""What companions of the logs show in B against A, as the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.advice.families.host_changes import HostChange
from ldap_workbench.figures.numbers import Numbers
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_device, format_ratio

_HEADINGS = (
    Message("Quantity"),
    Message("Of"),
    "A",
    "B",
    "B / A",
    Message("Ranges"),
)
_APART, _OVERLAP = Message("apart"), Message("overlap")


def host_numbers(changes: Sequence[HostChange]) -> Numbers:
    """A row a quantity, clear changes first."""
    rows = [
        (
            change.quantity,
            format_device(change.place),
            change.words(change.a),
            change.words(change.b),
            "–" if change.ratio is None else format_ratio(change.ratio),
            _APART if change.is_apart else _OVERLAP,
        )
        for change in changes
    ]
    return Numbers(_HEADINGS, tuple(rows))
