"""The tutorial of docs/tutorial.md, taken by a hand at the window: it works, and has pictures.

python -m tests.tutorial_tour [OUT]    writes docs/images/tutorial; needs no display, five minutes
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.app import application, load_later_parts
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.practice.model.scenario import load_scenario
from tests.gui.patience import pause
from tests.live.lab.hand import Hand
from tests.tour import at_home_in

DOCS = Path(__file__).parents[1] / "docs"
LESSON = load_scenario("rehash")


class Learner(Hand):
    """Somebody who follows the tutorial, with a camera."""

    def __init__(self, window: MainWindow, out: Path) -> None:
        super().__init__(window)
        self._out = out

    def picture(self, name: str, widget: QWidget | None = None) -> None:
        """What is seen, once charts have come to rest."""
        pause(1500)
        (widget or self.window).grab().save(str(self._out / f"{name}.png"))


def take(learner: Learner) -> None:
    """Every step of the page, in its order."""
    window = learner.window
    learner.picture("1-start")
    learner.press(str(LESSON.title), window.start)
    learner.until(lambda: window.workbench.connection is not None, 120)
    learner.idle()
    learner.spin(window.capture._seconds, "120")
    learner.picture("2-capture")
    learner.press("Start", window.capture)
    summary = window.overview
    learner.until(lambda: summary.isVisible() and summary.findings.cards(), 300)
    learner.until(lambda: learner.buttons("Test this change …", summary))
    learner.picture("3-overview")
    learner.click(summary.findings.cards()[0].arrow)
    learner.picture("4-findings")
    learner.press("Test this change …", summary)
    experiment = window.experiment
    learner.until(lambda: experiment.change.planned is not None, 120)
    learner.picture("5-change")
    learner.press("Next", experiment)
    learner.click(experiment.design.sizes.buttons["quick"])
    learner.picture("6-design")
    learner.answer(ConsentBox, lambda box: learner.click(box._agree))
    learner.press("Start", experiment)
    learner.until(lambda: _windows_of(window) >= 5, 300)
    learner.picture("7-run")
    learner.until(experiment.execution.waits, 1200)
    learner.until(lambda: learner.buttons("Keep", experiment), 60)
    learner.picture("8-verdict")
    learner.press("Revert", experiment)
    learner.until(lambda: not experiment.running(), 120)
    learner.idle()
    learner.screen("Summary")
    for _ in range(4):  # its parts are read one after the other
        learner.idle()
        pause(500)
    learner.picture("9-solved")
    assert all(goal.reached for goal in window.bands.lesson.reached())


def _windows_of(window: MainWindow) -> int:
    """How many windows of the experiment are done."""
    run = window.workbench.running.run
    return len(run.experiment.windows) if run is not None and run.experiment is not None else 0


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "images" / "tutorial"
    out.mkdir(parents=True, exist_ok=True)
    app = application()
    apply_theme(app, Scheme.LIGHT)
    with tempfile.TemporaryDirectory(prefix="tutorial-") as room:
        at_home_in(Path(room))
        os.environ["XDG_DOCUMENTS_DIR"] = room
        window = MainWindow(Workbench())
        load_later_parts()
        window.resize(1400, 900)
        window.show()
        pause(1000)
        learner = Learner(window, out)
        try:
            take(learner)
        finally:
            window.close_now()


if __name__ == "__main__":
    main()
