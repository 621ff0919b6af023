"""A summary of logconv is kept beside the window of its log, and its counts are compared."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.cli.sessions import windows
from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.logconv import read_logconv
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind
from tests.unit.cases.published import Told, tell_files
from tests.unit.logs.material import material

ZONE = "+0000"
LOG = (
    "[21/Nov/2026:02:20:00.000000000 {zone}] conn=1 fd=64 slot=64 connection from 127.0.0.1 to "
    "127.0.0.1\n"
    '[21/Nov/2026:02:20:00.100000000 {zone}] conn=1 op=0 BIND dn="cn=x" method=128 version=3\n'
    "[21/Nov/2026:02:20:00.110000000 {zone}] conn=1 op=0 RESULT err=0 tag=97 nentries=0 "
    "etime=0.010000000\n"
    '[21/Nov/2026:02:20:01.000000000 {zone}] conn=1 op=1 SRCH base="dc=x" scope=2 filter="(a=1)"\n'
    "[21/Nov/2026:02:20:01.200000000 {zone}] conn=1 op=1 RESULT err=0 tag=101 nentries=1 "
    "etime=0.200000000 notes=A\n"
    '[21/Nov/2026:02:20:02.000000000 {zone}] conn=1 op=2 SRCH base="dc=x" scope=2 filter="(a=2)"\n'
    "[21/Nov/2026:02:20:02.001000000 {zone}] conn=1 op=2 RESULT err=32 tag=101 nentries=0 "
    "etime=0.001000000\n"
    "[21/Nov/2026:02:20:03.000000000 {zone}] conn=Internal(0) op=0(1)(1) SRCH "
    'base="dc=x" scope=0 filter="(a=3)"\n'
    "[21/Nov/2026:02:20:03.001000000 {zone}] conn=Internal(0) op=0(1)(1) RESULT err=0 tag=48 "
    "nentries=0 etime=0.001000000\n"
)
SHORT = """Access Log Analyzer 8.2
Command: logconv.pl access
Processing 1 Access Log(s)...

[001] access                        	size (bytes):       690000
Found a restart - resetting stats that depend on restarts     25000 Lines Processed

Total Log Lines Analysed:  9


----------- Access Log Output ------------

Start of Logs:    21/Nov/2026:{begin}
End of Logs:      21/Nov/2026:{end}

Processed Log Time:  0 Hours, 0 Minutes, 3.0 Seconds

Restarts:                      0
Peak Concurrent Connections:   1
Total Operations:              {requests}
Total Results:                 4
Overall Performance:           100.0%

Total Connections:             1             (0.15/sec)  (9.18/min)
 - LDAP Connections:           1             (0.15/sec)  (9.18/min)

Searches:                      {searches}             (29.22/sec)  (1,753.41/min)
Modifications:                 0             (0.00/sec)  (0.00/min)
Binds:                         1             (0.06/sec)  (3.53/min)

Average etime (elapsed time):  0.001070481

Unindexed Searches:            1
Unindexed Components:          0

  Unindexed Search #1 (notes=A)
  -  Etime:                 0.200000000
  -  Nentries:              1

Binds:                         1
Unbinds:                       5
--------------------------------
 - LDAP v3 Binds:              1
"""
VERBOSE = """

----- Errors -----

err=0                     3    Successful Operations
err=32                    1    No Such Object

----- Top 20 Clients -----

Number of Clients:  1

[1] Client: 127.0.0.1
         1 - Connections


----- Top 20 Longest etimes (elapsed times) -----

etime=0.200000000    1
etime=0.010000000    1


----- Recommendations -----

 1.  You have unindexed searches

