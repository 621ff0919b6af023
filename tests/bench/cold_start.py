"""From the command to a window one can use: python -m tests.bench.cold_start [ROUNDS]

Whole processes in turns: an empty PySide6 window, and the workbench with its Start screen. Measured
from before the process is made until its event loop has painted and come to rest. Prints medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

_REST = """
from PySide6.QtCore import QTimer
QTimer.singleShot(0, lambda: QTimer.singleShot(0, lambda: (print(time.time()), app.quit())))
app.exec()
"""
EMPTY = (
    """
import time
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
"""
    + _REST
)
WORKBENCH = (
    """
import time
from ldap_workbench.gui.app import application
from ldap_workbench.gui.main_window import MainWindow
from ldap_workbench.gui.theme import Scheme, ThemeFollower
from ldap_workbench.gui.workbench import Workbench
app = application()
window = MainWindow(Workbench(), ThemeFollower(app, Scheme.LIGHT))
window.show()
"""
    + _REST
    + "window.close()\n"
)


def once(program: str) -> float:
    """Seconds until the window of this program can be used."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return float(done.stdout.split()[0]) - began


def main() -> None:
    """Measure in turns and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        pairs = [(once(EMPTY), once(WORKBENCH)) for _ in range(rounds + 1)][1:]
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| window | median, s | quickest, s |\n|---|---|---|")
    for name, times in zip(("empty PySide6", "workbench"), zip(*pairs, strict=True), strict=True):
        print(f"| {name} | {median(times):.2f} | {min(times):.2f} |")


if __name__ == "__main__":
    main()
