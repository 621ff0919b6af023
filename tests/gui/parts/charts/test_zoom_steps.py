"""What the mouse does in a chart, and the way back."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from ldap_workbench.gui.parts.charts.plot import ZoomHistory
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.charts.tails import TailsChart
from tests.gui.active import show_active
from tests.gui.pictures import strip, tails_picture

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


@pytest.fixture
def chart(qtbot):
    made = StripChart(strip())
    qtbot.addWidget(made)
    made.resize(600, 260)
    show_active(qtbot, made)
    return made


def limits(chart):
    return np.array(chart.plot.getViewBox().viewRange()[0])


def at(chart, share: float) -> QPoint:
    """A place in the plot, at a share of its width."""
    box = chart.plot.getViewBox().sceneBoundingRect()
    return QPoint(round(box.left() + share * box.width()), round(box.center().y()))


def drag(qtbot, chart, button, first: float, last: float) -> None:
    """From one share of the width to another."""
    viewport = chart.canvas.viewport()
    qtbot.mousePress(viewport, button, pos=at(chart, first))
    for share in np.linspace(first, last, 5)[1:]:
        where = QPointF(at(chart, float(share)))
        whole = viewport.mapToGlobal(where)
        no = Qt.KeyboardModifier.NoModifier
        moved = QMouseEvent(QEvent.Type.MouseMove, where, whole, button, button, no)
        QApplication.sendEvent(viewport, moved)
        qtbot.wait(15)  # what comes faster is left out
    qtbot.mouseRelease(viewport, button, pos=at(chart, last))


def test_a_drag_zooms_to_what_was_drawn_and_backspace_leads_back(qtbot, chart):
    whole = limits(chart)
    drag(qtbot, chart, LEFT, 0.25, 0.5)
    near = limits(chart)
    wanted = whole[0] + np.ptp(whole) * np.array([0.25, 0.5])
    assert near == pytest.approx(wanted, abs=0.01 * np.ptp(whole))
    drag(qtbot, chart, LEFT, 0.8, 0.4)
    assert np.ptp(limits(chart)) == pytest.approx(0.4 * np.ptp(near), rel=0.05)
    qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert limits(chart) == pytest.approx(near)
    qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert limits(chart) == pytest.approx(whole)
    qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert limits(chart) == pytest.approx(whole), "there is nothing before it"
    qtbot.keyClick(chart, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ShiftModifier)
    assert limits(chart) == pytest.approx(near)


def test_the_right_button_moves_and_a_click_is_no_zoom(qtbot, chart):
    whole = limits(chart)
    drag(qtbot, chart, RIGHT, 0.5, 0.25)
    assert limits(chart) == pytest.approx(whole + 0.25 * np.ptp(whole), abs=0.01 * np.ptp(whole))
    moved = limits(chart)
    qtbot.mouseClick(chart.canvas.viewport(), LEFT, pos=at(chart, 0.5))
    assert limits(chart) == pytest.approx(moved)
    chart.go_back()
    assert limits(chart) == pytest.approx(whole)


def test_the_wheel_zooms_at_the_pointer_in_one_step(qtbot, chart):
    whole = limits(chart)
    viewport, where = chart.canvas.viewport(), QPointF(at(chart, 0.25))
    for _ in range(3):
        turned = QWheelEvent(
            where, viewport.mapToGlobal(where), QPoint(), QPoint(0, 120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(viewport, turned)
    near = limits(chart)
    assert np.ptp(near) < 0.9 * np.ptp(whole)
    held = whole[0] + 0.25 * np.ptp(whole)
    assert (held - near[0]) / np.ptp(near) == pytest.approx(0.25, abs=0.01)
    chart.go_back()
    assert limits(chart) == pytest.approx(whole), "three turns are one step"


def test_charts_of_one_axis_share_the_way_back(qtbot):
    leader, stack = StripChart(strip()), StripStack(columns=1)
    for widget in (leader, stack):
        qtbot.addWidget(widget)
    leader.draw_now()
    stack.follow(leader)
    stack.set_strips([strip()])
    qtbot.waitUntil(lambda: not stack.coming())
    [follower] = stack.charts()
    whole = limits(leader)
    follower.plot.getViewBox().remember("drag")
    follower.plot.setXRange(whole[0] + 5, whole[0] + 9)
    assert limits(leader) == pytest.approx([whole[0] + 5, whole[0] + 9])
    leader.go_back()
    assert limits(follower) == pytest.approx(whole)


def test_other_data_forgets_the_way_back(qtbot):
    made = TailsChart()
    qtbot.addWidget(made)
    made.set_picture(tails_picture())
    made.draw_now()
    history = made.plot.getViewBox().history
    made.fit_by_hand()
    assert history.can_go_back
    made.draw_now()
    assert not history.can_go_back


def test_a_new_step_forgets_what_lay_ahead():
    history = ZoomHistory()
    one, two, three = (([float(i), i + 1.0], [0.0, 1.0]) for i in range(3))
    history.remember(one, "drag")
    assert history.back(two) == one
    assert history.can_go_forward
    history.remember(one, "drag")
    assert not history.can_go_forward
    assert history.back(three) == one
    assert history.back(one) is None
