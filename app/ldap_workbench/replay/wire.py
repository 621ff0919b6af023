"""LDAP messages as bytes: requests packed before the start, answers read as far as is needed.

A request is packed with a message ID of four bytes, so that the same bytes serve again under
another ID. Source: RFC 4511, 4.1 to 4.5, and RFC 4515 for filters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

ENTRY, REFERENCE, SEARCH_DONE, BIND_DONE = 0x64, 0x73, 0x65, 0x61
_ANSWERS = (SEARCH_DONE, BIND_DONE)
_DEEPEST = 50
"""Nesting of a filter; servers refuse more."""


class FilterError(ValueError):
    """A filter that the log cut off, or that no client could have sent."""


def tlv(tag: int, *parts: bytes) -> bytes:
    """One BER element."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def search(base: str, scope: int, text: str, attributes: Sequence[str]) -> bytes:
    """A search request without limits of its own. Raises FilterError."""
    return _enveloped(
        tlv(
            0x63,
            _octets(base),
            tlv(0x0A, bytes((scope,))),
            b"\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00",  # deref never, no limits
            pack_filter(text),
            tlv(0x30, *map(_octets, attributes)),
        )
    )


def bind(dn: str, password: str) -> bytes:
    """A simple bind."""
    return _enveloped(tlv(0x60, b"\x02\x01\x03", _octets(dn), tlv(0x80, password.encode())))


def _enveloped(operation: bytes) -> bytes:
    return tlv(0x30, b"\x02\x04\0\0\0\0", operation)


def with_id(message: bytes, number: int) -> bytes:
    """A packed request under this message ID."""
    at = 4 if message[1] < 0x80 else 4 + (message[1] & 0x7F)
    return message[:at] + number.to_bytes(4, "big") + message[at + 4 :]


def _octets(text: str) -> bytes:
    return tlv(0x04, text.encode("utf-8", "surrogateescape"))


_COMPARISONS = {">": 0xA5, "<": 0xA6, "~": 0xA8}
_ITEM = re.compile(r"([^=<>~:()]+)([<>~]?)=(.*)", re.S)
_EXTENSIBLE = re.compile(r"([^=<>~:()]*)((?::dn)?)((?::[^:=()]+)?):=(.*)", re.S | re.I)


def pack_filter(text: str) -> bytes:
    """A filter as a log prints it. Raises FilterError."""
    packed, end = _component(text, 0, 0)
    if end != len(text):
        raise FilterError(text)
    return packed


def _component(text: str, at: int, depth: int) -> tuple[bytes, int]:
    if depth > _DEEPEST or text[at : at + 1] != "(":
        raise FilterError(text)
    sign = text[at + 1 : at + 2]
    if sign in ("&", "|", "!"):
        parts, end = [], at + 2
        while text[end : end + 1] == "(":
            part, end = _component(text, end, depth + 1)
            parts.append(part)
        if text[end : end + 1] != ")" or (sign == "!" and len(parts) != 1):
            raise FilterError(text)
        return tlv({"&": 0xA0, "|": 0xA1, "!": 0xA2}[sign], *parts), end + 1
    end = text.find(")", at)
    if end < 0:
        raise FilterError(text)
    return _item(text[at + 1 : end]), end + 1


def _item(text: str) -> bytes:
    if found := _EXTENSIBLE.fullmatch(text):
        return _extensible(*found.groups())
    found = _ITEM.fullmatch(text)
    if not found:
        raise FilterError(text)
    name, comparison, value = found.groups()
    attribute = _octets(name)
    if comparison:
        return tlv(_COMPARISONS[comparison], attribute, tlv(0x04, _value(value)))
    if value == "*":
        return tlv(0x87, name.encode())
    if "*" in value:
        return tlv(0xA4, attribute, tlv(0x30, *_substrings(value)))
    return tlv(0xA3, attribute, tlv(0x04, _value(value)))


def _substrings(value: str) -> list[bytes]:
    first, *middle, last = value.split("*")
    parts = [(0x80, first), *((0x81, each) for each in middle), (0x82, last)]
    return [tlv(tag, _value(part)) for tag, part in parts if part]


def _extensible(name: str, dn: str, rule: str, value: str) -> bytes:
    if not name and not rule:
        raise FilterError(value)
    parts = [tlv(0x81, rule[1:].encode())] if rule else []
    parts += [tlv(0x82, name.encode())] if name else []
    parts.append(tlv(0x83, _value(value)))
    return tlv(0xA9, *parts, *([b"\x84\x01\xff"] if dn else []))


_ESCAPED = re.compile(rb"\\([0-9A-Fa-f]{2})")


def _value(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(lambda found: bytes((int(found[1], 16),)), raw)


@dataclass
class Answer:
    """One message of a server: its ID, its tag, and the result code where it ends an operation."""

    number: int
    tag: int
    code: int = 0


def take_answers(received: bytearray, limit: int = 64 << 20) -> list[Answer]:
    """The whole messages at the start of what was received, which they are taken from.

    Raises ValueError where it is not LDAP, or one message is longer than `limit` bytes.
    """
    try:
        return _taken(received, limit)
    except IndexError as error:
        raise ValueError("the server's answer is not LDAP") from error


def _taken(received: bytearray, limit: int) -> list[Answer]:
    found, at, end = [], 0, len(received)
    while end - at >= 2:
        if received[at] != 0x30:
            raise ValueError("the server's answer is not LDAP")
        start, size = _size(received, at + 1, end)
        if size > limit:
            raise ValueError("an answer of the server is too long")
        if start < 0 or start + size > end:
            break
        found.append(_answer(received, start, start + size))
        at = start + size
    del received[:at]
    return found


def _answer(received: bytearray, at: int, end: int) -> Answer:
    if end - at < 4 or received[at] != 0x02 or not 0 < received[at + 1] <= 4:
        raise ValueError("the server's answer is not LDAP")
    behind = at + 2 + received[at + 1]
    number = int.from_bytes(received[at + 2 : behind], "big")
    if behind >= end:
        raise ValueError("the server's answer is not LDAP")
    tag = received[behind]
    if tag not in _ANSWERS:
        return Answer(number, tag)
    start, _ = _size(received, behind + 1, end)
    if start < 0 or start + 3 > end or received[start] != 0x0A:
        raise ValueError("the server's answer is not LDAP")
    code = int.from_bytes(received[start + 2 : start + 2 + received[start + 1]], "big")
    return Answer(number, tag, code)


def _size(received: bytearray, at: int, end: int) -> tuple[int, int]:
    """Where the content begins, and its length; (-1, 0) where that has not come yet."""
    first = received[at]
    if first < 0x80:
        return at + 1, first
    count = first & 0x7F
    if count > 4:
        raise ValueError("an answer of the server is too long")
    if at + 1 + count > end:
        return -1, 0
    return at + 1 + count, int.from_bytes(received[at + 1 : at + 1 + count], "big")
