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
    QT_TRANSLATE_NOOP("Sentences", "Read as {title}: there is no text in it."),
    QT_TRANSLATE_NOOP("Sentences", "Read as {title}: you said so."),
    QT_TRANSLATE_NOOP("Sentences", "By its text it is: {title}."),
)
"""What a source was read as: logs/detect.py, model/remarks.py."""

KNOWN = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "No latency is printed: each is the time from the line of the request to that of the "
        "result, in steps of {step}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} latencies are not printed: each is the time from the line of the request "
        "to that of the result, in steps of {step}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "1 latency is not printed: it is the time from the line of the request to that of the "
        "result, in steps of {step}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "a second"),
    QT_TRANSLATE_NOOP("Sentences", "a millisecond"),
    QT_TRANSLATE_NOOP("Sentences", "a microsecond"),
    QT_TRANSLATE_NOOP("Sentences", "a nanosecond"),
    QT_TRANSLATE_NOOP(
        "Sentences", "a second (3 stands for anything between 2 and 4 s, 0 for anything below 1 s)"
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Latencies are printed in whole seconds of the clock: 3 stands for anything between 2 "
        "and 4 s, 0 for anything below 1 s.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Latencies are printed in milliseconds: each number is a range of that width."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Thread {thread} was in {call} over {n:count} dumps."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Thread {thread} was in {call} over {n:count} dumps, {length:time}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "1 request has no result."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} requests have no result."),
    QT_TRANSLATE_NOOP("Sentences", "1 result has no request."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} results have no request."),
    QT_TRANSLATE_NOOP("Sentences", "1 start of the server is in the log."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} starts of the server are in the log."),
    QT_TRANSLATE_NOOP("Sentences", "1 time the clock went back."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} times the clock went back."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Only slow operations seem to be in this log (none under {least:time}): its "
        "percentiles say nothing about all operations.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Its link was cut once, for {length:time} in all."),
    QT_TRANSLATE_NOOP("Sentences", "Its link was cut {n:count} times, for {length:time} in all."),
    QT_TRANSLATE_NOOP("Sentences", "Reading it cost the host {share:count} % of one processor."),
    QT_TRANSLATE_NOOP("Sentences", "Set aside: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "header {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "blank line {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "error log line {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "cut line {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "NUL bytes {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "overlong line {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "result without etime {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "garbage etime {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "garbage wtime {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "garbage optime {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "request seen twice {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "two records glued {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "line without a time {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "message of the server {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "repeated by syslog {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "report that cannot be placed in time {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "report since boot {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "report cut off {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "text between histograms {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "group of disks {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "notice of a device {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "comment {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "value behind a URL {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "remark of the debugger {n:count}"),
    QT_TRANSLATE_NOOP("Sentences", "counted already {n:count}"),
)
"""How finely and wholly a log is known: model/remarks.py."""

NOTES = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "It counts by interval (-I), and no times printed tell how long {n:count} of them "
        "lasted: taken for {length:time}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "It tells of {what}."),
    QT_TRANSLATE_NOOP("Sentences", "1 recovery after a crash"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} recoveries after a crash"),
    QT_TRANSLATE_NOOP("Sentences", "1 start of the server"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} starts of the server"),
    QT_TRANSLATE_NOOP("Sentences", "1 orderly stop"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} orderly stops"),
    QT_TRANSLATE_NOOP("Sentences", "1 line about automatic cache sizes"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} lines about automatic cache sizes"),
    QT_TRANSLATE_NOOP("Sentences", "1 line about checkpoints"),
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
    QT_TRANSLATE_NOOP("Sentences", "the oldest file left begins at {moment}"),
    QT_TRANSLATE_NOOP("Sentences", "the server may not have written the end of the window yet"),
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
    QT_TRANSLATE_NOOP("Sentences", "The server does not tell where its log is ({attribute:word})."),
)
"""Why a source is not complete: capture/."""

SOURCES = (*READ, *KNOWN, *NOTES, *LACKING)
