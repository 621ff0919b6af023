"""The job at work in the status bar, beside places that have a bar of their own."""

import threading

import pytest

from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.progress import Progress

pytestmark = pytest.mark.one_window


@pytest.fixture
def start(window):
    """Starts a job whose progress says these words until the event it returns is set."""
    ends: list[threading.Event] = []

    def begin(words: str) -> threading.Event:
        end = threading.Event()
        ends.append(end)

        def work(progress, cancel):
            progress(Progress(verbatim(words), 0.5))
            end.wait(30)

        window.workbench.runner.start(words, f"Job: {words}", work)
        return end

    yield begin
    for end in ends:
        end.set()


@pytest.fixture
def line(window):
    """The bar that a place in sight has for one of the jobs."""
    made = ProgressLine("Import")
    made.setParent(window)
    made.say("Importing")
    made.show()
    yield made
    made.setParent(None)


def test_the_other_job_shows_when_the_one_with_its_own_bar_ends(qtbot, window, start, line):
    indicator = window.statusBar().jobs
    reading = start("Reading")
    qtbot.waitUntil(indicator.isVisible)
    importing = start("Importing")
    qtbot.waitUntil(lambda: not indicator.isVisible())
    importing.set()
    qtbot.waitUntil(indicator.isVisible)
    assert indicator._text.toolTip() == "Job: Reading"
    reading.set()
    qtbot.waitUntil(lambda: not indicator.isVisible())


def test_the_end_of_another_job_leaves_the_one_with_its_own_bar(qtbot, window, start, line):
    indicator = window.statusBar().jobs
    reading = start("Reading")
    qtbot.waitUntil(indicator.isVisible)
    start("Importing")
    qtbot.waitUntil(lambda: not indicator.isVisible())
    with qtbot.waitSignal(window.workbench.runner.jobEnded):
        reading.set()
    assert not indicator.isVisible()
    assert indicator._text.toolTip() == "Importing"
