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

HISTOGRAMS = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The script prints microseconds under a label of nanoseconds; read as microseconds.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Its label says nanoseconds. The script of 389-ds-base of that name counts microseconds, "
        "and its numbers could be either: read as nanoseconds.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Its label of nanoseconds holds: as microseconds its {n:count} calls would have taken "
        "{minutes:count} minutes together.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} fewer calls in the bucket from {bound:number} {unit}: {a:count} with "
        "{few:count}, {b:count} with {many:count} threads.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A call took {a:number} {unit} on average with {few:count}, {b:number} {same} with "
        "{many:count} threads.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Beyond {bound:number} {unit}: {a:share} with {few:count}, {b:share} with {many:count} "
        "threads; the difference is {low} to {high} percentage points (95 %).",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {all:count} ({share:share})"),
)
"""logs/probes.py, advice/tail_shift.py, log_cost.py."""

DISKS = (
    QT_TRANSLATE_NOOP("Sentences", ", {service:number} ms of them in the disk"),
    QT_TRANSLATE_NOOP(
        "Sentences", "{wait:number} ms a request, {service:number} ms of them in the disk."
    ),
    QT_TRANSLATE_NOOP("Sentences", " On now: {features}."),
)
"""advice/disk.py, values.py."""

NEIGHBOURS = (
    QT_TRANSLATE_NOOP("Sentences", "ldclt made {n:count} operations, {rate:number} a second."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Import the access log it was made from: its numbers are counted from it, and more.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Ask the server which entries many others name: findings FILE --references PROFILE.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Import iostat -xn of the same time: it has the time of a request."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Import iostat -xn of the same time."),
    QT_TRANSLATE_NOOP("Sentences", "Import iostat -x of the same time."),
    QT_TRANSLATE_NOOP("Sentences", "Import vmstat of the same time."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Import vmstat of the same time, and pstack of the server for its threads.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Import the access log of the directory server behind the proxy."
    ),
    QT_TRANSLATE_NOOP("Sentences", "summary of logconv"),
    QT_TRANSLATE_NOOP("Sentences", "keys of an index, as dbscan prints them"),
    QT_TRANSLATE_NOOP("Sentences", "I/O scheduler of a Linux disk"),
    QT_TRANSLATE_NOOP("Sentences", "CPU scheduler features of Linux"),
    QT_TRANSLATE_NOOP("Sentences", "sysctl of Linux"),
)
"""logs/detect.py, ldclt.py."""

CHANGES = (
    QT_TRANSLATE_NOOP("Sentences", "Rate of ldclt"),
    QT_TRANSLATE_NOOP("Sentences", "Size of a read"),
    QT_TRANSLATE_NOOP("Sentences", "Size of a write"),
    QT_TRANSLATE_NOOP("Sentences", "Time of a request"),
    QT_TRANSLATE_NOOP("Sentences", "Busy time"),
    QT_TRANSLATE_NOOP("Sentences", "Idle processors"),
    QT_TRANSLATE_NOOP("Sentences", "Page scanner"),
    QT_TRANSLATE_NOOP("Sentences", "Swapped out"),
    QT_TRANSLATE_NOOP("Sentences", "Run queue"),
    QT_TRANSLATE_NOOP("Sentences", "Hits of the entry cache ({backend})"),
    QT_TRANSLATE_NOOP("Sentences", "Hits of the database cache"),
    QT_TRANSLATE_NOOP("Sentences", "Calls beyond {bound:number} {unit}"),
    QT_TRANSLATE_NOOP("Sentences", "within what either side varies"),
)
"""advice/host_changes.py."""

COMPANIONS = (*READINGS, *HISTOGRAMS, *DISKS, *NEIGHBOURS, *CHANGES)
"""All of them."""
