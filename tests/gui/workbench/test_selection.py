"""A stretch of time chosen on the timeline is followed by every view; one crosshair over all."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from ldap_workbench.gui.parts.charts.labels import rows_of
from ldap_workbench.gui.workbench.selection import TimeSelection
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle
from tests.gui.watch import aside

pytestmark = pytest.mark.one_window


def place(chart, second: float) -> QPoint:
    """Where a moment is on the canvas of a chart."""
    box = chart.plot.getViewBox()
    low, high = box.viewRange()[1]
    scene = box.mapViewToScene(QPointF(second, (low + high) / 2))
    return chart._canvas.mapFromScene(scene)


def draw(qtbot, chart, first: float, last: float) -> None:
    """Draw from one moment to another with Shift held."""
    canvas, shift = chart._canvas.viewport(), Qt.KeyboardModifier.ShiftModifier
    here, there = place(chart, first), place(chart, last)
    QTest.mouseMove(canvas, here)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, shift, here)
    for step in (0.3, 0.6, 1.0):
        way = here + (there - here) * step
        move(canvas, way)
        qtbot.wait(20)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, shift, there)


def move(canvas, where: QPoint) -> None:
    """A move with the button held, which QTest does not make."""
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    left, shift = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    place_in_screen = QPointF(canvas.mapToGlobal(where))
    kind = QEvent.Type.MouseMove
    event = QMouseEvent(kind, QPointF(where), place_in_screen, left, left, shift)
    QApplication.sendEvent(canvas, event)


def test_what_is_drawn_with_shift_is_followed_by_tails_and_operations(
    qtbot, window, timeline, session_file
):
    first = window.workbench.opened.summary.windows[0]
    start, stop = first.start_ns / NS_PER_S + 2, first.start_ns / NS_PER_S + 6
    timeline.heatmap.plot.setXRange(start - 3, stop + 3)
    before = timeline.heatmap.plot.getViewBox().viewRange()[0]
    draw(qtbot, timeline.heatmap, start, stop)
    chosen = window.workbench.selection.now
    assert chosen is not None
    assert [moment / NS_PER_S for moment in chosen] == pytest.approx([start, stop], abs=0.1)
    assert timeline.heatmap.plot.getViewBox().viewRange()[0] == before, "drawing moves nothing"
    with aside(), Session.open(session_file) as session:
        operations = session.operations(first)
    at_work = (operations.start_ns < chosen[1]) & (operations.end_ns > chosen[0])
    wanted = int((at_work & ~operations.internal & ~operations.own).sum())
    window.show_screen("operations")
    idle(qtbot, window)
    assert window.operations.model.rowCount() == wanted > 0
    window.show_screen("tails")
    idle(qtbot, window)
    [curve] = [c for c in window.tails.chart._picture.curves if c.n]
    assert curve.n == wanted
    assert "whole windows" in window.tails._band.sentence.text()


def test_every_view_names_the_stretch_and_any_of_them_ends_it(qtbot, window, timeline):
    timeline.heatmap.setFocus()
    qtbot.keyClick(timeline.heatmap, Qt.Key.Key_Plus)
    qtbot.mouseClick(timeline._select, Qt.MouseButton.LeftButton)
    words = window.workbench.selection.describe()
    assert words.endswith(" s)")
    for name in ("timeline", "tails", "operations"):
        window.show_screen(name)
        idle(qtbot, window)
        chip = window.header.time_range
        assert chip.isVisible()
        assert words in chip.accessibleName()
    assert window.actions_["everything"].isEnabled()
    qtbot.mouseClick(window.header.time_range, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.workbench.selection.now is None
    assert not window.header.time_range.isVisible()
    assert not window.actions_["everything"].isEnabled()
    assert "in these windows" in window.operations._count.text()
    window.show_screen("tails")
    idle(qtbot, window)
    assert window.tails._band.heading.text().startswith("Operations are 2.1 times faster: p50 "), (
        "the verdict is back"
    )


@pytest.mark.parametrize("name", ["report", "overview"])
def test_views_of_whole_windows_say_so(qtbot, window, timeline, name):
    chip = window.header.time_range
    assert not chip.isVisible()
    timeline.axis.select_shown(timeline.heatmap)
    assert chip.isVisible()
    assert "not used here" not in chip.text()
    window.show_screen(name)
    idle(qtbot, window)
    assert "not used here" in chip.text()
    assert "whole windows" in chip.accessibleName()
    chip.setFocus()
    qtbot.keyClick(chip, Qt.Key.Key_Space)
    assert not chip.isVisible()
    assert window.workbench.selection.now is None


def test_another_session_begins_with_whole_windows(qtbot, window, timeline, capture_file):
    timeline.axis.select_shown(timeline.heatmap)
    assert window.workbench.selection.now
    window.show_screen("operations")
    idle(qtbot, window)
    window.open_paths([capture_file])
    idle(qtbot, window)
    assert window.workbench.selection.now is None


def test_beside_the_windows_nothing_is_chosen(window, timeline):
    first = window.workbench.opened.summary.windows[0].start_ns / NS_PER_S
    timeline.axis.selected.emit(first - 100, first - 50)
    assert window.workbench.selection.now is None
    timeline.axis.selected.emit(first - 100, first + 5)
    assert window.workbench.selection.now[0] == round(first * NS_PER_S)


def test_one_crosshair_over_heat_map_and_strips(qtbot, window, timeline):
    first = window.workbench.opened.summary.windows[0].start_ns / NS_PER_S
    QTest.mouseMove(timeline.heatmap._canvas.viewport(), place(timeline.heatmap, first + 5))
    qtbot.waitUntil(lambda: timeline.axis.moment is not None)
    overlays = timeline.axis._overlays
    assert len(overlays) == 1 + len(timeline.stack.charts()) > 3
    qtbot.waitUntil(lambda: {o.moment for o in overlays.values()} == {timeline.axis.moment})
    assert timeline.axis.moment == pytest.approx(first + 5, abs=2)
    assert " operations in " in timeline.heatmap._heading.toolTip()
    operations = next(c for c in timeline.stack.charts() if c._title == "Operations")
    assert "/s" in operations._heading.toolTip()
    timeline.axis._on_pointed(None)
    qtbot.waitUntil(lambda: {o.moment for o in overlays.values()} == {None})
    assert timeline.heatmap._heading.toolTip() == "etime over time"


def test_the_crosshair_goes_by_keys_and_says_what_is_there(qtbot, window, timeline):
    heatmap, axis = timeline.heatmap, timeline.axis
    heatmap.setFocus()
    assert "Ctrl+Left and Ctrl+Right" in heatmap.accessibleDescription()
    low, high = heatmap.plot.getViewBox().viewRange()[0]
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(heatmap, Qt.Key.Key_Right, control)
    qtbot.waitUntil(lambda: axis.moment is not None)
    assert axis.moment == pytest.approx(low + 0.51 * (high - low))
    assert heatmap.plot.getViewBox().viewRange()[0] == [low, high], "nothing else moves"
    overlays = axis._overlays
    qtbot.waitUntil(lambda: {o.moment for o in overlays.values()} == {axis.moment})
    told = heatmap._heading.toolTip().split(" · ")[1]
    assert heatmap.accessibleDescription().startswith(f"{told}. Arrows")
    strip = timeline.stack.charts()[0]
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Left, control | shift)
    assert axis.moment == pytest.approx(low + 0.41 * (high - low))
    for _ in range(5):
        qtbot.keyClick(strip, Qt.Key.Key_Left, control | shift)
    now = strip.plot.getViewBox().viewRange()[0]
    assert now[0] < low, "what is beyond the edge comes into view"
    assert axis.moment == pytest.approx(now[0])
    qtbot.keyClick(strip, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: {o.moment for o in overlays.values()} == {None})
    assert heatmap.accessibleDescription().startswith("Arrows")


def test_names_that_would_overlap_stand_in_rows_or_are_left_out():
    assert rows_of([0, 100, 200], [50, 50, 50], 2) == [0, 0, 0]
    assert rows_of([0, 10, 20], [50, 50, 50], 2) == [0, 1, -1]
    assert rows_of([60, 0, 30], [20, 50, 10], 2) == [0, 0, 1]


def test_marks_close_together_keep_apart_their_names(qtbot, window, timeline):
    names = timeline.heatmap._mark_names
    first = window.workbench.opened.summary.windows[0].start_ns / NS_PER_S
    for length in (4000, 400, 40):
        timeline.heatmap.plot.setXRange(first, first + length)
        qtbot.wait(60)  # names are moved when they are painted
        shown = [item for _, item in names._labels if item.isVisible()]
        boxes = [item.mapRectToScene(item.boundingRect()).adjusted(1, 1, -1, -1) for item in shown]
        assert shown
        assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_stretch_tells_its_moments_in_order(qapp):
    selection = TimeSelection()
    assert selection.describe() == ""
    selection.choose(1_795_255_220 * NS_PER_S, 1_795_255_205 * NS_PER_S)
    assert selection.describe() == "10:00:05 to 10:00:20 UTC (15.0 s)"
