"""What one operation costs by itself: CPU, reads of the device, flushes of the transaction log."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.knobs import Knobs
from ldap_workbench.practice.model.scenario import Host
from ldap_workbench.practice.model.workload import (
    BIND,
    BY_NUMBER,
    DEL,
    GROUP,
    PORTAL,
    WRITES,
    Float,
)

OPERATION = np.dtype(
    [
        ("at", "f8"),  # arrival, s
        ("from", "f8"),  # earliest moment it can go on, s: later than `at` when it was caught
        ("cpu", "f8"),  # s of a core
        ("io", "f8"),  # s of waiting for reads
        ("flush", "f8"),  # s of holding the write lock, the log flush included
        (
            "held",
            "f8",
        ),  # s of holding the write lock beyond the flush: what plug-ins do in the write
        ("extra", "f8"),  # s of waiting that uses nothing: lock convoys
        ("kind", "u1"),
        ("queued", "?"),  # waits in the queue rather than in a thread
        ("requested", "?"),  # its request line is out: a thread had it when it was caught
        ("client", "u2"),
        ("conn", "i8"),
        ("op", "i8"),
        ("user", "i8"),
        ("form", "u1"),  # what it is about: workload.PORTAL ...
        ("visit", "i8"),  # of an application without a pool, from 1; 0 none
        ("unindexed", "?"),
        ("entry_miss", "?"),
        ("page_misses", "u1"),
        ("reads", "u1"),
        ("rehash", "?"),
    ]
)
Rows = NDArray[Any]

_MEDIAN = {
    "SRCH": 180e-6,
    "BIND": 220e-6,
    "MOD": 500e-6,
    "ADD": 800e-6,
    "DEL": 700e-6,
    "MODRDN": 900e-6,
    "CMP": 120e-6,
}
CPU_MEDIAN = np.array([_MEDIAN.get(kind, 100e-6) for kind in TYPES])
CPU_SIGMA = 0.45
ENTRY_MISS_S = 300e-6
"""CPU to decode an entry that was not in the entry cache."""
PAGE_MISS_S = 40e-6
"""CPU to copy a page in."""
LOG_LINE_S = 25e-6
"""CPU of each unbuffered log line."""
HASH_S = 9e-3
"""One PBKDF2-SHA512 of 10,000 rounds."""
ENTRY_TEST_S = 6e-6
"""CPU to read and test one entry of a search without an index."""
LOGIN_MOD_S = 400e-6
"""CPU of the internal MOD that notes a login."""
SKIPPED = 0.01
"""Share of a MemberOf update that is left where groups within groups are not followed."""
READ_AHEAD_USED = 1 / 16
"""Share of the read-ahead window that a random read drags along."""
THREADS_A_CORE = 4.0
CONVOY_CPU = 0.03
CONVOY_CHANCE = 1.5e-3
CONVOY_S = 6e-3


class Costs:
    """Draws the costs of arrivals under the values in force."""

    def __init__(self, host: Host, users: int, rng: np.random.Generator) -> None:
        self._host, self._rng = host, rng
        self._users = users
        self.upgraded = 0.0
        """Users whose password has been hashed again since the start."""

    def fill(self, rows: Rows, knobs: Knobs, hits: tuple[Float, Float], factor: Float) -> None:
        """Set every cost of `rows`; `hits` of the entry and database cache, `factor` on CPU."""
        n = len(rows)
        writes = WRITES[rows["kind"]]
        self._misses(rows, hits, writes)
        cpu = CPU_MEDIAN[rows["kind"]] * self._rng.lognormal(0.0, CPU_SIGMA, n)
        cpu += rows["entry_miss"] * ENTRY_MISS_S + rows["page_misses"] * PAGE_MISS_S
        cpu += 0.0 if knobs.log_buffering else 2 * LOG_LINE_S
        rows["cpu"] = cpu * factor
        self._reads(rows, knobs)
        self._commits(rows, knobs, writes)
        self._binds(rows, knobs)
        self._convoys(rows, knobs)
        self._scans(rows, knobs)
        self._group_changes(rows, knobs)

    def _misses(self, rows: Rows, hits: tuple[Float, Float], writes: NDArray[np.bool_]) -> None:
        rows["entry_miss"] = self._rng.random(len(rows)) >= hits[0]
        pages = 2 * rows["entry_miss"] + 2 * writes
        rows["page_misses"] = self._rng.binomial(pages, 1 - hits[1])
        rows["reads"] = self._rng.binomial(rows["page_misses"], 1 - self._host.page_cache)

    def _reads(self, rows: Rows, knobs: Knobs) -> None:
        """Reads of `kilobytes` each from a device that serves them one by one (M/M/1)."""
        reads = rows["reads"].astype(np.float64)
        if not reads.any():
            return
        one = self._host.seek_s + kilobytes(knobs) * 1024 / self._host.bandwidth
        span = max(1e-3, float(rows["at"][-1] - rows["at"][0]))
        busy = min(0.95, float(reads.sum()) / span * one)
        rows["io"] = reads * one / (1 - busy) * self._rng.lognormal(0.0, 0.4, len(rows))

    def _commits(self, rows: Rows, knobs: Knobs, writes: NDArray[np.bool_]) -> None:
        n = int(writes.sum())
        flush = self._rng.lognormal(np.log(self._host.flush_s), 0.4, n) if knobs.durable else 50e-6
        rows["flush"][writes] = flush
        if knobs.referint and knobs.referint_delay == 0:
            rows["flush"][rows["kind"] == DEL] += self._host.member_update_s

    def _binds(self, rows: Rows, knobs: Knobs) -> None:
        """A user with a new hash pays for it at every bind; an old one is hashed again if asked."""
        binds = np.flatnonzero(rows["kind"] == BIND)
        new = self._rng.random(len(binds)) < self.upgraded / self._users
        again = ~new & knobs.upgrade_hash
        rows["cpu"][binds] += (new | again) * HASH_S * self._rng.lognormal(0.0, 0.08, len(binds))
        rows["rehash"][binds] = again
        commits = self._rng.lognormal(np.log(self._host.flush_s), 0.4, len(binds))
        rows["flush"][binds] = again * commits
        self.upgraded += float(again.sum())
        self._account_of_application(rows)
        if knobs.login_writes:
            rows["cpu"][binds] += LOGIN_MOD_S
            flushes = self._rng.lognormal(np.log(self._host.flush_s), 0.4, len(binds))
            rows["flush"][binds] += flushes

    def _account_of_application(self, rows: Rows) -> None:
        """It was made with today's scheme: each of its binds pays for the hash."""
        binds = np.flatnonzero((rows["form"] == PORTAL) & (rows["kind"] == BIND))
        if len(binds):
            rows["cpu"][binds] += HASH_S * self._rng.lognormal(0.0, 0.08, len(binds))

    def _scans(self, rows: Rows, knobs: Knobs) -> None:
        """Without an index a search reads and tests every entry."""
        scans = np.flatnonzero(rows["form"] == BY_NUMBER)
        if len(scans) and not knobs.number_index:
            rows["cpu"][scans] += (
                self._users * ENTRY_TEST_S * self._rng.lognormal(0.0, 0.1, len(scans))
            )
            rows["unindexed"][scans] = True

    def _group_changes(self, rows: Rows, knobs: Knobs) -> None:
        """The MemberOf plug-in follows each change of a group, inside the write."""
        groups = np.flatnonzero(rows["form"] == GROUP)
        if len(groups) and knobs.memberof:
            share = 1.0 if knobs.memberof_nested else SKIPPED
            spent = self._host.memberof_s * self._rng.lognormal(0.0, 0.3, len(groups))
            rows["held"][groups] = share * spent

    def _convoys(self, rows: Rows, knobs: Knobs) -> None:
        """Far more threads than cores: everyone spins a little, some wait for a sleeping owner."""
        excess = max(0.0, knobs.threads / (THREADS_A_CORE * self._host.cores) - 1)
        rows["cpu"] *= 1 + CONVOY_CPU * excess
        met = np.flatnonzero(self._rng.random(len(rows)) < min(0.05, CONVOY_CHANCE * excess))
        rows["extra"][met] = self._rng.lognormal(np.log(CONVOY_S), 0.8, len(met))


def kilobytes(knobs: Knobs) -> float:
    """Of one read of the device: a page, and what read-ahead drags along."""
    return 8 + knobs.read_ahead_kb * READ_AHEAD_USED
