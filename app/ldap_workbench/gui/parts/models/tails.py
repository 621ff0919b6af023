"""The tails table: a row per window and operation type."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.gui.parts.models.table import Column, RowsModel
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


class TailsModel(RowsModel[Tail]):
    """Nearest-rank quantiles of the etime."""

    def __init__(self, rows: Sequence[Tail] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)


def _quantile(heading: str, name: str) -> Column[Tail]:
    return Column(
        verbatim(heading),
        lambda tail: etime(getattr(tail, name), tail.resolution_ns),
        sort=lambda tail: getattr(tail, name),
        number=True,
        about=Message("{quantile} of the etime, nearest rank", quantile=heading),
    )


COLUMNS = (
    Column[Tail](Message("Window"), lambda tail: tail.window),
    Column[Tail](
        Message("Operation"), lambda tail: tail.type, strong=lambda tail: tail.type == "ALL"
    ),
    Column[Tail](
        Message("Count"), lambda tail: amount(tail.n), sort=lambda tail: tail.n, number=True
    ),
    *(_quantile(heading, name) for heading, name in _QUANTILES),
)
