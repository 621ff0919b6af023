"""Sessions built without a server: small, quick, and the same every time.

`build_experiment_session` writes a whole experiment as the workbench would have: windows of both
arms in coin order, client, internal and own operations with the log lines behind them, monitor and
iostat samples, marks, journal entries, and the verdict the program itself gives.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ldap_workbench.experiment.judge import judge
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.experiment import Design, Experiment, Plan, State, Step
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import COLUMNS, RARE, TYPES, Operations
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import (
    LineCounts,
    Mark,
    Sample,
    Source,
    SourceKind,
    SourceState,
    Window,
)
from ldap_workbench.session.contents import note_own
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.log_lines import log_text

MS = 1_000_000
"""Nanoseconds."""

START_NS = 1_795_161_600 * NS_PER_S
"""2026-11-20 08:00:00 UTC."""

BACKEND_DN = "cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
LDBM_DN = "cn=config,cn=ldbm database,cn=plugins,cn=config"
TREATMENT = Treatment(
    (
        Setting("nsslapd-cache-autosize", "0"),
        Setting("nsslapd-cachememsize", "268435456", "userRoot"),
    )
)
FACTS = TargetFacts(
    profile="lab",
    product="389 Directory Server",
    version="2.3.1 B2023.061.0000",
    host="ldap1.example.com",
    instance="lab",
    started_ns=START_NS - 86_400 * NS_PER_S,
    backends=(Backend("userRoot", "dc=example,dc=com", BACKEND_DN),),
    db_library="bdb",
    db_directory="/var/lib/dirsrv/slapd-lab/db",
    access_log="/var/log/dirsrv/slapd-lab/access",
    error_log="/var/log/dirsrv/slapd-lab/errors",
    cores=8,
    ram_bytes=16 * 1024**3,
    device="vda",
    kernel="6.1.0-18-amd64",
    clock_offset_ns=-12_345_678,
    clock_error_ns=410_000,
)

HOSTILE = (
    "(cn=<script>alert(1)</script>)",
    "(cn==cmd|'/C calc'!A0)",
    "(description=\x1b[31mred\x1b[0m)",
    "(|" + "(uid=?)" * 5_000 + ")",
    "(cn=a|b`c` RESULT err=0 tag=101 nentries=1 etime=9)",
)
"""Filters a client may send to hurt whoever reads the report."""

_KINDS = ("SRCH", "BIND", "MOD", "ADD", "DEL", "CMP")
_SHARES = (0.70, 0.14, 0.09, 0.03, 0.02, 0.02)
_MEDIAN_MS = (0.9, 3.1, 7.5, 9.0, 8.0, 0.4)
_FILTERS = ("(uid=?)", "(&(objectClass=person)(mail=?))", "(member=?)")
_CLIENTS = ("10.0.0.11", "10.0.0.12", "10.0.0.13", "2001:db8::7")
_BASES = ("dc=example,dc=com", "ou=people,dc=example,dc=com")
_BIND_DNS = ("uid=app1,ou=services,dc=example,dc=com", "cn=directory manager")
_GAP_S = 5


_built: dict[tuple[object, ...], bytes] = {}


def _built_once(build: Callable[..., Path]) -> Callable[..., Path]:
    """Write a session that was built with the same arguments before as a copy of its bytes.

    Building one takes half a second of a processor, a copy nothing. While a test has put something
    of its own in the place of a name of this module, every session is built. A test of how the file
    is written calls `__wrapped__`.
    """
    signature = inspect.signature(build)

    @functools.wraps(build)
    def write(*arguments: Any, **named: Any) -> Path:
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        path, *rest = bound.arguments.values()
        key = (build.__name__, *rest)
        as_written = all(globals()[name] is value for name, value in _AS_WRITTEN.items())
        if not as_written:
            return build(*arguments, **named)
        if key not in _built:
            _built[key] = build(*arguments, **named).read_bytes()
        else:
            with os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as file:
                file.write(_built[key])
            about = path.stat()
            note_own(path, (about.st_dev, about.st_ino))  # as the writer does when it closes one
        return path

    return write


@_built_once
def build_experiment_session(
    path: Path,
    pairs: int = 6,
    seconds: int = 20,
    ratio: float = 0.5,
    *,
    per_second: int = 120,
    hostile: bool = False,
    judged: bool = True,
    seed: int = 9,
) -> Path:
    """Write the session of a finished experiment in which arm B takes `ratio` times as long.

    `hostile` puts text that tries to escape into filters, names and server messages. `judged`
    False leaves the experiment in mid-way, without a verdict. Returns `path`.
    """
    rng = np.random.default_rng(seed)
    plan = _plan(rng, pairs, seconds, seed)
    windows = [_window(index, step, seconds) for index, step in enumerate(plan.steps)]
    with SessionWriter.create(path, FACTS) as writer:
        for window in windows:
            slower = ratio if window.arm == "B" else 1.0
            operations = _operations(rng, window, per_second, slower, hostile)
            _put_window(writer, window, operations, rng)
        changes = _changes(windows, hostile)
        for change in changes:
            writer.put_change(change)
        for mark in _marks(windows, hostile):
            writer.add_mark(mark)
        experiment = _experiment(plan, windows, changes)
        writer.put_experiment(experiment)
        if judged:
            with writer.reader() as session:
                verdict = judge(session, experiment)
            writer.put_experiment(replace(experiment, state=State.REVERTED, verdict=verdict))
    return path


@_built_once
def build_capture_session(
    path: Path,
    seconds: int = 20,
    *,
    per_second: int = 100,
    windows: int = 1,
    earlier: int = 0,
    seed: int = 7,
) -> Path:
    """Write a session without an experiment: windows of one server, captured one after the other.

    `earlier` windows were captured before it, in other sessions.

    The second source of disk samples is missing, as on a host without sysstat. Returns `path`.
    """
    rng = np.random.default_rng(seed)
    with SessionWriter.create(path, FACTS) as writer:
        for index in range(windows):
            window = _window(earlier + index, Step("", -1), seconds)
            window = replace(window, id=index + 1, name=f"window {index + 1}")
            operations = _operations(rng, window, per_second, 1.0, hostile=False)
            _put_window(writer, window, operations, rng, iostat=False)
    return path


def _plan(rng: np.random.Generator, pairs: int, seconds: int, seed: int) -> Plan:
    steps = []
    for pair in range(pairs):
        arms = "AB" if rng.integers(2) else "BA"
        steps += [Step(arm, pair) for arm in arms]
    return Plan(
        treatment=TREATMENT,
        design=Design("pairs", pairs),
        steps=tuple(steps),
        window_s=seconds,
        seed=seed,
        primary="p50",
        load="ldclt -h localhost -p 389 -e esearch,random -f uid=XXXX",
        guards={"error_share": 0.01},
    )


def _window(index: int, step: Step, seconds: int) -> Window:
    start = START_NS + index * (seconds + _GAP_S) * NS_PER_S
    name = f"{step.arm}{step.pair + 1}"
    end = start + seconds * NS_PER_S
    return Window(index + 1, name, start, end, arm=step.arm, pair=step.pair)


def _operations(
    rng: np.random.Generator, window: Window, per_second: int, slower: float, hostile: bool
) -> Operations:
    """Client operations with a stall in mid-window, some of the server's own and of ours."""
    n = round(window.seconds * per_second)
    kinds = rng.choice(len(_KINDS), n, p=_SHARES)
    start = window.start_ns + np.sort(rng.integers(0, window.end_ns - window.start_ns - 1, n))
    median_ns = np.array(_MEDIAN_MS)[kinds] * 1e6
    drift = np.exp(rng.normal(0, 0.06))
    etime = (median_ns * slower * drift * np.exp(rng.normal(0, 0.55, n))).astype(np.int64)
    stall_end = window.start_ns + int(rng.uniform(0.4, 0.6) * (window.end_ns - window.start_ns))
    waits = stall_end - start
    caught = (waits > 0) & (waits < 700_000_000 * slower)
    etime[caught] += waits[caught]
    filters = HOSTILE if hostile else _FILTERS
    internal = rng.random(n) < 0.01
    own = ~internal & (rng.random(n) < 0.02)
    columns = {name: np.full(n, RARE.get(name, 0), dtype) for name, dtype in COLUMNS.items()}
    columns |= {
        "end_ns": start + etime,
        "etime_ns": etime,
        "wtime_ns": etime // 5,
        "optime_ns": etime - etime // 5,
        "kind": np.array([TYPES.index(kind) for kind in _KINDS], np.uint8)[kinds],
        "internal": internal,
        "own": own,
        "err": np.where(rng.random(n) < 0.002, 32, 0).astype(np.int32),
        "nentries": np.where(kinds == 0, rng.integers(0, 4, n), 0),
        "conn": np.where(own, 2, rng.integers(10, 40, n)),
        "op": np.arange(1, n + 1, dtype=np.int32),
        "client": rng.integers(0, len(_CLIENTS), n, np.int32),
        "fingerprint": np.where(kinds == 0, rng.integers(0, len(filters), n), -1).astype(np.int32),
        "base": np.where(kinds == 0, rng.integers(0, 2, n), -1).astype(np.int32),
        "bind_dn": np.where(kinds == 1, rng.integers(0, 2, n), -1).astype(np.int32),
    }
    tables = {"clients": _CLIENTS, "fingerprints": filters, "bases": _BASES, "bind_dns": _BIND_DNS}
    operations = Operations(**columns, **tables)
    return operations.take(np.argsort(operations.end_ns, kind="stable"))


