"""Templates of what goes wrong when a session file is opened or read."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

SESSIONS = (
    QT_TRANSLATE_NOOP("Sentences", "{a} is not a session of the LDAP Tuning Workbench: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "it has the {a} {b}"),
    QT_TRANSLATE_NOOP("Sentences", "it has no table {a}"),
    QT_TRANSLATE_NOOP("Sentences", "the columns of its table {a} are {b}"),
    QT_TRANSLATE_NOOP("Sentences", "its table '{a}' has {b} rows, more than {c}"),
    QT_TRANSLATE_NOOP("Sentences", "its table '{a}' has rows without a value"),
    QT_TRANSLATE_NOOP("Sentences", "its table '{a}' has a text of {b} bytes, more than {c}"),
    QT_TRANSLATE_NOOP("Sentences", "{a} says it has schema version {b}; there is {c}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is damaged: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} needs more memory than a session may take here."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is {b}, not a session."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is not a session."),
    QT_TRANSLATE_NOOP("Sentences", "a folder"),
    QT_TRANSLATE_NOOP("Sentences", "no regular file"),
    QT_TRANSLATE_NOOP("Sentences", "an empty file"),
    QT_TRANSLATE_NOOP("Sentences", "an SQLite database"),
    QT_TRANSLATE_NOOP("Sentences", "a Parquet file"),
    QT_TRANSLATE_NOOP("Sentences", "a zip archive"),
    QT_TRANSLATE_NOOP("Sentences", "a gzip file"),
    QT_TRANSLATE_NOOP("Sentences", "a zstd file"),
    QT_TRANSLATE_NOOP("Sentences", "a PDF document"),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be opened: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is open in {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is being written by {b}."),
    QT_TRANSLATE_NOOP("Sentences", "this workbench"),
    QT_TRANSLATE_NOOP("Sentences", "another workbench"),
)
"""Errors of the room session."""
