"""SSH on loopback: password or key, exec and SFTP; no shell, no forwarding.

SFTP leads into the practice host's root, with the rights of the user who logs in. A login becomes
the small shell of connect/small_shell.py, which reads one command from its input.
"""

from __future__ import annotations

import contextlib
import hmac
import io
import logging
import posixpath
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import paramiko
from paramiko import SFTPAttributes

from ldap_workbench.connect.small_shell import LINE
from ldap_workbench.practice.address import LOOPBACK, USER
from ldap_workbench.practice.host.commands import Commands
from ldap_workbench.practice.host.files import Call, HostError, PracticeHost

_LOG = "ldap_workbench.practice.ssh"
# Clients that break off are everyday life here and nothing for the program's stderr.
logging.getLogger(_LOG).addHandler(logging.NullHandler())
logging.getLogger(_LOG).propagate = False


_CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com")


class _Transport(paramiko.Transport):  # type: ignore[misc]
    """Starts a command only when the reply that accepts it is out.

    paramiko sends that reply after `check_channel_exec_request` has returned; a command that is
    quicker would close its channel before the client knows that it was accepted.
    """

    def __init__(self, client: socket.socket) -> None:
        super().__init__(client)
        self.accepted: list[threading.Thread] = []

    def _send_user_message(self, data: Any) -> None:
        super()._send_user_message(data)
        if threading.current_thread() is self:
            while self.accepted:
                self.accepted.pop().start()


class SshServer:
    """Listens on a random port; every connection and every command has a thread."""

    def __init__(
        self,
        host: PracticeHost,
        commands: Commands,
        restart: Callable[[str], int],
        host_key: paramiko.PKey,
        password: str,
        user_key: paramiko.PKey,
    ) -> None:
        self._session: Callable[[], _Session] = lambda: _Session(
            host, commands, restart, password, user_key
        )
        self._host_key = host_key
        self._transports: set[paramiko.Transport] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server((LOOPBACK, 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="practice-ssh", daemon=True).start()

    def close(self) -> None:
        """Listen no more and break every connection off."""
        with contextlib.suppress(OSError):  # never connected: nothing to shut down
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            transports = list(self._transports)
        for transport in transports:
            transport.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):  # some systems say so when the client has gone
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport = _Transport(client)
        transport.set_log_channel(_LOG)
        transport.local_version = "SSH-2.0-practice_simulation"
        # Every current client knows GCM, and paramiko alone would choose a slower one of the rest.
        transport.get_security_options().ciphers = _CIPHERS
        transport.add_server_key(self._host_key)
        transport.set_subsystem_handler("sftp", paramiko.SFTPServer, PracticeSftp)
        with self._lock:
            self._transports.add(transport)
        try:
            transport.start_server(server=self._session())
            transport.join()
        except (paramiko.SSHException, EOFError, OSError):
            pass  # a client that only looked at the banner
        finally:
            transport.close()
            with self._lock:
                self._transports.discard(transport)


class _Session(paramiko.ServerInterface):  # type: ignore[misc]
    """What one login may do."""

    def __init__(
        self,
        host: PracticeHost,
        commands: Commands,
        restart: Callable[[str], int],
        password: str,
        user_key: paramiko.PKey,
    ) -> None:
        self.host = host
        self._commands, self._restart = commands, restart
        self._password, self._user_key = password, user_key
        self._environment: dict[int, dict[str, str]] = {}

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002 - paramiko calls it so
        return "password,publickey"

    def check_auth_password(self, username: str, password: str) -> int:
        good = username == USER and hmac.compare_digest(password.encode(), self._password.encode())
        return int(paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED)

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        good = username == USER and key == self._user_key
        return int(paramiko.AUTH_SUCCESSFUL if good else paramiko.AUTH_FAILED)

    def check_channel_request(self, kind: str, chanid: int) -> int:  # noqa: ARG002
        good = kind == "session"
        return int(
            paramiko.OPEN_SUCCEEDED if good else paramiko.OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED
        )

    def check_channel_env_request(self, channel: Any, name: bytes, value: bytes) -> bool:
        self._environment.setdefault(channel.chanid, {})[name.decode()] = value.decode()
        return True

    def check_channel_pty_request(self, *_: Any) -> bool:
        return True

    def check_channel_shell_request(self, channel: Any) -> bool:
        text = b"Practice simulation: there is no shell here, only single commands.\r\n"
        return self._after_reply(channel, _refuse_shell, (channel, text))

    def check_channel_exec_request(self, channel: Any, command: bytes) -> bool:
        line = command.decode("utf-8", "replace")
        return self._after_reply(channel, self._execute, (channel, line))

    def _after_reply(self, channel: Any, target: Callable[..., None], args: Any) -> bool:
        thread = threading.Thread(target=target, args=args, daemon=True)
        channel.get_transport().accepted.append(thread)
        return True

    def _execute(self, channel: Any, line: str) -> None:
        ended = threading.Event()
        call = Call(
            host=self.host,
            out=channel.sendall,
            err=channel.sendall_stderr,
            stdin=lambda: _everything(channel),
            ended=ended,
            watch=lambda: _watch(channel, ended),
            restart=self._restart,
            environment=self._environment.pop(channel.chanid, {}),
        )
        # The client may close the channel, or the whole link, in the middle and at the end, too.
        with contextlib.suppress(OSError, EOFError):
            channel.send_exit_status(self._run(call, channel, line))
        ended.set()
        with contextlib.suppress(OSError, EOFError):
            channel.close()

    def _run(self, call: Call, channel: Any, line: str) -> int:
        if line != LINE.decode():
            return self._commands.run(call, line)
        order = order_from(channel.recv)
        if order is None:
            return call.fail("sh: 1: only the scripts of the workbench are known here", 2)
        call.out(order.number)
        call.err(order.number)
        call = call if order.reads else replace(call, stdin=bytes)
        return self._commands.run(call, order.line)


