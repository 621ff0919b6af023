"""The model behind the practice directory (docs/practice-model.md): time in, operations out.

One application visits it: a connection, a bind and a search a visit, or a pool of connections.

Which connection carries an operation: long-lived ones, and a short one for each BIND.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.caches import Caches
from ldap_workbench.practice.model.costs import OPERATION, Costs, Rows
from ldap_workbench.practice.model.knobs import Knobs
from ldap_workbench.practice.model.scenario import Scenario, Workload
from ldap_workbench.practice.model.stalls import Checkpoints, Interruption, LogFlushes, Trains
from ldap_workbench.practice.model.workload import (
    BIND,
    DEL,
    PORTAL,
    SRCH,
    WRITES,
    Clients,
    Drift,
    Float,
)


@dataclass(frozen=True)
class Batch:
    """What happened in [start, end): operations that went on then, and the episodes begun."""

    start: float
    end: float
    rows: Rows
    """Served, in the order in which they went on."""
    arrived: Rows
    stuck: Rows
    """Arrived, taken by a thread and caught there: they go on in a later batch."""
    wtime: Float
    etime: Float
    """Both in seconds; etime - wtime is the time in the operation."""
    episodes: list[Interruption]
    knobs: Knobs

    @property
    def finished(self) -> Float:
        """When each operation's result goes out, s."""
        finished: Float = self.rows["at"] + self.etime
        return finished


def completions(begin: Float, work: Float, busy_until: float) -> Float:
    """When one server, serving in order, has done each piece: Lindley's recursion, in one pass.

    c[i] = max(begin[i], c[i-1]) + work[i], with c[-1] = busy_until.
    """
    total = np.cumsum(work)
    idle_start = np.maximum.accumulate(np.concatenate([[busy_until], begin - (total - work)]))
    done: Float = total + idle_start[1:]
    return done


