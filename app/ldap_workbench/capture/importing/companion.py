"""What one set of files beside an access log gave, and the text of those files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ldap_workbench.logs.reading.files import Budget, LogFile, LogSet
from ldap_workbench.logs.reading.time_limit import TimeLimit, until_stopped
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
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
