"""Panes beside the main part of a screen: moved, closed, kept, shown again, reset."""

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QDockWidget, QLabel

from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from tests.gui.conftest import idle

BOTTOM, RIGHT = Qt.DockWidgetArea.BottomDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea


@pytest.fixture
def panes(qtbot):
    made = Panes("some panes", QLabel("middle"))
    qtbot.addWidget(made)
    made.add("below", "Below", QLabel("below"), BOTTOM, 25)
    made.resize(800, 600)
    made.show()
    qtbot.waitExposed(made)
    return made


def area_of(panes: Panes, dock: QDockWidget) -> Qt.DockWidgetArea:
    return panes.dockWidgetArea(dock)


def test_a_pane_has_its_share_and_can_be_moved_and_closed(panes):
    (dock,) = panes.docks
    assert abs(dock.height() - 150) < 20
    assert dock.features() == (
        QDockWidget.DockWidgetFeature.DockWidgetMovable
        | QDockWidget.DockWidgetFeature.DockWidgetClosable
    )


def test_where_panes_stand_is_kept(qtbot, panes):
    (dock,) = panes.docks
    with qtbot.waitSignal(panes.changed):
        panes.addDockWidget(RIGHT, dock)
    with qtbot.waitSignal(panes.changed):
        dock.close()
    other = Panes("some panes", QLabel("middle"))
    qtbot.addWidget(other)
    again = other.add("below", "Below", QLabel("below"), BOTTOM, 25)
    assert other.state().isEmpty(), "nobody has seen it, so nobody can have laid it out"
    other.restore(panes.state())
    assert area_of(other, again) == RIGHT
    assert again.isHidden()


def test_panes_are_reset(panes):
    (dock,) = panes.docks
    panes.addDockWidget(RIGHT, dock)
    dock.close()
    panes.reset()
    assert area_of(panes, dock) == BOTTOM
    assert dock.isVisible()
    assert abs(dock.height() - 150) < 20


def test_a_layout_that_is_damaged_changes_nothing(panes):
    (dock,) = panes.docks
    panes.restore(QByteArray(b"damaged"))
    assert area_of(panes, dock) == BOTTOM
    assert not dock.isHidden()


def tick(window: MainWindow, name: str) -> bool:
    """Whether the View menu says that a pane is there."""
    window.menus._tick_panes()
    return window.actions_[f"pane {name}"].isChecked()


def test_the_view_menu_closes_a_pane_and_shows_it_again_with_its_screen(qtbot, window):
    (dock,) = window.timeline.panes.docks
    assert tick(window, "sources"), "also while its screen is not the one seen"
    window.actions_["pane sources"].trigger()
    assert dock.isHidden()
    assert not tick(window, "sources")
    assert window.current_screen().name == "start"
    window.actions_["pane sources"].trigger()
    assert not dock.isHidden()
    assert window.current_screen().name == "timeline"
    idle(qtbot, window)


@pytest.mark.stall_allowed  # a second window is made
def test_panes_are_kept_for_the_next_start_and_reset_by_the_menu(qtbot, window):
    (dock,) = window.knobs.panes.docks
    window.knobs.show_body(window.knobs._body)
    window.show_screen("knobs")
    idle(qtbot, window)
    kept, open_ = window.workbench.settings, window.knobs.panes.state()
    dock.close()
    qtbot.waitUntil(lambda: kept.bytes("panes knobs panes") == window.knobs.panes.state() != open_)
    kept.sync()
    again = MainWindow(Workbench())
    qtbot.addWidget(again)
    assert again.knobs.panes.docks[0].isHidden()
    again.close()
    window.actions_["reset"].trigger()
    assert dock.isVisible()
    assert kept.bytes("panes knobs panes") == window.knobs.panes.state()


def test_a_pane_keeps_its_share_of_a_window_that_grows(qtbot, panes):
    (dock,) = panes.docks
    qtbot.waitUntil(lambda: abs(dock.height() - 150) < 20)
    panes.resize(800, 300)
    qtbot.waitUntil(lambda: dock.height() < 130)
    panes.resize(800, 1000)
    qtbot.waitUntil(lambda: abs(dock.height() - 250) < 20)
