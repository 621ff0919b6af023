"""At 100, 150 and 200 percent, in both languages: no button is too small for its words."""

import os
import subprocess
import sys

import pytest

CUT = """
import os, sys
from PySide6.QtWidgets import QAbstractButton, QToolButton
from ldap_workbench.gui.app import application
from ldap_workbench.gui.jobs import ImmediateRunner
from ldap_workbench.gui.language import speak
from ldap_workbench.gui.main_window import MainWindow
from ldap_workbench.gui.theme import Scheme, ThemeFollower
from ldap_workbench.gui.workbench import Workbench
from pathlib import Path
app = application()
translators = speak(app, sys.argv[2])
window = MainWindow(Workbench(ImmediateRunner()), ThemeFollower(app, Scheme.LIGHT))
window.resize(1400, 900)
window.show()
window.open_paths([Path(sys.argv[1])])
looked = 0
for screen in window.screens:
    window.show_screen(screen.name)
    if hasattr(screen, "_body"):
        screen.show_body(screen._body)
    for _ in range(3):
        app.processEvents()
    for button in screen.findChildren(QAbstractButton):
        if not button.isVisible() or not button.text() or button.property("role") == "link":
            continue
        looked += 1
        wanted, room = button.minimumSizeHint(), button.size()
        if room.width() < wanted.width() or room.height() < wanted.height():
            print(screen.name, button.text(), room, wanted)
print("looked", looked, window.devicePixelRatio())
window.close()
"""


@pytest.mark.slow
@pytest.mark.stall_allowed  # another process is at work
@pytest.mark.parametrize(("scale", "language"), [("1.0", "en"), ("1.5", "de"), ("2.0", "en")])
def test_no_button_is_cut(qapp, home, session_file, scale, language):
    around = dict(os.environ, QT_SCALE_FACTOR=scale, QT_QPA_PLATFORM="offscreen")
    command = [sys.executable, "-c", CUT, str(session_file), language]
    done = subprocess.run(
        command, env=around, check=True, capture_output=True, text=True, timeout=120
    )
    *cut, last = done.stdout.splitlines()
    assert cut == []
    _, count, ratio = last.split()
    assert int(count) > 15
    assert float(ratio) == float(scale)
