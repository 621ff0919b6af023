"""Starting the window; and taking its pictures without one."""

from __future__ import annotations

import os
import sys
import threading
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication

from ldap_workbench.gui.parts.style.icons import program_icon
from ldap_workbench.gui.parts.style.language import speak
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.shell.about import versions
from ldap_workbench.gui.shell.crash import RunReport, left_behind
from ldap_workbench.gui.shell.ending import Ending
from ldap_workbench.gui.shell.garbage import GuiGarbage
from ldap_workbench.gui.shell.instance import FirstInstance, hand_over
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.shell.windows import Windows
from ldap_workbench.gui.workbench.jobs import ImmediateRunner
from ldap_workbench.gui.workbench.later_parts import load_later, load_screens
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError

_PAINTED_MS = 20
_AT_REST_MS = 300
"""After the start: the window has been painted and waits for somebody."""
PICTURES = ("timeline", "tails", "operations", "report")


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
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ["QT_QPA_PLATFORM"] = os.environ.get("QT_QPA_PLATFORM") or "offscreen"
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
