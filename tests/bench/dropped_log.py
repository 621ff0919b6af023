"""A large log dropped on the window: python -m tests.bench.dropped_log [--rounds N] [LOG]

Writes a log of 389 DS (or takes LOG), drops it on the real window, offscreen, and measures how long
its first tails and its timeline take to be painted while the rest is still being read, and until
the session is open; and the longest time the window did not answer. Each round is a process of its
own, so that nothing is warm but what a user's second start finds. Prints a table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from ldap_workbench.gui.app import application
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.screens.start.reading import ReadingDialog
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from tests.bench.import_speed import shifted
from tests.gui.watch import StallWatch

_STEPS = {
    "first tails painted": "tails",
    "... processor time of all threads": "worked",
    "timeline painted": "timeline",
    "the session open": "opened",
    "longest stall of the window": "stall",
}
_COPIES = 32
_EACH = 18_000
"""Operations in one of the copies: some 5 MB."""
_PATIENCE_S = 300.0


def write_log(path: Path) -> Path:
    """Searches of a thousand connections, 170 MB."""
    text = bytearray()
    for number in range(_EACH):
        at = b"[21/Nov/2026:03:%02d:%02d.%09d +0000] " % (
            number // 600,
            number // 10 % 60,
            number * 97_003 % 10**9,
        )
        words = b"conn=%d op=%d " % (number % 1000, number // 1000 + 1)
        text += at + words + b'SRCH base="ou=people,dc=example,dc=com" scope=2 '
        text += b'filter="(uid=user%d)" attrs="cn mail"\n' % (number % 5000)
        etime = b"0.%09d" % (100_000 + number * 7_919 % 3_000_000)
        text += at + words + b"RESULT err=0 tag=101 nentries=1 wtime=0.000050123 "
        text += b"optime=%s etime=%s\n" % (etime, etime)
    with path.open("wb") as out:
        out.writelines(shifted(bytes(text), _COPIES))
    return path


class _Painted(QObject):
    """Notes when a widget is painted for the first time while `ready`."""

    def __init__(self, widget: QWidget, ready: Callable[[], bool]) -> None:
        super().__init__(widget)
        self._ready = ready
        self.at = self.worked = 0.0
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self.at and self._ready():
            self.at, self.worked = time.perf_counter(), time.process_time()
        return False


def drop(window: MainWindow, path: Path) -> None:
    """What Qt sends when a file is let go over a window."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    middle = window.rect().center()
    QApplication.sendEvent(window, QDragEnterEvent(middle, action, mime, button, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(middle), action, mime, button, none))


def once(path: Path) -> dict[str, float]:
    """One drop, in this process; seconds since it."""
    app = application()
    window = MainWindow(Workbench(), ThemeFollower(app, Scheme.LIGHT))
    window.workbench.settings.new_folder = Path(os.environ["LDAP_WORKBENCH_HOME"])
    window.resize(1400, 900)
    window.show()
    _until(app, lambda: not window.workbench.runner.jobs)
    watch = StallWatch()
    watch.start()
    began, worked = time.perf_counter(), time.process_time()
    drop(window, path)
    dialog = window.findChild(ReadingDialog)
    tails = _Painted(dialog.table.viewport(), lambda: bool(dialog.model.rows))
    _until(app, dialog.stack.charts)
    timeline = _Painted(dialog.stack.charts()[0], lambda: True)
    _until(app, lambda: window.workbench.opened is not None)
    found = {
        "tails": tails.at - began,
        "worked": tails.worked - worked,
        "timeline": timeline.at - began,
        "opened": time.perf_counter() - began,
    }
    watch.stop()
    _until(app, lambda: not window.workbench.runner.jobs)
    window.close()
    return found | {"stall": max((each[0] for each in watch.stalls), default=0.0)}


def _until(app: QApplication, there: Callable[[], object]) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not there():
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not come")
        app.processEvents()
        time.sleep(0.001)


def in_turn(path: Path, rounds: int) -> list[dict[str, float]]:
    """Each drop in a process and with settings of its own."""
    found = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                [sys.executable, "-m", "tests.bench.dropped_log", "--once", str(path)],
                check=True, stdout=subprocess.PIPE, env=os.environ | {"LDAP_WORKBENCH_HOME": home},
            )  # fmt: skip
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--once", action="store_true", help="one drop, in this process")
    asked = parser.parse_args()
    if asked.once:
        print(json.dumps(once(asked.log)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = asked.log or write_log(Path(folder) / "access")
        size = path.stat().st_size / 1e6
        found = in_turn(path, asked.rounds)
    print(f"{size:.0f} MB, {asked.rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| from the drop until | median, s | slowest, s |\n|---|---|---|")
    for what, key in _STEPS.items():
        taken = [each[key] for each in found]
        print(f"| {what} | {median(taken):.2f} | {max(taken):.2f} |")


if __name__ == "__main__":
    main()
