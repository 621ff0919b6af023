"""A steady load for the campaign: searches at a set rate, through every restart of the server.

    python -m tests.faults.load PORT [--rate N] [--seconds N] [--mark WORD] [--namesakes]

Plain sockets and BER: 300 searches a second cost a few percent of a processor, so that labs can run
side by side; ldclt takes all there is. `--mark` has no effect: it tells whose load this is.
"""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Callable, Iterator

from tests.live.lab.users import GIVEN, SUFFIX

Wanted = Callable[[int], bytes]
"""The filter of a search, by the search's number."""
_DONE = 0x65
"""SearchResultDone, RFC 4511."""


def _ber(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82, size >> 8, size & 255])
    return bytes([tag]) + length + content


def one_person(number: int) -> bytes:
    """A filter that one entry of 500 meets, by an index list of one."""
    return _equal(b"uid", b"user%06d" % (number % 500))


def namesakes(number: int) -> bytes:
    """A filter by family and given name: of some thousand people, two index lists of hundreds."""
    given = GIVEN[number % len(GIVEN)].encode()
    return _ber(0xA0, _equal(b"sn", b"Kay") + _equal(b"givenName", given))


def _equal(name: bytes, value: bytes) -> bytes:
    return _ber(0xA3, _ber(0x04, name) + _ber(0x04, value))


def search(number: int, wanted: bytes) -> bytes:
    """The request for the people who meet a filter."""
    base = _ber(0x04, f"ou=people,{SUFFIX}".encode())
    scope_and_limits = b"\x0a\x01\x02\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00"
    request = _ber(0x63, base + scope_and_limits + wanted + _ber(0x30, _ber(0x04, b"cn")))
    return _ber(0x30, _ber(0x02, number.to_bytes(4, "big")) + request)


def _answers(link: socket.socket) -> Iterator[int]:
    """The tag of every message of the server. Ends with the connection."""
    held = b""
    while chunk := link.recv(65536):
        held += chunk
        while len(held) > 4:
            size, start = held[1], 2
            if size & 0x80:
                start += size & 0x7F
                size = int.from_bytes(held[2:start], "big")
            if len(held) < start + size:
                break
            number = held[start : start + size]
            yield number[2 + number[1]]
            held = held[start + size :]


def drive(port: int, rate: float, end: float, wanted: Wanted = one_person) -> None:
    """Search until `end` (monotonic). Raises OSError when the server goes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        answers, began = _answers(link), time.monotonic()
        for number in range(1, 2**30):
            if (now := time.monotonic()) > end:
                return
            time.sleep(max(0.0, began + number / rate - now))
            link.sendall(search(number, wanted(number)))
            if _DONE not in answers:
                raise ConnectionError("the server ended the connection")


def main() -> None:
    """Until the seconds are over or somebody ends it; a server that is away is waited for."""
    command = argparse.ArgumentParser()
    command.add_argument("port", type=int)
    command.add_argument("--rate", type=float, default=300)
    command.add_argument("--seconds", type=float, default=1e9)
    command.add_argument("--mark", default="")
    command.add_argument("--namesakes", action="store_true", help="search by two names, not uid")
    arguments = command.parse_args()
    wanted = namesakes if arguments.namesakes else one_person
    end = time.monotonic() + arguments.seconds
    while time.monotonic() < end:
        try:
            drive(arguments.port, arguments.rate, end, wanted)
        except OSError:
            time.sleep(0.05)


if __name__ == "__main__":
    main()
