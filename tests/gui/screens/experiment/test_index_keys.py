"""From a slow search without an index plan to a window that has one, and what it changes back."""

from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.session.reader import Session
from tests.gui.busy_server import BusyTarget, NoKnobs
from tests.gui.conftest import idle, opened
from tests.gui.watch import aside

pytestmark = pytest.mark.one_window


@dataclass
class Reading:
    value: str = "0"


@dataclass
class OneKnob(NoKnobs):
    """A tuner that notes what it is asked for."""

    target: BusyTarget
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.target.directory)

    def read(self, knob):
        return Reading()

    def apply(self, treatment, progress):
        self.asked += [f"{each.knob}={each.value}" for each in treatment.settings]

    def put_back(self, progress):
        self.asked.append("put back")


@pytest.fixture
def busy(window, tmp_path):
    target = BusyTarget(tmp_path, 500)
    window.workbench.connection = Connection(target, OneKnob(target))
    window.workbench.connectionChanged.emit()
    yield target
    target.log.stop()


def test_a_search_without_a_plan_leads_to_a_window_with_one(qtbot, window, busy, capture_file):
    screen = opened(qtbot, window, capture_file, "operations")
    qtbot.waitUntil(screen.index_keys.isVisible)
    qtbot.mouseClick(screen.index_keys, Qt.MouseButton.LeftButton)
    capture = window.current_screen()
    assert capture.name == "capture"
    assert (capture._name.text(), capture._seconds.value()) == ("index keys", 120)
    assert capture._index_keys.isChecked()
    capture._seconds.setValue(1)
    path = busy.log.path.with_name("keys.ldapwb")
    capture._path.setText(str(path))
    busy.log.start()
    qtbot.mouseClick(capture._start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not capture.running())
    idle(qtbot, window)
    assert window.workbench.connection.tuner.asked == ["nsslapd-statlog-level=1", "put back"]
    with aside(), Session.open(path) as session:
        assert [each.name for each in session.windows()] == ["index keys"]


def test_nothing_is_offered_that_may_not_be_changed(qtbot, window, busy, capture_file):
    busy.log.start()
    window.workbench.set_read_only(True)
    screen = opened(qtbot, window, capture_file, "operations")
    qtbot.waitUntil(lambda: bool(screen._lines.toPlainText()))
    assert not screen.index_keys.isVisible()
    window.show_screen("capture")
    assert not window.capture._index_keys.isEnabled()
    window.workbench.set_read_only(False)
    assert window.capture._index_keys.isEnabled()
