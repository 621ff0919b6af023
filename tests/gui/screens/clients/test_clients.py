"""The Clients screen: who costs what, and the way to the operations of one."""

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.screens.clients.screen import ClientsScreen
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


def test_clients_are_listed_by_cost_and_lead_to_their_operations(qtbot, window, clients_file):
    opened(qtbot, window, clients_file, "clients")
    screen = window.current_screen()
    assert isinstance(screen, ClientsScreen)
    assert [row.address for row in screen.model.rows] == ["192.0.2.7", "192.0.2.8"]
    headings = [
        screen.model.headerData(n, Qt.Orientation.Horizontal)
        for n in range(screen.model.columnCount())
    ]
    found = screen.model.index(0, headings.index("Findings")).data()
    assert found == "Clients open a new connection for each piece of work"
    screen.table.activated.emit(screen.model.index(0, 0))
    idle(qtbot, window)
    assert window.current_screen().name == "operations"
    model = window.operations.model
    assert model.rowCount() == 600
    assert {model.row(n).client for n in range(100)} == {"192.0.2.7"}


def test_windows_that_are_not_ticked_do_not_count(qtbot, window, clients_file):
    opened(qtbot, window, clients_file, "clients")
    screen = window.clients
    [action] = screen._windows.menu().actions()
    action.trigger()
    screen._windows.menu().aboutToHide.emit()
    idle(qtbot, window)
    assert screen.model.rowCount() == 0


@pytest.fixture
def waiting_file(tmp_path):
    asked = {"time_ns": T0 + 540 * NS_PER_S, "conn": 9, "client": "192.0.2.9", "base": "", "at": 0}
    waiting = [asked | {"type": "BIND", "op": 1, "bind_dn": "", "filter": "", "boot": 0}]
    log = pool(Log(), rate=2, **OTHER)
    with SessionWriter.create(tmp_path / "waiting.ldapwb") as writer:
        put(writer, capture(600), log, 1, details={"waiting": waiting})
    return tmp_path / "waiting.ldapwb"


def test_operations_without_an_answer_are_shown_beside_the_clients(qtbot, window, waiting_file):
    window.open_paths([waiting_file])
    idle(qtbot, window)
    window.show_screen("clients")
    idle(qtbot, window)
    screen = window.current_screen()
    assert [row.operation.type for row in screen.waiting.rows] == ["BIND"]
    assert screen.waiting_table.isVisible()
    assert screen.waiting.rows[0].waited_ns == 60 * NS_PER_S
