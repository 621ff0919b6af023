"""iostat and vmstat as text, LDIF, histograms, stacks, audit log."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.logs.host.histograms import Bucket, read_histograms
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Clock, Readings, Tally
from ldap_workbench.logs.server.audit389 import AuditLogReader, read_audit_log, redacted
from ldap_workbench.logs.server.ldif import monitor_time, read_ldif
from ldap_workbench.logs.server.stacks import held_calls, read_stacks, top_calls
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.units import NS_PER_S
from tests.unit.logs.material import CORPUS, material, read_reports

NS = 1795227600 * 10**9


def values(readings: Readings, series: str) -> list[float]:
    return [sample.value for sample in readings.samples if sample.series == series]


OLD = """Linux 3.13.0-76-generic (object2) \t11/21/2026 \t_x86_64_\t(4 CPU)

11/21/2026 02:19:59 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1,41    0,00    0,46    0,17    0,00   97,95

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await svctm  %util
sda               0,00     0,02    9,99    0,11     0,01     0,00    52,51     0,00    0,88  0,52   0,01

11/21/2026 02:20:00 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           2,00    0,00    0,46    0,17    0,00   90,00

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await svctm  %util
sda               0,00     0,02    1,50    0,11     2,00     0,00    52,51     0,25    0,88  0,52  33,30
sda1              0,00     0,02    1,50    0,11     2,00     0,00    52,51     0,25    0,88  0,52  33,30
nvme0n1           0,00     0,00    7,00    0,00     0,00     0,00     0,00     0,00    0,00  0,00   0,00
"""  # noqa: E501


def test_iostat_of_an_old_generation() -> None:
    readings = read_reports(OLD.encode())
    assert readings.reports == 1
    assert readings.left_out == {"report since boot": 1, "partition": 1}
    assert {sample.time_ns for sample in readings.samples} == {NS}
    assert values(readings, "iostat:sda:r/s") == [1.5]
    assert values(readings, "iostat:sda:rkB/s") == [2048]
    assert values(readings, "iostat:sda:aqu-sz") == [0.25]
    assert values(readings, "iostat:sda:util") == [33.3]
    assert values(readings, "iostat:cpu:idle") == [90]
    assert values(readings, "iostat:nvme0n1:r/s") == [7]


def test_iostat_for_people_puts_the_device_last() -> None:
    text = """Linux 1.2.3 (h) \t11/21/26 \t_x86_64_\t(8 CPU)

     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device
    6.90    222.1k     0.39   5.4%   12.58    32.2k sda
    0.01      1.5M     0.00   0.0%   60.92     0.0k My Label

     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device
    1.69     57.1k     1.36  44.6%    9.61    33.7k sda
"""
    readings = read_reports(text.encode(), Clock(since_boot=False, start_ns=NS))
    assert readings.reports == 1
    assert values(readings, "iostat:sda:rrqm") == [5.4]
    assert values(readings, "iostat:sda:wkB/s") == [57.1]
    assert values(readings, "iostat:My Label:rkB/s") == [1536]
    with pytest.raises(LogError, match="no times"):
        read_reports(text.encode(), Clock(since_boot=False))


def test_iostat_of_solaris() -> None:
    text = """1795227500
                    extended device statistics
    r/s    w/s   Mr/s   Mw/s wait actv wsvc_t asvc_t  %w  %b device
    9.9    0.0    0.0    0.0  0.0  0.0    0.0    0.0   0   0 c0t0d0
1795227600
                    extended device statistics
    r/s    w/s   Mr/s   Mw/s wait actv wsvc_t asvc_t  %w  %b device
    1.0    2.0    0.5    0.0  0.0  0.1    0.4    7.3   0  16 c0
    1.0    2.0    0.5    0.0  0.0  0.1    0.4    7.3   0  16 c0t0d0 (/export/home)
    1.0    2.0    0.5    0.0  0.0  0.1    0.4    7.3   0  16 c0t0d0s3
    3.0    0.0    0.0    0.0  0.0  0.0    0.0    0.0   0   0 nas:/export/x
