"""A tour of the window: drives the real program through its screens and takes their pictures.

    python -m tests.tour OUT [SESSION]    OUT/<theme>-<size>/<screen>.png
    python -m tests.tour OUT --language de
    python -m tests.tour OUT --scale 2    twice the pixels
    python -m tests.tour OUT --docs       and those of the documentation into docs/images
    python -m tests.tour OUT --size 2560x1440 --scheme dark    these alone
    python -m tests.tour OUT --walk       the sample, its latency, a report as PDF, and no more

Without a SESSION it is the recorded sample. A server is needed for half of the screens: the
practice directory plays it, or with --lab a real 389 DS. Needs no display.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

if sys.platform != "win32":  # offscreen has no fonts there
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QWidget

from ldap_workbench.figures.overview.knobs import advised_for
from ldap_workbench.gui.app import GuiGarbage, application
from ldap_workbench.gui.parts.style.language import speak
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.screens.experiment.stepper import CHANGE, DESIGN, VERDICT
from ldap_workbench.gui.screens.series.screen import PLAN
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Setting
from ldap_workbench.practice.samples import samples
from tests.fleets import three_servers
from tests.practice_replicas import practice_replicas
from tests.tour_dialogs import (
    answered,
    comparison_screens,
    connection_dialogs,
    known_server_screens,
    reading_screens,
    session_dialogs,
    window_dialogs,
)

SIZES = ((1400, 900), (800, 600))
SCHEMES = (Scheme.LIGHT, Scheme.DARK)
SCENARIO = "rehash"
CANARY_SPEED = 20.0
TREATMENTS = ("nsslapd-db-checkpoint-interval=30", "nsslapd-cachememsize@userRoot=536870912")
OFFLINE = ("overview", "timeline", "tails", "operations", "report")
_TURNS = 20

DOCS = {
    **{name: f"light-1400/{name}" for name in (
        "start", "capture", "timeline", "operations", "overview", "tails", "knobs", "journal",
        "report", "fleet", "campaign-run", "canary-verdict",
    )},
    "design": "light-1400/experiment-design",
    "verdict": "light-1400/experiment-verdict",
    "tails-dark": "dark-1400/tails",
    "findings-small": "light-800/findings",
}  # fmt: skip
"""Pictures of the documentation -> those of the tour."""


class Tour:
    """One window, and where its pictures go."""

    def __init__(
        self,
        out: Path,
        language: str = "en",
        sizes: Sequence[tuple[int, int]] = SIZES,
        schemes: Sequence[Scheme] = SCHEMES,
    ) -> None:
        compile_catalogue()
        self.app = application()
        speak(self.app, language)
        self.out, self.sizes, self.schemes = out, sizes, schemes
        self.workbench = Workbench()
        self.follower = ThemeFollower(self.app, Scheme.LIGHT)
        self.window = MainWindow(self.workbench, self.follower)
        self.garbage = GuiGarbage()
        self.window.show()

    def settle(self, seconds: float = 0.15) -> None:
        """Let events, layouts and paints come to rest, on a busy machine too."""
        end, turns = time.monotonic() + seconds, 0
        while time.monotonic() < end or turns < _TURNS:
            self.app.processEvents()
            time.sleep(0.005)
            turns += 1

    def until(self, done: Callable[[], bool], seconds: float = 300) -> None:
        """Wait for something to happen. Raises TimeoutError."""
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(f"not after {seconds:g} s; jobs: {self._jobs()}")
            self.settle(0.05)
        self.settle()

    def idle(self) -> None:
        """Wait until no job runs."""
        self.until(lambda: not self.workbench.runner.jobs)

    def picture(
        self, name: str, widget: QWidget | None = None, *, at: QWidget | None = None
    ) -> None:
        """The window in every theme and size, or a dialog in every theme; scrolled to `at`."""
        for scheme in self.schemes:
            self.follower.set_scheme(scheme)
            self.settle(0.5)  # charts follow in turns of their own
            for width, height in self.sizes if widget is None else self.sizes[:1]:
                self.window.resize(width, height)
                self.settle()
                if at is not None:
                    scroll_to(at)
                    self.settle()
                folder = self.out / f"{scheme.value}-{width}"
                folder.mkdir(parents=True, exist_ok=True)
                (widget or self.window).grab().save(str(folder / f"{name}.png"))
        self.follower.set_scheme(Scheme.LIGHT)

    def close(self) -> None:
        """End the program."""
        self.window.close()
        self.settle()
        self.garbage.stop()

    def _jobs(self) -> list[str]:
        return [job.title for job in self.workbench.runner.jobs]


def empty_screens(tour: Tour) -> None:
    """What a newcomer sees."""
    tour.picture("start-empty")
    for screen in tour.window.screens[1:]:
        tour.window.show_screen(screen.name)
        tour.idle()
        tour.picture(f"{screen.name}-empty")


def session_screens(tour: Tour, session: Path) -> None:
    """A session opened offline."""
    tour.window.open_paths([session])
    tour.idle()
    for name in OFFLINE:
        tour.window.show_screen(name)
        tour.idle()
        tour.picture(name)
    tour.window.show_screen("tails")
    tour.window.tails.chart.show_numbers(True)
    tour.picture("tails-numbers")
    tour.window.tails.chart.show_numbers(False)
    charts = tour.window.tails._charts
    for number, name in enumerate(("ladder", "pairs", "shift", "histogram", "ccdf"), start=1):
        charts.setCurrentIndex(number)
        tour.picture(f"tails-{name}")
    tour.window.show_screen("operations")
    finder = tour.window.operations.finder
    for words, grouping in (
        ("", "client"),
        ("type=BIND", "filter"),
        ("etime>1h", ""),
        ("etime>soon", ""),
    ):
        finder.put(words, grouping)
        tour.idle()
        tour.picture(f"operations-{grouping or words[5:].strip('>')}")
    finder.put("", "")
    tour.window.open_paths([session.with_suffix(".log")])
    tour.until(tour.window.error_bar.isVisible)
    tour.picture("error")
    tour.window.error_bar.hide()


def walk(tour: Tour) -> None:
    """From the start screen to a printed report, as somebody does who has just installed it."""
    rows = tour.window.start.findChildren(QAbstractButton)
    sample = next(row for row in rows if samples()[0].title.template in row.accessibleName())
    tour.picture("start")
    sample.click()
    tour.until(lambda: tour.workbench.opened is not None)
    for name in ("tails", "report"):
        tour.window.show_screen(name)
        tour.idle()
        tour.picture(name)
    report = tour.out / "report.pdf"
    tour.window.report.write_to(report)
    tour.until(report.is_file)
    tour.idle()
    if tour.window.error_bar.isVisible():
        raise RuntimeError(tour.window.error_bar.details())


def fleet_screens(tour: Tour, folder: Path) -> None:
    """Three servers, one of them slow for some minutes."""
    tour.window.show_screen("fleet")
    tour.window.fleet.open(three_servers(folder))
    tour.idle()
    tour.picture("fleet")
    tour.window.fleet.look.click()
    tour.idle()
    tour.picture("fleet-findings")
    tour.window.fleet.open_hour.click()
    tour.idle()
    tour.picture("fleet-hour")


def practice_screens(tour: Tour, folder: Path) -> None:
    """On the practice directory, which is faster than life: windows of a minute take seconds."""
    tour.window.practice.start(SCENARIO)
    tour.until(lambda: tour.workbench.connection is not None)
    server_screens(tour, folder, Pace(capture_s=400, watch_s=10, window_s=60))
    canary_screens(tour, folder)


def lab_screens(tour: Tour, folder: Path) -> None:
    """On a real 389 DS on this machine, under load."""
    from tests.live.lab.ds389 import Lab  # only where there are such servers
    from tests.live.lab.steps import load

    with Lab().start() as lab:
        os.environ.update(lab.environment | {"LDAP_WORKBENCH_HOME": f"{folder}/home"})
        lab.trust(folder / "home")
        tour.workbench.connect_to(lab.profile)
        tour.until(lambda: tour.workbench.connection is not None)
        binds = shlex.join(lab.drive_fresh_binds(600, windows=12))
        pace = Pace(capture_s=120, watch_s=30, window_s=5, load=binds)
        with load(lab, "search", 300):
            server_screens(tour, folder, pace)


@dataclass(frozen=True)
class Pace:
    """Seconds of the server's clock to capture and per window, of the wall to look on."""

    capture_s: int
    watch_s: float
    window_s: int
    load: str = ""


