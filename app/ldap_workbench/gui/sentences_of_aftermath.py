"""Templates of what becomes of a server when something breaks off while it is changed.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

SERVER = (
    QT_TRANSLATE_NOOP("Sentences", "The server is as it was before."),
    QT_TRANSLATE_NOOP("Sentences", "{treatment} was kept and is in force."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Whether {treatment} is still in force is not known: the server did not answer for "
        "{time:time}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{treatment} may still be in force, for it could not be put back: {why}",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Put back as before: {names}."),
    QT_TRANSLATE_NOOP("Sentences", "It could not be put back: {why}"),
    QT_TRANSLATE_NOOP(
        "Sentences", "It stays open in the journal: revert it when the server answers."
    ),
    QT_TRANSLATE_NOOP("Sentences", "It stays open in the journal: revert it."),
)
"""What is true of it: experiment/aftermath.py, tuning/tuner.py."""

SESSION = (
    QT_TRANSLATE_NOOP("Sentences", "What was measured so far is in the session."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The session could not be written to its end; what was written before stays readable.",
    ),
)
"""What is kept: experiment/aftermath.py."""

REMEDIES = (
    QT_TRANSLATE_NOOP("Sentences", "Restart the server."),
    QT_TRANSLATE_NOOP("Sentences", "Run: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, then run: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "It only closes the entries."),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, then try again."),
)
"""What to do: the same, experiment/guards.py, run.py, tuning/journal.py, apply.py."""

PAIRS = (
    QT_TRANSLATE_NOOP(
        "Sentences", "A server that does not answer is waited for, {time:time} at most."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Pair {n:count} is measured again: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} pairs were measured again already."),
    QT_TRANSLATE_NOOP("Sentences", "{place}: {before}, now {after}"),
    QT_TRANSLATE_NOOP("Sentences", "and {n:count} more"),
    QT_TRANSLATE_NOOP("Sentences", "The {source} broke off in window {window:word}: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "The server does not answer; it is tried for {left:time} more"),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server already has {treatment}: both arms would be the same."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The load command cannot be started: there is no program {program}."
    ),
)
"""What is measured again, and what cannot be measured: experiment/, tuning/link.py."""

AFTERMATH = (*SERVER, *SESSION, *REMEDIES, *PAIRS)
