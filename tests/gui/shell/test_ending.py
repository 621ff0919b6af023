"""An end of the window that nobody clicked asks nobody, and comes back when the work has ended."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from PySide6.QtCore import SIGNAL
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.shell.windows import Ending, Windows
from ldap_workbench.gui.workbench.state import Workbench

pytestmark = pytest.mark.stall_allowed  # a window is made


@pytest.fixture
def windows(qapp, home, monkeypatch):
    monkeypatch.setattr("ldap_workbench.gui.shell.windows.QCoreApplication.quit", lambda: None)
    made = Windows()
    yield made
    made.close_now()
    made.deleteLater()
    qapp.sendPostedEvents(None, 52)  # DeferredDelete
    qapp.processEvents()


@pytest.fixture
def window(windows):
    return windows.open(Workbench())


@pytest.fixture
def ending(qapp, windows, window, monkeypatch) -> Iterator[Ending]:
    monkeypatch.setattr(window.questions, "how_to_close", lambda: pytest.fail("nobody is there"))
    monkeypatch.setattr(qapp, "quit", lambda: None)
    ending = Ending(qapp, windows)
    yield ending
    ending.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_without_a_question_and_says_that_work_was_cut(
    qtbot, window, ending, monkeypatch, capfd, number
):
    monkeypatch.setattr(window, "busy", lambda: True)
    signal.raise_signal(number)
    qtbot.waitUntil(lambda: window.closed)
    assert ending.status == 1
    assert "Ended while something was running." in capfd.readouterr().err


def test_where_nothing_runs_it_ends_well(qtbot, window, ending):
    signal.raise_signal(signal.SIGTERM)
    qtbot.waitUntil(lambda: window.closed)
    assert ending.status == 0


class Painted(QWidget):
    """Gets a signal while it is painted, and says what was open then."""

    def __init__(self, window):
        super().__init__()
        self.window_, self.closed_in_paint = window, None

    def paintEvent(self, _):
        if self.closed_in_paint is None:
            signal.raise_signal(signal.SIGTERM)
            self.closed_in_paint = self.window_.closed


def test_a_signal_in_the_middle_of_a_paint_waits_for_its_end(qtbot, window, ending):
    painted = Painted(window)
    qtbot.addWidget(painted)
    painted.show()
    qtbot.waitUntil(lambda: painted.closed_in_paint is not None)
    assert not painted.closed_in_paint
    qtbot.waitUntil(lambda: window.closed)


def test_the_end_of_the_desktop_session_is_heard(qapp, window, ending):
    assert qapp.receivers(SIGNAL("commitDataRequest(QSessionManager&)")) == 1
    ending._on_session_end(None)
    assert window.closed


def test_a_window_that_was_closed_is_left_alone(window, ending, monkeypatch):
    monkeypatch.setattr(window, "busy", lambda: True)
    window.close_now()
    ending.end()
    assert ending.status == 0
