"""What every GUI test gets: no display needed, no stall, no thread or timer left behind."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import nullcontext

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from ldap_workbench.gui.workbench.jobs import ImmediateRunner, JobRunner
from ldap_workbench.gui.workbench.state import Workbench
from tests.gui.patience import PatientBot
from tests.gui.watch import LIMIT_S, StallWatch, aside
from tests.sessions import build_capture_session, build_experiment_session


def pytest_configure(config):
    config.addinivalue_line("markers", "stall_allowed: the test itself keeps the GUI thread busy")
    alone = "one_window(shared): shares the window of its module, or with False does not"
    config.addinivalue_line("markers", alone)


@pytest.fixture(scope="session")
def qapp():
    """The application as a user gets it: in its theme, with its settings of Qt and charts."""
    from ldap_workbench.gui.app import application
    from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme

    app = application()
    apply_theme(app, Scheme.LIGHT)
    return app


@pytest.fixture
def qtbot(qapp, request) -> Iterator[PatientBot]:
    """The hand at the window; its waits suit a busy machine."""
    yield PatientBot(request)
    # A dialog that closes at a key never sees Shift or Ctrl come up, and Qt takes them for held.
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyRelease(QWidget(), Qt.Key.Key_Shift)


@pytest.fixture(scope="session", autouse=True)
def gui_garbage() -> Iterator[None]:
    """Cycles are collected between tests, in the GUI thread, as the program does it.

    What is there before the first test, all its modules, stays: looking through it after every test
    took a fifth of the time of them all.
    """
    from ldap_workbench.gui.app import load_later_parts, load_screen_parts

    load_screen_parts()
    load_later_parts()
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


@pytest.fixture(autouse=True)
def home(request, tmp_path, monkeypatch):
    """Settings, profiles, journal and documents of nobody."""
    folder = request.getfixturevalue("module_home") if _shares_window(request) else tmp_path
    return _live_in(folder, monkeypatch)


@pytest.fixture(scope="module")
def module_home(tmp_path_factory):
    """Where the tests that share a window are at home."""
    return tmp_path_factory.mktemp("shared")


def _live_in(folder, patch):
    (folder / "documents").mkdir(exist_ok=True)
    patch.setenv("XDG_DOCUMENTS_DIR", str(folder / "documents"))
    patch.setenv("LDAP_WORKBENCH_HOME", str(folder / "home"))
    return folder / "home"


def _shares_window(request) -> bool:
    mark = request.node.get_closest_marker("one_window")
    return mark is not None and mark.args != (False,)


@pytest.fixture(autouse=True)
def stall_watch(qapp) -> StallWatch:
    """Fails a test whose GUI thread was busy for more than 100 ms at a time, with its stack."""
    return StallWatch()


@pytest.fixture(autouse=True)
def hidden_end(monkeypatch) -> None:
    """A program whose windows are hidden already may wait for the disk: nobody sees it stall."""
    close = Workbench.close

    def end(workbench: Workbench) -> None:
        visible = any(widget.isVisible() for widget in QApplication.topLevelWidgets())
        with nullcontext() if visible else aside():
            close(workbench)

    monkeypatch.setattr(Workbench, "close", end)


@pytest.fixture(autouse=True)
def nothing_left(request, monkeypatch) -> Iterator[None]:
    """Fails a test that leaves a thread at work or a timer ticking.

    The workers of a shared window stay until it is closed, at rest: `module_window` looks at them.
    """
    started: list[weakref.ref[QTimer]] = []
    original = QTimer.start

    def start(self: QTimer, *args: object) -> None:
        started.append(weakref.ref(self))
        original(self, *args)

    monkeypatch.setattr(QTimer, "start", start)
    before = set(threading.enumerate())
    yield
    left = _threads_since(before)
    if _shares_window(request):
        left = [name for name in left if not name.startswith(_WORKERS)]
    assert not left, f"threads left at work: {left}"
    gc.collect()
    assert not (ticking := _ticking(started)), f"timers left ticking: {ticking}"


_WORKERS = ("job-", "ThreadPoolExecutor-", "settings")
"""How the threads of a window are named: for its jobs, in wait for some, for its settings."""


def _threads_since(before: set[threading.Thread]) -> list[str]:
    return [t.name for t in set(threading.enumerate()) - before if t.is_alive() and not t.daemon]


def _ticking(started: list[weakref.ref[QTimer]]) -> list[str]:
    found = []
    for reference in started:
        timer = reference()
        try:
            if timer is not None and timer.isActive() and not timer.isSingleShot():
                found.append(f"{timer.parent()!r} every {timer.interval()} ms")
        except RuntimeError:
            continue  # its C++ half is gone, so it does not tick
    return found


@pytest.fixture
def runner(qapp) -> Iterator[JobRunner]:
    """A real runner, its workers ended afterwards."""
    made = JobRunner()
    yield made
    made.shutdown()


@pytest.fixture
def immediate(qapp) -> Iterator[ImmediateRunner]:
    """A runner whose jobs run at once."""
    made = ImmediateRunner()
    yield made
    made.shutdown()


@pytest.fixture
def window(request):
    """The main window of a workbench with workers of its own, ended afterwards.

    To make one takes half a second of a processor. Tests marked `one_window` share that of their
    module, which goes back to its start after each: those that change neither settings nor what
    their screens remember beyond a session.
    """
    shared = _shares_window(request)
    return request.getfixturevalue("shared_window" if shared else "own_window")


@pytest.fixture
def own_window(qapp, qtbot, home):
    """A window for this test alone."""
    made = _made_window(qtbot)
    yield made
    _end(qapp, made)


@pytest.fixture(scope="module")
def module_window(request, qapp, module_home):
    """A window for all tests of a module that share one."""
    before = set(threading.enumerate())
    with pytest.MonkeyPatch.context() as patch:
        _live_in(module_home, patch)
        made = _made_window(PatientBot(request))
    yield made
    _end(qapp, made)
    assert not (left := _threads_since(before)), f"threads left at work: {left}"


@pytest.fixture
def shared_window(qtbot, module_window):
    """The window of the module, at its start and at rest."""
    module_window.activateWindow()
    yield module_window
    bench = module_window.workbench
    bench.close_session()
    bench.disconnect_server()
    bench.notice("")
    module_window.tails.comparison.end()
    module_window.error_bar.hide()
    module_window.show_screen("start")
    idle(qtbot, module_window)


def _made_window(qtbot):
    from ldap_workbench.gui.app import load_later_parts
    from ldap_workbench.gui.shell.window import MainWindow
    from ldap_workbench.gui.workbench.state import Workbench

    made = MainWindow(Workbench())
    load_later_parts()  # as the program does after its start
    made.resize(1100, 800)
    made.show()
    idle(qtbot, made)
    return made


def _end(qapp, made) -> None:
    # A test that failed half-way may have left something at work: nobody is there to answer.
    made.close_now()
    made.deleteLater()
    qapp.sendPostedEvents(None, 52)  # DeferredDelete: the window's timers end now
    qapp.processEvents()


@pytest.fixture
def timeline(qtbot, window, session_file):
    """The timeline of the session, shown, with its strips and stalls."""
    return opened(qtbot, window, session_file, "timeline")


@pytest.fixture
def german(qapp):
    """The window speaks German; ask for it before `window`."""
    from ldap_workbench.gui.parts.style.language import speak

    translators = speak(qapp, "de")
    yield
    for translator in translators:
        qapp.removeTranslator(translator)
    speak(qapp, "en")  # numbers in fields


def idle(qtbot, window) -> None:
    """Wait until no job runs, and what came is shown, in a window or that of a screen."""
    whole = window.window()

    def rests() -> bool:
        return not whole.workbench.runner.jobs and not whole.timeline.coming()

    qtbot.wait(1)  # what was done before this is a turn of the event loop of its own
    qtbot.waitUntil(rests)


def opened(qtbot, window, path, name):
    """A screen that shows a session, with all it reads of it.

    From the start a session opens on the overview, which reads for a second; from here it does not.
    """
    if name != "overview":
        window.show_screen("journal")
    window.open_paths([path])
    idle(qtbot, window)
    window.show_screen(name)
    idle(qtbot, window)
    return window.screens.named(name)


@pytest.fixture(scope="session")
def session_file(tmp_path_factory):
    """A small session of a finished experiment."""
    path = tmp_path_factory.mktemp("session") / "experiment.ldapwb"
    return build_experiment_session(path, pairs=6, seconds=10, per_second=60)


@pytest.fixture(scope="session")
def capture_file(tmp_path_factory):
    """A small session of one window, without disk samples."""
    return build_capture_session(tmp_path_factory.mktemp("session") / "capture.ldapwb", seconds=10)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    watch = item.funcargs.get("stall_watch")
    if watch is None or item.get_closest_marker("stall_allowed"):
        return (yield)
    watch.start()
    try:
        result = yield
    finally:
        watch.stop()
    if watch.stalls:
        worst, stack = max(watch.stalls)
        limit = f"{1000 * LIMIT_S:.0f} ms"
        pytest.fail(f"GUI thread stalled {1000 * worst:.0f} ms (limit {limit}) in:\n{stack}")
    return result
