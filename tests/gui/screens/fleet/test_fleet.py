"""A fleet in the window: who stands out, when, and the session of that hour."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from ldap_workbench.fleet import remote
from ldap_workbench.fleet.answers import local_worker
from ldap_workbench.fleet.reviews import Hits, Review, write_reviews
from ldap_workbench.fleet.store import read_fleet, write_fleet
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.inference.counts.tails import tails as exact
from ldap_workbench.session.reader import Session
from tests.fleets import three_servers
from tests.gui.conftest import idle
from tests.gui.watch import aside


@pytest.fixture
def folder(tmp_path):
    return three_servers(tmp_path)


@pytest.fixture
def screen(qtbot, window, folder):
    window.show_screen("fleet")
    window.fleet.open(folder)
    idle(qtbot, window)
    return window.fleet


def cells(model):
    rows, columns = range(model.rowCount()), range(model.columnCount())
    return [tuple(model.index(r, c).data() for c in columns) for r in rows]


def headings(model):
    columns = range(model.columnCount())
    return [model.headerData(c, Qt.Orientation.Horizontal) for c in columns]


def test_who_stands_out_comes_first(screen):
    assert headings(screen.servers) == [
        "Server", "Stands out", "Stalls", "Slow seconds", "Findings", "2026-11-21", "2026-11-22",
    ]  # fmt: skip
    found = cells(screen.servers)
    assert [row[0] for row in found] == ["ldap3", "ldap1", "ldap2"]
    assert found[0][6] == "–"
    assert found[1][6] != "–"
    assert {row[4] for row in found} == {"–"}, "nothing was looked at"
    assert "3 servers, 2 days" in screen._words.text()
    assert "1 file was left out. ldap1: access.old: It holds the beginning" in screen._words.text()
    assert "access.old" in screen._words.toolTip()


def test_what_is_missing_stands_above_the_figures_as_a_warning(qtbot, window, screen, folder):
    assert screen.missing.isVisible()
    assert screen.missing.property("mood") == "warn"
    assert screen.missing.heading.text() == "1 log or server is missing from these figures"
    assert screen.missing.sentence.text() == "ldap4: ldap4 cannot be reached."
    with aside():
        write_fleet(folder, replace(read_fleet(folder), failures=7 * read_fleet(folder).failures))
    screen.reload()
    idle(qtbot, window)
    assert screen.missing.heading.text() == "7 logs or servers are missing from these figures"
    assert screen.missing.sentence.text().endswith("\nand 4 more")
    with aside():
        write_fleet(folder, replace(read_fleet(folder), failures=()))
    screen.reload()
    idle(qtbot, window)
    assert not screen.missing.isVisible()


def test_the_worst_hour_is_chosen(screen):
    assert [row[0] for row in cells(screen.hours)] == ["2026-11-21 02:00", "2026-11-21 05:00"]
    assert screen.below.currentIndex().row() == 1
    assert int(cells(screen.hours)[1][7]) > 0
    assert cells(screen.hours)[0][7] == "0"


def test_another_day_shows_its_hours(qtbot, window, screen):
    row = [r[0] for r in cells(screen.servers)].index("ldap1")
    screen.table.setCurrentIndex(screen.servers.index(row, 6))
    idle(qtbot, window)
    assert [r[0] for r in cells(screen.hours)] == ["2026-11-22 02:00"]


def test_another_measure_and_type(qtbot, window, screen):
    before = cells(screen.servers)[0][5]
    screen.measures.setCurrentIndex(screen.measures.findData("p50_ns"))
    idle(qtbot, window)
    assert cells(screen.servers)[0][5] != before
    screen.measures.setCurrentIndex(screen.measures.findData("stalls"))
    idle(qtbot, window)
    slow, *others = cells(screen.servers)
    assert slow[0] == "ldap3"
    assert int(slow[5]) == int(slow[2]) > 0
    assert {row[5] for row in others} == {"0"}
    screen.types.setCurrentIndex(screen.types.findData("ADD"))
    idle(qtbot, window)
    assert screen.servers.columnCount() == 5
    assert screen.hours.rowCount() == 0


def test_the_hour_becomes_a_session(qtbot, window, screen):
    qtbot.mouseClick(screen.open_hour, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    qtbot.waitUntil(lambda: window.workbench.opened is not None)
    path = window.workbench.opened.path
    assert path.name == "ldap3-2026-11-21-05h.ldapwb"
    with aside(), Session.open(path) as session:
        found = [session.operations(window) for window in session.windows()]
    tails = [tail for each in found for tail in exact(each, window="") if tail.type == "ALL"]
    assert {tail.max_ns // 10**6 for tail in tails} == {241}
    assert {hour for each in found for hour in (each.end_ns // (3600 * 10**9) % 24).tolist()} == {5}


def test_the_hour_of_another_host_is_fetched(qtbot, window, folder, tmp_path, monkeypatch):
    logs = tmp_path / "logs"
    logs.mkdir()
    (tmp_path / "ldap3").rename(logs / "access")
    hosts = tmp_path / "hosts.toml"
    hosts.write_text(f'[hosts.ldap3]\nuser = "x"\nlogs = "{logs}"\n')
    asked = []
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: asked.append(1) or (str(hosts), "")
    )
    shown, answers = [], [False, True]
    monkeypatch.setattr(
        ConsentBox, "agreed", lambda box: shown.append(box.informativeText()) or answers.pop(0)
    )
    monkeypatch.setattr(remote, "start", lambda *_: local_worker())
    with aside():
        write_fleet(folder, replace(read_fleet(folder), here=False))
    window.show_screen("fleet")
    window.fleet.open(folder)
    idle(qtbot, window)
    assert "fetched from where the log is" in window.fleet.open_hour.toolTip()

    for _ in range(3):
        qtbot.mouseClick(window.fleet.open_hour, Qt.MouseButton.LeftButton)
        idle(qtbot, window)

    assert asked == [1, 1], "once it was agreed to, it is known"
    assert len(shown) == 2
    assert "runs on x@ldap3" in shown[0]
    assert str(logs) in shown[0]
    assert window.workbench.opened.path.name.startswith("ldap3-2026-11-21-05h")
    with aside(), Session.open(window.workbench.opened.path) as session:
        [found] = [session.operations(window) for window in session.windows()]
    assert set((found.end_ns // (3600 * 10**9) % 24).tolist()) == {5}


def test_a_folder_that_is_no_fleet_is_said(qtbot, window, tmp_path):
    window.show_screen("fleet")
    window.fleet.open(tmp_path)
    idle(qtbot, window)
    assert "is not the folder of a fleet" in window.error_bar.heading.text()


def test_findings_are_looked_for_and_kept(qtbot, window, screen, folder):
    screen.look.click()
    qtbot.waitUntil(lambda: bool(read_fleet(folder).reviews))
    idle(qtbot, window)
    column = headings(screen.servers).index("Findings")
    found = {row[0]: row[column] for row in cells(screen.servers)}
    assert found == {"ldap1": "0", "ldap2": "0", "ldap3": "2"}
    (row,) = [r for r in range(3) if screen.servers.index(r, 0).data() == "ldap3"]
    tip = screen.servers.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
    assert "Searches without an index (2026-11-21)." in tip
    assert screen.look.isEnabled()


def test_cache_hits_of_captures_are_a_measure(qtbot, window, screen, folder):
    start_ns = 1_795_237_200 * 10**9
    reviews = [
        Review(name, start_ns, "c.ldapwb", {}, {"entry_cache": Hits(hits, 1000)})
        for name, hits in (("ldap1", 995), ("ldap2", 620), ("ldap3", 990))
    ]
    write_reviews(folder, reviews)
    screen.reload()
    idle(qtbot, window)
    screen.measures.setCurrentIndex(screen.measures.findData("entry_cache"))
    idle(qtbot, window)
    rows = cells(screen.servers)
    assert (rows[0][0], rows[0][5]) == ("ldap2", "62 %")
    tip = screen.servers.index(0, 5).data(Qt.ItemDataRole.ToolTipRole)
    assert "Entry cache: 62 % of 1,000 look-ups answered." in tip


def test_an_hour_that_cannot_be_read_is_named(qtbot, window, screen, folder):
    (folder.parent / "ldap2").unlink()
    screen.look.click()
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.heading.text() == "Not every hour could be read"
    assert window.notice.sentence.text().startswith("ldap2: ")
    idle(qtbot, window)
