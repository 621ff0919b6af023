"""From the command to a window one can use: python -m tests.bench.cold_start [ROUNDS]

Whole processes in turns: an empty PySide6 window, and the command `ldap-workbench` with its Start
screen, through the command line and everything it does on the way. Measured from before the process
is made until its event loop has painted and come to rest. Prints medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

EMPTY = """
import time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
def rested():
    print(time.time(), time.process_time())
    app.quit()
QTimer.singleShot(0, lambda: QTimer.singleShot(0, rested))
app.exec()
"""
COMMAND = """
import sys, time
from ldap_workbench.cli import alone, main

window = alone.open_window

def timed(paths, *, smoke=False):
    from PySide6.QtCore import QTimer
    from ldap_workbench.gui import app as gui
    show = gui.MainWindow.show
    def shown(self):
        show(self)
        QTimer.singleShot(0, lambda: QTimer.singleShot(0, lambda: rested(self)))
    def rested(self):
        print(time.time(), time.process_time())
        self.close()
    gui.MainWindow.show = shown
    return window(paths, smoke=smoke)

alone.open_window = timed
main()
"""
"""The command `ldap-workbench` itself, all it does until its window rests; then that is closed."""


@dataclass(frozen=True)
class Start:
    """Seconds until the window rests, and processor time of all its threads until then."""

    wall: float
    cpu: float


def once(program: str) -> Start:
    """Start a program; it prints when its window rests, and ends."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    rested, cpu = map(float, done.stdout.split()[:2])
    return Start(rested - began, cpu)


def main() -> None:
    """Measure in turns and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        pairs = [(once(EMPTY), once(COMMAND)) for _ in range(rounds + 1)][1:]
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| window | median, s | fastest, s | processor time, median, s |\n|---|---|---|---|")
    empty, command = zip(*pairs, strict=True)
    for name, starts in (("empty PySide6", empty), ("`ldap-workbench`", command)):
        walls = [start.wall for start in starts]
        cpu = median(start.cpu for start in starts)
        print(f"| {name} | {median(walls):.2f} | {min(walls):.2f} | {cpu:.2f} |")


if __name__ == "__main__":
    main()
