"""Run in a process of its own, with a scale: prints every text that has less room than it wants.

python -m tests.gui.cut SESSION LANGUAGE WIDTH HEIGHT
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QWidget,
)

from ldap_workbench.gui.app import application
from ldap_workbench.gui.parts.style.language import speak
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.questions import (
    CertificateDialog,
    HostKeyDialog,
    PasswordDialog,
)
from ldap_workbench.gui.shell.about import AboutDialog, ShortcutsDialog
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.jobs import ImmediateRunner
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import UnknownHostKeyError, UntrustedCertificateError
from ldap_workbench.model.message import verbatim

FIELDS = (QLineEdit, QComboBox, QAbstractSpinBox)


def texts(root: QWidget) -> Iterator[QWidget]:
    """Buttons, labels of one line and fields that are seen."""
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or isinstance(widget, ElidedLabel):
            continue
        if isinstance(widget, QAbstractButton):
            if widget.text() and widget.property("role") != "link":
                yield widget
        elif isinstance(widget, QLabel):
            if widget.text() and not widget.wordWrap():
                yield widget
        elif isinstance(widget, FIELDS) and not isinstance(widget.parent(), FIELDS):
            yield widget


def wanted(widget: QWidget) -> QSize:
    """The least room a text needs; in a field it scrolls, so that some letters must be seen."""
    metrics = widget.fontMetrics()
    if isinstance(widget, FIELDS):
        return QSize(metrics.averageCharWidth() * 5, metrics.height() + 4)
    return widget.minimumSizeHint()


def look(root: QWidget, name: str) -> int:
    looked = 0
    for widget in texts(root):
        looked += 1
        room, least = widget.size(), wanted(widget)
        if room.width() < least.width() or room.height() < least.height():
            text = getattr(widget, "text", lambda: "")()
            print(name, type(widget).__name__, repr(text), room.toTuple(), least.toTuple())
    return looked


def dialogs(window: MainWindow) -> Iterator[QDialog]:
    untrusted = UntrustedCertificateError(
        verbatim("TLS with ldaps://ldap1.example.com failed: unknown CA.")
    )
    unknown = UnknownHostKeyError("ldap1", 22, "ssh-ed25519", "AAAA", f"SHA256:{'x' * 43}")
    yield AboutDialog(window)
    yield ShortcutsDialog(window.actions_.shortcuts(), window)
    yield ProfileDialog(window.workbench, None, window)
    yield HostKeyDialog(unknown, window)
    yield CertificateDialog(untrusted, Path.home(), window)
    yield PasswordDialog(verbatim("The password of cn=Directory Manager"), True, window)


def settle(app: QApplication) -> None:
    """Cards come one a turn, and each asks its neighbours to move."""
    for _ in range(12):
        app.processEvents()


def main(session: str, language: str, width: str, height: str) -> None:
    app = application()
    translators = speak(app, language)
    window = MainWindow(Workbench(ImmediateRunner()), ThemeFollower(app, Scheme.LIGHT))
    window.resize(int(width), int(height))
    window.show()
    window.open_paths([Path(session)])
    looked = 0
    for screen in window.screens:
        window.show_screen(screen.name)
        if hasattr(screen, "_body"):
            screen.show_body(screen._body)
        settle(app)
        looked += look(screen, screen.name)
    for step in range(4):
        window.show_screen("experiment")
        window.experiment.go_to(step)
        settle(app)
        looked += look(window.experiment, f"experiment {step}")
    for dialog in dialogs(window):
        dialog.show()
        settle(app)
        looked += look(dialog, type(dialog).__name__)
        if dialog.width() > int(width) or dialog.height() > int(height):
            print(type(dialog).__name__, "is larger than the window:", dialog.size().toTuple())
        dialog.close()
    letter = window.rail.fontMetrics().averageCharWidth()
    if window.rail.sizeHintForColumn(0) + letter > window.rail.viewport().width():
        print("the rail is too narrow:", window.rail.width(), window.rail.sizeHintForColumn(0))
    if window.width() > int(width) or window.height() > int(height):
        print("the window is larger than asked for:", window.size().toTuple())
    print("looked", looked, window.devicePixelRatio(), len(translators))
    window.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
