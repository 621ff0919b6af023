"""What one set of files beside an access log gave, and the text of those files.

Stacks of threads that lie beside an access log -> the calls of each thread, and when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ldap_workbench.logs.reading.files import Budget, LogFile, LogSet
from ldap_workbench.logs.reading.reports import Clock, Tally
from ldap_workbench.logs.reading.stamps import name_time
from ldap_workbench.logs.reading.time_limit import TimeLimit, until_stopped
from ldap_workbench.logs.server.stacks import (
    Dump,
    Held,
    folded_text,
    held_calls,
    read_folded,
    read_stacks,
    top_calls,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LineCounts, Sample, SourceKind

LIMIT = 64 << 20
"""Bytes read of a file that is read as a whole."""
_CANCELLED = Message("The import was cancelled: the rest of it is missing.")
Keep = Callable[[bytes], None]
"""Takes text that stays in the session."""


@dataclass
class Companion:
    """What one set of files gave; `why` says what is missing, `notes` what was corrected."""

    kind: SourceKind
    samples: list[Sample] = field(default_factory=list)
    count: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    lines: LineCounts = field(default_factory=LineCounts)
    details: dict[str, Any] = field(default_factory=dict)
    why: list[Message] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)
    readings: list[list[Sample]] = field(default_factory=list)
    """Readings of counters that print no time, in the order of their text; times are yet 0."""
    dated: bool = True
    """False where neither its text nor the operator says when it was read."""
    cancel: Cancel = field(default_factory=Cancel)
    """Looked at with every piece of its files; it keeps what was read until then."""
    budget: Budget | None = None
    """What may be unpacked of its files."""
    damaged: list[Path] = field(default_factory=list)
    """Files that broke off, by the name that a person knows them by."""
    shown: Callable[[Path], Path] = field(default=lambda path: path)
    """The name that a person knows a file by: it may have been in an archive."""
    stands_alone: bool = False
    """True for what is compared with others of its kind: without a log it has its own window."""

    def is_stopped(self) -> bool:
        """Whether no more is read; `why` then says for which reason."""
        if not self.cancel:
            return False
        if isinstance(self.cancel, TimeLimit) and not self.cancel.is_asked:
            self.why.append(self.cancel.what_happened)
        else:
            self.why.append(_CANCELLED)
        return True

    def see(self, time_ns: int) -> None:
        """Widen the span of time."""
        self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
        self.last_ns = time_ns if self.last_ns is None else max(self.last_ns, time_ns)

    def take_end(self, log: LogFile, path: Path) -> None:
        """Why a file was not read to its end, where it was not."""
        if log.truncated:
            self.why.append(log.truncated)
        if log.damaged:
            self.damaged.append(self.shown(path))

    def add_lines(self, more: LineCounts) -> None:
        """Add the lines of one more file."""
        reasons = Counter(self.lines.reasons) + Counter(more.reasons)
        self.lines = LineCounts(
            self.lines.understood + more.understood,
            self.lines.set_aside + more.set_aside,
            self.lines.unknown + more.unknown,
            dict(reasons),
        )


def pieces(logs: LogSet, companion: Companion) -> Iterator[bytes]:
    """Every piece of every file; what breaks off is said."""
    for file in logs.files:
        log = LogFile(file.path, companion.cancel, companion.budget, companion.shown(file.path))
        yield from until_stopped(log.pieces(), companion.cancel)
        companion.take_end(log, file.path)
        if companion.is_stopped():
            return


def texts(logs: LogSet, keep: Keep, companion: Companion) -> Iterator[bytes]:
    """The text of each file, whole up to a limit; none of those after a cancel."""
    for file in logs.files:
        log = LogFile(file.path, companion.cancel, companion.budget, companion.shown(file.path))
        text = bytearray()
        for piece in until_stopped(log.pieces(), companion.cancel):
            text += piece[: max(0, LIMIT - len(text))]
            if len(text) >= LIMIT:
                companion.why.append(
                    Message(
                        "Only the first {limit:size} of {path} were read.",
                        limit=LIMIT,
                        path=str(companion.shown(file.path)),
                    )
                )
                break
        companion.take_end(log, file.path)
        if companion.is_stopped():
            return
        keep(bytes(text))
        yield bytes(text)


def forget(_: bytes) -> None:
    """Keep nothing."""


_TOP = 20
_UNTIMED = Message("Its dumps have no time: only their order is known.")
_SOME_UNTIMED = Message("Some of its dumps have no time: only their order is known.")
_WHEN_DUMPED = Message(
    "Say when with --began and --interval, or name the files by time: pstack.20260322-172606."
)


def stacks(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    """Stack dumps of the server."""
    dumps: list[Dump] = []
    tally = Tally()
    for file, text in zip(logs.files, texts(logs, keep, companion), strict=False):
        read = read_stacks(text, clock.zone_offset_ns, tally)
        dumps += _timed_by_name(read, file.path.name, clock)
    companion.add_lines(tally.counts)
    companion.count = len(dumps)
    if all(dump.time_ns is not None for dump in dumps):
        dumps.sort(key=lambda dump: dump.time_ns or 0)
    times = _dump_times(dumps, clock)
    for time_ns in times:
        if time_ns is not None:
            companion.see(time_ns)
    companion.details = {
        "dumps": [_dump(dump, time_ns) for dump, time_ns in zip(dumps, times, strict=True)],
        "held": [_stay(stay, times) for stay in held_calls(dumps)],
        "top": [{"calls": list(c), "threads": n} for c, n in top_calls(dumps).most_common(_TOP)],
    }
    if None in times:
        every = times.count(None) == len(times)
        companion.notes += [_UNTIMED if every else _SOME_UNTIMED, _WHEN_DUMPED]


def folded_stacks(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    """Folded stacks: a profile for each file; only a file's name may tell when it was recorded."""
    tally = Tally()
    stacks = profiles = 0
    for file, text in zip(logs.files, texts(logs, forget, companion), strict=False):
        profile = read_folded(text, tally)
        keep(folded_text(profile))
        stacks += len(profile)
        profiles += 1
        companion.count += sum(profile.values())
        time_ns = name_time(file.path.name, clock.zone_offset_ns, clock.near_ns)
        if time_ns is not None:
            companion.see(time_ns)
    companion.add_lines(tally.counts)
    companion.details = {"stacks": stacks, "profiles": profiles}
    companion.stands_alone = True


