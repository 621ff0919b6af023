"""Words that stand in constants and data, translated where they are shown.

A heading of a table, the title of a strip or the name of a state is written down long before the
window knows its language. Those who show it ask `said`; what they show is listed here once more,
for the translator's tool finds words only where they are marked.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.message import Message, Text


def said(words: Text) -> str:
    """In the language of the window; as it is where nobody translated it."""
    if isinstance(words, Message):
        return shown(words)
    return QCoreApplication.translate("Words", words) if words else ""


HEADINGS = (
    QT_TRANSLATE_NOOP("Words", "Window"),
    QT_TRANSLATE_NOOP("Words", "Start (server time)"),
    QT_TRANSLATE_NOOP("Words", "Started (server time)"),
    QT_TRANSLATE_NOOP("Words", "Length"),
    QT_TRANSLATE_NOOP("Words", "Arm"),
    QT_TRANSLATE_NOOP("Words", "Pair"),
    QT_TRANSLATE_NOOP("Words", "Pairs"),
    QT_TRANSLATE_NOOP("Words", "Note"),
    QT_TRANSLATE_NOOP("Words", "Notes"),
    QT_TRANSLATE_NOOP("Words", "Source"),
    QT_TRANSLATE_NOOP("Words", "Completeness"),
    QT_TRANSLATE_NOOP("Words", "Samples"),
    QT_TRANSLATE_NOOP("Words", "Lines parsed"),
    QT_TRANSLATE_NOOP("Words", "Why"),
    QT_TRANSLATE_NOOP("Words", "Operation"),
    QT_TRANSLATE_NOOP("Words", "Operations"),
    QT_TRANSLATE_NOOP("Words", "Count"),
    QT_TRANSLATE_NOOP("Words", "Metric"),
    QT_TRANSLATE_NOOP("Words", "Verdict"),
    QT_TRANSLATE_NOOP("Words", "Interval"),
    QT_TRANSLATE_NOOP("Words", "Data needed"),
    QT_TRANSLATE_NOOP("Words", "Entries"),
    QT_TRANSLATE_NOOP("Words", "Base"),
    QT_TRANSLATE_NOOP("Words", "Bind DN"),
    QT_TRANSLATE_NOOP("Words", "Client"),
    QT_TRANSLATE_NOOP("Words", "Group"),
    QT_TRANSLATE_NOOP("Words", "Share of time"),
    QT_TRANSLATE_NOOP("Words", "Total time"),
    QT_TRANSLATE_NOOP("Words", "Longest"),
    QT_TRANSLATE_NOOP("Words", "Errors"),
    QT_TRANSLATE_NOOP("Words", "Unindexed"),
    QT_TRANSLATE_NOOP("Words", "Knob"),
    QT_TRANSLATE_NOOP("Words", "Now"),
    QT_TRANSLATE_NOOP("Words", "In force"),
    QT_TRANSLATE_NOOP("Words", "Default"),
    QT_TRANSLATE_NOOP("Words", "Advised"),
    QT_TRANSLATE_NOOP("Words", "Takes effect"),
    QT_TRANSLATE_NOOP("Words", "Risk"),
    QT_TRANSLATE_NOOP("Words", "Description"),
    QT_TRANSLATE_NOOP("Words", "Where"),
    QT_TRANSLATE_NOOP("Words", "Now (A)"),
    QT_TRANSLATE_NOOP("Words", "With the change (B)"),
    QT_TRANSLATE_NOOP("Words", "Takes effect"),
    QT_TRANSLATE_NOOP("Words", "Caution"),
    QT_TRANSLATE_NOOP("Words", "Allowed values"),
    QT_TRANSLATE_NOOP("Words", "No."),
    QT_TRANSLATE_NOOP("Words", "State"),
    QT_TRANSLATE_NOOP("Words", "Before"),
    QT_TRANSLATE_NOOP("Words", "Requested"),
    QT_TRANSLATE_NOOP("Words", "Read back"),
    QT_TRANSLATE_NOOP("Words", "Changed at"),
    QT_TRANSLATE_NOOP("Words", "Proof"),
    QT_TRANSLATE_NOOP("Words", "Step"),
    QT_TRANSLATE_NOOP("Words", "Result"),
    QT_TRANSLATE_NOOP("Words", "What to do"),
    QT_TRANSLATE_NOOP("Words", "Keys"),
    QT_TRANSLATE_NOOP("Words", "Action"),
    QT_TRANSLATE_NOOP("Words", "From the request's arrival to its result"),
    QT_TRANSLATE_NOOP("Words", "Part of it: waiting in the work queue"),
    QT_TRANSLATE_NOOP("Words", "Part of it: being processed"),
    QT_TRANSLATE_NOOP("Words", "LDAP result code"),
    QT_TRANSLATE_NOOP("Words", "U, A: unindexed; P: paged; F: filter"),
    QT_TRANSLATE_NOOP("Words", "Values are omitted"),
    QT_TRANSLATE_NOOP("Words", "Bind DN of the client; empty if anonymous"),
    QT_TRANSLATE_NOOP("Words", "Share of the total etime of all operations found"),
    QT_TRANSLATE_NOOP("Words", "Result codes that mean failure"),
    QT_TRANSLATE_NOOP("Words", "Notes U or A"),
    QT_TRANSLATE_NOOP("Words", "What other evidence shows"),
    QT_TRANSLATE_NOOP("Words", "The value advised for the open session"),
    QT_TRANSLATE_NOOP("Words", "As it was"),
    QT_TRANSLATE_NOOP("Words", "With the change"),
    QT_TRANSLATE_NOOP("Words", "In a typical pair of windows; below ×1 is better"),
    QT_TRANSLATE_NOOP("Words", "Adjusted for multiple metrics"),
    QT_TRANSLATE_NOOP("Words", "p50 of the etime, nearest rank"),
    QT_TRANSLATE_NOOP("Words", "p90 of the etime, nearest rank"),
    QT_TRANSLATE_NOOP("Words", "p95 of the etime, nearest rank"),
    QT_TRANSLATE_NOOP("Words", "p99 of the etime, nearest rank"),
    QT_TRANSLATE_NOOP("Words", "p99.9 of the etime, nearest rank"),
    QT_TRANSLATE_NOOP("Words", "max of the etime, nearest rank"),
)
"""Headings of tables, and what they mean."""

STATES = (
    QT_TRANSLATE_NOOP("Words", "✓ works"),
    QT_TRANSLATE_NOOP("Words", "absent"),
    QT_TRANSLATE_NOOP("Words", "not seen"),
    QT_TRANSLATE_NOOP("Words", "✗ fails"),
    QT_TRANSLATE_NOOP("Words", "access log"),
    QT_TRANSLATE_NOOP("Words", "error log"),
    QT_TRANSLATE_NOOP("Words", "audit log"),
    QT_TRANSLATE_NOOP("Words", "monitor"),
    QT_TRANSLATE_NOOP("Words", "stacks"),
    QT_TRANSLATE_NOOP("Words", "histogram"),
    QT_TRANSLATE_NOOP("Words", "config"),
    QT_TRANSLATE_NOOP("Words", "summary"),
    QT_TRANSLATE_NOOP("Words", "complete"),
    QT_TRANSLATE_NOOP("Words", "partial"),
    QT_TRANSLATE_NOOP("Words", "missing"),
    QT_TRANSLATE_NOOP("Words", "failed"),
    QT_TRANSLATE_NOOP("Words", "immediately"),
    QT_TRANSLATE_NOOP("Words", "after a restart"),
    QT_TRANSLATE_NOOP("Words", "server stopped"),
    QT_TRANSLATE_NOOP("Words", "set with the server stopped"),
    QT_TRANSLATE_NOOP("Words", "low"),
    QT_TRANSLATE_NOOP("Words", "medium"),
    QT_TRANSLATE_NOOP("Words", "high"),
    QT_TRANSLATE_NOOP("Words", "OPEN: possibly written"),
    QT_TRANSLATE_NOOP("Words", "OPEN: in place"),
    QT_TRANSLATE_NOOP("Words", "OPEN: being reverted"),
    QT_TRANSLATE_NOOP("Words", "reverted"),
    QT_TRANSLATE_NOOP("Words", "kept"),
    QT_TRANSLATE_NOOP("Words", "refused by the server"),
    QT_TRANSLATE_NOOP("Words", "done, nothing to revert"),
    QT_TRANSLATE_NOOP("Words", "takes effect immediately"),
    QT_TRANSLATE_NOOP("Words", "needs a restart"),
    QT_TRANSLATE_NOOP("Words", "needs the server stopped"),
    QT_TRANSLATE_NOOP("Words", "low risk"),
    QT_TRANSLATE_NOOP("Words", "medium risk"),
    QT_TRANSLATE_NOOP("Words", "high risk"),
    QT_TRANSLATE_NOOP("Words", "likely the cause"),
    QT_TRANSLATE_NOOP("Words", "may matter"),
    QT_TRANSLATE_NOOP("Words", "worth knowing"),
)
"""Cells that say one of a few things."""

CHARTS = (
    QT_TRANSLATE_NOOP("Words", "etime over time"),
    QT_TRANSLATE_NOOP("Words", "etime by percentile"),
    QT_TRANSLATE_NOOP("Words", "Pair by pair"),
    QT_TRANSLATE_NOOP("Words", "B / A by metric, with interval"),
    QT_TRANSLATE_NOOP("Words", "B / A at every percentile, all operations"),
    QT_TRANSLATE_NOOP("Words", "Histogram, powers of two"),
    QT_TRANSLATE_NOOP("Words", "Exceedance (CCDF): share slower than ..."),
    QT_TRANSLATE_NOOP("Words", "Calls by bucket"),
    QT_TRANSLATE_NOOP("Words", "Beyond each bucket"),
    QT_TRANSLATE_NOOP("Words", "of a million calls"),
    QT_TRANSLATE_NOOP("Words", "time of a call"),
    QT_TRANSLATE_NOOP("Words", "value"),
    QT_TRANSLATE_NOOP("Words", "from"),
    QT_TRANSLATE_NOOP("Words", "percentile"),
    QT_TRANSLATE_NOOP("Words", "percentile (ends where too few stalls remain)"),
    QT_TRANSLATE_NOOP("Words", "% of operations"),
    QT_TRANSLATE_NOOP("Words", "1 operation"),
    QT_TRANSLATE_NOOP("Words", "up to {count} in {seconds} s"),
    QT_TRANSLATE_NOOP("Words", "window of A"),
    QT_TRANSLATE_NOOP("Words", "window of B"),
    QT_TRANSLATE_NOOP("Words", "a change, a restart, a mark"),
    QT_TRANSLATE_NOOP("Words", "left of ×1: B is better; right: B is worse"),
    QT_TRANSLATE_NOOP("Words", "B better in this pair"),
    QT_TRANSLATE_NOOP("Words", "B worse"),
    QT_TRANSLATE_NOOP("Words", "better"),
    QT_TRANSLATE_NOOP("Words", "worse"),
    QT_TRANSLATE_NOOP("Words", "inconclusive"),
    QT_TRANSLATE_NOOP("Words", "too small to matter"),
    QT_TRANSLATE_NOOP("Words", "B / A: below ×1, B is quicker"),
    QT_TRANSLATE_NOOP("Words", "95 % band at each percentile"),
    QT_TRANSLATE_NOOP("Words", "within 10 %"),
    QT_TRANSLATE_NOOP("Words", "{arm} ({count} operations)"),
    QT_TRANSLATE_NOOP(
        "Words",
        "Arrows move, + and - zoom, Home shows all, C copies the numbers, D shows them as a table.",
    ),
    QT_TRANSLATE_NOOP("Words", "Time (UTC)"),
    QT_TRANSLATE_NOOP("Words", "What"),
    QT_TRANSLATE_NOOP("Words", "Longest, up to"),
    QT_TRANSLATE_NOOP("Words", "Slower"),
    QT_TRANSLATE_NOOP("Words", "Percentile"),
    QT_TRANSLATE_NOOP("Words", "Low"),
    QT_TRANSLATE_NOOP("Words", "High"),
    QT_TRANSLATE_NOOP("Words", "Order"),
    QT_TRANSLATE_NOOP("Words", "A low"),
    QT_TRANSLATE_NOOP("Words", "A high"),
    QT_TRANSLATE_NOOP("Words", "B low"),
    QT_TRANSLATE_NOOP("Words", "B high"),
)
"""Titles, axes, legends and columns of charts."""

STRIPS = ()
"""Titles of the strips, as resources/strips gives them."""

CHOICES = (
    QT_TRANSLATE_NOOP("Words", "Counters of the server, once a second"),
    QT_TRANSLATE_NOOP("Words", "Access &log"),
    QT_TRANSLATE_NOOP("Words", "Every operation with its etime"),
    QT_TRANSLATE_NOOP("Words", "Er&ror log"),
    QT_TRANSLATE_NOOP("Words", "Errors and warnings of the server"),
    QT_TRANSLATE_NOOP("Words", "The disks, once a second; needs sysstat on the host"),
    QT_TRANSLATE_NOOP("Words", "Pairs in random order: can establish a difference"),
    QT_TRANSLATE_NOOP("Words", "Balanced order A B B A: if the order must be known in advance"),
    QT_TRANSLATE_NOOP("Words", "One A, then one B: indicative only"),
    QT_TRANSLATE_NOOP("Words", "Ask me"),
    QT_TRANSLATE_NOOP("Words", "Keep it if it is better, else revert"),
    QT_TRANSLATE_NOOP("Words", "Always revert it"),
    QT_TRANSLATE_NOOP("Words", "Not encrypted"),
    QT_TRANSLATE_NOOP("Words", "Over SSH"),
    QT_TRANSLATE_NOOP("Words", "The server runs on this machine"),
    QT_TRANSLATE_NOOP("Words", "No host access: LDAP counters only"),
    QT_TRANSLATE_NOOP("Words", "Export &Markdown …"),
    QT_TRANSLATE_NOOP("Words", "Export &PDF …"),
    QT_TRANSLATE_NOOP("Words", "E&xport HTML …"),
    QT_TRANSLATE_NOOP("Words", "For a ticket or a wiki"),
    QT_TRANSLATE_NOOP("Words", "For print"),
    QT_TRANSLATE_NOOP("Words", "One self-contained file with its charts"),
)
"""Choices of the forms, and their tips."""

STEPS = (
    QT_TRANSLATE_NOOP("Words", "LDAP address"),
    QT_TRANSLATE_NOOP("Words", "LDAP port"),
    QT_TRANSLATE_NOOP("Words", "LDAP connection"),
    QT_TRANSLATE_NOOP("Words", "bind"),
    QT_TRANSLATE_NOOP("Words", "SSH port"),
    QT_TRANSLATE_NOOP("Words", "SSH host key"),
    QT_TRANSLATE_NOOP("Words", "host login"),
)
"""Steps of the test of a connection."""

RUN = (
    QT_TRANSLATE_NOOP("Words", "Starting"),
    QT_TRANSLATE_NOOP("Words", "Checking the plan against the server"),
    QT_TRANSLATE_NOOP("Words", "Applying the change"),
    QT_TRANSLATE_NOOP("Words", "Taking the change back"),
    QT_TRANSLATE_NOOP("Words", "Restarting the server"),
    QT_TRANSLATE_NOOP("Words", "Letting the server settle"),
    QT_TRANSLATE_NOOP("Words", "Measuring"),
    QT_TRANSLATE_NOOP("Words", "Judging"),
    QT_TRANSLATE_NOOP("Words", "Waiting for your decision"),
    QT_TRANSLATE_NOOP("Words", "Done: the change was kept"),
    QT_TRANSLATE_NOOP("Words", "Done: the change was reverted"),
    QT_TRANSLATE_NOOP("Words", "Ended early"),
)
"""Where an experiment is."""

UNITS = (
    QT_TRANSLATE_NOOP("Words", "IDs"),
    QT_TRANSLATE_NOOP("Words", "bits"),
    QT_TRANSLATE_NOOP("Words", "bytes"),
    QT_TRANSLATE_NOOP("Words", "connections"),
    QT_TRANSLATE_NOOP("Words", "databases"),
    QT_TRANSLATE_NOOP("Words", "descriptors"),
    QT_TRANSLATE_NOOP("Words", "entries"),
    QT_TRANSLATE_NOOP("Words", "levels"),
    QT_TRANSLATE_NOOP("Words", "lists"),
    QT_TRANSLATE_NOOP("Words", "locks"),
    QT_TRANSLATE_NOOP("Words", "operations"),
    QT_TRANSLATE_NOOP("Words", "queues"),
    QT_TRANSLATE_NOOP("Words", "requests"),
    QT_TRANSLATE_NOOP("Words", "searches"),
    QT_TRANSLATE_NOOP("Words", "slots"),
    QT_TRANSLATE_NOOP("Words", "spins"),
    QT_TRANSLATE_NOOP("Words", "threads"),
    QT_TRANSLATE_NOOP("Words", "transactions"),
)
"""Units of knobs, as resources/knobs gives them."""

LESSONS = (
    QT_TRANSLATE_NOOP("Words", "Checkpoint storms"),
    QT_TRANSLATE_NOOP(
        "Words",
        "Every minute the database writes a checkpoint, and while the pages modified since the "
        "last one go out, nearly every operation waits.",
    ),
    QT_TRANSLATE_NOOP("Words", "Healthy"),
    QT_TRANSLATE_NOOP("Words", "Nothing is wrong with this server."),
    QT_TRANSLATE_NOOP("Words", "Read-ahead"),
    QT_TRANSLATE_NOOP(
        "Words",
        "The database is far larger than memory, so many requests read the disk, each at a "
        "random place.",
    ),
    QT_TRANSLATE_NOOP("Words", "Referint trains"),
    QT_TRANSLATE_NOOP(
        "Words",
        "Referential integrity takes deleted entries out of their groups, and here it does so "
        "once in 90 seconds for all deletions since.",
    ),
    QT_TRANSLATE_NOOP("Words", "Password rehash on bind"),
    QT_TRANSLATE_NOOP(
        "Words",
        "The passwords of this directory are old {SSHA512} hashes, cheap to check.",
    ),
    QT_TRANSLATE_NOOP("Words", "Tiny caches"),
    QT_TRANSLATE_NOOP(
        "Words",
        "The entry cache of this server holds 4 MiB, some 750 entries of 40,000.",
    ),
    QT_TRANSLATE_NOOP("Words", "Too many threads"),
    QT_TRANSLATE_NOOP(
        "Words",
        "This server was given 384 worker threads for 4 cores, so that it would never run out of "
        "them.",
    ),
    QT_TRANSLATE_NOOP("Words", "Trap"),
    QT_TRANSLATE_NOOP(
        "Words",
        "This server writes a checkpoint every 15 seconds, and each goes on in the background "
        "for several seconds more, during which everything is slower.",
    ),
    QT_TRANSLATE_NOOP("Words", "Sample: 389 DS, password rehash on bind"),
    QT_TRANSLATE_NOOP(
        "Words",
        "A recording of our own lab, a real 389 DS 2.3: binds with and without the rehash of "
        "passwords, in six pairs.",
    ),
)
"""Titles and first sentences of resources/practice and resources/samples."""

LOGS = (QT_TRANSLATE_NOOP("Words", "IBM Security Directory Server, audit log"),)
"""Titles of logs/dialects that are more than a name."""
