"""Answers of Prometheus and of pmrep. The texts are those of Prometheus 2.42 and PCP 6.0.3."""

import json

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.host import pcp, prometheus
from ldap_workbench.logs.host.pcp import read_pmrep
from ldap_workbench.logs.host.prometheus import read_prometheus
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import FACTS

MEMORY = (
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":'
    '"process_resident_memory_bytes","job":"self","instance":"127.0.0.1:29090"},"values":'
    '[[1795468814,"44236800"],[1795468815.781,"46333952"]]}]}}'
)
RATE = (
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"code":"200"},'
    '"values":[[1795468816.781,"0.7504"],[1795468818.781,"+Inf"],[1795468819,"NaN"]]}]}}'
)
MOMENT = (
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up"},'
    '"value":[1795468820.644,"1"]}]}}'
)
ERROR = '{"status":"error","errorType":"bad_data","error":"1:3: unclosed left parenthesis"}'
PMREP = """\
Time,"disk.dev.read-vda","disk.dev.write-vda","disk.dev.read_bytes-vda",\
"disk.dev.read_rawactive-vda","disk.dev.avactive-vda","disk.dev.aveq-vda",\
"kernel.all.load-1 minute","kernel.all.cpu.user","hinv.ncpu"
2026-11-23 21:18:30,,,,,,,,,
2026-11-23 21:18:31,,,,,,,11.500,,2
2026-11-23 21:18:32,51.000,0.000,224.000,10.000,108.000,1607.000,11.500,810.000,2
"""
BEGIN = 1795468710 * NS_PER_S


def test_prometheus_times_are_exact_and_names_whole():
    assert detect(MEMORY.encode()).dialect == "prometheus"
    assert detect(json.dumps(json.loads(MEMORY), indent=2).encode()).dialect == "prometheus"
    name = 'prometheus:process_resident_memory_bytes{instance="127.0.0.1:29090",job="self"}'
    assert read_prometheus(MEMORY.encode(), "q").samples == [
        Sample(1795468814_000_000_000, name, 44236800.0),
        Sample(1795468815_781_000_000, name, 46333952.0),
    ]


def test_what_promql_makes_is_called_by_its_file_and_no_number_is_left_out():
    readings = read_prometheus(RATE.encode(), "searches")
    assert readings.samples == [
        Sample(1795468816_781_000_000, 'prometheus:searches{code="200"}', 0.7504)
    ]
    assert readings.lines.reasons == {"value that is no number": 2}


