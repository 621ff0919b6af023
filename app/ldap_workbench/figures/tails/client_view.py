"""What a client measured beside what the server logged: elapsed times of JMeter and etimes.

A request of a client and an operation of the server carry no common number. So nothing is paired:
labels have tails of their own, and quantiles are compared by type only where the labels name one
type each and both sides counted as many in the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.inference.counts.tails import tails_of
from ldap_workbench.logs.client.jtl import PREFIX
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import is_type
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Sampled, Session

RESOLUTION_NS = 1_000_000
"""JMeter counts in whole milliseconds."""
_TOLERANCE = 0.01
_WORDS = {
    "search": "SRCH", "srch": "SRCH", "bind": "BIND", "modify": "MOD", "mod": "MOD", "add": "ADD",
    "delete": "DEL", "del": "DEL", "rename": "MODRDN", "modrdn": "MODRDN", "moddn": "MODRDN",
    "compare": "CMP", "cmp": "CMP",
}  # fmt: skip


@dataclass(frozen=True)
class ClientRow:
    """Elapsed times of the requests of one label; `type` is '' where its words name none or two.

    `connect` is what requests that connected took for that; None where none did.
    """

    label: str
    type: str
    failed: int
    elapsed: Tail
    connect: Tail | None = None


@dataclass(frozen=True)
class TypeGap:
    """One operation type on both sides, in the time in which the client sent."""

    client: Tail
    server: Tail

    @property
    def comparable(self) -> bool:
        """Whether both counted as many, within 1 %: else others were at work, or lines miss."""
        return abs(self.client.n - self.server.n) <= _TOLERANCE * self.client.n

    @property
    def sentence(self) -> Message:
        """What lies between the two, or why that is not known."""
        if not self.comparable:
            return Message(
                "{type}: not compared with the server: the client sent {sent}, the server logged "
                "{logged} in that time.",
                type=self.client.type,
                sent=self.client.n,
                logged=self.server.n,
            )
        return Message(
            "{type}: p50 {client50:duration} at the client and {server50:duration} at the server, "
            "p99 {client99:duration} and {server99:duration}. Between them are network, "
            "accept and the client itself.",
            type=self.client.type,
            client50=self.client.p50_ns,
            server50=self.server.p50_ns,
            client99=self.client.p99_ns,
            server99=self.server.p99_ns,
        )


@dataclass(frozen=True)
class ClientView:
    """What the client saw in a window, by label, and beside the server by type."""

    window: Window
    rows: tuple[ClientRow, ...]
    gaps: tuple[TypeGap, ...]


_QUANTILES = ("p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
_HEADINGS = (
    Message("Window"),
    Message("Requests"),
    Message("Measured"),
    Message("Count"),
    Message("Failed"),
    Message("Mean"),
    *(verbatim(name) for name in ("p50", "p90", "p95", "p99", "p99.9")),
    Message("Longest"),
)
CAVEAT = Message(
    "The client counts in whole milliseconds and by its own clock. The difference of the means is "
    "the time that network, accept and the client itself took; a difference of quantiles only "
    "suggests it, because no request is paired with an operation."
)


def client_numbers(views: Sequence[ClientView]) -> Numbers | None:
    """Labels with their times, then types with those of both sides and the difference.

    None where no client has measured.
    """
    if not views:
        return None
    rows: list[Row] = []
    for view in views:
        for row in view.rows:
            rows.append(_cells(view, row.label, CLIENT, row.elapsed, formats.amount(row.failed)))
            if row.connect:
                rows.append(_cells(view, row.label, _CONNECT, row.connect))
        for gap in view.gaps:
            rows += _gap_rows(view, gap)
    return Numbers(_HEADINGS, tuple(rows))


CLIENT, _SERVER, _CONNECT = (
    Message("by the client"),
    Message("by the server"),
    Message("to connect"),
)
_BETWEEN = Message("difference")


def _gap_rows(view: ClientView, gap: TypeGap) -> list[Row]:
    kind = gap.client.type
    sides = [
        _cells(view, kind, CLIENT, gap.client),
        _cells(view, kind, _SERVER, gap.server),
    ]
    if not gap.comparable:
        blank = (formats.NOT_KNOWN,) * (len(_QUANTILES) + 3)
        return [*sides, (view.window.name, kind, Message("counts differ: not compared"), *blank)]
    client, server = (_times(tail) for tail in (gap.client, gap.server))
    between = [
        formats.NOT_KNOWN if a is None or b is None else formats.amount(a - b, "duration")
        for a, b in zip(client, server, strict=True)
    ]
    return [*sides, (view.window.name, kind, _BETWEEN, *(formats.NOT_KNOWN,) * 2, *between)]


def _times(tail: Tail) -> list[int | None]:
    mean = round(tail.sum_ns / tail.n) if tail.n else None
    return [mean, *(getattr(tail, name) for name in _QUANTILES)]


def _cells(
    view: ClientView, of: str, side: Message, tail: Tail, failed: Message = formats.NOT_KNOWN
) -> Row:
    mean, *quantiles = _times(tail)
    shown = (formats.etime(ns, tail.resolution_ns) for ns in quantiles)
    mean_shown = formats.amount(mean, "duration")
    return (view.window.name, of, side, formats.amount(tail.n), failed, mean_shown, *shown)


def client_views(session: Session, windows: Iterable[Window]) -> list[ClientView]:
    """Of each window that has a client's log."""
    views = (client_view(session, window) for window in windows)
    return [view for view in views if view is not None]