def server_screens(tour: Tour, folder: Path, pace: Pace) -> None:
    """Capture, knobs, experiment, journal."""
    window = tour.window
    tour.idle()
    tour.workbench.settings.folder = folder
    window.capture._on_connection()
    window.show_screen("capture")
    tour.picture("capture-ready")
    for number in (1, 2):
        window.bands.lesson.next_hint.click()
        tour.picture(f"lesson-hint-{number}")
    window.capture._seconds.setValue(pace.capture_s)
    window.capture.start()
    tour.settle(pace.watch_s)
    tour.picture("capture")
    window.capture.stop()
    tour.idle()
    window.show_screen("timeline")
    tour.idle()
    tour.picture("timeline-captured")
    window.notice.hide()
    window.show_screen("overview")  # their advice stands beside the knobs, too
    tour.idle()
    window.show_screen("knobs")
    tour.idle()
    rows = [window.knobs.model.row(row) for row in range(window.knobs.model.rowCount())]
    advised = [
        row for row, reading in enumerate(rows) if advised_for(reading, window.knobs._advised)
    ]
    window.knobs.table.selectRow(advised[0] if advised else 6)
    tour.picture("knobs")
    window.knobs._filter.setText("nothing of that name")
    tour.picture("knobs-none")
    window.knobs._filter.clear()
    experiment_screens(tour, pace)
    campaign_screens(tour, pace)
    window.show_screen("journal")
    tour.idle()
    window.journal.table.selectRow(0)
    tour.picture("journal")
    window.show_screen("tests")
    tour.idle()
    tour.picture("tests")