class Model:
    """One server under one workload. `advance` in steps of any length; change `knobs` between."""

    def __init__(self, scenario: Scenario, knobs: Knobs, seed: int, start: float = 0.0) -> None:
        self.knobs = knobs
        self.now = start
        self._workload, self._host = scenario.workload, scenario.host
        rng = np.random.default_rng([seed, round(start * 1000)])
        self._drift = Drift(seed, self._workload.drift)
        self._clients = Clients(self._workload, self._drift, rng)
        self.caches = Caches(self._workload)
        self.connections = Connections(self._workload, rng)
        self._visits = Visits(self._workload, rng)
        self._costs = Costs(self._host, self._workload.users, rng)
        self._checkpoints = Checkpoints(self._host, self._drift, rng)
        self._trains = Trains(self._host, rng)
        self._flushes = LogFlushes(rng)
        self._open: list[Interruption] = []
        self._waiting = np.zeros(0, OPERATION)
        self._busy_until = self._lock_until = start
        self._rng = rng
        self.caches.settle(self.knobs)
        self._checkpoints.begin(self.now, self.knobs)
        self._trains.begin(self.now, self.knobs)

    def change(self, knobs: Knobs) -> None:
        """New values from now on; a new checkpoint interval forces a checkpoint at once."""
        if knobs.checkpoint_interval != self.knobs.checkpoint_interval:
            self._checkpoints.now(self.now)
        self.knobs = knobs

    def restart(self, at: float, knobs: Knobs) -> None:
        """The server is down until `at`: nothing is held, the caches are cold."""
        self.now, self.knobs = at, knobs
        self.caches.empty()
        self.connections.restart()
        self._visits.restart()
        self._waiting, self._open = np.zeros(0, OPERATION), []
        self._busy_until = self._lock_until = at
        self._checkpoints.restart(at, knobs)
        self._trains.begin(at, knobs)

    def advance(self, until: float) -> Batch:
        """Everything that goes on between the last call and `until` (s)."""
        start, self.now = self.now, until
        episodes = self._episodes(start, until)
        rows = self._arrivals(start, until)
        self.connections.number(rows)
        self._catch(rows)
        served, stuck = self._due(rows, until)
        wtime, etime = self._serve(served)
        return Batch(start, until, served, rows, stuck, wtime, etime, episodes, self.knobs)

    def _due(self, rows: Rows, until: float) -> tuple[Rows, Rows]:
        """The rows that go on before `until`, in that order, and those newly stuck in a thread."""
        if len(self._waiting):
            rows = np.concatenate([self._waiting, rows])
        order = np.argsort(rows["from"], kind="stable")
        rows = rows[order]
        due = int(np.searchsorted(np.ascontiguousarray(rows["from"]), until))
        self._waiting = rows[due:].copy()
        stuck = ~(self._waiting["queued"] | self._waiting["requested"])
        self._waiting["requested"] |= stuck
        return rows[:due], self._waiting[stuck]

    def drain(self) -> Batch:
        """What is still held, let go as if nothing new arrived."""
        rows = self._waiting[np.argsort(self._waiting["from"], kind="stable")]
        self._waiting = np.zeros(0, OPERATION)
        wtime, etime = self._serve(rows)
        nothing = rows[:0]
        return Batch(self.now, self.now, rows, nothing, nothing, wtime, etime, [], self.knobs)

    def rate(self, at: float) -> float:
        """Operations a second that clients ask for at this time."""
        return self._workload.rate * float(self._drift.load(np.array([at]))[0])

    def _share(self, kinds: NDArray[np.bool_]) -> float:
        mix = self._workload.mix
        wanted = sum(share for kind, share in mix.items() if kinds[TYPES.index(kind)])
        return wanted / sum(mix.values())

    def _episodes(self, start: float, until: float) -> list[Interruption]:
        rate = self.rate(start)
        deletions = rate * self._share(np.arange(len(TYPES)) == DEL)
        writes = rate * self._share(WRITES)
        begun = self._checkpoints.between(until, self.knobs, writes)
        begun += self._trains.between(until, self.knobs, deletions)
        begun += self._flushes.between(start, until, self.knobs, rate)
        self._open = [episode for episode in self._open if episode.end > start] + begun
        return begun

    def _arrivals(self, start: float, until: float) -> Rows:
        arrivals = self._clients.between(start, until)
        rows = np.zeros(len(arrivals), OPERATION)
        rows["at"] = rows["from"] = arrivals.at
        rows["kind"], rows["user"], rows["form"] = arrivals.kind, arrivals.user, arrivals.form
        rows = self._with_visits(rows, start, until)
        grid = np.linspace(start, until, max(2, int(until - start) + 1))
        ratios = self.caches.passing(self.knobs, self.rate(start), grid)
        at = np.ascontiguousarray(rows["at"])
        hits = np.interp(at, grid, ratios[0]), np.interp(at, grid, ratios[1])
        factor = self._drift.cost(grid)[np.searchsorted(grid, at, side="right") - 1]
        self._costs.fill(rows, self.knobs, hits, factor * self._checkpoints.slow(at))
        return rows

    def _with_visits(self, rows: Rows, start: float, until: float) -> Rows:
        """The same with what the application does, in order of arrival."""
        visits = self._visits.between(start, until)
        if not len(visits):
            return rows
        visits["from"] = visits["at"]
        rows = np.concatenate([rows, visits])
        return rows[np.argsort(rows["at"], kind="stable")]

    def _catch(self, rows: Rows) -> None:
        """Hold what arrives in an episode until its end; a full thread pool holds everything."""
        arrived = np.ascontiguousarray(rows["at"])
        for episode in self._open:
            span = slice(*np.searchsorted(arrived, (episode.start, episode.end)))
            kinds = rows["kind"][span]
            caught = self._rng.random(len(kinds)) < episode.caught[kinds]
            waiting = episode.holding + np.cumsum(caught)
            episode.holding += int(caught.sum())
            full = waiting > self.knobs.threads
            waiting_rows = np.flatnonzero(caught | full) + span.start
            rows["from"][waiting_rows] = np.maximum(rows["from"][waiting_rows], episode.end)
            rows["queued"][span] |= full

    def _serve(self, rows: Rows) -> tuple[Float, Float]:
        """Waiting for a core or thread, then for the write lock; wtime and etime in s."""
        if not len(rows):
            return np.zeros(0), np.zeros(0)
        busy = rows["cpu"] + rows["io"] + rows["flush"]
        work = np.maximum(rows["cpu"] / self._host.cores, busy / self.knobs.threads)
        done = completions(rows["from"], work, self._busy_until)
        self._busy_until = float(done[-1])
        waited = done - work - rows["from"]
        own = rows["cpu"] + rows["io"] + rows["extra"]
        etime = rows["from"] - rows["at"] + waited + own + self._lock(rows, waited + own)
        caught = np.where(rows["queued"], rows["from"] - rows["at"], 0.0)
        in_queue = min(1.0, self._host.cores / self.knobs.threads)
        wtime = caught + np.where(rows["requested"], 0.0, waited * in_queue) + 0.03 * rows["cpu"]
        return wtime, etime

    def _lock(self, rows: Rows, before: Float) -> Float:
        """One writer at a time holds the backend: its flush, its plug-ins, the wait for others."""
        spent = np.zeros(len(rows))
        holds = rows["flush"] + rows["held"]
        writers = np.flatnonzero(holds > 0)
        if not len(writers):
            return spent
        begin = (rows["from"] + before)[writers]
        order = np.argsort(begin, kind="stable")
        writers, begin = writers[order], begin[order]
        done = completions(begin, holds[writers], self._lock_until)
        self._lock_until = float(done[-1])
        spent[writers] = done - begin
        return spent


