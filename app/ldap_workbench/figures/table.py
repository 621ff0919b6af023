"""Columns of a table, defined once: the window, the command and the report show the same ones.

And the numbers behind a chart: headings and rows of text, as a table shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from ldap_workbench.figures.formats import amount, etime
from ldap_workbench.model.message import ENGLISH, NOTHING, Language, Message

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


def texts(columns: Sequence[Column[R]], rows: Iterable[R]) -> list[list[str]]:
    """Headings, then the rows, in English: a table for a page or a file."""
    headings = [str(column.heading) for column in columns]
    return [headings, *([str(column.text(row)) for column in columns] for row in rows)]


Row: TypeAlias = tuple[Message | str, ...]
"""Messages, or data of the user that is shown as it is."""


@dataclass(frozen=True)
class Numbers:
    """`rows` have as many cells as there are `headings`; the first column names the row.

    Cells are messages, or texts shown as they are.
    """

    headings: tuple[Message, ...]
    rows: tuple[Row, ...] = ()

    @property
    def columns(self) -> tuple[Column[Row], ...]:
        """As a table has them; headings change with the chart, so they do, too."""
        headings = enumerate(self.headings)
        return tuple(Column(text, itemgetter(i), number=i > 0) for i, text in headings)

    def tsv(self, language: Language = ENGLISH) -> str:
        """With headings, for a spreadsheet."""
        return "\n".join(map(tab_separated, self.texts(language)))

    def texts(self, language: Language = ENGLISH) -> list[list[str]]:
        """Headings, then the rows, as they are shown."""
        return [[_cell(language, cell) for cell in row] for row in (self.headings, *self.rows)]


def every_nth(rows: Sequence[Row], limit: int) -> tuple[Row, ...]:
    """At most `limit` rows, evenly chosen: a person reads no thousand."""
    step = max(1, -(-len(rows) // limit))
    return tuple(rows[::step])


def _cell(language: Language, cell: Message | str) -> str:
    return language.render(cell) if isinstance(cell, Message) else cell


def tab_separated(row: Iterable[str]) -> str:
    """A line for a spreadsheet: tabs and line ends inside a cell become spaces."""
    return "\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row)
