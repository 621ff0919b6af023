"""The overview: where a session opens, what it says at a glance, and where it leads."""

import threading
from pathlib import Path

import pytest
import zstandard
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from ldap_workbench.gui.screens.experiment.stepper import CHANGE, VERDICT
from ldap_workbench.gui.screens.overview import findings, screen
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.writer import SessionWriter
from tests.gui import sight
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.watch import aside
from tests.sessions import FACTS, build_capture_session

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


def press(qtbot, screen, words):
    qtbot.mouseClick(sight.button(screen, words), Qt.MouseButton.LeftButton)
    idle(qtbot, screen)


def test_a_session_with_a_verdict_opens_on_it(window, judged):
    assert window.current_screen() is judged
    assert judged.band.heading.text().startswith("Operations are 2.1 times faster: p50 ")
    assert judged.band.sentence.text() == f"Tested: {judged_treatment(window)}"
    assert "600 µs after" in judged.bars.reading()
    assert judged.bars.isVisible()
    assert not judged.time.isVisible()
    assert judged.findings.cards(), "those of its windows follow"


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
    first, *others = captured.findings.cards()
    assert first.title == "Operations stalled together"
    assert others
    assert captured.time.numbers().rows, "where the time went"
    assert captured.tails.pos().x() > captured.time.geometry().right(), "side by side"


def test_it_says_how_complete_the_sources_are(captured):
    said = sight.words(captured)
    assert "not complete" in said
    assert "2 of 3 sources are complete. Not complete: iostat (missing)." in said


@pytest.mark.parametrize(
    ("words", "step"), [("Read the verdict", VERDICT), ("Test a change …", CHANGE)]
)
def test_its_buttons_lead_to_steps_of_the_experiment(qtbot, window, judged, words, step):
    press(qtbot, judged, words)
    assert window.current_screen() is window.experiment
    assert window.experiment.stepper.step() == step


