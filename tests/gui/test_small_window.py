"""Screens with many controls fit into a window 800 pixels wide, in German too."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ldap_workbench.gui.parts.widgets.flow import FlowLayout
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS

MANY_CONTROLS = ("start", "capture", "overview", "tails", "operations")


def test_the_rail_shows_all_screens_at_once(german, qtbot, window):
    window.resize(800, 600)
    idle(qtbot, window)
    assert window.height() == 600
    last = window.rail.visualItemRect(window.rail.item(window.rail.count() - 1))
    assert window.rail.viewport().rect().contains(last)


@pytest.fixture
def row(qtbot):
    """Three buttons in a flow, each 100 wide, above nothing."""
    whole = QWidget()
    qtbot.addWidget(whole)
    flow = FlowLayout(spacing=10)
    for name in "abc":
        button = QPushButton(name)
        button.setFixedSize(100, 20)
        flow.addWidget(button)
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.addLayout(flow)
    column.addStretch(1)
    return whole, flow


def test_a_row_goes_on_below_where_there_is_no_room(row):
    _, flow = row
    assert flow.sizeHint().width() == 320
    assert flow.minimumSize().width() == 100
    assert [flow.height_at(width) for width in (320, 319, 100)] == [20, 50, 80]
    flow.setGeometry(QRect(0, 0, 220, 50))
    places = [flow.itemAt(i).widget().geometry().topLeft().toTuple() for i in range(3)]
    assert places == [(0, 0), (110, 0), (0, 30)]


def test_a_row_grows_with_its_lines_and_shrinks_again(qtbot, row):
    whole, flow = row
    whole.resize(320, 200)
    whole.show()
    for width, height in ((320, 20), (220, 50), (100, 80), (400, 20)):
        whole.resize(width, 200)
        qtbot.waitUntil(lambda height=height: flow.geometry().height() == height)
    assert not flow.hasHeightForWidth(), "layouts around it would ask without end"


def test_what_is_hidden_takes_no_room(row):
    _, flow = row
    flow.itemAt(1).widget().hide()
    assert flow.sizeHint().width() == 210


def test_no_screen_makes_the_window_larger_than_a_small_one(german, qtbot, window, session_file):
    connect(window, Server(FACTS))
    window.open_paths([session_file])
    window.show()
    idle(qtbot, window)
    window.resize(800, 600)
    for screen in window.screens:
        window.show_screen(screen.name)
        idle(qtbot, window)
        assert window.size().toTuple() == (800, 600), screen.name
        if screen.name in MANY_CONTROLS:
            assert screen.minimumSizeHint().width() <= 800 - window.rail.width(), screen.name
