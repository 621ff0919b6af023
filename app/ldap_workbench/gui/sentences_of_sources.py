"""Templates of what is said of the sources of a window: what they were read as, what they lack.

As they stand in the code; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

READ = (
    QT_TRANSLATE_NOOP(
        "Sentences", "Read as {title}: {n:count} of its first {of:count} lines look like it."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Read as {title}: {n:count} of its last {of:count} lines look like it."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Read as {title}: none of its first {of:count} lines looks like anything known.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Read as {title}: none of its last {of:count} lines looks like anything known."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Read as {title}: you said so."),
    QT_TRANSLATE_NOOP("Sentences", "By its text it is: {title}."),
)
"""What a source was read as: logs/detect.py, model/remarks.py."""

KNOWN = (
    QT_TRANSLATE_NOOP("Sentences", "a second"),
    QT_TRANSLATE_NOOP("Sentences", "a millisecond"),
    QT_TRANSLATE_NOOP("Sentences", "a nanosecond"),
    QT_TRANSLATE_NOOP("Sentences", "Thread {thread} was in {call} over {n:count} dumps."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Thread {thread} was in {call} over {n:count} dumps, {length:time}."
    ),
)
"""How finely and wholly a log is known: model/remarks.py."""

NOTES = (
    QT_TRANSLATE_NOOP("Sentences", "It tells of {what}."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} recoveries after a crash"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} starts of the server"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} orderly stops"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} lines about automatic cache sizes"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} lines about checkpoints"),
    QT_TRANSLATE_NOOP(
        "Sentences", "The times in this log show no zone: they are read as of {zone:word}."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The times in this log show neither year nor zone: its first line is read as of "
        "{year:count} in {zone:word}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Its dumps have no time: only their order is known."),
)
"""What had to be assumed, or is told besides: logs/iostat_text.py, notices.py, capture/."""

LACKING = (
    QT_TRANSLATE_NOOP("Sentences", "the end of the window is not in the log"),
    QT_TRANSLATE_NOOP("Sentences", "a rotated file was gone before it could be read"),
    QT_TRANSLATE_NOOP("Sentences", "did not stop in time"),
    QT_TRANSLATE_NOOP("Sentences", "cancelled"),
    QT_TRANSLATE_NOOP("Sentences", "iostat ended by itself: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "iostat was ended on the host."),
    QT_TRANSLATE_NOOP("Sentences", "The command that reads {path} was ended on the host."),
    QT_TRANSLATE_NOOP("Sentences", "{host} has been silent for {length:time}."),
    QT_TRANSLATE_NOOP("Sentences", "The link is cut."),
    QT_TRANSLATE_NOOP("Sentences", "the link has been cut for {length:time}"),
    QT_TRANSLATE_NOOP("Sentences", "the link carries {rate}/s, the log grows {growth}/s"),
    QT_TRANSLATE_NOOP("Sentences", "no samples for {length:time}, in a gap"),
    QT_TRANSLATE_NOOP("Sentences", "no samples for {length:time}, in {n:count} gaps"),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be understood"),
    QT_TRANSLATE_NOOP(
        "Sentences", "{n:count} operations had no result up to {after:time} after the window"
    ),
    QT_TRANSLATE_NOOP("Sentences", "Only the first {n:count} MiB of {path} were read."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged or cut off: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "It holds no report of an interval, only the one since boot."),
    QT_TRANSLATE_NOOP(
        "Sentences", "None of its {n:count} entries is one of a monitor or of settings known."
    ),
    QT_TRANSLATE_NOOP("Sentences", "It holds no histogram with a count in it."),
)
"""Why a source is not complete: capture/."""

SOURCES = (*READ, *KNOWN, *NOTES, *LACKING)
