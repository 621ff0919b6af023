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
