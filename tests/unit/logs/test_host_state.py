"""What a kernel tells of the server's process, tick by tick, in shares of the time between."""

from __future__ import annotations

import base64
import struct

import pytest

from ldap_workbench.logs.host.state import (
    MAGIC,
    POOL_UNREADABLE,
    HostStateReader,
    read_pool,
    role_of,
)
from ldap_workbench.model.units import NS_PER_S


def tick(up: float, *lines: str) -> bytes:
    return "\n".join([f"@ {up}", "pid:100", *lines, ".", ""]).encode()


def thread(number: int, name: str, ran_s: float, waited_s: float = 0.0) -> tuple[str, str]:
    """Its two files as they are: utime and stime are told in 1/100 s, schedstat in ns."""
    fields = f"S 1 100 100 0 -1 4194560 10 0 0 0 {round(ran_s * 100)} 0 0 0 20 0"
    return (
        f"/proc/100/task/{number}/stat:{number} ({name}) {fields}",
        f"/proc/100/task/{number}/schedstat:{round(ran_s * 1e9)} {round(waited_s * 1e9)} 5",
    )


def read(*ticks: bytes) -> dict[str, float]:
    """The values of the last tick."""
    samples = HostStateReader(lambda up: round(up * NS_PER_S)).feed(b"".join(ticks))
    last = max(sample.time_ns for sample in samples)
    return {sample.series: sample.value for sample in samples if sample.time_ns == last}


def test_pressure_is_the_share_of_the_time_between() -> None:
    line = "/proc/pressure/io:full avg10=0.00 avg60=0.00 avg300=0.00 total={}"
    found = read(tick(10, line.format(1_000_000)), tick(12, line.format(1_500_000)))
    assert found == {"psi:io:full": pytest.approx(25.0)}


def test_threads_of_one_name_are_one_role_and_the_busiest_is_told() -> None:
    before = [*thread(101, "worker-1", 5.0), *thread(102, "worker-2", 7.0, 1.0)]
    after = [*thread(101, "worker-1", 5.1), *thread(102, "worker-2", 7.9, 1.2)]
    found = read(tick(1, *before), tick(2, *after))
    assert found == {
        "thread:worker:cpu": pytest.approx(100.0),
        "thread:worker:top": pytest.approx(90.0),
        "thread:worker:wait": pytest.approx(20.0),
    }


def test_threads_that_bear_the_name_of_the_program_go_by_their_number() -> None:
    before = [*thread(100, "ns-slapd", 1.0), *thread(117, "ns-slapd", 1.0)]
    after = [*thread(100, "ns-slapd", 1.0), *thread(117, "ns-slapd", 1.5)]
    found = read(tick(1, *before), tick(2, *after))
    assert found["thread:117:cpu"] == pytest.approx(50.0)
    assert found["thread:ns-slapd:cpu"] == 0.0


def test_without_schedstat_the_hundredths_count() -> None:
    before, after = thread(101, "listener", 1.0)[0], thread(101, "listener", 1.25)[0]
    found = read(tick(1, before), tick(2, after))
    assert found == {
        "thread:listener:cpu": pytest.approx(25.0),
        "thread:listener:top": pytest.approx(25.0),
    }


def test_another_process_is_not_compared_with_the_one_before() -> None:
    before = tick(1, *thread(101, "listener", 9.0))
    after = tick(2, *thread(101, "listener", 9.5)).replace(b"pid:100", b"pid:200")
    assert HostStateReader(lambda up: 0).feed(before + after) == []


def test_limits_of_a_group_of_either_version() -> None:
    two = "/sys/fs/cgroup/system.slice/dirsrv.service/"
    lines = [f"{two}cpu.max:150000 100000", f"{two}memory.current:1000", f"{two}memory.max:max"]
    before = tick(1, *lines, f"{two}cpu.stat:throttled_usec 0", f"{two}cpu.stat:usage_usec 0")
    after = tick(
        2, *lines, f"{two}cpu.stat:throttled_usec 40000", f"{two}cpu.stat:usage_usec 1200000"
    )
    assert read(before, after) == {
        "cgroup:cpu:limit": 1.5,
        "cgroup:memory:used": 1000.0,
        "cgroup:cpu:throttled": pytest.approx(4.0),
        "cgroup:cpu:used": pytest.approx(1.2),
    }
    one = "/sys/fs/cgroup/cpu/slice/cpu.stat:throttled_time {}"
    found = read(tick(1, one.format(0)), tick(2, one.format(30_000_000)))
    assert found == {"cgroup:cpu:throttled": pytest.approx(3.0)}
    allowed = [
        f"/sys/fs/cgroup/cpu/slice/cpu.cfs_{line}"
        for line in ("quota_us:20000", "period_us:100000")
    ]
    assert read(tick(1), tick(2, *allowed)) == {"cgroup:cpu:limit": 0.2}
    unlimited = allowed[0].replace("20000", "-1")
    assert HostStateReader(lambda up: 0).feed(tick(1) + tick(2, unlimited, allowed[1])) == []


