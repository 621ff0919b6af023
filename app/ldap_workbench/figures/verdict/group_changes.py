"""What is new, gone or changed in B against A, as the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.figures import formats
from ldap_workbench.figures.numbers import Numbers, Row
from ldap_workbench.figures.verdict.changed_groups import GONE, KEYS, NEW, GroupChange
from ldap_workbench.model.message import Message, verbatim

HEADINGS = (
    Message("Group"),
    verbatim(""),
    Message("Change"),
    Message("Operations/min, A"),
    verbatim("B"),
    Message("Share of waiting, A"),
    verbatim("B"),
)


def change_cells(change: GroupChange) -> Row:
    """A group: by what, which, how it changed, operations a minute and share of all waiting."""
    return (
        KEYS[change.key],
        verbatim(change.name),
        _change(change),
        *(formats.amount(rate, ".3g") for rate in change.per_minute),
        *(formats.amount(100 * share, ".1f", " %") for share in change.waiting),
    )


def _change(change: GroupChange) -> Message:
    if change.change == NEW:
        return Message("new")
    if change.change == GONE:
        return Message("gone")
    if change.of_waiting:
        return Message("waiting × {times:.2g}", times=change.times)
    return Message("operations × {times:.2g}", times=change.times)


def change_numbers(changes: Sequence[GroupChange]) -> Numbers:
    """A row a group, the largest shares of the waiting first."""
    return Numbers(HEADINGS, tuple(map(change_cells, changes)))
