"""The guided work in the window, by mouse and keys alone, on a real server; then offline."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QWidget,
)

from ldap_workbench.gui.app import GuiGarbage, load_later
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.questions import HostKeyDialog
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import State
from ldap_workbench.model.profile import Profile
from ldap_workbench.session.reader import Session
from tests.gui.patience import pause
from tests.gui.watch import StallWatch
from tests.live.lab.hand import BEHIND, Hand, slow
from tests.live.lab.steps import configured, named_load

LONGEST_WORK_S = 0.15
"""What the window may work in one turn. Alone it holds LIMIT_S; beside the lab of another test, on
the same processors, the same turns take half as long again of them."""
LONGEST_WAIT_S = 0.3
"""What it may wait, seldom: beside the server and its load a thread of ours with the interpreter's
lock may have no processor."""
KNOB, VALUE = "nsslapd-enable-upgrade-hash", "off"


@pytest.fixture
def unbuffered(target) -> Iterator[None]:
    """Each window is complete at once, so that the run takes seconds."""
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        yield


@pytest.fixture
def behind(lab) -> None:
    """The server and its load stand back, as if they had a machine of their own beside the laptop.

    For good, where nobody but root may take it back: this test starts the server anew at its end.
    """
    for thread in Path(f"/proc/{lab.slapd.pid}/task").iterdir():
        os.setpriority(os.PRIO_PROCESS, int(thread.name), BEHIND)


def opened_window() -> MainWindow:
    window = MainWindow(Workbench())
    # Without it a worker may free a widget, which ends the process.
    window.garbage = GuiGarbage(window)
    window.resize(1400, 900)
    window.show()
    window.activateWindow()
    load_later(window.workbench)  # as the program does after its start
    return window


@contextmanager
def watched() -> Iterator[None]:
    """Fails where the window worked for too long in one turn, or stood still."""
    watch = StallWatch()
    watch.start()
    try:
        yield
    finally:
        watch.stop()
    told = "\n".join(f"{1000 * seconds:.0f} ms\n{where}" for seconds, where in watch.stalls)
    assert watch.longest_work_s < LONGEST_WORK_S, told
    assert all(seconds < LONGEST_WAIT_S for seconds, _ in watch.stalls), told
    if told:
        print(told)


def ended(window: MainWindow, qapp: QApplication) -> None:
    """Close the window; a run that a failed test has left would ask whether to, for ever."""
    window.experiment.stop()
    Hand(window).until(lambda: not window.experiment.running(), 60)
    window.close()
    window.garbage.stop()
    window.deleteLater()
    qapp.sendPostedEvents(None, 52)  # DeferredDelete
    qapp.processEvents()


def add_the_server(hand: Hand, profile: Profile, password: str) -> None:
    """Fill the dialog, try every step, save and connect; the host key is new."""
    hand.press("Add a server", hand.window.start)
    dialog = hand.window.servers.dialog
    assert dialog is not None
    assert profile.ssh is not None
    host, port = profile.ldap_url.removeprefix("ldap://").split(":")
    typed = {
        "name": "lab", "host": host, "port": port.strip("/"), "bind_dn": profile.bind_dn,
        "ssh_host": profile.ssh.host, "ssh_port": str(profile.ssh.port),
        "ssh_user": profile.ssh.user, "identity": str(profile.ssh.identity),
    }  # fmt: skip
    hand.choose(dialog._tls, "Not encrypted")
    hand.choose(dialog._where, "Over SSH")
    for name, text in typed.items():
        hand.type(dialog._lines[name], text)
    hand.type(dialog._password, password)
    if dialog._ticks["sudo"].isChecked() != profile.sudo:
        hand.click(dialog._ticks["sudo"], QPoint(10, dialog._ticks["sudo"].height() // 2))
    assert dialog._ticks["sudo"].isChecked() == profile.sudo
    try_it(hand, dialog)
    hand.press("Save and connect", dialog)
    hand.until(lambda: hand.window.workbench.connection is not None)
    hand.idle()


def try_it(hand: Hand, dialog: ProfileDialog) -> None:
    """Try the steps: the host key is new, so that has to be looked at; then all are ticked."""
    steps = dialog._steps.model
    hand.press("Test", dialog)
    hand.until(lambda: steps.rows)
    told = {str(step.name): step.ok for step in steps.rows}
    assert told["cn=monitor"]
    assert not told["SSH host key"]
    hand.answer(HostKeyDialog, lambda asked: hand.press("The fingerprints", asked))
    hand.press("Verify the host key", dialog)
    hand.until(lambda: steps.rows and all(step.tried for step in steps.rows))
    failed = [str(step.name) for step in steps.rows if not step.ok]
    assert failed == ([] if shutil.which("iostat") else ["iostat"])


def capture_a_window(hand: Hand) -> None:
    """Six seconds under load; a moment is marked on the way."""
    screen = hand.window.capture
    hand.spin(screen._seconds, "6")
    hand.press("Start", screen)
    pause(3000)
    hand.press("Add marker", screen)
    hand.until(lambda: hand.window.workbench.opened is not None, 60)
    hand.idle()


def plan_from_the_findings(hand: Hand) -> None:
    """Read what was found, then type the change."""
    hand.screen("Summary")
    page = hand.window.overview.findings
    hand.until(lambda: page.seen is not None and page.cards(), 60)
    hand.screen("Tests")
    hand.press("One setting", hand.window.screens.tests)
    screen = hand.window.experiment
    hand.type(screen.change._entry.knob.lineEdit(), KNOB)
    QTest.keyClick(screen.change._entry.knob.lineEdit(), Qt.Key.Key_Escape)
    hand.type(screen.change._entry.value, VALUE)
    QTest.keyClick(screen.change._entry.value, Qt.Key.Key_Return)
    hand.until(lambda: screen.change.planned is not None)
    hand.press("Next: design", screen)


def design_it(hand: Hand, command: str) -> None:
    """Short pairs under load, judged by the median of binds."""
    page = hand.window.experiment.design
    hand.press("Details", page)
    hand.spin(page._pairs, "3")
    hand.spin(page._window, "3")
    hand.spin(page._settle, "0")
    hand.choose(page._primary, "p50")
    hand.choose(page._kind, "BIND")
    hand.type(page._load, command)
    hand.until(lambda: page.plan() is not None)


def measure_the_noise(hand: Hand) -> None:
    """Eight windows without a change; then the page says what the plan can find.

    Or, as on a machine where a window of three seconds has few binds, why it cannot say so: that is
    said of windows that were measured only.
    """
    page = hand.window.experiment.design
    hand.spin(page._pairs, "4")
    hand.press("Measure a baseline", page)
    hand.until(hand.window.experiment.running)
    hand.until(lambda: not hand.window.experiment.running(), 300)
    hand.idle()
    said = re.compile("windows without a change|a window must hold 40 operations")
    hand.until(lambda: said.search(page.summary.text()))


def run_it(hand: Hand) -> None:
    """Say yes, wait for the verdict, and revert."""
    screen = hand.window.experiment
    hand.answer(QMessageBox, lambda box: hand.press("Start", box))
    hand.press("Start", screen)
    hand.until(screen.running)
    hand.until(lambda: hand.buttons("Revert", screen.verdict), 300)
    hand.until(lambda: "2 of 2 windows of A and 2 of 2 of B" in screen.run._words.text())
    assert len(screen.run.chart._picture.curves) == 2
    hand.press("Revert", screen.verdict)
    hand.until(lambda: not screen.running(), 30)
    hand.idle()


def export_it(hand: Hand, path: str) -> None:
    """From the verdict to the report's file."""

    def name_it(dialog: QWidget) -> None:
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        hand.type(field, path)
        # A list of names pops up while one types: it takes the first Return or Escape.
        for _ in range(5):
            if names := QApplication.activePopupWidget():
                QTest.keyClick(names, Qt.Key.Key_Escape)
            QTest.keyClick(field, Qt.Key.Key_Return)
            pause(200)
            if not dialog.isVisible():
                return
        raise AssertionError(f"the dialog does not take {field.text()}")

    hand.press("Report", hand.window.experiment.verdict)
    hand.idle()
    hand.answer(QFileDialog, name_it)
    hand.press("Export HTML", hand.window.report)
    hand.idle()
    hand.until(Path(path).exists)


