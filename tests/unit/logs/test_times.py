"""Latencies and moments: units, digits, zones, steps of the clock, what a log leaves out."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import ABSENT
from tests.unit.logs.lines389 import NS, PAIR, T, scan


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("3", 3_000_000_000),
        ("0.678000", 678_000_000),
        ("0.1", 100_000_000),
        ("0.000371619", 371_619),
        ("0.0003716196", 3_716_196),
        ("42.039279372", 42_039_279_372),
        ("0.000000000", 0),
        ("3.0000000007", 3_000_000_007),
    ],
)
def test_etime_by_its_digits(text: str, ns: int) -> None:
    _, operations = scan(T + f"conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime={text}\n")
    assert operations.etime_ns.tolist() == [ns]


@pytest.mark.parametrize(
    ("fields", "wtime", "optime"),
    [
        ("wtime=-161634.769201119 optime=161633.231282362 etime=0.000478713", ABSENT, ABSENT),
        ("etime=0.5 optime=0.3 wtime=0.2", 200_000_000, 300_000_000),
        ("wqtime=0.1 wtime=0.2 optime=0.3 writetime=0.1 etime=0.5", 200_000_000, 300_000_000),
        ("optime=abc etime=0.5", ABSENT, ABSENT),
        ("etime=0.5 wbusy=2/16 wqdepth=0", ABSENT, ABSENT),
    ],
)
def test_parts_of_the_time_in_any_order(fields: str, wtime: int, optime: int) -> None:
    scanner, operations = scan(T + f"conn=1 op=1 RESULT err=0 tag=101 nentries=0 {fields}\n")
    assert operations.wtime_ns.tolist() == [wtime]
    assert operations.optime_ns.tolist() == [optime]
    garbage = sum(n for reason, n in scanner.counts.reasons.items() if "garbage" in reason)
    assert garbage == ("-1616" in fields) * 2 + ("abc" in fields)
    assert scanner.counts.understood == 1


def test_zones_and_missing_fractions_give_utc() -> None:
    text = ""
    for stamp in (
        "[21/Nov/2026:02:20:00 +0000] ",
        "[21/Nov/2026:07:50:00 +0530] ",
        "[20/Nov/2026:22:20:00 -0400] ",
        "[21/Nov/2026:02:20:00.000000000 +0000] ",
        "[21/Nov/2026:02:20:00.000000 Z] ",
        "[21/nov/2026:02:19:60 +0000] ",
    ):
        text += stamp + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.5\n"
    scanner, operations = scan(text)
    assert set(operations.end_ns.tolist()) == {NS // 10**9 * 10**9}
    assert scanner.clock_steps_back == 0


@pytest.mark.parametrize(
    "stamp",
    ["[32/Nov/2026:02:20:00 +0000]", "[01/Foo/2026:02:20:00 +0000]", "[01/Nov/2026:24:20:00 +0000]",
     "[01/Nov/2026:02:20:00 0000]", "[01/Nov/2026:02:20:00 +00", "01/Nov/2026:02:20:00 +0000]"],
)  # fmt: skip
def test_impossible_times_are_unknown(stamp: str) -> None:
    scanner, _ = scan(stamp + " conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.5\n")
    assert scanner.counts.unknown == 1


def test_steps_of_the_clock() -> None:
    later = PAIR.replace("02:20:00", "02:20:01").replace("conn=7", "conn=8")
    scanner, _ = scan(later + PAIR)
    assert scanner.clock_steps_back == 0
    scanner, _ = scan(later.replace("02:20:01", "02:20:09") + PAIR + later)
    assert scanner.clock_steps_back == 1
    assert scanner.last_time_ns == NS + 10**9


def test_lines_that_waited_for_the_rotation_of_the_log() -> None:
    """389 DS 2.3.1 packed 200 MB for four seconds: lines of before and after took turns."""

    def at(*seconds: int) -> int:
        text = "".join(PAIR.replace("02:20:00", f"02:20:{each:02d}") for each in seconds)
        return scan(text)[0].clock_steps_back

    assert at(13, 17, 13, 17, 13, 17) == 0
    assert at(13, 17, 11, 11, 12) == 1
    assert at(13, 17, 18, 19, 20, 14) == 1
    assert at(13, 14, 15, 13, 13) == 1
    later = PAIR.replace("02:20:00", "08:20:00")
    assert scan(PAIR + later + PAIR + later + PAIR)[0].clock_steps_back == 2, "pieces of a log"


def test_resolution_from_the_digits() -> None:
    def resolution(*etimes: str) -> int:
        line = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime="
        return scan("".join(f"{line}{etime}\n" for etime in etimes))[0].resolution_ns

    assert resolution("0", "1") == 10**9
    assert resolution("0.001000", "0.000000") == 10**6
    assert resolution("0.001000", "0.000123") == 1000
    assert resolution("0.000000123", "0.001000000") == 1
    assert resolution(*["0.000000123"] * 200, "0") == 1
    assert resolution(*["0.000000123"] * 50, "0") == 10**9


def test_log_of_slow_operations_only_is_told() -> None:
    line = T + "conn=1 op={} RESULT err=0 tag=101 nentries=1 etime={}\n"
    slow = "".join(line.format(i, f"{i}.5") for i in range(1, 30))
    assert scan(slow)[0].censored_below_ns == 1_500_000_000
    assert scan(slow + line.format(99, "0.000100000"))[0].censored_below_ns is None
    assert scan(PAIR.replace("0.000270322", "9.000270322"))[0].censored_below_ns is None
    assert scan("")[0].censored_below_ns is None
    asked = T + 'conn=1 op={} SRCH base="" scope=0 filter="(a=b)"\n'
    paired = "".join((asked + line).format(i, i, f"{i}.5") for i in range(1, 30))
    assert scan(paired)[0].censored_below_ns is None


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("opendj", T + 'DELETE conn=1 op={0} msgID={0} dn="cn=a" result=0 etime={1}\n'),
        (
            "unboundid",
            T + 'DELETE RESULT conn=1 op={0} msgID={0} dn="cn=a" resultCode=0 etime={1}.0\n',
        ),
        (
            "opendj-json",
            '{{"eventName":"DJ-LDAP","client":{{"ip":"192.0.2.7","port":1}},'
            '"request":{{"protocol":"LDAP","operation":"DELETE","connId":1,"msgId":{0},'
            '"dn":"cn=a"}},"response":{{"status":"SUCCESSFUL","statusCode":"0",'
            '"elapsedTime":{1},"elapsedTimeUnits":"MILLISECONDS"}},'
            '"timestamp":"2026-11-21T02:20:00.151Z"}}\n',
        ),
    ],
)
def test_lines_that_are_request_and_result_may_leave_quick_ones_out(
    dialect: str, line: str
) -> None:
    slow = "".join(line.format(i, 100 + i) for i in range(1, 21))
    scanner, operations = scan(slow, dialect=dialect)
    assert len(operations) == 20
    assert (scanner.censored_below_ns, scanner.orphan_results) == (101_000_000, 0)
    assert scan(slow + line.format(21, 1), dialect=dialect)[0].censored_below_ns is None
    few = "".join(line.format(i, 100 + i) for i in range(1, 20))
    assert scan(few, dialect=dialect)[0].censored_below_ns is None


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("389", "[21/Nov/{}:02:19:59.803111192 +0000] conn=1 op=1 UNBIND\n"),
        ("openldap", "{}-11-21T14:28:15.631738+01:00 ldap1 slapd[7]: conn=1 op=1 UNBIND\n"),
    ],
)
def test_a_year_beyond_64_bits_of_nanoseconds_is_no_time(dialect: str, line: str) -> None:
    understood = {}
    for year in ("2026", "2526", "9999", "0001"):
        scanner = Scanner(dialect, year=2026)
        scanner.feed(line.format(year).encode())
        scanner.finish()
        counts = scanner.counts
        assert counts.understood + counts.set_aside + counts.unknown == 1
        understood[year] = counts.understood
    assert understood == {"2026": 1, "2526": 0, "9999": 0, "0001": 0}
