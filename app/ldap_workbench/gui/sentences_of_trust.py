"""Templates of what is said of faults of our own, of plans from files, and of secrets.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

FAULTS = (
    QT_TRANSLATE_NOOP("Sentences", "Send the report, which holds no names and no secrets: {path}"),
    QT_TRANSLATE_NOOP("Sentences", "The folder {path} cannot be made: {why}."),
)
"""connect/crashes.py, folders.py, profiles.py, session/opening.py."""

ORIGIN = (
    QT_TRANSLATE_NOOP(
        "Sentences", "The plan in {path} was made on another server: {there}, not {here}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "This plan comes from the file:"),
    QT_TRANSLATE_NOOP(
        "Sentences", "It is not known on which server it was made: read it as a stranger's."
    ),
    QT_TRANSLATE_NOOP("Sentences", "It runs no load command."),
    QT_TRANSLATE_NOOP("Sentences", "It runs on the server's host, in every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It runs on this machine, in every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It restarts the server before every window:"),
    QT_TRANSLATE_NOOP("Sentences", "It asks you to restart the server before every window."),
    QT_TRANSLATE_NOOP(
        "Sentences", "It drops the page cache of the server's host before every window."
    ),
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

SECRETS = (
    QT_TRANSLATE_NOOP("Sentences", "It is given the password:"),
    QT_TRANSLATE_NOOP("Sentences", "The load command cannot be read: {why}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The load command holds a password, and commands are kept in sessions and reports.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no password '{name}', which a command names."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Set the environment variable {name}, or run: keyring set {service} {same}"
    ),
    QT_TRANSLATE_NOOP("Sentences", "The {what} of profile '{name}' holds a password."),
    QT_TRANSLATE_NOOP("Sentences", "restart command"),
)
"""experiment/load.py, connect/secrets.py and profiles.py."""

TRUST = (*FAULTS, *ORIGIN, *SECRETS)
