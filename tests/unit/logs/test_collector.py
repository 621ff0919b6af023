"""Logs of Java's garbage collector, as Java 17 and 25 wrote them here, and as Java 8 does."""
# ruff: noqa: E501 - lines as Java writes them

import pytest

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import CLOCK, Clock
from ldap_workbench.logs.server.collector import PAUSE, read_collector_log
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.window import SourceKind

AT_NS = 1_796_046_391_263_000_000  # 2026-11-30T13:46:31.263Z

SERIAL = """\
[2026-11-30T13:46:30.464+0000][0.002s][info][gc] Using Serial
[2026-11-30T13:46:31.263+0000][4.353s][info][gc] GC(0) Pause Young (Allocation Failure) 17M->4M(61M) 148.865ms
"""
G1_WITH_DETAILS = """\
[2026-11-30T13:46:31.198+0000][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
[2026-11-30T13:46:31.263+0000][info][gc,phases   ] GC(0)   Evacuate Collection Set: 57.6ms
[2026-11-30T13:46:31.263+0000][info][gc,metaspace] GC(0) Metaspace: 7727K(7872K)->7727K(7872K) NonClass: 1K(2K)->1K(2K)
[2026-11-30T13:46:31.263+0000][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(64M) 64.854ms
[2026-11-30T13:46:31.263+0000][info][gc,cpu      ] GC(0) User=0.02s Sys=0.00s Real=0.06s
[2026-11-30T13:46:31.263+0000][info][safepoint   ] Safepoint "G1CollectForAllocation", Time since last: 1 ns, Total: 9 ns
[2026-11-30T13:46:32.000+0000][info][gc          ] GC(1) Concurrent Mark Cycle 750.123ms
"""
Z_OF_25 = """\
[2026-11-30T13:46:31.263+0000] GC(0) Y: Pause Mark Start (Major) 0.015ms
[2026-11-30T13:46:31.289+0000] GC(0) Y: Concurrent Mark 25.000ms
"""
JAVA_8 = """\
OpenJDK 64-Bit Server VM (25.402-b06) for linux-amd64 JRE (1.8.0_402-b06)
2026-11-30T15:46:30.263+0200: 812.004: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(9K)] [ParOldGen: 9M->8M(20M)] 16M->8M(29M), [Metaspace: 3K->3K(4K)], 1.0000000 secs] [Times: user=1.9 sys=0.0, real=1.0 secs]
2026-11-30T15:46:40.000+0200: 821.741: [GC concurrent-mark-end, 0.8000000 secs]
"""


def of(text, name, clock=CLOCK):
    readings = read_collector_log(text.encode(), clock)
    return [(sample.time_ns, sample.value) for sample in readings.samples if sample.series == name]


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        (SERIAL, 148.865),
        (SERIAL.replace("148.865ms", "148,865ms"), 148.865),
        (G1_WITH_DETAILS, 64.854),
        (JAVA_8, 1000.0),
        (JAVA_8.replace("1.0000000", "1,0000000"), 1000.0),
    ],
    ids=["serial", "a decimal comma", "g1", "java 8", "java 8 with a comma"],
)
def test_a_pause_stands_where_it_ended(text, ms):
    """What works beside the threads is no pause, and no detail of one is another."""
    assert of(text, PAUSE) == [(AT_NS, ms)]


def test_pauses_of_zgc_are_those_of_its_phases():
    assert of(Z_OF_25, PAUSE) == [(AT_NS, 0.015)]


def test_seconds_since_the_start_need_to_be_told_when_that_was():
    text = "[4.353s][info][gc] GC(0) Pause Full (System.gc()) 17M->4M(61M) 148.865ms\n"
    with pytest.raises(LogError, match="no times of day") as refused:
        read_collector_log(text.encode(), CLOCK)
    assert "--began" in str(refused.value.remedy)
    assert of(text, PAUSE, Clock(start_ns=AT_NS - 4_353_000_000)) == [(AT_NS, 148.865)]


def test_every_line_is_accounted_for():
    """A pause without a time is set aside, and what is no line of a collector is unknown."""
    odd = ["", "Hello.", "[4.3s][info][gc] GC(0) Pause Full (x) 1.0ms", f"[gc] GC(0) {'9' * 9000}"]
    text = G1_WITH_DETAILS + "\n".join(odd)
    lines = read_collector_log(text.encode(), CLOCK).lines
    assert (lines.understood, lines.set_aside, lines.unknown) == (7, 2, 2)


def test_what_is_no_number_is_no_pause():
    assert of("[gc] GC(0) Pause Full (x) 1.2.3ms\n[GC (x), . secs]\n", PAUSE) == []


@pytest.mark.parametrize("text", [SERIAL, G1_WITH_DETAILS, Z_OF_25, JAVA_8])
def test_it_is_known_by_its_lines(text):
    seen = detect(text.encode())
    assert (seen.kind, seen.dialect) == (SourceKind.MONITOR, "java-collector")
