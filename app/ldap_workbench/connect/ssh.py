"""paramiko behind the RemoteShell port: our own known hosts, no key is ever accepted silently."""

from __future__ import annotations

import base64
import hashlib
import shlex
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import paramiko

from ldap_workbench.connect.folders import config_folder
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangedHostKeyError,
    CommandError,
    ConnectError,
    UnknownHostKeyError,
)
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel

TIMEOUT_S = 15
KEEPALIVE_S = 15
_PIECE = 1 << 18


def open_shell(profile: Profile, secrets: Secrets) -> RemoteShell | None:
    """A shell on the server's host; None where the profile names none.

    Raises UnknownHostKeyError (ask the operator, then `accept_host_key`), ChangedHostKeyError,
    AuthenticationError or ConnectError.
    """
    if profile.ssh is None:
        return LocalShell(sudo=profile.sudo) if profile.local else None
    return SshShell(profile.ssh, _connect(profile, profile.ssh, secrets), sudo=profile.sudo)


class SshShell:
    """A login over SSH; each command has a channel of its own."""

    def __init__(self, address: SshAddress, client: paramiko.SSHClient, *, sudo: bool) -> None:
        self._address = address
        self._client = client
        self._sudo = sudo and address.user != "root"

    @property
    def name(self) -> str:
        return f"ssh://{self._address}"

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        channel = self._start(argv, sudo)
        if stdin:
            channel.sendall(stdin)
        channel.shutdown_write()
        found: list[bytes] = []
        deadline = time.monotonic() + timeout

        def expired() -> bool:
            return time.monotonic() > deadline

        result = _drain(channel, found.append, expired)
        if result is None:
            raise CommandError(
                f"'{argv[0]}' on {self._address.host} did not end within {timeout:g} s.",
                remedy="See whether the host is overloaded.",
            )
        return CommandResult(result.status, b"".join(found), result.stderr)

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        # Without a terminal a closed channel does not end the command: a watcher on its stdin does.
        watched = ["sh", "-c", _WATCHED, "sh", *self._argv(argv, sudo)]
        channel = self._start(watched, sudo=False)
        result = _drain(channel, on_bytes, lambda: bool(cancel))
        return result or CommandResult(0, b"", b"")

    def read_range(self, path: str, offset: int, length: int, *, sudo: bool = False) -> bytes:
        argv = ["dd", f"if={path}", "bs=64K", "iflag=skip_bytes,count_bytes", "status=none"]
        result = self.run([*argv, f"skip={offset}", f"count={length}"], sudo=sudo, timeout=120)
        if result.status:
            text = result.stderr.decode("utf-8", "replace").strip()
            raise CommandError(f"{path} cannot be read: {text}", status=result.status, stderr=text)
        return result.stdout

    def close(self) -> None:
        self._client.close()

    def _argv(self, argv: Sequence[str], sudo: bool) -> list[str]:
        return ["sudo", "-n", "--", *argv] if sudo and self._sudo else list(argv)

    def _start(self, argv: Sequence[str], sudo: bool) -> paramiko.Channel:
        transport = self._client.get_transport()
        try:
            if transport is None:
                raise ConnectError(f"The SSH connection to {self._address} is closed.")
            channel = transport.open_session(timeout=TIMEOUT_S)
            channel.exec_command(shlex.join(self._argv(argv, sudo)))
        except (paramiko.SSHException, OSError, EOFError) as error:
            raise _broken(self._address, error) from error
        return channel


# Runs the command and ends it as soon as our end of its stdin is closed. A background command's
# stdin is /dev/null, hence the detour over descriptor 3.
_WATCHED = (
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; { cat <&3; kill $p; } >/dev/null 2>&1 & q=$!; '
    "exec 3<&-; wait $p; s=$?; kill $q; exit $s"
)


def _drain(
    channel: paramiko.Channel, on_bytes: Callable[[bytes], None], stop: Callable[[], bool]
) -> CommandResult | None:
    """Read both outputs to their end, for an unread one would block the other; None if stopped."""
    channel.settimeout(0.1)
    stderr = b""
    while not stop():
        try:
            if channel.recv_stderr_ready():
                stderr += channel.recv_stderr(_PIECE)
            data = channel.recv(_PIECE)
        except TimeoutError:
            continue
        if data:
            on_bytes(data)
            continue
        while piece := _last(channel.recv_stderr):
            stderr += piece
        status = channel.recv_exit_status()
        channel.close()
        if status < 0:
            raise ConnectError("The SSH connection broke while a command ran.")
        return CommandResult(status, b"", stderr)
    channel.close()
    return None


def _last(read: Callable[[int], bytes]) -> bytes:
    try:
        return read(_PIECE)
    except TimeoutError:
        return b""


def known_hosts_path() -> Path:
    """Our own known hosts; the user's ~/.ssh/known_hosts is not touched."""
    return config_folder() / "known_hosts"


