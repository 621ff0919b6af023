"""Findings and account of ten million operations.

    python -m tests.bench.account_speed [--keep FOLDER]

Builds two sessions (or takes those in FOLDER): `calm`, ten windows whose operations hardly wait,
and `queue`, one window of an hour in which unindexed searches hold all workers again and again.
Runs `findings` and `account` as whole processes, and prints a table for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ldap_workbench.model.experiment import Step
from ldap_workbench.model.operations import ABSENT, COLUMNS, RARE, TYPES, Int64, Operations
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.bench import large_session
from tests.bench.import_speed import Run, run

OPERATIONS = 10_000_000
SECONDS = 3_600
WORKERS = 16
_PER_CONNECTION = 50
_CLIENTS = tuple(f"10.0.{n // 250}.{n % 250}" for n in range(400))
_FILTERS = (
    *(f"(&(objectClass=app{n})(uid=?))" for n in range(300)),
    "(description=*?*)",
)
_BASES = tuple(f"ou=unit{n},dc=example,dc=com" for n in range(50))
_BIND_DNS = tuple(f"uid=app{n},ou=services,dc=example,dc=com" for n in range(60))
_UNINDEXED = len(_FILTERS) - 1


def build_queue(path: Path, operations: int = OPERATIONS) -> Path:
    """Write a session of one window with waits for a worker thread; no raw text."""
    with SessionWriter.create(path, sessions.FACTS) as writer:
        window = sessions._window(0, Step("", -1), SECONDS)
        columns = _queued(np.random.default_rng(11), window.start_ns, operations)
        writer.next_id("capture_window")
        writer.put_window(window)
        source = sessions._source(writer, window, SourceKind.ACCESS_LOG, "access")
        writer.put_source(replace(source, dialect="389ds", samples=len(columns)))
        writer.add_operations(source.id, columns)
    return path


def _queued(rng: np.random.Generator, begin_ns: int, n: int) -> Operations:
    """Operations of `WORKERS` threads, in the order of their results."""
    arrival = np.sort(rng.integers(0, SECONDS * 10**9, n))
    conn = rng.integers(0, max(n // _PER_CONNECTION, 1), n)
    kind = rng.choice(np.array([0, 1, 2, 6], np.uint8), n, p=(0.8, 0.1, 0.07, 0.03))
    # A batch of 40 unindexed searches every two minutes: they hold all workers for seconds.
    heavy = (arrival // 10**9 % 120 < 2) & (kind == 0) & (rng.random(n) < 40 / (2 * n / SECONDS))
    work = (1_500_000 * np.exp(rng.normal(0, 0.8, n))).astype(np.int64)
    work[heavy] = rng.integers(1_000_000_000, 3_000_000_000, int(heavy.sum()))
    wait = _waits(arrival, work)
    client = (conn * 7 % len(_CLIENTS)).astype(np.int32)
    client[heavy] = 3
    search = kind == 0
    columns = {name: np.full(n, RARE.get(name, 0), dtype) for name, dtype in COLUMNS.items()}
    columns |= {
        "end_ns": begin_ns + arrival + wait + work,
        "etime_ns": wait + work,
        "wtime_ns": wait,
        "optime_ns": work,
        "kind": kind,
        "err": np.where(rng.random(n) < 0.002, 32, 0).astype(np.int32),
        "nentries": np.where(search, rng.integers(0, 3, n), 0),
        "notes": np.where(heavy, 1, 0).astype(np.uint8),
        "conn": conn,
        "op": _numbers_on(conn),
        "client": client,
        "fingerprint": np.where(search, (conn + arrival) % _UNINDEXED, -1).astype(np.int32),
        "base": np.where(search, conn % len(_BASES), -1).astype(np.int32),
        "bind_dn": np.where(kind == TYPES.index("BIND"), conn % len(_BIND_DNS), -1).astype(
            np.int32
        ),
        "request_at": np.full(n, ABSENT),
        "result_at": np.full(n, ABSENT),
    }
    columns["fingerprint"][heavy] = _UNINDEXED
    tables = {"clients": _CLIENTS, "fingerprints": _FILTERS, "bases": _BASES, "bind_dns": _BIND_DNS}
    operations = Operations(**columns, **tables)
    return operations.take(np.argsort(operations.end_ns, kind="stable"))


def _waits(arrival: Int64, work: Int64) -> Int64:
    """How long each waits until one of the threads is free, first come first served, ns."""
    free, waits = [0] * WORKERS, []
    for at, busy in zip(arrival.tolist(), work.tolist(), strict=True):
        begin = max(at, free[0])
        waits.append(begin - at)
        heapq.heapreplace(free, begin + busy)
    return np.array(waits, np.int64)


def _numbers_on(conn: Int64) -> np.ndarray:
    """The number of each operation on its connection, from 1, in the order of arrival."""
    order = np.argsort(conn, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(conn[order]) != 0])
    lengths = np.diff(np.r_[first, len(conn)])
    numbers = np.empty(len(conn), np.int32)
    numbers[order] = np.arange(len(conn)) - np.repeat(first, lengths) + 1
    return numbers


MIXES = {"calm": large_session.build, "queue": build_queue}


def measure(folder: Path, operations: int) -> Iterator[tuple[str, str, Run]]:
    """Each command on each session, as (mix, command, what it took)."""
    for mix, build in MIXES.items():
        path = folder / f"{mix}-{operations}.ldapwb"
        if not path.exists():
            build(path, operations)
        for command in ("findings", "account"):
            argv = [sys.executable, "-m", "ldap_workbench", command, "--json", str(path)]
            yield mix, command, run(argv)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.account_speed")
    parser.add_argument("--keep", type=Path, help="a folder to take the sessions from, or keep in")
    parser.add_argument("--operations", type=int, default=OPERATIONS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"load {os.getloadavg()[0]:.1f}\n")
        print("| session | command | wall time | processor time | peak memory |")
        print("|---|---|---:|---:|---:|")
        for mix, command, took in measure(asked.keep or Path(folder), asked.operations):
            row = f"{took.wall:.1f} s | {took.cpu:.1f} s | {took.peak / 1e6:.0f} MB"
            print(f"| {mix} | {command} | {row} |", flush=True)


if __name__ == "__main__":
    main()
