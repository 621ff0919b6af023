"""The script that reads /proc, run on this machine: what it prints is what the reader takes."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from pathlib import Path

import pytest

from ldap_workbench.capture.live.host_state import STATE
from ldap_workbench.connect.commands import host_path
from ldap_workbench.logs.host.state import MAGIC, HostStateReader
from tests.unit.logs.test_host_state import pool


def ticks(*words: str | int, count: int = 2) -> dict[str, float]:
    """The last values of so many ticks, 0.3 s apart."""
    first, *rest = words
    argv = STATE.argv(host_path(str(first)), *rest)
    reader = HostStateReader(lambda up: round(up * 1e9))
    found: dict[str, float] = {}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        seen = 0
        while seen < count:
            line = process.stdout.readline()
            seen += line == b".\n"
            found |= {sample.series: sample.value for sample in reader.feed(line)}
        process.terminate()
    return found


@pytest.fixture
def pid_file(tmp_path: Path) -> Path:
    path = tmp_path / "server.pid"
    path.write_text(f"{os.getpid()}\n")
    return path


def test_the_threads_of_a_process_are_counted(pid_file: Path) -> None:
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        pass  # it must have used a processor
    found = ticks(pid_file, "-", "0.3", "-")
    assert [name for name in found if name.startswith("thread:") and name.endswith(":cpu")]
    if Path("/proc/pressure/cpu").exists():
        assert 0 <= found["psi:cpu:some"] <= 100
    assert 0 <= found["host:cpu:steal"] <= 100


def test_its_memory_and_its_descriptors_are_told(pid_file: Path) -> None:
    found = ticks(pid_file, "-", "0.1", "-", count=1)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert found["process:memory:resident"] == pytest.approx(
        pages * resource.getpagesize(), rel=0.2
    )
    assert found["process:files:limit"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_a_pid_file_that_holds_something_else_is_no_process(tmp_path: Path) -> None:
    path = tmp_path / "server.pid"
    path.write_text("1; echo thread: \n")
    found = ticks(path, "-", "0.1", "-")
    assert [name for name in found if name.startswith("thread:")] == []
    assert "host:cpu:steal" in found


def test_the_thread_pool_file_is_sent_and_no_other(pid_file: Path, tmp_path: Path) -> None:
    good, other = tmp_path / "threadpool", tmp_path / "secret"
    good.write_bytes(pool())
    other.write_bytes(b"x" + MAGIC.to_bytes(8, "little") + b"root:secret\n" * 1000)
    assert ticks(pid_file, str(good), "0.1", "-")["threadpool:queue"] == 5.0
    found = ticks(pid_file, str(other), "0.1", "-")
    assert [name for name in found if name.startswith("threadpool")] == []
