"""Templates of what is said of imported iostat, vmstat, counters and histograms.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

READINGS = (
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
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {all:count} ({share:share})"),
)
"""logs/probes.py, advice/tail_shift.py, log_cost.py."""

NEIGHBOURS = (
    QT_TRANSLATE_NOOP("Sentences", "ldclt made {n:count} operations, {rate:number} a second."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Print the entries as well (dbscan -r), or ask the server which entries many others name: "
        "findings FILE --references PROFILE.",
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
    QT_TRANSLATE_NOOP("Sentences", "keys of an index with their entries (dbscan -r)"),
    QT_TRANSLATE_NOOP("Sentences", "It holds no key that is a DN."),
    QT_TRANSLATE_NOOP("Sentences", "I/O scheduler of a Linux disk"),
    QT_TRANSLATE_NOOP("Sentences", "CPU scheduler features of Linux"),
    QT_TRANSLATE_NOOP("Sentences", "sysctl of Linux"),
)
"""logs/detect.py, ldclt.py."""

SUMMARIES = (
    QT_TRANSLATE_NOOP("Sentences", "logconv and this window count the same: {same}."),
    QT_TRANSLATE_NOOP("Sentences", "logconv: {theirs}; this window: {ours:count}."),
    QT_TRANSLATE_NOOP("Sentences", "logconv counted {listed}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "logconv: longest etime {longest:number} s; this window: {ours:number} s."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Both count operations of the server itself: {n:count} here."),
    QT_TRANSLATE_NOOP("Sentences", "The summary does not say what time it covers."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The summary covers another time than this window, so counts may differ: {begin} to {end}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "logconv counts requests, a window those with a result: {n:count} without one.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A summary alone, without its access log: totals, and no latency of any operation. "
        "Import the access log it was made from.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "It holds no figure."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} bind"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} binds"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} modification"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} modifications"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} add"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} adds"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} delete"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deletes"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} rename"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} renames"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} compare"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} compares"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} search"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} search without index"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} searches without index"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} search partly without index"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} searches partly without index"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} connection"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} connections"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} result with err={code:count}"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} results with err={code:count}"),
)
"""capture/summaries.py, logs/logconv.py."""

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

COMPANIONS = (*READINGS, *HISTOGRAMS, *NEIGHBOURS, *SUMMARIES, *CHANGES)
"""All of them."""
