"""iostat and vmstat of the practice host, from the model's totals of device and processors."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ldap_workbench.practice.host.files import DEVICE
from ldap_workbench.practice.model.counters import Device
from ldap_workbench.practice.model.engine import Engine

Wait = Callable[[float], bool]
"""Sleep so many wall seconds; True when the command is to end."""


_PAUSE_S = 0.005


@dataclass(frozen=True)
class Interval:
    """What was added in `seconds` of practice time; `second` is when it was due to end."""

    second: int
    seconds: float
    added: Device


def intervals(engine: Engine, seconds: float, count: int, wait: Wait) -> Iterator[Interval]:
    """One interval after the other, -1 for no end; a late look counts for what it covers."""
    began, before = _totals(engine)
    epoch, begin, done = engine.clock.epoch_ns // 1_000_000_000, engine.clock.seconds(), 0
    while done != count:
        done += 1
        left = begin + done * seconds - engine.clock.seconds()
        # On a machine too slow for the speed a report may come late, but not at others' expense.
        if wait(max(_PAUSE_S, engine.clock.wall_seconds(left))):
            return
        ended, now = _totals(engine)
        if ended - began < seconds / 2:
            continue  # too slow a machine: the next report covers this one as well
        yield Interval(epoch + int(begin + done * seconds), ended - began, now.since(before))
        began, before = ended, now


def _totals(engine: Engine) -> tuple[float, Device]:
    with engine.lock:
        engine.advance()
        return engine.reached, replace(engine.device)


def iostat(
    engine: Engine, argv: list[str], out: Callable[[str], None], wait: Wait, *, iso: bool
) -> int:
    """iostat [-x] [-y] [-t] [-o JSON] [INTERVAL [COUNT]], one device, since the last report."""
    numbers = [word for word in argv if word.isdigit()]
    seconds, count = int([*numbers, "1"][0]), int(numbers[1]) if len(numbers) > 1 else -1
    stamped, as_json = "-t" in argv, "JSON" in argv
    cores = engine.scenario.host.cores
    out(_json_head(engine, cores) if as_json else _banner(engine, cores))
    comma = ""
    for interval in intervals(engine, seconds, count if numbers else 1, wait):
        when = _timestamp(interval.second, iso) if stamped else ""
        report = _report(interval, cores)
        if as_json:
            stamp = {"timestamp": when} if when else {}
            out(f"{comma}\n\t\t\t\t{json.dumps({**stamp, **report})}")
            comma = ","
        else:
            out(_text(report, when))
    if as_json:
        out("\n\t\t\t]\n\t\t}\n\t]\n}}\n")
    return 0


def _timestamp(second: int, iso: bool) -> str:
    form = "%Y-%m-%dT%H:%M:%S+0000" if iso else "%m/%d/%y %H:%M:%S"
    return time.strftime(form, time.gmtime(second))


def _json_head(engine: Engine, cores: int) -> str:
    day = time.strftime("%m/%d/%y", time.gmtime(engine.clock.now_ns() // 1_000_000_000))
    return (
        '{"sysstat": {\n\t"hosts": [\n\t\t{\n\t\t\t"nodename": "practice",\n'
        '\t\t\t"sysname": "Linux",\n\t\t\t"release": "6.1.0-practice",\n'
        f'\t\t\t"machine": "x86_64",\n\t\t\t"number-of-cpus": {cores},\n'
        f'\t\t\t"date": "{day}",\n\t\t\t"statistics": ['
    )


def _banner(engine: Engine, cores: int) -> str:
    day = time.strftime("%m/%d/%y", time.gmtime(engine.clock.now_ns() // 1_000_000_000))
    return f"Linux 6.1.0-practice (practice) \t{day} \t_x86_64_\t({cores} CPU)\n\n"


def _report(interval: Interval, cores: int) -> dict[str, object]:
    added, seconds = interval.added, interval.seconds
    busy = min(99.0, 100 * added.cpu_s / (seconds * cores) + 1)
    wait = min(99.0 - busy, 100 * added.wait_s / (seconds * cores))
    cpu = {
        "user": busy * 0.8,
        "nice": 0.0,
        "system": busy * 0.2,
        "iowait": max(0.0, wait),
        "steal": 0.0,
        "idle": 100 - busy - max(0.0, wait),
    }
    return {
        "avg-cpu": {name: round(share, 2) for name, share in cpu.items()},
        "disk": [{"disk_device": DEVICE, **_disk(added, seconds)}],
    }


def _disk(added: Device, seconds: float) -> dict[str, float]:
    waited = added.read_s + added.write_s + added.flush_s
    row = {
        "r/s": added.reads / seconds, "w/s": added.writes / seconds, "d/s": 0.0,
        "f/s": added.flushes / seconds, "rkB/s": added.read_kb / seconds,
        "wkB/s": added.write_kb / seconds, "dkB/s": 0.0, "rrqm/s": 0.0, "wrqm/s": 0.0,
        "drqm/s": 0.0, "rrqm": 0.0, "wrqm": 0.0, "drqm": 0.0,
        "r_await": 1000 * added.read_s / max(1.0, added.reads),
        "w_await": 1000 * added.write_s / max(1.0, added.writes), "d_await": 0.0,
        "f_await": 1000 * added.flush_s / max(1.0, added.flushes),
        "rareq-sz": added.read_kb / max(1.0, added.reads),
        "wareq-sz": added.write_kb / max(1.0, added.writes), "dareq-sz": 0.0,
        "aqu-sz": waited / seconds, "util": min(100.0, 100 * added.busy_s / seconds),
    }  # fmt: skip
    return {name: round(value, 2) for name, value in row.items()}


def _text(report: dict[str, object], when: str) -> str:
    cpu, disks = report["avg-cpu"], report["disk"]
    assert isinstance(cpu, dict)
    assert isinstance(disks, list)
    names = [name if "/" in name or "-" in name else f"%{name}" for name in disks[0]][1:]
    lines = [when] if when else []
    lines += ["avg-cpu:  " + " ".join(f"{'%' + name:>7}" for name in cpu)]
    lines += ["          " + " ".join(f"{share:7.2f}" for share in cpu.values()), ""]
    lines += ["Device    " + " ".join(f"{name:>8}" for name in names)]
    for disk in disks:
        values = list(disk.values())
        lines.append(f"{values[0]:<9} " + " ".join(f"{value:8.2f}" for value in values[1:]))
    return "\n".join([*lines, "", ""])


_VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)


def vmstat(engine: Engine, argv: list[str], out: Callable[[str], None], wait: Wait) -> int:
    """vmstat [INTERVAL [COUNT]]; no line since boot."""
    numbers = [word for word in argv if word.isdigit()]
    seconds, count = int([*numbers, "1"][0]), int(numbers[1]) if len(numbers) > 1 else -1
    host = engine.scenario.host
    out(_VMSTAT)
    for interval in intervals(engine, seconds, count if numbers else 1, wait):
        added, passed = interval.added, interval.seconds
        busy = min(99, int(100 * added.cpu_s / (passed * host.cores)))
        waiting = min(99 - busy, int(100 * added.wait_s / (passed * host.cores)))
        free = host.ram_bytes // 1024
        out(
            f"{busy * host.cores // 100:2d}  {waiting * host.cores // 100}      0 {free // 5} "
            f"{free // 100} {free // 2}    0    0 {added.read_kb / passed:5.0f} "
            f"{added.write_kb / passed:5.0f} 3000 9000 {busy * 4 // 5:2d} {busy // 5:2d} "
            f"{100 - busy - waiting:2d} {waiting:2d}  0\n"
        )
    return 0
