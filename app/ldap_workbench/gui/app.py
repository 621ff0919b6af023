"""Starting the window; and taking its pictures without one."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from ldap_workbench.connect.desktop import draw_unseen, has_display
from ldap_workbench.gui.parts.style.icons import program_icon
from ldap_workbench.gui.parts.style.language import shown, speak
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.shell.about import versions
from ldap_workbench.gui.shell.crash import RunReport, left_behind
from ldap_workbench.gui.shell.instance import FirstInstance, hand_over
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.shell.windows import Ending, Windows
from ldap_workbench.gui.workbench.jobs import ImmediateRunner
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message

_PAINTED_MS = 20
_AT_REST_MS = 300
"""After the start: the window has been painted and waits for somebody."""
_COLLECT_MS = 500
PICTURES = ("timeline", "tails", "operations", "report")
_LATER = (
    "gui.screens.connect.dialog",
    "gui.screens.connect.sudoers",
    "gui.shell.palette",
    "gui.shell.about",
    "gui.shell.help",
    "gui.screens.start.reading",
    "capture.importing.logs",
    "advice",
    "connect.ldap",
    "report",
)
"""Left out of the start: half a second of loading beside the first comparison would be felt."""


def run(paths: list[str], *, smoke: bool = False) -> int:
    """Open the window with these sessions; returns when it is closed. `smoke`: show and quit."""
    app = application()
    first = FirstInstance(app)
    if not smoke and hand_over(paths):
        return 0
    alone = first.listen() if not smoke else False
    report_before = left_behind() if alone else None
    report = RunReport(versions())
    workbench = Workbench()
    open_before = workbench.settings.open_session
    speak(app, workbench.settings.language)
    app.setQuitOnLastWindowClosed(False)  # one that is hidden may be busy: `Windows` counts them
    windows = Windows(ThemeFollower(app, workbench.settings.scheme))
    window = windows.open(workbench, later=True)
    garbage = GuiGarbage(app)  # to the very end: threads of paramiko may outlive the windows
    window.completed.connect(garbage.freeze)
    catch_faults(windows, report)
    first.handedOver.connect(windows.take_over)
    if report_before:
        window.show_recovery(report_before, open_before)
    # Each loads modules in a worker: beside the first paint it is felt.
    QTimer.singleShot(_PAINTED_MS, partial(load_screens, workbench, window.complete_in_turns))
    for later in (workbench.keyring.look_for, partial(load_later, workbench)):
        QTimer.singleShot(_AT_REST_MS, later)
    if paths:
        window.open_paths([Path(path) for path in paths])
    if smoke:
        QTimer.singleShot(0, partial(QTimer.singleShot, 0, _say_at_rest))
        QTimer.singleShot(500, windows.quit)
    ending = Ending(app, windows)
    status = int(app.exec()) or ending.status
    ending.stop()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    first.close()
    report.end()
    return status


def _say_at_rest() -> None:
    """The time at which the first window has been painted, for a start measured from outside."""
    print(f"{time.time():.3f}", flush=True)


def load_screens(workbench: Workbench, then: Callable[[object], None]) -> None:
    """Load what the screens are made of in a worker; then call `then`, a QObject's method."""
    title = shown(Message("Preparing"))
    workbench.start("screens", title, lambda _, __: load_screen_parts(), then)


def load_screen_parts() -> None:
    """Load pyqtgraph and all screens; in any thread."""
    import_module("ldap_workbench.gui.shell.screens")
    import_module("ldap_workbench.gui.shell.undo")


def load_later(workbench: Workbench) -> None:
    """Load them in a worker, while nobody waits for it."""
    workbench.start("ready", shown(Message("Preparing")), lambda _, __: load_later_parts())


def load_later_parts() -> None:
    """Load what the first dialog, log, connection, verdict and report need; in any thread."""
    for name in _LATER:
        import_module(f"ldap_workbench.{name}")


class GuiGarbage(QObject):
    """Python's cycle collector, kept in the GUI thread: a generation at a time, when one is due.

    The collector runs in whichever thread happens to allocate. Charts leave cycles behind that hold
    Qt objects, and a Qt object freed in a worker crashes the program. So the automatic collector is
    switched off and a timer of the GUI thread does its work.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        # What was imported stays for good: looking through it again would take 100 ms.
        gc.collect()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(_COLLECT_MS)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start()

    @Slot()
    def freeze(self) -> None:
        """Keep what was loaded meanwhile for good, too."""
        gc.freeze()

    @Slot()
    def collect_if_due(self) -> None:
        """One collection at the most, of the oldest generation that is due."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Leave the collector as it was."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()


def application() -> QApplication:
    """The one QApplication, dressed."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(["ldap-workbench"])
    app.setApplicationName("ldap-workbench")
    app.setApplicationDisplayName("LDAP Tuning Workbench")
    app.setDesktopFileName("ldap-workbench")
    app.setWindowIcon(program_icon())
    return app


def screenshots(session: Path, prefix: Path) -> list[Path]:
    """Pictures of a session's screens, PREFIX-tails.png and so on; needs no display.

    Raises WorkbenchError where the session cannot be opened or shown.
    """
    if not has_display():
        draw_unseen()
    app = application()
    workbench = Workbench(ImmediateRunner())
    window = MainWindow(workbench, ThemeFollower(app, Scheme.LIGHT))
    errors: list[WorkbenchError] = []
    workbench.failed.connect(lambda _, error: errors.append(error))
    window.resize(1400, 900)
    window.show()
    workbench.open_session(session)
    made = []
    try:
        for name in PICTURES:
            window.show_screen(name)
            _settle(app)
            if errors:  # a picture of its words would pass for one of the screen
                raise errors[0]
            made.append(prefix.with_name(f"{prefix.name}-{name}.png"))
            window.grab().save(str(made[-1]))
    finally:
        window.close()
    return made


def _settle(app: QApplication) -> None:
    """Let layouts and paints come to rest."""
    for _ in range(5):
        app.processEvents()
        time.sleep(0.01)


def catch_faults(shown_by: Windows | Workbench, report: RunReport) -> None:
    """An exception nobody caught is shown, with its report; the window stays open."""

    def show(error: BaseException) -> None:
        if isinstance(error, Exception):
            report.note(error)
            shown_by.fail(error)

    sys.excepthook = lambda _kind, error, _tb: show(error)
    threading.excepthook = lambda args: show(args.exc_value) if args.exc_value else None
