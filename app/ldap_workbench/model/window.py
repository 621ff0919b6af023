"""One measurement window and the sources sampled in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.units import NS_PER_S

Span = tuple[int, int]
"""From and to, in ns on the server's clock."""


class SourceKind(StrEnum):
    """What is sampled in a window."""

    MONITOR = "monitor"
    ACCESS_LOG = "access log"
    ERROR_LOG = "error log"
    AUDIT_LOG = "audit log"
    IOSTAT = "iostat"
    VMSTAT = "vmstat"
    HOST = "host"
    """Pressure, limits and threads of the server's process, from its kernel."""
    STACKS = "stacks"
    HISTOGRAM = "histogram"
    CONFIG = "config"
    REPLICATION = "replication"
    """How far the server was behind the others that were measured beside it."""
    CLIENT = "client"
    """What a load generator measured of its own requests: elapsed times, not etimes."""
    SUMMARY = "summary"
    """What another tool counted in an access log."""

    @property
    def label(self) -> Message:
        """As a person reads it."""
        return _TITLES[self]


_TITLES = {
    SourceKind.MONITOR: Message("monitor"),
    SourceKind.ACCESS_LOG: Message("access log"),
    SourceKind.ERROR_LOG: Message("error log"),
    SourceKind.AUDIT_LOG: Message("audit log"),
    SourceKind.IOSTAT: Message("iostat"),
    SourceKind.VMSTAT: Message("vmstat"),
    SourceKind.HOST: Message("host"),
    SourceKind.STACKS: Message("stacks"),
    SourceKind.HISTOGRAM: Message("histogram"),
    SourceKind.CONFIG: Message("config"),
    SourceKind.REPLICATION: Message("replication"),
    SourceKind.CLIENT: Message("client"),
    SourceKind.SUMMARY: Message("summary"),
}


class SourceState(StrEnum):
    """How complete a source is for its window."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    MISSING = "missing"
    """Never gave anything: not installed, not permitted, not there."""
    FAILED = "failed"
    """Gave something, then broke."""

    @property
    def label(self) -> Message:
        """As a person reads it."""
        return _STATES[self]


_STATES = {
    SourceState.COMPLETE: Message("complete"),
    SourceState.PARTIAL: Message("partial"),
    SourceState.MISSING: Message("missing"),
    SourceState.FAILED: Message("failed"),
}


@dataclass(frozen=True)
class LineCounts:
    """Every line of a log is exactly one of these."""

    understood: int = 0
    set_aside: int = 0
    unknown: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    """Why lines or values were set aside, and how many each."""


class UnusedConnections(NamedTuple):
    """Connections of a client without an operation that were opened within one minute."""

    client: str
    minute_ns: int
    connections: int
    is_open: bool
    """Whether the log does not show them closed."""


@dataclass(frozen=True)
class Source:
    """One thing sampled in a window. `id` is unique in a session; `why` explains the state."""

    id: int
    window: int
    kind: SourceKind
    name: str
    state: SourceState
    why: Message = NOTHING
    lines: LineCounts = field(default_factory=LineCounts)
    samples: int = 0
    dialect: str = ""
    resolution_ns: int = 1
    """The finest step its latencies can show: 1, 1_000_000 or 1_000_000_000 ns."""
    details: dict[str, Any] = field(default_factory=dict)
    """open_operations, orphan_results, bytes, rotations, clock_steps_back, ..."""

    @property
    def outages(self) -> list[tuple[int, int]]:
        """Time ranges, ns, in which the server that it samples did not answer."""
        spans = [span for span in self.details.get("no_answer", ()) if len(span) == 2]
        return [(start, end) for start, end in spans if end - start >= _OUTAGE_NS]


STRANGER = "changed_host_key"
"""In the details of a source: what happened when its host showed another SSH key."""


@dataclass(frozen=True)
class Window:
    """One measurement window [start, end) in server time.

    `arm` is "A" (as it was), "B" (with the treatment) or "" outside experiments; `pair` counts
    pairs from 0, -1 outside. An operation belongs to the window in which it *starts*.
    """

    id: int
    name: str
    start_ns: int
    end_ns: int
    arm: str = ""
    pair: int = -1
    cancelled: bool = False
    note: str = ""
    """What the operator noted on it."""
    remark: Message = NOTHING
    """What the workbench has to say of it: how its times were found, why it is in no arm."""

    @property
    def notes(self) -> Message:
        """Everything noted on it."""
        return sentences(self.remark, verbatim(self.note))

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) / NS_PER_S


MARK = "mark"
"""The kind of a mark that the operator made."""
NO_ANSWER = "no answer"
"""The kind of a mark where the server ceased to answer."""
_OUTAGE_NS = 3 * NS_PER_S
"""A server that has not answered for so long is out of service: a link alone is back sooner."""
_MARKS = {
    MARK: Message("mark"),
    "applied": Message("applied"),
    "reverted": Message("reverted"),
    "kept": Message("kept"),
    "proof": Message("proof"),
    "look": Message("interim analysis"),
    "page cache": Message("page cache"),
    "pair repeated": Message("pair repeated"),
    "restart": Message("restart"),
    NO_ANSWER: Message("no answer"),
    "foreign change": Message("change by another administrator"),
}


def by_arm(windows: Iterable[Window]) -> tuple[list[Window], list[Window]]:
    """Those of arm A and those of arm B, in their order."""
    listed = list(windows)
    return [w for w in listed if w.arm == "A"], [w for w in listed if w.arm == "B"]


def mark_label(kind: str) -> Message:
    """A kind of mark as a person reads it; one of another version as it is."""
    return _MARKS.get(kind) or verbatim(kind)


@dataclass(frozen=True)
class Mark:
    """A moment worth remembering: the operator's mark, a change applied, a restart."""

    time_ns: int
    kind: str
    text: Message
    window: int | None = None


@dataclass(frozen=True)
class Sample:
    """One value of one counter or gauge at one time (monitor, iostat, vmstat)."""

    time_ns: int
    series: str
    """For example 'cn=monitor:opscompleted', 'iostat:vda:util'."""
    value: float


@dataclass(frozen=True)
class LiveBatch:
    """What came in since the last batch; for strips on a screen, complete or not."""

    time_ns: int
    samples: tuple[Sample, ...] = ()
    operations: int = 0
    """Client operations finished in this batch, as far as the log shows them yet."""
    worst_ns: int = 0
    bytes_read: int = 0
    source: SourceKind | None = None
    """Which source it came from."""
    state: SourceState | None = None
    """How that source ended; None while it is at work."""
    why: Message = NOTHING
    """What explains the state."""
    note: Message | None = None
    """What to know of a source at work: its link is cut, or slower than the log; NOTHING when that
    is over, None where nothing has changed."""
