"""Passwords: from the environment or a descriptor, the system's keyring, or the operator.

A password lives in memory only, unless the operator asks for the keyring. It never reaches a
session, a log, an argument or a file of ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import keyring
from keyring.errors import KeyringError

from ldap_workbench.model.errors import AuthenticationError
from ldap_workbench.model.profile import Profile

SERVICE = "ldap-workbench"
Ask = Callable[[str], str | None]


class Secrets:
    """Finds passwords. `ask` gets a question and returns None where nobody answers."""

    def __init__(self, ask: Ask | None = None) -> None:
        self._ask = ask
        self._known: dict[tuple[str, str], str] = {}

    def password(self, profile: Profile) -> str | None:
        """The bind password, None where none is needed. Raises AuthenticationError."""
        if profile.bind_dn is None:
            return None
        user = f"{profile.ldap_url}/{profile.bind_dn}"
        given = self._given(profile.password_env, profile.password_fd)
        return self._find(user, given, f"Password of {profile.bind_dn} on {profile.ldap_url}")

    def ssh_password(self, profile: Profile) -> str | None:
        """The SSH password where one was named or remembered; keys and the agent come first."""
        given = self._given(profile.ssh_password_env, None)
        user = f"ssh://{profile.ssh}"
        return given or self._known.get((SERVICE, user)) or _from_keyring(user)

    def ask_ssh_password(self, profile: Profile) -> str | None:
        """Ask the operator, after keys and agent were refused."""
        answer = self._ask(f"SSH password of {profile.ssh}") if self._ask else None
        if answer:
            self._known[SERVICE, f"ssh://{profile.ssh}"] = answer
        return answer

    def remember(self, user: str, password: str, *, in_keyring: bool) -> None:
        """Keep a password until exit, and in the keyring if wanted."""
        self._known[SERVICE, user] = password
        if not in_keyring:
            return
        try:
            keyring.set_password(SERVICE, user, password)
        except KeyringError as error:
            raise AuthenticationError(
                f"The system's keyring did not take the password: {error}",
                safe="It is kept until the program ends, and nowhere else.",
            ) from error

    def _find(self, user: str, given: str | None, question: str) -> str:
        found = given or self._known.get((SERVICE, user)) or _from_keyring(user)
        if not found and self._ask:
            found = self._ask(question)
        if not found:
            raise AuthenticationError(
                f"There is no password for {user}.",
                safe="Nothing was sent.",
                remedy="Name an environment variable in the profile (--password-env) and set it.",
            )
        self._known[SERVICE, user] = found
        return found

    def _given(self, variable: str | None, descriptor: int | None) -> str | None:
        if variable and (value := os.environ.get(variable)):
            return value
        if descriptor is None:
            return None
        key = ("fd", str(descriptor))
        if key not in self._known:
            with os.fdopen(descriptor, encoding="utf-8", closefd=False) as file:
                self._known[key] = file.readline().rstrip("\n")
        return self._known[key]


def has_keyring() -> bool:
    """Whether this desktop has a keyring that keeps secrets."""
    return bool(keyring.get_keyring().priority >= 1)


def _from_keyring(user: str) -> str | None:
    if not has_keyring():
        return None
    try:
        return keyring.get_password(SERVICE, user)
    except KeyringError:
        return None  # a locked keyring: the operator is asked instead
