"""Passwords: from the environment or a descriptor, the system's keyring, or the operator.

A password lives in memory only, unless the operator asks for the keyring. It never reaches a
session, a log, an argument or a file of ours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from ldap_workbench.model.errors import AuthenticationError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.profile import Profile

SERVICE = "ldap-workbench"
Ask = Callable[[str, Message], str | None]
"""Of the user, as `Secrets.remember` has it, and the question in words."""


class Secrets:
    """Finds passwords; may be shared by threads.

    `ask` returns None where nobody answers. It is called in the
    thread that needs the password.
    """

    def __init__(self, ask: Ask | None = None) -> None:
        self._ask = ask
        self._known: dict[str, str] = {}
        self._refused: set[str] = set()
        self._lock = threading.RLock()

    def password(self, profile: Profile) -> str | None:
        """The bind password, None where none is needed. Raises AuthenticationError."""
        if profile.bind_dn is None:
            return None
        user = bind_user(profile)
        with self._lock:
            supplied = _environment(profile.password_env) or self._descriptor(profile.password_fd)
            password = supplied or self._remembered(user)
            if not password and self._ask:
                password = self._ask(
                    user,
                    Message(
                        "Password of {dn} on {url}", dn=profile.bind_dn, url=profile.server_url
                    ),
                )
            if not password:
                raise self._missing(profile)
            self._known[user] = password
        return password

    def ssh_password(self, profile: Profile) -> str | None:
        """The SSH password where one was named or remembered; keys and the agent come first."""
        with self._lock:
            return _environment(profile.ssh_password_env) or self._remembered(ssh_user(profile))

    def ask_ssh_password(self, profile: Profile, question: Message = NOTHING) -> str | None:
        """Ask the operator, after keys and agent were refused; None where nobody answers."""
        with self._lock:
            question = question or Message("SSH password of {address}", address=str(profile.ssh))
            answer = self._ask(ssh_user(profile), question) if self._ask else None
            if answer:
                self._known[ssh_user(profile)] = answer
        return answer

    def remember(self, user: str, password: str, *, in_keyring: bool) -> None:
        """Keep a password of `bind_user` or `ssh_user` until exit, and in the keyring if wanted.

        Raises AuthenticationError where the keyring refuses.
        """
        with self._lock:
            self._known[user] = password
            self._refused.discard(user)
        if not in_keyring:
            return
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, user, password)
        except KeyringError as error:
            raise AuthenticationError(
                Message(
                    "The system's keyring did not accept the password: {reason}.", reason=str(error)
                ),
                safe=Message("It is kept in memory until the program ends, and nowhere else."),
                remedy=Message(
                    "Unlock the keyring, or do without it and type the password next time."
                ),
            ) from error

    def forget(self, user: str) -> None:
        """Forget a password, in the keyring too."""
        with self._lock:
            self._known.pop(user, None)
        if not has_keyring():
            return
        import keyring
        from keyring.errors import PasswordDeleteError

        try:
            keyring.delete_password(SERVICE, user)
        except PasswordDeleteError:
            return  # it never was there

    def refused(self, profile: Profile) -> None:
        """The server did not take the bind password: it is not offered again, but asked anew."""
        self._drop(bind_user(profile))

    def ssh_refused(self, profile: Profile) -> None:
        """The host did not take the SSH password."""
        self._drop(ssh_user(profile))

    def _drop(self, user: str) -> None:
        with self._lock:
            self._known.pop(user, None)
            self._refused.add(user)

    def _remembered(self, user: str) -> str | None:
        if user in self._known:
            return self._known[user]
        return None if user in self._refused else _from_keyring(user)

    def _descriptor(self, descriptor: int | None) -> str | None:
        """The first line that comes out of a descriptor, read once."""
        if descriptor is None:
            return None
        key = f"descriptor {descriptor}"
        if key not in self._known:
            try:
                with os.fdopen(descriptor, encoding="utf-8", closefd=False) as file:
                    self._known[key] = file.readline().rstrip("\r\n")
            except OSError as error:
                raise AuthenticationError(
                    Message(
                        "No password can be read from file descriptor {descriptor}: {reason}.",
                        descriptor=descriptor,
                        reason=error.strerror,
                    ),
                    safe=Message("Nothing was sent."),
                    remedy=Message(
                        "Start the command with it, for example {descriptor}<password-file.",
                        descriptor=descriptor,
                    ),
                ) from error
        return self._known[key]

    def _missing(self, profile: Profile) -> AuthenticationError:
        if profile.password_env:
            remedy = Message("Set the environment variable {name}.", name=profile.password_env)
        else:
            remedy = Message(
                "Name an environment variable in the profile (--password-env), and set it."
            )
        return AuthenticationError(
            Message(
                "There is no password for {bind_dn} on {url}.",
                bind_dn=profile.bind_dn,
                url=profile.server_url,
            ),
            safe=Message("Nothing was sent."),
            remedy=remedy,
        )


def bind_user(profile: Profile) -> str:
    """The name under which a bind password is kept."""
    return f"{profile.server_url}/{profile.bind_dn}"


def ssh_user(profile: Profile) -> str:
    """The name under which an SSH password is kept."""
    return f"ssh://{profile.ssh}"


def named_password(name: str) -> str:
    """What `{password:NAME}` in a command stands for. Raises AuthenticationError."""
    password = _environment(name) or _from_keyring(name)
    if not password:
        raise AuthenticationError(
            Message("There is no password '{name}', which the load command asks for.", name=name),
            safe=Message("The command was not started."),
            remedy=Message(
                "Set the environment variable {name}, or run: keyring set {service} {name}",
                name=name,
                service=SERVICE,
            ),
        )
    return password


def has_keyring() -> bool:
    """Whether this desktop has a keyring that keeps secrets; a plain file is none."""
    import keyring  # a tenth of a second: loaded when a password is wanted

    return bool(keyring.get_keyring().priority >= 1)


def _environment(variable: str | None) -> str | None:
    return os.environ.get(variable) or None if variable else None


def _from_keyring(user: str) -> str | None:
    if not has_keyring():
        return None
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, user)
    except KeyringError:
        return None  # a locked keyring: the operator is asked instead
