"""Log files that lie about become a session: one window for each access log and its rotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ldap_workbench.capture.importing.access_log import (
    AccessLogImport,
    completeness,
    doubts,
    wrapper_notes,
)
from ldap_workbench.capture.importing.folders import folder_of, window_names
from ldap_workbench.capture.importing.placement import Placement, Waiting
from ldap_workbench.capture.importing.preview import P99, PreviewCounts
from ldap_workbench.capture.importing.summaries import LogTotals
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.reading.archives import opened
from ldap_workbench.logs.reading.files import (
    Budget,
    DetectedFile,
    Gathered,
    LogFile,
    LogSet,
    gather,
)
from ldap_workbench.logs.reading.overlap import repeated
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.time_limit import OutOfTimeError, TimeLimit, until_stopped
from ldap_workbench.model.errors import CancelledError, LogError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.writer import SessionWriter

if TYPE_CHECKING:
    from ldap_workbench.capture.importing.companion import Companion

_ZONE = re.compile(
    rb"^(?:\[\d{1,2}/[^\]\n]{10,40} |(?:<\d+>1 )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)? ?)"
    rb"([+-])(\d\d):?(\d\d)[\] ]",
    re.MULTILINE,
)


_HOSTS = 200
"""Hosts told apart in one log: each holds memory, and who sends more sends something else."""
_CANCELLED = Message("The import was cancelled: what follows in the log is missing.")
_REASONS = 5
"""Files of which is said why they were of no use, where none was of any."""


@dataclass(frozen=True)
class Imported:
    """What an import made, and every file it left out with the reason."""

    windows: tuple[Window, ...]
    sources: tuple[Source, ...]
    left_out: dict[Path, Message]
    cancelled: bool = False
    """Whether it was cancelled on the way: the windows hold what was read until then."""
    damaged: tuple[Path, ...] = ()
    """Archives and members of which a part could not be read."""
    out_of_time: Message = NOTHING
    """Why not everything was read, where that took longer than files of their size do."""

    def out_of_time_error(self, session: Path) -> LogError:
        """The same as an error, for a session that has what was read."""
        return LogError(
            self.out_of_time,
            safe=Message("What was read is in {session}.", session=str(session)),
            remedy=Message(
                "Import its files one by one: one takes far longer than its size explains."
            ),
        )


def import_logs(
    paths: Sequence[Path],
    writer: SessionWriter,
    *,
    dialect: str = "auto",
    start_ns: int | None = None,
    end_ns: int | None = None,
    clock: Clock | None = None,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Imported:
    """Read files, folders and archives into a session, packed or not, rotated sets in any order.

    '-' is standard input.

    Each access log with its rotations becomes a window over [start_ns, end_ns), or over all it
    holds. What lies beside them joins the window it overlaps most, see `companions`; what overlaps
    none gets a window of its own, one for each folder. Without `clock`, local times without a zone
    are in that of the first access log. Cancelled, or out of time, it keeps what it has read.
    Raises LogError when nothing could be used, CancelledError when it was cancelled before there
    was anything.
    """
    cancel = cancel if cancel is not None else Cancel()
    with opened(paths, cancel) as contents, writer.in_bulk():
        limit = contents.limit
        job = _Import(writer, progress, limit, start_ns, end_ns, contents.roots)
        job.budget, job.shown = contents.budget, contents.shown
        gathered = gather(contents.paths, dialect, contents.archives, limit)
        left_out = contents.left_out | {
            contents.shown(path): why for path, why in gathered.left_out.items()
        }
        job.read(gathered, clock)
        damaged = tuple(dict.fromkeys([*contents.damaged, *job.damaged]))
    if all(source.state is SourceState.MISSING for source in job.placement.sources):
        raise _useless({source.name: source.why for source in job.placement.sources}, left_out)
    writer.flush()
    late = limit.what_happened if limit.is_over else contents.out_of_time
    return Imported(
        tuple(job.placement.windows),
        tuple(job.placement.sources),
        left_out,
        bool(cancel),
        damaged,
        out_of_time=late,
    )


def _useless(empty: Mapping[str, Message], left_out: Mapping[Path, Message]) -> LogError:
    """Why nothing came of an import, for the first few files."""
    whys = [*empty.items(), *((path.name, why) for path, why in left_out.items())]
    reasons = [Message("{name}: {why}", name=name, why=why) for name, why in whys[:_REASONS]]
    return LogError(
        Message("No log could be used."),
        safe=Message("The files were not changed."),
        remedy=Message("Name access logs, or say what they are: File, Read logs as; or --dialect."),
        details=sentences(*reasons),
    )


def add_stacks(paths: Sequence[Path], writer: SessionWriter, window: Window) -> list[Source]:
    """Read stacks of threads into a window of a session that is there.

    Raises LogError where a file holds something else; nothing is then written.
    """
    from ldap_workbench.capture.importing.companions import read_companion

    gathered = gather(paths)
    others = [s.name for s in gathered.sets if s.detection.kind is not SourceKind.STACKS]
    if others or gathered.left_out:
        names = (*others, *(path.name for path in gathered.left_out))
        raise LogError(
            Message("No stacks of threads: {names:list}.", names=names),
            safe=Message("The session was not changed."),
            remedy=Message("Name folded stacks, or what gdb, pstack or eu-stack printed."),
        )
    near = Clock(near_ns=(window.start_ns + window.end_ns) // 2)
    sources = []
    for logs in gathered.sets:
        number = writer.next_id("source")
        companion = read_companion(logs, near, partial(writer.add_raw, number))
        source = replace(_companion_source(number, logs, companion), window=window.id)
        writer.put_source(source)
        sources.append(source)
    writer.flush()
    return sources


class _Import:
    def __init__(
        self,
        writer: SessionWriter,
        progress: OnProgress,
        cancel: TimeLimit,
        start_ns: int | None,
        end_ns: int | None,
        roots: Mapping[Path, Path],
    ) -> None:
        self._writer = writer
        self._progress = progress
        self._cancel = cancel
        self._start_ns = start_ns
        self._end_ns = end_ns
        self._total = 1
        self.budget: Budget | None = None
        self.shown: Callable[[Path], Path] = lambda path: path
        self.names: Mapping[LogSet, str] = {}
        self.counts_totals = False
        self._done = 0
        self._preview = PreviewCounts()
        self.placement = Placement(writer, roots, start_ns, end_ns)
        self.damaged: list[Path] = []

    def read(self, gathered: Gathered, clock: Clock | None) -> None:
        """Read all sets, access logs first, and give the others a window."""
        placement = self.placement
        access = [s for s in gathered.sets if s.detection.dialect in DIALECTS]
        self.names = window_names(gathered.sets)
        self.counts_totals = any(s.detection.kind is SourceKind.SUMMARY for s in gathered.sets)
        self._total = sum(f.path.stat().st_size for s in gathered.sets for f in s.files) or 1
        clock = clock if clock is not None else Clock(zone_said=False)
        if not clock.zone_said:
            clock = replace(clock, zone_offset_ns=_zone_of(access, self._cancel))
        for one in access:
            if not (self._cancel and placement.sources):
                self.access_log(one, clock.zone_offset_ns)
        for one in gathered.sets:
            if one not in access and not (
                self._cancel and (placement.sources or placement.waiting)
            ):
                near_ns = placement.moment_near(folder_of(one))
                self.companion(one, replace(clock, near_ns=near_ns))
        placement.place_readings(clock)
        placement.place_companions(clock)

    def access_log(self, logs: LogSet, zone_offset_ns: int) -> None:
        """Read one log: while a piece is scanned the next is read and unpacked.

        Lines of several hosts, containers or files are logs of their own.
        """
        streams: dict[bytes, AccessLogImport] = {}
        broken: list[Message] = []
        skipped = 0
        for place, file in enumerate(logs.files):
            log = LogFile(file.path, self._cancel, self.budget, self.shown(file.path))
            begun: set[bytes] = set()
            twice = _repeated(streams, logs.files[place - 1], file, self._cancel) if place else 0
            for stream, piece in _ahead(log, self._cancel):
                if self._cancel:
                    break
                reader = self._stream(streams, stream, logs, zone_offset_ns)
                if stream not in begun:
                    begun.add(stream)
                    reader.begin_file(file)
                if twice:
                    repeated_part = piece[:twice]
                    piece, twice = piece[len(repeated_part) :], twice - len(repeated_part)
                    reader.take_repeated(repeated_part.count(b"\n"))
                reader.feed(piece)
                self._report_progress(file.path, file.path.stat().st_size, log.bytes_read)
            self._done += file.path.stat().st_size
            broken += [log.truncated] if log.truncated else []
            self.damaged += [self.shown(file.path)] if log.damaged else []
            skipped += log.skipped
        if self._cancel:
            if not self._preview.operations:
                self._cancel.check()
            broken.append(_CANCELLED if self._cancel.is_asked else self._cancel.what_happened)
        self._put_streams(streams, logs, broken, skipped)

    def _stream(
        self, streams: dict[bytes, AccessLogImport], name: bytes, logs: LogSet, zone_ns: int
    ) -> AccessLogImport:
        if name not in streams and len(streams) >= _HOSTS:
            return next(iter(streams.values()))
        if name not in streams:
            totals = LogTotals(self._start_ns, self._end_ns) if self.counts_totals else None
            streams[name] = AccessLogImport(self._writer, logs, zone_ns, totals, self._preview)
        return streams[name]

    def _put_streams(
        self,
        streams: dict[bytes, AccessLogImport],
        logs: LogSet,
        broken: list[Message],
        skipped: int,
    ) -> None:
        """A window and a source for each host that has operations; one at least."""
        if not streams:
            self._stream(streams, b"", logs, 0)
        for reader in streams.values():
            reader.finish()
        used = {name: reader for name, reader in streams.items() if reader.amount}
        used = used or dict([next(iter(streams.items()))])
        first = next(iter(used.values()))
        first.take_skipped(skipped)
        for stream, reader in streams.items():
            if stream not in used:
                first.take_lines(reader)
        name = self.names.get(logs, logs.name)
        for stream, reader in used.items():
            host = f" ({stream.decode('utf-8', 'replace')})" if len(used) > 1 else ""
            window = reader.window(
                name + host, self._start_ns, self._end_ns, cancelled=self._cancel.is_asked
            )
            self.placement.put_window(window, folder_of(logs))
            if reader.totals is not None:
                self.placement.totals[reader.source_id] = reader.totals
            self.placement.put_source(reader.source(logs.name + host, broken))

    def companion(self, logs: LogSet, clock: Clock) -> None:
        """Read what is no access log; its window is known once all are read."""
        # Their readers take 30 ms to load, and most imports are of access logs alone.
        from ldap_workbench.capture.importing.companion import Companion
        from ldap_workbench.capture.importing.companions import read_companion

        self._cancel.check()
        self._progress(
            Progress(Message("Reading {name}", name=logs.name), min(1.0, self._done / self._total))
        )
        number = self._writer.next_id("source")
        try:
            companion = read_companion(
                logs,
                clock,
                lambda text: self._writer.add_raw(number, text),
                self._cancel,
                self.budget,
                self.shown,
            )
        except LogError as error:
            companion = Companion(
                logs.detection.kind or SourceKind.MONITOR, why=[error.explanation]
            )
        self.damaged += companion.damaged
        self._writer.add_samples(number, companion.samples)
        self._done += sum(file.path.stat().st_size for file in logs.files)
        source = _companion_source(number, logs, companion)
        name = self.names.get(logs, logs.name)
        self.placement.waiting.append(Waiting(source, companion, logs.files[0].path, name))

    def _report_progress(self, path: Path, size: int, bytes_read: int) -> None:
        """Tell how far it is, and what has been read so far (`details["preview"]`)."""
        if not self._preview.due():
            return
        done = self._done + min(size, bytes_read)
        preview = self._preview.preview(done)
        text = Message("Reading {name}", name=path.name)
        if preview.tails:
            text = Message(
                "Reading {name}, {n} operations, p99 {p99:duration}, {rate:size}/s",
                name=path.name,
                n=preview.operations,
                p99=preview.tails[0].quantiles_ns[P99],
                rate=preview.bytes_a_second,
            )
        self._progress(Progress(text, min(1.0, done / self._total), {"preview": preview}))


def _repeated(
    streams: Mapping[bytes, AccessLogImport],
    before: DetectedFile,
    file: DetectedFile,
    cancel: Cancel,
) -> int:
    """Bytes of a file that the one before it holds already, where they overlap in time."""
    reader = streams.get(b"") if len(streams) == 1 else None
    last_ns = reader.scanner.last_time_ns if reader is not None else None
    if last_ns is None or file.first_ns is None or file.first_ns > last_ns:
        return 0
    try:
        return repeated(before.path, file.path, cancel)
    except (CancelledError, OutOfTimeError):
        return 0  # nothing of the file is read then


def _ahead(log: LogFile, cancel: Cancel) -> Iterator[tuple[bytes, bytes]]:
    """The pieces of a file with their streams, the next one read while this one is used."""
    pieces = until_stopped(log.streams(), cancel)
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as reader:
        coming: Future[tuple[bytes, bytes] | None] = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece


def _zone_of(access: Sequence[LogSet], cancel: Cancel) -> int:
    """The zone, ns east of UTC, that the first access log with one prints; 0 without any."""
    for logs in access:
        if match := _ZONE.search(LogFile(logs.files[0].path, cancel).head(64 << 10)):
            minutes = int(match[2]) * 60 + int(match[3])
            return (-minutes if match[1] == b"-" else minutes) * 60 * NS_PER_S
    return 0


def _companion_source(number: int, logs: LogSet, companion: Companion) -> Source:
    state, why = completeness(
        companion.count, companion.lines, flaws=list(dict.fromkeys(companion.why))
    )
    return Source(
        number,
        0,
        companion.kind,
        logs.name,
        state,
        why=why,
        lines=companion.lines,
        samples=companion.count,
        dialect=logs.detection.dialect,
        details=companion.details
        | {
            "files": [file.path.name for file in logs.files],
            "title": logs.detection.title,
            "reason": logs.detection.reason,
            "notes": [*wrapper_notes(logs), *doubts(logs), *companion.notes],
        }
        | ({} if companion.dated else {"undated": True}),
    )
