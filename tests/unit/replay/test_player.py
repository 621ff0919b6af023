"""A script is played to a real LDAP server over TCP, the practice directory in this process."""

import json
import socket
import threading
from collections import Counter
from contextlib import suppress

import pytest

from ldap_workbench.connect.ber import element, integer, octets, read
from ldap_workbench.model.progress import Cancel
from ldap_workbench.practice.server import PracticeServer
from ldap_workbench.replay.endpoint import Endpoint
from ldap_workbench.replay.outcome import Outcome
from ldap_workbench.replay.player import Pace, arrivals, play
from ldap_workbench.replay.script import Conversation, Request, Script
from ldap_workbench.replay.wire import START_TLS

BASE = "dc=example,dc=com"


@pytest.fixture(scope="module")
def server():
    server = PracticeServer("healthy", 20.0, seed=1)
    yield server
    server.close()


def endpoint(server, **more):
    return Endpoint("127.0.0.1", server.address.ldap_port, **more)


def asks(number, *, waited=True, gap_ms=1, err=0, nentries=1):
    text = f"(uid=user{number:07d})"
    return Request(waited, gap_ms * 10**6, BASE, 2, text, ("mail",), err, nentries)


def script(*conversations, length_s=0.3):
    return Script(round(length_s * 1e9), "there", "i", conversations)


def test_every_request_is_sent_and_its_answer_compared(server):
    right = [asks(number) for number in range(1, 6)]
    wrong = asks(7, nentries=2)
    said = play(
        script(Conversation(0, (*right, wrong)), Conversation(10**8, tuple(right))),
        endpoint(server),
        Pace(),
        Cancel(),
    )
    assert (said.planned, said.sent, said.answered, said.not_sent) == (11, 11, 11, 0)
    assert said.agreed == {"SRCH": 10}
    assert dict(said.codes) == {0: 11}
    assert sum(said.lateness().values()) == 11


def test_binds_are_made_as_the_one_identity_or_left_out(server):
    conversation = Conversation(0, (Request(False, 0, None), asks(3)))
    known = endpoint(server, bind_dn="cn=Directory Manager", password=server.address.password)
    bound = play(script(conversation), known, Pace(), Cancel())
    assert {kind: len(taken) for kind, taken in bound.taken_ns.items()} == {"BIND": 1, "SRCH": 1}
    assert bound.agreement == 1.0
    without = play(script(conversation), endpoint(server), Pace(), Cancel())
    assert (without.planned, without.answered, [*without.taken_ns]) == (1, 1, ["SRCH"])


def test_a_pipeline_is_sent_without_waiting(server):
    requests = [asks(number, waited=number == 1, gap_ms=0) for number in range(1, 50)]
    said = play(script(Conversation(0, tuple(requests))), endpoint(server), Pace(), Cancel())
    assert said.answered == 49


class Pager:
    """A server that answers searches in pages: `pages` is how many entries each of them has."""

    def __init__(self, *pages):
        self.pages, self.asked = pages, []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        link, _ = self._socket.accept()
        with link:
            while data := link.recv(4096):
                at = 0
                while at < len(data):
                    message, at = read(data, at)
                    link.sendall(self._answer(message))

    def _answer(self, message):
        number, _, controls = message.children()
        value, _ = read(controls.children()[0].children()[-1].value)
        size, cookie = value.children()
        self.asked.append((size.integer(), cookie.value))
        page = int(cookie.value or b"0")
        more = str(page + 1).encode() if page + 1 < len(self.pages) else b""
        told = element(0x30, integer(0), element(0x04, more))
        control = element(0x30, octets("1.2.840.113556.1.4.319"), element(0x04, told))
        named = element(0x02, number.value)
        entry = element(0x30, named, element(0x64, octets("cn=x"), element(0x30)))
        done = element(0x65, b"\x0a\x01\x00\x04\x00\x04\x00")
        return entry * self.pages[page] + element(0x30, named, done, element(0xA0, control))

    def close(self):
        self._thread.join(60)
        self._socket.close()


@pytest.fixture
def pager():
    made = []
    yield lambda *pages: made.append(Pager(*pages)) or made[-1]
    for each in made:
        each.close()


def paged(nentries, *, size=3, search=1, waited=True):
    return Request(waited, 10**6, BASE, 2, "(cn=*)", (), 0, nentries, size, search)


def test_each_page_is_asked_for_by_the_cookie_of_the_page_before(pager):
    server = pager(3, 3, 1)
    requests = (paged(3), paged(3), paged(1), paged(3, search=2, size=9))
    here = Endpoint("127.0.0.1", server.port)
    said = play(script(Conversation(0, requests)), here, Pace(), Cancel())
    assert server.asked == [(3, b""), (3, b"1"), (3, b"2"), (9, b"")]
    assert (said.sent, said.agreed.total(), said.not_sent) == (4, 4, 0)


