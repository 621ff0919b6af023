"""Readings of a server as administrators paste them: LDIF, dbmon.sh, db_stat, dsconf; ldclt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Clock, Readings
from ldap_workbench.logs.server.dsconf_monitor import read_db_stat, read_monitor_report
from ldap_workbench.logs.server.ldif import read_ldif, without_margin
from tests.unit.cases.published import tell_files
from tests.unit.logs.material import material

S = 10**9
NOON = 1775217600 * S  # 2026-04-03 12:00 UTC
LDBM = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"
USERROOT = "cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
LDIF = f"""\
dn: {USERROOT}
entrycachehitratio: 60
currententrycachesize: 10485742
maxentrycachesize: 10485760
currententrycachecount: 1894
description: a value that goes on in the
  next line

dn: cn=monitor
threads: 16
"""
MARGINS = {"blanks": "    ", "tab": "\t", "quote of mail": "> ", "two quotes": "> > ",
           "no-break spaces": "\xa0\xa0", "table": "| "}  # fmt: skip


def values(readings: Readings) -> dict[str, float]:
    return {sample.series: sample.value for sample in readings.samples}


@pytest.mark.parametrize("name", MARGINS)
@pytest.mark.parametrize("around", ["", "Look at our monitor:\n\n"])
def test_ldif_is_read_whatever_stands_before_its_lines(name: str, around: str) -> None:
    lines = LDIF.splitlines()
    pasted = around + "".join(f"{MARGINS[name]}{line}".rstrip() + "\n" for line in lines)
    if name == "no-break spaces":
        pasted = pasted.replace(": ", ":\xa0")
    data = pasted.encode()
    assert detect(data).dialect == "ldif"
    assert read_ldif(without_margin(data)) == read_ldif(LDIF.encode())


def test_ldif_without_a_margin_stays_as_it_is() -> None:
    folded = b"dn: cn=a,\n dc=b\ndescription: x\n  dn: y\n"
    assert without_margin(folded) == folded
    assert without_margin(b"") == b""


def test_a_full_entry_cache_in_indented_ldif_is_judged(tmp_path: Path) -> None:
    text = "Look at our monitor:\n\n" + "".join(f"    {line}\n" for line in LDIF.splitlines())
    told = tell_files({"mail.txt": text}, tmp_path)
    (source,) = told.imported.sources
    assert (source.lines.unknown, source.why.template) == (0, "")
    assert told.findings["entry_cache"].numbers["hit_ratio"] == 0.6


@pytest.mark.parametrize(
    "text",
    [
        "dbcachehits: 236\ndbcachetries: 280\ndbcachehitratio: 84\n",
        "  currententrycachesize: 10485742\n  maxentrycachesize: 10485760\n",
        "opsinitiated: 9912345\nopscompleted: 9911999\nreadwaiters: 7\n",
        "monitorOpInitiated: 55\nmonitorOpCompleted: 54\n",
        "> normalizedDnCacheTries: 5\n> normalizedDnCacheHits: 3\n",
    ],
)
def test_attributes_without_their_entry_ask_for_its_dn(text: str) -> None:
    seen = detect(text.encode())
    assert (seen.dialect, seen.kind) == ("monitor-attributes", None)
    assert "begins with its dn: line: add it" in str(seen.instead)
    assert detect(f"dn: cn=monitor\n{text}".encode()).dialect == "ldif"


DBMON = """\
dbcachefree 2374205440 free% 88.446 roevicts 0 hit% 99 pagein 36901 pageout 62843
 dbname      count          free  free%    size
 userroot:ent     139372         7100   0.0  6266.6
 userroot:dn      121651     501338704   97.9    87.6
