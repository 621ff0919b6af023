"""A table of strings that grows in compiled code and is decoded only where somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from ldap_workbench.logs.kernel.layout import PAD
from ldap_workbench.logs.kernel.tables import Strings, rehash_strings


class StringTable(Sequence[str]):
    """Texts by index. An index stays valid while the table grows."""

    def __init__(self) -> None:
        self._hashes = np.zeros(64, np.uint64)
        self._indexes = np.empty(64, np.int32)
        self._text = np.empty(1024, np.uint8)
        self._ends = np.empty(32, np.int64)
        self._meta = np.zeros(2, np.int64)

    @property
    def arrays(self) -> Strings:
        """What the compiled scanner works on, until the next `reserve`."""
        return (self._hashes, self._indexes, self._text, self._ends, self._meta)

    def reserve(self, strings: int, size: int) -> None:
        """Make room for `strings` more texts of `size` bytes together."""
        count, used = (int(value) for value in self._meta)
        if count + strings > len(self._ends):
            self._ends = _grown(self._ends, max(2 * len(self._ends), count + strings))
        if used + size + PAD > len(self._text):
            self._text = _grown(self._text, max(2 * len(self._text), used + size + PAD))
        slots = len(self._hashes)
        while slots < 2 * (count + strings):
            slots *= 2
        if slots > len(self._hashes):
            hashes, indexes = np.zeros(slots, np.uint64), np.empty(slots, np.int32)
            rehash_strings(self.arrays, hashes, indexes)
            self._hashes, self._indexes = hashes, indexes

    def __len__(self) -> int:
        return int(self._meta[0])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._at(index % len(self))

    def __iter__(self) -> Iterator[str]:
        return (self._at(i) for i in range(len(self)))

    def _at(self, index: int) -> str:
        start = int(self._ends[index - 1]) if index else 0
        return self._text[start : int(self._ends[index])].tobytes().decode("utf-8", "replace")


def _grown(array: Any, size: int) -> Any:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