def client_view(session: Session, window: Window) -> ClientView | None:
    """None where no client's log was imported with the window."""
    names = [name for name in session.series_names(window) if name.startswith(PREFIX)]
    series = session.every_sample(window, names)
    labels = [n.removesuffix(":elapsed") for n in names if n.endswith(":elapsed")]
    elapsed = {label: _within(series[f"{label}:elapsed"], window) for label in labels}
    elapsed = {label: sampled for label, sampled in elapsed.items() if len(sampled[0])}
    if not elapsed:
        return None
    rows = tuple(_row(label, elapsed[label], series, window) for label in elapsed)
    return ClientView(window, rows, tuple(_gaps(session, window, elapsed)))


def type_of(label: str) -> str:
    """SRCH of 'Search by uid'; '' where no word is a type, or two are: 'bind/unbind'."""
    words = re.findall(r"[a-z]+", label.lower())
    types = {_WORDS[word] for word in words if word in _WORDS}
    return types.pop() if len(types) == 1 and "unbind" not in words else ""


def _within(sampled: Sampled, window: Window) -> Sampled:
    times, values = sampled
    inside = (times >= window.start_ns) & (times < window.end_ns)
    return times[inside], values[inside]


def _row(label: str, elapsed: Sampled, series: dict[str, Sampled], window: Window) -> ClientRow:
    name = label.removeprefix(PREFIX)
    failed = series.get(f"{label}:failed")
    count = len(_within(failed, window)[0]) if failed else 0
    took = _tail(_ns(elapsed[1]), name, window)
    return ClientRow(name, type_of(name), count, took, _connect(label, series, window))


def _connect(label: str, series: dict[str, Sampled], window: Window) -> Tail | None:
    sampled = series.get(f"{label}:connect")
    values = _within(sampled, window)[1] if sampled else ()
    return _tail(_ns(np.asarray(values)), label, window) if len(values) else None


def _ns(milliseconds: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.sort((milliseconds * 1e6).astype(np.int64))


def _tail(ascending: NDArray[np.int64], kind: str, window: Window, step_ns: int = 0) -> Tail:
    resolution = step_ns or RESOLUTION_NS
    (tail,) = tails_of({kind: ascending}, window=window.name, resolution_ns=resolution)
    return tail


def _gaps(session: Session, window: Window, elapsed: dict[str, Sampled]) -> list[TypeGap]:
    by_type: dict[str, list[Sampled]] = {}
    for label, sampled in elapsed.items():
        if kind := type_of(label.removeprefix(PREFIX)):
            by_type.setdefault(kind, []).append(sampled)
    if not by_type:
        return []
    operations = session.latencies(window)
    resolution = {s.id: s.resolution_ns for s in session.sources(window.id)}
    step_ns = resolution.get(session.operation_source(window) or -1, 1)
    gaps = []
    for kind, labels in by_type.items():
        client = _ns(np.concatenate([values for _, values in labels]))
        first = min(int(times[0]) for times, _ in labels)
        last = max(int(times[-1]) for times, _ in labels) + RESOLUTION_NS
        start_ns = operations.end_ns - operations.etime_ns
        ours = is_type(operations, kind) & (start_ns >= first) & (start_ns < last)
        server = np.sort(operations.etime_ns[ours])
        if len(server):
            tail = _tail(server, kind, window, step_ns)
            gaps.append(TypeGap(_tail(client, kind, window), tail))
    return gaps