GAP_S = 0.030
"""Median time from the bind to the search behind it: the answer to the bind, and the network."""


class Visits:
    """Draws the application's operations; searches that come after a step wait for the next."""

    def __init__(self, workload: Workload, rng: np.random.Generator) -> None:
        self._workload, self._rng = workload, rng
        self.restart()

    def restart(self) -> None:
        """Visits under way are broken off."""
        self._coming = np.zeros(0, OPERATION)
        self._begun = 0

    def between(self, start: float, until: float) -> Rows:
        """Operations that arrive in [start, until), in no order."""
        if not self._workload.visits:
            return self._coming
        n = int(self._rng.poisson(self._workload.visits * (until - start)))
        searches = np.zeros(n, OPERATION)
        searches["at"] = self._rng.uniform(start, until, n)
        searches["kind"], searches["form"] = SRCH, PORTAL
        searches["user"] = self._rng.integers(0, self._workload.users, n)
        if self._workload.pooled:
            return searches
        searches["visit"] = self._begun + 1 + np.arange(n)
        self._begun += n
        binds = searches.copy()
        binds["kind"] = BIND
        searches["at"] += GAP_S * self._rng.lognormal(0.0, 0.2, n)
        every = np.concatenate([self._coming, binds, searches])
        self._coming = every[every["at"] >= until]
        return every[every["at"] < until]


POOL = 4
"""Connections an application keeps that has a pool."""


class Connections:
    """Numbers connections from 1 and operations from 0, as 389 DS does after each start.

    The application is the client after the last: its number is how many clients there are.
    """

    def __init__(self, workload: Workload, rng: np.random.Generator) -> None:
        self.clients = workload.clients
        self.lasting = workload.clients + (POOL if workload.pooled else 0)
        self._rng = rng
        self.restart()

    def restart(self) -> None:
        self.opened = self.lasting
        self._operations = np.zeros(self.lasting, dtype=np.int64)
        self._of_visit: dict[int, int] = {}

    def another(self) -> int:
        """The number of a connection somebody opens on the real socket."""
        self.opened += 1
        return self.opened

    def number(self, rows: Rows) -> None:
        """Set client, conn and op of rows in order of arrival."""
        client = self._rng.integers(0, self.clients, len(rows))
        place = client.copy()
        portal = rows["form"] == PORTAL
        if portal.any():
            client[portal] = self.clients
            place[portal] = self._rng.integers(self.clients, self.clients + POOL, portal.sum())
        rows["client"], rows["conn"] = client, place + 1
        lasting = np.flatnonzero((rows["kind"] != BIND) & (rows["visit"] == 0))
        short = np.flatnonzero(rows["kind"] == BIND)
        rows["op"][lasting] = self._operation_numbers(place[lasting])
        rows["conn"][short] = self.opened + 1 + np.arange(len(short))
        self.opened += len(short)
        self._follow_visits(rows)

    def _follow_visits(self, rows: Rows) -> None:
        """The search of a visit comes over the connection of its bind."""
        for row in np.flatnonzero(rows["visit"]):
            visit = int(rows["visit"][row])
            if rows["kind"][row] == BIND:
                self._of_visit[visit] = int(rows["conn"][row])
            else:
                rows["conn"][row], rows["op"][row] = self._of_visit.pop(visit), 1

    def _operation_numbers(self, place: np.typing.NDArray[np.int64]) -> Rows:
        """Each connection's own count, going on from where it was."""
        order = np.argsort(place, kind="stable")
        counts = np.bincount(place, minlength=self.lasting)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        numbers = np.empty(len(place), dtype=np.int64)
        numbers[order] = np.arange(len(place)) - np.repeat(first, counts)
        numbers += self._operations[place]
        self._operations += counts
        return numbers
