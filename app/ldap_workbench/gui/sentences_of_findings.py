"""Templates of the sentences that findings and advice are made of, where code makes them.

As they stand in advice/, with {name} for what is filled in; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

COUNTED = (
    QT_TRANSLATE_NOOP("Sentences", "once"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} times"),
    QT_TRANSLATE_NOOP("Sentences", "1 time"),
    QT_TRANSLATE_NOOP("Sentences", "1 operation"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} operations"),
    QT_TRANSLATE_NOOP("Sentences", "1 search"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} searches"),
    QT_TRANSLATE_NOOP("Sentences", "1 change"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} changes"),
    QT_TRANSLATE_NOOP("Sentences", "1 change was"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} changes were"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} rings"),
    QT_TRANSLATE_NOOP("Sentences", "1 entry is"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} entries are"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deletions"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deletions and renames"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} MODs"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} bursts"),
    QT_TRANSLATE_NOOP("Sentences", "1 call"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} calls"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} stack dumps"),
    QT_TRANSLATE_NOOP("Sentences", "1 deadlock error"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deadlock errors"),
    QT_TRANSLATE_NOOP("Sentences", "{low:time} to {high:time}"),
    QT_TRANSLATE_NOOP("Sentences", "somebody"),
    QT_TRANSLATE_NOOP("Sentences", "(filter not known)"),
)
"""Counts in words: advice/wording.py and its callers."""

FINDINGS = COUNTED
