"""Results of JMeter: what a client measured. The lines are JMeter 5.6.3's own, of LDAP requests."""

import pytest

from ldap_workbench.logs.client.jtl import OTHERS, read_jtl
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, SourceKind

HEAD = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,"
    "failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
)
CSV = (
    HEAD
    + """\
1795467467744,28,Thread bind,0,Success,clients 1-2,text,true,,241,0,3,3,null,0,0,7
1795467467814,107,"Search, unindexed",0,Success,clients 1-3,text,true,,373,0,3,3,null,0,0,0
1795467467921,1,Search of nobody,32,"No Such
Object",clients 1-3,text,false,"Test ""failed"" twice",373,0,3,3,null,0,0,0
"""
)
XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<sample t="28" it="0" lt="0" ct="7" ts="1795467467744" s="true" lb="Thread bind" rc="0" dt="text"/>
<sample t="107" it="0" lt="0" ct="0" ts="1795467467814" s="true" lb="Search, unindexed" rc="0">
  <sample t="50" it="0" lt="0" ct="0" ts="1795467467820" s="true" lb="part of it" rc="0"/>
</sample>
<sample t="1" it="0" lt="0" ct="0" ts="1795467467921" s="false" lb="Search of nobody" rc="32"/>
</testResults>
"""
MS = 1_000_000
SAMPLES = [
    Sample(1795467467744 * MS, "client:Thread bind:elapsed", 28.0),
    Sample(1795467467744 * MS, "client:Thread bind:connect", 7.0),
    Sample(1795467467814 * MS, "client:Search, unindexed:elapsed", 107.0),
    Sample(1795467467921 * MS, "client:Search of nobody:elapsed", 1.0),
    Sample(1795467467921 * MS, "client:Search of nobody:failed", 1.0),
]


@pytest.mark.parametrize(("text", "dialect"), [(CSV, "jtl-csv"), (XML, "jtl-xml")])
def test_every_request_is_a_sample_by_its_label(text, dialect):
    found = detect(text.encode())
    assert (found.dialect, found.kind) == (dialect, SourceKind.CLIENT)
    readings = read_jtl(text.encode())
    assert readings.samples == SAMPLES
    assert (readings.reports, readings.lines.unknown) == (3, 0)


def test_the_columns_are_those_of_the_head_line():
    text = "label;success;elapsed;timeStamp\nSearch;true;5;1795467467744\n"
    assert detect(b"timeStamp;elapsed\n").dialect == "jtl-csv"
    text = "timeStamp;label;elapsed\n1795467467744;Search;5\n"
    assert read_jtl(text.encode()).samples == [
        Sample(1795467467744 * MS, "client:Search:elapsed", 5.0)
    ]


def test_a_date_without_a_zone_is_in_that_of_the_clock():
    text = "timeStamp,elapsed,label\n2026/11/23 20:57:47.744,5,x\n"
    east = read_jtl(text.encode(), Clock(zone_offset_ns=3600 * NS_PER_S)).samples
    assert [each.time_ns for each in east] == [(1795467467744 - 3_600_000) * MS]


@pytest.mark.parametrize(
    "row",
    ["", "x", "1795467467744", "1795467467744,-1,a", "1795467467744,1e9,a", "9" * 40 + ",1,a",
     "1795467467744,99999999999999999,a", "-5,1,a", "0,1,a", "1795467467744,1,a,b,c",
     "²,1,a", "2026/99/99 00:00:00,1,a", "2526-11-23 20:57:47,1,a",
     "1726-11-23 20:57:47,1,a", '"' + "x" * 200_000 + '",1,a'],
)  # fmt: skip
def test_what_is_no_request_is_none(row):
    text = f"timeStamp,elapsed,label\n{row}\n1795467467744,5,x\n"
    readings = read_jtl(text.encode())
    assert [each.value for each in readings.samples] == [5.0]
    assert readings.lines.unknown == (row != "")


def test_without_a_head_line_nothing_is_guessed():
    with pytest.raises(LogError, match="no line that names its columns"):
        read_jtl(CSV.partition("\n")[2].encode())


def test_labels_of_a_stranger_are_bounded():
    rows = "".join(f"1795467467744,1,user {number}\n" for number in range(300))
    rows += f"1795467467744,1,{'x' * 5000}\n"
    readings = read_jtl(f"timeStamp,elapsed,label\n{rows}".encode())
    names = {each.series for each in readings.samples}
    assert len(names) == 101
    assert f"client:{OTHERS}:elapsed" in names
    assert max(map(len, names)) < 250
    assert len(readings.samples) == 301


@pytest.mark.parametrize("end", [400, 340, len(XML) - 20])
def test_xml_that_breaks_off_is_read_so_far_and_said_to(end):
    readings = read_jtl(XML[:end].encode())
    assert readings.samples == SAMPLES[: len(readings.samples)]
    assert len(readings.samples) >= 2
    assert any("ends early" in str(note) for note in readings.notes)


def test_xml_with_a_document_type_is_refused():
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>\n'
    with pytest.raises(LogError, match="document type"):
        read_jtl(XML.replace("<testResults", bomb + "<testResults", 1).encode())
