"""The pictures of docs/cases: each case imported from docs/cases/data and shown in the window.

python -m tests.cases_tour [NAME ...]    writes docs/images/cases; needs no display
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRect

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.typed import instant
from ldap_workbench.session.writer import SessionWriter
from tests.cases_data import DATA
from tests.tour import Tour, at_home_in

OUT = DATA.parents[1] / "images" / "cases"
CLOCKS = {
    "cache-ratio": Clock(start_ns=instant("2026-05-11T09:00:00Z"), interval_ns=3600 * 10**9),
    "io-scheduler": Clock(start_ns=instant("2012-05-14T08:00:00Z"), interval_ns=5 * 10**9),
}
"""What --began and --interval say where files print no time, as on the pages."""


def master_stall(tour: Tour) -> None:
    _findings(tour)
    _keep(tour, "master-stall")
    tour.window.show_screen("timeline")
    tour.idle()
    _keep(tour, "master-stall-timeline")


def cache_ratio(tour: Tour) -> None:
    _findings(tour)
    _keep(tour, "cache-ratio")


def read_ahead(tour: Tour) -> None:
    """Windows of before and after, ticked for A and for B."""
    tour.window.show_screen("tails")
    tour.idle()
    screen = tour.window.tails
    summary = tour.workbench.opened.summary
    windows = sorted(summary.windows, key=lambda window: window.start_ns)
    screen._a.set_windows(windows, windows[:1])
    screen._b.set_windows(windows, windows[1:])
    screen._ask()
    tour.until(lambda: screen.host.rows.rowCount() > 0)
    screen._tables.setCurrentIndex(3)
    table = screen._tables.widget(3)
    tour.settle(0.8)
    wide = min(table.width(), table.horizontalHeader().length() + 2 * table.frameWidth())
    head, row = table.horizontalHeader().height(), table.verticalHeader().defaultSectionSize()
    whole_rows = (table.height() - head) // row
    table.grab(QRect(0, 0, wide, head + whole_rows * row)).save(str(OUT / "read-ahead-host.png"))
    _findings(tour)
    _keep(tour, "read-ahead")


def thread_tails(tour: Tour) -> None:
    tour.window.show_screen("tails")
    tour.idle()
    _keep(tour, "thread-tails")


def io_scheduler(tour: Tour) -> None:
    _findings(tour)
    _keep(tour, "io-scheduler")


CASES: dict[str, Callable[[Tour], None]] = {
    "master-stall": master_stall,
    "cache-ratio": cache_ratio,
    "read-ahead": read_ahead,
    "thread-tails": thread_tails,
    "io-scheduler": io_scheduler,
}


def _findings(tour: Tour) -> None:
    """The Summary, from its findings on, the first of them expanded."""
    tour.window.show_screen("overview")
    tour.idle()
    page = tour.window.overview
    page.findings.cards()[0].arrow.click()
    tour.settle(0.8)
    page.area.verticalScrollBar().setValue(page.findings.y())


def _keep(tour: Tour, name: str) -> None:
    tour.window.resize(1400, 900)
    tour.window.notice.hide()
    tour.settle(0.8)  # charts follow in turns of their own
    tour.window.grab().save(str(OUT / f"{name}.png"))


def _imported(name: str, folder: Path) -> Path:
    path = folder / f"{name}.ldapwb"
    with SessionWriter.create(path) as writer:
        import_logs([DATA / name], writer, clock=CLOCKS.get(name))
    return path


def main() -> None:
    """Take the pictures of the cases named, or of all."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cases-") as room:
        at_home_in(Path(room))
        tour = Tour(OUT)
        try:
            for name in sys.argv[1:] or CASES:
                tour.window.open_paths([_imported(name, Path(room))])
                tour.idle()
                CASES[name](tour)
        finally:
            tour.close()


if __name__ == "__main__":
    main()
