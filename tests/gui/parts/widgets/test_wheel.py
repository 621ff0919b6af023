"""The mouse wheel over a field that has no focus scrolls the page and changes nothing."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QDateTime, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

import ldap_workbench.gui
from ldap_workbench.gui.parts.widgets.fields import ComboBox, DateTimeEdit, DoubleSpinBox, SpinBox


def wheel_down(field):
    """Whether a field took a turn of the wheel; what it does not take scrolls the page behind."""
    position = QPointF(field.rect().center())
    event = QWheelEvent(
        position,
        QPointF(field.mapToGlobal(position.toPoint())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(field, event)
    return event.isAccepted()


def combo():
    box = ComboBox()
    box.addItems(["one", "two", "three"])
    return box, box.currentIndex


def spin():
    box = SpinBox()
    box.setValue(10)
    return box, box.value


def double_spin():
    box = DoubleSpinBox()
    box.setValue(10)
    return box, box.value


def moment():
    box = DateTimeEdit()
    box.setDateTime(QDateTime.fromSecsSinceEpoch(1_700_000_000))
    return box, box.dateTime


@pytest.mark.parametrize("made", [combo, spin, double_spin, moment])
def test_the_wheel_changes_a_field_only_with_the_focus(qtbot, made):
    field, value = made()
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.addWidget(other := QLineEdit())
    layout.addWidget(field)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    other.setFocus()
    before = value()
    assert not wheel_down(field)
    assert value() == before
    field.setFocus()
    qtbot.waitUntil(field.hasFocus, timeout=30_000)
    assert wheel_down(field)
    assert value() != before


def test_every_field_of_the_window_is_of_that_kind():
    bare = re.compile(
        r"\bQ(ComboBox|SpinBox|DoubleSpinBox|DateTimeEdit|DateEdit|TimeEdit)\(\S*\)$", re.M
    )
    folder = Path(ldap_workbench.gui.__file__).parent
    places = [path.name for path in folder.rglob("*.py") if bare.search(path.read_text())]
    assert places == []
