"""Templates of the sentences about imported companions of a log."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

IMPORTED = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Some of its dumps have no time: only their order is known.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Say when with --began and --interval, or name the files by time: pstack.20260322-172606.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "If that is not so, import it with --zone."),
)
"""capture/companions.py, scanned.py."""

CHAINS = IMPORTED