def _put_window(
    writer: SessionWriter,
    window: Window,
    operations: Operations,
    rng: np.random.Generator,
    *,
    iostat: bool = True,
) -> None:
    """Hand one window to the writer with its three sources."""
    writer.next_id("capture_window")
    writer.put_window(window)
    text, operations = log_text(operations)
    lines = LineCounts(2 * len(operations), 3, 1, {"header": 3})
    details = {"open_operations": 1, "orphan_results": 0, "rotations": 0, "bytes": len(text)}
    log = _source(writer, window, SourceKind.ACCESS_LOG, "access", lines=lines, details=details)
    log = replace(log, dialect="389ds", samples=len(operations))
    writer.put_source(log)
    writer.add_raw(log.id, text)
    writer.add_operations(log.id, operations)
    monitor = _source(writer, window, SourceKind.MONITOR, "cn=monitor")
    samples = _monitor_samples(window, operations)
    writer.put_source(replace(monitor, samples=int(window.seconds)))
    writer.add_samples(monitor.id, samples)
    disk = _source(writer, window, SourceKind.IOSTAT, "iostat")
    if iostat:
        writer.put_source(replace(disk, samples=int(window.seconds)))
        writer.add_samples(disk.id, _disk_samples(rng, window, operations))
    else:
        why = Message("iostat is not installed on the host (package sysstat).")
        writer.put_source(replace(disk, state=SourceState.MISSING, why=why))


