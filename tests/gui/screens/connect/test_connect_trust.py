"""A server nobody vouches for yet: the dialogs show it, and the test goes on with the answer."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QPushButton

from ldap_workbench.connect.tls import tls_error
from ldap_workbench.figures.forms.profile import form_of
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.questions import CertificateDialog, HostKeyDialog
from ldap_workbench.model.errors import ShownCertificate, UntrustedCertificateError
from ldap_workbench.model.message import Message
from ldap_workbench.practice.process import Practice
from tests.gui.conftest import idle
from tests.gui.test_accessibility import clashes

SHOWN = ShownCertificate("CN=ldap1", "CN=Our CA", "2027-01-31", ":".join(["AB"] * 32))


@pytest.fixture(scope="module")
def practice() -> Iterator[Practice]:
    with Practice.start("healthy") as made:
        yield made


@pytest.fixture
def stranger(practice, monkeypatch):
    """The profile of the practice directory as somebody types it: no CA, no known host key."""
    for name, value in practice.environment.items():
        monkeypatch.setenv(name, value)
    return replace(practice.profile, ca_file=None)


def answer(kind: type[QDialog], then: Callable[[QDialog], None]) -> list[QDialog]:
    """Answer a dialog once it is there; gives those that were answered."""
    answered: list[QDialog] = []

    def look() -> None:
        top = QApplication.activeModalWidget()
        if isinstance(top, kind):
            answered.append(top)
            then(top)
        else:
            QTimer.singleShot(50, look)

    QTimer.singleShot(50, look)
    return answered


def button(dialog: QDialog, words: str) -> QPushButton:
    return next(b for b in dialog.findChildren(QPushButton) if words in b.text().replace("&", ""))


def name_the_ca(qtbot, monkeypatch, path: str) -> Callable[[QDialog], None]:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (path, ""))
    choose = "Choose a CA file"
    return lambda asked: qtbot.mouseClick(button(asked, choose), Qt.MouseButton.LeftButton)


def steps_of(qtbot, dialog: ProfileDialog) -> dict[str, bool]:
    qtbot.waitUntil(lambda: dialog._job is None)
    return {str(step.name): step.ok for step in dialog._steps.model.rows}


@pytest.mark.stall_allowed  # the practice directory shares the processor
def test_the_test_asks_about_certificate_and_host_key_and_goes_on(
    qtbot, window, practice, stranger, monkeypatch
):
    dialog = ProfileDialog(window.workbench, stranger, window)
    qtbot.addWidget(dialog)
    dialog.fill(form_of(stranger))
    dialog.show()
    dialog.test()
    assert not steps_of(qtbot, dialog)["LDAP connection"]
    assert button(dialog, "host key").isVisible(), "both can be answered, in any order"
    assert clashes(dialog) == []
    ca_file = practice.profile.ca_file
    asked = answer(CertificateDialog, name_the_ca(qtbot, monkeypatch, ca_file))
    qtbot.mouseClick(button(dialog, "certificate"), Qt.MouseButton.LeftButton)
    assert len(asked) == 1
    steps = steps_of(qtbot, dialog)
    assert steps["cn=monitor"]
    assert dialog.form().ca_file == ca_file
    assert not steps["SSH host key"]
    assert button(dialog, "certificate").isHidden()
    assert clashes(dialog) == []
    asked = answer(
        HostKeyDialog,
        lambda d: qtbot.mouseClick(button(d, "accept"), Qt.MouseButton.LeftButton),
    )
    qtbot.mouseClick(button(dialog, "host key"), Qt.MouseButton.LeftButton)
    assert asked[0].findChild(QLineEdit).text() == practice.fingerprint
    assert all(steps_of(qtbot, dialog).values())
    assert button(dialog, "host key").isHidden()


@pytest.mark.stall_allowed
def test_connecting_asks_for_the_ca_and_keeps_it(qtbot, window, practice, stranger, monkeypatch):
    plain = replace(stranger, ssh=None, ssh_password_env=None)
    window.workbench.profiles.add(plain)
    choose = name_the_ca(qtbot, monkeypatch, practice.profile.ca_file)
    asked = answer(CertificateDialog, choose)
    window.workbench.connect_to(plain)
    qtbot.waitUntil(lambda: window.workbench.connection is not None)
    idle(qtbot, window)
    assert len(asked) == 1
    assert window.workbench.profiles.get(plain.name).ca_file == practice.profile.ca_file


@pytest.mark.stall_allowed
def test_who_does_not_name_a_ca_is_not_connected(qtbot, window, stranger):
    answer(CertificateDialog, lambda asked: asked.reject())
    window.workbench.connect_to(replace(stranger, ssh=None, ssh_password_env=None))
    qtbot.waitUntil(lambda: window.error_bar.isVisible())
    assert window.workbench.connection is None


def test_a_certificate_is_shown_and_not_trusted_by_default(qtbot):
    error = UntrustedCertificateError(Message("TLS failed."))
    error.shown = SHOWN
    asked = CertificateDialog(error, "/")
    qtbot.addWidget(asked)
    shown = {line.text() for line in asked.findChildren(QLineEdit)}
    assert shown == {"CN=ldap1", "CN=Our CA", "2027-01-31", SHOWN.sha256}
    asked.show()
    qtbot.waitExposed(asked)
    whole = next(line for line in asked.findChildren(QLineEdit) if line.text() == SHOWN.sha256)
    assert whole.fontMetrics().horizontalAdvance(SHOWN.sha256) < whole.width() - 8
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    assert asked.result() == QDialog.DialogCode.Rejected


def test_only_a_certificate_that_was_judged_asks_for_a_ca():
    error = tls_error("ldaps://h", OSError("timed out"))
    assert not isinstance(error, UntrustedCertificateError)
