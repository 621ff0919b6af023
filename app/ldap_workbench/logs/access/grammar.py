"""What differs between text dialects, as data: month names, words and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.reading.months import NAMES
from ldap_workbench.model.message import Message

Int64 = NDArray[np.int64]

_SLOTS = 256
_SPREAD = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Dialect:
    """A text dialect. Words and keys count by their first eight bytes.

    words: verb -> (class of the line, kind); keys: name -> field. With `style` VERB_FIRST the
    class REQUEST stands for requests, results and lines that are both.
    """

    name: str
    title: Message
    words: Mapping[str, tuple[int, int]]
    keys: Mapping[str, int]
    operations: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Values of "operation" in JSON, like words; these and the keys of JSON count in full."""
    style: int = layout.NUMBERS_FIRST
    depth: int = 0
    """How deep in a JSON object its keys are."""
    joined: Callable[[bytes], bytes] | None = None
    """Puts the lines of a record together: JOIN for every newline inside one; None where a record
    is a line. JSON needs none."""
    family: str = ""
    """Dialects of one family follow each other where a server is told to write another."""
    messages: str = ""
    """Of resources: the kinds of messages that its server writes beside operations."""
    etime_unit: int = layout.SECONDS
    months: Mapping[int, str] = field(default_factory=lambda: NAMES)

    def tables(self) -> dict[int, Int64]:
        """The tables of the compiled scanner by their place in its context."""
        months = []
        for number, names in self.months.items():
            for name in names.split():
                months += [_word(name, 7), number]
        verbs = {_word(name): what | kind << 4 for name, (what, kind) in self.words.items()}
        for name, (what, kind) in self.operations.items():
            verbs[_long_word(name)] = what | kind << 4
        words, meanings = _hashed(verbs)
        as_number = _long_word if self.operations else _word
        keys, fields = _hashed({as_number(name): what for name, what in self.keys.items()})
        return {
            layout.MONTHS: np.array([*months, 0, 0], np.int64),
            layout.WORDS: words,
            layout.MEANINGS: meanings,
            layout.KEYS: keys,
            layout.FIELDS: fields,
        }


def _word(text: str, length: int = 8) -> int:
    return int.from_bytes(text.encode()[:length].ljust(8, b"\0"), "little", signed=True)


def _long_word(text: str) -> int:
    """What `objects.long_word` makes of a text."""
    if len(text) <= 8:
        return _word(text)
    mixed = (_word(text) ^ _word(text[-8:])) % 2**64 * _SPREAD % 2**64
    mixed ^= mixed >> 29
    return (mixed ^ 1 << 63) - (1 << 63)


def _hashed(entries: Mapping[int, int]) -> tuple[Int64, Int64]:
    """Words and their values as the scanner looks them up: open addressing, 256 slots."""
    words, values = np.zeros(_SLOTS, np.int64), np.zeros(_SLOTS, np.int64)
    for word, value in entries.items():
        slot = (word * _SPREAD % 2**64) >> 56
        while words[slot] not in (0, word):
            slot = (slot + 1) % _SLOTS
        words[slot], values[slot] = word, value
    return words, values
