"""What Fusion draws by darkening the window's colour can be seen in the dark as well."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu

from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme, colours


@pytest.fixture
def dark(qapp):
    apply_theme(qapp, Scheme.DARK)
    yield
    apply_theme(qapp, Scheme.LIGHT)


def list_with_a_box():
    made = QListWidget()
    made.setFrameShape(QListWidget.Shape.NoFrame)
    item = QListWidgetItem("")
    item.setCheckState(Qt.CheckState.Unchecked)
    made.addItem(item)
    made.setCurrentItem(None)
    return made


def menu_with_a_box():
    made = QMenu()
    made.addAction(" ").setCheckable(True)
    return made


@pytest.mark.parametrize("make", [list_with_a_box, menu_with_a_box])
def test_a_box_that_is_not_ticked_is_seen_in_the_dark(qtbot, dark, make):
    widget = make()
    qtbot.addWidget(widget)
    widget.resize(widget.sizeHint().expandedTo(widget.minimumSize()))
    picture = widget.grab().toImage()
    ground = QColor(colours(True)["base"]).lightness()
    inner = range(3, min(24, picture.width() - 3)), range(3, min(20, picture.height() - 3))
    brightest = max(picture.pixelColor(x, y).lightness() for x in inner[0] for y in inner[1])
    assert brightest - ground > 40
