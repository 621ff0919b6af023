"""Rows and columns: shares, places, gaps and margins reach Qt as they are written."""

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QLabel, QWidget

from ldap_workbench.gui.parts.widgets.layouts import Gap, Stretch, column, row


def test_parts_stand_in_order_with_their_shares(qtbot):
    names = [QLabel(name) for name in "abc"]
    line = row(names[0], (names[1], 2), Stretch(), Gap(7), (names[2], Qt.AlignmentFlag.AlignTop))
    whole = QWidget()
    qtbot.addWidget(whole)
    column((line, 1), on=whole)
    assert [line.itemAt(place).widget() for place in (0, 1, 4)] == names
    assert [line.stretch(place) for place in range(line.count())] == [0, 2, 1, 0, 0]
    assert line.itemAt(3).sizeHint().width() == 7
    assert line.itemAt(4).alignment() == Qt.AlignmentFlag.AlignTop
    assert whole.layout().stretch(0) == 1


def test_margins_and_spacing_are_those_of_qt_unless_given(qtbot):
    plain, tight, uneven = QWidget(), QWidget(), QWidget()
    for widget in (plain, tight, uneven):
        qtbot.addWidget(widget)
    assert column(on=plain).contentsMargins() != QMargins()
    assert column(on=tight, margins=0, spacing=3).contentsMargins() == QMargins()
    assert tight.layout().spacing() == 3
    assert row(on=uneven, margins=(1, 2, 3, 4)).contentsMargins() == QMargins(1, 2, 3, 4)