def experiment_screens(tour: Tour, pace: Pace) -> None:
    """The stepper from the change to keep or revert."""
    tour.window.show_screen("overview")
    tour.idle()
    tour.settle()
    first = tour.window.overview.findings.cards()[0]
    first.arrow.click()
    tour.picture("findings", at=first.details)
    tour.picture("findings-worth", at=tour.window.overview.findings.cards()[-1])
    first.arrow.click()
    screen = tour.window.experiment
    tour.window.show_screen("experiment")
    tour.idle()
    screen.go_to(CHANGE)
    tour.picture("experiment-change-empty")
    screen.add_setting(Setting("nsslapd-enable-upgrade-hash", "off"))
    tour.until(lambda: screen.change.planned is not None)
    tour.picture("experiment-change")
    screen.go_to(DESIGN)
    screen.design._pairs.setValue(6)
    screen.design._window.setValue(pace.window_s)
    screen.design._load.setText(pace.load)
    screen.design._kind.setCurrentText("BIND")
    screen.design._then.setCurrentIndex(screen.design._then.findData(Then.ASK))
    screen.design._primary.setCurrentIndex(1)
    screen.design.details.setChecked(False)
    tour.picture("experiment-design")
    screen.design.details.setChecked(True)
    tour.picture("experiment-design-details")
    last = screen.design._restart_wait
    last.setEnabled(True)  # as for a change that needs a restart
    tour.picture("experiment-design-end", at=last)
    last.setEnabled(False)
    with answered(tour, "experiment-question"):
        screen.start()
    tour.settle(12)
    tour.picture("experiment-run")
    with answered(tour, "stop-question", yes=False):
        tour.workbench.running.stopWanted.emit()
    tour.until(lambda: screen.execution.waits() or not screen.running(), 600)
    if not screen.execution.waits():
        raise RuntimeError(tour.window.error_bar.details() or "the run ended without a question")
    tour.picture("experiment-verdict")
    screen.verdict._keep.click()
    tour.until(lambda: not screen.running())
    tour.idle()
    tour.window.show_screen("experiment")
    screen.go_to(VERDICT)
    tour.picture("experiment-kept")


def campaign_screens(tour: Tour, pace: Pace) -> None:
    """A queue of two, its first experiment, and the campaign as it ends when it is stopped."""
    screen = tour.window.campaign
    tour.window.show_screen("campaign")
    tour.idle()
    screen.go_to(PLAN)
    tour.picture("campaign-queue-empty")
    for treatment in TREATMENTS:
        screen.queue.queue.add(treatment)
        tour.idle()
    screen.queue.window_length.setValue(pace.window_s)
    screen.queue.load.setText(pace.load)
    screen.queue.tell()
    tour.idle()
    tour.picture("campaign-queue")
    with answered(tour, "campaign-question"):
        screen.start()
        tour.until(lambda: screen.execution.latest is not None)
    tour.settle(15)
    screen.execution.latest.pause.ask(True)
    tour.until(lambda: screen.execution.latest.pause.resting)
    tour.settle(1)
    tour.picture("campaign-paused")
    screen.execution.latest.pause.ask(False)
    tour.settle(5)
    tour.picture("campaign-run")
    screen.stop()
    tour.until(lambda: not screen.running())
    tour.idle()
    tour.picture("campaign-result")


