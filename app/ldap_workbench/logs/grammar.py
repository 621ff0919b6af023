"""What differs between text dialects, as data: month names, words and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel import layout

Int64 = NDArray[np.int64]

_SLOTS = 256
_SPREAD = 0x9E3779B97F4A7C15

_MONTHS = {
    1: "jan january janv janvier januar jän enero ene gennaio gen",
    2: "feb february févr februar febrero febbraio",
    3: "mar march mars märz mär mrz marzo",
    4: "apr april avr avril abr abril aprile",
    5: "may mai mayo maggio mag",
    6: "jun june juin juni junio giugno giu",
    7: "jul july juil juillet juli julio luglio lug",
    8: "aug august août ago agosto",
    9: "sep september sept septembre septiembre settembre set",
    10: "oct october octobre okt oktober octubre ottobre ott",
    11: "nov november novembre noviembre",
    12: "dec december déc décembre dez dezember dic diciembre dicembre",
}
"""English first: servers print the C locale; JVMs print that of the machine."""


@dataclass(frozen=True)
class Dialect:
    """A text dialect. Words and keys count by their first eight bytes.

    words: verb -> (class of the line, kind); keys: name -> field. With `style` VERB_FIRST the
    class REQUEST stands for requests, results and lines that are both.
    """

    name: str
    title: str
    words: Mapping[str, tuple[int, int]]
    keys: Mapping[str, int]
    style: int = layout.NUMBERS_FIRST
    etime_unit: int = layout.SECONDS
    months: Mapping[int, str] = field(default_factory=lambda: _MONTHS)

    def tables(self) -> dict[int, Int64]:
        """The tables of the compiled scanner by their place in its context."""
        months = [
            value
            for number, names in self.months.items()
            for name in names.split()
            for value in (_word(name, 7), number)
        ]
        words, meanings = _hashed(
            {name: what | kind << 4 for name, (what, kind) in self.words.items()}
        )
        keys, fields = _hashed(self.keys)
        return {
            layout.MONTHS: np.array([*months, 0, 0], np.int64),
            layout.WORDS: words,
            layout.MEANINGS: meanings,
            layout.KEYS: keys,
            layout.FIELDS: fields,
        }


def _word(text: str, length: int = 8) -> int:
    return int.from_bytes(text.encode()[:length].ljust(8, b"\0"), "little", signed=True)


def _hashed(entries: Mapping[str, int]) -> tuple[Int64, Int64]:
    """Words and their values as the scanner looks them up: open addressing, 256 slots."""
    words, values = np.zeros(_SLOTS, np.int64), np.zeros(_SLOTS, np.int64)
    for text, value in entries.items():
        word = _word(text)
        slot = (word * _SPREAD % 2**64) >> 56
        while words[slot] not in (0, word):
            slot = (slot + 1) % _SLOTS
        words[slot], values[slot] = word, value
    return words, values
