"""Small dialogs that ask what only the operator knows: a host key, a password."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.model.errors import (
    ShownCertificate,
    UnknownHostKeyError,
    UntrustedCertificateError,
)
from ldap_workbench.model.message import Message


class HostKeyDialog(QDialog):
    """Asks once for a host key never seen before; the safe answer is the default."""

    def __init__(self, error: UnknownHostKeyError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Unknown host key"))
        fingerprint = QLineEdit(error.fingerprint)
        fingerprint.setReadOnly(True)
        fingerprint.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        fingerprint.setAccessibleName(self.tr("Fingerprint of the host key"))
        fingerprint.setMinimumWidth(self.fontMetrics().averageCharWidth() * 76)
        text = self.tr(
            "The SSH host key ({type}) of {host}:{port} is not known yet. Before "
            "you accept it, compare its fingerprint with the host's own. On the "
            "host, run:"
        ).format(host=error.host, port=error.port, type=error.key_type)
        kind = error.key_type.removeprefix("ssh-").partition("-")[0]  # ecdsa-sha2-nistp256
        command = label(f"ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub")
        command.setFont(fingerprint.font())
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        safe = label(self.tr("Nothing was sent to the host yet."), "dim")
        named = label(self.tr("&Fingerprint of the host key"))
        named.setBuddy(fingerprint)
        column(
            label(text, wrap=True),
            command,
            named,
            fingerprint,
            safe,
            self._buttons(),
            on=self,
            spacing=10,
        )

    def _buttons(self) -> QHBoxLayout:
        accept = push_button(self.tr("The fingerprint&s match: accept"), self.accept)
        refuse = push_button(self.tr("&Do not connect"), self.reject, primary=True)
        refuse.setDefault(True)
        return button_row(accept, refuse)


class CertificateDialog(QDialog):
    """Shows a certificate nobody vouches for. Accepted: `ca_file` is the CA the operator named."""

    def __init__(
        self, error: UntrustedCertificateError, folder: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        apply_style(self)
        self._folder = folder
        self.ca_file = ""
        self.setWindowTitle(self.tr("Untrusted certificate"))
        advice = self.tr(
            "Choose the certificate of the CA that signed it. On a host of 389 DS it is "
            "usually /etc/dirsrv/slapd-INSTANCE/ca.crt; else ask the server's administrator, and "
            "compare the fingerprint with them."
        )
        column(
            label(shown(error.what), wrap=True),
            self._form(error.shown),
            label(advice, wrap=True),
            label(self.tr("No password was sent."), "dim"),
            self._buttons(),
            on=self,
            spacing=10,
        )

    def _form(self, shown: ShownCertificate | None) -> QFormLayout:
        form = QFormLayout()
        lines = (
            (self.tr("Sub&ject"), shown.subject if shown else ""),
            (self.tr("&Issued by"), shown.issuer if shown else ""),
            (self.tr("Valid &until"), shown.valid_until if shown else ""),
            (self.tr("&SHA-256"), shown.sha256 if shown else ""),
        )
        for words, text in lines:
            line = QLineEdit(text or self.tr("could not be read"))
            line.setReadOnly(True)
            line.setCursorPosition(0)
            # A fingerprint is compared whole, so it is seen whole.
            room = (
                line.fontMetrics().horizontalAdvance(line.text()) + 2 * line.fontMetrics().height()
            )
            line.setMinimumWidth(max(room, self.fontMetrics().averageCharWidth() * 76))
            form.addRow(words, line)
        return form

    def _buttons(self) -> QHBoxLayout:
        choose = push_button(self.tr("Choose a &CA file …"), self._on_choose)
        refuse = push_button(self.tr("&Do not connect"), self.reject, primary=True)
        refuse.setDefault(True)
        return button_row(choose, refuse)

    @Slot()
    def _on_choose(self) -> None:
        kinds = self.tr("Certificates (*.pem *.crt *.cer);;All files (*)")
        title = self.tr("Certificate of the CA")
        path, _ = QFileDialog.getOpenFileName(self, title, str(self._folder), kinds)
        if path:
            self.ca_file = path
            self.accept()


class PasswordDialog(QDialog):
    """Asks for a password; kept until the program ends, or in the keyring where there is one."""

    def __init__(self, question: Message, keyring: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Password"))
        self._password = QLineEdit()
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setAccessibleName(shown(question))
        self._password.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._keep = QCheckBox(self.tr("&Keep it in the system's keyring"))
        self._keep.setEnabled(keyring)
        safe = self.tr("The password is kept in memory until the program ends, never in a file.")
        named = label(self.tr("&Password"))
        named.setBuddy(self._password)
        words = label(shown(question), wrap=True)
        column(
            words,
            named,
            self._password,
            self._keep,
            label(safe, "dim"),
            self._buttons(),
            on=self,
            spacing=10,
        )

    @property
    def password(self) -> str:
        return self._password.text()

    @property
    def in_keyring(self) -> bool:
        return self._keep.isChecked()

    def _buttons(self) -> QHBoxLayout:
        accept = push_button(self.tr("&OK"), self.accept, primary=True)
        accept.setDefault(True)
        cancel = push_button(self.tr("Cancel"), self.reject)
        return button_row(cancel, accept)
