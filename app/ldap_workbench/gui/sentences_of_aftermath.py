"""Templates of what becomes of a server when something breaks off while it is changed.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

SERVER = (
    QT_TRANSLATE_NOOP("Sentences", "The server is as it was before."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server is as it was before; the journal could not be told and goes on listing the "
        "change as open.",
    ),
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
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{treatment} was put back in the configuration, but the server works with it until it is "
        "restarted: {why}",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Put back as before: {names}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "It was put back as before; the journal could not be told: {why}"
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Whether it is in force is not known, for the server did not answer for {time:time}.",
    ),
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
    QT_TRANSLATE_NOOP("Sentences", "Run, when the server answers again: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, then run: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "It only closes the entries."),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, then try again."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The file is damaged. Move {file} away with the files beside it, keep it, and see on each "
        "server which changes it may have listed as open.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "See who may read and write the file and its folder, and that the disk has room.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "See whether the server and the network are well, then try again."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "See whether the server, its host and the network are well, then start again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "See the server's error log for why, or choose another value."),
    QT_TRANSLATE_NOOP("Sentences", "Choose a treatment that costs less, or another limit."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Choose another value; or put the server back to what it is to be compared with, then "
        "start again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Agree with them on a quiet time, then start again."),
)
"""What to do: the same, experiment/guards.py, run.py, tuning/journal.py, apply.py."""

PAIRS = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A pair in which the link breaks or somebody else changes the server is measured again, "
        "at most {n:count} times in all.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "A server that does not answer is waited for, {time:time} at most."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Pair {n:count} is measured again: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} pairs were measured again already."),
    QT_TRANSLATE_NOOP("Sentences", "Somebody else changed the server in pair {n:count}: {what}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Somebody else changed the server before pair {n:count}: {what}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{place}: {before}, now {after}"),
    QT_TRANSLATE_NOOP("Sentences", "and {n:count} more"),
    QT_TRANSLATE_NOOP("Sentences", "The {source} broke off in window {window:word}: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "The server does not answer; it is tried for {left:time} more"),
    QT_TRANSLATE_NOOP("Sentences", "Another workbench is at work on this server: {who}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Let it end, or ask who started it; a mark that is no longer renewed expires within "
        "{time:time}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server already has {treatment}: both arms would be the same."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The load command cannot be started: there is no program {program}."
    ),
)
"""What is measured again, and what cannot be measured: experiment/, tuning/link.py."""

AFTERMATH = (*SERVER, *SESSION, *REMEDIES, *PAIRS)
