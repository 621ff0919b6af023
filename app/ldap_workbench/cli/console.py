"""What a person sees of a command: tables, progress, errors; and the same as JSON.

Everything a command writes goes through here, and data in it never steers the terminal: a control
character is shown as an escape, markup is text. `tests/unit/cli/test_terminal.py` holds it.
"""

from __future__ import annotations

import io
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from ldap_workbench.cli import nobody_reads
from ldap_workbench.cli.signals import Stop, stopped_by_signals
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, as_json, from_json, is_message
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.visible import one_line, printable

if TYPE_CHECKING:
    from rich.console import Console

    from ldap_workbench.figures.table import Column

R = TypeVar("R")

ANSWER = Message("Answer yes, or add --yes to run without questions.")
"""What to do where a question has no answer."""


def print_json(value: Any) -> None:
    """One JSON document on stdout, keys sorted, nothing else beside it; ASCII alone.

    A message is its sentence under its own key, and its parts beside it: why, why_message.
    """
    text = json.dumps(_with_parts(value), indent=2, sort_keys=True, ensure_ascii=True)
    sys.stdout.write(text.replace("\x7f", "\\u007f") + "\n")


def _with_parts(value: Any) -> Any:
    """The document with each message as its sentence, and its parts beside it."""
    if isinstance(value, list | tuple):
        return [_with_parts(part) for part in value]
    if not isinstance(value, Mapping):
        return _sentence(value)
    shown: dict[str, Any] = {}
    for key, part in value.items():
        if is_message(part):
            shown |= {key: _sentence(part), f"{key}_message": as_json(part)}
        elif isinstance(part, list | tuple) and part and all(map(is_message, part)):
            parts = [as_json(one) for one in part]
            shown |= {key: [_sentence(one) for one in part], f"{key}_messages": parts}
        else:
            shown[key] = _with_parts(part)
    return shown


def _sentence(value: Any) -> Any:
    return str(from_json(as_json(value))) if is_message(value) else value


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Rows of text as a table; columns named in `numbers` stand right. Never reads markup.

    On a terminal, what is wider is wrapped in its cell; elsewhere each row is one line.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _draw_table(headings, cells, numbers)
        return
    table = [headings, *cells]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    for row in table:
        columns = zip(headings, row, widths, strict=True)
        _write(sys.stdout, "  ".join(_filled(c, w, right=h in numbers) for h, c, w in columns))


def print_columns(columns: Sequence[Column[R]], rows: Sequence[R]) -> None:
    """A table as its columns say it, under their keys, or their headings where they have none."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    names = {column.key or str(column.heading): column.number for column in columns}
    print_table(tuple(names), cells, numbers=[name for name, number in names.items() if number])


def _draw_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]
) -> None:
    from rich.console import Console  # a sixth of the time of a short command
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)


def _filled(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide letter, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def say(*lines: str) -> None:
    """Plain lines on stdout."""
    for line in lines:
        _write(sys.stdout, one_line(line))


def _write(stream: TextIO, line: str) -> None:
    """A line that is read at once, if anybody reads."""
    try:
        stream.write(line.expandtabs() + "\n")
        stream.flush()
    except OSError as error:
        if not nobody_reads(error):
            raise
        raise SystemExit(1) from None


def say_text(text: str) -> None:
    """A text of several lines on stdout, each as it stands: for a file that is redirected."""
    sys.stdout.write(printable(text))


def note(*lines: Message | str) -> None:
    """Plain lines on stderr, beside what a machine reads."""
    for line in lines:
        _write(sys.stderr, one_line(str(line)))


def fail(error: WorkbenchError) -> None:
    """An error as its three sentences and its details, on stderr."""
    complain(_indented(str(error.what)))
    for sentence in (error.safe, error.remedy, error.details):
        if sentence:
            _write(sys.stderr, f"  {_indented(str(sentence))}")


def complain(text: str) -> None:
    """What went wrong, on stderr."""
    if not sys.stderr.isatty():
        _write(sys.stderr, f"Error: {printable(text)}")
        return
    from rich.text import Text

    _terminal().print(Text.assemble(("Error:", "bold red"), " ", printable(text)))


def _terminal() -> Console:
    """Stderr as a terminal."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _indented(text: str) -> str:
    """What a host or server said in several lines stays in them, and none passes for ours."""
    return printable(text).replace("\n", "\n    ")


def never_stumble() -> None:
    """Letters the terminal has no code for become escapes: no message fails on them."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Pipes and files of Windows would get the code page of its language.
            to_file = sys.platform == "win32" and not stream.isatty()
            stream.reconfigure(encoding="utf-8" if to_file else None, errors="backslashreplace")


@contextmanager
def long_work(insisted: str = "") -> Iterator[tuple[OnProgress, Stop]]:
    """Progress on stderr, and a Stop for Ctrl-C and its like.

    `insisted` answers a second one, which ends at once otherwise. A terminal that has gone away is
    a Ctrl-C, too.
    """
    with stopped_by_signals(insisted) as stop, _bar() as show:

        def on_progress(report: Progress) -> None:
            try:
                show(report)
            except OSError:
                stop.set()

        yield on_progress, stop


@contextmanager
def _bar() -> Iterator[OnProgress]:
    if not sys.stderr.isatty():
        yield _ProgressLines()
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bar = Bar(*columns, console=_terminal(), transient=True)
    task = bar.add_task("", total=None)

    def show(report: Progress) -> None:
        done = report.fraction
        bar.update(
            task,
            description=one_line(str(report.text)),
            completed=done or 0,
            total=None if done is None else 1,
        )

    bar.start()
    try:
        yield show
    finally:
        with suppress(OSError):  # the terminal may be gone
            bar.stop()


class _ProgressLines:
    """Progress without a terminal.

    A line when the kind of work changes, not one a second, and one for each thing to know of the
    work when it comes up (`details["notes"]`, "of what: what").
    """

    def __init__(self) -> None:
        self._last = ""
        self._known: set[str] = set()

    def __call__(self, report: Progress) -> None:
        kind = str(report.text).split(",")[0].split(";")[0]
        if kind != self._last:
            self._last = kind
            note(kind)
        texts = map(str, report.details.get("notes", ()))
        notes = {text.partition(":")[0]: text for text in texts}
        for what in notes.keys() - self._known:
            note(notes[what])
        self._known = set(notes)


def confirm(question: str) -> bool:
    """Yes or no from the operator; without a terminal the answer is no."""
    import typer

    return sys.stdin.isatty() and typer.confirm(one_line(question))


def ask_secret(_user: str, question: Message) -> str:
    """An answer of the operator that is not shown while it is typed."""
    import typer

    answer: str = typer.prompt(one_line(str(question)), hide_input=True, err=True)
    return answer
