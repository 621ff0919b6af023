"""Templates of the sentences about stalls, checkpoints and the chains that lead to them."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

STALLS = (
    QT_TRANSLATE_NOOP("Sentences", "operations that are usually quick waited"),
    QT_TRANSLATE_NOOP("Sentences", "operations waited for minutes"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The log holds too few others of this kind to show how long they usually take: import"
        " more of it to be sure.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The log lacks {lines} of the longest episode."),
    QT_TRANSLATE_NOOP("Sentences", "1 request line"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} request lines"),
)
"""advice/stalls.py."""

FLUSHES = (
    QT_TRANSLATE_NOOP("Sentences", "A thread"),
    QT_TRANSLATE_NOOP("Sentences", "Thread {id:count}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "From {start} to {end}: one checkpoint of at least {length:time}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "From {start} to {end}: one checkpoint or two."),
    QT_TRANSLATE_NOOP("Sentences", "Stalls or bursts of writing recur as checkpoints do."),
    QT_TRANSLATE_NOOP("Sentences", "A long checkpoint was seen."),
    QT_TRANSLATE_NOOP("Sentences", "The checkpoint interval is set to {interval:time}."),
    QT_TRANSLATE_NOOP("Sentences", "({codes} is Berkeley DB's DB_LOCK_DEADLOCK)"),
)
"""advice/stack_runs.py, checkpoint.py, errors.py."""

LINKS = (
    QT_TRANSLATE_NOOP("Sentences", "Deletions"),
    QT_TRANSLATE_NOOP("Sentences", "Delay"),
    QT_TRANSLATE_NOOP("Sentences", "Internal updates"),
    QT_TRANSLATE_NOOP("Sentences", "Checkpoint"),
    QT_TRANSLATE_NOOP("Sentences", "Stall"),
    QT_TRANSLATE_NOOP("Sentences", "access log"),
    QT_TRANSLATE_NOOP("Sentences", "configuration"),
    QT_TRANSLATE_NOOP("Sentences", "stacks"),
    QT_TRANSLATE_NOOP("Sentences", "{deletions:counted} in {length:time}."),
    QT_TRANSLATE_NOOP("Sentences", "The log holds no result of {n:count} of them."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Referential integrity waits {delay:time}, as it is set: that is over for the last "
        "deletion at {moment}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{mods:counted}, the first {lag} after the deletions."),
    QT_TRANSLATE_NOOP("Sentences", "{dumps} with a thread in the plug-in."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Missing, not absent: the access log holds internal operations only at a higher level"
        " (389 DS: nsslapd-accesslog-level 260 and nsslapd-plugin-logging on). "
        "A consumer's log holds them as replicated MODs.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The interval is set to {interval:time}."),
    QT_TRANSLATE_NOOP("Sentences", "The log since the last checkpoint was emptied."),
    QT_TRANSLATE_NOOP("Sentences", "Not seen: stack dumps during a stall would show it."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Not seen: no operations in the log waited together meanwhile.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{operations:counted} waited for up to {longest:time} and ended within {within:time}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "a stall of up to {longest:time}"),
    QT_TRANSLATE_NOOP("Sentences", "a long checkpoint"),
    QT_TRANSLATE_NOOP("Sentences", "Not seen: {links}."),
)
"""advice/chain.py."""

SERVERS = (
    QT_TRANSLATE_NOOP("Sentences", "The updates are done, or replicated, on both."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The internal updates of {server} are missing in its log, not absent: a server logs "
        "them only when asked to.",
    ),
)
"""advice/referint.py."""

IMPORTED = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Some of its dumps have no time: only their order is known.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Say when with --began and --interval, or name the files by time: pstack.20260322-172606.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "If that is not so, import it with --zone."),
)
"""capture/companions.py, scanned.py."""

CHAINS = (*STALLS, *FLUSHES, *LINKS, *SERVERS, *IMPORTED)
