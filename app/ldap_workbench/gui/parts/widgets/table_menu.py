"""Rows of a table as text for other tools, into the clipboard or a file."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from ldap_workbench.gui.parts.widgets.saving import Format
from ldap_workbench.model.message import Message

Rows = list[list[str]]


def csv_bytes(rows: Rows) -> bytes:
    """With a mark of its encoding, which spreadsheets look for."""
    from ldap_workbench.report.text import table_csv  # loads a second of libraries

    return table_csv(rows).encode("utf-8-sig", "replace")


def markdown_bytes(rows: Rows) -> bytes:
    """A table of Markdown."""
    from ldap_workbench.report.text import table_markdown

    return table_markdown(rows).encode("utf-8", "replace")


def copy_markdown(rows: Rows) -> None:
    """Into the clipboard."""
    QGuiApplication.clipboard().setText(markdown_bytes(rows).decode())


def table_formats(rows: Callable[[], Rows]) -> tuple[Format, ...]:
    """The kinds of file that rows can be saved as."""
    return (
        Format(Message("Table (*.csv)"), ".csv", lambda: csv_bytes(rows())),
        Format(Message("Markdown (*.md)"), ".md", lambda: markdown_bytes(rows())),
    )