def test_a_search_with_fewer_pages_here_is_not_begun_anew(pager):
    server = pager(2)
    requests = (paged(3), paged(3), paged(1), paged(2, search=2))
    here = Endpoint("127.0.0.1", server.port)
    said = play(script(Conversation(0, requests)), here, Pace(), Cancel())
    assert server.asked == [(3, b""), (3, b"")]
    assert (said.sent, said.agreed.total(), said.not_sent) == (2, 1, 2)


def test_a_server_that_is_not_there_is_told(server):
    nobody = Endpoint("127.0.0.1", 1)
    said = play(script(Conversation(0, (asks(1),))), nobody, Pace(), Cancel())
    assert said.not_sent == 1
    assert sum(said.broken.values()) == 1
    assert said.fault


class Server:
    """Takes connections and gives each to `serve`, in a thread of its own."""

    def __init__(self, serve):
        self._serve = serve
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.threads = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self):
        with suppress(OSError):
            while True:
                link, _ = self._socket.accept()
                thread = threading.Thread(target=self._talk, args=(link,), daemon=True)
                thread.start()
                self.threads.append(thread)

    def _talk(self, link):
        with link, suppress(OSError):
            self._serve(link)

    def stop_listening(self):
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def stop(self):
        self.stop_listening()
        for thread in (self._thread, *self.threads):
            thread.join(60)


@pytest.fixture
def serving():
    made = []
    yield lambda serve: made.append(Server(serve)) or made[-1]
    for each in made:
        each.stop()


NOTHING_FOUND = element(0x65, b"\x0a\x01\x00\x04\x00\x04\x00")


def test_a_server_that_goes_away_in_the_middle_is_a_fault(serving):
    answered = []

    def serve(link):
        message, _ = read(link.recv(4096))
        if len(answered) == 2:  # a link that came in while the server stopped
            return
        answered.append(message)
        if len(answered) == 2:
            server.stop_listening()
        number = element(0x02, message.children()[0].value)
        link.sendall(element(0x30, number, NOTHING_FOUND))

    server = serving(serve)
    requests = tuple(asks(number, nentries=0) for number in range(5))
    said = play(
        script(*(Conversation(n * 10**8, requests) for n in range(4)), length_s=1),
        Endpoint("127.0.0.1", server.port),
        Pace(),
        Cancel(),
    )
    assert said.planned == 20
    assert said.answered == 2 == said.agreed.total()
    assert said.lost == 18
    assert "were lost with 4 broken connections" in str(said.fault)


@pytest.mark.parametrize("way", ["secure", "starttls"])
def test_tls_is_used_where_the_profile_says_so(server, way):
    port = server.address.ldaps_port if way == "secure" else server.address.ldap_port
    to = Endpoint("127.0.0.1", port, ca_file=server.address.ca_file, **{way: True})
    said = play(script(Conversation(0, (asks(1), asks(2)))), to, Pace(), Cancel())
    assert (said.answered, said.agreement, said.lost) == (2, 1.0, 0)
    assert len(said.connect_ns) == 1
    assert said.tails()[-1]["type"] == "CONNECT"


@pytest.mark.parametrize("way", ["secure", "starttls"])
def test_a_certificate_nobody_vouches_for_gets_no_request(server, way):
    port = server.address.ldaps_port if way == "secure" else server.address.ldap_port
    said = play(
        script(Conversation(0, (asks(1), asks(2)))),
        Endpoint("127.0.0.1", port, **{way: True}),
        Pace(),
        Cancel(),
    )
    assert (said.sent, said.lost) == (0, 2)
    assert "certificate" in str(said.fault)


def refused(number, code):
    return element(
        0x30, integer(number), element(0x78, b"\x0a\x01", bytes((code,)), b"\x04\x00\x04\x00")
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refused(1, 2), "the server refused StartTLS (2)"),
        (refused(1, 0) + refused(1, 0), "it sent more than the answer to StartTLS"),
        (refused(1, 0) + b"\x30", "it sent more than the answer to StartTLS"),
        (b"", "the server closed the connection"),
        (b"HTTP/1.1 400", "the server's answer is not LDAP"),
    ],
)
def test_without_start_tls_nothing_is_sent(serving, answer, reason):
    heard = []

    def serve(link):
        heard.append(link.recv(4096))
        link.sendall(answer)
        link.shutdown(socket.SHUT_WR)
        while data := link.recv(4096):
            heard.append(data)

    here = serving(serve)
    to = Endpoint("127.0.0.1", here.port, starttls=True)
    said = play(script(Conversation(0, (asks(1),))), to, Pace(), Cancel())
    here.stop()
    assert dict(said.broken) == {reason: 1}
    assert heard == [START_TLS]
    assert said.fault


