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

    words: first word after the numbers -> (class of the line, kind); keys: name -> field.
    """

    name: str
    title: str
    words: Mapping[str, tuple[int, int]]
    keys: Mapping[str, int]
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


DS389 = Dialect(
    name="389",
    title="389 Directory Server / Red Hat Directory Server",
    words={
        "RESULT": (layout.RESULT, layout.K_UNKNOWN),
        "SRCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MOD": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DEL": (layout.REQUEST, layout.K_DEL),
        "MODRDN": (layout.REQUEST, layout.K_MODRDN),
        "CMP": (layout.REQUEST, layout.K_CMP),
        "EXT": (layout.REQUEST, layout.K_EXT),
        "EXT_INFO": (layout.EXTRA, 0),
        "ABANDON": (layout.ABANDON, layout.K_ABANDON),
        "UNBIND": (layout.EXTRA, 0),
        "UNPROCESSED": (layout.UNPROCESSED, 0),
        "SORT": (layout.EXTRA, 0),
        "VLV": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REFERRAL": (layout.EXTRA, 0),
        "STAT": (layout.EXTRA, 0),
        "AUTOBIND": (layout.BOUND, 0),
        "SSL": (layout.EXTRA, 0),
        "TLS1.0": (layout.EXTRA, 0),
        "TLS1.1": (layout.EXTRA, 0),
        "TLS1.2": (layout.EXTRA, 0),
        "TLS1.3": (layout.EXTRA, 0),
        "fd": (layout.SOCKET, 0),
        "slot": (layout.OPENED, 0),
        "HAProxy": (layout.OPENED, 0),
        "closed": (layout.CLOSED, 0),
        "Disconnect": (layout.CLOSED, 0),
        "closing": (layout.CLOSED, 0),
        "closed.": (layout.CLOSED, 0),
    },
    keys={
        "err": layout.F_ERR,
        "tag": layout.F_TAG,
        "nentries": layout.F_NENTRIES,
        "wtime": layout.F_WTIME,
        "optime": layout.F_OPTIME,
        "etime": layout.F_ETIME,
        "notes": layout.F_NOTES,
        "base": layout.F_BASE,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "attrs": layout.F_STOP,
    },
)
"""Sun ONE and DSEE share it: they put 'msgId=N - ' between the numbers and the verb."""
