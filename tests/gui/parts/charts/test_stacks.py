"""Stacks of threads beside the tails: by keyboard and pointer, found, in numbers, as a picture."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from ldap_workbench.capture.importing.logs import add_stacks
from ldap_workbench.figures.tails.icicle import file_profiles, stacks_of
from ldap_workbench.gui.parts.charts.icicle import IcicleChart, StacksView, box_of
from ldap_workbench.gui.parts.charts.menu import as_png, as_svg
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.gui.conftest import opened
from tests.sessions import build_experiment_session

pytestmark = pytest.mark.one_window

REAL = Path(__file__).parents[3] / "unit/figures/stacks389"


def profiles(*names):
    return [each for name in names for each in file_profiles(REAL / f"{name}.folded.gz")]


@pytest.fixture
def view(qtbot):
    view = StacksView()
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.set_stacks(stacks_of(profiles("A1", "A2"), profiles("B1", "B2")))
    view.show()
    return view


@pytest.fixture
def chart(view) -> IcicleChart:
    view.chart.setFocus()
    return view.chart


def name(chart):
    return chart.frames[chart.marked.selected].name


def test_the_arrows_go_from_frame_to_frame_and_its_numbers_are_said(qtbot, chart):
    for key, expected in (
        (Qt.Key.Key_Down, "ns-slapd"),
        (Qt.Key.Key_Down, "[unknown]"),
        (Qt.Key.Key_Down, "op_shared_search"),
        (Qt.Key.Key_Right, "string_filter_sub"),
        (Qt.Key.Key_Left, "op_shared_search"),
        (Qt.Key.Key_Up, "[unknown]"),
    ):
        qtbot.keyClick(chart, key)
        assert name(chart) == expected
    qtbot.keyClick(chart, Qt.Key.Key_Down)
    said = "op_shared_search: 91.7 % of A, 83.8 % of B, less in B"
    assert chart.accessibleDescription().startswith(f"{said}.")
    assert "Enter zooms" in chart.accessibleDescription()
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert chart.marked.selected == -1
    assert said not in chart.accessibleDescription()


def test_enter_zooms_into_a_frame_and_home_shows_all(qtbot, chart):
    place = next(n for n, f in enumerate(chart.frames) if f.name == "cache_find_id")
    chart.select(place)
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    (left, right), (top, _) = chart.plot.getViewBox().viewRange()
    box = box_of(chart.frames[place])
    assert (left, right) == pytest.approx((box.left(), box.right()))
    assert top == chart.frames[place].depth
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert chart.plot.getViewBox().viewRange()[0] == pytest.approx([0, 100])


def test_a_frame_below_the_last_row_is_brought_into_view(chart):
    deepest = max(range(len(chart.frames)), key=lambda n: chart.frames[n].depth)
    chart.select(deepest)
    low, high = chart.plot.getViewBox().viewRange()[1]
    assert low <= chart.frames[deepest].depth < high


def test_the_pointer_tells_a_frame_and_a_click_chooses_it(qtbot, chart):
    place = next(n for n, f in enumerate(chart.frames) if f.name == "slapi_str2entry_ext")
    middle = box_of(chart.frames[place]).center()
    lines = [str(line) for line in chart.tip_at(middle.x(), middle.y())]
    assert lines[0] == "slapi_str2entry_ext"
    assert "Share in A: 49.2 %" in lines
    assert "Difference: less in B" in lines
    assert chart.tip_at(middle.x(), 500) == ()
    at = chart.canvas.mapFromScene(chart.plot.getViewBox().mapViewToScene(middle))
    qtbot.mouseClick(chart.canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at.x(), at.y()))
    assert name(chart) == "slapi_str2entry_ext"


def test_functions_are_found_and_their_samples_said(view):
    view.field.setText("STR2entry")
    names = {view.chart.frames[place].name for place in view.chart.marked.hits}
    assert "slapi_str2entry_ext" in names
    assert all("str2entry" in each for each in names)
    told = [label.text() for label in view.findChildren(QLabel)]
    assert "In stacks with what you look for: 49.2 % of A, 0 % of B." in told
    assert "49.2 % of A, 0 % of B" in view.chart.accessibleName()
    view.field.setText(" ")
    assert not view.chart.marked.searching


def test_the_numbers_are_one_key_away(qtbot, chart):
    qtbot.keyClick(chart, Qt.Key.Key_C)
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0].startswith("Frame\tShare in A\tShare in B")
    assert rows[1].startswith("ns-slapd\t100 %\t100 %")
    qtbot.keyClick(chart, Qt.Key.Key_D)
    assert chart.showing_numbers()


def test_the_icicle_is_a_picture(chart):
    assert as_png(chart).startswith(b"\x89PNG")
    drawing = as_svg(chart).decode()
    assert "slapi_str2entry_ext" in drawing
    assert "No function differs" not in drawing


def test_one_arm_alone_is_shown_without_differences(view):
    view.set_stacks(stacks_of(profiles("A1")))
    assert view.chart.reading() == "711 samples."
    assert view.chart.legend(view.chart.colours()) == ""
    assert [str(h) for h in view.chart.numbers().headings] == ["Frame", "Samples", "Share"]


def test_profiles_that_do_not_differ_are_called_that(view):
    view.set_stacks(stacks_of(profiles("A1"), profiles("A2")))
    assert "No function differs by more than chance." in view.chart.reading()


@pytest.fixture
def experiment(tmp_path):
    """Two pairs, and a profile in each window."""
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5)
    with Session.open(path) as session:
        arms = {arm: [w for w in session.windows() if w.arm == arm] for arm in "AB"}
    with SessionWriter.append(path) as writer:
        for arm, windows in arms.items():
            for number, each in enumerate(windows, 1):
                add_stacks([REAL / f"{arm}{number}.folded.gz"], writer, each)
    return path


def test_an_experiment_with_profiles_has_them_beside_its_tails(qtbot, window, experiment):
    screen = opened(qtbot, window, experiment, "tails")
    assert screen._charts.isTabVisible(screen._charts.indexOf(screen.stacks))
    qtbot.waitUntil(lambda: screen.functions.rows.rowCount() > 0)
    assert screen.functions.rows.index(0, 0).data() == "id2entry"
    assert "1,357 samples of A, 860 of B." in screen.stacks.chart.reading()


def test_without_stacks_there_is_no_such_chart(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    assert not screen._charts.isTabVisible(screen._charts.indexOf(screen.stacks))
    assert not screen._tables.isTabVisible(4)
