"""Columns of a table, defined once: the window, the command and the report show the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.model.message import NOTHING, Message

R = TypeVar("R")


@dataclass(frozen=True)
class Column(Generic[R]):
    """A heading and what a row shows under it: a message, or data of the user as it is.

    `sort` gives what to sort by (None: unknown, always last), by default the text; `number` puts
    it to the right; `tip` explains, in a line or several; `strong` makes a row's cell bold; `about`
    explains the heading. A command prints the column under its `key`, and `printed` instead of
    `text` where it differs.
    """

    heading: Message
    text: Callable[[R], Message | str]
    sort: Callable[[R], Any] | None = None
    number: bool = False
    tip: Callable[[R], Message | str | list[Message]] | None = None
    strong: Callable[[R], bool] | None = None
    about: Message = NOTHING
    key: str = ""
    printed: Callable[[R], Message | str] | None = None

    def cell(self, row: R) -> str:
        """What a command prints of a row."""
        return str((self.printed or self.text)(row))


def quantity(
    heading: Message,
    value: Callable[[R], Any],
    write: Callable[[Any], Message | str] = amount,
    **others: Any,
) -> Column[R]:
    """A column of numbers, written by `write`, sorted by value; `others` as `Column` has them."""
    return Column(heading, lambda row: write(value(row)), value, number=True, **others)


class _Timed(Protocol):
    @property
    def resolution_ns(self) -> int: ...


T = TypeVar("T", bound=_Timed)


def latency(heading: Message, value: Callable[[T], int | None], **others: Any) -> Column[T]:
    """A column of latencies, in ns, as precise as the log of the row is."""
    return Column(
        heading, lambda row: etime(value(row), row.resolution_ns), value, number=True, **others
    )


def always(_: object) -> bool:
    """For columns that are bold in every row."""
    return True


def by_keys(columns: Sequence[Column[R]], *keys: str) -> tuple[Column[R], ...]:
    """The columns with these keys, in the order of the keys."""
    known = {column.key: column for column in columns}
    return tuple(known[key] for key in keys)
