"""The access log of a window: followed, scanned and kept while it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from ldap_workbench.capture.link import Either, cuts_of
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.log_clock import ClockStep, LogClock
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.capture.live.numbering import Missing, Numbering
from ldap_workbench.capture.live.source import why_of
from ldap_workbench.capture.losses import Losses, why_lost
from ldap_workbench.capture.scanned import (
    detection_details,
    line_counts,
    open_operations,
    scan_details,
)
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import Detection, detect, with_chosen_dialect
from ldap_workbench.logs.server.errors389 import ErrorLogReader, counted, describe_notices
from ldap_workbench.model.errors import CancelledError, CommandError, ConnectError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.operations import ABSENT, Operations, client_operations
from ldap_workbench.model.passwords import ProcessLines
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Source, SourceState
from ldap_workbench.servers.product import product_of
from ldap_workbench.session.writer import SessionWriter

LOOK = 64 << 10
"""Bytes before the window; they tell the log's dialect, and the numbers that it has reached."""
_CANCELLED = Message("cancelled")
_GONE = Message("a rotated file was gone before it could be read")
_WRITES = {"openldap": "openldap", "389ds": "389", "opendj": "opendj", "unboundid": "unboundid"}


def detect_current_format(text: bytes, facts: TargetFacts) -> Detection:
    """What a log is written in now, by its last lines; without them what the product writes.

    The format of 389 DS may be changed while it runs, so it is looked at before every window.
    """
    detection = detect(text, "last")
    if detection.dialect in DIALECTS:
        return detection
    writes = Message("It is what {product} writes.", product=facts.product)
    reason = sentences(detection.reason, writes)
    return replace(
        with_chosen_dialect(_WRITES[product_of(facts)], detection), reason=reason, doubt=NOTHING
    )


class AccessLogCapture:
    """Follows one access log into the session until a sentinel has been seen in it.

    The server buffers its log, so the window's last operations arrive late: `expect` says which
    text marks the end of the reading. `before` are the lines where it began. `clock` knows when
    our own searches were asked. `run` returns the finished source, whole or not.
    """

    def __init__(
        self,
        follower: LogFollower | CommandFollower,
        scanner: Scanner,
        detection: Detection,
        writer: SessionWriter,
        source: Source,
        on_operations: Callable[[int, int, int], None],
        before: bytes = b"",
        clock: LogClock | None = None,
    ) -> None:
        self.follower = follower
        self._clock = clock or LogClock()
        self._scanner = scanner
        self._detection = detection
        self._writer = writer
        self._source = source
        self._on_operations = on_operations
        self._sentinel: bytes | None = None
        self._end_ns: int | None = None
        self._tail = b""
        self.sentinel_seen = Cancel()
        self._server_lost = False
        self._operations = 0
        self._own_work_ns = 0
        self._numbering = Numbering()
        self._numbering.add(Scanner(scanner.dialect.name).feed(before))
        self._losses = Losses(scanner)
        self._texts = 0
        self._rotated_ns: list[int] = []

    def expect(self, nonce: bytes, end_ns: int) -> None:
        """The log is complete once this text is in it; the window ended at `end_ns`, before."""
        self._sentinel, self._end_ns = nonce, end_ns

    def lost_server(self) -> None:
        """The server did not answer at the end of the window, so its log shows no end of it."""
        self._server_lost = True

    @property
    def last_ns(self) -> int | None:
        """The time of the last line that has come."""
        return self._scanner.last_time_ns

    def run(self, stop: Cancel) -> Source:
        """Read until the sentinel is seen.

        Stopped before, what is there by then, and no more where it was cancelled.
        """
        broken = NOTHING
        try:
            self.follower.follow(self._take, Either(stop, self.sentinel_seen))
            if not self.sentinel_seen and not self.follower.link.cancel:
                self.follower.read_on(self._take)
        except (ConnectError, CommandError) as error:
            broken = _CANCELLED if self.follower.link.cancel else why_of(error)
        except CancelledError:  # in the middle of a listing: what has come is kept
            broken = _CANCELLED
        if not self.sentinel_seen:  # behind it, a last line that is not whole is being written
            self._keep(b"", self._scanner.finish())
        self._numbering.close()
        self._losses.close()
        self._writer.mark_own(self._source.id, self._scanner.own_connections)
        return self._finished(broken)

    def _take(self, data: bytes) -> None:
        if self.follower.rotations != self._texts:
            self._texts = self.follower.rotations
            self._numbering.seam()
            if self._scanner.last_time_ns is not None:
                self._rotated_ns.append(self._scanner.last_time_ns)
        self._writer.add_raw(self._source.id, data)
        operations = self._scanner.feed(data)
        self._keep(data, operations)
        worst = operations.etime_ns[client_operations(operations)]
        self._on_operations(len(worst), int(worst.max(initial=0)), len(data))
        text = self._tail + data
        # Its line whole: a link that breaks within it would leave half a line at the end.
        if self._sentinel is not None and b"\n" in text.partition(self._sentinel)[2]:
            self.sentinel_seen.set()
        self._tail = text[-4096:]

    def _keep(self, text: bytes, operations: Operations) -> None:
        self._losses.add(text, operations)
        self._operations += len(operations)
        self._own_work_ns += _work_ns(operations)
        self._numbering.add(operations)
        self._clock.add(operations)
        self._writer.add_operations(self._source.id, operations)

    def _open_operations(self) -> int:
        """Those without a result that began before the window's end; later ones are not its own."""
        if self._end_ns is None:
            return open_operations(self._scanner)
        clients = (request for request in self._scanner.open_requests() if not request.own)
        return sum(request.start_ns < self._end_ns for request in clients)

    def _why(self, broken: Message, step: ClockStep | None) -> Message:
        """Why the log is not whole; nothing where it is."""
        missing = self._numbering.missing
        if missing:
            return _gone_with(missing)
        if self.follower.gaps:
            return _GONE
        if self._numbering.repeated:
            return Message(
                "a rotated file was read twice: at least {operations} operations are there twice",
                operations=self._numbering.repeated,
            )
        if broken:
            return broken
        if self.follower.link.cancel and not self.sentinel_seen:
            return _CANCELLED
        if step:
            return step.why
        if self.sentinel_seen:
            return sentences(*why_lost(self._losses.lost))
        if self._server_lost:
            return Message(
                "the end of the window is not in the log, for the server did not answer then"
            )
        return Message("the end of the window is not in the log")

    def _finished(self, broken: Message) -> Source:
        scanner, follower = self._scanner, self.follower
        step = self._clock.step(scanner.open_requests())
        why = self._why(broken, step)
        return replace(
            self._source,
            state=SourceState.PARTIAL if why else SourceState.COMPLETE,
            why=why,
            lines=line_counts(scanner),
            samples=self._operations,
            dialect=scanner.dialect.name,
            resolution_ns=scanner.resolution_ns,
            details={
                **followed(follower),
                "cut_off": bool(broken),
                "gaps": max(follower.gaps, len(self._numbering.missing)),
                "missing": [asdict(gap) for gap in self._numbering.missing],
                "repeated": self._numbering.repeated,
                "clock_step": asdict(step) if step else None,
                "own_work_ns": self._own_work_ns,
                **scan_details(scanner, self._losses.lost),
                "rotated_ns": self._rotated_ns,
                "open_operations": self._open_operations(),
                "own_connections": len(scanner.own_connections),
                **detection_details(self._detection, scanner),
            },
        )


