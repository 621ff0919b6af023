"""Walks through the window by mouse and keys, counted and timed.

    xvfb-run -a python -m tests.bench.walks LOG SESSION

From a log that is dropped to the operations of its cause, from a lesson of the practice directory
to its verdict, and from a session that is opened again to its PDF. Prints the clicks, the keys and
the seconds of each: those until the window answered, without any for reading and thinking.
tests/gui/test_walks.py counts the clicks.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "xcb")

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from ldap_workbench.gui.app import application, load_later_parts
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.practice.model.scenario import load_scenario
from tests.gui.patience import pause
from tests.live.lab.hand import Hand

LESSON = "rehash"


class Walker(Hand):
    """Counts what the hand does."""

    clicks = keys = 0

    def click(self, widget: QWidget, at: object = None) -> None:
        self.clicks += 1
        super().click(widget, at)

    def type(self, field: QLineEdit, text: str) -> None:
        self.keys += len(text)
        super().type(field, text)

    def idle(self) -> None:
        window = self.window
        self.until(lambda: not window.workbench.runner.jobs and not window.timeline.coming(), 120)

    def drop(self, path: Path) -> None:
        """A drag from the desktop counts as a click."""
        self.clicks += 1
        files = QMimeData()
        files.setUrls([QUrl.fromLocalFile(str(path))])
        how = Qt.DropAction.CopyAction, files, Qt.MouseButton.LeftButton
        nothing = Qt.KeyboardModifier.NoModifier
        middle = self.window.rect().center()
        QApplication.sendEvent(self.window, QDragEnterEvent(middle, *how, nothing))
        QApplication.sendEvent(self.window, QDropEvent(QPointF(middle), *how, nothing))


def to_the_cause(walker: Walker, log: Path) -> None:
    """Drop it, open the first finding of its summary, and list the operations behind it."""
    walker.drop(log)
    summary = walker.window.overview
    walker.until(lambda: summary.isVisible() and summary.findings.cards(), 300)
    walker.idle()
    first = summary.findings.cards()[0]
    walker.click(first.arrow)
    walker.press("Show operations", first)
    operations = walker.window.operations
    walker.until(lambda: operations.isVisible() and operations.model.rowCount(), 60)


def to_the_verdict(walker: Walker, _: Path) -> None:
    """Start the lesson, capture a window, test the first advice in the quick size, and agree."""
    window = walker.window
    walker.press(str(load_scenario(LESSON).title), window.start)
    walker.until(lambda: window.workbench.connection is not None, 120)
    walker.idle()
    walker.press("Start", window.capture)
    walker.until(lambda: walker.buttons("Test this change …", window.overview), 300)
    walker.press("Test this change …", window.overview)
    experiment = window.experiment
    walker.until(lambda: experiment.change.planned is not None, 120)
    walker.press("Next", experiment)
    walker.click(experiment.design.sizes.buttons["quick"])
    walker.answer(ConsentBox, lambda box: walker.press("Start", box))
    walker.press("Start", experiment)
    walker.until(experiment.running, 120)
    walker.until(lambda: experiment.execution.waits() or not experiment.running(), 1200)
    verdicts = [band.heading.text() for band in experiment.findChildren(VerdictBand)]
    assert experiment.execution.waits(), f"it ended without a question: {verdicts}"
    walker.until(lambda: walker.buttons("Keep", experiment), 60)


def to_the_pdf(walker: Walker, session: Path) -> None:
    """Drop it, press for the report, and name its file."""
    output = session.with_name("walk.pdf")
    walker.drop(session)
    window = walker.window
    walker.until(lambda: window.workbench.opened is not None, 120)
    walker.press("Report", window.header)
    walker.until(lambda: walker.buttons("Export PDF", window.report), 60)

    def name_it(dialog: QWidget) -> None:
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        walker.until(field.hasFocus)  # with the suggested name chosen: typing replaces it
        QTest.keyClicks(field, str(output), delay=1)
        walker.keys += len(str(output))
        for _ in range(5):  # a list of names takes the first Return
            if names := QApplication.activePopupWidget():
                QTest.keyClick(names, Qt.Key.Key_Escape)
            walker.keys += 1
            QTest.keyClick(field, Qt.Key.Key_Return)
            pause(200)
            if not dialog.isVisible():
                return
        raise AssertionError(f"the dialog does not take {field.text()}")

    walker.answer(QFileDialog, name_it)
    walker.press("Export PDF", window.report)
    walker.until(output.exists, 120)
    walker.idle()


def walk(name: str, do: Callable[[Walker, Path], None], path: Path) -> None:
    window = MainWindow(Workbench())
    load_later_parts()
    window.resize(1400, 900)
    window.show()
    pause(500)
    walker = Walker(window)
    began = time.monotonic()
    do(walker, path)
    took = time.monotonic() - began
    print(f"| {name} | {walker.clicks} | {walker.keys} | {took:.1f} |")
    window.close_now()


def main(log: str, session: str) -> None:
    app = application()
    apply_theme(app, Scheme.LIGHT)
    with tempfile.TemporaryDirectory() as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        os.environ["XDG_DOCUMENTS_DIR"] = home
        copy = Path(home) / "again.ldapwb"
        copy.write_bytes(Path(session).read_bytes())
        print("| walk | clicks | keys | seconds |")
        walk("dropped log to the operations of its cause", to_the_cause, Path(log).absolute())
        walk("lesson to its verdict", to_the_verdict, Path(home))
        walk("session opened again to its PDF", to_the_pdf, copy)


if __name__ == "__main__":
    main(*sys.argv[1:])