"""
ENTRY = "cn=monitor,cn=userroot,cn=ldbm database,cn=plugins,cn=config"


def test_dbmon_sh_has_the_names_of_cn_monitor() -> None:
    assert detect(DBMON.encode()).dialect == "dbmon"
    readings = read_monitor_report(DBMON.encode(), Clock(undated_ns=NOON))
    seen = values(readings)
    assert seen[f"{LDBM}:dbcachehitratio"] == 99
    assert seen[f"cn=database,{LDBM}:nsslapd-db-cache-size-bytes"] == pytest.approx(2.684e9, 0.001)
    assert seen[f"{ENTRY}:currententrycachecount"] == 139372
    assert seen[f"{ENTRY}:maxentrycachesize"] - seen[f"{ENTRY}:currententrycachesize"] == 7100
    assert seen[f"{ENTRY}:currentdncachecount"] == 121651
    assert (readings.lines.understood, readings.lines.unknown) == (4, 0)
    assert list(map(str, readings.notes)) == [
        "Database Cache: 88.446 % free, 99 % hits.",
        "userroot, entry cache: 0 % free.",
        "userroot, DN cache: 97.9 % free.",
    ]
    assert not readings.dated


def test_dbmon_sh_again_and_again_takes_the_time_of_date() -> None:
    text = "".join(f"Fri Apr  3 12:00:{second} UTC 2026\n{DBMON}\n" for second in ("00", "10"))
    readings = read_monitor_report(text.encode(), Clock())
    assert {sample.time_ns for sample in readings.samples} == {NOON, NOON + 10 * S}
    assert readings.lines.unknown == 0


@pytest.mark.parametrize(
    ("hit", "roevicts", "row", "expected"),
    [
        (99, 0, "139372         7100   0.0  6266.6", {"entry_cache_no_room"}),
        (99, 0, "139372    900000000  50.7  6266.6", set()),
        (71, 5000, "139372    900000000  50.7  6266.6", {"db_cache"}),
        (71, 0, "139372    900000000  50.7  6266.6", set()),  # it is still filling
    ],
)
def test_dbmon_sh_is_judged(
    hit: int, roevicts: int, row: str, expected: set[str], tmp_path: Path
) -> None:
    text = DBMON.replace("hit% 99", f"hit% {hit}").replace("roevicts 0", f"roevicts {roevicts}")
    text = text.replace("139372         7100   0.0  6266.6", row)
    assert set(tell_files({"dbmon.txt": text}, tmp_path).findings) == expected


FULL = {"entry_cache_hit_ratio": "61", "entry_cache_count": "1894", "entry_cache_free": "18.0 B",
        "entry_cache_free_percentage": "0.0", "entry_cache_size": "5.41 KB"}  # fmt: skip
AS_JSON = {
    "date": "2026-04-03 12:00:00",
    "dbcache": {"hit_ratio": "99", "free": "308.73 MB", "free_percentage": "96.5", "roevicts": "0",
                "pagein": "1427", "pageout": "1161"},
    "ndncache": {"hit_ratio": "98", "free": "37.72 MB", "free_percentage": "94.3",
                 "count": "14199", "evictions": "0"},
    "backends": {"userRoot": {"suffix": "dc=example,dc=com", **FULL, "indexes": []}},
}  # fmt: skip
AS_TEXT = """\
DB Monitor Report: 2026-04-03 12:00:00
--------------------------------------------------------
Database Cache:
 - Cache Hit Ratio:     99%
 - Free Space:          308.73 MB
 - Free Percentage:     96.5%
 - RO Page Drops:       0
 - Pages In:            1427
 - Pages Out:           1161

Normalized DN Cache:
 - Cache Hit Ratio:     98%
 - Free Space:          37.72 MB
 - Free Percentage:     94.3%
 - DN Count:            14199
 - Evictions:           0

Backends:
  - dc=example,dc=com (userRoot):
    - Entry Cache Hit Ratio:        61%
    - Entry Cache Count:            1894
    - Entry Cache Free Space:       18.0 B
    - Entry Cache Free Percentage:  0.0%
    - Entry Cache Average Size:     5.41 KB
