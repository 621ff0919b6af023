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
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The name of {path} is not in UTF-8: the database of a session takes no other.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was read or written."),
    QT_TRANSLATE_NOOP("Sentences", "Give it another name."),
    QT_TRANSLATE_NOOP("Sentences", "Something in the profile is not in UTF-8."),
    QT_TRANSLATE_NOOP("Sentences", "The file of profiles is as it was."),
    QT_TRANSLATE_NOOP("Sentences", "Type it again, or give the file it names another name."),
    QT_TRANSLATE_NOOP("Sentences", "The folder {path} cannot be made: {why}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Name a folder that you may write in the environment variable LDAP_WORKBENCH_HOME.",
    ),
)
"""connect/crashes.py, folders.py, profiles.py, session/opening.py."""

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
    QT_TRANSLATE_NOOP("Sentences", "Close its quotes, as for a shell."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The load command holds a password, and commands are kept in sessions and reports.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Write {place} in its place: it is taken from the environment variable NAME, or from the "
        "keyring, when the command starts.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no password '{name}', which a command names."),
    QT_TRANSLATE_NOOP("Sentences", "The command was not started."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Set the environment variable {name}, or run: keyring set {service} {same}"
    ),
    QT_TRANSLATE_NOOP("Sentences", "The {what} of profile '{name}' holds a password."),
    QT_TRANSLATE_NOOP("Sentences", "restart command"),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was stored."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Leave it out: let sudo or a file that root alone reads give it on the host."
    ),
)
"""experiment/load.py, connect/secrets.py and profiles.py."""

TRUST = (*FAULTS, *ORIGIN, *SECRETS)
