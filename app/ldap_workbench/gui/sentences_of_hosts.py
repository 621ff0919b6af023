"""Templates of what is refused, or goes wrong, on a host or on the link to a server.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

HOSTS = (
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not used as a path on the host: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "it has control characters"),
    QT_TRANSLATE_NOOP("Sentences", "it has empty parts, '.' or '..'"),
    QT_TRANSLATE_NOOP("Sentences", "it is too long"),
    QT_TRANSLATE_NOOP(
        "Sentences", "An answer of {a} takes longer than {b}; it was not read further."
    ),
    QT_TRANSLATE_NOOP("Sentences", "An answer of {a} is larger than {b}; it was not read further."),
    QT_TRANSLATE_NOOP("Sentences", "An answer of {a} has more than {b}; it was not read further."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was changed by that."),
    QT_TRANSLATE_NOOP("Sentences", "The page cache of the server's host cannot be dropped: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "the profile has no shell on it"),
    QT_TRANSLATE_NOOP(
        "Sentences", "The page cache of the server's host could not be dropped: {said}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} sent what is not LDAP: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "it is nested too deeply"),
    QT_TRANSLATE_NOOP("Sentences", "it cannot be decoded ({a})"),
    QT_TRANSLATE_NOOP("Sentences", "{path} is of root, in a folder that others may write to"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{address} and this machine have no safe SSH algorithm in common: {reason}.",
    ),
)