Cleaning up temp files...
Done.
"""


def summary(
    *,
    searches: int = 3,
    requests: int = 4,
    begin: str = "02:20:00.000000000",
    end: str = "02:20:03.001000000",
) -> str:
    return SHORT.format(searches=searches, requests=requests, begin=begin, end=end)


def beside(text: str, where: Path, zone: str = ZONE) -> Told:
    return tell_files({"access": LOG.format(zone=zone), "logconv.txt": text}, where)


def said(told: Told) -> list[str]:
    (source,) = (s for s in told.imported.sources if s.kind is SourceKind.SUMMARY)
    return [str(note) for note in source.details["notes"]]


@pytest.mark.parametrize("zone", ["+0000", "+0200", "-0530"])
def test_counts_that_agree_are_told_as_one(zone: str, tmp_path: Path) -> None:
    told = beside(summary() + VERBOSE, tmp_path, zone)
    (window,) = told.imported.windows
    assert {source.window for source in told.imported.sources} == {window.id}
    assert said(told) == [
        "logconv and this window count the same: 3 searches, 1 bind, 1 search without index, "
        "1 connection, 1 result with err=32.",
        "logconv: longest etime 0.200000 s; this window: 0.200000 s.",
        "Both count operations of the server itself: 1 here.",
    ]


def test_a_count_that_differs_stands_beside_ours_with_the_reason(tmp_path: Path) -> None:
    notes = said(beside(summary(searches=4, requests=5), tmp_path))
    assert "logconv: 4 searches; this window: 3." in notes
    assert notes[-1] == "logconv counts requests, a window those with a result: 1 without one."


@pytest.mark.parametrize(("begin", "end"), [("02:10:00", "02:20:03.1"), ("02:20:00", "02:30:00")])
def test_another_time_is_said(begin: str, end: str, tmp_path: Path) -> None:
    notes = said(beside(summary(searches=900, begin=begin, end=end), tmp_path))
    assert "logconv: 900 searches; this window: 3." in notes
    assert "covers another time than this window" in notes[-1]


def test_a_summary_alone_is_said_for_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tell_files({"logconv.txt": summary() + VERBOSE}, tmp_path)
    (window,) = told.imported.windows
    assert window.seconds == pytest.approx(4.001)
    windows(told.path)
    shown = " ".join(capsys.readouterr().out.split())
    assert "A summary alone, without its access log" in shown
    assert "logconv counted 3 searches, 1 bind, 1 search without index" in shown
    assert "this window:" not in shown


def test_the_report_compares_too(tmp_path: Path) -> None:
    told = beside(summary(searches=4), tmp_path)
    assert "logconv: 4 searches; this window: 3" in told.report


def test_figures_and_every_line_are_kept(tmp_path: Path) -> None:
    (source,) = tell_files({"logconv.txt": summary() + VERBOSE}, tmp_path).imported.sources
    kept = source.details["logconv"]
    assert kept["figures"]["Peak Concurrent Connections"] == 1
    assert kept["figures"]["Average etime (elapsed time)"] == 0.001070481
    assert kept["errors"] == {0: 3, 32: 1}
    assert source.lines.unknown == 0
    total = source.lines.understood + source.lines.set_aside
    assert total == len((summary() + VERBOSE).splitlines())


def test_two_summaries_are_two_sources(tmp_path: Path) -> None:
    files = {"logconv.1": summary(), "logconv.2": summary(searches=9)}
    told = tell_files(files | {"access": LOG.format(zone=ZONE)}, tmp_path)
    found = [s for s in told.imported.sources if s.kind is SourceKind.SUMMARY]
    assert [s.details["logconv"]["figures"]["Searches"] for s in found] == [3, 9]


def test_the_summary_of_the_lab() -> None:
    tally = Tally()
    text = material("389ds-2.3.1-lab/logconv.txt").read_bytes()
    found = read_logconv(text, 0, tally)
    assert tally.counts.unknown == 0
    assert found.figures["Searches"] == 515_474
    assert found.figures["Unindexed Searches"] == 59
    assert (found.end_ns or 0) - (found.start_ns or 0) == 339_586_750_145
    assert found.errors is None


@pytest.mark.skipif(shutil.which("logconv") is None, reason="logconv of 389 DS is not installed")
def test_the_tool_itself_counts_what_we_count(tmp_path: Path) -> None:
    log = tmp_path / "access"
    log.write_text(LOG.format(zone=ZONE))
    run = subprocess.run(
        ["logconv", "-V", str(log)], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    told = beside(run.stdout, tmp_path)
    (source,) = (s for s in told.imported.sources if s.kind is SourceKind.SUMMARY)
    assert source.lines.unknown == 0
    assert "3 searches, 1 bind, 1 search without index" in said(told)[0]
    assert any("1 result with err=32" in line for line in said(told))
    assert not any("; this window: " in line and "etime" not in line for line in said(told))
    assert remarks(source)


ALONE = """Start of Logs:    14/Oct/2017:16:15:22.452909568
End of Logs:      14/Oct/2017:16:39:50.157790196
Restarts:                     {restarts}
Total Operations:             4771
Total Results:                {results}
Searches:                     2963          (2.02/sec)  (121.13/min)
Abandoned Requests:           {abandoned}
VLV Unindexed Searches:       12
Unindexed Searches:           {unindexed}
Unindexed Components:         149
Broken Pipes:                 0
Resource Unavailable:         {refused}
"""
HEALTHY = {"restarts": 0, "results": 4771, "abandoned": 2, "unindexed": 3, "refused": 0}
STANDS_OUT = {
    "summary_unindexed": ({"unindexed": 1900}, "1,900 of 2,963 searches (64 %) had no index"),
    "summary_restarts": ({"restarts": 10}, "started 10 times in 24 min."),
    "summary_unanswered": ({"results": 4653}, "118 of 4,771 operations had no result"),
}


def test_a_healthy_summary_alone_has_no_finding(tmp_path: Path) -> None:
    assert tell_files({"l": ALONE.format(**HEALTHY)}, tmp_path).findings == {}


@pytest.mark.parametrize("which", STANDS_OUT)
def test_what_stands_out_in_a_summary_alone_is_a_finding(which: str, tmp_path: Path) -> None:
    changed, sentence = STANDS_OUT[which]
    told = tell_files({"l": ALONE.format(**HEALTHY | changed)}, tmp_path)
    assert set(told.findings) == {which}
    assert sentence in str(told.findings[which].sentence)
    assert "access log" in str(told.report)


def test_abandons_and_ended_connections_are_named(tmp_path: Path) -> None:
    text = ALONE.format(**HEALTHY | {"abandoned": 120, "refused": 5})
    sentence = str(tell_files({"l": text}, tmp_path).findings["summary_unanswered"].sentence)
    assert "clients abandoned 120 requests" in sentence
    assert "5 connections ended with Resource Unavailable" in sentence


def test_a_summary_beside_its_log_leaves_the_findings_to_the_log(tmp_path: Path) -> None:
    text = ALONE.format(**HEALTHY | {"unindexed": 1900, "restarts": 10})
    for old, new in (("14/Oct/2017:16:15:22", "02:20:00"), ("14/Oct/2017:16:39:50", "02:20:03")):
        text = text.replace(old, f"21/Nov/2026:{new}")
    assert not [which for which in beside(text, tmp_path).findings if which.startswith("summary")]


ETIMES = {
    "longest": "etime=12.345678      3\netime=2.5            1\netime=0.2    900\n",
    "with its heading": "----- Top 20 Longest etimes -----\n\netime=12.345678   3\netime=2.5   1\n",
    "most frequent": "----- Top 20 Most Frequent etimes -----\n\n107    etime=0\n3   etime=12\n"
    "1   etime=2\n",
}


@pytest.mark.parametrize("name", ETIMES)
def test_an_excerpt_of_etimes_alone_is_judged(name: str, tmp_path: Path) -> None:
    told = tell_files({"etimes.txt": ETIMES[name]}, tmp_path)
    assert told.imported.sources[0].dialect == "logconv"
    sentence = str(told.findings["summary_slow"].sentence)
    assert "its lists hold 4 operations of 1.00 s or longer, up to 12" in sentence


def test_quick_etimes_alone_are_no_finding(tmp_path: Path) -> None:
    told = tell_files({"etimes.txt": "etime=0.45    3\netime=0.2   900\n"}, tmp_path)
    assert told.findings == {}


def test_means_show_that_operations_wait_for_workers(tmp_path: Path) -> None:
    means = "Average wtime (wait time):     0.210\nAverage optime (op time):      0.003\n"
    means += "Average etime (elapsed time):  0.213\n"
    told = tell_files({"l": ALONE.format(**HEALTHY) + means}, tmp_path)
    sentence = str(told.findings["summary_slow"].sentence)
    assert "an operation took 213 ms on average" in sentence
    assert "waited 210 ms on average until a worker was free, and were worked on for 3" in sentence


NAMES = ("Searches", "Start of Logs", "Total Connections", "err=1", "----- Errors -----", "etime=")
LINES = st.lists(st.tuples(st.sampled_from(NAMES), st.text(max_size=30)).map(": ".join) | st.text())


@given(LINES, st.integers(-14 * 3600, 14 * 3600))
def test_every_line_is_counted_whatever_it_says(lines: list[str], zone_s: int) -> None:
    text = "\n".join(lines).encode()
    tally = Tally()
    read_logconv(text, zone_s * NS_PER_S, tally)
    counts = tally.counts
    every = counts.understood + counts.set_aside + counts.unknown
    assert every == len(text.decode().splitlines())
