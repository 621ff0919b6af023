"""A server that drips, floods, nests or talks nonsense is given up with a clear error."""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import ldap3
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ldap_workbench.connect import ldap
from ldap_workbench.connect.answers import MANY_ENTRIES, ONE_ENTRY
from ldap_workbench.connect.ber import (
    ENUMERATED,
    INTEGER,
    OCTETS,
    SEQUENCE,
    SET,
    element,
)
from ldap_workbench.connect.directory import OWN_BASE, Directory, announce
from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import ConnectError, DirectoryError, TlsError, WorkbenchError
from ldap_workbench.model.profile import Profile
from tests.live.lab.tls import Authority, write_pem
from tests.systems import stop_listening

ENTRY, DONE, EXTENDED = 0x64, 0x65, 0x78


def message(operation: int, *parts: bytes, number: int = 1) -> bytes:
    return element(SEQUENCE, element(INTEGER, bytes([number])), element(operation, *parts))


def result(code: int = 0, dn: bytes = b"", text: bytes = b"") -> list[bytes]:
    return [element(ENUMERATED, bytes([code])), element(OCTETS, dn), element(OCTETS, text)]


def entry(value: bytes = b"v", number: int = 1) -> bytes:
    values = element(SET, element(OCTETS, value))
    attribute = element(SEQUENCE, element(OCTETS, b"cn"), values)
    return message(ENTRY, element(OCTETS, b"cn=x"), element(SEQUENCE, attribute), number=number)


def done(code: int = 0, number: int = 1) -> bytes:
    return message(DONE, *result(code), number=number)


Answer = Callable[[socket.socket], None]


class Server:
    """Answers whatever is asked as it was told to."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ldap://127.0.0.1:{self._listener.getsockname()[1]}"
        self.answer: Answer = lambda _: None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while not self._over.is_set():
            with suppress(OSError):
                link, _ = self._listener.accept()
                link.settimeout(60)
                with link:
                    if link.recv(10_000):
                        self.answer(link)

    def stop(self) -> None:
        self._over.set()
        stop_listening(self._listener, self._thread)

    def says(self, *data: bytes) -> Directory:
        """A link to it; it answers with this and then waits to be asked again."""

        def answer(link: socket.socket) -> None:
            link.sendall(b"".join(data))
            link.recv(1)

        return self.does(answer)

    def does(self, answer: Answer) -> Directory:
        self.answer = answer
        # ldap3 counts the messages to all servers; each link here begins with 1.
        ldap3.Server._message_counter = 0
        return open_directory(Profile("p", self.url), Secrets())


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


def refused(directory: Directory, match: str, scope: str = "base") -> WorkbenchError:
    with pytest.raises(ConnectError, match=match) as caught:
        directory.search("cn=x", scope=scope)
    with pytest.raises(ConnectError):
        directory.search("cn=x")  # nothing that is still under way is taken for the next answer
    directory.close()
    assert all((caught.value.what, str(caught.value.safe), str(caught.value.remedy)))
    return caught.value


def test_an_answer_in_order_is_read(server: Server) -> None:
    directory = server.says(entry(b"one"), done())
    assert [dict(e.attributes) for e in directory.search("cn=x")] == [{"cn": ("one",)}]
    directory.close()


def test_a_connection_says_again_that_it_is_ours(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that is followed only from now on has not seen how it began."""
    asked: list[bytes] = []

    def answer(link: socket.socket) -> None:
        link.sendall(done(32, number=1))
        for number in (2, 3):
            asked.append(link.recv(10_000))
            link.sendall(done(32, number=number))
        link.recv(1)

    directory = server.does(answer)
    announce(directory)
    monkeypatch.setattr(ldap, "ANNOUNCED_FOR_S", -1.0)
    assert directory.search("cn=x") == []
    directory.close()
    assert [OWN_BASE.encode() in request for request in asked] == [True, False]


def test_one_that_comes_in_pieces_is_read(server: Server) -> None:
    def in_pieces(link: socket.socket) -> None:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in entry(b"one") + done():
            link.sendall(bytes([byte]))
        link.recv(1)

    directory = server.does(in_pieces)
    assert len(directory.search("cn=x")) == 1
    directory.close()


def test_a_server_that_drips_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ldap, "ONE_ENTRY", replace(ONE_ENTRY, seconds=0.5))

    def drip(link: socket.socket) -> None:
        for byte in itertools.cycle(entry()):
            link.sendall(bytes([byte]))
            time.sleep(0.01)

    refused(server.does(drip), r"takes longer than 0\.5 s")


def test_a_server_that_drips_one_message_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ldap, "ONE_ENTRY", replace(ONE_ENTRY, seconds=0.5))

    def drip(link: socket.socket) -> None:
        link.sendall(entry(b"x" * 60_000)[:100])
        while True:
            link.sendall(b"x")
            time.sleep(0.01)

    refused(server.does(drip), r"takes longer than 0\.5 s")


def test_a_silent_server_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ldap, "ONE_ENTRY", replace(ONE_ENTRY, silence_s=0.3))
    refused(server.says(entry()[:5]), "timed out")


def test_a_flood_of_entries_is_cut(server: Server) -> None:
    def flood(link: socket.socket) -> None:
        while True:
            link.sendall(entry() * 1000)

    refused(server.does(flood), "has more than 100 messages")


def test_a_flood_of_entries_below_a_suffix_is_cut(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ldap, "MANY_ENTRIES", replace(MANY_ENTRIES, messages=5000))
    refused(server.says(entry() * 6000), "has more than 5,000 messages", "sub")


