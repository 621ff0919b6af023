"""What a person sees of a command: tables, progress, errors; and the same as JSON."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document on stdout, keys sorted, nothing else beside it."""
    sys.stdout.write(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Rows of text as a table; columns named in `numbers` stand right. Never reads markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        table.add_row(*(escape(printable(cell)) for cell in row))
    Console(highlight=False, width=None if out.is_terminal else 200).print(table)


def printable(text: str) -> str:
    """Text of a log without what would steer a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def say(text: str) -> None:
    """A plain sentence on stdout."""
    out.print(escape(text))


def note(text: str) -> None:
    """A plain sentence on stderr, beside what a machine reads."""
    err.print(escape(text))


def fail(error: WorkbenchError) -> None:
    """An error as its three sentences, on stderr."""
    err.print(f"[bold red]Error:[/] {escape(error.what)}")
    for sentence in (error.safe, error.remedy):
        if sentence:
            err.print(f"  {escape(sentence)}")


@contextmanager
def long_work() -> Iterator[tuple[OnProgress, Cancel]]:
    """Progress on stderr, and a Cancel for Ctrl-C."""
    with interrupted() as cancel, _bar() as progress:
        yield progress, cancel


@contextmanager
def interrupted() -> Iterator[Cancel]:
    """A Cancel that the first Ctrl-C sets; the second ends at once."""
    cancel = Cancel()

    def on_interrupt(_: int, __: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        note("Stopping cleanly; Ctrl-C again ends at once.")
        cancel.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar() -> Iterator[OnProgress]:
    if not err.is_terminal:
        yield _ProgressLines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(report: Progress) -> None:
            done = report.fraction
            bar.update(
                task,
                description=escape(report.text),
                completed=done or 0,
                total=None if done is None else 1,
            )

        yield show


class _ProgressLines:
    """Without a terminal: a line when the kind of work changes, not one a second."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, report: Progress) -> None:
        kind = report.text.split(",")[0]
        if kind != self._last:
            self._last = kind
            note(kind)


def confirm(question: str) -> bool:
    """Yes or no from the operator; without a terminal the answer is no."""
    return sys.stdin.isatty() and typer.confirm(question)
