"""Log files that lie about become a session: one window for each access log and its rotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.files import LogFile, LogSet, gather
from ldap_workbench.logs.iostat import IostatReader
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session import SessionWriter


@dataclass(frozen=True)
class Imported:
    """What an import made, and every file it left out with the reason."""

    windows: tuple[Window, ...]
    sources: tuple[Source, ...]
    left_out: dict[Path, str]


def import_logs(
    paths: Sequence[Path],
    writer: SessionWriter,
    *,
    dialect: str = "auto",
    start_ns: int | None = None,
    end_ns: int | None = None,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Imported:
    """Read files and folders (.gz, .xz, .zst, rotated sets in any order) into a session.

    Each access log with its rotations becomes a window over [start_ns, end_ns), or over all it
    holds; error logs and iostat join the window they overlap. Raises LogError when nothing could
    be used, CancelledError when cancelled.
    """
    gathered = gather(paths, dialect)
    job = _Import(writer, progress, cancel if cancel is not None else Cancel(), start_ns, end_ns)
    left_out = dict(gathered.left_out)
    access = [s for s in gathered.sets if s.detection.dialect in DIALECTS]
    job.total = sum(f.path.stat().st_size for s in gathered.sets for f in s.files) or 1
    for one in access:
        job.access_log(one)
    for one in gathered.sets:
        if one not in access and not job.companion(one):
            for found in one.files:
                left_out[found.path] = f"{found.detection.title}: not read into sessions yet."
    if not job.windows and not job.sources:
        reasons = "; ".join(f"{path.name}: {why}" for path, why in list(left_out.items())[:5])
        raise LogError(
            f"No log could be used. {reasons}",
            safe="The files were not changed.",
            remedy="Name access logs, or say what they are with --dialect.",
        )
    writer.flush()
    return Imported(tuple(job.windows), tuple(job.sources), left_out)


class _Import:
    def __init__(
        self,
        writer: SessionWriter,
        progress: OnProgress,
        cancel: Cancel,
        start_ns: int | None,
        end_ns: int | None,
    ) -> None:
        self._writer = writer
        self._progress = progress
        self._cancel = cancel
        self._start_ns = start_ns
        self._end_ns = end_ns
        self.total = 1
        self._done = 0
        self.windows: list[Window] = []
        self.sources: list[Source] = []

    def access_log(self, logs: LogSet) -> None:
        """Scan one stream: while a piece is scanned the next is read and unpacked."""
        window_id = self._writer.next_id("capture_window")
        source_id = self._writer.next_id("source")
        scanner = Scanner(logs.detection.dialect)
        span = _Span()
        broken: list[str] = []
        for found in logs.files:
            log = LogFile(found.path)
            for piece in _ahead(log):
                self._cancel.check()
                self._writer.add_raw(source_id, piece)
                self._keep(source_id, scanner.feed(piece), span)
                self._tell(found.path, found.path.stat().st_size, scanner)
            self._done += found.path.stat().st_size
            broken += [log.truncated] if log.truncated else []
        self._keep(source_id, scanner.finish(), span)
        window = Window(
            window_id,
            logs.name,
            self._start_ns if self._start_ns is not None else span.first,
            self._end_ns if self._end_ns is not None else span.last + 1,
        )
        self._put_window(window)
        self._put_source(_access_source(source_id, window_id, logs, scanner, span.rows, broken))

    def companion(self, logs: LogSet) -> bool:
        """An error log or iostat beside the access log; False for what is not read yet."""
        kind = logs.detection.kind
        if kind not in (SourceKind.ERROR_LOG, SourceKind.IOSTAT) or not self.windows:
            return False
        if kind is SourceKind.IOSTAT and logs.detection.dialect != "iostat-json":
            return False
        number = self._writer.next_id("source")
        samples = 0
        for piece in logs.pieces():
            self._cancel.check()
            if kind is SourceKind.ERROR_LOG:
                self._writer.add_raw(number, piece)
                samples += piece.count(b"\n")
            else:
                found = IostatReader().feed(piece)
                self._writer.add_samples(number, found)
                samples += len({sample.time_ns for sample in found})
        window = self.windows[0].id
        state = SourceState.COMPLETE if samples else SourceState.PARTIAL
        self._put_source(Source(number, window, kind, logs.name, state, samples=samples))
        return True

    def _keep(self, source: int, operations: Operations, span: _Span) -> None:
        self._writer.add_operations(source, operations)
        span.see(operations)

    def _tell(self, path: Path, size: int, scanner: Scanner) -> None:
        share = min(1.0, (self._done + min(size, scanner.bytes_read)) / self.total)
        self._progress(Progress(f"Reading {path.name}", share))

    def _put_window(self, window: Window) -> None:
        self._writer.put_window(window)
        self.windows.append(window)

    def _put_source(self, source: Source) -> None:
        self._writer.put_source(source)
        self.sources.append(source)


class _Span:
    """First start and last end of what was kept, ns; and how many rows."""

    def __init__(self) -> None:
        self.first = self.last = 0
        self.rows = 0

    def see(self, operations: Operations) -> None:
        if len(operations) == 0:
            return
        first, last = int(operations.start_ns.min()), int(operations.end_ns.max())
        self.first = min(self.first, first) if self.rows else first
        self.last = max(self.last, last) if self.rows else last
        self.rows += len(operations)


def _ahead(log: LogFile) -> Iterator[bytes]:
    """The pieces of a file, the next one read while this one is used."""
    pieces = log.pieces()
    with ThreadPoolExecutor(1, thread_name_prefix="read-ahead") as reader:
        coming: Future[bytes | None] = reader.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = reader.submit(next, pieces, None)
            yield piece


def _access_source(
    number: int, window: int, logs: LogSet, scanner: Scanner, rows: int, broken: list[str]
) -> Source:
    return Source(
        number,
        window,
        SourceKind.ACCESS_LOG,
        logs.name,
        SourceState.PARTIAL if broken else SourceState.COMPLETE,
        why="; ".join(broken),
        lines=scanner.counts,
        samples=rows,
        dialect=scanner.dialect.name,
        resolution_ns=scanner.resolution_ns,
        details={
            "files": [str(found.path.name) for found in logs.files],
            "title": logs.detection.title,
            "reason": logs.detection.reason,
            "bytes": scanner.bytes_read,
            "open_operations": scanner.open_operations,
            "orphan_results": scanner.orphan_results,
            "restarts": scanner.restarts,
            "clock_steps_back": scanner.clock_steps_back,
        },
    )