def test_a_flood_of_bytes_is_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ldap, "MANY_ENTRIES", replace(MANY_ENTRIES, bytes=1 << 20))

    def flood(link: socket.socket) -> None:
        while True:
            link.sendall(entry(b"x" * 60_000))

    refused(server.does(flood), "is larger than 1 MiB", "sub")


def test_a_message_that_says_it_is_huge_is_not_waited_for(server: Server) -> None:
    refused(server.says(b"\x30\x84\x7f\xff\xff\xff"), "is larger than 64 MiB")


@pytest.mark.parametrize("depth", [2_000, 200_000])
def test_an_answer_that_nests_is_refused(server: Server, depth: int) -> None:
    nested = b""
    for tag in (0x31, SEQUENCE):
        size = 0
        heads = []
        for _ in range(depth // 2):
            heads.append(bytes([tag, 0x84]) + size.to_bytes(4, "big"))
            size += 6
        nested = b"".join(reversed(heads)) if tag == 0x31 else nested
    answer = message(ENTRY, element(OCTETS, b"cn=x"), nested)
    error = refused(server.says(answer, done()), "not LDAP")
    assert "nested too deeply" in str(error.what) or "decoded" in str(error.what)


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\x15\x03\x03\x00\x02\x02\x16",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x30\x80\x02\x01\x01\x00\x00",
        b"\x30\x85\x01\x00\x00\x00\x00",
        b"\x30\x00",
        b"\x30\x03\x02\x01\x01",
        message(0x5F, b"?"),
        message(ENTRY),
        message(DONE, element(OCTETS, b"no result")),
    ],
)
def test_what_is_not_ldap_is_said(server: Server, data: bytes) -> None:
    refused(server.says(data), "not LDAP|broke")


@pytest.mark.parametrize("number", [7, 0])
def test_an_answer_to_another_question_is_not_taken(server: Server, number: int) -> None:
    refused(server.says(entry(number=number), done(number=number)), "broke|not LDAP")


def test_a_result_code_of_the_servers_own_is_told(server: Server) -> None:
    directory = server.says(done(123))
    with pytest.raises(WorkbenchError, match=r"123|not LDAP"):
        directory.search("cn=x")
    directory.close()


def _mutated(data: bytes, changes: list[tuple[int, int]]) -> bytes:
    found = bytearray(data)
    for at, byte in changes:
        found[at % len(found)] = byte
    return bytes(found)


WHOLE = entry(b"one") + done()
CHANGES = st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 255)), min_size=1)


@given(st.one_of(st.binary(max_size=200), CHANGES.map(lambda changes: _mutated(WHOLE, changes))))
@example(b"\x30\x0c\x02\x01\x01\x65\x07\x0a\x01\x00\x04\x00\x04\x00")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nonsense_is_an_error_of_ours_or_an_answer(server: Server, data: bytes) -> None:
    def answer(link: socket.socket) -> None:
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)  # what is cut off ends, it does not wait

    directory = server.does(answer)
    with suppress(ConnectError, DirectoryError):
        directory.search("cn=x")
    directory.close()


def test_a_write_whose_answer_is_nonsense_says_that_it_must_be_read_back(server: Server) -> None:
    def answer(link: socket.socket) -> None:
        link.sendall(entry(b"old", 1) + done(number=1))
        link.recv(10_000)
        link.sendall(b"\x30\x03\x02\x01\x02")
        link.recv(1)

    directory = server.does(answer)
    with pytest.raises(ConnectError, match="read it back") as caught:
        directory.replace("cn=x", "cn", ["new"], expected=["old"])
    assert str(caught.value.safe) != "Nothing was changed by that."
    directory.close()


@pytest.mark.parametrize("more", [b"", entry(number=2), entry(number=2)[:7]])
def test_nothing_sent_in_the_clear_is_taken_for_an_answer_under_tls(
    server: Server, tmp_path: Path, more: bytes
) -> None:
    """The consent to StartTLS with more behind it, as somebody in between would add."""
    with _starttls(server, tmp_path, "127.0.0.1", more) as profile:
        if not more:
            directory = open_directory(profile, Secrets())
            assert directory.encryption == "TLSv1.3"  # type: ignore[attr-defined]
            directory.close()
            return
        with pytest.raises(ConnectError, match=r"more data than the reply|invalid messageId"):
            open_directory(profile, Secrets())


def test_starttls_wants_the_name_in_the_certificate(server: Server, tmp_path: Path) -> None:
    with (
        _starttls(server, tmp_path, "ldap.example.com") as profile,
        pytest.raises(TlsError, match="mismatch") as caught,
    ):
        open_directory(profile, Secrets())
    assert "No password was sent" in str(caught.value.safe)


@contextmanager
def _starttls(server: Server, folder: Path, name: str, more: bytes = b"") -> Iterator[Profile]:
    """A server that consents to StartTLS, with a certificate for `name`."""
    authority = Authority()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(write_pem(folder / "server.pem", *authority.sign(name)))

    def answer(link: socket.socket) -> None:
        link.sendall(message(EXTENDED, *result()) + more)
        with context.wrap_socket(link, server_side=True) as secure:
            secure.recv(1000)

    server.answer = answer
    ldap3.Server._message_counter = 0
    ca_file = authority.write(folder / "ca.pem")
    yield Profile("p", server.url, starttls=True, ca_file=str(ca_file))