def test_writes_are_sent_below_the_container_and_nowhere_else(serving):
    heard = []

    def serve(link):
        received = b""
        while data := link.recv(4096):
            received += data
            while received and len(received) > received[1] + 1:
                message, at = read(received)
                received = received[at:]
                number, operation = message.children()
                heard.append(operation)
                done = element(ANSWER_OF[operation.tag], b"\x0a\x01\x00\x04\x00\x04\x00")
                link.sendall(element(0x30, element(0x02, number.value), done))

    kinds = (("MOD", 1, 0), ("ADD", 2, 0), ("MODRDN", 2, 3), ("DEL", 3, 0))
    requests = tuple(
        Request(True, 10**6, "cn=config", write=kind, entry=entry, renamed=renamed)
        for kind, entry, renamed in kinds
    )
    container = "ou=ours,dc=x"
    to = Endpoint(
        "127.0.0.1", serving(serve).port, bind_dn="cn=dm", password="p", scratch=container
    )
    said = play(script(Conversation(0, requests)), to, Pace(), Cancel())
    assert [each.tag for each in heard] == [0x60, 0x66, 0x68, 0x6C, 0x4A]
    for operation in heard[1:]:
        dn = operation.value if operation.tag == 0x4A else operation.children()[0].value
        assert dn.endswith(f",{container}".encode())
        assert b"cn=config" not in operation.value
    assert {kind: len(taken) for kind, taken in said.taken_ns.items()} == {
        "BIND": 1, "MOD": 1, "ADD": 1, "MODRDN": 1, "DEL": 1,
    }  # fmt: skip
    assert said.agreed == Counter(BIND=1, MOD=1, ADD=1, MODRDN=1, DEL=1)
    assert (said.written, said.write_agreement) == (4, 1.0)


ANSWER_OF = {0x60: 0x61, 0x66: 0x67, 0x68: 0x69, 0x4A: 0x6B, 0x6C: 0x6D}


def test_it_begins_anew_until_the_time_is_over(server):
    said = play(
        script(Conversation(0, (asks(1),)), length_s=0.2),
        endpoint(server),
        Pace(seconds=0.9),
        Cancel(),
    )
    assert said.planned == said.answered == 5


def test_it_ends_when_cancelled(server):
    cancel = Cancel()
    cancel.set()
    said = play(
        script(Conversation(10**12, (asks(1),)), length_s=1e4), endpoint(server), Pace(), cancel
    )
    assert (said.sent, said.not_sent) == (0, 1)


def test_processes_share_the_connections():
    whole = script(*(Conversation(n, (asks(n),)) for n in range(20)))
    parts = [list(arrivals(whole, Pace(part=part, parts=3))) for part in range(3)]
    assert sorted(pair for part in parts for pair in part) == sorted(arrivals(whole, Pace()))


@pytest.mark.parametrize(
    ("speed", "least", "most"), [(0.5, 350, 650), (1.0, 1000, 1000), (2.5, 2350, 2650)]
)
def test_speed_copies_connections_and_keeps_their_think_times(speed, least, most):
    whole = script(*(Conversation(n, (asks(n),)) for n in range(1000)))
    played = list(arrivals(whole, Pace(speed=speed)))
    assert least <= len(played) <= most
    assert played == list(arrivals(whole, Pace(speed=speed)))
    assert all(0 <= each.at_ns < whole.length_ns for each in played)


def outcome(**kinds):
    """Of each type: answers that agree, and answers."""
    answered = sum(n for _, n in kinds.values())
    return Outcome(
        planned=answered,
        sent=answered,
        agreed=Counter({kind: agreed for kind, (agreed, _) in kinds.items()}),
        taken_ns={kind: [1] * n for kind, (_, n) in kinds.items()},
        late_ns=[0] * answered,
    )


def test_other_answers_than_those_of_the_capture_are_a_fault():
    other = outcome(SRCH=(190, 200))
    assert "Only 95 % of the answers are those of the capture" in str(other.fault)
    assert not outcome(SRCH=(199, 200)).fault


def test_reads_and_writes_are_judged_apart():
    mostly_read = outcome(SRCH=(10_000, 10_000), MOD=(50, 90), ADD=(10, 10))
    assert "Only 60 % of the writes succeeded" in str(mostly_read.fault)
    mostly_written = outcome(SRCH=(90, 100), DEL=(10_000, 10_000))
    assert "Only 90 % of the answers are those of the capture" in str(mostly_written.fault)
    assert not outcome(MOD=(10, 10)).fault


def test_one_that_was_late_says_so():
    late = outcome(SRCH=(200, 200))
    late.late_ns[-10:] = [20_000_000] * 10
    assert "The replay fell behind: 5 % of its requests" in str(late.fault)


def test_it_comes_whole_from_another_process():
    said = Outcome(
        planned=3, sent=2, not_sent=1, agreed=Counter(SRCH=1), lost=1,
        codes=Counter({0: 1, 32: 1}), broken=Counter({"gone": 1}),
        taken_ns={"SRCH": [5], "BIND": [7]}, late_ns=[1, 2], connect_ns=[9],
    )  # fmt: skip
    assert Outcome.of_json(json.loads(json.dumps(said.to_json()))) == said
    said.add(said)
    assert (said.planned, said.codes[32], said.taken_ns["SRCH"], said.lost) == (6, 2, [5, 5], 2)
    assert said.connect_ns == [9, 9]
