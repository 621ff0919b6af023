"""Log files that lie about become a session: one window for each access log and its rotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ldap_workbench.capture.access_import import AccessLogImport, doubts, wrapper_notes
from ldap_workbench.capture.completeness import completeness
from ldap_workbench.capture.folders import folder_of, nearest, window_names
from ldap_workbench.capture.preview import P99, PreviewCounts
from ldap_workbench.capture.summaries import LogTotals, compared
from ldap_workbench.capture.undated import at_times, describe_times, in_order
from ldap_workbench.logs.archives import opened
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.files import Budget, DetectedFile, Gathered, LogFile, LogSet, gather
from ldap_workbench.logs.overlap import repeated
from ldap_workbench.logs.reports import Clock
from ldap_workbench.logs.time_limit import OutOfTimeError, TimeLimit, until_stopped
from ldap_workbench.logs.warm import warm_up
from ldap_workbench.model.errors import CancelledError, LogError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session import SessionWriter

if TYPE_CHECKING:
    from ldap_workbench.capture.companion import Companion

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
    warm_up(progress)
    cancel = cancel if cancel is not None else Cancel()
    with opened(paths, cancel) as contents:
        limit = contents.limit
        job = _Import(writer, progress, limit, start_ns, end_ns)
        job.roots, job.budget, job.shown = contents.roots, contents.budget, contents.shown
        gathered = gather(contents.paths, dialect, contents.archives, limit)
        left_out = contents.left_out | {
            contents.shown(path): why for path, why in gathered.left_out.items()
        }
        job.read(gathered, clock)
        damaged = tuple(dict.fromkeys([*contents.damaged, *job.damaged]))
    if all(source.state is SourceState.MISSING for source in job.sources):
        raise _useless({source.name: source.why for source in job.sources}, left_out)
    writer.flush()
    late = limit.what_happened if limit.is_over else contents.out_of_time
    return Imported(
        tuple(job.windows), tuple(job.sources), left_out, bool(cancel), damaged, out_of_time=late
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
    from ldap_workbench.capture.companions import read_companion

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
    ) -> None:
        self._writer = writer
        self._progress = progress
        self._cancel = cancel
        self._start_ns = start_ns
        self._end_ns = end_ns
        self._total = 1
        self.roots: Mapping[Path, Path] = {}
        self.budget: Budget | None = None
        self.shown: Callable[[Path], Path] = lambda path: path
        self.names: Mapping[LogSet, str] = {}
        self.counts_totals = False
        self._totals: dict[int, LogTotals] = {}
        self._done = 0
        self._preview = PreviewCounts()
        self.windows: list[Window] = []
        self.sources: list[Source] = []
        self.damaged: list[Path] = []
        self._folders: dict[int, Path] = {}
        self._waiting: list[_Waiting] = []

    def read(self, gathered: Gathered, clock: Clock | None) -> None:
        """Read all sets, access logs first, and give the others a window."""
        access = [s for s in gathered.sets if s.detection.dialect in DIALECTS]
        self.names = window_names(gathered.sets)
        self.counts_totals = any(s.detection.kind is SourceKind.SUMMARY for s in gathered.sets)
        self._total = sum(f.path.stat().st_size for s in gathered.sets for f in s.files) or 1
        clock = clock if clock is not None else Clock(zone_said=False)
        if not clock.zone_said:
            clock = replace(clock, zone_offset_ns=_zone_of(access, self._cancel))
        for one in access:
            if not (self._cancel and self.sources):
                self.access_log(one, clock.zone_offset_ns)
        for one in gathered.sets:
            if one not in access and not (self._cancel and (self.sources or self._waiting)):
                self.companion(one, replace(clock, near_ns=self.moment_near(folder_of(one))))
        self.place_readings(clock)
        self.place_companions(clock)

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
            self._put_window(window, folder_of(logs))
            if reader.totals is not None:
                self._totals[reader.source_id] = reader.totals
            self._put_source(reader.source(logs.name + host, broken))

    def companion(self, logs: LogSet, clock: Clock) -> None:
        """Read what is no access log; its window is known once all are read."""
        # Their readers take 30 ms to load, and most imports are of access logs alone.
        from ldap_workbench.capture.companion import Companion
        from ldap_workbench.capture.companions import read_companion

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
        self._waiting.append(_Waiting(source, companion, logs.files[0].path, name))

    def moment_near(self, folder: Path) -> int | None:
        """The middle of the access log nearest to a folder; None without one."""
        windows = nearest(self.windows, self._folders, folder) or self.windows
        return (windows[0].start_ns + windows[0].end_ns) // 2 if windows else None

    def place_readings(self, clock: Clock) -> None:
        """Give counters without a time one, those of each folder together."""
        folders: dict[Path, list[_Waiting]] = {}
        for waiting in self._waiting:
            if waiting.companion.readings:
                folders.setdefault(waiting.path.parent, []).append(waiting)
        for group in folders.values():
            by_source = {waiting.source.id: waiting.companion for waiting in group}
            readings = [(e.source.id, reading) for e in group for reading in e.companion.readings]
            start = clock.start_ns or max(waiting.path.stat().st_mtime_ns for waiting in group)
            for place, (number, reading) in enumerate(in_order(readings)):
                time_ns = start + place * clock.interval_ns
                by_source[number].see(time_ns)
                self._writer.add_samples(number, at_times(reading, time_ns))

    def place_companions(self, clock: Clock) -> None:
        """Give each the window it overlaps most, or one for what overlaps none.

        A configuration holds for every window of its server. What nobody says the time of stands
        apart from what has one: it would only seem to overlap.
        """
        alone: dict[tuple[Path, bool], list[_Waiting]] = {}
        timeless: list[_Waiting] = []
        profiles: list[_Waiting] = []
        for waiting in self._waiting:
            companion = waiting.companion
            windows = _fitting(self.windows, self._folders, waiting) if companion.dated else []
            windows = windows or self._of_same_report(waiting.path.parent)
            for number, window in enumerate(windows):
                again = self._writer.next_id("source") if number else waiting.source.id
                self._put_companion(replace(waiting.source, id=again), window)
            if not windows and companion.stands_alone:
                profiles.append(waiting)
            elif not windows and companion.first_ns is None:
                timeless.append(waiting)
            elif not windows:
                folder = self._report_of(waiting.path.parent) or waiting.path.parent
                alone.setdefault((folder, companion.dated), []).append(waiting)
        for waiting in timeless:
            folder = self._report_of(waiting.path.parent) or waiting.path.parent
            beside = next((key for key in ((folder, True), (folder, False)) if key in alone), None)
            alone.setdefault(beside or (folder, True), []).append(waiting)
        for waiting in profiles:
            window = self._window_for(waiting.path.parent, [waiting], clock, dated=True)
            self._put_companion(waiting.source, window)
        for (folder, dated), group in alone.items():
            window = self._window_for(folder, group, clock, dated=dated)
            for waiting in group:
                self._put_companion(waiting.source, window)

    def _report_of(self, folder: Path) -> Path | None:
        """The archive or the report of a host (sosreport) that a folder is in."""
        for place in (folder, *folder.parents):
            if place in self.roots or (place / "sos_commands").is_dir():
                return place
        return None

    def _of_same_report(self, folder: Path) -> list[Window]:
        """The window of the access log of the same report: what one host sent belongs together."""
        report = self._report_of(folder)
        if report is None:
            return []
        folders = {n: f for n, f in self._folders.items() if self._report_of(f) == report}
        windows = [window for window in self.windows if window.id in folders]
        return (nearest(windows, folders, folder) or windows)[:1]

    def _window_for(
        self, folder: Path, group: Sequence[_Waiting], clock: Clock, *, dated: bool
    ) -> Window:
        """A window over the times of what has no access log."""
        spans = [(waiting.companion.first_ns, waiting.companion.last_ns) for waiting in group]
        times = [t for span in spans for t in span if t is not None]
        remark = NOTHING
        if not times:
            remark = Message("Nothing in it has a time; the time is that of the newest file.")
        if not dated:
            counters = any(waiting.companion.readings for waiting in group)
            remark = describe_times(clock.interval_ns, counters=counters)
        times = times or [max(waiting.path.stat().st_mtime_ns for waiting in group)]
        name = group[0].name if len(group) == 1 else folder.resolve().name
        number = self._writer.next_id("capture_window")
        start = self._start_ns if self._start_ns is not None else min(times)
        end = self._end_ns if self._end_ns is not None else max(times) + NS_PER_S
        window = Window(number, name, start, end, remark=remark)
        self._put_window(window, folder)
        return window

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

    def _put_window(self, window: Window, folder: Path) -> None:
        self._writer.put_window(window)
        self._folders[window.id] = folder
        self.windows.append(window)

    def _put_companion(self, source: Source, window: Window) -> None:
        """Keep it with its window; what another tool counted says how it compares."""
        details = source.details
        if summary := details.get("logconv"):
            logs = [s.id for s in self.sources if s.window == window.id and s.id in self._totals]
            totals = self._totals[logs[0]] if logs else None
            notes = [*details["notes"], *compared(summary, window, totals)]
            details = details | {"notes": notes}
        self._put_source(replace(source, window=window.id, details=details))

    def _put_source(self, source: Source) -> None:
        self._writer.put_source(source)
        self.sources.append(source)


@dataclass(frozen=True)
class _Waiting:
    """A companion whose window is not known yet; `name` is what a window of its own is called."""

    source: Source
    companion: Companion
    path: Path
    name: str


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


def _fitting(
    windows: Sequence[Window], folders: Mapping[int, Path], waiting: _Waiting
) -> list[Window]:
    """The window a companion belongs to.

    Of those it overlaps the nearest, and of these the one it overlaps most. Without a time the
    first one of its folder; a configuration all of its server.
    """
    companion = waiting.companion
    if companion.kind is SourceKind.CONFIG:
        return nearest(windows, folders, waiting.path.parent)
    if companion.first_ns is None or companion.last_ns is None:
        return [w for w in windows if folders[w.id] == waiting.path.parent][:1]
    # A report stands for the interval before it, a single one still touches a window.
    begin, end = companion.first_ns - NS_PER_S, companion.last_ns + NS_PER_S
    shared = {w.id: min(w.end_ns, end) - max(w.start_ns, begin) for w in windows}
    touched = [window for window in windows if shared[window.id] > 0]
    close = nearest(touched, folders, waiting.path.parent) or touched
    return sorted(close, key=lambda window: -shared[window.id])[:1]


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