def _everything(channel: Any) -> bytes:
    data = b""
    while piece := channel.recv(65536):
        data += piece
    return data


def _watch(channel: Any, ended: threading.Event) -> None:
    """End the command when the client's side of its stdin ends."""

    def wait() -> None:
        with contextlib.suppress(OSError, EOFError):  # a broken channel is an end as well
            _everything(channel)
        ended.set()

    threading.Thread(target=wait, daemon=True).start()


def _refuse_shell(channel: Any, text: bytes) -> None:
    with contextlib.suppress(OSError, EOFError):
        channel.sendall(text)
        channel.send_exit_status(1)
        channel.close()


class PracticeSftp(paramiko.SFTPServerInterface):  # type: ignore[misc]
    """Reads what a plain user may read; writes nothing."""

    def __init__(self, server: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(server, *args, **kwargs)
        self._host: PracticeHost = server.host

    def list_folder(self, path: str) -> Any:
        names = self._host.names(path)
        if not names:
            return paramiko.SFTP_NO_SUCH_FILE
        entries = [self.stat(posixpath.join(path, name)) for name in names]
        return [entry for entry in entries if isinstance(entry, SFTPAttributes)]

    def stat(self, path: str) -> Any:
        try:
            status = self._host.status(path, root=False)
        except HostError as error:
            return _code(error)
        attributes = SFTPAttributes()
        attributes.filename = posixpath.basename(path)
        attributes.st_size, attributes.st_mode = status.size, status.mode
        attributes.st_mtime = attributes.st_atime = status.modified
        attributes.st_uid = attributes.st_gid = 0
        return attributes

    lstat = stat

    def open(self, path: str, flags: int, attr: Any) -> Any:  # noqa: ARG002 - paramiko calls it so
        try:
            data = self._host.read(path, root=False)
        except HostError as error:
            return _code(error)
        handle = paramiko.SFTPHandle(flags)
        handle.readfile = io.BytesIO(data)
        handle.stat = lambda: self.stat(path)
        return handle

    def canonicalize(self, path: str) -> str:
        return posixpath.normpath(posixpath.join("/", path))


def _code(error: HostError) -> int:
    denied = "denied" in str(error)
    return int(paramiko.SFTP_PERMISSION_DENIED if denied else paramiko.SFTP_NO_SUCH_FILE)


_END = b"; }\n"
_SCRIPT = re.compile(
    rb"\{ LC_ALL=C; export LC_ALL; printf '%s%s\\n' (\w+) (\w+); printf [^;]* >&2; "
    rb"exec (?P<line>.*?)(?P<none> </dev/null)?; \}\n",
    re.DOTALL,
)


@dataclass(frozen=True)
class Order:
    """What the small shell is to run, after the number, and whether the input is for that."""

    number: bytes
    line: str
    reads: bool


def order_from(receive: Callable[[int], bytes]) -> Order | None:
    """The command that comes; None where the input ends before or is another script."""
    script = b""
    while not script.endswith(_END):
        piece = receive(1 << 16)
        if not piece:
            return None
        script += piece
    match = _SCRIPT.fullmatch(script)
    if match is None:
        return None
    line = match["line"].decode("utf-8", "replace")
    return Order(match[1] + match[2] + b"\n", line, match["none"] is None)
