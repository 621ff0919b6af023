"""The network's share: a server that takes longer to whom comes from afar, asked in turn."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from ldap_workbench.capture.live.network_share import measure_network_share
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError, ConnectError, UsageError
from ldap_workbench.model.profile import Profile

FAR = "127.0.0.2"
_DONE = bytes([0x30, 12, 2, 1, 0, 0x65, 7, 10, 1, 0, 4, 0, 4, 0])
_ENTRY = bytes([0x30, 9, 2, 1, 0, 0x64, 4, 4, 0, 0x30, 0])


class Slow:
    """An LDAP server that lets those who ask it by FAR wait longer."""

    def __init__(self, here_s: float, far_s: float) -> None:
        self._delays = {FAR: far_s}
        self._here_s = here_s
        self._listener = socket.create_server(("0.0.0.0", 0))
        self.port = self._listener.getsockname()[1]
        self.asked: list[str] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            with link:
                self._serve(link)

    def _serve(self, link: socket.socket) -> None:
        address = link.getsockname()[0]
        self.asked.append(address)
        while request := link.recv(4096):
            time.sleep(self._delays.get(address, self._here_s))
            number = request[4]
            answer = bytearray(_ENTRY + _DONE)
            answer[4] = answer[len(_ENTRY) + 4] = number
            link.sendall(answer)


@pytest.fixture
def server() -> Iterator[Slow]:
    slow = Slow(here_s=0.002, far_s=0.010)
    yield slow
    slow.close()


def profile(server: Slow, host: str = FAR) -> Profile:
    return Profile("far", f"ldap://{host}:{server.port}", local=True)


def test_the_share_and_its_interval(server: Slow) -> None:
    found = measure_network_share(profile(server), LocalShell(), pairs=6)
    assert found.pairs == 6
    assert found.network_ns > 10_000_000
    assert found.host_ns > 2_000_000
    assert found.low <= found.share <= found.high < 1
    assert sorted(server.asked) == ["127.0.0.1"] * 6 + [FAR] * 6
    assert server.asked not in (["127.0.0.1", FAR] * 6, [FAR, "127.0.0.1"] * 6), "a coin decides"
    assert "the network's share is" in str(found.sentence())


def test_a_host_that_answers_in_a_fifth_of_the_time_leaves_four_fifths(server: Slow) -> None:
    """The server takes 10 ms for those from afar at least, longer where the machine is busy."""
    host = Answers(json.dumps([2_000_000] * 20).encode())
    found = measure_network_share(profile(server), host, pairs=6)
    assert found.host_ns == 2_000_000
    assert 0.8 < found.low <= found.share <= found.high < 1


@pytest.mark.clock("compares two times of 2 ms that a server takes over real sockets")
def test_no_network_in_between_has_no_share(server: Slow) -> None:
    found = measure_network_share(profile(server, "127.0.0.1"), LocalShell(), pairs=6)
    assert -0.5 < found.share < 0.5


def test_what_cannot_be_measured_is_said(server: Slow) -> None:
    with pytest.raises(UsageError, match="Over a socket"):
        measure_network_share(Profile("socket", "ldapi://%2Frun%2Fslapd.socket"), LocalShell())
    with pytest.raises(UsageError, match="6 pairs"):
        measure_network_share(profile(server), LocalShell(), pairs=5)
    with pytest.raises(ConnectError, match="does not answer a search"):
        measure_network_share(Profile("gone", f"ldap://{FAR}:1"), Answers(b"[1]"), pairs=6)


class Answers(LocalShell):
    """A host that says something else."""

    def __init__(self, stdout: bytes, status: int = 0) -> None:
        super().__init__()
        self._result = CommandResult(status, stdout, b"Traceback\n\x1b[31mno route to host")

    def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", sudo: bool = False, timeout: float = 30.0
    ) -> CommandResult:
        return self._result


@pytest.mark.parametrize(
    ("stdout", "status"),
    [(b"[1, 2]", 0), (b'{"a": 1}', 0), (b"x", 0), (b"[" + b"-1," * 19 + b"-1]", 0), (b"", 127)],
)
def test_what_a_host_says_is_checked(server: Slow, stdout: bytes, status: int) -> None:
    with pytest.raises(CommandError, match="could not be asked on the host") as caught:
        measure_network_share(profile(server), Answers(stdout, status), pairs=6)
    assert "\x1b" not in str(caught.value)
