"""What the Linux kernel tells of the server's process, once a second -> samples.

Each tick is a block of lines `FILE:TEXT` between '@ UPTIME' and '.', as
capture/live/host_state.py prints them. Counters become shares of the tick's time, in percent:

    psi:RESOURCE:some|full      time in which some, or all, tasks waited for cpu, io, memory
    cgroup:cpu:throttled        time for which the group was held back; limit and uses in processors
    cgroup:memory:used|limit    bytes
    process:memory:resident     bytes of the server's process that are in memory, and of these
    process:memory:own          its own: without the files it maps, as LMDB and Berkeley DB do
    process:files:limit         descriptors it may have
    host:cpu:steal              of all processors, given to other guests
    thread:ROLE:cpu|wait|top    threads of one name: processor time, time ready but not running,
                                and the processor time of the busiest one
    threadpool:...              what every worker of 389 DS 3.3.1 and later does, see `read_pool`

389 DS names its threads from 2.8.1 on and Java always; where all bear the name of the program, each
is known by its number. A line is a stranger's: what does not fit is left out, lines are bounded.
The thread-pool file is laid out as in the server's threadpool_stats.h, version 1: a header of 4096
bytes, then a slot of 64 bytes for each worker, in the byte order of the host.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from ldap_workbench.model.window import Sample

POOL_UNREADABLE = "threadpool unreadable"
"""Among the kinds where the host has the file and this login may not read it."""
_MOST_THREADS = 512
_LONGEST = 1 << 20
"""Bytes of a tick at most."""
_PSI = re.compile(rb"/proc/pressure/(cpu|io|memory):(some|full) .*total=(\d{1,19})")
_THREAD = re.compile(rb"/proc/\d+/task/(\d+)/stat:\d+ \((.{1,64})\) . (.*)")
_SCHEDULED = re.compile(rb"/proc/\d+/task/(\d+)/schedstat:(\d{1,19}) (\d{1,19}) ")
_GROUP = re.compile(rb"/sys/fs/cgroup/.*/(cpu|memory)\.([a-z_]+):(.*)")
_USER, _SYSTEM = 10, 11
"""Places of utime and stime behind the state in /proc/PID/task/TID/stat."""
_MEMORY = re.compile(rb"/proc/\d+/statm:\d{1,15} (\d{1,15}) (\d{1,15}) ")
"""Pages in memory, and how many of them are of files or shared."""
_FILES = re.compile(rb"limits:Max open files +(\d{1,19}) ")
_STEAL = 8
_TICKS_PER_S = 100
"""USER_HZ, the same on every Linux that runs a directory server."""


@dataclass
class _Tick:
    up_s: float
    totals: dict[str, float] = field(default_factory=dict)
    """Counters in seconds, whose growth is a share of time."""
    gauges: dict[str, float] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    ran_s: dict[int, float] = field(default_factory=dict)
    waited_s: dict[int, float] = field(default_factory=dict)
    quota_us: int = 0
    cpu: tuple[int, ...] = ()
    """Time of all processors by state, in ticks."""
    process: int = 0
    page: int = 0
    """Bytes of a page of memory; 0 where the host does not tell."""


class HostStateReader:
    """Turns the blocks into samples; `clock` gives the server's time, ns, of an uptime in s."""

    def __init__(self, clock: Callable[[float], int]) -> None:
        self._clock = clock
        self._rest = b""
        self._tick: _Tick | None = None
        self._before: _Tick | None = None
        self.kinds: set[str] = set()
        """First words of the series that have come: psi, cgroup, thread ..."""

    def feed(self, data: bytes) -> list[Sample]:
        """The samples of the ticks that `data` completes; the first tick has none but gauges."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST:]
        samples: list[Sample] = []
        for line in lines:
            if line.startswith(b"@ "):
                self._tick = _begun(line)
            elif self._tick is None:
                continue
            elif line == b"threadpool:unreadable":
                self.kinds.add(POOL_UNREADABLE)
            elif line == b".":
                samples += self._finished(self._tick)
                self._before, self._tick = self._tick, None
            else:
                _take(self._tick, line)
        self.kinds |= {sample.series.partition(":")[0] for sample in samples}
        return samples

    def _finished(self, tick: _Tick) -> list[Sample]:
        values = dict(tick.gauges)
        before = self._before
        seconds = tick.up_s - before.up_s if before else 0.0
        if before and seconds > 0:
            values |= _shares(before, tick, seconds) | _threads(before, tick, seconds)
        time_ns = self._clock(tick.up_s)
        return [Sample(time_ns, name, value) for name, value in values.items()]


def _begun(line: bytes) -> _Tick | None:
    try:
        return _Tick(float(line[2:]))
    except ValueError:
        return None


def _take(tick: _Tick, line: bytes) -> None:
    if match := _PSI.match(line):
        resource, who, total = (part.decode() for part in match.groups())
        tick.totals[f"psi:{resource}:{who}"] = int(total) / 1e6
    elif match := _SCHEDULED.match(line):
        thread = int(match[1])
        tick.ran_s[thread] = int(match[2]) / 1e9
        tick.waited_s[thread] = int(match[3]) / 1e9
    elif match := _THREAD.match(line):
        _take_thread(tick, int(match[1]), match[2], match[3].split())
    elif match := _MEMORY.match(line):
        resident, shared = (int(pages) * tick.page for pages in match.groups())
        tick.gauges["process:memory:resident"] = float(resident)
        tick.gauges["process:memory:own"] = float(resident - shared)
    elif match := _GROUP.match(line):
        _take_group(tick, match[1].decode(), match[2].decode(), match[3].decode("ascii", "replace"))
    elif line.startswith(b"/proc/stat:cpu "):
        tick.cpu = tuple(int(word) for word in line.split()[1:] if word.isdigit())
    elif line.startswith(b"pid:") and line[4:].isdigit():
        tick.process = int(line[4:])
    elif line.startswith(b"page:") and line[5:].isdigit():
        tick.page = int(line[5:])
    elif match := _FILES.match(line):
        tick.gauges["process:files:limit"] = float(match[1])
    elif line.startswith(b"threadpool:"):
        tick.gauges |= _pool(line[11:])


def _take_thread(tick: _Tick, thread: int, name: bytes, fields: list[bytes]) -> None:
    if len(tick.names) >= _MOST_THREADS or len(fields) <= _SYSTEM:
        return
    tick.names[thread] = name.decode("ascii", "replace").strip()
    used = fields[_USER], fields[_SYSTEM]
    if all(number.isdigit() for number in used):
        tick.ran_s.setdefault(thread, sum(map(int, used)) / _TICKS_PER_S)


def _take_group(tick: _Tick, controller: str, name: str, text: str) -> None:
    words = text.split()
    match controller, name, words:
        case "cpu", "stat", ["throttled_usec", number] if number.isdigit():
            tick.totals["cgroup:cpu:throttled"] = int(number) / 1e6
        case "cpu", "stat", ["throttled_time", number] if number.isdigit():  # cgroup 1, in ns
            tick.totals["cgroup:cpu:throttled"] = int(number) / 1e9
        case "cpu", "stat", ["usage_usec", number] if number.isdigit():
            tick.totals["cgroup:cpu:used"] = int(number) / 1e6
        case "cpu", "max", [quota, period] if quota.isdigit() and period.isdigit():
            tick.gauges["cgroup:cpu:limit"] = int(quota) / max(int(period), 1)
        case "cpu", "cfs_quota_us", [quota] if quota.isdigit():  # cgroup 1; -1 is no limit
            tick.quota_us = int(quota)
        case "cpu", "cfs_period_us", [period] if period.isdigit() and tick.quota_us:
            tick.gauges["cgroup:cpu:limit"] = tick.quota_us / max(int(period), 1)
        case "memory", "current", [number] if number.isdigit():
            tick.gauges["cgroup:memory:used"] = float(number)
        case "memory", "max", [number] if number.isdigit():
            tick.gauges["cgroup:memory:limit"] = float(number)


def _pool(text: bytes) -> dict[str, float]:
    try:
        return read_pool(base64.b64decode(text, validate=True))
    except binascii.Error:
        return {}


def _shares(before: _Tick, tick: _Tick, seconds: float) -> dict[str, float]:
    """Growth of counters in percent of the time; of a restarted group nothing."""
    shares = {
        name: 100 * grown / seconds
        for name, total in tick.totals.items()
        if (grown := total - before.totals.get(name, total + 1)) >= 0
    }
    # The time of a tick is known to 10 ms only.
    shares |= {name: min(share, 100.0) for name, share in shares.items() if name.startswith("psi:")}
    passed = sum(tick.cpu[:_STEAL]) - sum(before.cpu[:_STEAL])
    if passed > 0 and len(tick.cpu) >= _STEAL and len(before.cpu) >= _STEAL:
        stolen = tick.cpu[_STEAL - 1] - before.cpu[_STEAL - 1]
        shares["host:cpu:steal"] = 100 * max(stolen, 0) / passed
    if "cgroup:cpu:used" in shares:
        shares["cgroup:cpu:used"] /= 100  # as its limit: in processors
    return shares


def _threads(before: _Tick, tick: _Tick, seconds: float) -> dict[str, float]:
    """By role: processor time and waiting of its threads together, and of the busiest one."""
    if tick.process != before.process:
        return {}
    ran: dict[str, list[float]] = defaultdict(list)
    waited: dict[str, float] = defaultdict(float)
    own = tick.names.get(tick.process, "")
    for thread, name in tick.names.items():
        if thread not in before.ran_s or thread not in tick.ran_s:
            continue
        role = role_of(name, thread, own if thread != tick.process else "")
        ran[role].append(100 * max(tick.ran_s[thread] - before.ran_s[thread], 0) / seconds)
        if thread in tick.waited_s and thread in before.waited_s:
            grown = max(tick.waited_s[thread] - before.waited_s[thread], 0)
            waited[role] += 100 * grown / seconds
    times = {f"thread:{role}:cpu": sum(values) for role, values in ran.items()}
    times |= {f"thread:{role}:top": max(values) for role, values in ran.items()}
    return times | {f"thread:{role}:wait": value for role, value in waited.items()}


def role_of(name: str, thread: int, program: str) -> str:
    """'worker' of worker-12, 'Worker Thread' of 'Worker Thread 3'.

    Its number where a thread bears the name of its program.
    """
    if name == program:
        return str(thread)
    role = re.sub(r"[\s#-]*\d+$", "", name)
    return re.sub(r"[^\w .#/-]", "?", role) or str(thread)


MAGIC = 0x54504F4F4C535431
"""'TPOOLST1'."""
SLOT = 64
_FIRST = struct.calcsize("QHHIIIQQQQII")
_MOST_WORKERS = 4096
_BUSY = 2
_TAGS = {
    0x60: "BIND", 0x63: "SRCH", 0x66: "MOD", 0x68: "ADD", 0x4A: "DEL", 0x6C: "MODRDN", 0x6E: "CMP",
    0x77: "EXT",
}  # fmt: skip
"""Tags of LDAP requests (RFC 4511)."""


def read_pool(data: bytes) -> dict[str, float]:
    """Gauges of one copy of the file.

    'threadpool:busy', ':queue', ':longest_ms' and how many workers do what, ':busy:SRCH'. {} for
    anything else than such a file.

    A slot is written without a lock: one with nothing in flight, or that began after the header's
    heartbeat, is not counted as running long.
    """
    order = _order(data)
    if not order or len(data) < _FIRST + 56:
        return {}
    header = struct.unpack_from(f"{order}QHHIIIQQQQII", data)
    size, slot, workers, beat = header[3], header[4], header[5], header[8]
    if header[1] != 1 or slot != SLOT or workers > _MOST_WORKERS or size > len(data):
        return {}
    queue, _, busy, _, begun, done, connections = struct.unpack_from(f"{order}7Q", data, _FIRST)
    pool = {
        "threadpool:queue": float(queue),
        "threadpool:busy": float(busy),
        "threadpool:workers": float(workers),
        "threadpool:in_flight": float(max(begun - done, 0)),
        "threadpool:connections": float(connections),
    }
    return pool | _slots(data[size:], order, workers, beat)


def _order(data: bytes) -> str:
    """'<' or '>' by the magic; '' where it is another file."""
    return next(
        (o for o in "<>" if len(data) >= 8 and struct.unpack_from(f"{o}Q", data)[0] == MAGIC), ""
    )


def _slots(data: bytes, order: str, workers: int, beat_ns: int) -> dict[str, float]:
    slots: dict[str, float] = {}
    longest = 0
    for place in range(min(workers, len(data) // SLOT)):
        state, tag, _, _, start = struct.unpack_from(f"{order}IIQQQ", data, place * SLOT)
        if state != _BUSY or not start:
            continue
        name = f"threadpool:busy:{_TAGS.get(tag, 'other')}"
        slots[name] = slots.get(name, 0.0) + 1
        longest = max(longest, beat_ns - start)
    slots["threadpool:longest_ms"] = longest / 1e6
    return slots