<<device added: sd0>>
"""
    readings = read_reports(text.encode())
    assert readings.left_out == {"report since boot": 1, "controller": 1, "partition": 1}
    assert values(readings, "iostat:c0t0d0:kr/s") == [512]
    assert values(readings, "iostat:c0t0d0:%b") == [16]
    assert values(readings, "iostat:nas:/export/x:r/s") == [3]
    assert {sample.time_ns for sample in readings.samples} == {NS}


def test_counts_per_interval_become_rates() -> None:
    text = """                  extended device statistics
device       r/i    w/i   kr/i   kw/i wait actv  svc_t  %w  %b
md10      50.0 100.0 0.0 0.0  0.0  0.0   30.0   1   2
"""
    clock = Clock(since_boot=False, start_ns=NS, interval_ns=5 * 10**9)
    readings = read_reports(text.encode(), clock)
    assert values(readings, "iostat:md10:r/s") == [10]
    assert values(readings, "iostat:md10:w/s") == [20]


COUNTS = """{}
                  extended device statistics
device       r/i    w/i   kr/i   kw/i wait actv  svc_t  %w  %b
md10      60.0 120.0 0.0 0.0  0.0  0.0   30.0   1   2
"""


@pytest.mark.parametrize(
    "times",
    [
        ("1795227490", "1795227500", "1795227530"),
        ("Sat Nov 21 02:18:10 2026", "Sat Nov 21 02:18:20 2026", "Sat Nov 21 02:18:50 2026"),
    ],
)
def test_counts_are_divided_by_the_time_since_the_report_before(times: tuple[str, ...]) -> None:
    readings = read_reports("".join(COUNTS.format(time) for time in times).encode())
    assert values(readings, "iostat:md10:r/s") == [6, 2]
    assert values(readings, "iostat:md10:%b") == [2, 2]
    assert readings.notes == ()


def test_an_interval_that_nothing_tells_is_said_to_be_assumed() -> None:
    clock = Clock(since_boot=False, start_ns=NS, interval_ns=5 * 10**9)
    readings = read_reports(COUNTS.format("").encode() * 2, clock)
    assert values(readings, "iostat:md10:r/s") == [12, 12]
    (note,) = readings.notes
    assert "how long 2 of them lasted" in str(note)
    assert "assumed to be 5 s" in str(note)


def test_other_files_are_named_not_read() -> None:
    text = b"    KB/t  tps  MB/s     KB/t  tps  MB/s\n  160.10   35  5.54  9.72 0 0.00\n"
    detection = detect(text)
    assert (detection.kind, str(detection.title)) == (None, "iostat of macOS or BSD")
    assert str(detection.instead) == "Import vmstat of the same time."


def test_every_reference_iostat_gives_samples() -> None:
    if not CORPUS.exists():
        pytest.skip("the reference material is not beside the checkout")
    empty = []
    for path in sorted((CORPUS / "iostat").rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if detect(data).dialect in ("iostat-linux", "iostat-json", "iostat-solaris"):
            readings = read_reports(data, Clock(since_boot=False, start_ns=0))
            if not readings.samples:
                empty.append(path.name)
    # These print groups only (-g -H), or no device at all.
    assert set(empty) == {"expected.iostat-gH.txt", "expected.iostat-foo.txt"}


def test_text_and_json_of_one_run_agree() -> None:
    text = read_reports(material("iostat/sysstat-12.7/expected.iostat-x-p-ALL.txt").read_bytes(),
                       Clock(since_boot=False, start_ns=0))  # fmt: skip
    twin = read_reports(material("iostat/sysstat-12.7/expected.iostat-x-p-ALL-JSON.txt")
                       .read_bytes(), Clock(since_boot=False, start_ns=0))  # fmt: skip
    assert {(s.series, s.value) for s in twin.samples} == {
        (s.series, s.value) for s in text.samples
    }


def test_vmstat_of_linux_with_times() -> None:
    data = material("iostat/jc/centos-7.7-vmstat-at-5-10.out").read_bytes()
    readings = read_reports(data)
    assert values(readings, "vmstat:id") == [100, 100, 100]
    assert values(readings, "vmstat:active") == [312744, 312752, 312752]
    assert readings.samples[0].time_ns == 1631824398 * 10**9
    assert not any("PDT" in sample.series for sample in readings.samples)


def test_vmstat_of_solaris_names_its_columns_apart() -> None:
    data = material("iostat/solaris/vmstat-smartos.txt").read_bytes()
    readings = read_reports(data, Clock(since_boot=False, start_ns=NS))
    assert values(readings, "vmstat:syscalls") == [171189]
    assert values(readings, "vmstat:sy") == [2]
    assert values(readings, "vmstat:disk:s0") == [15]


LDIF = b"""# extended LDIF
dn: cn=monitor
objectClass: top
opscompleted: 515
 70
