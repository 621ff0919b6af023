"""What this program is, and its versions."""

import platform
import subprocess

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from ldap_workbench.gui.shell.about import AboutDialog, versions


def test_the_button_stands_below_the_versions(qtbot, window):
    dialog = AboutDialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.wait(20)
    [versions] = dialog.findChildren(QPlainTextEdit)
    [close] = dialog.findChildren(QPushButton)
    place = QRect(close.mapTo(dialog, QPoint()), close.size())
    assert not versions.geometry().intersects(place)


def test_naming_the_machine_starts_no_program(monkeypatch):
    def started(*arguments, **_):
        raise AssertionError(f"the window waits for {arguments}")

    monkeypatch.setattr(subprocess, "Popen", started)
    monkeypatch.setattr(platform, "_uname_cache", None)  # or what another test asked is known
    assert f"on {platform.system()} {platform.release()}" in versions()
