"""Just enough BER for LDAP v3: definite lengths, single-byte tags.

pyasn1 with the grammar of ldap3 takes five times as long for a bind request (175 against 35 µs),
and the practice server answers thousands of requests a second when its clock runs fast; a replay
sends as many.
"""

from __future__ import annotations

from dataclasses import dataclass

BOOLEAN, INTEGER, OCTETS, ENUMERATED, SEQUENCE, SET = 0x01, 0x02, 0x04, 0x0A, 0x30, 0x31


class BerError(ValueError):
    """The bytes are not what LDAP would send."""


@dataclass(frozen=True)
class Element:
    """One tag with the bytes of its value."""

    tag: int
    value: bytes

    def children(self) -> list[Element]:
        """The elements inside a constructed one."""
        elements = []
        at = 0
        while at < len(self.value):
            element, at = read(self.value, at)
            elements.append(element)
        return elements

    def integer(self) -> int:
        return int.from_bytes(self.value, "big", signed=True)

    def text(self) -> str:
        return self.value.decode("utf-8", "replace")


def read(data: bytes, at: int = 0) -> tuple[Element, int]:
    """The element at `at` and where the next begins. Raises BerError where it is cut."""
    header = length_of(data[at : at + 6])
    if header is None or at + sum(header) > len(data):
        raise BerError("an element is cut off")
    start = at + header[0]
    return Element(data[at], data[start : start + header[1]]), start + header[1]


def length_of(head: bytes) -> tuple[int, int] | None:
    """Length of tag and length together, and of the value; None where more bytes are needed."""
    if len(head) < 2:
        return None
    if head[1] < 0x80:
        return 2, head[1]
    count = head[1] & 0x7F
    if count == 0 or count > 4:
        raise BerError("an indefinite or absurd length")
    if len(head) < 2 + count:
        return None
    return 2 + count, int.from_bytes(head[2 : 2 + count], "big")


def element(tag: int, *parts: bytes) -> bytes:
    """A tag around the concatenated parts."""
    value = b"".join(parts)
    n = len(value)
    if n < 0x80:
        return bytes((tag, n)) + value
    size = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(size))) + size + value


def integer(value: int, tag: int = INTEGER) -> bytes:
    """An INTEGER, or another type of that encoding."""
    return element(tag, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def octets(value: str | bytes, tag: int = OCTETS) -> bytes:
    """An OCTET STRING, or another type of that encoding."""
    return element(tag, value.encode() if isinstance(value, str) else value)
