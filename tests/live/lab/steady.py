"""A client that asks for something at a steady rate, and leaves the processors to the test.

ldclt has no rate: it takes all that the server gives. A test that needs operations in a window, and
not as many as can be had, runs in half the time beside this one. It is a program without
dependencies, so that it starts at once: `python steady.py PORT KIND RATE SECONDS USERS PEOPLE -w
PASSWORD`, with the password of a user for `bind` and of the directory manager, who binds once, for
the others.
"""

from __future__ import annotations

import random
import socket
import sys
import time
from itertools import count

ROOT = "cn=Directory Manager"
PAUSE_S = 0.003
"""Between the searches of a client that is a thread of the tests, for the same reason."""


def element(tag: int, *parts: bytes) -> bytes:
    """One element of BER."""
    body = b"".join(parts)
    size = len(body)
    length = bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2, "big")
    return bytes([tag]) + length + body


def text(value: str, tag: int = 0x04) -> bytes:
    return element(tag, value.encode())


def number(value: int, tag: int = 0x02) -> bytes:
    return element(tag, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def bind(dn: str, password: str) -> bytes:
    return element(0x60, number(3), text(dn), text(password, 0x80))


def search(base: str, attribute: str, value: str) -> bytes:
    """All of a subtree that has this value."""
    subtree, never, no_limit, values = number(2, 0x0A), number(0, 0x0A), number(0), b"\x01\x01\x00"
    equal = element(0xA3, text(attribute), text(value))
    return element(
        0x63, text(base), subtree, never, no_limit, no_limit, values, equal, element(0x30)
    )


def replace(dn: str, attribute: str, value: str) -> bytes:
    change = element(0x30, text(attribute), element(0x31, text(value)))
    return element(0x66, text(dn), element(0x30, element(0x30, number(2, 0x0A), change)))


def ask(link: socket.socket, message: int, operation: bytes) -> None:
    """Send a request and read on to its result, whatever that is."""
    link.sendall(element(0x30, number(message), operation))
    waiting = b""
    while True:
        kind, waiting = _operation(link, waiting)
        if kind not in (0x64, 0x73):  # an entry, a reference: the result is still to come
            return


def _operation(link: socket.socket, waiting: bytes) -> tuple[int, bytes]:
    """The tag of the next answer's operation, and what was read beyond it."""
    while True:
        if len(waiting) > 6:
            long = waiting[1] - 128 if waiting[1] > 127 else 0
            start = 2 + long
            end = start + (int.from_bytes(waiting[2:start], "big") if long else waiting[1])
            if len(waiting) >= end:
                return waiting[start + 2 + waiting[start + 1]], waiting[end:]
        more = link.recv(65536)
        if not more:
            raise ConnectionError("the server closed the connection")
        waiting += more


def main() -> None:
    port, kind, rate, seconds, users, people, _, password = sys.argv[1:]
    with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as link:
        if kind != "bind":
            ask(link, 1, bind(ROOT, password))
        begin, chance = time.monotonic(), random.Random(7)
        for done in count():
            at = done / float(rate)
            if at >= float(seconds):
                return
            time.sleep(max(0.0, begin + at - time.monotonic()))
            uid = f"user{chance.randrange(int(users)):06d}"
            dn = f"uid={uid},{people}"
            operation = {
                "search": lambda uid=uid: search(people, "uid", uid),
                "bind": lambda dn=dn: bind(dn, password),
                "mod": lambda dn=dn, done=done: replace(dn, "description", f"changed {done}"),
            }[kind]()
            ask(link, 2 + done % 1_000_000, operation)


if __name__ == "__main__":
    main()
