"""A window that is over already, out of logs of any size: only its own stretch is read.

A log on the server's host: what its files cover, and any stretch of their text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldap_workbench.capture.host_link import log_missing, shell_of
from ldap_workbench.capture.losses import Losses, why_lost
from ldap_workbench.capture.past.host_files import LogPart
from ldap_workbench.capture.scanned import detection_details, line_counts, scan_details
from ldap_workbench.connect.directory import OWN_BASE
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.errors import CancelledError, LogError, UsageError, WorkbenchError
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.writer import SessionWriter

if TYPE_CHECKING:  # it knows every kind of link, and an import of files needs none
    from ldap_workbench.servers.target import Target
import time

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.past.host_files import HostFiles
from ldap_workbench.capture.past.log_times import LogTimes
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.logs.reading.detect import Detection, detect, with_chosen_dialect

SLACK_NS = NS_PER_S
"""Read before and behind the window: lines are written in nearly, not quite, the order of time."""
LONGEST_NS = 60 * NS_PER_S
"""How far behind the window results of its operations are looked for, while some are missing."""
FLUSH_NS = 35 * NS_PER_S
"""389 DS writes its buffered log out at the latest after 30 s."""
_PIECE = 4 << 20
_STEP = 1 << 20
_CANCELLED = Message("It was cancelled: what follows in the log is missing.")


def fetch(
    target: Target,
    writer: SessionWriter,
    start_ns: int,
    end_ns: int,
    *,
    name: str = "window",
    dialect: str = "auto",
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Window:
    """Bring [start_ns, end_ns), server time, from the access log of the server into the session.

    The rotated and packed files count too. Read are the stretch itself, a second around it, and up
    to 60 s more while operations that started in it have no result; the source says what is missing
    and how many bytes it cost. `dialect` other than auto overrides what the text says. Cancelled,
    or with a link that stays broken, the window keeps what came until then. Raises UsageError for
    times that make no window in the past, LogError where the log does not reach back, CommandError
    or ConnectError where it cannot be read at all.
    """
    if end_ns <= start_ns:
        raise UsageError(
            Message("A window ends after it starts."), remedy=Message("Swap --from and --to.")
        )
    if dialect != "auto" and dialect not in DIALECTS:
        raise UsageError(
            Message("'{dialect}' is not a dialect of logs.", dialect=dialect),
            remedy=Message("Choose auto, {known}.", known=tuple(DIALECTS)),
        )
    if end_ns > target.now_ns():
        raise UsageError(
            Message(
                "The window ends at {end:time}, which is not over on the server's clock.",
                end=end_ns,
            ),
            remedy=Message("Capture it live, or choose an earlier end."),
        )
    path = target.profile.access_log or target.facts.access_log
    if not path:
        raise log_missing(target, "access_log", "nsslapd-accesslog")
    window = Window(writer.next_id("capture_window"), name, start_ns, end_ns)
    asked = cancel if cancel is not None else Cancel()
    log = RemoteLog(lambda: shell_of(target), path, asked, dialect)
    try:
        return _Fetch(log, writer, window, progress, asked, target.now_ns).run()
    finally:
        log.close()


class _Fetch:
    def __init__(
        self,
        log: RemoteLog,
        writer: SessionWriter,
        window: Window,
        progress: OnProgress,
        cancel: Cancel,
        now_ns: Callable[[], int],
    ) -> None:
        self._log = log
        self._writer = writer
        self._window = window
        self._progress = progress
        self._cancel = cancel
        self._now_ns = now_ns
        self._source = writer.next_id("source")
        self._parts: list[LogPart] = []
        self._missing: list[Message] = []
        self._scanner = Scanner()
        self._losses = Losses(self._scanner)
        self._pending = bytearray()
        self._entered: LogPart | None = None
        self._drop_first = False
        self._expected = 0
        self._rows = self._text = 0
        self._at_end = False

    def run(self) -> Window:
        broken = NOTHING
        try:
            self._look()
            self._read()
        except CancelledError:
            broken = _CANCELLED
        except WorkbenchError as error:
            if not self._text:
                raise
            broken = error.explanation
        if self._cancel:
            broken = _CANCELLED
        self._pass_on()
        self._writer.mark_own(self._source, self._scanner.own_connections)
        window = replace(self._window, cancelled=bool(self._cancel))
        self._writer.put_window(window)
        self._writer.put_source(self._finished(broken))
        self._writer.flush()
        return window

    # --- finding -------------------------------------------------------------------------------

    def _look(self) -> None:
        """Which files hold the window."""
        self._progress(Progress(Message("Looking at the log files")))
        parts = self._log.parts()
        self._parts = [part for part in parts if part.first_ns is not None]
        self._missing += [
            Message("{path} cannot be understood.", path=part.path)
            for part in parts
            if part.head and not part.first_ns
        ]
        if not self._parts:
            raise LogError(
                Message(
                    "{path} and the files rotated from it hold no access log.", path=self._log.path
                ),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Check that the access log is enabled and that the profile names it correctly."
                ),
            )
        self._scanner = Scanner(self._log.detection.dialect, own_nonces=[OWN_BASE.encode()])
        self._losses = Losses(self._scanner)
        first = self._parts[0].first_ns or 0
        if first >= self._window.end_ns:
            raise LogError(
                Message(
                    "The oldest log file left begins at {start:time}, after the window.",
                    start=first,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Choose a later window, or import older files from elsewhere."),
            )
        if first > self._window.start_ns:
            self._missing.append(
                Message("The oldest file left begins at {start:time}.", start=first)
            )

    def _covering(self, low_ns: int, high_ns: int) -> list[LogPart]:
        """The files with lines in [low, high]; each ends where the next one begins."""
        ends: Sequence[int | None] = [part.first_ns for part in self._parts[1:]] + [None]
        return [
            part
            for part, end in zip(self._parts, ends, strict=True)
            if (part.first_ns or 0) <= high_ns and (end is None or end >= low_ns)
        ]

    def _bounds(self, parts: list[LogPart], low_ns: int, high_ns: int) -> tuple[int, int | None]:
        """Where to start in the first of the files and to stop in the last one."""
        first = parts[0].first_ns or 0
        start = self._log.find(parts[0], low_ns) if first < low_ns else 0
        return start, self._log.find_end(parts[-1], high_ns)

    # --- reading -------------------------------------------------------------------------------

    def _read(self) -> None:
        self._progress(Progress(Message("Finding the window")))
        low, high = self._window.start_ns - SLACK_NS, self._window.end_ns + SLACK_NS
        parts = self._covering(low, high)
        start, end = self._bounds(parts, low, high)
        self._drop_first = start > 0 and bool(parts[0].packed)
        lengths = [part.size for part in parts]
        lengths[-1] = end if end is not None else parts[-1].size
        self._expected = max(1, sum(lengths) - start)
        reached = start
        for part in parts:
            last = part is parts[-1]
            self._entered = part
            reached = self._log.read(part, start, end if last else None, self._take)
            start = 0
            if not last:
                self._end_line()
        self._pass_on()
        self._at_end = parts[-1] is self._parts[-1] and (end is None or reached < end)
        if not self._at_end and not self._cancel:
            self._await_results(parts[-1], reached)

    def _await_results(self, part: LogPart, reached: int) -> None:
        """Read on while operations of the window have no result, in growing steps."""
        high = self._window.end_ns + LONGEST_NS
        step = _STEP
        for later in self._covering(self._window.end_ns, high):
            if self._parts.index(later) < self._parts.index(part):
                continue
            if later is not part:
                self._end_line()
                self._entered = later
                reached = 0
            limit = None
            while self._unanswered() and not self._cancel:
                limit = self._log.find_end(later, high) if limit is None else limit
                end = reached + step if limit is None else min(reached + step, limit)
                before, reached = reached, self._log.read(later, reached, end, self._take)
                self._pass_on()
                step = min(2 * step, 64 << 20)
                if reached < end or reached in (limit, before):
                    break

    def _unanswered(self) -> int:
        """Operations that started in the window and have no result yet."""
        start, end = self._window.start_ns, self._window.end_ns
        clients = (request for request in self._scanner.open_requests() if not request.own)
        return sum(start <= request.start_ns < end for request in clients)

    def _take(self, text: bytes) -> None:
        if self._drop_first:  # where a packed file is entered is in the middle of a line
            _, newline, text = text.partition(b"\n")
            self._drop_first = not newline
        self._text += len(text)
        self._pending += text
        if len(self._pending) >= _PIECE:
            self._pass_on()
        size = Message(
            "Fetching, {read:size} of about {expected:size}",
            read=self._text,
            expected=self._expected,
        )
        self._progress(Progress(size, min(1.0, self._text / self._expected)))

    def _end_line(self) -> None:
        """A file that does not end with a newline must not run into the next one."""
        if self._pending and not self._pending.endswith(b"\n"):
            self._pending += b"\n"
        self._pass_on()

    def _pass_on(self) -> None:
        """Scan and keep the whole lines; a line that is cut off at the end is never passed on."""
        end = self._pending.rfind(b"\n") + 1
        lines = bytes(self._pending[:end])
        del self._pending[:end]
        if lines and self._entered is not None:
            year = self._log.year_at(self._entered, lines)
            if year is not None:
                self._scanner.begin_file(year, self._entered.zone_offset_ns)
            self._entered = None
        self._writer.add_raw(self._source, lines)
        operations = self._scanner.feed(lines)
        self._losses.add(lines, operations)
        self._rows += len(operations)
        self._writer.add_operations(self._source, operations)

    # --- telling -------------------------------------------------------------------------------

    def _why(self, broken: Message) -> Message:
        reasons = [broken, *self._missing, *why_lost(self._losses.lost)]
        if self._at_end and self._now_ns() < self._window.end_ns + FLUSH_NS:
            reasons.append(Message("The server may not have written the end of the window yet."))
        if not broken and (count := self._unanswered()):
            reasons.append(
                count_of(
                    "{n} operation had no result up to {seconds} s after the window.",
                    "{n} operations had no result up to {seconds} s after the window.",
                    n=count,
                    seconds=LONGEST_NS // NS_PER_S,
                )
            )
        return sentences(*reasons)

    def _finished(self, broken: Message) -> Source:
        scanner = self._scanner
        self._losses.close()
        why = self._why(broken)
        return Source(
            self._source,
            self._window.id,
            SourceKind.ACCESS_LOG,
            self._log.path,
            SourceState.PARTIAL if why else SourceState.COMPLETE,
            why=why,
            lines=line_counts(scanner),
            samples=self._rows,
            dialect=scanner.dialect.name,
            resolution_ns=scanner.resolution_ns,
            details=self._details(),
        )

    def _details(self) -> dict[str, Any]:
        log, scanner = self._log, self._scanner
        return {
            "fetched": True,
            "bytes": self._text,
            "bytes_on_the_wire": log.link.wire_bytes,
            "bytes_of_the_set": sum(part.size for part in self._parts),
            "files": len(self._parts),
            "reads": log.link.reads,
            "packed_with": log.packer,
            "link_bytes_per_second": log.link_rate,
            "reconnects": log.link.cuts,
            "results_looked_for_s": LONGEST_NS // NS_PER_S,
            **scan_details(scanner, self._losses.lost),
            "own_connections": len(scanner.own_connections),
            **detection_details(log.detection, scanner),
        }


SLOW_LINK = 40e6
"""Bytes per second below which packing costs the host less than sending costs the link."""
_MEASURE = 1 << 20
_PATIENCE_S = 60.0
"""How long a dropped link is tried to be opened anew."""


class RemoteLog:
    """Reads a log and its rotated files through a shell that `connect` opens; close it after use.

    A dropped link is opened anew for a minute, reading goes on at the byte reached. Raises
    CommandError where something cannot be read, ConnectError where the link stays broken,
    CancelledError between two reads.
    """

    def __init__(
        self,
        connect: Callable[[], RemoteShell],
        path: str,
        cancel: Cancel,
        dialect: str = "auto",
    ) -> None:
        self.path = path
        self.detection = Detection(
            "unknown", None, Message("unknown file"), Message("it was not examined."), 0.0
        )
        """What its text, or somebody with a `dialect` other than auto, says it is."""
        self._said = dialect
        self.link = HostLink(connect, cancel, _PATIENCE_S)
        self.packer = ""
        self.link_rate: float | None = None
        """Bytes per second, once measured."""
        self._files = HostFiles(self.link, path, cancel)
        self._times = LogTimes(self._files, cancel)

    def parts(self) -> list[LogPart]:
        """Every file of the set, each text once, in the order of their first lines."""
        parts = self._files.listed()
        heads = [part.head for part in parts if part.head]
        known = next((d for d in map(detect, heads) if d.dialect in DIALECTS), self.detection)
        self.detection = known if self._said == "auto" else with_chosen_dialect(self._said, known)
        self._times.dialect = self.detection.dialect
        texts: dict[bytes, LogPart] = {}
        # While a file is being packed both it and its copy lie there.
        for part in sorted(parts, key=lambda part: part.packed != ""):
            texts.setdefault(part.head, self._times.begun(part))
        return sorted(texts.values(), key=lambda part: (part.first_ns or 0, part.path))

    def year_at(self, part: LogPart, text: bytes) -> int | None:
        """The year of a text from anywhere in a file, None where its lines show one."""
        return self._times.year_at(part, text)

    def find(self, part: LogPart, time_ns: int) -> int:
        """An offset into the text with every line before it older than `time_ns`, and close to it.

        At a line of a plain file; up to a MiB before, and anywhere, in a packed one.
        """
        return self._times.find(part, time_ns)

    def find_end(self, part: LogPart, time_ns: int) -> int | None:
        """An offset behind the last line before `time_ns`; None: read to the end of the file."""
        return self._times.find_end(part, time_ns)

    def read(
        self, part: LogPart, start: int, end: int | None, on_text: Callable[[bytes], None]
    ) -> int:
        """Hand on text[start:end] as it comes.

        Returns the offset reached: the end of the file may come first. Ends early when cancelled.
        """
        reached = start
        if self.link_rate is None and (end is None or end - start > 4 * _MEASURE):
            reached = self._read_as_is(part, start, start + _MEASURE, on_text)
            if reached < start + _MEASURE:
                return reached
            self.packer = self._files.packer() if self._is_slow() else ""
        return self._files.stream(part, reached, end, self.packer, on_text)

    def close(self) -> None:
        self.link.close()

    def _read_as_is(
        self, part: LogPart, start: int, end: int, on_text: Callable[[bytes], None]
    ) -> int:
        """Read a first stretch unpacked and measure the link by it, from its first byte on."""
        first = began = 0.0
        size = 0

        def take(data: bytes) -> None:
            nonlocal first, began, size
            if not began:
                began, first = time.monotonic(), len(data)
            size += len(data)
            on_text(data)

        reached = self._files.stream(part, start, end, "", take)
        took = time.monotonic() - began
        self.link_rate = (size - first) / took if began and size > first and took > 0 else None
        return reached

    def _is_slow(self) -> bool:
        return self.link_rate is not None and self.link_rate < SLOW_LINK