def canary_screens(tour: Tour, folder: Path) -> None:
    """Two practice directories: the plan, the run, paused, the question and the verdict."""
    with practice_replicas(2, SCENARIO, CANARY_SPEED):
        screen = tour.window.canary
        tour.workbench.disconnect_server()
        tour.window.show_screen("canary")
        tour.idle()
        tour.picture("canary-plan-empty")
        screen.plan.replicas.tick("ds1", "ds2")
        screen.plan.change.add("nsslapd-enable-upgrade-hash", "off")
        screen.plan.blocks.setValue(6)
        screen.plan.window_length.setValue(20)
        screen.plan.settle.setValue(0)
        screen.plan.kind.setCurrentText("BIND")
        screen.plan.primary.setCurrentIndex(1)
        screen.plan.set_path(folder / "canary.ldapwb")
        screen.check()
        tour.idle()
        tour.picture("canary-plan")
        with answered(tour, "canary-question"):
            screen.start()
        tour.until(lambda: len(screen.execution.latest.canary.windows) > 1)
        tour.settle(2)
        tour.picture("canary-run")
        screen.run._pause.click()
        tour.until(lambda: screen.execution.latest.pause.resting)
        tour.settle(1)
        tour.picture("canary-paused")
        screen.run._pause.click()
        tour.until(screen.execution.waits, 600)
        tour.picture("canary-verdict")
        screen.result.undo.click()
        tour.until(lambda: not screen.running())
        tour.idle()
        tour.picture("canary-reverted")


def for_docs(out: Path) -> None:
    """Copy what the documentation shows."""
    for name, taken in DOCS.items():
        copy(out / f"{taken}.png", Path(__file__).parent.parent / f"docs/images/{name}.png")


def scroll_to(widget: QWidget) -> None:
    """Bring it into view in every page around it."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget, 0, 100)
        around = around.parentWidget()


def at_home_in(room: Path) -> None:
    """Settings and sessions go there, and nothing into the user's own folders but the cache."""
    os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    os.environ |= {"HOME": str(room), "LDAP_WORKBENCH_HOME": str(room / "home")}


def compile_catalogue() -> None:
    """As it stands in the checkout: without it every picture is English."""
    packaging = Path(__file__).parent.parent / "packaging"
    runpy.run_path(str(packaging / "catalogue.py"))["compile_all"]()


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT in points."""
    width, height = map(int, text.split("x"))
    return width, height


def all_screens(tour: Tour, room: Path, session: Path) -> None:
    """What needs no server."""
    empty_screens(tour)
    session_screens(tour, session)
    window_dialogs(tour)
    session_dialogs(tour)
    fleet_screens(tour, room)
    comparison_screens(tour, room)
    reading_screens(tour, room)
    connection_dialogs(tour)
    known_server_screens(tour, room, session)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("session", type=Path, nargs="?")
    parser.add_argument("--walk", action="store_true", help="a few steps with the sample")
    parser.add_argument("--offline", action="store_true", help="without a server")
    parser.add_argument("--language", default="en", help="en or de")
    parser.add_argument("--scale", default="1", help="pixels for each of a plain screen")
    parser.add_argument("--size", type=size, action="append", help="WIDTHxHEIGHT; may be repeated")
    parser.add_argument("--scheme", type=Scheme, action="append", help="light or dark")
    parser.add_argument("--docs", action="store_true", help="write docs/images")
    parser.add_argument("--lab", action="store_true", help="on a real 389 DS")
    arguments = parser.parse_args()
    os.environ["QT_SCALE_FACTOR"] = arguments.scale
    with tempfile.TemporaryDirectory(prefix="tour-") as room:
        at_home_in(Path(room))
        session = arguments.session or samples()[0].copy()
        sizes, schemes = arguments.size or SIZES, arguments.scheme or SCHEMES
        tour = Tour(arguments.out, arguments.language, sizes, schemes)
        try:
            if arguments.walk:
                walk(tour)
            else:
                all_screens(tour, Path(room), session)
                if not arguments.offline:
                    (lab_screens if arguments.lab else practice_screens)(tour, Path(room))
        finally:
            tour.close()
    if arguments.docs:
        for_docs(arguments.out)
    QApplication.processEvents()


if __name__ == "__main__":
    main()
