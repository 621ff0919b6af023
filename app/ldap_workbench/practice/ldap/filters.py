"""Search filters: from the wire to the text an access log shows, and to a test of an entry."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence

from ldap_workbench.connect.ber import BerError, Element

Values = Callable[[str], Sequence[str]]
"""Gives the values of an attribute, () where there are none."""
Test = Callable[[Values], bool]

_AND, _OR, _NOT, _EQUAL, _SUBSTRINGS, _GREATER, _LESS, _PRESENT, _APPROXIMATE, _RULE = (
    0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0x87, 0xA8, 0xA9,
)  # fmt: skip


def filter_of(element: Element) -> tuple[str, Test]:
    """The text of a filter and its test; raises BerError for what is no filter."""
    if element.tag in (_AND, _OR, _NOT):
        return _combined(element)
    if element.tag == _PRESENT:
        name = element.text()
        return f"({name}=*)", lambda values: bool(values(name))
    if element.tag == _SUBSTRINGS:
        return _substrings(element)
    if element.tag in (_EQUAL, _APPROXIMATE, _GREATER, _LESS):
        return _compared(element)
    if element.tag == _RULE:
        return _ruled(element)
    raise BerError(f"no filter has tag {element.tag:#x}")


def _combined(element: Element) -> tuple[str, Test]:
    parts = [filter_of(child) for child in element.children()]
    texts, tests = "".join(text for text, _ in parts), [test for _, test in parts]
    if element.tag == _AND:
        return f"(&{texts})", lambda values: all(test(values) for test in tests)
    if element.tag == _OR:
        return f"(|{texts})", lambda values: any(test(values) for test in tests)
    return f"(!{texts})", lambda values: not tests[0](values)


def _compared(element: Element) -> tuple[str, Test]:
    name, wanted = (child.text() for child in element.children())
    sign = {_GREATER: ">=", _LESS: "<=", _APPROXIMATE: "~="}.get(element.tag, "=")
    lower = wanted.lower()

    def test(values: Values) -> bool:
        lowered = [value.lower() for value in values(name)]
        if sign in (">=", "<="):
            return any(_in_order(lower, value) == (sign == ">=") or lower == value
                       for value in lowered)  # fmt: skip
        return lower in lowered

    return f"({name}{sign}{wanted})", test


def _in_order(first: str, second: str) -> bool:
    """Numbers as numbers, anything else as text."""
    if first.lstrip("-").isdigit() and second.lstrip("-").isdigit():
        return int(first) <= int(second)
    return first <= second


def _substrings(element: Element) -> tuple[str, Test]:
    name_element, pieces_element = element.children()
    name, pieces = name_element.text(), pieces_element.children()
    before = "" if pieces and pieces[0].tag == 0x80 else "*"
    after = "" if pieces and pieces[-1].tag == 0x82 else "*"
    shown = before + "*".join(piece.text() for piece in pieces) + after
    escaped = "*".join(re.sub(r"([*?[])", r"[\1]", piece.text().lower()) for piece in pieces)
    pattern = re.compile(fnmatch.translate(before + escaped + after))
    return f"({name}={shown})", lambda values: any(
        pattern.match(value.lower()) for value in values(name)
    )


def _ruled(element: Element) -> tuple[str, Test]:
    """An extensible match is answered as equality, whatever its rule."""
    parts = {child.tag: child.text() for child in element.children()}
    rule, name, wanted = parts.get(0x81, ""), parts.get(0x82, ""), parts.get(0x83, "")
    lower = wanted.lower()
    return f"({name}:{rule}:={wanted})", lambda values: lower in [v.lower() for v in values(name)]