ENTRIESSENT:: NTA=
connection: 1
connection: 2
description:< file:///etc/passwd
currenttime: 20261121022000Z

dn:: Y249w7w=
version: 1

# search result
search: 2
result: 0 Success
"""


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_ldif(newline: bytes) -> None:
    first, second = read_ldif(LDIF.replace(b"\n", newline))
    assert first.attributes["opscompleted"] == (b"51570",)
    assert first.text("EntriesSent") == "50"
    assert "description" not in first.attributes
    assert second.dn == "cn=ü"
    assert monitor_time([first, second]) == NS


def test_counters_of_a_real_server_grow() -> None:
    dumps = [read_ldif(material(f"389ds-2.3.1-lab/bdb/monitor-t{i}.ldif").read_bytes())
             for i in (1, 2, 3)]  # fmt: skip
    times = [monitor_time(entries) for entries in dumps]
    assert None not in times
    assert times == sorted(times)  # type: ignore[type-var]
    initiated = [
        int(entry.text("opsinitiated"))
        for entries in dumps
        for entry in entries
        if entry.dn == "cn=monitor"
    ]
    assert len(initiated) >= 3
    assert initiated == sorted(initiated)
    assert initiated[0] < initiated[-1]


STAP = b"""Distribution of do_search_full latencies (in nanoseconds) for 6 samples
max/avg/min: 9/5/0
value |-------------------------------------------------- count
   -1 |                                                   0
    0 |@                                                  1
    1 |                                                   0
    ~
    8 |@@                                                 4
   16 |@                                                  1
"""


def test_stap_of_389_prints_microseconds() -> None:
    (histogram,) = read_histograms(STAP.replace(b"max/avg/min: 9/5/0\n", b""))
    assert (histogram.unit, histogram.n) == ("us", 6)
    assert "microseconds" in str(histogram.note)
    assert histogram.quantile(Fraction(1, 2)) == Bucket(8, 16, 4)
    assert histogram.quantile(Fraction(99, 100)) == Bucket(16, 32, 1)
    assert histogram.quantile(Fraction(1, 100)) == Bucket(0, 1, 1)


def test_bounds_of_other_tools() -> None:
    bcc = b"disk = 'sda'\n   usecs      : count     distribution\n     4 -> 7   : 13  |*|\n"
    (histogram,) = read_histograms(bcc)
    assert (histogram.title, histogram.unit) == ("disk = 'sda'", "us")
    assert histogram.buckets == (Bucket(4, 8, 13),)
    bpf = "@us[a b]:\n(..., 0) 1 |@|\n[0] 2 |@|\n[4, 8) 3 |@|\n[1K, 2K) 4 |@|\n[2K, ...) 5 |@|\n"
    (histogram,) = read_histograms(bpf.encode())
    assert [(b.low, b.high) for b in histogram.buckets] == [
        (None, 0), (0, 1), (4, 8), (1024, 2048), (2048, None),
    ]  # fmt: skip
    perf = b"  >=(ms) .. <(ms)   : I/O      |Distribution |\n     2 -> 4  : 5  |#|\n"
    (histogram,) = read_histograms(perf)
    assert (histogram.unit, histogram.buckets) == ("ms", (Bucket(2, 4, 5),))


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("bpftrace-out-hist.json", [2]),
        ("bpftrace-out-hist_10g.json", [1]),
        ("bpftrace-out-hist_zero.json", []),
        ("bpftrace-out-hist_multiple.json", [1, 5]),
        ("bcc-cpudist-ns-slapd-389docs.txt", [50953, 198]),
    ],
)
def test_reference_histograms(name: str, n: list[int]) -> None:
    found = read_histograms(material(f"histograms/{name}").read_bytes())
    assert [histogram.n for histogram in found] == n


def test_every_reference_histogram_has_some() -> None:
    if not CORPUS.exists():
        pytest.skip("the reference material is not beside the checkout")
    without = {
        path.name
        for path in Path(CORPUS / "histograms").iterdir()
        if detect(path.read_bytes()).kind and not read_histograms(path.read_bytes())
    }
    assert without <= {"bpftrace-out-hist_zero.json", "bpftrace-out-tseries.txt"}


DUMP = b"""Thread 2 (Thread 0x7f680c2b56c0 (LWP 11) "ns-slapd"):
#0  0x00007f6d14081332 in %s () at target:/lib64/libc.so.6
#1  0x00007f6d0f6b6bd2 in mdb_txn_renew0 () at target:/lib64/liblmdb.so.0.0.0

