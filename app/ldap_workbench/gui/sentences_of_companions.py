"""Templates of what is said of imported iostat, vmstat, counters and histograms.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

READINGS = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} of its {all:count} reports print no time: they stand evenly between those that "
        "do, and {interval:time} apart behind the last one.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Nothing in it says when it was read: readings stand in the order of their counters, "
        "{interval:time} apart. What was counted between them holds, rates a second do not. Import "
        "with --began and --interval, the time of the first reading and the seconds to the next.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Nothing in it says when it was read: its reports stand one behind the other, "
        "{interval:time} apart, from the time of the file on. To place them beside a log import "
        "with --began and --interval, the time of the first report and the seconds between "
        "reports.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "in this window"),
    QT_TRANSLATE_NOOP("Sentences", "since the server's start"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "One reading: its counters tell of all the time since the server's start.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} entries answered {share:share}: were all asked for alike, there would be about "
        "{all:count}, which need {size}. To know, count the entries of the suffix.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} pages/s"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} pages"),
)
"""logs/reports.py, capture/undated.py, advice/caches.py."""

COMPANIONS = READINGS
"""All of them."""
