"""Logging in over SSH: the host's key first, then ours, then a password."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

import paramiko

from ldap_workbench.connect.host_keys import (
    DISABLED,
    TIMEOUT_S,
    changed,
    load_known_hosts,
    not_reached,
    unknown,
)
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import AuthenticationError, ProfileError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.profile import Profile, SshAddress

KEEPALIVE_S = 15
HANDSHAKE_S = 60
"""Keys and login take four round trips each: over a line of 2 s each way more than TIMEOUT_S."""
# What paramiko has to say comes as an exception, too; without a handler it would go to stderr.
logging.getLogger("paramiko").addHandler(logging.NullHandler())


def log_in(profile: Profile, address: SshAddress, secrets: Secrets) -> paramiko.SSHClient:
    """With the key of the profile, the agent, the user's keys, a password, in that order."""
    password = secrets.ssh_password(profile)
    try:
        return _try_login(address, password)
    except _RefusedLoginError as refused:
        if password:
            secrets.ssh_refused(profile)
        answer = secrets.ask_ssh_password(profile, refused.question)
        if not answer:
            raise refused.as_error(address) from refused
    try:
        return _try_login(address, answer)
    except _RefusedLoginError as refused:
        secrets.ssh_refused(profile)
        raise refused.as_error(address) from refused


class _RefusedLoginError(Exception):
    def __init__(self, why: Exception) -> None:
        super().__init__(str(why) or type(why).__name__)
        locked = isinstance(why, paramiko.PasswordRequiredException)
        self.question = Message("Passphrase of the SSH key") if locked else NOTHING

    def as_error(self, address: SshAddress) -> AuthenticationError:
        return AuthenticationError(
            Message(
                "{address} refused the login: {reason}.",
                address=str(address),
                reason=str(self).rstrip("."),
            ),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Check the user, the key (--identity, or the agent), or give a password."
            ),
        )


class _RefuseUnknown(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]
    def __init__(self, address: SshAddress) -> None:
        self._address = address

    def missing_host_key(
        self,
        client: paramiko.SSHClient,  # noqa: ARG002 - paramiko calls it so
        hostname: str,  # noqa: ARG002
        key: paramiko.PKey,
    ) -> None:
        raise unknown(self._address, key)


class Transport(paramiko.Transport):  # type: ignore[misc]
    """Says why the server ended the connection: paramiko drops what it gives as its reason.

    RFC 4253, 11.1. Before the login it stays as it is: what ends that is refused, not broken.
    """

    def _parse_disconnect(self, m: paramiko.Message) -> None:
        m.get_int()
        reason = m.get_text().strip()
        if self.is_authenticated():
            self.saved_exception = paramiko.SSHException(
                f"the server ended the connection ({reason or 'no reason given'})"
            )


def _try_login(address: SshAddress, password: str | None) -> paramiko.SSHClient:
    if address.identity and not Path(address.identity).expanduser().is_file():
        raise ProfileError(
            Message(
                "The SSH key {identity} of the profile does not exist.", identity=address.identity
            ),
            safe=Message("Nothing was sent."),
            remedy=Message("Set the private key file of the profile (--identity)."),
        )
    client = paramiko.SSHClient()
    load_known_hosts(client)
    client.set_missing_host_key_policy(_RefuseUnknown(address))
    try:
        _connect(client, address, password)
    except BaseException:
        client.close()
        raise
    client.get_transport().set_keepalive(KEEPALIVE_S)
    return client


def _connect(client: paramiko.SSHClient, address: SshAddress, password: str | None) -> None:
    try:
        client.connect(
            address.host,
            address.port,
            address.user,
            password=password,
            key_filename=address.identity and str(Path(address.identity).expanduser()),
            sock=socket.create_connection((address.host, address.port), TIMEOUT_S),
            timeout=HANDSHAKE_S,
            banner_timeout=TIMEOUT_S,
            auth_timeout=HANDSHAKE_S,
            channel_timeout=TIMEOUT_S,
            disabled_algorithms=DISABLED,
            transport_factory=Transport,
        )
    except paramiko.BadHostKeyException as error:
        raise changed(address, error.key, error.expected_key) from error
    except (paramiko.SSHException, OSError, EOFError, ValueError) as error:
        transport = client.get_transport()
        # paramiko says 'no authentication methods' and unreadable keys with the same class as a
        # broken link; a link that still stands was refused.
        if isinstance(error, paramiko.AuthenticationException) or (
            transport is not None and transport.is_active()
        ):
            raise _RefusedLoginError(error) from error
        raise not_reached(address, error) from error
