"""From the command to a window one can use: python -m tests.bench.cold_start [ROUNDS]

    python -m tests.bench.cold_start [ROUNDS] --program PATH...    installed ones, from outside

Whole processes in turns: an empty PySide6 window, and the command `ldap-workbench` with its Start
screen, through the command line and everything it does on the way. Measured from before the process
is made until its event loop has painted and come to rest, and until all screens are there; then two
commands beside what they cannot do without. Prints medians. Compiled modules are kept as an
installation keeps them, and each round starts with them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median

from ldap_workbench.practice.samples import samples

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
        self.completed.connect(lambda: whole(self))
    def whole(self):
        print(time.time(), time.process_time())
        self.close()
    gui.MainWindow.show = shown
    return window(paths, smoke=smoke)

alone.open_window = timed
main()
"""
"""The command `ldap-workbench` itself, until its screens are there; then the window is closed."""
SHORT = {
    "import of NumPy, DuckDB, Typer and rich": ["-c", "import duckdb, numpy, rich.table, typer"],
    "`--version`": ["-m", "ldap_workbench", "--version"],
    "`tails` of the sample": ["-m", "ldap_workbench", "tails"],
}
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


@dataclass(frozen=True)
class Start:
    """Seconds until the window rests, and until it is whole; processor time of all threads."""

    wall: float
    cpu: float
    whole: float
    whole_cpu: float


def once(program: str) -> Start:
    """Start a program; it prints when its window rests, and ends."""
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True, capture_output=True, text=True, timeout=120,
        env={name: value for name, value in os.environ.items() if name != _NO_BYTECODE},
    )  # fmt: skip
    rested, cpu, *later = map(float, done.stdout.split())
    whole, whole_cpu = later or (rested, cpu)
    return Start(rested - began, cpu, whole - began, whole_cpu)


def processor(words: list[str]) -> tuple[float, float]:
    """Seconds and processor seconds of a command, of all its threads."""
    began, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.time() - began, cpu


def commands(rounds: int) -> None:
    """Measure the commands in turns and print."""
    SHORT["`tails` of the sample"].append(str(samples()[0].copy()))
    python = sys.executable
    found = [[processor([python, *words]) for words in SHORT.values()] for _ in range(rounds + 1)]
    found = found[1:]
    print("\n| command | median, s | processor time |")
    print("|---|---|---|")
    for name, times in zip(SHORT, zip(*found, strict=True), strict=True):
        print(f"| {name} | {median(t for t, _ in times):.2f} | {median(t for _, t in times):.2f} |")


def installed(rounds: int, programs: list[str]) -> None:
    """Measure programs as they are installed, in turns, and print."""
    sample = str(samples()[0].copy())
    asked = {"`--version`": ["--version"], "`tails`": ["tails", sample]}
    print("| program | " + " | ".join(asked) + " | window at rest, s |")
    print("|---|---|---|---|")
    found: dict[str, list[list[float]]] = {program: [] for program in programs}
    for _ in range(rounds + 1):
        for program in programs:
            times = [processor([program, *words])[0] for words in asked.values()]
            found[program].append([*times, window_of(program)])
    for program, rows in found.items():
        figures = " | ".join(f"{median(each):.2f}" for each in zip(*rows[1:], strict=True))
        print(f"| {program} | {figures} |")


def window_of(program: str) -> float:
    """Seconds until the window of a program has been painted; nan where it has none."""
    began = time.time()
    words = [program, "open", "--smoke"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.split()
    return float(lines[0]) - began if done.returncode == 0 and lines else float("nan")


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.cold_start")
    parser.add_argument("rounds", nargs="?", type=int, default=7)
    parser.add_argument("--program", nargs="+")
    given = parser.parse_args()
    rounds = given.rounds
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        if given.program:
            print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
            installed(rounds, given.program)
            return
        pairs = [(once(EMPTY), once(COMMAND)) for _ in range(rounds + 1)][1:]
        windows(rounds, pairs)
        commands(rounds)


def windows(rounds: int, pairs: list[tuple[Start, Start]]) -> None:
    """Print what was measured of an empty window and of ours."""
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| window | median, s | fastest, s | processor time | all screens, s | processor time |")
    print("|---|---|---|---|---|---|")
    empty, command = zip(*pairs, strict=True)
    for name, starts in (("empty PySide6", empty), ("`ldap-workbench`", command)):
        walls = [start.wall for start in starts]
        cpu, whole, whole_cpu = (
            median(getattr(start, field) for start in starts)
            for field in ("cpu", "whole", "whole_cpu")
        )
        print(
            f"| {name} | {median(walls):.2f} | {min(walls):.2f} | {cpu:.2f} | {whole:.2f} "
            f"| {whole_cpu:.2f} |"
        )


if __name__ == "__main__":
    main()
