"""Templates of what is refused, or goes wrong, on a host or on the link to a server.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

HOSTS = (
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not used as a path on the host: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "it does not begin with /"),
    QT_TRANSLATE_NOOP("Sentences", "it has control characters"),
    QT_TRANSLATE_NOOP("Sentences", "it has empty parts, '.' or '..'"),
    QT_TRANSLATE_NOOP("Sentences", "it is too long"),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was run with it."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Correct it where it is set: in the server's configuration or in the profile.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no command."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was run on the host."),
)
