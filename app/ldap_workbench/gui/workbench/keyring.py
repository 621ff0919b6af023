"""The keyring of the desktop: whether there is one, and passwords into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Slot

from ldap_workbench.connect.secrets import Secrets, has_keyring

KEY = "keyring"


class Keyring(QObject):
    """Asked in a worker, for it may have to wait; `there` is False until it has answered."""

    def __init__(self, start: Callable[..., Any], secrets: Secrets, parent: QObject) -> None:
        super().__init__(parent)
        self._start, self._secrets = start, secrets
        self.there = False

    def look_for(self) -> None:
        """Find out whether there is a keyring."""
        self._start(
            KEY, self.tr("Looking for a keyring"), lambda _, __: has_keyring(), self._on_found
        )

    def keep(self, user: str, password: str) -> None:
        """Keep a password that was asked for; `user` as `Secrets.remember` has it."""
        self._start(
            KEY,
            self.tr("Saving the password"),
            lambda _, __: self._secrets.remember(user, password, in_keyring=True),
        )

    @Slot(object)
    def _on_found(self, there: bool) -> None:
        self.there = there
