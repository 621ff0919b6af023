"""A connection that is reset while something is sent over it is a broken link, not a bug."""

import re
import socket
import threading
from contextlib import closing
from types import SimpleNamespace

import paramiko
import pytest

from ldap_workbench.connect.ssh import SshShell
from ldap_workbench.connect.ssh_login import Transport
from ldap_workbench.model.errors import CommandError, ConnectError
from ldap_workbench.model.profile import SshAddress
from ldap_workbench.model.progress import Cancel


class Channel:
    """paramiko's, whose socket was reset: what sends raises, what receives comes to its end."""

    closed = False

    def __init__(self, *, sends):
        self._sends = sends

    def exec_command(self, line): ...
    def settimeout(self, seconds): ...
    def exit_status_ready(self):
        return self._sends

    def send_ready(self):
        return True

    def send(self, data):
        raise EOFError

    def recv_stderr_ready(self):
        return False

    def recv(self, size):
        return b""

    recv_stderr = recv

    def recv_exit_status(self):
        return -1

    def get_transport(self):
        return SimpleNamespace(is_active=lambda: False)

    def shutdown_write(self): ...

    def close(self):
        raise EOFError


def shell(channel):
    transport = SimpleNamespace(open_session=lambda **_: channel)
    client = SimpleNamespace(get_transport=lambda: transport, close=lambda: None)
    return SshShell(SshAddress("host", 22, "user"), client, sudo=False)


@pytest.mark.parametrize("sends", [True, False])
def test_a_command_over_it_raises_connect_error(sends):
    with pytest.raises(ConnectError):
        shell(Channel(sends=sends)).run(["true"])


def test_a_stream_over_it_raises_connect_error():
    with pytest.raises(ConnectError):
        shell(Channel(sends=True)).stream(["true"], lambda _: None, cancel=Cancel())


NUMBER = re.compile(rb"printf '%s%s\\n' (\w+) (\w+);")


class Login(Channel):
    """Runs a command that says `lines` on standard error and ends with 1, after its number.

    `noise` comes before that, on both outputs, as from a start-up file.
    """

    def __init__(self, *lines, noise=b""):
        super().__init__(sends=True)
        self._lines = list(lines)
        self._noise = noise
        self._out = []
        self._said_number = False

    def send(self, data):
        number = b"".join(NUMBER.search(data).groups()) + b"\n"
        self._lines.insert(0, self._noise + number)
        self._out.append(self._noise + number)
        self._said_number = True
        return len(data)

    def exit_status_ready(self):
        return self._said_number and not self._lines

    def recv_stderr_ready(self):
        return self._said_number and bool(self._lines)

    def recv_stderr(self, size):
        return self._lines.pop(0)[:size] if self._lines else b""

    def recv(self, size):
        if self._out:
            return self._out.pop(0)
        if self._lines:
            raise TimeoutError
        return b""

    def recv_exit_status(self):
        return 1


def run(channel):
    return shell(channel).run(["true"])


def stream(channel):
    return shell(channel).stream(["true"], lambda _: None, cancel=Cancel())


@pytest.mark.parametrize("command", [run, stream])
def test_of_endless_complaints_the_first_and_the_last_are_kept(command):
    piece = b"x" * 1000
    said = command(Login(b"begin", *[piece] * 10_000, b"end"))
    assert said.status == 1
    assert said.stderr.startswith(b"beginxxx")
    assert said.stderr.endswith(b"xxxend")
    kept = 2 * 65_536
    assert b"x\n[%d bytes left out]\nx" % (10_000_008 - kept) in said.stderr
    assert len(said.stderr) < kept + 100


@pytest.mark.parametrize("command", [run, stream])
def test_fewer_complaints_are_whole(command):
    lines = [b"a" * 65_000, b"b" * 1_000, b"c" * 65_000]
    assert command(Login(*lines)).stderr == b"".join(lines)


@pytest.mark.parametrize("command", [run, stream])
def test_what_start_up_files_print_is_no_output_of_the_command(command):
    said = command(Login(b"no such file", noise=b"Welcome to host!\nUnauthorised use ...\n"))
    assert (said.status, said.stdout, said.stderr) == (1, b"", b"no such file")


class Refusing(Channel):
    """A login that ends with `status` before its shell reads anything."""

    def __init__(self, status, stderr=b"", stdout=b""):
        super().__init__(sends=True)
        self._status = status
        self._outputs = {"recv": stdout, "recv_stderr": stderr}

    def _once(self, name):
        said, self._outputs[name] = self._outputs[name], b""
        return said

    def recv(self, size):
        return self._once("recv")

    def recv_stderr(self, size):
        return self._once("recv_stderr")

    def recv_exit_status(self):
        return self._status


NO_TTY = b"WARNING: Your password has expired.\nPassword change required but no TTY available.\n"
NOT_AVAILABLE = b"This account is currently not available.\n"


@pytest.mark.parametrize("command", [run, stream])
@pytest.mark.parametrize(
    ("login", "what", "remedy"),
    [
        ((1, NO_TTY), "WARNING: Your password has expired.", "set a new password"),
        ((1, b"", NOT_AVAILABLE), "is currently not available", "its shell"),
        ((3,), "ended with status 3 before a command ran", "start-up files"),
        ((1, b"\x1b[2J"), r"\x1b[2J", "start-up files"),
    ],
)
def test_a_login_that_ends_before_the_command_says_why(command, login, what, remedy):
    with pytest.raises(CommandError) as failed:
        command(Refusing(*login))
    assert what in str(failed.value.what)
    assert remedy in str(failed.value.remedy)


class Ending(paramiko.ServerInterface):
    """Lets everybody in, and ends the connection when it is to open a channel."""

    def __init__(self, transport):
        self._transport = transport

    def check_auth_none(self, username):
        return paramiko.AUTH_SUCCESSFUL

    def check_channel_request(self, kind, chanid):
        ending = paramiko.Message()
        ending.add_byte(paramiko.common.cMSG_DISCONNECT)
        ending.add_int(11)
        ending.add_string("cannot create a process")
        ending.add_string("en")
        self._transport._send_message(ending)
        return paramiko.OPEN_FAILED_RESOURCE_SHORTAGE


def test_why_the_server_ended_the_connection_is_said():
    ours, theirs = socket.socketpair()
    with closing(paramiko.Transport(theirs)) as server, closing(Transport(ours)) as link:
        server.add_server_key(paramiko.ECDSAKey.generate())
        server.start_server(threading.Event(), Ending(server))
        link.start_client()
        link.auth_none("user")
        client = SimpleNamespace(get_transport=lambda: link, close=link.close)
        broken = SshShell(SshAddress("host", 22, "user"), client, sudo=False)
        with pytest.raises(ConnectError, match=r"ended the connection \(cannot create a process\)"):
            broken.run(["true"])
