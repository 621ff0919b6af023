"""Operations by client: who costs what, and the way to the operations of one."""

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.screens.operations.finder import UNANSWERED
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.writer import SessionWriter
from tests.gui.conftest import idle, opened
from tests.unit.advice.material import T0, Log
from tests.unit.advice.material import window as capture
from tests.unit.advice.test_clients import APP, OTHER, pool, visits
from tests.unit.advice.test_find import put

pytestmark = pytest.mark.one_window


@pytest.fixture
def clients_file(tmp_path):
    log = visits(pool(Log(), rate=2, **OTHER), 300, every=2, **APP)
    with SessionWriter.create(tmp_path / "clients.ldapwb") as writer:
        put(writer, capture(600), log, 1)
    return tmp_path / "clients.ldapwb"


def grouped(qtbot, window, path, name):
    screen = opened(qtbot, window, path, "operations")
    screen.finder.put("", name)
    idle(qtbot, window)
    return screen


def test_clients_are_listed_by_cost_and_lead_to_their_operations(qtbot, window, clients_file):
    screen = grouped(qtbot, window, clients_file, "client")
    assert [row.address for row in screen.clients.rows] == ["192.0.2.7", "192.0.2.8"]
    headings = [
        screen.clients.headerData(n, Qt.Orientation.Horizontal)
        for n in range(screen.clients.columnCount())
    ]
    found = screen.clients.index(0, headings.index("Findings")).data()
    assert found == "Clients open a new connection for each piece of work"
    screen.client_table.activated.emit(screen.clients.index(0, 0))
    idle(qtbot, window)
    assert screen.table.isVisible()
    assert screen.model.rowCount() == 600
    assert {screen.model.row(n).client for n in range(100)} == {"192.0.2.7"}
    qtbot.mouseClick(screen._to_groups, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert screen.client_table.hasFocus()


def test_clients_are_those_of_what_was_searched_for(qtbot, window, clients_file):
    screen = grouped(qtbot, window, clients_file, "client")
    both = {row.address: row for row in screen.clients.rows}
    screen.finder.put("type=BIND", "client")
    idle(qtbot, window)
    binds = {row.address: row for row in screen.clients.rows}
    assert (binds["192.0.2.7"].operations, binds["192.0.2.7"].searches) == (300, 0)
    assert all(row.operations == row.binds for row in binds.values())
    screen.finder.put("", "client")
    window.workbench.selection.choose(T0, T0 + 60 * NS_PER_S)
    idle(qtbot, window)
    now = {row.address: row for row in screen.clients.rows}
    assert now["192.0.2.7"].operations == both["192.0.2.7"].operations // 10
    rates = now["192.0.2.7"].worker_s_per_h, both["192.0.2.7"].worker_s_per_h
    assert rates[0] == pytest.approx(rates[1], rel=0.05), "of the range, not of the window"


def test_windows_that_are_not_ticked_do_not_count(qtbot, window, clients_file):
    screen = grouped(qtbot, window, clients_file, "client")
    [action] = screen._windows.menu().actions()
    action.trigger()
    screen._windows.menu().aboutToHide.emit()
    idle(qtbot, window)
    assert screen.clients.rowCount() == 0


@pytest.fixture
def waiting_file(tmp_path):
    asked = {"time_ns": T0 + 540 * NS_PER_S, "conn": 9, "client": "192.0.2.9", "base": "", "at": 0}
    waiting = [asked | {"type": "BIND", "op": 1, "bind_dn": "", "filter": "", "boot": 0}]
    log = pool(Log(), rate=2, **OTHER)
    with SessionWriter.create(tmp_path / "waiting.ldapwb") as writer:
        put(writer, capture(600), log, 1, details={"waiting": waiting})
    return tmp_path / "waiting.ldapwb"


def test_operations_without_an_answer_are_a_grouping(qtbot, window, waiting_file):
    screen = grouped(qtbot, window, waiting_file, UNANSWERED)
    assert [row.operation.type for row in screen.waiting.rows] == ["BIND"]
    assert screen.waiting_table.isVisible()
    assert screen.waiting.rows[0].waited_ns == 60 * NS_PER_S


def test_operations_without_an_answer_are_those_of_the_time_range(qtbot, window, waiting_file):
    screen = grouped(qtbot, window, waiting_file, UNANSWERED)
    window.workbench.selection.choose(T0, T0 + 60 * NS_PER_S)
    idle(qtbot, window)
    assert screen._count.text() == "Operations without an answer in this time range: 0."
    window.workbench.selection.choose(T0 + 550 * NS_PER_S, T0 + 560 * NS_PER_S)
    screen.finder.put("type=SRCH", UNANSWERED)
    idle(qtbot, window)
    assert len(screen.waiting.rows) == 1, "it waited then, and words are not applied"
    assert screen._count.text().endswith("1. The search above is not applied to them.")