def _source(
    writer: SessionWriter, window: Window, kind: SourceKind, name: str, **more: object
) -> Source:
    number = writer.next_id("source")
    source = Source(number, window.id, kind, name, SourceState.COMPLETE)
    return replace(source, **more)  # type: ignore[arg-type]


def _seconds(window: Window) -> list[int]:
    return [window.start_ns + second * NS_PER_S for second in range(int(window.seconds))]


def _monitor_samples(window: Window, operations: Operations) -> list[Sample]:
    ends, starts = np.sort(operations.end_ns), np.sort(operations.start_ns)
    done, begun = (np.searchsorted(times, _seconds(window)) for times in (ends, starts))
    # Since the start the cache hit 62 of 100, in the windows far more.
    cache, hit = f"cn=monitor,{BACKEND_DN.lower()}", 95 if window.arm == "A" else 99
    return [
        Sample(time_ns, series, float(value))
        for time_ns, count, more in zip(_seconds(window), done, begun, strict=True)
        for series, value in (
            ("cn=monitor:opsinitiated", 10_001 + more),
            ("cn=monitor:opscompleted", 10_000 + count),
            ("cn=monitor:currentconnections", 31),
            (f"{cache}:entrycachehitratio", 62),
            (f"{cache}:entrycachehits", 620_000 + hit * more),
            (f"{cache}:entrycachetries", 1_000_000 + 100 * more),
        )
    ]


