"""The overview strip under the timeline: its frame by mouse and by keys."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from ldap_workbench.figures.timeline.minimap import Minimap
from ldap_workbench.gui.parts.charts.minimap import MinimapView
from tests.gui.workbench.test_selection import move

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def strip(qtbot):
    """A strip of 100 s of which 40 to 60 is framed; it does what it asks for."""
    made = MinimapView()
    qtbot.addWidget(made)
    made.resize(700, 50)
    made.set_minimap(Minimap(0.0, 1.0, np.arange(100), ((0.0, 50.0, "A1", "A"),)))
    made.set_shown(40.0, 60.0)
    made.wanted.connect(made.set_shown)
    made.show()
    qtbot.waitExposed(made)
    return made


def at(strip: MinimapView, second: float) -> QPoint:
    return QPoint(round(strip.place_of(second)), strip.height() // 2)


def drag(strip: MinimapView, first: float, last: float) -> None:
    QTest.mousePress(strip, LEFT, Qt.KeyboardModifier.NoModifier, at(strip, first))
    for share in (0.5, 1.0):
        move(strip, at(strip, first + share * (last - first)))
    QTest.mouseRelease(strip, LEFT, Qt.KeyboardModifier.NoModifier, at(strip, last))


def framed(strip: MinimapView) -> tuple[float, float]:
    assert strip.now is not None
    return strip.now.from_s, strip.now.to_s


@pytest.mark.parametrize(
    ("first", "last", "wanted"),
    [
        (50, 60, (50, 70)),
        (50, 99, (80, 100)),
        (40, 20, (20, 60)),
        (60, 90, (40, 90)),
        (40, 80, (60, 80)),
        (10, 10, (0, 20)),
    ],
    ids=["moved", "to the end", "from", "to", "crossed", "pressed beside"],
)
def test_the_frame_is_dragged(strip, first, last, wanted):
    drag(strip, first, last)
    assert framed(strip) == pytest.approx(wanted, abs=0.6)


def test_the_frame_goes_by_keys(qtbot, strip):
    for key, wanted in (
        (Qt.Key.Key_Right, (43, 63)),
        (Qt.Key.Key_Left, (40, 60)),
        (Qt.Key.Key_Plus, (42, 58)),
        (Qt.Key.Key_Minus, (40, 60)),
        (Qt.Key.Key_PageDown, (57, 77)),
        (Qt.Key.Key_Home, (0, 100)),
    ):
        qtbot.keyClick(strip, key)
        assert framed(strip) == pytest.approx(wanted), key


def test_it_says_what_is_framed(qtbot, strip):
    assert strip.accessibleName() == (
        "Whole time range: 4,950 operations from 00:00:00 to 00:01:40 UTC. "
        "Shown: 00:00:40.0 to 00:01:00.0."
    )
    assert "Arrows" in strip.accessibleDescription()
    assert strip.focusPolicy() == Qt.FocusPolicy.StrongFocus
    qtbot.keyClick(strip, Qt.Key.Key_Home)
    assert strip.accessibleName().endswith("All of it is shown.")


def test_what_is_not_shown_lies_under_a_veil(strip):
    picture = strip.grab().toImage()
    y = strip.height() // 2 + 8

    def colour(second: float) -> int:
        return picture.pixel(at(strip, second).x(), y)

    assert colour(57.0) != colour(90.0)
    strip.set_shown(0.0, 100.0)
    picture = strip.grab().toImage()
    assert colour(57.0) == colour(90.0)


def test_nothing_to_show_is_no_error(qtbot):
    made = MinimapView()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    qtbot.keyClick(made, Qt.Key.Key_Right)
    qtbot.mouseClick(made, LEFT)
    assert made.accessibleName().endswith("no data yet.")


def test_it_moves_the_timeline_and_follows_it(qtbot, window, timeline):
    box, strip = timeline.heatmap.plot.getViewBox(), timeline.minimap
    whole = tuple(box.viewRange()[0])
    assert framed(strip) == pytest.approx(whole)
    assert f"{timeline.heatmap.grid.counts.sum():,} operations" in strip.accessibleName()
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Plus)
    near = tuple(box.viewRange()[0])
    assert near[0] > whole[0]
    assert framed(strip) == pytest.approx(near)
    assert tuple(timeline.stack.charts()[0].plot.getViewBox().viewRange()[0]) == near
    timeline.heatmap.go_back()
    assert framed(strip) == pytest.approx(whole)