def _gone_with(missing: list[Missing]) -> Message:
    """The files that were gone, and what their numbers tell of them."""
    return Message(
        "a rotated file was gone before it could be read: at least {operations} operations between "
        "{start:time} and {end:time} are missing",
        operations=sum(gap.operations for gap in missing),
        start=missing[0].start_ns,
        end=missing[-1].end_ns,
    )


def _work_ns(operations: Operations) -> int:
    """How long the server worked at our own operations: the optime, else the etime."""
    optime, etime = operations.optime_ns[operations.own], operations.etime_ns[operations.own]
    return int(np.where(optime == ABSENT, etime, optime).sum())


def followed(follower: LogFollower | CommandFollower) -> dict[str, Any]:
    """The details of a source that was followed."""
    return {
        "bytes": follower.bytes_read,
        "bytes_on_the_wire": follower.link.wire_bytes,
        "packed_with": follower.packer,
        "rotations": follower.rotations,
        "gaps": follower.gaps,
        **cuts_of(follower.link),
    }


def follow_raw(
    follower: LogFollower,
    writer: SessionWriter,
    source: Source,
    stop: Cancel,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Source:
    """Keep what is appended to an error log, until stopped, without passwords of command lines.

    Returns the finished source.

    `on_bytes` is told how much each look has found.
    """
    reader = ErrorLogReader()
    notices: Counter[str] = Counter()
    lines = 0
    why = NOTHING
    keep = ProcessLines(partial(writer.add_raw, source.id))

    def take(data: bytes) -> None:
        nonlocal lines, notices
        lines += data.count(b"\n")
        keep(data)
        notices += counted(reader.feed(data))
        on_bytes(len(data))

    try:
        follower.follow(take, stop)
        if not follower.link.cancel:
            follower.read_on(take)
    except (ConnectError, CommandError) as error:
        why = why_of(error)
    except CancelledError:
        why = _CANCELLED
    keep.finish()
    notices += counted(reader.finish())
    if follower.gaps:
        why = _GONE
    return replace(
        source,
        state=SourceState.PARTIAL if why else SourceState.COMPLETE,
        why=why,
        samples=lines,
        lines=reader.counts,
        details={
            **followed(follower),
            "notices": dict(notices),
            "notes": describe_notices(notices),
        },
    )