def _disk_samples(rng: np.random.Generator, window: Window, operations: Operations) -> list[Sample]:
    slow = operations.end_ns[operations.etime_ns > 100_000_000]
    busy = {int(ns - window.start_ns) // NS_PER_S for ns in slow.tolist()}
    samples = []
    for second, time_ns in enumerate(_seconds(window)):
        util = 92.0 if second in busy else float(rng.uniform(8, 20))
        for column, value in (("util", util), ("w_await", util / 9), ("wkB/s", util * 300)):
            samples.append(Sample(time_ns, f"iostat:vda:{column}", value))
        samples.append(Sample(time_ns, "iostat:cpu:user", float(rng.uniform(20, 30))))
    return samples


def _changes(windows: list[Window], hostile: bool) -> list[Change]:
    """Both settings, applied and reverted once for every run of windows with arm B."""
    message = verbatim(
        "<script>alert(2)</script>\x1b[2J" if hostile else "the value is limited by memory"
    )
    changes: list[Change] = []
    runs = [list(run) for arm, run in itertools.groupby(windows, lambda w: w.arm) if arm == "B"]
    for number, run in enumerate(runs, start=1):
        created, updated = run[0].start_ns - 4 * NS_PER_S, run[-1].end_ns + NS_PER_S
        common = {
            "group": f"group-{number}",
            "server": "ldap://ldap1.example.com:389",
            "profile": "lab",
            "state": ChangeState.REVERTED,
            "needs_restart": False,
            "created_ns": created,
            "updated_ns": updated,
        }
        changes.append(
            Change(
                id=len(changes) + 1,
                knob="nsslapd-cache-autosize",
                dn=LDBM_DN,
                attribute="nsslapd-cache-autosize",
                before=None,
                asked=("0",),
                got=("0",),
                **common,  # type: ignore[arg-type]
            )
        )
        changes.append(
            Change(
                id=len(changes) + 1,
                knob="nsslapd-cachememsize",
                dn=BACKEND_DN,
                attribute="nsslapd-cachememsize",
                before=("67108864",),
                asked=("268435456",),
                got=("268435456",),
                message=message,
                proof=verbatim("maxentrycachesize of the backend's monitor shows 268435456"),
                **common,  # type: ignore[arg-type]
            )
        )
    return changes


def _marks(windows: list[Window], hostile: bool) -> list[Mark]:
    text = verbatim("users complain <b onmouseover=alert(3)>" if hostile else "users complain")
    marks = [Mark(windows[0].start_ns + 3 * NS_PER_S, "operator", text, windows[0].id)]
    for before, after in itertools.pairwise(windows):
        if before.arm != after.arm:
            kind = "applied" if after.arm == "B" else "reverted"
            marks.append(Mark(after.start_ns - 3 * NS_PER_S, kind, verbatim(str(TREATMENT))))
    return marks


def _experiment(plan: Plan, windows: list[Window], changes: list[Change]) -> Experiment:
    return Experiment(
        id=1,
        plan=plan,
        state=State.MEASURING,
        step=len(plan.steps),
        windows=tuple(window.id for window in windows),
        change_groups=tuple(dict.fromkeys(change.group for change in changes)),
    )


def with_client(path, *, more=0, label="Search by uid"):
    """Every search of the server as a client saw it: 2 ms longer, and `more` that never came."""
    build_capture_session(path, seconds=10)
    with Session.open(path) as session:
        (window,) = session.windows()
        seen = session.latencies(window)
    asked = ~(seen.internal | seen.own)
    searches = asked & (seen.kind == 0)
    starts = (seen.end_ns - seen.etime_ns)[searches]
    took = seen.etime_ns[searches] // MS + 2
    samples = [
        Sample(int(at), f"client:{label}:elapsed", float(ms))
        for at, ms in zip(starts, took, strict=True)
    ]
    middle = int(np.median(starts))
    samples += [Sample(middle, f"client:{label}:elapsed", 9.0)] * more
    samples += [Sample(middle, f"client:{label}:failed", 1.0)] * 3
    samples += [Sample(middle, f"client:{label}:connect", ms) for ms in (1.0, 2.0, 6.0)]
    # Sent before the window: none of its requests.
    samples += [Sample(window.start_ns - MS, f"client:{label}:elapsed", 5000.0)]
    with SessionWriter.append(path) as writer:
        number = writer.next_id("source")
        writer.add_samples(number, samples)
        source = Source(number, window.id, SourceKind.CLIENT, "run.csv", SourceState.COMPLETE)
        writer.put_source(source)
    return path


_AS_WRITTEN = dict(globals())
