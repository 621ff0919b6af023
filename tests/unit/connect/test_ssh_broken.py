"""A connection that is reset while something is sent over it is a broken link, not a bug."""

from types import SimpleNamespace

import pytest

from ldap_workbench.connect.ssh import SshShell
from ldap_workbench.model.errors import ConnectError
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

    def recv_stderr_ready(self):
        return False

    def recv(self, size):
        return b""

    recv_stderr = recv

    def recv_exit_status(self):
        return -1

    def get_transport(self):
        return SimpleNamespace(is_active=lambda: False)

    def shutdown_write(self):
        if not self._sends:
            raise EOFError

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


class Complaining(Channel):
    """Says `lines` on standard error, and ends with 1."""

    def __init__(self, *lines):
        super().__init__(sends=True)
        self._lines = list(lines)

    def recv_stderr_ready(self):
        return bool(self._lines)

    def recv_stderr(self, size):
        return self._lines.pop(0)[:size] if self._lines else b""

    def recv(self, size):
        if self._lines:
            raise TimeoutError
        return b""

    def recv_exit_status(self):
        return 1

    def shutdown_write(self): ...


def run(channel):
    return shell(channel).run(["true"])


def stream(channel):
    return shell(channel).stream(["true"], lambda _: None, cancel=Cancel())


@pytest.mark.parametrize("command", [run, stream])
def test_of_endless_complaints_the_first_and_the_last_are_kept(command):
    piece = b"x" * 1000
    said = command(Complaining(b"begin", *[piece] * 10_000, b"end"))
    assert said.status == 1
    assert said.stderr.startswith(b"beginxxx")
    assert said.stderr.endswith(b"xxxend")
    kept = 2 * 65_536
    assert b"x\n[%d bytes left out]\nx" % (10_000_008 - kept) in said.stderr
    assert len(said.stderr) < kept + 100


@pytest.mark.parametrize("command", [run, stream])
def test_fewer_complaints_are_whole(command):
    lines = [b"a" * 65_000, b"b" * 1_000, b"c" * 65_000]
    assert command(Complaining(*lines)).stderr == b"".join(lines)