Thread 1 (Thread 0x7f680c2b5600 (LWP 10) "ns-slapd"):
#0  0x00007f6d14081332 in pthread_cond_wait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0
"""


def test_calls_held_over_consecutive_dumps() -> None:
    calls = (b"fsync", b"fsync", b"fsync", b"read", b"fsync")
    dumps = read_stacks(b"".join(DUMP % call for call in calls))
    assert [len(dump.threads) for dump in dumps] == [2] * 5
    assert dumps[0].threads[0].name == "ns-slapd"
    assert dumps[0].threads[1].waiting
    (held,) = held_calls(dumps)
    assert (held.thread, held.call, held.first, held.dumps) == ("11", "fsync", 0, 3)
    assert top_calls(dumps, 2)[("fsync", "mdb_txn_renew0")] == 4


JSTACK = """2025-11-25 09:00:{second:02d}
Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode, sharing):

Threads class SMR info:
_java_thread_list=0x00007f1612345678, length=3, elements={{
0x00007f1612345678, 0x00007f1612345679
}}

"main" #1 prio=5 os_prio=0 elapsed=10.2s tid=0x00007f1612345678 nid=0x1a03 waiting on condition
   java.lang.Thread.State: WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@17.0.9/Native Method)
\t- parking to wait for  <0x00000000c1> (a java.util.concurrent.SynchronousQueue)
\tat java.util.concurrent.locks.LockSupport.park(java.base@17.0.9/LockSupport.java:211)

   Locked ownable synchronizers:
\t- None

"Worker Thread 7" #42 daemon prio=5 os_prio=0 tid=0x00007f1 nid=6667 runnable [0x00007f3]
   java.lang.Thread.State: RUNNABLE
\tat {call}(EntryContainer.java:1021)
\t- locked <0x00000000d2> (a java.lang.Object)
\tat app//org.opends.server.core.SearchOperation.run(SearchOperation.java:12)
\tat org.opends.server.Foo$$Lambda$14/0x0000000800c03000.run(Unknown Source)

"VM Thread" os_prio=0 cpu=1.1ms tid=0x00007f5 nid=0x1a11 runnable

JNI global refs: 15, weak refs: 0

Found one Java-level deadlock:
=============================
"Worker Thread 7":
  waiting to lock monitor 0x00007f (object 0x00000000d2, a java.lang.Object),
  which is held by "main"
Java stack information for the threads listed above:
"Worker Thread 7":
\tat org.opends.server.core.Other.call(Other.java:1)

Heap
 garbage-first heap   total 262144K, used 1024K
