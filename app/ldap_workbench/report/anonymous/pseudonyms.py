"""Keyed pseudonyms of words and addresses that keep their shape.

A pseudonym has as many bytes as the word, letters where it has letters, digits where it has digits,
and its case: so the offsets of a log stay. It is a bijection (a Feistel network over the
characters, as in NIST SP 800-38G, with BLAKE2b as its keyed function): two words never get the
same one, so joins stay. Without the key there is no way back but to guess the key.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from math import prod

KEY_BYTES = 32
_ROUNDS = 8
_CHUNK = 32
"""Characters at once: a long word is taken in parts, each under those before it."""
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_WIDE = {
    2: "".join(chr(code) for code in range(0x100, 0x180)),
    3: "".join(chr(code) for code in range(0x4E00, 0x9E00)),
    4: "".join(chr(code) for code in range(0x20000, 0x28000)),
}
"""Other characters, by their bytes in UTF-8. Here alone two may get the same one."""
_UPPER = _LETTERS.upper()
_ASCII_UPPER = re.compile("[A-Z]+")
_KEPT_NETS = ("127", "0", "255")
_OCTETS = {1: (0, 10), 2: (10, 90), 3: (100, 156)}
"""Digits of an octet -> the least number that has as many, and how many numbers do."""


class Pseudonyms:
    """Of one key; from one thread at a time."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.blake2b(key).digest()
        self.word = lru_cache(1 << 18)(self._word)
        """The pseudonym of a run of letters and digits; equal words but for their case get equal
        ones."""
        self.address = lru_cache(1 << 16)(self._address)
        """The pseudonym of an IPv4 or IPv6 address: what shares a /24 (or a /64) still does."""
        self._order = lru_cache(1 << 12)(self._order_of)

    def _word(self, word: str) -> str:
        folded = _ASCII_UPPER.sub(lambda upper: upper[0].lower(), word)
        parts = (folded[at : at + _CHUNK] for at in range(0, len(folded), _CHUNK))
        out, before = "", ""
        for part in parts:
            out += self._shuffled(part, before)
            # A digest from the third part on: all of a name of a megabyte would be read for each
            # part of it.
            before = f"{self._number(before, part):x}" if before else part
        return "".join(c.upper() if w in _UPPER else c for c, w in zip(out, word, strict=True))

    def _shuffled(self, text: str, tweak: str) -> str:
        alphabets = [_alphabet(character) for character in text]
        sizes = [len(alphabet) for alphabet in alphabets]
        values = [_index(a, c) for a, c in zip(alphabets, text, strict=True)]
        half = len(text) // 2
        left, right = _joined(values[:half], sizes[:half]), _joined(values[half:], sizes[half:])
        left_size, right_size = prod(sizes[:half]), prod(sizes[half:])
        for number in range(_ROUNDS):
            left = (left + self._number(tweak, number, len(text), right)) % left_size
            right = (right + self._number(tweak, -1 - number, len(text), left)) % right_size
        moved = _split(left, sizes[:half]) + _split(right, sizes[half:])
        return "".join(a[value] for a, value in zip(alphabets, moved, strict=True))

    def _number(self, *parts: object) -> int:
        text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(text, key=self._key).digest())

    def _address(self, address: str) -> str:
        return self._version6(address) if ":" in address else self._version4(address)

    def _version4(self, address: str) -> str:
        octets = address.split(".")
        if octets[0] in _KEPT_NETS:
            return address
        moved = []
        for place, octet in enumerate(octets):
            first, size = _OCTETS[len(octet)]
            order = self._order(".".join(octets[:place]), size)
            moved.append(str(first + order[int(octet) - first]))
        return ".".join(moved)

    def _order_of(self, before: str, size: int) -> list[int]:
        """A permutation of the octets behind `before`."""
        return sorted(range(size), key=lambda n: self._number("octet", before, size, n))

    def _version6(self, address: str) -> str:
        if address in ("::", "::1"):
            return address
        groups = address.split(":")
        moved = []
        for place, group in enumerate(groups):
            before = ":".join(groups[:place]).lower()
            number = int(group or "0", 16)
            size = 16 ** len(group)
            shift = self._number("group", before, size)
            moved.append(f"{(number + shift) % size:0{len(group)}x}" if group else "")
        return ":".join(moved)


def _alphabet(character: str) -> str:
    if character in _DIGITS:
        return _DIGITS
    if character.isascii():
        return _LETTERS
    return _WIDE[len(character.encode("utf-8", "surrogatepass"))]


def _index(alphabet: str, character: str) -> int:
    if character.isascii():
        return alphabet.index(character.lower())
    return ord(character) % len(alphabet)


def _joined(values: list[int], sizes: list[int]) -> int:
    number = 0
    for value, size in zip(values, sizes, strict=True):
        number = number * size + value
    return number


def _split(number: int, sizes: list[int]) -> list[int]:
    values = []
    for size in reversed(sizes):
        number, value = divmod(number, size)
        values.append(value)
    return values[::-1]
