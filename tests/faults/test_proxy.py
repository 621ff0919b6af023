"""The faulty line does what it says: bytes whole where they should be, lost where not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.faults.proxy import Proxy


class _Echo:
    """A server that says back what it hears, until its client ends."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.heard = b""
        self.ended = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                end, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(end,), daemon=True).start()

    def _serve(self, end: socket.socket) -> None:
        with end:
            try:
                while chunk := end.recv(65536):
                    self.heard += chunk
                    end.sendall(chunk)
            except OSError:
                pass
        self.ended.set()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def echo() -> Iterator[_Echo]:
    server = _Echo()
    yield server
    server.close()


@pytest.fixture
def line(echo: _Echo) -> Iterator[Proxy]:
    with Proxy(echo.port) as proxy:
        yield proxy


@pytest.fixture
def client(line: Proxy) -> Iterator[socket.socket]:
    with _connected(line) as end:
        yield end


def _connected(line: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", line.port), timeout=60)


def _read(end: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size and (chunk := end.recv(65536)):
        got += chunk
    return got


def _silent(end: socket.socket) -> bool:
    end.settimeout(0.2)
    try:
        end.recv(1)
    except TimeoutError:
        return True
    finally:
        end.settimeout(60)
    return False


def test_a_healthy_line_delivers_every_byte_in_order(line: Proxy, client: socket.socket) -> None:
    sent = bytes(range(256)) * 20_000
    threading.Thread(target=client.sendall, args=(sent,), daemon=True).start()
    assert _read(client, len(sent)) == sent
    line.heal()  # an order is obeyed between two pieces: what was delivered has been counted
    assert line.up.passed == line.down.passed == len(sent)


def test_the_end_of_a_client_reaches_the_server(echo: _Echo, client: socket.socket) -> None:
    client.sendall(b"last")
    client.shutdown(socket.SHUT_WR)
    assert _read(client, 99) == b"last"
    assert echo.ended.wait(60)


def test_a_cut_resets_and_new_connections_go_through(line: Proxy, client: socket.socket) -> None:
    client.sendall(b"a")
    assert _read(client, 1) == b"a"
    line.cut()
    with pytest.raises(ConnectionResetError):
        client.recv(1)
    with _connected(line) as again:
        again.sendall(b"b")
        assert _read(again, 1) == b"b"


def test_a_refusing_cut_lets_nobody_in_until_healed(line: Proxy, client: socket.socket) -> None:
    line.cut(refuse=True)
    with pytest.raises(ConnectionRefusedError):
        _connected(line)
    line.heal()
    with _connected(line) as again:
        again.sendall(b"b")
        assert _read(again, 1) == b"b"


def test_a_dropped_line_is_silent_and_is_reset_when_healed(
    echo: _Echo, line: Proxy, client: socket.socket
) -> None:
    line.drop()
    client.sendall(b"lost")
    assert _silent(client)
    assert echo.heard == b""
    line.heal()
    with pytest.raises(ConnectionResetError):
        client.recv(1)


def test_a_frozen_line_loses_nothing(line: Proxy, client: socket.socket) -> None:
    line.freeze()
    client.sendall(b"kept")
    assert _silent(client)
    line.thaw()
    assert _read(client, 4) == b"kept"


def test_each_way_is_delayed_by_itself(line: Proxy, client: socket.socket) -> None:
    line.delay(up=0.2, down=0.3)
    began = time.monotonic()
    client.sendall(b"a")
    assert _read(client, 1) == b"a"
    assert time.monotonic() - began >= 0.5


def test_each_way_is_limited_by_itself(line: Proxy, client: socket.socket) -> None:
    line.limit(down=50_000)
    began = time.monotonic()
    client.sendall(b"x" * 20_000)
    assert _read(client, 20_000) == b"x" * 20_000
    assert time.monotonic() - began >= 0.3
    line.heal()
    assert line.up.passed == 20_000


def test_an_answer_ends_at_the_very_byte(line: Proxy, client: socket.socket) -> None:
    line.truncate(down=7)
    client.sendall(b"0123456789")
    assert _read(client, 99) == b"0123456"
    assert line.truncated.wait(10)
    with _connected(line) as again:
        again.sendall(b"0123456789")
        assert _read(again, 10) == b"0123456789"


def test_a_request_ends_at_the_very_byte(echo: _Echo, line: Proxy, client: socket.socket) -> None:
    line.truncate(up=3)
    client.sendall(b"0123456789")
    assert echo.ended.wait(60)
    assert echo.heard == b"012"


def test_exactly_one_answer_is_swallowed(echo: _Echo, line: Proxy, client: socket.socket) -> None:
    line.swallow_answer(b"modify")
    client.sendall(b"search")
    assert _read(client, 6) == b"search"
    client.sendall(b"modify")
    assert line.answer_swallowed.wait(10)
    assert echo.heard == b"searchmodify"
    assert _silent(client)
    client.sendall(b"again")
    assert _read(client, 5) == b"again"


def test_a_dead_server_is_a_connection_that_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    # The reset may come while `connect` still waits, or at the first read.
    with Proxy(port) as line, pytest.raises(ConnectionResetError), _connected(line) as client:
        client.recv(1)


def test_nothing_is_left_behind(echo: _Echo) -> None:
    before = threading.active_count()
    with Proxy(echo.port) as line, _connected(line) as client:
        client.sendall(b"a")
        assert _read(client, 1) == b"a"
        assert line.connections == 1
    assert threading.active_count() <= before + 1  # the echo's own may be about to end
    line.close()
