"""The overview: where a session opens, what it says at a glance, and where it leads."""

from pathlib import Path

import pytest
import zstandard
from PySide6.QtCore import Qt

from ldap_workbench.figures.overview.view import WORST, WorstFinding, WorstFindings
from ldap_workbench.gui.screens.experiment.stepper import CHANGE, VERDICT
from ldap_workbench.gui.screens.findings.cards import FindingCard
from ldap_workbench.gui.screens.overview.screen import WorstCard
from ldap_workbench.model.message import NOTHING, Message, verbatim
from tests.gui.conftest import idle

pytestmark = pytest.mark.one_window


@pytest.fixture
def judged(qtbot, window, session_file):
    """An experiment's session, just dropped."""
    window.open_paths([session_file])
    idle(qtbot, window)
    return window.overview


@pytest.fixture
def captured(qtbot, window, capture_file):
    """A session of one window, just dropped."""
    window.open_paths([capture_file])
    idle(qtbot, window)
    return window.overview


def press(qtbot, screen, name):
    qtbot.mouseClick(screen.buttons[name], Qt.MouseButton.LeftButton)
    idle(qtbot, screen)


def test_a_session_with_a_verdict_opens_on_it(window, judged):
    assert window.current_screen() is judged
    assert judged.band.heading.text().startswith("Operations are 2.1 times faster: p50 ")
    assert judged.band.sentence.text() == f"Tested: {judged_treatment(window)}"
    assert "600 µs after" in judged.bars.reading()
    assert judged.bars.isVisible()
    assert not judged.worst.isVisible()


def judged_treatment(window):
    return window.workbench.opened.summary.experiment.plan.treatment


def test_tails_and_timeline_are_there_small(judged):
    assert [curve.arm for curve in judged.tails._picture.curves] == ["A", "B"]
    assert judged.tails._picture.windows == ()
    assert len(judged.heatmap.grid.spans) == 12
    assert judged.heatmap.grid.counts.sum() == sum(c.n for c in judged.tails._picture.curves)
    assert judged.heatmap.grid.stalls, "its stalls are bands"


def test_a_session_without_a_verdict_opens_on_what_costs_most(window, captured):
    assert window.current_screen() is captured
    assert not captured.band.isVisible()
    assert not captured.bars.isVisible()
    lines = captured.worst.texts()
    assert lines[0].startswith("Operations stalled together Cost: clients wait ")
    assert 1 < len(lines) <= WORST
    assert captured.worst.width() > 0.6 * captured.tails.width(), "titles have room"


def test_it_says_how_complete_the_sources_are(captured):
    assert captured._state.text() == "not complete"
    assert captured._complete.accessibleName() == (
        "2 of 3 sources are complete. Not complete: iostat (missing)."
    )


@pytest.mark.parametrize(
    "name",
    [
        "tails",  # the others go the same way
        pytest.param("timeline", marks=pytest.mark.full),
        pytest.param("report", marks=pytest.mark.full),
    ],
)
def test_its_buttons_lead_to_screens(qtbot, window, judged, name):
    press(qtbot, judged, name)
    assert window.current_screen().name == name


@pytest.mark.parametrize(("name", "step"), [("verdict", VERDICT), ("experiment", CHANGE)])
def test_its_buttons_lead_to_steps_of_the_experiment(qtbot, window, judged, name, step):
    press(qtbot, judged, name)
    assert window.current_screen() is window.experiment
    assert window.experiment.stepper.step() == step


def test_a_finding_leads_to_the_findings(qtbot, window, captured):
    page = window.findings.page
    page.area.setMaximumHeight(150)
    last = captured.worst._links[-1]
    qtbot.mouseClick(last, Qt.MouseButton.LeftButton)
    assert window.current_screen() is window.findings

    def opened():
        cards = [card for card in page.cards() if isinstance(card, FindingCard)]
        return [card for card in cards if card.details.isVisible()]

    qtbot.waitUntil(lambda: bool(opened()) and not page._expanded)
    [card] = opened()
    assert card.title == last.text()
    bar = page.area.verticalScrollBar()
    assert 0 < bar.value() == min(card.y(), bar.maximum()), "it is in sight"
    page.area.setMaximumHeight(10_000)
    assert not card.visibleRegion().isEmpty()


def test_nothing_is_read_while_nobody_looks(qtbot, window, session_file, capture_file):
    window.show_screen("operations")
    window.open_paths([session_file])
    idle(qtbot, window)
    assert window.current_screen().name == "operations"
    assert window.overview.heatmap.grid is None
    window.show_screen("overview")
    idle(qtbot, window)
    assert window.overview.heatmap.grid is not None


def test_a_verdict_of_earlier_rules_is_that_of_today_with_a_note(qtbot, window, tmp_path):
    path = tmp_path / "before.ldapwb"
    packed = Path(__file__).parents[3] / "unit/packaging/from_0_1/experiment.ldapwb.zst"
    with packed.open("rb") as read, path.open("wb") as file:
        zstandard.ZstdDecompressor().copy_stream(read, file)
    window.open_paths([path])
    idle(qtbot, window)
    assert window.overview.band.heading.text() == "Not settled"
    assert window.overview.band.sentence.text().startswith("Judged better by ldap-workbench")
    assert window.overview.band.sentence.text().endswith(f"Tested: {judged_treatment(window)}")


def test_another_session_leaves_nothing_of_the_one_before(qtbot, window, judged, capture_file):
    window.open_paths([capture_file])
    idle(qtbot, window)
    assert not judged.band.isVisible()
    assert judged.bars.numbers().rows == ()
    assert len(judged.heatmap.grid.spans) == 1
    window.workbench.close_session()
    assert judged._pages.currentWidget() is judged._empty
    assert judged.heatmap.grid is None


def test_all_of_it_is_in_one_screen(qtbot, window, judged):
    """Without scrolling, from 1100 x 800 on."""
    assert judged.area.verticalScrollBar().maximum() == 0
    assert judged.area.widget().width() <= judged.area.viewport().width()


def test_the_dearest_of_many_findings_say_that_there_are_more(qtbot):
    card = WorstCard()
    qtbot.addWidget(card)
    card.show_reading()
    assert "Looking for causes" in card._words.text()
    lines = (
        WorstFinding(verbatim("Stall"), Message("Cost: much."), 3),
        WorstFinding(verbatim("Polling"), NOTHING, 1),
    )
    card.show_worst(WorstFindings(lines, 7))
    assert card.texts() == ["Stall Cost: much.", "Polling"]
    assert card._words.text() == "2 of 7 findings, in order of cost"
    fine = Message("By that measure the window is fine.")
    card.show_worst(WorstFindings(judged=fine))
    assert card.texts() == []
    assert card._words.text() == str(fine), "what was judged, not that nothing was seen"


def test_where_the_time_went_leads_to_the_operations_of_a_client(qtbot, window, captured):
    chart = captured.time
    assert not chart.isHidden()
    (entry, *_) = chart.more_entries()
    client = entry[0].parameters["client"]
    assert client in chart.reading()
    entry[2]()
    idle(qtbot, captured)
    assert window.current_screen() is window.operations
    assert client in window.operations.finder.words.text()
