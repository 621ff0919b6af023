"""Small dialogs that ask what only the operator knows: a host key, a password."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.gui.theme import dress
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.labels import label
from ldap_workbench.model.errors import UnknownHostKeyError


class HostKeyDialog(QDialog):
    """Asks once for a host key never seen before; the safe answer is the default."""

    def __init__(self, error: UnknownHostKeyError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress(self)
        self.setWindowTitle(self.tr("Unknown host key"))
        fingerprint = QLineEdit(error.fingerprint)
        fingerprint.setReadOnly(True)
        fingerprint.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        fingerprint.setAccessibleName(self.tr("Fingerprint of the host key"))
        fingerprint.setMinimumWidth(self.fontMetrics().averageCharWidth() * 76)
        text = self.tr(
            "{host}:{port} shows an SSH key of type {type} that is not known yet. Compare its "
            "fingerprint with the host's own before you go on: there, run"
        ).format(host=error.host, port=error.port, type=error.key_type)
        command = label("ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub")
        command.setFont(fingerprint.font())
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        safe = label(self.tr("Nothing was sent to the host yet."), "dim")
        whole = QVBoxLayout(self)
        whole.setSpacing(10)
        named = QLabel(self.tr("&Fingerprint of the host key"))
        named.setBuddy(fingerprint)
        for widget in (label(text, wrap=True), command, named, fingerprint, safe):
            whole.addWidget(widget)
        whole.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        accept = push_button(self.tr("The fingerprints are the &same: accept"))
        accept.clicked.connect(self.accept)
        refuse = push_button(self.tr("&Do not connect"), primary=True)
        refuse.setDefault(True)
        refuse.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(accept)
        row.addWidget(refuse)
        return row


class PasswordDialog(QDialog):
    """Asks for a password; kept until the program ends, or in the keyring where there is one."""

    def __init__(self, what: str, keyring: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress(self)
        self.setWindowTitle(self.tr("Password"))
        self._password = QLineEdit()
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setAccessibleName(what)
        self._password.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)
        self._keep = QCheckBox(self.tr("&Keep it in the system's keyring"))
        self._keep.setEnabled(keyring)
        safe = self.tr("It is kept until the program ends, and in no file.")
        whole = QVBoxLayout(self)
        whole.setSpacing(10)
        named = QLabel(self.tr("&Password"))
        named.setBuddy(self._password)
        words = label(what, wrap=True)
        for widget in (words, named, self._password, self._keep, label(safe, "dim")):
            whole.addWidget(widget)
        whole.addLayout(self._buttons())

    @property
    def password(self) -> str:
        return self._password.text()

    @property
    def in_keyring(self) -> bool:
        return self._keep.isChecked()

    def _buttons(self) -> QHBoxLayout:
        accept = push_button(self.tr("&OK"), primary=True)
        accept.setDefault(True)
        accept.clicked.connect(self.accept)
        cancel = push_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(accept)
        return row
