"""The table of tails: a row per window and operation type."""

from __future__ import annotations

from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.tail import Tail

_QUANTILES = (
    ("p50", "p50_ns"),
    ("p90", "p90_ns"),
    ("p95", "p95_ns"),
    ("p99", "p99_ns"),
    ("p99.9", "p999_ns"),
    ("max", "max_ns"),
)


def _quantile(heading: str, name: str) -> Column[Tail]:
    def text(tail: Tail) -> Message:
        return etime(getattr(tail, name), tail.resolution_ns)

    def printed(tail: Tail) -> Message | str:
        return "-" if getattr(tail, name) is None else text(tail)

    return Column(
        verbatim(heading),
        text,
        sort=lambda tail: getattr(tail, name),
        number=True,
        about=Message("{quantile} of the etime, nearest rank", quantile=heading),
        key=heading,
        printed=printed,
    )


QUANTILES = tuple(_quantile(heading, name) for heading, name in _QUANTILES)
"""p50, p90, p95, p99, p99.9 and the longest; an empty window has none."""
NUMBERS: tuple[Column[Tail], ...] = (
    quantity(Message("Count"), lambda tail: tail.n, key="n"),
    *QUANTILES,
)
"""What a tail says, without whose it is."""
COLUMNS = (
    Column[Tail](Message("Window"), lambda tail: tail.window, key="window"),
    Column[Tail](
        Message("Operation"),
        lambda tail: tail.type,
        strong=lambda tail: tail.type == "ALL",
        key="type",
    ),
    *NUMBERS,
)
