"""Templates of the sentences that findings and advice are made of, where code makes them.

As they stand in advice/, with {name} for what is filled in; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

COUNTED = (
    QT_TRANSLATE_NOOP("Sentences", "Once"),
    QT_TRANSLATE_NOOP("Sentences", "once"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} times"),
    QT_TRANSLATE_NOOP("Sentences", "1 time"),
    QT_TRANSLATE_NOOP("Sentences", "1 operation"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} operations"),
    QT_TRANSLATE_NOOP("Sentences", "1 search"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} searches"),
    QT_TRANSLATE_NOOP("Sentences", "1 change"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} changes"),
    QT_TRANSLATE_NOOP("Sentences", "1 change was"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} changes were"),
    QT_TRANSLATE_NOOP("Sentences", "1 ring"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} rings"),
    QT_TRANSLATE_NOOP("Sentences", "1 entry is"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} entries are"),
    QT_TRANSLATE_NOOP("Sentences", "1 deletion"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deletions"),
    QT_TRANSLATE_NOOP("Sentences", "1 deletion or rename"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deletions and renames"),
    QT_TRANSLATE_NOOP("Sentences", "1 MOD"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} MODs"),
    QT_TRANSLATE_NOOP("Sentences", "1 burst"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} bursts"),
    QT_TRANSLATE_NOOP("Sentences", "1 call"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} calls"),
    QT_TRANSLATE_NOOP("Sentences", "1 stack dump"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} stack dumps"),
    QT_TRANSLATE_NOOP("Sentences", "1 deadlock error"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} deadlock errors"),
    QT_TRANSLATE_NOOP("Sentences", "{low:time} to {high:time}"),
    QT_TRANSLATE_NOOP("Sentences", "somebody"),
    QT_TRANSLATE_NOOP("Sentences", "(filter not known)"),
)
"""Counts in words: advice/wording.py and its callers."""

STALLS = (
    QT_TRANSLATE_NOOP("Sentences", "no write was among them"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of them were writes"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{types} ended within {within:time} after up to {longest:time}; at the worst moment "
        "{n:count} of them waited.",
    ),
)
"""advice/stalls.py."""

CHECKPOINTS = (
    QT_TRANSLATE_NOOP("Sentences", "A stall begins at {moment}."),
    QT_TRANSLATE_NOOP("Sentences", "A burst of writing begins at {moment}."),
    QT_TRANSLATE_NOOP("Sentences", "The log since the last checkpoint was emptied {times}."),
    QT_TRANSLATE_NOOP("Sentences", "{thread} is in {frame} in {n:count} consecutive stack dumps."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "They come every {period:time}: {n:count} of {of:count} distances fit, which chance alone "
        "gives 1 in {odds:count}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "That is what the default of {interval:time}, as yours is not known, gives: itself, 0 to "
        "2.5 s until the server looks, and the checkpoint's own duration.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "That is what the configured interval of {interval:time} gives: itself, 0 to 2.5 s until "
        "the server looks, and the checkpoint's own duration.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} of {of:count} begin when the transaction log is emptied by a checkpoint.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{n:count} of {bursts:counted} begin when the transaction log is emptied by a checkpoint.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {of:count} begin with a burst of writing."),
    QT_TRANSLATE_NOOP("Sentences", "Stack dumps show a checkpoint at work."),
)
"""advice/checkpoint.py."""

REFERENCES = (
    QT_TRANSLATE_NOOP("Sentences", "The configured delay is {delay:time}."),
    QT_TRANSLATE_NOOP("Sentences", "Searched without an index: {attributes}."),
    QT_TRANSLATE_NOOP("Sentences", "{mods} in {length:time}, {lag} after {deletions}."),
    QT_TRANSLATE_NOOP("Sentences", "The slowest took {length:time}."),
    QT_TRANSLATE_NOOP("Sentences", "{server}: {n:number} MODs for each deletion."),
    QT_TRANSLATE_NOOP("Sentences", "{backend}: no equality index of {attributes}."),
    QT_TRANSLATE_NOOP("Sentences", "{dn}: {n:count} references"),
    QT_TRANSLATE_NOOP("Sentences", "{a:dn} and {b:dn}"),
    QT_TRANSLATE_NOOP("Sentences", "{a:dn} and {b:dn} and {c:dn}"),
)
"""advice/referint.py, membership.py, references.py."""

REPEATS = (
    QT_TRANSLATE_NOOP("Sentences", "A {type:type} on {entry}"),
    QT_TRANSLATE_NOOP("Sentences", "an entry the log does not name"),
    QT_TRANSLATE_NOOP("Sentences", "other on the same entry"),
    QT_TRANSLATE_NOOP("Sentences", "others on the same entry"),
    QT_TRANSLATE_NOOP("Sentences", "other of its kind"),
    QT_TRANSLATE_NOOP("Sentences", "others of its kind"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The difference, {extra:time}, is close to the {timeout:time} of a replication time-out: "
        "look for the same csn applied twice.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a:time} and {b:time}"),
    QT_TRANSLATE_NOOP("Sentences", "csn={csn:word} on {entry}: {times}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{type:type} on {entry}: {etime:time} from {moment}, usually {usual:time}."
    ),
)
"""advice/repeats.py."""

SEARCHES = (
    QT_TRANSLATE_NOOP("Sentences", "{n:count} fully"),
    QT_TRANSLATE_NOOP("Sentences", "{filter}: {searches}, {length:time} in all."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{here:count} operations/s here, {there:count} in '{baseline}'."
    ),
)
"""advice/search_shape.py."""

CACHES = (
    QT_TRANSLATE_NOOP("Sentences", "Hits and tries counted in this window."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} names were thrown out."),
    QT_TRANSLATE_NOOP("Sentences", "of {size:size}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Autosizing: {percent:share} of {ram} = {total}; {split:share} of that, at most {limit}, "
        "= {db} DB cache; the rest 90:10 = {entries} entry cache + {names} DN cache ({source}).",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Autosizing: {percent:share} of {ram} = {total}; {split:share} of that, at most {limit}, "
        "= {db} DB cache; the rest over {n:count} back ends 90:10 = {entries} entry cache + "
        "{names} DN cache ({source}).",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nearly full."),
    QT_TRANSLATE_NOOP("Sentences", "the map of {size} is {share:share} full"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {of:count} reader slots are taken"),
)
"""advice/caches.py, autosize.py, lmdb.py."""

THREADS = (
    QT_TRANSLATE_NOOP(
        "Sentences", "Whether processors were idle is not known: iostat or vmstat would tell."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Meanwhile {idle:share} of the processors were idle: more threads may help."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Only {idle:share} of the processors were idle: more threads would only queue there.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "389 DS leaves a thread with its busiest connections (turbo mode) and counts from its "
        "last answer on, not from the request.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Turbo mode is off, so the requests themselves came in slowly: look at the network.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} times in the window."),
    QT_TRANSLATE_NOOP("Sentences", "5 by default"),
    QT_TRANSLATE_NOOP("Sentences", "Idle processors."),
    QT_TRANSLATE_NOOP("Sentences", "wtime against etime of client operations."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} binds, half of them longer than {length:time}."),
    QT_TRANSLATE_NOOP("Sentences", "; a search takes {length:time}"),
)
"""advice/threads.py, binds.py."""

DISK = (
    QT_TRANSLATE_NOOP("Sentences", "{size:number} KB a read, {n:number} reads/s."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The file-system cache answered about {share:share} of the page reads."
    ),
    QT_TRANSLATE_NOOP("Sentences", "busy {share:share} of the time"),
    QT_TRANSLATE_NOOP("Sentences", "requests took {length:time} on average"),
    QT_TRANSLATE_NOOP(
        "Sentences", "{n:count} of {bursts:counted} of writing came with a checkpoint"
    ),
    QT_TRANSLATE_NOOP("Sentences", "{device:word} uses {scheduler:word}."),
    QT_TRANSLATE_NOOP("Sentences", "{length:time} a flush."),
    QT_TRANSLATE_NOOP("Sentences", "memory was short in {share:share} of the samples"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} processes were ready to run on {cores:count} cores"),
    QT_TRANSLATE_NOOP("Sentences", "{share:share} of {n:count} entries are larger than {size}."),
)
"""advice/disk.py, entry_sizes.py."""

LOGS = (
    QT_TRANSLATE_NOOP("Sentences", "{knob:word} is off."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {of:count} operations in the log are internal."),
    QT_TRANSLATE_NOOP("Sentences", "{path} and {directory} are both on {device:word}."),
    QT_TRANSLATE_NOOP("Sentences", "Its {calls} are in buckets of numbers without a unit."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} of {of:count} calls took {length:time} or more."),
    QT_TRANSLATE_NOOP("Sentences", "{bound:number} (no unit is printed)"),
    QT_TRANSLATE_NOOP(
        "Sentences", "Operations in those seconds took {near:time} at p95, {far:time} otherwise."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} connections of {of:count}."),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} err={code:count} (operations error)"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} err={code:count} (time limit exceeded)"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} err={code:count} (busy)"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} err={code:count} (unavailable)"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} err={code:count} (other)"),
)
"""advice/log_cost.py, tail_shift.py, errors.py."""

WINDOWS = (
    QT_TRANSLATE_NOOP("Sentences", "The server started."),
    QT_TRANSLATE_NOOP("Sentences", "The first operation after a start."),
    QT_TRANSLATE_NOOP("Sentences", "First quarter."),
    QT_TRANSLATE_NOOP("Sentences", "the entry cache of {backend} grew from {a:count} to {b:count}"),
    QT_TRANSLATE_NOOP("Sentences", "the median etime fell from {a:time} to {b:time}"),
    QT_TRANSLATE_NOOP("Sentences", "The quickest of {n:count} took {length:time}."),
    QT_TRANSLATE_NOOP("Sentences", "Etimes come in steps of {step:time}."),
    QT_TRANSLATE_NOOP("Sentences", "the capture was cancelled"),
    QT_TRANSLATE_NOOP("Sentences", "Cancelled."),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} on {entry}"),
    QT_TRANSLATE_NOOP("Sentences", "{attributes} of {entry} (audit log)"),
    QT_TRANSLATE_NOOP("Sentences", "The clock went back {times} within the window"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{times} nothing was logged, for {length:time} at the most, though the server answered "
        "the workbench meanwhile and logs that too: its clock was set forward, or lines of the "
        "log are missing",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Times of the log go back, {times}."),
    QT_TRANSLATE_NOOP("Sentences", "No line of the log."),
    QT_TRANSLATE_NOOP("Sentences", "{source} is {state:state}"),
    QT_TRANSLATE_NOOP("Sentences", "{source} is {state:state} ({why})"),
    QT_TRANSLATE_NOOP("Sentences", "{source} '{name}': {state:state}."),
    QT_TRANSLATE_NOOP("Sentences", "access log"),
    QT_TRANSLATE_NOOP("Sentences", "error log"),
    QT_TRANSLATE_NOOP("Sentences", "audit log"),
    QT_TRANSLATE_NOOP("Sentences", "monitor"),
    QT_TRANSLATE_NOOP("Sentences", "stacks"),
    QT_TRANSLATE_NOOP("Sentences", "partial"),
    QT_TRANSLATE_NOOP("Sentences", "missing"),
    QT_TRANSLATE_NOOP("Sentences", "failed"),
)
"""advice/hygiene.py, clock.py."""

ADVICE = (
    QT_TRANSLATE_NOOP(
        "Sentences", "“{advice}” and “{other}” exclude each other: try one at a time."
    ),
    QT_TRANSLATE_NOOP("Sentences", "“{advice}” needs: {need}"),
    QT_TRANSLATE_NOOP("Sentences", "low: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "medium: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "high: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "(the default, as yours is not known)"),
    QT_TRANSLATE_NOOP("Sentences", "(as it is set)"),
    QT_TRANSLATE_NOOP("Sentences", "what that gives"),
    QT_TRANSLATE_NOOP("Sentences", "{page:count} ({size}, by the sizes of your entries)"),
    QT_TRANSLATE_NOOP(
        "Sentences", "389 DS 2 takes one per hardware thread, at least 16; RHDS 10's table 24 for 4"
    ),
    QT_TRANSLATE_NOOP("Sentences", "For {n:count} hardware threads {rivals}"),
    QT_TRANSLATE_NOOP("Sentences", "389 DS 2 and later"),
    QT_TRANSLATE_NOOP("Sentences", "RHDS 10's table"),
    QT_TRANSLATE_NOOP("Sentences", "the design page, out of date for 389 DS 1.4 and later"),
)
"""advice/conflicts.py, values.py."""

FINDINGS = (
    *COUNTED,
    *STALLS,
    *CHECKPOINTS,
    *REFERENCES,
    *REPEATS,
    *SEARCHES,
    *CACHES,
    *THREADS,
    *DISK,
    *LOGS,
    *WINDOWS,
    *ADVICE,
)
