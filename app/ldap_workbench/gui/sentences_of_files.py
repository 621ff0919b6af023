"""Templates of what goes wrong with sessions, reports, the journal and changes.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

FILES = (
    QT_TRANSLATE_NOOP("Sentences", "Choose from {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The export to {a} failed: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "The session was not changed."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be written: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "A {a} in the session cannot be read: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no duration."),
    QT_TRANSLATE_NOOP("Sentences", "Give {a} a unit: {b}>250us, {c}>1.5s."),
    QT_TRANSLATE_NOOP("Sentences", "Write {a}=32, or {b}!=0."),
    QT_TRANSLATE_NOOP("Sentences", "Write {a}=..."),
    QT_TRANSLATE_NOOP("Sentences", "One of {a}."),
    QT_TRANSLATE_NOOP("Sentences", "Letters of {a}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be read: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "There is no window '{a}'."),
    QT_TRANSLATE_NOOP("Sentences", "{a} was written by a newer workbench ({b})."),
    QT_TRANSLATE_NOOP("Sentences", "The session file {a} cannot be written: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be opened for writing: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "A limit of {a} is none an operation can be held to."),
    QT_TRANSLATE_NOOP("Sentences", "Give a limit between 10 µs and 4000 s."),
    QT_TRANSLATE_NOOP("Sentences", "{a} baseline windows do not tell the noise of a window."),
    QT_TRANSLATE_NOOP("Sentences", "Measure at least {a} windows without a change."),
    QT_TRANSLATE_NOOP("Sentences", "{a} was refused. {b}"),
    QT_TRANSLATE_NOOP("Sentences", "{a} is {b} as before."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server accepted {a} but does not know the attribute and ignores it. It said: {b}",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server answered success, but {a} still reads {b} instead of {c}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing is changed."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be set while the server runs."),
    QT_TRANSLATE_NOOP("Sentences", "The link broke while {a} was written: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "There is no knob '{a}' in the catalogue of {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} does not exist in {b} and older versions."),
    QT_TRANSLATE_NOOP("Sentences", "Did you mean {a}?"),
    QT_TRANSLATE_NOOP("Sentences", "See: ldap-workbench knobs."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not a setting."),
    QT_TRANSLATE_NOOP("Sentences", "A treatment needs at least one setting."),
    QT_TRANSLATE_NOOP("Sentences", "Give KNOB=VALUE."),
    QT_TRANSLATE_NOOP("Sentences", "There is no catalogue of knobs for '{a}'."),
    QT_TRANSLATE_NOOP("Sentences", "dse.ldif has no entry {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal {a} cannot be used: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal {a} was written by a newer workbench."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no change {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no changes of group {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no group {a}."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' failed on {b}: {c}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Editing dse.ldif needs a shell on the host, and the profile has none."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} is of another server: its port is {b}, not {c}."),
    QT_TRANSLATE_NOOP("Sentences", "The server {a} {b} s after it was told to {c}."),
    QT_TRANSLATE_NOOP("Sentences", "See its error log."),
    QT_TRANSLATE_NOOP("Sentences", "{a} lies in an entry of its own for each attribute."),
    QT_TRANSLATE_NOOP("Sentences", "This is not automated. {a}"),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not the name of a block device."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server has no entry {a}, or does not show it to this user."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Knobs of the host need a shell on it, and the profile has none."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be removed."),
    QT_TRANSLATE_NOOP("Sentences", "The kernel does not offer '{a}' for {b} ({c})."),
    QT_TRANSLATE_NOOP("Sentences", "The server has no entry {a}, or does not show it."),
    QT_TRANSLATE_NOOP("Sentences", "The server must be restarted, and profile {a} has not {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The restart command '{a}' failed: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The server already has {a}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "An earlier change of {a} on {b} is still open: it was {c}, we set {d}."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{a} was set in dse.ldif: the server must be stopped to undo that."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} was put back to {b}, but reads {c}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal keeps the change open."),
    QT_TRANSLATE_NOOP("Sentences", "{a} could not be put back to {b}: {c}"),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' does not fit {b} ({c})."),
    QT_TRANSLATE_NOOP("Sentences", "No password was sent to the host."),
)
"""Errors of model, report, servers, session, statistics and tuning."""