"""


@pytest.mark.parametrize("text", [AS_TEXT, json.dumps(AS_JSON, indent=4), json.dumps(AS_JSON)])
def test_dsconf_monitor_dbmon_is_judged(text: str, tmp_path: Path) -> None:
    assert detect(text.encode()).dialect == "dbmon"
    readings = read_monitor_report(text.encode(), Clock())
    assert {sample.time_ns for sample in readings.samples} == {NOON}
    assert values(readings)["dbmon:Database Cache:Pages In"] == 1427
    assert (readings.lines.unknown, readings.lines.set_aside) == (0, 3 if text is AS_TEXT else 0)
    found = tell_files({"dbmon": text}, tmp_path).findings
    assert set(found) == {"entry_cache"}
    assert found["entry_cache"].numbers["backend"] == "userRoot"


@pytest.mark.parametrize("text", ['{"dbcache": {', '{"dbcache": 3}', '{"backends": []}', "{}"])
def test_broken_json_of_dbmon_has_no_values(text: str) -> None:
    assert read_monitor_report(text.encode(), Clock(undated_ns=NOON)).samples == []


def test_the_reports_of_the_lab_have_the_names_of_cn_monitor() -> None:
    for name in ("dbmon.txt", "dbmon.json"):
        data = material(f"389ds-2.3.1-lab/dsconf/{name}").read_bytes()
        assert detect(data).dialect == "dbmon"
        seen = values(read_monitor_report(data, Clock()))
        assert seen[f"{USERROOT}:currententrycachecount"] == 10104
        assert seen[f"{USERROOT}:entrycachehitratio"] == 96


DB_STAT = """\
320MB 8KB\tTotal cache size
1\tNumber of caches
320MB 8KB\tPool individual cache size
0\tRequested pages mapped into the process' address space
{hits}\tRequested pages found in the cache (71%)
4000\tRequested pages not found in the cache
4000\tPages read into the cache
210\tPages written from the cache to the backing file
{evicted}\tClean pages forced from the cache
0\tDirty pages forced from the cache
39M\tSearches for a page (39123456)
=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-
Pool File: userRoot/id2entry.db
8192\tPage size
77\tRequested pages found in the cache (1%)
"""


@pytest.mark.parametrize("tab", ["\t", "  "])
def test_db_stat_has_the_names_of_cn_monitor_and_of_no_server(tab: str) -> None:
    text = DB_STAT.format(hits=9796, evicted=900).replace("\t", tab).encode()
    assert detect(text).dialect == "db-stat"
    seen = values(read_db_stat(text, Clock(undated_ns=NOON)))
    assert seen["db_stat:dbcachehits"] == 9796
    assert seen["db_stat:dbcachetries"] == 13796
    assert seen["db_stat:dbcacheroevict"] == 900
    size = seen["db_stat:nsslapd-db-cache-size-bytes"]
    assert size == 320 * 1024**2 + 8 * 1024


@pytest.mark.parametrize(
    ("hits", "evicted", "expected"),
    [("9796", "900", {"db_cache"}), ("39M", "900", set()), ("9796", "0", set())],
)
def test_db_stat_is_judged(hits: str, evicted: str, expected: set[str], tmp_path: Path) -> None:
    told = tell_files({"db_stat": DB_STAT.format(hits=hits, evicted=evicted)}, tmp_path)
    assert set(told.findings) == expected
    assert told.imported.sources[0].lines.unknown == 0
    assert "nsslapd" not in told.report


def test_locks_of_db_stat_are_judged(tmp_path: Path) -> None:
    text = (
        "10000\tMaximum number of locks possible\n9990\tMaximum number of locks at any one time\n"
    )
    text += "12\tNumber of current locks\n0\tNumber of deadlocks\n"
    assert set(tell_files({"db_stat": text}, tmp_path).findings) == {"db_locks"}


def test_statistics_of_db_stat_that_nothing_judges_are_refused() -> None:
    log = b"0x40988\tLog magic number\n10MB\tLog record cache size\n3\tNumber of deadlocks\n"
    assert detect(log).dialect == "db-stat"
    readings = read_db_stat(log, Clock(undated_ns=NOON))
    assert readings.samples == []


@pytest.mark.parametrize(
    "text",
    [
        "Overhead  Command   Shared Object         Symbol\n"
        "  16.90%  ns-slapd  [vdso]                [.] __cvdso_clock_gettime_data.constprop.0\n",
        "# Samples: 12K of event 'cycles'\n#\n# Overhead  Command   Shared Object   Symbol\n"
        "    16.90%    16.90%  ns-slapd  [vdso]  [.] __cvdso_clock_gettime_data\n",
        "  4.60%  slapd  [kernel.kallsyms]     [k] _raw_spin_unlock_irqrestore\n"
        "  3.86%  slapd  liblmdb.so.0.0.0      [.] mdb_mid2l_search\n",
    ],
)
def test_perf_report_is_named_with_what_to_print(text: str) -> None:
    seen = detect(text.encode())
    assert (seen.dialect, seen.kind) == ("perf-report", None)
    assert "perf script" in str(seen.instead)


ONE_READING = """\
dn: cn=monitor
threads: 17
currentconnections: 71
maxthreadsperconnhits: {hits}
dtablesize: 4096
readwaiters: 7
opsinitiated: 9912345
opscompleted: {completed}
currenttime: 20260306101400Z
"""
OF_SLAPD = """\
dn: cn=Max,cn=Threads,cn=Monitor
monitoredInfo: 16

