"""What this program is, and its versions."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from ldap_workbench.gui.shell.about import AboutDialog


def test_the_button_stands_below_the_versions(qtbot, window):
    dialog = AboutDialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.wait(20)
    [versions] = dialog.findChildren(QPlainTextEdit)
    [close] = dialog.findChildren(QPushButton)
    place = QRect(close.mapTo(dialog, QPoint()), close.size())
    assert not versions.geometry().intersects(place)
