"""LDAP messages as bytes: requests packed before the start, answers read as far as is needed.

A request is packed with a message ID of four bytes, so that the same bytes serve again under
another ID. Source: RFC 4511, 4.1 to 4.9, and RFC 4515 for filters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ldap_workbench.connect.ber import (
    INTEGER,
    OCTETS,
    SEQUENCE,
    SET,
    BerError,
    element,
    integer,
    length_of,
    octets,
    read,
)

PAGED_RESULTS = "1.2.840.113556.1.4.319"
_CONTROLS = 0xA0
ENTRY, REFERENCE, SEARCH_DONE, BIND_DONE, EXTENDED_DONE = 0x64, 0x73, 0x65, 0x61, 0x78
MODIFY_DONE, ADD_DONE, DELETE_DONE, RENAME_DONE = 0x67, 0x69, 0x6B, 0x6D
WRITTEN = (MODIFY_DONE, ADD_DONE, DELETE_DONE, RENAME_DONE)
_ANSWERS = (SEARCH_DONE, BIND_DONE, EXTENDED_DONE, *WRITTEN)
_DEEPEST = 50
"""Nesting of a filter; servers refuse more."""


START_TLS = element(SEQUENCE, integer(1), element(0x77, element(0x80, b"1.3.6.1.4.1.1466.20037")))


class FilterError(ValueError):
    """A filter that the log cut off, or that no client could have sent."""


def search(base: str, scope: int, text: str, attributes: Sequence[str]) -> bytes:
    """A search request without limits of its own. Raises FilterError."""
    return _enveloped(
        element(
            0x63,
            octets(base),
            element(0x0A, bytes((scope,))),
            b"\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00",  # deref never, no limits
            pack_filter(text),
            element(0x30, *map(octets, attributes)),
        )
    )


def bind(dn: str, password: str) -> bytes:
    """A simple bind."""
    return _enveloped(element(0x60, b"\x02\x01\x03", octets(dn), element(0x80, password.encode())))


def add(dn: str, attributes: Mapping[str, str]) -> bytes:
    """An entry with one value for each attribute."""
    values = [_attribute(name, value) for name, value in attributes.items()]
    return _enveloped(element(0x68, octets(dn), element(SEQUENCE, *values)))


def replace(dn: str, attribute: str, value: str) -> bytes:
    """A modification that leaves the attribute with this value alone."""
    change = element(SEQUENCE, b"\x0a\x01\x02", _attribute(attribute, value))
    return _enveloped(element(0x66, octets(dn), element(SEQUENCE, change)))


def delete(dn: str) -> bytes:
    """An entry goes."""
    return _enveloped(element(0x4A, dn.encode()))


def rename(dn: str, rdn: str) -> bytes:
    """Another name in the same place; the values of the old one go."""
    return _enveloped(element(0x6C, octets(dn), octets(rdn), b"\x01\x01\xff"))


def _attribute(name: str, value: str) -> bytes:
    return element(SEQUENCE, octets(name), element(SET, octets(value)))


def in_pages(message: bytes, size: int, cookie: bytes) -> bytes:
    """A packed search that asks for so many entries, behind those of the page with this cookie."""
    operation, _ = read(message)
    wanted = element(SEQUENCE, integer(size), element(OCTETS, cookie))
    control = element(SEQUENCE, octets(PAGED_RESULTS), b"\x01\x01\xff", element(OCTETS, wanted))
    return element(SEQUENCE, operation.value, element(_CONTROLS, control))


def _enveloped(operation: bytes) -> bytes:
    return element(0x30, b"\x02\x04\0\0\0\0", operation)


def with_id(message: bytes, number: int) -> bytes:
    """A packed request under this message ID."""
    at = 4 if message[1] < 0x80 else 4 + (message[1] & 0x7F)
    return message[:at] + number.to_bytes(4, "big") + message[at + 4 :]


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
        return element({"&": 0xA0, "|": 0xA1, "!": 0xA2}[sign], *parts), end + 1
    end = text.find(")", at)
    if end < 0:
        raise FilterError(text)
    return _item(text[at + 1 : end]), end + 1


def _item(text: str) -> bytes:
    if match := _EXTENSIBLE.fullmatch(text):
        return _extensible(*match.groups())
    match = _ITEM.fullmatch(text)
    if not match:
        raise FilterError(text)
    name, comparison, value = match.groups()
    attribute = octets(name)
    if comparison:
        return element(_COMPARISONS[comparison], attribute, element(0x04, _value(value)))
    if value == "*":
        return element(0x87, name.encode())
    if "*" in value:
        return element(0xA4, attribute, element(0x30, *_substrings(value)))
    return element(0xA3, attribute, element(0x04, _value(value)))


def _substrings(value: str) -> list[bytes]:
    first, *middle, last = value.split("*")
    parts = [(0x80, first), *((0x81, part) for part in middle), (0x82, last)]
    return [element(tag, _value(part)) for tag, part in parts if part]


def _extensible(name: str, dn: str, rule: str, value: str) -> bytes:
    if not name and not rule:
        raise FilterError(value)
    parts = [element(0x81, rule[1:].encode())] if rule else []
    parts += [element(0x82, name.encode())] if name else []
    parts.append(element(0x83, _value(value)))
    return element(0xA9, *parts, *([b"\x84\x01\xff"] if dn else []))


_ESCAPED = re.compile(rb"\\([0-9A-Fa-f]{2})")


def _value(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(lambda match: bytes((int(match[1], 16),)), raw)


@dataclass
class Answer:
    """One message of a server: its ID, its tag, and the result code where it ends an operation."""

    number: int
    tag: int
    code: int = 0
    cookie: bytes = b""
    """Of a page: by it the next one is asked for; b"" with the last."""


def take_answers(received: bytearray, limit: int = 64 << 20) -> list[Answer]:
    """The whole messages at the start of what was received, which they are taken from.

    Raises BerError where it is not LDAP, or one message is longer than `limit` bytes.
    """
    answers, at = [], 0
    while (header := length_of(bytes(received[at : at + 6]))) is not None:
        end = at + sum(header)
        if received[at] != SEQUENCE:
            raise _not_ldap()
        if header[1] > limit:
            raise BerError("an answer of the server is too long")
        if end > len(received):
            break
        answers.append(_answer(bytes(received[at + header[0] : end])))
        at = end
    del received[:at]
    return answers


def _answer(message: bytes) -> Answer:
    number, at = read(message)
    if number.tag != INTEGER or at >= len(message):
        raise _not_ldap()
    if message[at] not in _ANSWERS:
        return Answer(number.integer(), message[at])
    operation, at = read(message, at)
    code, _ = read(operation.value)
    cookie = _cookie(message, at) if at < len(message) else b""
    return Answer(number.integer(), operation.tag, code.integer(), cookie)


def _cookie(message: bytes, at: int) -> bytes:
    """From the controls of an answer."""
    controls, _ = read(message, at)
    for control in controls.children() if controls.tag == _CONTROLS else ():
        name, *rest = control.children()
        if rest and name.text() == PAGED_RESULTS:
            page, _ = read(rest[-1].value)
            _, cookie = page.children()
            return cookie.value
    return b""


def _not_ldap() -> BerError:
    return BerError("the server's answer is not LDAP")
