"""What iostat -x would say, from two looks at /proc/diskstats."""

from __future__ import annotations

import subprocess

import pytest

from ldap_workbench.capture.live.host_state import PROC
from ldap_workbench.logs.host.diskstats import DiskstatsReader

BEFORE = "254 0 vda 100 5 8000 400 50 1 1000 100 0 600 900 0 0 0 0"
AFTER = "254 0 vda 300 5 24000 800 150 1 3000 400 3 1600 2900 0 0 0 0"
PART = "254 1 vda1 1 1 1 1 1 1 1 1 1 1 1"


def tick(up: float, *lines: str) -> bytes:
    return "\n".join([f"@ {up}", "block: vda", *lines, ".", ""]).encode()


def test_the_columns_of_iostat() -> None:
    first, second = "cpu 0 0 0 0 0 0 0 0", "cpu 20 0 10 60 10 0 0 0"
    text = tick(10, BEFORE, PART, first) + tick(12, AFTER, PART, second)
    found = {s.series: s.value for s in DiskstatsReader(lambda up: 7).feed(text)}
    assert found == {
        "iostat:vda:r/s": 100.0,
        "iostat:vda:w/s": 50.0,
        "iostat:vda:rkB/s": 4000.0,
        "iostat:vda:wkB/s": 500.0,
        "iostat:vda:r_await": 2.0,
        "iostat:vda:w_await": 3.0,
        "iostat:vda:rareq-sz": 40.0,
        "iostat:vda:wareq-sz": 10.0,
        "iostat:vda:aqu-sz": 1.0,
        "iostat:vda:util": 50.0,
        "iostat:cpu:user": 20.0,
        "iostat:cpu:nice": 0.0,
        "iostat:cpu:system": 10.0,
        "iostat:cpu:iowait": 10.0,
        "iostat:cpu:steal": 0.0,
        "iostat:cpu:idle": 60.0,
    }


@pytest.mark.parametrize("line", ["254 0 vda x", "vda", "", "cpu a b", "254 0 vda " + "1 " * 10])
def test_what_does_not_fit_is_left_out(line: str) -> None:
    assert DiskstatsReader(lambda up: 0).feed(tick(1, line) + tick(2, line)) == []


def test_counters_that_fell_are_of_another_disk() -> None:
    assert DiskstatsReader(lambda up: 0).feed(tick(1, AFTER) + tick(2, BEFORE)) == []


def test_this_kernel_prints_what_is_read() -> None:
    reader, found = DiskstatsReader(lambda up: round(up)), []
    with subprocess.Popen(PROC, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while not found:
            found = reader.feed(process.stdout.readline())
        process.terminate()
    values = {sample.series: sample.value for sample in found}
    assert 0 <= values["iostat:cpu:idle"] <= 100
    assert all(0 <= value <= 100 for name, value in values.items() if name.endswith(":util"))