"""


def test_dumps_of_a_jvm_are_stacks() -> None:
    scan = "org.opends.server.backends.pluggable.EntryContainer.searchNotIndexed"
    text = "".join(JSTACK.format(second=second, call=scan) for second in (0, 10, 20))
    tally = Tally()
    dumps = read_stacks(text.encode(), 3_600 * NS_PER_S, tally)
    assert [len(dump.threads) for dump in dumps] == [3, 3, 3]
    assert dumps[1].time_ns - dumps[0].time_ns == 10 * NS_PER_S
    main, worker, machine = dumps[0].threads
    assert (main.id, main.name, main.waiting) == ("0x1a03", "main", True)
    assert (worker.id, worker.name, worker.waiting) == ("6667", "Worker Thread 7", False)
    assert worker.calls[:2] == (scan, "org.opends.server.core.SearchOperation.run")
    assert worker.calls[2] == "org.opends.server.Foo$$Lambda$14.run"
    assert len(worker.calls) == 3, "frames of a deadlock are those of threads that were shown"
    assert machine.calls == ()
    (stay,) = held_calls(dumps)
    assert (stay.thread, stay.call, stay.dumps) == ("6667", scan, 3)
    assert tally.counts.unknown == 0


def test_a_dump_of_a_jvm_is_known_and_an_exception_in_a_log_is_none() -> None:
    dump = JSTACK.format(second=0, call="a.B.c").encode()
    assert detect(dump).dialect == "stacks"
    line = (
        b"[25/Nov/2025:09:00:00 +0000] category=CORE severity=ERROR msgID=1 msg=java.lang.Error\n"
    )
    trace = b"\tat org.opends.server.core.Other.call(Other.java:1)\n" * 9
    assert detect((line + trace) * 20).dialect == "errors-opendj"


@pytest.mark.parametrize(
    ("name", "threads", "call"),
    [
        ("pstack-illumos-svcstartd.txt", 2, "sigsuspend"),
        ("pstack-dps5-core-solaris.txt", 3, "__pollsys"),
        ("gdb-openldap-info-threads-reopenldap153.txt", 6, "__GI_raise"),
        ("linux-gdb-issue6652-retrocl-deadlock-2025.txt", 1, "__pthread_mutex_lock_full"),
        ("pstack-ns-slapd-linux-2014-pastebin.txt", 1, "attrlist_find"),
    ],
)
def test_reference_stacks(name: str, threads: int, call: str) -> None:
    (dump,) = read_stacks(material(f"pstack/{name}").read_bytes())
    assert len(dump.threads) == threads
    assert dump.threads[0].calls[0] == call


def test_audit_log_names_what_was_changed_without_values() -> None:
    data = material("389ds-2.3.1-lab/audit-variety.log.zst").read_bytes()
    text = zstandard.ZstdDecompressor().stream_reader(data).read()
    records = read_audit_log(text, zone_offset_ns=10**9)
    assert len(records) == text.count(b"\ntime: ") + text.startswith(b"time: ")
    first = records[0]
    assert (first.dn, first.kind, first.who) == ("cn=config", "modify", "cn=directory manager")
    assert first.attributes[0] == "nsslapd-accesslog-level"
    assert first.time_ns == 1795228558 * 10**9


def test_lines_of_reports_are_counted() -> None:
    lines = read_reports(OLD.encode() + b"what is this\n").lines
    assert lines.reasons == {
        "blank line": 4,
        "report since boot": 2,
        "partition: counted already": 1,
    }
    assert (lines.understood, lines.set_aside, lines.unknown) == (10, 7, 1)
    assert lines.understood + lines.set_aside + lines.unknown == OLD.count("\n") + 1
    text = b" kthr memory\n r b w swap free in sy cs us sy id\n 0 0 0 1 2 3 4 5 6 7 8\n0 oops\n"
    lines = read_reports(text, Clock(since_boot=False, start_ns=NS)).lines
    assert (lines.understood, lines.unknown) == (3, 1)


def test_audit_log_in_pieces_and_without_values() -> None:
    one = b"time: 20261121023559\ndn: cn=config\nresult: 0\nchangetype: modify\nreplace: %s\n"
    text = b"\t389-Directory/2.3.1\n\n" + one % b"a\na: secret\n-" + one % b"nsslapd-rootpw\n-"
    whole = read_audit_log(text)
    assert [record.attributes for record in whole] == [("a",), ("nsslapd-rootpw",)]
    for cut in range(len(text)):
        reader = AuditLogReader()
        assert reader.feed(text[:cut]) + reader.feed(text[cut:]) + reader.finish() == whole
        assert (reader.counts.understood, reader.counts.set_aside) == (13, 2)
    assert b"secret" not in redacted(whole)
    assert read_audit_log(redacted(whole)) == whole
    assert read_audit_log(b"") == []


@pytest.mark.parametrize(
    ("name", "unit"),
    [("@log_access", ""), ("@log_access_us", "us"), ("@usecs[1, dbus]", "us"), ("@bonus", "")],
)
def test_a_map_of_bpftrace_has_its_unit_in_its_name(name: str, unit: str) -> None:
    (histogram,) = read_histograms(f"{name}:\n[4, 8)  13 |@@@@|\n".encode())
    assert (histogram.title, histogram.unit) == (name, unit)
    as_json = f'{{"type": "hist", "data": {{"{name}": [{{"min": 4, "max": 7, "count": 13}}]}}}}'
    (histogram,) = read_histograms(as_json.encode())
    assert histogram.unit == unit
