"""Two sets of companions without any access log: what changed on the host, and by how much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.app import app
from ldap_workbench.figures.verdict.host_changes import HostChange, host_changes
from ldap_workbench.report.write import write_report
from ldap_workbench.session.reader import Session
from tests.unit.cases.published import Told, case, tell_files
from tests.unit.cases.test_histograms import HEAVY, LIGHT, stap
from tests.unit.cases.test_iostat_pasted import BANNER, LUN, page, solaris

BUSY = [(370, 112), (282, 107), (287, 110), (283, 111)]
AFTER = BANNER.replace("24 12:52:03", "25 12:52:03")


def changes(told: Told) -> dict[str, HostChange]:
    with Session.open(told.path) as session:
        windows = sorted(session.windows(), key=lambda window: window.start_ns)
        found = host_changes(session, windows[:1], windows[1:])
    return {str(change.quantity): change for change in found}


def before_after(after: list[tuple[float, float]], where: Path) -> Told:
    files = {
        "before/iostat.txt": BANNER + solaris(BUSY),
        "before/dse.ldif": page(32768),
        "after/iostat.txt": AFTER + solaris(after),
    }
    return tell_files(files, where)


def test_smaller_reads_after_the_change_are_said(tmp_path: Path) -> None:
    told = before_after([(300, 22), (310, 23), (290, 22.5)], tmp_path)
    size = changes(told)["Size of a read"]
    assert size.a.value == pytest.approx(110, abs=2)
    assert size.b.value == pytest.approx(22.5, abs=0.6)
    assert (size.is_apart, size.place, str(size.unit)) == (True, LUN, "KB")
    assert "instead of 110 KB" in told.report
    assert "c7t600…8900d0" in told.report


def test_the_case_against_its_after(tmp_path: Path) -> None:
    before = (case("s2a-before") / "iostat.txt").read_text()
    after = before.replace("41.8", "8.2").replace("29.7", "6.2").replace("31.0", "6.3")
    after = after.replace("31.5", "6.3").replace("2007", "2008")
    told = tell_files({"a/iostat.txt": before, "b/iostat.txt": after}, tmp_path)
    size = changes(told)["Size of a read"]
    assert 105 <= size.a.value <= 112
    assert 22 <= size.b.value <= 23.5


def test_what_stays_within_its_range_is_no_change(tmp_path: Path) -> None:
    size = changes(before_after([(300, 106), (290, 114)], tmp_path))["Size of a read"]
    assert not size.is_apart
    assert "within what either side varies" in str(size.sentence)


def test_the_command_compares_without_any_log(tmp_path: Path) -> None:
    told = before_after([(300, 22), (310, 23)], tmp_path)
    with Session.open(told.path) as session:
        first, second = sorted(session.windows(), key=lambda window: window.start_ns)
    arms = ["--a", str(first.id), "--b", str(second.id)]
    shown = CliRunner().invoke(app, ["compare", str(told.path), *arms])
    assert shown.exit_code == 0
    assert "22.5 KB instead of 110 KB" in shown.output
    assert "Insufficient" not in shown.output
    machine = CliRunner().invoke(app, ["compare", str(told.path), *arms, "--json"])
    rows = {row["quantity"]: row for row in json.loads(machine.output)["host"]}
    assert rows["Size of a read"]["is_apart"] is True


def test_the_tail_of_a_probe_before_and_after(tmp_path: Path) -> None:
    stp = "stap test_do_search.stp"
    files = {"a/x.txt": stap(LIGHT, above=stp), "b/x.txt": stap(HEAVY, above=stp)}
    told = tell_files(files, tmp_path)
    found = next(change for name, change in changes(told).items() if "beyond" in name)
    assert found.place == "do_search"
    assert found.is_apart


def test_histograms_are_charts_of_the_report(tmp_path: Path) -> None:
    files = {"1thread.txt": stap(LIGHT), "16thread.txt": stap(HEAVY)}
    told = tell_files(files, tmp_path)
    output = tmp_path / "report.html"
    write_report(told.path, output)
    text = output.read_text(encoding="utf-8")
    assert text.count("<svg") >= 2
    for words in ("Calls by bucket", "Beyond each bucket", "1 thread (", "16 threads ("):
        assert words in text
    assert "| 262,144 ns | 8,500 |" in told.report