def test_a_finding_opens_in_its_place_and_in_sight(qtbot, captured):
    page, first = captured.area.verticalScrollBar(), captured.findings.cards()[0]
    captured.area.ensureWidgetVisible(first)
    before = page.value()
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton, pos=QPoint(first.width() // 2, 8))
    qtbot.waitUntil(lambda: not first.details.visibleRegion().isEmpty())
    assert page.value() == before, "nothing moves under the pointer"


def test_in_a_narrow_window_the_findings_follow_the_first_chart(qtbot, window, captured):
    before = window.size()
    window.resize(800, 600)
    qtbot.waitUntil(lambda: captured.findings.y() < captured.tails.y())
    assert captured.time.geometry().bottom() < captured.findings.y() < captured.area.height()
    assert captured.heatmap.y() > captured.tails.geometry().bottom()
    window.resize(before)
    qtbot.waitUntil(lambda: captured.findings.y() > captured.heatmap.geometry().bottom())


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
    assert "No session is open" in sight.words(judged)
    assert judged.heatmap.grid is None


def test_its_pictures_and_the_first_finding_are_in_one_screen(qtbot, window, captured):
    """Without scrolling, from 1100 x 800 on."""
    assert captured.area.widget().width() <= captured.area.viewport().width()
    for part in (captured.time, captured.tails, captured.heatmap, captured.findings.cards()[0]):
        shown = part.visibleRegion().boundingRect().height()
        assert shown > part.height() / 2


def test_where_the_time_went_leads_to_the_operations_of_a_group(qtbot, window, captured):
    chart = captured.time
    assert not chart.isHidden()
    (entry, *_) = chart.more_entries()
    group = entry[0].parameters["group"]
    assert group in chart.reading()
    entry[2]()
    idle(qtbot, captured)
    assert window.current_screen() is window.operations
    kind, _, filter_text = group.partition(" ")  # a kind of operation, or a client
    assert (filter_text or kind) in window.operations.finder.words.text()


@pytest.mark.parametrize("log", [False, True], ids=["not planned", "not permitted"])
def test_without_operations_the_findings_come_first(qtbot, window, tmp_path, log):
    path = tmp_path / "monitor.ldapwb"
    with aside(), SessionWriter.create(path) as writer:
        writer.put_window(Window(1, "monitor", NS_PER_S, 2 * NS_PER_S))
        writer.put_source(Source(1, 1, SourceKind.MONITOR, "cn=monitor", SourceState.COMPLETE))
        if log:
            writer.put_source(Source(2, 1, SourceKind.ACCESS_LOG, "access", SourceState.MISSING))
    window.open_paths([path])
    idle(qtbot, window)
    window.show_screen("overview")
    overview = window.overview
    assert not [c for c in (overview.time, overview.tails, overview.heatmap) if c.isVisible()]
    assert overview.findings.isVisible()


def offered(part) -> set[str]:
    return {button.text().replace("&", "") for button in sight.seen(part, QPushButton)}


def test_without_a_session_there_is_no_verdict_to_read(qtbot, window, session_file):
    connect(window, Server(FACTS))
    window.show_screen("overview")
    overview = window.overview
    assert "Test a change …" in offered(overview)
    assert "Read the verdict" not in offered(overview)
    window.open_paths([session_file])
    idle(qtbot, window)
    assert "Read the verdict" in offered(overview)
    window.workbench.close_session()
    assert "Test a change …" in offered(overview)
    assert "Read the verdict" not in offered(overview)


def test_reloading_while_a_part_is_read_begins_again(qtbot, window, judged, monkeypatch):
    released, read = threading.Event(), screen.read_tails

    def read_late(*args, **names):
        released.wait(60)
        return read(*args, **names)

    monkeypatch.setattr(screen, "read_tails", read_late)
    came = []
    judged.parts.came.connect(lambda name, _: came.append(name))
    judged.reload()
    judged.reload()
    released.set()
    idle(qtbot, window)
    stalls = ["stalls"] * len(window.workbench.opened.summary.windows)
    assert came == ["tails", "grid", "findings", *stalls], "each once, in its order"


def test_findings_that_another_screen_asked_for_are_not_read_again(qtbot, window, session_file):
    shown = []
    window.overview.findings.seenChanged.connect(shown.append)
    window.show_screen("knobs")
    window.open_paths([session_file])
    idle(qtbot, window)
    window.show_screen("overview")
    idle(qtbot, window)
    assert len(shown) == 1, "opened cards stay open"
    window.overview.reload()
    idle(qtbot, window)
    assert len(shown) == 2


def refuse(*_, **__):
    raise SessionError(Message("Unreadable."), remedy=Message("Capture again."))


def test_it_says_that_it_looks_for_causes_and_finds_them_without_its_pictures(
    qtbot, window, capture_file, monkeypatch
):
    for read in ("read_tails", "read_grid"):
        monkeypatch.setattr(screen, read, refuse)
    window.show_screen("overview")
    window.open_paths([capture_file])
    panel, reading = window.overview.findings, "Looking for causes in the open session …"
    qtbot.waitUntil(lambda: reading in sight.words(panel))
    idle(qtbot, window)
    assert panel.seen.findings
    assert window.error_bar.heading.text() == "Unreadable."


def test_a_search_for_causes_that_fails_is_told_and_tried_again(
    qtbot, window, capture_file, monkeypatch
):
    panel = window.overview.findings
    with monkeypatch.context() as broken:
        broken.setattr(findings, "findings_of", refuse)
        window.open_paths([capture_file])
        idle(qtbot, window)
        assert "The search for causes failed. F5 tries again." in sight.words(panel)
        assert window.overview.heatmap.grid is not None
    window.overview.reload()
    idle(qtbot, window)
    assert panel.seen.findings


def test_a_session_without_windows_is_looked_through_too(qtbot, window, tmp_path):
    window.open_paths([build_capture_session(tmp_path / "none.ldapwb", windows=0)])
    idle(qtbot, window)
    said = "No operation of a client is in this session: only what was captured is judged."
    assert said in sight.words(window.overview.findings)