dn: cn=Operations,cn=Monitor
monitorOpInitiated: 70000
monitorOpCompleted: {completed}

dn: cn=Current,cn=Time,cn=Monitor
monitorTimestamp: 20260306101400Z
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE_READING.format(hits=12, completed=9912300), set()),
        (ONE_READING.format(hits=12, completed=9911999), {"operations_open"}),
        (ONE_READING.format(hits=812345, completed=9912344), {"held_back_so_far"}),
        (ONE_READING.format(hits=900, completed=9912344), set()),
        (OF_SLAPD.format(completed=69980), set()),
        (OF_SLAPD.format(completed=69654), {"operations_open"}),
    ],
)
def test_one_reading_of_cn_monitor_is_judged(text: str, expected: set[str], tmp_path: Path) -> None:
    told = tell_files({"monitor.ldif": text}, tmp_path)
    assert set(told.findings) == expected
    if "operations_open" in expected:
        assert "346 operations had been taken and not answered, 22 for each of the 16" in str(
            told.findings["operations_open"].sentence
        )
    if "held_back_so_far" in expected:
        assert "threads-per-connection" in told.advised


def test_two_readings_count_what_grew_between_them(tmp_path: Path) -> None:
    second = ONE_READING.replace("101400Z", "101500Z")
    text = "\n".join(
        reading.format(hits=812345, completed=9912344) for reading in (ONE_READING, second)
    )
    assert tell_files({"monitor.ldif": text}, tmp_path).findings == {}


def ldclt(rates: list[float], *, end: str = "", start: str = "") -> str:
    lines = [
        f"ldclt[22810]: Average rate:  {rate:7.2f}/thr  ({rate:7.2f}/sec), total: {rate * 10:.0f}"
        for rate in rates
    ]
    return "\n".join([start, *lines, end]) + "\n"


STEADY = [252.0, 248.5, 261.0, 255.5, 249.0, 240.0]


@pytest.mark.parametrize("start", ["", "ldclt[22810]: Starting at Sat Nov 21 02:23:49 2026"])
def test_lines_of_ldclt_are_judged(start: str, tmp_path: Path) -> None:
    steady = tell_files({"l": ldclt(STEADY, start=start)}, tmp_path / "steady")
    assert steady.findings == {}
    fell = tell_files({"l": ldclt([*STEADY, 0.0, 12.5], start=start)}, tmp_path / "fell")
    sentence = str(fell.findings["client_rate_falls"].sentence)
    assert "In 2 of 8 intervals" in sentence
    assert "down to 0.0 a second where the median is 248.8" in sentence


def test_errors_of_ldclt_are_a_finding(tmp_path: Path) -> None:
    end = "ldclt[22810]: Global error  91 (Can't connect to the LDAP server) occurs    34 times\n"
    end += "ldclt[22810]: Global error  32 (No such object) occurs     6 times"
    told = tell_files({"l": ldclt(STEADY, end=end)}, tmp_path)
    assert "40 requests of ldclt failed" in str(told.findings["client_errors"].sentence)


def test_the_last_lines_of_ldclt_alone_are_read(tmp_path: Path) -> None:
    text = "ldclt[22810]: Global average rate:   18.00/thr  (  0.30/sec), total:     18\n"
    text += "ldclt[22810]: Global no error occurs during this session.\n"
    (source,) = tell_files({"l": text}, tmp_path).imported.sources
    assert "ldclt made 18 operations, 0.3 a second." in map(str, source.details["notes"])
