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

ORIGIN = (
    QT_TRANSLATE_NOOP(
        "Sentences", "The plan in {path} was made on another server: {there}, not {here}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing of it was taken over."),
    QT_TRANSLATE_NOOP("Sentences", "Plan the experiment anew on this server."),
    QT_TRANSLATE_NOOP("Sentences", "This plan comes from the file:"),
    QT_TRANSLATE_NOOP(
        "Sentences", "It is not known on which server it was made: read it as a stranger's."
    ),
    QT_TRANSLATE_NOOP("Sentences", "It runs no load command."),
    QT_TRANSLATE_NOOP("Sentences", "It runs on the server's host, in every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It runs on this machine, in every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It restarts the server before every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It asks you to restart the server before every window."),
    QT_TRANSLATE_NOOP("Sentences", "It sets:"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "It measures {n:count} windows of {length:time}, {settle:time} after each change; cut from "
        "the start: {cut}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Its verdict rests on:"),
    QT_TRANSLATE_NOOP("Sentences", "A good answer takes at most {limit:time}."),
    QT_TRANSLATE_NOOP("Sentences", "It ends early when this exceeds {limit:number}:"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "It is looked at after {pairs} pairs, and ends at the first decision.",
    ),
)
"""experiment/origin.py: commands, values and paths stay as they are."""

TRUST = (*FAULTS, *ORIGIN)
