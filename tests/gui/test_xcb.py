"""What only a real display with a window manager shows: focus, keys, drops, dialogs, a kill."""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QEvent, QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from tests.gui.conftest import idle

pytestmark = [
    pytest.mark.xcb,
    pytest.mark.stall_allowed,  # the window waits for other programs
]
PATIENCE_S = 20


@pytest.fixture(scope="module", autouse=True)
def manager(qapp) -> Iterator[None]:
    """A window manager on this display."""
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("needs an X display: QT_QPA_PLATFORM=xcb xvfb-run -a pytest -m xcb")
    for program in ("openbox", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    quiet = subprocess.DEVNULL
    openbox = subprocess.Popen(["openbox", "--sm-disable"], stdout=quiet, stderr=quiet)
    deadline = time.monotonic() + PATIENCE_S
    while subprocess.run(["xdotool", "get_desktop"], capture_output=True).returncode:
        assert time.monotonic() < deadline, "the window manager does not answer"
        time.sleep(0.1)
    yield
    openbox.terminate()
    openbox.wait(10)


def x(*words: str) -> str:
    """Let xdotool do something; gives what it says."""
    done = subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.stdout.strip()


def until(qtbot, there: Callable[[], object]) -> None:
    qtbot.waitUntil(lambda: bool(there()))


@pytest.fixture
def active(qtbot, window):
    """The window, active as the window manager sees it."""
    window.move(100, 60)
    window.activateWindow()
    until(qtbot, lambda: window.isActiveWindow() and x("getactivewindow") == str(window.winId()))
    return window


def place(widget) -> tuple[str, str]:
    """The middle of a widget on the screen, for xdotool."""
    middle = widget.mapToGlobal(widget.rect().center())
    return str(middle.x()), str(middle.y())


def test_tab_goes_through_the_controls_of_the_window_and_back(qtbot, active):
    active.rail.setFocus()
    seen = []
    for _ in range(40):
        x("key", "Tab")
        before = seen[-1] if seen else active.rail
        until(qtbot, lambda b=before: QApplication.focusWidget() not in (None, b))
        seen.append(QApplication.focusWidget())
        assert seen[-1].isVisible()
        if seen[-1] is active.rail:
            break
    assert active.start.open_button in seen
    assert active.start.add_button in seen
    assert seen[-1] is active.rail, "the way ends where it began"
    assert len(seen) == len(set(seen)), "each once"
    x("key", "shift+Tab")
    until(qtbot, lambda: QApplication.focusWidget() is seen[-2])


def test_alt_and_a_letter_open_a_menu_and_escape_gives_the_focus_back(qtbot, active):
    active.rail.setFocus()
    x("key", "alt+f")
    until(qtbot, QApplication.activePopupWidget)
    assert active.actions_["open"] in QApplication.activePopupWidget().actions()
    x("key", "Escape")
    until(qtbot, lambda: QApplication.activePopupWidget() is None)
    x("key", "Escape")
    until(qtbot, lambda: QApplication.focusWidget() is active.rail)


def test_a_dialog_stands_before_its_window_until_escape(qtbot, active):
    active.show_screen("journal")
    active.rail.setFocus()
    x("key", "ctrl+n")
    until(qtbot, lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    until(qtbot, dialog.isActiveWindow)
    assert dialog.isModal()
    assert isinstance(QApplication.focusWidget(), QLineEdit), "one may type at once"
    item = active.rail.visualItemRect(active.rail.item(0)).center()
    where = active.rail.viewport().mapToGlobal(item)
    dialog.move(900, 500)
    x("mousemove", str(where.x()), str(where.y()), "click", "1")
    qtbot.wait(300)
    assert active.current_screen().name == "journal", "the window behind does not listen"
    dialog.activateWindow()
    until(qtbot, dialog.isActiveWindow)
    x("key", "Escape")
    until(qtbot, lambda: not QApplication.activeModalWidget() and active.isActiveWindow())
    until(qtbot, lambda: QApplication.focusWidget() is active.rail)


class Drags(QObject):
    """Counts what the window hears of something that is dragged over it."""

    seen = 0

    def eventFilter(self, watched, event):
        self.seen += event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragMove)
        return False


def test_a_file_dragged_out_of_another_program_is_opened(qapp, qtbot, active, session_file):
    active.move(300, 60)
    command = [sys.executable, "-m", "tests.gui.drag_source", str(session_file), "20", "200"]
    source = subprocess.Popen(command)
    try:
        until(qtbot, lambda: x("search", "--onlyvisible", "--name", "^drag source$"))
        window = x("search", "--onlyvisible", "--name", "^drag source$").split()[0]
        until(qtbot, lambda: x("getwindowname", window) == "drag source")
        qtbot.wait(300)
        x("mousemove", "--window", window, "60", "60", "mousedown", "1")
        for step in (70, 90, 110):
            x("mousemove", "--window", window, str(step), "60")
            qtbot.wait(50)
        drags, steps = Drags(), itertools.count()
        qapp.installEventFilter(drags)
        over, down = map(int, place(active.pages))

        def answered() -> bool:
            """The other program has moved on, after it heard that its file may be dropped here."""
            x("mousemove", str(over + next(steps) % 40), str(down))
            return drags.seen >= 6

        until(qtbot, answered)
        x("mouseup", "1")
        until(qtbot, lambda: active.workbench.opened)
        idle(qtbot, active)
        assert active.workbench.opened.path == session_file
    finally:
        source.terminate()
        source.wait(10)


def test_a_window_that_filled_the_screen_does_so_again(qtbot, active, qapp):
    from ldap_workbench.gui.shell.window import MainWindow
    from ldap_workbench.gui.workbench.state import Workbench

    active.showMaximized()
    until(qtbot, lambda: active.isMaximized() and active.width() > 1300)
    active.placement.save()
    active.workbench.settings.sync()
    again = MainWindow(Workbench())
    again.show()
    until(qtbot, lambda: again.isMaximized() and again.width() > 1300)
    again.close()
    again.deleteLater()
    qapp.sendPostedEvents(None, 52)


@pytest.fixture
def programs() -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts the real program; whatever still runs is killed afterwards."""
    started: list[subprocess.Popen] = []

    def start(*words: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "ldap_workbench", *words]
        started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for program in started:
        if program.poll() is None:
            program.send_signal(signal.SIGKILL)
            program.wait(10)


def window_of(program: subprocess.Popen, name: str) -> str:
    """The window of a program whose title holds `name`; '' while there is none."""
    found = x("search", "--onlyvisible", "--all", "--pid", str(program.pid), "--name", name)
    return found.split()[0] if found else ""


def size_of(window: str) -> tuple[int, int]:
    lines = x("getwindowgeometry", "--shell", window).splitlines()
    told = dict(line.split("=") for line in lines)
    return int(told["WIDTH"]), int(told["HEIGHT"])


def size_in(settings: Path) -> tuple[int, int]:
    """The size of the window that a next start would have."""
    probe = QWidget()
    geometry = json.loads(settings.read_text()).get("geometry", "")
    probe.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
    return probe.width(), probe.height()


def test_after_a_kill_size_and_session_come_back(qtbot, home, programs, session_file):
    first = programs("open", str(session_file))
    until(qtbot, lambda: window_of(first, session_file.name))
    window = window_of(first, session_file.name)
    x("windowsize", window, "1111", "777")
    until(qtbot, lambda: size_of(window) == (1111, 777))
    kept = home / "config" / "window.json"
    # The last of its sizes is kept when it rests.
    until(qtbot, lambda: kept.exists() and size_in(kept) == (1111, 777))
    until(qtbot, lambda: str(session_file) in kept.read_text())
    first.send_signal(signal.SIGKILL)
    first.wait(10)
    second = programs("open")
    until(qtbot, lambda: window_of(second, "LDAP Tuning Workbench"))
    window = window_of(second, "LDAP Tuning Workbench")
    assert size_of(window) == (1111, 777)
    assert window_of(second, session_file.name) == "", "it asks before it opens anything"
    x("windowactivate", "--sync", window)
    x("key", "alt+p")
    until(qtbot, lambda: window_of(second, session_file.name))
    assert os.waitpid(second.pid, os.WNOHANG) == (0, 0)
