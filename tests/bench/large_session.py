"""Ten million operations in the window: python -m tests.bench.large_session [--keep FILE]

Builds the session (or takes FILE, where it is there), opens it in the real window, and measures how
long the first charts take, panning and zooming, sorting all operations, finding and grouping; and
the longest time the window did not answer. Prints a table for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ldap_workbench.gui.app import application
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.screens.timeline.screen import TimelineScreen
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Step
from ldap_workbench.model.operations import ABSENT
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.gui.patience import pause
from tests.gui.watch import StallWatch

OPERATIONS = 10_000_000
WINDOWS = 10
SECONDS = 600


@dataclass(frozen=True)
class Figure:
    """One thing done: until it was seen, and the longest time the window did not answer (s)."""

    what: str
    took: float
    stall: float


def build(path: Path, operations: int = OPERATIONS) -> Path:
    """Write the session: windows of both arms, one after the other; no raw text."""
    rng = np.random.default_rng(7)
    per_second = operations // (WINDOWS * SECONDS) + 1
    with SessionWriter.create(path, sessions.FACTS) as writer:
        for index in range(WINDOWS):
            window = sessions._window(index, Step("AB"[index % 2], index // 2), SECONDS)
            found = sessions._operations(rng, window, per_second, 1.0, hostile=False)
            nowhere = np.full(len(found), ABSENT, np.int64)
            found = replace(found, request_at=nowhere, result_at=nowhere)
            writer.next_id("capture_window")
            writer.put_window(window)
            source = sessions._source(writer, window, SourceKind.ACCESS_LOG, "access")
            writer.put_source(replace(source, dialect="389ds", samples=len(found)))
            writer.add_operations(source.id, found)
    return path


def measure(path: Path) -> Iterator[Figure]:
    """Everything, in the order in which a person would do it."""
    app = application()
    window = MainWindow(Workbench(), ThemeFollower(app, Scheme.LIGHT))
    window.resize(1400, 900)
    window.show()
    _idle(app, window)
    tails, timeline = window.tails, window.timeline

    def open_it() -> None:
        window.open_paths([path])
        _until(app, lambda: window.workbench.opened is not None)
        _until(app, lambda: tails.chart._picture.curves)

    steps: list[tuple[str, Callable[[], None]]] = [
        ("open, until the first charts", open_it),
        ("tails of every window and type", lambda: _idle(app, window)),
        ("timeline, until its heat map", lambda: _show_map(app, window)),
        ("stalls of every window, one after the other", lambda: _idle(app, window)),
        ("zoom and pan the timeline, twenty keys", lambda: _steer(timeline)),
        ("zoom to ten seconds, until the finer columns", lambda: _look_closer(app, timeline)),
        ("all operations, the slowest first", lambda: _show(app, window, "operations")),
        ("sort them by client", lambda: _sort(app, window)),
        ("go to the last of them", lambda: _to_the_last(app, window)),
        ("find those of one client over 20 ms", lambda: _find(app, window)),
        ("group all by filter", lambda: _group(app, window)),
        ("switch the theme", lambda: window.menus._on_scheme(Scheme.DARK)),
    ]
    for what, step in steps:
        yield _figure(app, what, step)
    window.close()


def _figure(app: QApplication, what: str, step: Callable[[], None]) -> Figure:
    with _watched() as watch:
        began = time.perf_counter()
        step()
        app.processEvents()
        took = time.perf_counter() - began
        pause(50)
    worst = max(watch.stalls, default=(0.0, ""))
    if worst[1]:
        print(f"{what}: {worst[0]:.3f} s in\n{worst[1]}", file=sys.stderr)
    return Figure(what, took, worst[0])


@contextmanager
def _watched() -> Iterator[StallWatch]:
    watch = StallWatch()
    watch.start()
    yield watch
    watch.stop()


def _until(app: QApplication, there: Callable[[], bool]) -> None:
    while not there():
        app.processEvents()
        time.sleep(0.002)


def _idle(app: QApplication, window: MainWindow) -> None:
    _until(app, lambda: not window.workbench.runner.jobs)


def _show(app: QApplication, window: MainWindow, name: str) -> None:
    window.show_screen(name)
    _idle(app, window)


def _show_map(app: QApplication, window: MainWindow) -> None:
    window.show_screen("timeline")
    _until(app, lambda: window.timeline.heatmap.grid is not None)


def _steer(timeline: TimelineScreen) -> None:
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Minus) * 5:
        QTest.keyClick(timeline.heatmap, key)
        pause(1)


def _look_closer(app: QApplication, timeline: TimelineScreen) -> None:
    heatmap = timeline.heatmap
    middle = (heatmap.grid.start_s + heatmap.grid.end_s) / 2
    heatmap.plot.setXRange(middle, middle + 10)
    _until(app, lambda: heatmap.finer is not None)


def _sort(app: QApplication, window: MainWindow) -> None:
    window.operations.table.sortByColumn(10, Qt.SortOrder.AscendingOrder)
    _idle(app, window)


def _to_the_last(app: QApplication, window: MainWindow) -> None:
    window.operations.table.scrollToBottom()
    app.processEvents()
    _idle(app, window)


def _find(app: QApplication, window: MainWindow) -> None:
    QTest.keyClicks(window.operations.finder.words, "client=10.0.0.12 etime>20ms")
    QTest.keyClick(window.operations.finder.words, Qt.Key.Key_Return)
    _idle(app, window)


def _group(app: QApplication, window: MainWindow) -> None:
    window.operations.finder.put("", "filter")
    _idle(app, window)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="a session to take, or to keep")
    parser.add_argument("--operations", type=int, default=OPERATIONS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LDAP_WORKBENCH_HOME"] = str(Path(folder) / "home")
        path = asked.keep or Path(folder) / "large.ldapwb"
        if not path.exists():
            build(path, asked.operations)
        print(f"{path.stat().st_size / 1e6:.0f} MB, load {os.getloadavg()[0]:.1f}\n")
        print("| step | s | longest stall, ms |\n|---|---|---|")
        for figure in measure(path):
            print(f"| {figure.what} | {figure.took:.2f} | {1000 * figure.stall:.0f} |", flush=True)
    print(f"\npeak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