def accept_host_key(error: UnknownHostKeyError) -> None:
    """Remember the key the operator has compared and accepted."""
    key = paramiko.PKey.from_type_string(error.key_type, base64.b64decode(error.key_base64))
    hosts = _known_hosts()
    hosts.add(_host_name(error.host, error.port), error.key_type, key)
    hosts.save(str(known_hosts_path()))


def accept_fingerprint(address: SshAddress, fingerprint: str) -> None:
    """Accept the key the host shows if its SHA256 is the one given. Raises ConnectError if not."""
    key = _shown_key(address)
    if key.fingerprint != fingerprint:
        raise ChangedHostKeyError(
            f"{address.host}:{address.port} shows {key.fingerprint}, not {fingerprint}.",
            safe="The key was not accepted.",
            remedy="Find out which is right on the host itself: ssh-keygen -lf.",
        )
    hosts = _known_hosts()
    hosts.add(_host_name(address.host, address.port), key.get_name(), key)
    hosts.save(str(known_hosts_path()))


def _shown_key(address: SshAddress) -> paramiko.PKey:
    try:
        with socket.create_connection((address.host, address.port), TIMEOUT_S) as link:
            transport = paramiko.Transport(link)
            try:
                transport.start_client(timeout=TIMEOUT_S)
                return transport.get_remote_server_key()
            finally:
                transport.close()
    except (paramiko.SSHException, OSError) as error:
        raise _broken(address, error) from error


class _RefuseUnknown(paramiko.MissingHostKeyPolicy):  # type: ignore[misc]
    def __init__(self, address: SshAddress) -> None:
        self._address = address

    def missing_host_key(
        self,
        client: paramiko.SSHClient,  # noqa: ARG002 - paramiko calls it so
        hostname: str,  # noqa: ARG002
        key: paramiko.PKey,
    ) -> None:
        digest = hashlib.sha256(key.asbytes()).digest()
        fingerprint = "SHA256:" + base64.b64encode(digest).decode().rstrip("=")
        raise UnknownHostKeyError(
            self._address.host, self._address.port, key.get_name(), key.get_base64(), fingerprint
        )


def _connect(profile: Profile, address: SshAddress, secrets: Secrets) -> paramiko.SSHClient:
    password = secrets.ssh_password(profile)
    try:
        return _login(address, password)
    except paramiko.AuthenticationException as error:
        again = None if password else secrets.ask_ssh_password(profile)
        if again is None:
            raise _refused(address, error) from error
        try:
            return _login(address, again)
        except paramiko.AuthenticationException as second:
            raise _refused(address, second) from second


def _login(address: SshAddress, password: str | None) -> paramiko.SSHClient:
    client = paramiko.SSHClient()
    for path in (known_hosts_path(), Path.home() / ".ssh" / "known_hosts"):
        if path.is_file():
            client.load_system_host_keys(str(path))
    client.set_missing_host_key_policy(_RefuseUnknown(address))
    try:
        client.connect(
            address.host,
            address.port,
            address.user,
            password=password,
            key_filename=address.identity,
            timeout=TIMEOUT_S,
            banner_timeout=TIMEOUT_S,
            auth_timeout=TIMEOUT_S,
        )
    except paramiko.BadHostKeyException as error:
        client.close()
        raise ChangedHostKeyError(
            f"{address.host}:{address.port} shows another SSH host key than the one on record "
            f"({error.key.fingerprint} instead of {error.expected_key.fingerprint}).",
            safe="Nothing was sent; a changed key is never accepted here.",
            remedy=f"If the host was set up anew, remove its line from {known_hosts_path()}.",
        ) from error
    except paramiko.AuthenticationException:
        client.close()
        raise
    except (paramiko.SSHException, OSError, EOFError) as error:
        client.close()
        raise _broken(address, error) from error
    transport = client.get_transport()
    assert transport is not None
    transport.set_keepalive(KEEPALIVE_S)
    return client


def _known_hosts() -> paramiko.HostKeys:
    path = known_hosts_path()
    return paramiko.HostKeys(str(path)) if path.is_file() else paramiko.HostKeys()


def _host_name(host: str, port: int) -> str:
    return host if port == 22 else f"[{host}]:{port}"


def _refused(address: SshAddress, error: Exception) -> AuthenticationError:
    return AuthenticationError(
        f"{address} refused the login: {error}",
        safe="Nothing was changed.",
        remedy="Check the user, the key (--identity or the agent), or give a password.",
    )


def _broken(address: SshAddress, error: Exception) -> ConnectError:
    return ConnectError(
        f"{address} cannot be reached over SSH: {error or type(error).__name__}.",
        safe="Nothing was changed.",
        remedy="Check host and port, and that sshd runs there; servers that know only SHA-1 "
        "key exchange cannot be reached.",
    )
