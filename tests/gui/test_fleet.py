"""A fleet in the window: who stands out, when, and the session of that hour."""

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.fleet.answers import summary_of
from ldap_workbench.fleet.engine import Failure, Outcome
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.store import fleet_of, read_fleet, write_fleet
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.model.message import Message
from ldap_workbench.session import Session
from ldap_workbench.statistics import tails as exact
from tests.gui.conftest import idle
from tests.unit.fleet.logs import log_of

_SPARSE = log_of([17, *[3 + 16 * i for i in range(300)], *[9 + 16 * i for i in range(300)]])
LOG = re.sub(rb"(\d:\d\d:\d)\d\.", rb"\g<1>0.", _SPARSE)
"""All of ten seconds in one, for a second tells something only if it is busy."""
LATER = LOG.replace(b"[21/Nov/2026:02", b"[21/Nov/2026:05")
NEXT = LOG.replace(b"[21/Nov", b"[22/Nov")
SLOW = LATER.replace(b"etime=0.001", b"etime=0.241")
TEXTS = {"ldap1": LOG + LATER + NEXT, "ldap2": LOG + LATER, "ldap3": LOG + SLOW}


def units_of(folder):
    units = []
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text)
        units.append(Unit(name, str(folder / name), 0, "389"))
    return units


@pytest.fixture
def folder(tmp_path):
    """Three servers, the third one slow for some minutes from five o'clock on; a fourth failed."""
    units = units_of(tmp_path)
    parts = [summary_of(summarise(unit).to_bytes(), unit) for unit in units]
    failure = Failure("ldap4", Message("ldap4 cannot be reached."))
    write_fleet(tmp_path / "fleet", fleet_of(Outcome(Summary.total(parts), (failure,)), {}))
    return tmp_path / "fleet"


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
        "Server", "Stands out", "Slow seconds", "2026-11-21", "2026-11-22",
    ]  # fmt: skip
    found = cells(screen.servers)
    assert [row[0] for row in found] == ["ldap3", "ldap1", "ldap2"]
    assert found[0][4] == "–"
    assert found[1][4] != "–"
    assert "3 servers, 2 days" in screen._words.text()
    assert "ldap4: ldap4 cannot be reached." in screen._words.text()


def test_the_worst_hour_is_chosen(screen):
    assert [row[0] for row in cells(screen.hours)] == ["2026-11-21 02:00", "2026-11-21 05:00"]
    assert screen.below.currentIndex().row() == 1
    assert int(cells(screen.hours)[1][6]) > 0
    assert cells(screen.hours)[0][6] == "0"


def test_another_day_shows_its_hours(qtbot, window, screen):
    row = [r[0] for r in cells(screen.servers)].index("ldap1")
    screen.table.setCurrentIndex(screen.servers.index(row, 4))
    idle(qtbot, window)
    assert [r[0] for r in cells(screen.hours)] == ["2026-11-22 02:00"]


def test_another_quantile_and_type(qtbot, window, screen):
    before = cells(screen.servers)[0][3]
    screen.quantiles.setCurrentIndex(screen.quantiles.findData("p50_ns"))
    idle(qtbot, window)
    assert cells(screen.servers)[0][3] != before
    screen.types.setCurrentIndex(screen.types.findData("ADD"))
    idle(qtbot, window)
    assert screen.servers.columnCount() == 3
    assert screen.hours.rowCount() == 0


def test_the_hour_becomes_a_session(qtbot, window, screen):
    qtbot.mouseClick(screen.open_hour, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    qtbot.waitUntil(lambda: window.workbench.opened is not None, timeout=20_000)
    path = window.workbench.opened.path
    assert path.name == "ldap3-2026-11-21-05h.ldapwb"
    with Session.open(path) as session:
        found = [session.operations(window) for window in session.windows()]
    tails = [tail for each in found for tail in exact(each, window="") if tail.type == "ALL"]
    assert {tail.max_ns // 10**6 for tail in tails} == {241}
    assert {hour for each in found for hour in (each.end_ns // (3600 * 10**9) % 24).tolist()} == {5}


def test_logs_on_another_host_are_not_looked_for_here(qtbot, window, folder):
    write_fleet(folder, replace(read_fleet(folder), here=False))
    window.show_screen("fleet")
    window.fleet.open(folder)
    idle(qtbot, window)
    assert not window.fleet.open_hour.isEnabled()
    assert "on the server's host" in window.fleet.open_hour.toolTip()


def test_a_folder_that_is_no_fleet_is_said(qtbot, window, tmp_path):
    window.show_screen("fleet")
    window.fleet.open(tmp_path)
    idle(qtbot, window)
    assert "is not the folder of a fleet" in window.error_bar.heading.text()