@pytest.mark.clock("it fails where the window stands still beside a busy server")
@pytest.mark.timeout(600)  # five minutes where other tests use the processors, too
def test_from_start_to_the_exported_report(
    qapp, lab, target, behind, unbuffered, tmp_path, monkeypatch
):
    home = tmp_path / "window"
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(home))
    apply_theme(qapp, Scheme.LIGHT)
    before = lab.ldif_of_config()
    report = tmp_path / "report.html"
    window = opened_window()
    window.workbench.settings.folder = tmp_path
    hand = Hand(window)
    try:
        with watched():
            hand.idle()
            add_the_server(hand, lab.profile, lab.slapd.password)
            with hand.load(lab, "bind", 60):
                capture_a_window(hand)
            plan_from_the_findings(hand)
            design_it(hand, named_load(slow(lab.drive_steadily("bind", 600)), monkeypatch))
            measure_the_noise(hand)
            hand.spin(window.experiment.design._pairs, "2")
            run_it(hand)
            export_it(hand, str(report))
        session = window.workbench.opened.path
        told = window.experiment.verdict._bar.heading.text()
    finally:
        ended(window, qapp)
    assert "reverted" in told
    assert lab.ldif_of_config() == before
    assert KNOB in report.read_text()
    with Session.open(session) as read:
        experiment = read.experiments()[-1]
        counts = [len(read.operations(window)) for window in read.windows()]
    assert experiment.state is State.REVERTED
    assert len(experiment.windows) == 4
    assert min(counts) > 20
    reopened_without_the_server(qapp, lab, session)


def reopened_without_the_server(qapp, lab, session) -> None:
    """The same session from the list of the recent, with the server down."""
    lab.stop_server()
    window = opened_window()
    hand = Hand(window)
    try:
        with watched():
            reread(hand, session)
    finally:
        ended(window, qapp)
        lab.start_server()


def reread(hand: Hand, session: Path) -> None:
    """Open the session from the list, and see in it what was found."""
    window = hand.window
    hand.idle()
    hand.press(session.name, window.start)
    hand.until(lambda: window.workbench.opened is not None)
    hand.idle()
    assert window.current_screen().name == "overview"
    assert len(window.overview.tails._picture.curves) == 2
    assert window.overview.band.isVisible()
    hand.screen("Latency")
    hand.idle()
    assert len(window.tails.chart._picture.curves) == 2
    hand.screen("Tests")
    hand.press("Open", window.screens.tests)
    hand.until(lambda: window.current_screen() is window.experiment)
    hand.idle()
    assert len(window.experiment.verdict.chart._picture.curves) == 2
    assert not hand.buttons("Revert", window.experiment.verdict)
    hand.screen("Report")
    hand.idle()
    hand.until(lambda: KNOB in window.report._text.toPlainText())
    assert not window.error_bar.isVisible()