def _timed_by_name(dumps: list[Dump], name: str, clock: Clock) -> list[Dump]:
    """Dumps of a file; one of which only a file's name tells the time has that.

    Of several dumps in one file the name tells when the first was made, and nothing of the others.
    """
    timed = []
    for number, dump in enumerate(dumps):
        file = dump.file or (name if number == 0 else "")
        if dump.time_ns is None and file:
            time_ns = name_time(file, clock.zone_offset_ns, clock.near_ns)
            dump = replace(dump, time_ns=time_ns)
        timed.append(dump)
    return timed


def _dump_times(dumps: list[Dump], clock: Clock) -> list[int | None]:
    """Printed times; else evenly from the start that was told."""
    start = clock.start_ns
    times = [None if start is None else start + i * clock.interval_ns for i in range(len(dumps))]
    return [d.time_ns if d.time_ns is not None else t for d, t in zip(dumps, times, strict=True)]


def _dump(dump: Dump, time_ns: int | None) -> dict[str, Any]:
    return {"time_ns": time_ns, "threads": {t.id: list(t.calls) for t in dump.threads}}


def _stay(stay: Held, times: list[int | None]) -> dict[str, Any]:
    begin, end = times[stay.first], times[stay.first + stay.dumps - 1]
    seconds = None if begin is None or end is None else (end - begin) / NS_PER_S
    return {
        "thread": stay.thread,
        "call": stay.call,
        "first": stay.first,
        "dumps": stay.dumps,
        "seconds": seconds,
    }
