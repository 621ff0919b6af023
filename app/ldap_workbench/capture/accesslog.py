"""The access log of a window: followed, scanned and kept while it is written."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.follow import LogFollower
from ldap_workbench.capture.scanned import seen_by, taken_for
from ldap_workbench.logs.detect import Detection, as_said, detect
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.errors389 import ErrorLogReader
from ldap_workbench.logs.notices import counted, told
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.operations import Operations, client_operations
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Source, SourceState
from ldap_workbench.servers.product import product_of
from ldap_workbench.session import SessionWriter

_LOOK = 64 << 10
_WRITES = {"openldap": "openldap", "389ds": "389"}


def told_by_lines(follower: LogFollower, facts: TargetFacts) -> Detection:
    """What a log is written in now, by its last lines; without them what the product writes.

    The format of 389 DS may be changed while it runs, so it is looked at before every window.
    """
    found = detect(follower.last(_LOOK), "last")
    if found.dialect in DIALECTS:
        return found
    reason = f"{found.reason} It is what {facts.product} writes."
    return replace(as_said(_WRITES[product_of(facts)], found), reason=reason, doubt="")


class AccessLogCapture:
    """Follows one access log into the session until a sentinel has been seen in it.

    The server buffers its log, so the window's last operations arrive late: `expect(nonce)` says
    which text marks the end. `run` returns the finished source.
    """

    def __init__(
        self,
        follower: LogFollower,
        scanner: Scanner,
        detection: Detection,
        writer: SessionWriter,
        source: Source,
        on_operations: Callable[[int, int, int], None],
        poll_s: float,
    ) -> None:
        self._follower = follower
        self._scanner = scanner
        self._detection = detection
        self._writer = writer
        self._source = source
        self._on_operations = on_operations
        self._poll_s = poll_s
        self._sentinel: bytes | None = None
        self._tail = b""
        self.sentinel_seen = Cancel()
        self._operations = 0

    def expect(self, nonce: bytes) -> None:
        """The log is complete once this text is in it."""
        self._sentinel = nonce

    def run(self, stop: Cancel) -> Source:
        """Read until stopped; the last read comes after the stop."""
        last = False
        while True:
            began = time.monotonic()
            self._take(self._follower.read())
            if last or self.sentinel_seen:
                break
            last = stop.wait(max(0.05, self._poll_s - (time.monotonic() - began)))
        self._keep(self._scanner.finish())
        self._writer.mark_own(self._source.id, self._scanner.own_connections)
        return self._finished()

    def _take(self, data: bytes) -> None:
        self._writer.add_raw(self._source.id, data)
        operations = self._scanner.feed(data)
        self._keep(operations)
        worst = operations.etime_ns[client_operations(operations)]
        self._on_operations(len(worst), int(worst.max(initial=0)), len(data))
        if self._sentinel is not None and self._sentinel in self._tail + data:
            self.sentinel_seen.set()
        self._tail = (self._tail + data)[-4096:]

    def _keep(self, operations: Operations) -> None:
        self._operations += len(operations)
        self._writer.add_operations(self._source.id, operations)

    def _finished(self) -> Source:
        scanner, follower = self._scanner, self._follower
        state, why = SourceState.COMPLETE, ""
        if not self.sentinel_seen:
            state, why = SourceState.PARTIAL, "the end of the window is not in the log"
        if follower.gaps:
            state, why = SourceState.PARTIAL, "a rotated file was gone before it could be read"
        return replace(
            self._source,
            state=state,
            why=why,
            lines=scanner.counts,
            samples=self._operations,
            dialect=scanner.dialect.name,
            resolution_ns=scanner.resolution_ns,
            details={
                "bytes": follower.bytes_read,
                "rotations": follower.rotations,
                "gaps": follower.gaps,
                **seen_by(scanner),
                "own_connections": len(scanner.own_connections),
                **taken_for(self._detection, scanner),
            },
        )


def follow_raw(
    follower: LogFollower,
    writer: SessionWriter,
    source: Source,
    stop: Cancel,
    poll_s: float,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Source:
    """Keep what is appended to an error log as it is, until stopped. Returns the finished source.

    `on_bytes` is told how much each look has found.
    """
    reader = ErrorLogReader()
    notices: Counter[str] = Counter()
    lines = 0
    last = False
    while True:
        data = follower.read()
        lines += data.count(b"\n")
        writer.add_raw(source.id, data)
        notices += counted(reader.feed(data))
        on_bytes(len(data))
        if last:
            break
        last = stop.wait(poll_s)
    notices += counted(reader.finish())
    state = SourceState.PARTIAL if follower.gaps else SourceState.COMPLETE
    details = {
        "bytes": follower.bytes_read,
        "rotations": follower.rotations,
        "notices": dict(notices),
        "notes": told(notices),
    }
    return replace(source, state=state, samples=lines, lines=reader.counts, details=details)