def test_the_answer_of_one_moment_is_read():
    assert [each.series for each in read_prometheus(MOMENT.encode(), "q").samples] == [
        "prometheus:up"
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ERROR, "1:3: unclosed left parenthesis"),
        (MEMORY[:-30], "cut off or damaged"),
        ("[" * 100_000, "cut off or damaged"),
        ("[1e99999999999999999999]", "cut off or damaged"),
        ("[]", "no result of a query"),
        ('{"data":{"resultType":"matrix","result":{}}}', "no result of a query"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(text, why):
    with pytest.raises(LogError, match=why):
        read_prometheus(text.encode(), "q")


@pytest.mark.parametrize(
    "pair",
    ["1", "[]", "[1795468814]", '["x","1"]', '[1795468814,"x"]', '[-1,"1"]', '[1e300,"1"]',
     '[1e30,"1"]', "[1795468814,{}]", "null", '[true,"1",3]', "[null,null]", '[NaN,"1"]'],
)  # fmt: skip
def test_a_pair_that_is_none_is_counted(pair):
    text = f'{{"data":{{"result":[{{"metric":null,"values":[{pair},[1795468814,"1"]]}}]}}}}'
    readings = read_prometheus(text.encode(), "q")
    assert [(each.time_ns, each.value) for each in readings.samples] == [(1795468814 * 10**9, 1.0)]
    assert readings.lines.unknown == 1


def test_series_and_samples_of_a_stranger_are_bounded(monkeypatch):
    monkeypatch.setattr(prometheus, "MOST_SERIES", 3)
    series = [{"metric": {"__name__": "x" * 5000}, "values": [[1, "1"]]}] * 5
    readings = read_prometheus(json.dumps({"data": {"result": series}}).encode(), "q")
    assert len(readings.samples) == 3
    assert len(readings.samples[0].series) == 411
    assert readings.lines.reasons == {"more samples than are kept": 2}


def test_pmrep_is_as_printed_and_disks_as_iostat_names_them():
    found = detect(PMREP.encode())
    assert (found.dialect, found.kind) == ("pmrep", SourceKind.IOSTAT)
    readings = read_pmrep(PMREP.encode())
    assert {each.time_ns - BEGIN for each in readings.samples} == {NS_PER_S, 2 * NS_PER_S}
    last = {s.series: s.value for s in readings.samples if s.time_ns == BEGIN + 2 * NS_PER_S}
    assert last["pcp:kernel.all.load:1 minute"] == 11.5
    iostat = {name.removeprefix("iostat:"): v for name, v in last.items() if "iostat:" in name}
    assert iostat == pytest.approx(
        {"vda:r/s": 51, "vda:w/s": 0, "vda:rkB/s": 224, "vda:util": 10.8, "vda:aqu-sz": 1.607,
         "vda:r_await": 10 / 51, "cpu:user": 40.5}
    )  # fmt: skip
    assert "prints no zone" in str(readings.notes[0])


def test_pmrep_times_are_local_unless_they_are_epochs():
    east = Clock(zone_offset_ns=3600 * NS_PER_S)
    first = read_pmrep(PMREP.encode(), east).samples[0]
    assert first.time_ns == BEGIN + NS_PER_S - 3600 * NS_PER_S
    epochs = 'Time,"disk.dev.read-vda"\n1795468711,1.5\n'
    readings = read_pmrep(epochs.encode(), east)
    assert readings.samples[0].time_ns == BEGIN + NS_PER_S
    assert readings.notes == ()


@pytest.mark.parametrize(
    "row",
    [
        "x,1",
        "2526-11-23 21:18:31,1",
        "1726-11-23 21:18:31,1",
        "2026-11-23 21:18:31",
        "2026-11-23 21:18:31,1,2",
        '"' + "x" * 200_000 + '",1',
    ],
)
def test_a_row_that_is_none_is_counted(row):
    readings = read_pmrep(f'Time,"a.b"\n{row}\n2026-11-23 21:18:32,nan\n'.encode())
    assert (readings.samples, readings.lines.unknown) == ([], 1)


def test_pmrep_without_its_first_line_is_refused():
    with pytest.raises(LogError, match="does not name the columns"):
        read_pmrep(PMREP.partition("\n")[2].encode())


def test_rows_of_a_stranger_are_bounded(monkeypatch):
    monkeypatch.setattr(pcp, "MOST_COLUMNS", 3)
    readings = read_pmrep(PMREP.encode())
    assert (readings.samples, readings.lines.reasons) == ([], {"more samples than are kept": 3})


def test_both_stand_beside_each_other_in_a_window(tmp_path):
    (tmp_path / "memory.json").write_text(MEMORY)
    (tmp_path / "disk.csv").write_text(PMREP.replace("21:18:3", "21:20:1"))
    (tmp_path / "wrong.json").write_text(ERROR)
    with SessionWriter.create(tmp_path / "s.ldapwb", FACTS) as writer:
        imported = import_logs([tmp_path], writer)
    by_name = {source.name: source for source in imported.sources}
    assert by_name["memory.json"].state is by_name["disk.csv"].state is SourceState.COMPLETE
    assert by_name["wrong.json"].state is SourceState.MISSING
    assert "unclosed left parenthesis" in str(by_name["wrong.json"].why)
    with Session.open(tmp_path / "s.ldapwb") as session:
        names = {name for w in session.windows() for name in session.series_names(w)}
    assert "iostat:vda:util" in names
    assert any(name.startswith("prometheus:process_resident") for name in names)
