"""Error logs and iostat."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.logs.host.sar import read_sadf_table
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.stamps import bracket_time, epoch_time, report_time
from ldap_workbench.logs.server.errors389 import ErrorLogReader, read_error_log
from ldap_workbench.model.errors import LogError
from tests.unit.logs.material import material

ERRORS = b"""\t389-Directory/2.3.1 B2025.016.1616
\tlocalhost:3389 (/etc/dirsrv/slapd-x)

[21/Nov/2026:02:19:56.671565376 +0000] - NOTICE - bdb_start_autotune - Can not - ever - go
[21/Nov/2026:02:19:57 +0100] - ERROR<12293> - Connection  - conn=-1 op=-1 msgId=-1 - fd limit
[23/Apr/2015:23:12:31 -0400] slapi_ldap_bind - Error: could not send
  continued \xff
[19/Jul/2022:10:20:06.671489812 -0400] - INFO - main - starting up
"""


def test_records_of_an_error_log() -> None:
    reader = ErrorLogReader()
    records = reader.feed(ERRORS) + reader.finish()
    assert [(r.severity, r.subsystem) for r in records] == [
        ("NOTICE", "bdb_start_autotune"),
        ("ERR", "Connection"),
        ("", "slapi_ldap_bind"),
        ("INFO", "main"),
    ]
    assert records[0].text == "Can not - ever - go"
    assert records[0].time_ns == 1795227596671565376
    assert records[1].time_ns == 1795227597000000000 - 3600 * 10**9
    assert records[2].text == "Error: could not send\n  continued �"
    assert ERRORS[records[3].at :].startswith(b"[19/Jul")
    counts = reader.counts
    assert (counts.understood, counts.set_aside, counts.unknown) == (5, 3, 0)


@given(st.lists(st.integers(0, len(ERRORS)), max_size=6))
@settings(max_examples=50, deadline=None)
def test_error_log_in_pieces(cuts: list[int]) -> None:
    reader, records = ErrorLogReader(), []
    places = [0, *sorted(cuts), len(ERRORS)]
    for start, end in itertools.pairwise(places):
        records += reader.feed(ERRORS[start:end])
    assert records + reader.finish() == read_error_log(ERRORS)


def test_error_log_of_a_real_server() -> None:
    data = material("389ds-2.3.1-lab/errors.log").read_bytes()
    reader = ErrorLogReader()
    records = reader.feed(data) + reader.finish()
    assert len(records) == data.count(b"\n[")
    assert {r.severity for r in records} == {"INFO", "NOTICE"}
    assert sum(r.subsystem == "ldbm_back_search" for r in records) == 60
    assert reader.counts.unknown == 0


def report(stamp: str, util: float) -> dict[str, object]:
    return {
        "timestamp": stamp,
        "avg-cpu": {"user": 1.5, "idle": 98.5},
        "disk": [{"disk_device": "vda", "r/s": 2.0, "util": util}],
    }


def stream(*reports: dict[str, object]) -> bytes:
    hosts = [{"nodename": "h", "date": "x", "statistics": list(reports)}]
    return json.dumps({"sysstat": {"hosts": hosts}}, indent=1).encode()


TWO = stream(report("2026-11-21T02:20:00+0000", 1.0), report("2026-11-21T02:20:01+0000", 99.0))


def test_iostat_samples_have_names_and_times() -> None:
    samples = IostatReader().feed(TWO)
    assert [(s.series, s.value) for s in samples[:4]] == [
        ("iostat:cpu:user", 1.5),
        ("iostat:cpu:idle", 98.5),
        ("iostat:vda:r/s", 2.0),
        ("iostat:vda:util", 1.0),
    ]
    assert [s.time_ns for s in samples[::4]] == [1795227600 * 10**9, 1795227601 * 10**9]


@given(st.lists(st.integers(0, len(TWO)), max_size=8))
@settings(max_examples=50, deadline=None)
def test_iostat_in_pieces(cuts: list[int]) -> None:
    reader, samples = IostatReader(), []
    places = [0, *sorted(cuts), len(TWO)]
    for start, end in itertools.pairwise(places):
        samples += reader.feed(TWO[start:end])
    assert samples == IostatReader().feed(TWO)
    assert reader.reports == 2


def test_iostat_that_was_killed_keeps_whole_reports() -> None:
    reader = IostatReader()
    samples = reader.feed(TWO[: TWO.rindex(b"util")])
    assert {s.time_ns for s in samples} == {1795227600 * 10**9}
    assert reader.finish() == []


def test_report_is_there_as_soon_as_its_brace() -> None:
    reader = IostatReader()
    last = TWO.index(b"}", TWO.index(b"]", TWO.index(b'"util"'))) + 1
    assert len(reader.feed(TWO[:last])) == 4


def test_report_since_boot_is_left_out() -> None:
    samples = IostatReader(Clock()).feed(TWO)
    assert {s.time_ns for s in samples} == {1795227601 * 10**9}


def test_iostat_without_times_needs_a_start() -> None:
    bare = stream({"disk": [{"disk_device": "vda", "util": 1.0}]}, {"disk": []})
    with pytest.raises(LogError, match="no times"):
        IostatReader().feed(bare)
    samples = IostatReader(Clock(start_ns=5, interval_ns=7, since_boot=False)).feed(bare)
    assert [(s.time_ns, s.value) for s in samples] == [(5, 1.0)]
    with pytest.raises(LogError, match="cannot be read"):
        IostatReader().feed(stream(report("yesterday", 1.0)))


def test_iostat_of_a_real_host() -> None:
    data = material("389ds-2.3.1-lab/iostat-x-y-json-1-5.json").read_bytes()
    reader = IostatReader(Clock(start_ns=0, since_boot=False))
    samples = reader.feed(data)
    util = [s.value for s in samples if s.series == "iostat:vda:util"]
    assert util == [33.33, 42.80, 56.80, 50.00, 36.80]
    assert reader.reports == 5


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-21T02:20:00+0000", 1795227600),
        ("2026-11-21T02:20:00Z", 1795227600),
        ("2026-11-21 03:20:00+01:00", 1795227600),
        ("2026-11-21T04:20:00", 1795227600),
        ("11/21/26 04:20:00", 1795227600),
        ("11/21/2026 04:20:00 AM", 1795227600),
        ("11/21/2026 04:20:00 PM", 1795227600 + 12 * 3600),
        ("21/11/2026 04:20:00", 1795227600),
        ("21.11.2026 04:20:00", 1795227600),
        ("yesterday", None),
        ("99/99/26 04:20:00", None),
        # Nanoseconds since 1970 have 64 bits, up to the year 2262.
        ("2526-11-21 04:20:00", None),
        ("9999-12-31 23:59:60", None),
        ("0001-01-01 00:00:00", None),
    ],
)
def test_times_of_reports(text: str, seconds: int | None) -> None:
    expected = None if seconds is None else seconds * 10**9
    assert report_time(text, zone_offset_ns=2 * 3600 * 10**9) == expected


def test_no_time_is_beyond_64_bits() -> None:
    assert epoch_time("9999999999") is None
    assert bracket_time("[21/Nov/2526:02:19:59.9 +0000]") is None
    assert bracket_time("[31/Dec/9999:23:59:60 +0000]") is None
    table = "# hostname;interval;timestamp;CPU;%user\n"
    rows = "".join(f"host;60;{time};-1;1.0\n" for time in ("1795227600", "9999999999", "9" * 40))
    samples = read_sadf_table((table + rows).encode()).samples
    assert {each.time_ns for each in samples} == {1795227600 * 10**9}