def test_memory_of_the_process_is_counted_in_pages_of_the_host() -> None:
    memory = "/proc/100/statm:900000 2500 500 400 0 3000 0"
    files = "limits:Max open files            1048576              1048576              files     "
    found = read(tick(1, "page:16384", files, memory))
    assert found == {
        "process:memory:resident": 2500 * 16384.0,
        "process:memory:own": 2000 * 16384.0,
        "process:files:limit": 1048576.0,
    }


def test_steal_is_of_all_processors() -> None:
    before, after = "/proc/stat:cpu 0 0 0 0 0 0 0 0 0 0", "/proc/stat:cpu 50 0 0 100 0 0 0 50 0 0"
    assert read(tick(1, before), tick(2, after)) == {"host:cpu:steal": pytest.approx(25.0)}


@pytest.mark.parametrize(
    "line",
    [
        "/proc/pressure/io:full avg10=x",
        "/proc/100/task/x/stat:1 (a) S",
        "/proc/100/task/101/stat:101 (short) S 1",
        "/sys/fs/cgroup/a/cpu.max:max 100000",
        "/sys/fs/cgroup/a/memory.current:-1",
        "threadpool:****",
        "page:-1",
        "limits:Max open files            unlimited            unlimited            files     ",
        "@ nonsense",
        "\x00\x1b[2J",
    ],
)
def test_lines_that_do_not_fit_are_left_out(line: str) -> None:
    reader = HostStateReader(lambda up: 0)
    assert reader.feed(tick(1, line) + tick(2, line)) == []


def test_a_tick_may_come_in_pieces() -> None:
    line = "/proc/pressure/cpu:some avg10=0.00 avg60=0.00 avg300=0.00 total={}"
    text = tick(1, line.format(0)) + tick(2, line.format(100_000))
    reader = HostStateReader(lambda up: round(up))
    found = [sample for i in range(len(text)) for sample in reader.feed(text[i : i + 1])]
    assert [(s.time_ns, s.series) for s in found] == [(2, "psi:cpu:some")]
    assert reader.kinds == {"psi"}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("worker-12", "worker"),
        ("Worker Thread 3", "Worker Thread"),
        ("bdb-chkpoint", "bdb-chkpoint"),
        ("G1 Refine#0", "G1 Refine"),
        ("ct-list-1", "ct-list"),
        ("a;b|c", "a?b?c"),
        ("ns-slapd", "7"),
    ],
)
def test_roles(name: str, role: str) -> None:
    assert role_of(name, 7, "ns-slapd") == role


# As threadpool_stats.h has it; tests/live/capture/test_worker_pool.py reads that of a server.
def pool(order: str = "<", *, magic: int = MAGIC, workers: int = 2) -> bytes:
    beat = 9_000_000_000
    header = struct.pack(
        f"{order}QHHIIIQQQQII", magic, 1, 0, 4096, 64, workers, 100, 1, beat, 1, 0, 0
    ) + struct.pack(f"{order}7Q", 5, 9, 1, 2, 100, 97, 12)
    slots = [(2, 0x63, 4, 0, beat - 250_000_000), (1, 0, 0, 0, 0)]
    return header.ljust(4096, b"\0") + b"".join(
        struct.pack(f"{order}IIQQQ", *slot).ljust(64, b"\0") for slot in slots
    )


@pytest.mark.parametrize("order", ["<", ">"])
def test_the_thread_pool_file(order: str) -> None:
    assert read_pool(pool(order)) == {
        "threadpool:queue": 5.0,
        "threadpool:busy": 1.0,
        "threadpool:workers": 2.0,
        "threadpool:in_flight": 3.0,
        "threadpool:connections": 12.0,
        "threadpool:busy:SRCH": 1.0,
        "threadpool:longest_ms": 250.0,
    }


@pytest.mark.parametrize(
    "data", [b"", pool()[:100], pool(magic=1), pool(workers=1 << 20), b"root:x:0:0" * 500]
)
def test_another_file_is_no_thread_pool(data: bytes) -> None:
    assert read_pool(data) == {}


def test_the_thread_pool_comes_with_a_tick() -> None:
    found = read(tick(1, "threadpool:" + base64.b64encode(pool()).decode()))
    assert found["threadpool:longest_ms"] == 250.0


def test_a_thread_pool_that_may_not_be_read_is_told_of() -> None:
    reader = HostStateReader(lambda up: 0)
    assert reader.feed(tick(1, "threadpool:unreadable")) == []
    assert reader.kinds == {POOL_UNREADABLE}
