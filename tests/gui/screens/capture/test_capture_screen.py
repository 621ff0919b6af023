"""The real Capture screen, over a log that grows as a busy server's does."""

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from ldap_workbench.gui.screens.capture.sources import lacking
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.window import LiveBatch, Source, SourceKind, SourceState
from ldap_workbench.session.reader import Session
from tests.gui.busy_server import BusyTarget, NoKnobs
from tests.gui.conftest import idle
from tests.gui.watch import aside

PER_SECOND = 10_000


@pytest.fixture
def busy(qtbot, window, tmp_path):
    """A window connected to a server that answers 10,000 operations a second; not yet capturing."""
    target = BusyTarget(tmp_path, PER_SECOND)
    window.workbench.connection = Connection(target, NoKnobs(target.directory))
    window.workbench.connectionChanged.emit()
    window.show_screen("capture")
    target.log.start()
    yield target
    target.log.stop()


def busy_path(window) -> Path:
    return Path(window.workbench.connection.target.log.path).with_name("captured.ldapwb")


def capture(qtbot, window, seconds: int):
    """The screen, capturing into a file of this test; and that file."""
    screen = window.capture
    screen._seconds.setValue(seconds)
    path = busy_path(window)
    screen._path.setText(str(path))
    qtbot.mouseClick(screen._start, Qt.MouseButton.LeftButton)
    assert screen.running()
    return screen, path


def ended(qtbot, window) -> None:
    qtbot.waitUntil(lambda: not window.capture.running())
    idle(qtbot, window)


@pytest.mark.clock("the machine has to write ten thousand operations a second beside the window")
def test_ten_thousand_operations_a_second_are_captured_without_a_stall(qtbot, window, busy):
    screen, path = capture(qtbot, window, 3)
    qtbot.waitUntil(lambda: screen._feed.operations > 2 * PER_SECOND)
    assert "Operations" in [chart._title for chart in screen._stack.charts()]
    ended(qtbot, window)
    with aside(), Session.open(path) as session:
        [captured] = session.windows()
        [log] = [s for s in session.sources() if s.kind is SourceKind.ACCESS_LOG]
        ends = session.client_columns(captured, ("end_ns",))["end_ns"]
    assert log.state is SourceState.COMPLETE
    assert len(ends) / captured.seconds > 0.8 * PER_SECOND, "the load was what it claims"
    assert window.current_screen().name == "overview"


def test_every_source_has_a_line_and_what_lacks_is_told_to_the_end(qtbot, window, busy):
    screen, path = capture(qtbot, window, 3)
    lines = screen._sources_now.texts
    qtbot.waitUntil(lambda: len(lines()) == 5 and "missing" in " ".join(lines()))
    qtbot.waitUntil(lambda: "operations," in lines()[0] and "last 0 s ago" in lines()[0])
    told = {line.split("  ")[0]: line for line in lines()}
    assert set(told) == {"access log", "error log", "monitor", "iostat", "host"}
    assert told["access log"].endswith("receiving")
    assert "nothing yet" in told["error log"]
    why = "The host has neither iostat nor /proc/diskstats. Install the package sysstat there."
    assert told["iostat"].endswith(f"missing: {why}")
    assert not window.notice.isVisible()
    ended(qtbot, window)
    assert window.current_screen().name == "overview"
    assert window.notice.isVisible()
    sentence = window.notice.sentence.text()
    assert "iostat: missing – The host has neither iostat" in sentence
    assert "access log" not in sentence
    qtbot.mouseClick(window.notice._close, Qt.MouseButton.LeftButton)
    assert not window.notice.isVisible()
    assert window.workbench.opened.path.samefile(path)


def test_a_mark_may_have_words(qtbot, window, busy):
    screen, path = capture(qtbot, window, 3)
    qtbot.waitUntil(lambda: bool(screen._feed.operations))
    qtbot.keyClicks(screen._words, "index rebuilt")
    qtbot.keyClick(screen._words, Qt.Key.Key_Return)
    assert screen._words.text() == ""
    qtbot.mouseClick(screen._mark, Qt.MouseButton.LeftButton)
    ended(qtbot, window)
    with aside(), Session.open(path) as session:
        assert [str(mark.text) for mark in session.marks()] == [
            "index rebuilt",
            "marked by the operator",
        ]


def test_stop_ends_the_window_whole(qtbot, window, busy):
    screen, path = capture(qtbot, window, 600)
    qtbot.waitUntil(lambda: bool(screen._feed.operations))
    assert screen._stop.text() == "S&top"
    qtbot.mouseClick(screen._stop, Qt.MouseButton.LeftButton)
    assert screen._stop.text() == "S&top waiting"
    ended(qtbot, window)
    assert screen._stop.text() == "S&top"
    with aside(), Session.open(path) as session:
        [captured] = session.windows()
        [log] = [s for s in session.sources() if s.kind is SourceKind.ACCESS_LOG]
    assert not captured.cancelled
    assert captured.seconds < 60
    assert log.state is SourceState.COMPLETE


def test_a_second_stop_leaves_what_is_not_in_the_log_yet(qtbot, window, busy, monkeypatch):
    monkeypatch.setattr(busy.log, "search", lambda base: None)  # the window's end never comes
    screen, path = capture(qtbot, window, 600)
    qtbot.waitUntil(lambda: "left" in screen._progress.text.text())
    qtbot.mouseClick(screen._stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Waiting for the access log" in screen._progress.text.text())
    qtbot.mouseClick(screen._stop, Qt.MouseButton.LeftButton)
    ended(qtbot, window)
    with aside(), Session.open(path) as session:
        [log] = [s for s in session.sources() if s.kind is SourceKind.ACCESS_LOG]
    assert log.state is SourceState.PARTIAL


def test_a_window_with_all_of_its_sources_is_told_nothing_about():
    def source(state: SourceState, why: Message = NOTHING) -> Source:
        return Source(1, 1, SourceKind.ACCESS_LOG, "access", state, why)

    assert lacking([source(SourceState.COMPLETE)]) == ""
    assert lacking([source(SourceState.PARTIAL, Message("it was rotated."))]) == (
        "access log: partial – it was rotated."
    )
    assert lacking([source(SourceState.FAILED)]) == "access log: failed."


def test_a_silent_server_is_shown_at_once(qtbot, window, busy):
    """By the thread that notices it, without a beat of the screen's own clock."""
    badge = window.context.server
    silent = Message("no answer for {seconds:.0f} s", seconds=3)
    for note, mood in ((silent, "bad"), (NOTHING, "warn")):
        batch = LiveBatch(1, source=SourceKind.MONITOR, note=note)
        thread = threading.Thread(target=window.capture._take_live, args=(batch,))
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda mood=mood: badge.mood == mood, timeout=60_000)


def test_the_badge_is_red_while_the_server_does_not_answer(window, busy):
    badge = window.context.server
    assert badge.mood == "warn"
    link_cut = Message("the link has been cut for {seconds:.0f} s", seconds=1)
    for note, mood, word in ((link_cut, "bad", "no answer"), (NOTHING, "warn", "server")):
        window.capture._feed.put(LiveBatch(1, source=SourceKind.MONITOR, note=note))
        window.capture._on_beat()
        assert badge.mood == mood
        assert word in badge.text()
