"""`Source.details` of a file: each key that somebody reads has the shape it is written in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldap_workbench.model.message import Message
from ldap_workbench.model.window import STRANGER, Source, SourceKind
from ldap_workbench.session.codec import check_value


@dataclass(frozen=True)
class _Held:
    thread: str
    call: str
    dumps: int
    seconds: float | None = None


@dataclass(frozen=True)
class _Dump:
    time_ns: int | None
    threads: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Histogram:
    name: str
    unit: str
    low: tuple[float | None, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class _Referred:
    dn: str
    entries: int


@dataclass(frozen=True)
class _Entry:
    dn: str
    attributes: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class _Issue:
    code: str
    severity: str
    text: str


@dataclass(frozen=True)
class _NotIndexed:
    attribute: str
    kind: str
    lines: int


@dataclass(frozen=True)
class _Deferred:
    conn: int
    client: str
    n: int
    reasons: dict[str, int]
    first_ns: int | None
    last_ns: int | None


@dataclass(frozen=True)
class _OfClient:
    client: str
    n: int


@dataclass(frozen=True)
class _Line:
    time_ns: int | None
    text: str


@dataclass(frozen=True)
class _Messages:
    kind: str
    n: int
    first_ns: int | None
    last_ns: int | None
    clients: tuple[_OfClient, ...]
    lines: tuple[_Line, ...]


_COUNT = int | None
_SHAPES: dict[str, Any] = {
    "open_operations": _COUNT,
    "orphan_results": _COUNT,
    "lost_lines": _COUNT,
    "lost_requests": _COUNT,
    "lost_operations": _COUNT,
    "lost_connections": _COUNT,
    "restarts": _COUNT,
    "clock_steps_back": _COUNT,
    "left_open": tuple[int, ...],
    "no_answer": tuple[tuple[int, ...], ...],
    "no_worker_s": _COUNT,
    "slowest_answer_ns": _COUNT,
    "clock_step": dict[str, Any] | None,
    "latencies_between_lines": _COUNT,
    "censored_below_ns": _COUNT,
    STRANGER: Message,
    "title": Message,
    "reason": Message,
    "notes": tuple[Message, ...],
    "held": tuple[_Held, ...],
    "histograms": tuple[_Histogram, ...],
    "settings": dict[str, Any],
    "referred": tuple[_Referred, ...],
    "configuration": tuple[_Entry, ...],
    "packages": dict[str, str],
    "database_files": dict[str, int],
    "healthcheck": tuple[_Issue, ...],
    "may_be_since_boot": bool,
    "not_indexed": tuple[_NotIndexed, ...],
    "deferred": tuple[_Deferred, ...],
    "messages": tuple[_Messages, ...],
    "open_when_refused": tuple[_OfClient, ...],
    "version": str,
}


def check_details(source: Source) -> None:
    """Raises SessionError for a value of another shape."""
    shapes = _SHAPES | ({"dumps": tuple[_Dump, ...]} if source.kind is SourceKind.STACKS else {})
    for name, value in source.details.items():
        if name in shapes:
            check_value(name, shapes[name], value)
    for histogram in source.details.get("histograms", ()):
        if len(histogram["low"]) != len(histogram["counts"]):
            check_value("counts", tuple[int, ...], None)
