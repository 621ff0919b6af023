"""A person's hand at the window: it clicks and types where a person could."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QListWidget,
    QScrollArea,
    QWidget,
)

from ldap_workbench.gui.shell.window import MainWindow
from tests.gui.patience import pause
from tests.live.lab.ds389 import Lab

LEFT = Qt.MouseButton.LeftButton
BEHIND = 10
"""The nice value of the server and its load."""


def slow(argv: list[str]) -> list[str]:
    """The same command, behind everything else that wants a processor."""
    return ["nice", "-n", str(BEHIND), *argv]


class Hand:
    """Clicks and types where a person could, and fails where a person could not."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.wrong: AssertionError | None = None
        """What went wrong in a dialog, whose loop would swallow it."""

    def until(self, done: Callable[[], object], seconds: float = 30) -> None:
        """Wait with the window at work."""
        end = time.monotonic() + seconds
        while not done():
            if self.wrong:
                raise self.wrong
            assert time.monotonic() < end, f"not after {seconds} s: {self._seen()}"
            pause(20)
        pause(1)  # what is seen now is one turn of the event loop, what comes next another

    def click(self, widget: QWidget, at: object = None) -> None:
        """Press the left button in the middle of a widget that is in sight, or is scrolled to."""
        self.until(lambda: widget.isVisible() and widget.isEnabled())
        scroll_to(widget)
        spot = at or widget.rect().center()
        top = widget.window()
        hit = top.childAt(widget.mapTo(top, spot))
        assert hit is widget or widget.isAncestorOf(hit), f"{widget} is covered by {hit}"
        QTest.mouseClick(widget, LEFT, pos=spot)
        pause(1)  # nobody clicks twice in one turn of the event loop

    def press(self, words: str, root: QWidget | None = None) -> None:
        """Click the button whose text begins so."""
        self.until(lambda: self.buttons(words, root))
        self.click(self.buttons(words, root)[0])

    def buttons(self, words: str, root: QWidget | None = None) -> list[QAbstractButton]:
        """Buttons that can be pressed now."""
        every = (root or self.window).findChildren(QAbstractButton)
        return [
            button
            for button in every
            if button.isVisible()
            and button.isEnabled()
            and button.text().replace("&", "").startswith(words)
        ]

    def type(self, field: QLineEdit, text: str) -> None:
        """Put a text in place of what stands in a field."""
        self.click(field)
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text, delay=1)  # nobody types faster than the event loop turns
        assert field.text() == text

    def spin(self, box: QWidget, value: str) -> None:
        """Type a number into a spin box and leave it."""
        line = box.findChild(QLineEdit)
        QTest.mouseClick(line, LEFT)
        QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(box, value)
        QTest.keyClick(box, Qt.Key.Key_Tab)

    def choose(self, box: QComboBox, words: str) -> None:
        """Go to a list by Tab, and through it with the keys until the words stand there."""
        self.tab_to(box)
        QTest.keyClick(box, Qt.Key.Key_Home)
        for _ in range(box.count()):
            if box.currentText().startswith(words):
                return
            QTest.keyClick(box, Qt.Key.Key_Down)
        raise AssertionError(f"{words!r} is not offered")

    def tab_to(self, widget: QWidget) -> None:
        """Press Tab until the widget has the focus, as somebody without a mouse has to."""
        if QApplication.activeWindow() is not widget.window():
            widget.window().activateWindow()  # a dialog has closed, and no window manager is here
        self.until(lambda: QApplication.activeWindow() is widget.window())
        for _ in range(80):
            focused = QApplication.focusWidget()
            if focused is widget:
                return
            QTest.keyClick(focused or widget.window(), Qt.Key.Key_Tab)
        raise AssertionError(f"Tab does not reach {widget}")

    def screen(self, title: str) -> None:
        """Click the name of a place, in the rail or in the header."""
        rail: QListWidget = self.window.rail
        for item in map(rail.item, range(rail.count())):
            if item.text() == title:
                QTest.mouseClick(rail.viewport(), LEFT, pos=rail.visualItemRect(item).center())
                pause(1)
                return
        self.press(title, self.window.header)

    def answer(self, kind: type[QWidget], how: Callable[[QWidget], None]) -> None:
        """Be ready for a dialog that waits for its answer."""
        asked = time.monotonic()

        def look() -> None:
            dialog = QApplication.activeModalWidget()
            if isinstance(dialog, kind):
                try:
                    how(dialog)
                except AssertionError as error:
                    self.wrong = error
                    dialog.reject()
            elif time.monotonic() - asked < 30:
                QTimer.singleShot(50, look)

        QTimer.singleShot(50, look)

    @contextmanager
    def load(self, lab: Lab, kind: str, seconds: float) -> Iterator[None]:
        """One client asking for a while, begun and ended with the window at work."""
        process = subprocess.Popen(
            slow(lab.drive_steadily(kind, seconds)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            pause(500)
            yield
        finally:
            process.terminate()
            self.until(lambda: process.poll() is not None, 20)

    def idle(self) -> None:
        """Until nothing is being done."""
        pause(50)
        self.until(lambda: not self.window.workbench.runner.jobs, 60)

    def _seen(self) -> str:
        jobs = [job.title for job in self.window.workbench.runner.jobs]
        bar = self.window.error_bar
        said = f"{bar.heading.text()} {bar.sentence.text()}" if bar.isVisible() else ""
        plan = self.window.experiment.design.summary.text()
        screen = self.window.current_screen().name
        return f"screen {screen}, jobs {jobs}, error {said!r}, plan {plan!r}"


def scroll_to(widget: QWidget) -> None:
    """Turn the wheel of every area around a widget until it can be seen."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget)
        around = around.parentWidget()
    pause(1)
