"""A fault of the window's own, wherever it arises, is told in the bar and leaves a report."""

import re
import stat
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from ldap_workbench.gui.app import catch_faults
from ldap_workbench.gui.shell.crash import RunReport
from tests.gui.conftest import idle

_SOURCE = '"uid=hidden,dc=example"'


def fault(*_):
    raise ZeroDivisionError("uid=hidden,dc=example")


@pytest.fixture
def watched(window, monkeypatch):
    """The window as the program runs it: nothing gets past it."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    report = RunReport("version 1")
    catch_faults(window.workbench, report)
    yield window
    report.end()


def in_a_worker(window):
    window.workbench.runner.start("k", "Work", fault, on_failed=window.workbench.fail)


def in_a_thread(window):
    threading.Thread(target=fault).start()


def in_a_slot(window):
    QTimer.singleShot(0, lambda: sys.excepthook(*_raised()))


def _raised():
    try:
        fault()
    except ZeroDivisionError as error:
        return type(error), error, error.__traceback__


@pytest.mark.parametrize("where", [in_a_worker, in_a_thread, in_a_slot])
def test_it_is_told_with_its_report(qtbot, watched, home, where):
    with qtbot.waitSignal(watched.workbench.failed) as failed:
        where(watched)
    idle(qtbot, watched)
    title, _ = failed.args
    assert "ZeroDivisionError" in title
    said = watched.error_bar.sentence.text()
    assert "hidden" not in title + said
    report = Path(re.search(r"(/\S+\.txt)", said)[1])
    assert report.parent == home / "state" / "crashes"
    assert "in fault" in report.read_text()
    assert "hidden" not in report.read_text().replace(_SOURCE, "")
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert watched.isVisible()


def test_the_report_of_a_run_is_for_its_owner_alone():
    report = RunReport("version 1")
    assert stat.S_IMODE(report.path.stat().st_mode) == 0o600
    report.end()
