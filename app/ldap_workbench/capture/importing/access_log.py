"""One access log of one server on its way from files into a session.

How complete an imported source is: one rule for all kinds, from what was counted. A source is

- `missing` where nothing came out of it: no operation, no reading, no record;
- `partial` where its file is damaged or was cut, where it says itself or its numbers show
  (losses.py) that something is missing, where its lines show no time, or where more than one line
  in ten is unknown;
- `complete` otherwise. Lines that were skipped with a reason (blank, header, another program's) do
  not count against it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ldap_workbench.capture.importing.preview import PreviewCounts
from ldap_workbench.capture.importing.summaries import LogTotals
from ldap_workbench.capture.losses import Losses, why_lost
from ldap_workbench.capture.scanned import (
    line_counts,
    notes_of,
    scan_details,
    unanswered_changes,
)
from ldap_workbench.connect.directory import OWN_BASE
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.files import DetectedFile, LogSet
from ldap_workbench.model import remarks
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState, Window
from ldap_workbench.session.writer import SessionWriter

_VERSION, _HEAD = re.compile(rb"^\s*389-Directory/(\d[\w.]*)", re.MULTILINE), 4096
_OTHERS = str(remarks.OTHER_HOST)
_WRAPPER = str(remarks.WRAPPER)
_REPEATED = str(remarks.REPEATED)


_NO_RESULT = Message(
    "It has requests, but no RESULT line: how long they took is not known. Import a part of the "
    "log that goes on until they were answered."
)
_NO_STATISTICS = Message(
    "It is a slapd log without loglevel stats, so it has no operations. Set olcLogLevel: stats in "
    "cn=config (loglevel stats in slapd.conf), then import the log again."
)


class AccessLogImport:
    """Takes the text of one stream in pieces, gives its window and source at the end."""

    def __init__(
        self,
        writer: SessionWriter,
        logs: LogSet,
        zone_offset_ns: int,
        totals: LogTotals | None,
        preview: PreviewCounts,
    ) -> None:
        self._writer = writer
        self._logs = logs
        self._zone_offset_ns = zone_offset_ns
        self.totals = totals
        self._preview = preview
        self.window_id = writer.next_id("capture_window")
        self.source_id = writer.next_id("source")
        undated = [file.undated_ns for file in logs.files]
        self.scanner = Scanner(
            logs.detection.dialect,
            own_nonces=[OWN_BASE.encode()],
            zone_offset_ns=zone_offset_ns,
            undated_ns=undated[0] if None not in undated else None,
        )
        self._losses = Losses(self.scanner)
        self._first_ns = self._last_ns = 0
        self.rows = 0
        self._others: Counter[str] = Counter()
        self._unanswered: list[dict[str, Any]] = []
        self._rotated_ns: list[int] = []
        self._version = ""

    def begin_file(self, file: DetectedFile) -> None:
        if self.scanner.last_time_ns is not None:
            self._rotated_ns.append(self.scanner.last_time_ns)
        if file.year is not None:
            self.scanner.begin_file(file.year, self._zone_offset_ns)

    def feed(self, text: bytes) -> None:
        # A file begins with two lines that name the server.
        if match := _VERSION.search(text, 0, _HEAD):
            self._version = match[1].decode("ascii")
        self._writer.add_raw(self.source_id, text)
        self._keep(text, self.scanner.feed(text))

    def finish(self) -> None:
        """The last line, and what was asked and never answered."""
        self._keep(b"", self.scanner.finish())
        self._losses.close()
        self._writer.mark_own(self.source_id, self.scanner.own_connections)
        self._unanswered = unanswered_changes(self.scanner)
        if self.rows and self._unanswered:
            times = [request["time_ns"] for request in self._unanswered]
            self._first_ns = min(self._first_ns, *times)
            self._last_ns = max(self._last_ns, *times)

    @property
    def lines(self) -> LineCounts:
        """All lines of its text, and of those that were left to it."""
        counts = line_counts(self.scanner)
        reasons = Counter(counts.reasons) + self._others
        aside = counts.set_aside + sum(self._others.values())
        return LineCounts(counts.understood, aside, counts.unknown, dict(reasons))

    @property
    def amount(self) -> int:
        """Operations and changes without a result."""
        return self.rows + len(self._unanswered)

    @property
    def _evidence(self) -> int:
        """The same, and without any what else is of use: requests, and what slapd says of them."""
        notices = self.scanner.notices
        said = 0 if notices is None else len(notices.terms) + len(notices.deferrals)
        return self.amount or self.scanner.open_operations + said

    def take_lines(self, other: AccessLogImport) -> None:
        """Count the lines of a host that logs nothing of a directory server."""
        counts = other.lines
        self._others[_OTHERS] += counts.understood + counts.set_aside + counts.unknown

    def take_skipped(self, lines: int) -> None:
        """Count lines of a wrapper that hold no line of the log."""
        self._others += Counter({_WRAPPER: lines})

    def take_repeated(self, lines: int) -> None:
        """Count lines that lie in two files."""
        self._others += Counter({_REPEATED: lines})

    def window(
        self, name: str, start_ns: int | None, end_ns: int | None, *, cancelled: bool = False
    ) -> Window:
        """The window over its operations, or over the time that was asked for."""
        remark = NOTHING if self.rows else self._without_operations()
        return Window(
            self.window_id,
            name,
            start_ns if start_ns is not None else self._first_ns,
            end_ns if end_ns is not None else self._last_ns + 1,
            cancelled=cancelled,
            remark=remark,
        )

    def source(self, name: str, broken: Sequence[Message]) -> Source:
        """What was read, how complete, and what must be said of it."""
        logs, scanner = self._logs, self.scanner
        undated = scanner.undated
        # Who says what a log is wants to know first of all what it looks like.
        lost = self._losses.lost
        flaws = [*broken, *(doubts(logs) if not self.amount else []), *why_lost(lost)]
        if not self.rows:
            flaws += self._why_no_operation()
        state, why = completeness(self._evidence, self.lines, flaws=flaws, undated=undated)
        details = {
            "files": [file.path.name for file in logs.files],
            "title": logs.detection.title,
            "reason": logs.detection.reason,
            "bytes": scanner.bytes_read,
            **scan_details(scanner, lost),
            "rotated_ns": self._rotated_ns,
            "notes": [*wrapper_notes(logs), *doubts(logs), *notes_of(scanner)],
        }
        if undated:
            details["undated"] = True
        if self._unanswered:
            details["unanswered"] = self._unanswered
        if self._version:
            details["version"] = self._version
        return Source(
            self.source_id,
            self.window_id,
            SourceKind.ACCESS_LOG,
            name,
            state,
            why=why,
            lines=self.lines,
            samples=self.rows,
            dialect=scanner.dialect.name,
            resolution_ns=scanner.resolution_ns,
            details=details,
        )

    def _why_no_operation(self) -> list[Message]:
        """What would make a log without one operation useful."""
        if self.scanner.open_operations and not self.scanner.unread_results:
            return [_NO_RESULT]
        # Lines of slapd that are about no operation: its statistics are off.
        if self.scanner.notices is not None and self.scanner.other_lines:
            return [_NO_STATISTICS]
        return []

    def _keep(self, text: bytes, operations: Operations) -> None:
        self._losses.add(text, operations)
        self._writer.add_operations(self.source_id, operations)
        self._preview.add(operations)
        if self.totals is not None:
            self.totals.add(operations)
        if not len(operations):
            return
        first, last = int(operations.start_ns.min()), int(operations.end_ns.max())
        self._first_ns = min(self._first_ns, first) if self.rows else first
        self._last_ns = max(self._last_ns, last) if self.rows else last
        self.rows += len(operations)

    def _without_operations(self) -> Message:
        """Set the span of a log without one operation by its lines; returns what to say of it."""
        first, last = self.scanner.first_time_ns, self.scanner.last_time_ns
        if first is None or last is None:
            self._first_ns = self._last_ns = self._logs.files[-1].path.stat().st_mtime_ns
            return Message("No operation and no time in this log; the time is that of the file.")
        self._first_ns, self._last_ns = min(first, last), max(first, last)
        return Message("No operation with a latency in this log.")


def doubts(logs: LogSet) -> list[Message]:
    """What the text looks like where somebody said it is something else."""
    return list(dict.fromkeys(f.detection.doubt for f in logs.files if f.detection.doubt))


def wrapper_notes(logs: LogSet) -> list[Message]:
    """What was taken off the lines before they were read."""
    wrappers = dict.fromkeys(f.wrapper for f in logs.files if f.wrapper)
    return [Message("Taken off its lines: {wrapper}.", wrapper=wrapper) for wrapper in wrappers]


UNKNOWN_LIMIT = 10
"""One unknown line in so many may be: notes between the lines, a cut first or last line."""


def completeness(
    amount: int, lines: LineCounts, *, flaws: Sequence[Message] = (), undated: bool = False
) -> tuple[SourceState, Message]:
    """(state, why it is not complete) of a source that gave so many operations or readings.

    `flaws`: what broke off or is missing, in sentences; `undated`: its lines show no time.
    """
    why = list(flaws)
    if undated:
        why.append(UNDATED)
    if mostly_unknown(lines):
        why.append(_unknown(lines))
    if not amount:
        return SourceState.MISSING, sentences(*why, _nothing(lines) if not why else NOTHING)
    return SourceState.PARTIAL if why else SourceState.COMPLETE, sentences(*why)


UNDATED = Message(
    "Its lines show no time that can be read: the tails are exact, but there is no timeline, and "
    "operations cannot be matched with other files. Export the journal with -o short-iso-precise, "
    "or import the log file of the server itself."
)


def mostly_unknown(lines: LineCounts) -> bool:
    """Whether too much of a log was not understood to call it complete."""
    total = lines.understood + lines.set_aside + lines.unknown
    return lines.unknown * UNKNOWN_LIMIT > total


def _unknown(lines: LineCounts) -> Message:
    total = lines.understood + lines.set_aside + lines.unknown
    return count_of(
        "{n} of {total} lines is unknown.",
        "{n} of {total} lines are unknown.",
        n=lines.unknown,
        total=total,
    )


def _nothing(lines: LineCounts) -> Message:
    return count_of(
        "Nothing could be taken from its {n} line.",
        "Nothing could be taken from its {n} lines.",
        n=lines.understood + lines.set_aside + lines.unknown,
    )
