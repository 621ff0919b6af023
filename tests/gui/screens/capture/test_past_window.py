"""A window of the past is fetched from the Capture screen, with progress, and may be stopped."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QDateTime, Qt, QTimeZone
from PySide6.QtWidgets import QPushButton

from ldap_workbench.capture import host_link
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.units import NS_PER_S
from tests.gui.busy_server import AccessLog, BusyTarget, NoKnobs
from tests.gui.conftest import idle

BEGIN = 1_795_248_000
"""21 Nov 2026 08:00:00 UTC."""
PER_SECOND = 50
LENGTH_S = 600


class PastTarget(BusyTarget):
    """Ten minutes of log that lie an hour back, over a shell that finds anything."""

    def another_shell(self) -> LocalShell:
        return LocalShell()

    def now_ns(self) -> int:
        return (BEGIN + 3600) * NS_PER_S


def lines(begin: int = BEGIN) -> str:
    text = []
    for number in range(LENGTH_S * PER_SECOND):
        second, part = divmod(number, PER_SECOND)
        stamp = QDateTime.fromSecsSinceEpoch(begin + second, QTimeZone.utc())
        at = f"[{stamp.toString('dd/MMM/yyyy:HH:mm:ss')}.{part * 10**7:09d} +0000]"
        where = f"conn={number % 9} op={number}"
        text.append(f'{at} {where} SRCH base="dc=x" scope=2 filter="(uid=a)" attrs=ALL\n')
        text.append(f"{at} {where} RESULT err=0 tag=101 nentries=1 etime=0.000000900\n")
    return "".join(text)


@pytest.fixture
def past(qtbot, window, tmp_path):
    """The form, of a window connected to a server with a past."""
    target = PastTarget(tmp_path, 0)
    assert isinstance(target.log, AccessLog)
    target.log.path.write_text(lines())
    window.workbench.settings.new_folder = tmp_path
    window.workbench.connection = Connection(target, NoKnobs(target.directory))
    window.workbench.connectionChanged.emit()
    window.show_screen("capture")
    yield window.capture._past
    window.workbench.runner.cancel_all()  # a test that failed must not make the window ask
    idle(qtbot, window)


def choose(form, start_s: int, end_s: int) -> None:
    for field, second in ((form._from, start_s), (form._to, end_s)):
        field.setDateTime(QDateTime.fromSecsSinceEpoch(BEGIN + second, QTimeZone.utc()))


def click(qtbot, button: QPushButton) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_minute_of_the_past_becomes_the_open_session(qtbot, window, past):
    assert past._from.text() == "2026-11-21 08:57:00 UTC"
    assert past._to.text() == "2026-11-21 08:58:00 UTC"
    choose(past, 300, 360)
    click(qtbot, past._fetch)
    assert past._stop.isVisible()
    assert not window.capture._start.isEnabled()
    qtbot.waitUntil(lambda: not past.running())
    idle(qtbot, window)
    assert window.capture._start.isEnabled()
    summary = window.workbench.opened.summary
    assert summary.path.name == "busy-20261121-080500.ldapwb"
    (fetched,) = summary.windows
    assert fetched.start_ns == (BEGIN + 300) * NS_PER_S
    assert fetched.seconds == 60
    (source,) = summary.sources
    assert source.details["bytes_on_the_wire"] < 0.5 * source.details["bytes_of_the_set"]
    assert str(remarks(source)[0]).startswith("Read as 389 Directory Server access log: ")


def test_somebody_may_say_what_the_log_is(qtbot, window, past):
    choose(past, 300, 310)
    past._dialect.setCurrentIndex(past._dialect.findData("sun"))
    click(qtbot, past._fetch)
    qtbot.waitUntil(lambda: not past.running())
    idle(qtbot, window)
    (source,) = window.workbench.opened.summary.sources
    assert source.dialect == "sun"


def test_what_is_no_window_of_the_past_is_told_and_leaves_no_file(qtbot, window, past, tmp_path):
    choose(past, 360, 300)
    click(qtbot, past._fetch)
    qtbot.waitUntil(lambda: not past.running())
    assert window.error_bar.isVisible()
    assert "ends after it starts" in window.error_bar.heading.text()
    assert not list(tmp_path.glob("*.ldapwb*"))
    assert past._fetch.isEnabled()


def test_stopped_it_keeps_what_came(qtbot, window, past, monkeypatch):
    slow = host_link.HostLink.flow

    def flow(self, argv, take, stop, *rest, **named):
        def taken(data):
            take(data)
            stop.wait(0.3)

        return slow(self, argv, taken, stop, *rest, **named)

    monkeypatch.setattr(host_link.HostLink, "flow", flow)
    choose(past, 0, 590)
    click(qtbot, past._fetch)
    qtbot.waitUntil(lambda: "Fetching" in past._progress.text.text())
    click(qtbot, past._stop)
    qtbot.waitUntil(lambda: not past.running())
    idle(qtbot, window)
    (fetched,) = window.workbench.opened.summary.windows
    assert fetched.cancelled
    assert "cancelled" in window.notice.sentence.text()


def test_a_host_without_a_shell_is_said(window, past):
    target = window.workbench.connection.target
    target.facts = replace(target.facts, simulated=True)
    window.workbench.connectionChanged.emit()
    assert not past.isEnabled()
    assert past._why.isVisibleTo(past)
    assert "no shell" in past._why.text()
    assert not past._form.isVisibleTo(past)
