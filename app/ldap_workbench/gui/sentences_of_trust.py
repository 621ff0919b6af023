"""Templates of what is said of faults of our own, of plans from files, and of secrets.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

FAULTS = (
    QT_TRANSLATE_NOOP("Sentences", "The workbench met a fault of its own ({kind:word})."),
    QT_TRANSLATE_NOOP("Sentences", "Send the report, which holds no names and no secrets: {path}"),
    QT_TRANSLATE_NOOP("Sentences", "No report of it could be written: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "Name another file or folder."),
)
"""connect/crashes.py."""

TRUST = (*FAULTS,)
