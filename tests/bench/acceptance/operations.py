"""Experiments operation by operation, with a known truth: who asks, who waits, who gives up.

Unlike windows of counts, operations show what the loop of clients does to a percentile: a client
that waits for each answer asks less often the slower it is served.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.requests import columns_of, count_requests
from ldap_workbench.inference.counts.strata import choose_strata
from ldap_workbench.inference.counts.windows import WindowCounts, windows_from_cubes
from ldap_workbench.model.kind import OperationKind, PrimaryMetric
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations

Float = NDArray[np.float64]

NS = 1_000_000_000
EPOCH_NS = 1_795_161_600 * NS
FOREVER = math.inf


@dataclass(frozen=True)
class Stream:
    """Clients that ask for one kind of thing.

    rate        requests a second of clients that ask whatever the server does (open), over so
                many `connections` in turn
    clients     clients that wait for each answer and ask again after `think_s` (closed)
    etime_s     median etime, lognormal with `sigma`
    patience_s  after which a client gives up
    filter      shape of its filter; with `filters`, one of so many, as often each
    client      address it asks from
    entries     how many it returns
    """

    kind: str = "SRCH"
    rate: float = 0.0
    connections: int = 40
    clients: int = 0
    think_s: float = 0.0
    etime_s: float = 1e-3
    sigma: float = 0.5
    patience_s: float = FOREVER
    steady: bool = False
    """Whether no change of the server touches it."""
    filter: str = "(uid=?)"
    filters: int = 1
    client: str = "192.0.2.1"
    entries: int = 1

    def slower(self, factor: float) -> Stream:
        return replace(self, etime_s=self.etime_s * factor)


@dataclass(frozen=True)
class Server:
    """How one arm answers.

    factor      of every etime, once the effect is there
    settles_s   time constant with which ln etime moves to where it ends, 0: at once, taken on
                from one window to the next; endless: what another arm left behind stays
    shock       factor of every etime right after the switch to this arm: a cache emptied
    stall_every_s, stall_s   mean time between stalls, and their length: what arrives waits
    hangs, hang_s   share of windows with one such stall more, and its length
    lost        share of windows that are lost
    lost_above  windows whose noise is as many standard deviations above the mean are lost
    load        factor of every rate
    """

    streams: tuple[Stream, ...]
    load: float = 1.0
    factor: float = 1.0
    settles_s: float = 0.0
    shock: float = 1.0
    stall_every_s: float = FOREVER
    stall_s: float = 0.0
    hangs: float = 0.0
    hang_s: float = 0.0
    lost: float = 0.0
    lost_above: float = FOREVER


class Asked(Enum):
    """How a verdict is asked for."""

    AS_PLANNED = auto()
    OF_WHAT_LASTS = auto()
    """The catalogue says that the effect of the knob outlives its revert."""
    LOSSES_UNSAID = auto()
    """As if no window had been lost."""
    AFTERWARDS = auto()
    """Of the metric that moved most, which was not planned."""
    AFTERWARDS_UNSAID = auto()
    """The same as if it had been."""
    OF_WHAT_IS_RARE = auto()
    """*No difference* is right where the verdict says how many stalls remain possible."""


@dataclass(frozen=True)
class Truth:
    """An experiment of which the true effect is known."""

    name: str
    a: Server
    b: Server
    primary: str = "slo"
    pairs: int = 8
    window_s: float = 60.0
    noise: float = 0.03
    """Standard deviation of ln etime between windows."""
    load_sd: float = 0.0
    """Standard deviation of ln load between windows."""
    crowding: float = 0.0
    """Power of the load with which etimes grow."""
    abandons_logged: bool = True
    """Whether the log has a line for each operation that a client gives up; else it is open at the
    end of the window."""
    wait_s: float = 0.0
    """After each change, before its window begins."""
    replicas: int = 0
    """Of a canary, whose blocks `pairs` counts; 0 for pairs on one server."""
    filters_logged: bool = True
    """Whether the log holds the filters of searches."""
    asked: Asked = Asked.AS_PLANNED


@dataclass
class Rows:
    """Operations of a window as they come."""

    window_s: float
    abandons_logged: bool = True
    start: list[Float] = field(default_factory=list)
    etime: list[Float] = field(default_factory=list)
    conn: list[NDArray[np.int64]] = field(default_factory=list)
    connections: int = 0
    kind: list[NDArray[np.uint8]] = field(default_factory=list)
    fingerprint: list[NDArray[np.int32]] = field(default_factory=list)
    client: list[NDArray[np.int32]] = field(default_factory=list)
    entries: list[NDArray[np.int64]] = field(default_factory=list)
    filters: dict[str, int] = field(default_factory=dict)
    clients: dict[str, int] = field(default_factory=dict)

    def add(self, start: Float, etime: Float, stream: Stream) -> None:
        given_up = etime > stream.patience_s
        kind = np.full(len(start), TYPES.index(stream.kind), np.uint8)
        kind[given_up] = TYPES.index("ABANDON")
        if self.abandons_logged:
            etime = np.minimum(etime, stream.patience_s)
        else:
            etime = np.where(given_up, self.window_s - start, etime)
        self.start.append(start)
        self.etime.append(etime)
        self.kind.append(kind)
        pool = stream.connections if stream.rate else 1
        self.conn.append(self.connections + np.arange(len(start)) % pool)
        self.connections += pool
        self._ask(stream, len(start))

    def _ask(self, stream: Stream, n: int) -> None:
        """What the requests say, and what comes of them."""
        shapes = [stream.filter]
        if stream.filters > 1:
            shapes = [f"(&{stream.filter}(a{i}=?))" for i in range(stream.filters)]
        places = [self.filters.setdefault(shape, len(self.filters)) for shape in shapes]
        client = self.clients.setdefault(stream.client, len(self.clients))
        whole = np.tile(np.array(places, np.int32), n // len(places) + 1)
        self.fingerprint.append(whole[:n])
        self.client.append(np.full(n, client, np.int32))
        self.entries.append(np.full(n, stream.entries, np.int64))

    def operations(self, begins_s: float, *, filters: bool = True) -> Operations:
        start, etime = np.concatenate(self.start), np.concatenate(self.etime)
        answered = np.argsort(start + etime, kind="stable")
        start, etime = start[answered], etime[answered]
        columns = {name: np.zeros(len(start), dtype) for name, dtype in COLUMNS.items()}
        columns["etime_ns"][:] = np.maximum(etime * NS, 1)
        columns["end_ns"][:] = EPOCH_NS + (begins_s + start) * NS + columns["etime_ns"]
        columns["kind"][:] = np.concatenate(self.kind)[answered]
        columns["conn"][:] = np.concatenate(self.conn)[answered]
        columns["request_at"][:] = -1
        columns["fingerprint"][:] = -1
        if filters:
            columns["fingerprint"][:] = np.concatenate(self.fingerprint)[answered]
        columns["client"][:] = np.concatenate(self.client)[answered]
        columns["nentries"][:] = np.concatenate(self.entries)[answered]
        columns["base"][:] = columns["bind_dn"][:] = -1
        return Operations(**columns, fingerprints=tuple(self.filters), clients=tuple(self.clients))


def experiment(truth: Truth, seed: int) -> list[WindowCounts]:
    """The windows of one experiment, one right after the other, in the order a coin decides."""
    return simulate(truth, seed)[0]


def simulate(truth: Truth, seed: int) -> tuple[list[WindowCounts], tuple[str, ...]]:
    """The windows of one experiment, and the arm of each that was lost and measured again."""
    timeline = Timeline(truth, seed)
    windows, arms = [], []
    for arm, pair, operations, span in timeline.windows():
        windows.append((operations, span))
        arms.append((arm, pair))
    wanted = OperationKind.parse(PrimaryMetric.parse(truth.primary).type)
    columns = [columns_of(operations) for operations, _ in windows]
    requests = [count_requests(asked, wanted) for asked in columns]
    strata = choose_strata(requests, wanted)
    cubes = [
        Cube.from_operations(operations, *span, strata=strata.of(asked))
        for (operations, span), asked in zip(windows, columns, strict=True)
    ]
    counted = windows_from_cubes(cubes, arms, strata=strata, requests=requests)
    return counted, tuple(timeline.lost)


Span = tuple[int, int]
"""Begin and end of a window, ns."""


class Timeline:
    """Windows of one server one after the other, each beginning in the state the last one left."""

    def __init__(self, truth: Truth, seed: int) -> None:
        self.truth, self.random = truth, np.random.default_rng(seed)
        self.state, self.begins_s, self.last = 0.0, 0.0, "A"
        self.lost: list[str] = []
        """The arm of each window that was lost so far."""

    def windows(self) -> Iterator[tuple[str, int, Operations, Span]]:
        """Arm, pair, operations and span of each window; a pair that lost one is measured again."""
        for pair in range(self.truth.pairs):
            measured = self._pair()
            while any(operations is None for _, operations, _ in measured):
                measured = self._pair()
            for arm, operations, span in measured:
                assert operations is not None
                yield arm, pair, operations, span

    def _pair(self) -> list[tuple[str, Operations | None, Span]]:
        order = "AB" if self.random.random() < 0.5 else "BA"
        return [(arm, *self._window(arm)) for arm in order]

    def _window(self, arm: str) -> tuple[Operations | None, Span]:
        """Operations of the next window, None where it is lost, and its span."""
        truth, random = self.truth, self.random
        server = truth.a if arm == "A" else truth.b
        if arm != self.last:
            self._switch(server)
        deviation = random.standard_normal()
        noise = truth.noise * deviation
        load = server.load
        if truth.load_sd:
            load *= math.exp(truth.load_sd * random.standard_normal())
        noise += truth.crowding * math.log(load)
        level = _level(server, self.state, noise)
        operations, span = _operations(
            random, truth, replace(server, load=load), level, self.begins_s
        )
        self.state = float(level(np.array([truth.window_s]))[0]) - noise
        self.begins_s, self.last = self.begins_s + truth.window_s, arm
        if deviation > server.lost_above or (server.lost and random.random() < server.lost):
            self.lost.append(arm)
            return None, span
        return operations, span

    def _switch(self, server: Server) -> None:
        self.state += math.log(server.shock)
        if self.truth.wait_s:
            settled = _level(server, self.state, 0.0)(np.array([self.truth.wait_s]))
            self.state, self.begins_s = float(settled[0]), self.begins_s + self.truth.wait_s


def canary(truth: Truth, seed: int) -> tuple[list[list[list[WindowCounts]]], list[list[int]]]:
    """Blocks [block][window][replica] of a canary, and which replica it was [block][window].

    Each replica has a state of its own, from one window to the next.
    """
    random = np.random.default_rng(seed)
    orders = [list(map(int, random.permutation(truth.replicas))) for _ in range(truth.pairs)]
    states, last = [0.0] * truth.replicas, ["A"] * truth.replicas
    own = 0.1 * random.standard_normal(truth.replicas)
    blocks: list[list[list[WindowCounts]]] = []
    begins_s = 0.0
    for order in orders:
        rows: list[list[WindowCounts]] = []
        for turn in order:
            cubes: list[Cube] = []
            for replica in range(truth.replicas):
                arm = "B" if replica == turn else "A"
                server = truth.b if arm == "B" else truth.a
                if arm != last[replica]:
                    states[replica] += math.log(server.shock)
                noise = own[replica] + truth.noise * random.standard_normal()
                level = _level(server, states[replica], noise)
                operations, span = _operations(random, truth, server, level, begins_s)
                cubes.append(Cube.from_operations(operations, *span))
                end = float(level(np.array([truth.window_s]))[0])
                states[replica], last[replica] = end - noise, arm
            rows.append(windows_from_cubes(cubes, [("A", 0)] * truth.replicas))
            begins_s += truth.window_s
        blocks.append(rows)
    return blocks, orders


def _operations(
    random: np.random.Generator,
    truth: Truth,
    server: Server,
    level: Callable[[Float], Float],
    begins_s: float,
) -> tuple[Operations, tuple[int, int]]:
    """Operations of a window, and its span (ns)."""
    rows = _window(random, truth, server, level)
    first = EPOCH_NS + round(begins_s * NS)
    operations = rows.operations(begins_s, filters=truth.filters_logged)
    return operations, (first, first + round(truth.window_s * NS))


def _level(server: Server, state: float, noise: float) -> Callable[[Float], Float]:
    """ln of the factor of etimes, by seconds since the window began."""
    aim = math.log(server.factor)

    def level(t: Float) -> Float:
        if not server.settles_s:
            return np.full(len(t), aim + noise)
        return aim + (state - aim) * np.exp(-t / server.settles_s) + noise

    return level


def _window(
    random: np.random.Generator, truth: Truth, server: Server, level: Callable[[Float], Float]
) -> Rows:
    stalls = _stalls(random, server, truth.window_s)
    rows = Rows(truth.window_s, truth.abandons_logged)
    for stream in server.streams:
        if stream.rate:
            n = random.poisson(stream.rate * server.load * truth.window_s)
            start = np.sort(random.random(n) * truth.window_s)
            moved = 0.0 if stream.steady else level(start)
            etime = stream.etime_s * np.exp(stream.sigma * random.standard_normal(n) + moved)
            etime = etime + _held(start, stalls)
            rows.add(start, etime, stream)
        for _ in range(stream.clients):
            start, etime = _client(random, truth.window_s, stream, stalls, level)
            rows.add(start, etime, stream)
    return rows


def _client(
    random: np.random.Generator,
    window_s: float,
    stream: Stream,
    stalls: Float,
    level: Callable[[Float], Float],
) -> tuple[Float, Float]:
    """One client that waits for each answer: when it asks depends on how it was answered."""
    # Enough draws for a window, with the answers as quick as they can be.
    n = 16 + int(4 * window_s / (stream.etime_s + stream.think_s))
    drawn = stream.etime_s * np.exp(stream.sigma * random.standard_normal(n))
    factor = np.exp(level(np.arange(0.0, window_s + 1)))
    if not len(stalls) and np.ptp(factor) == 0:
        return _steady_client(random, window_s, stream, drawn * factor[0])
    starts, etimes = [], []
    at = float(random.random() * (stream.etime_s + stream.think_s))
    for quick in drawn:
        if at >= window_s:
            break
        etime = float(quick * factor[int(at)]) + float(_held(np.array([at]), stalls)[0])
        starts.append(at)
        etimes.append(etime)
        at += min(etime, stream.patience_s) + stream.think_s
    return np.array(starts), np.array(etimes)


def _steady_client(
    random: np.random.Generator, window_s: float, stream: Stream, etime: Float
) -> tuple[Float, Float]:
    """The same where no time of the window differs from another."""
    first = float(random.random() * (stream.etime_s + stream.think_s))
    until_next = np.minimum(etime, stream.patience_s) + stream.think_s
    start = np.cumsum(np.concatenate([[first], until_next[:-1]]))
    inside = start < window_s
    return start[inside], etime[inside]


def _stalls(random: np.random.Generator, server: Server, window_s: float) -> Float:
    """Beginnings and ends of stalls [stall, 2], in seconds into the window."""
    stalls = np.empty((0, 2))
    if math.isfinite(server.stall_every_s):
        n = random.poisson(window_s / server.stall_every_s)
        begins = np.sort(random.random(n) * window_s)
        stalls = np.column_stack([begins, begins + server.stall_s])
    if server.hangs and random.random() < server.hangs:
        begin = random.random() * max(0.0, window_s - server.hang_s)
        stalls = np.vstack([stalls, [begin, begin + server.hang_s]])
        stalls = stalls[np.argsort(stalls[:, 0])]
    return stalls


def _held(start: Float, stalls: Float) -> Float:
    """Time for which each request waits until the stall it falls into is over."""
    if not len(stalls):
        return np.zeros(len(start))
    latest = np.searchsorted(stalls[:, 0], start, "right") - 1
    ends = np.where(latest >= 0, stalls[latest, 1], 0.0)
    return np.asarray(np.maximum(ends - start, 0.0))
