"""A table of strings that grows in compiled code and is decoded only where somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.kernel import entries, layout
from ldap_workbench.logs.access.kernel.entries import address


class StringTable(Sequence[str]):
    """Texts by index. An index stays valid while the table grows.

    `head` is the table's part of the scanner's context: S_SIZE numbers.
    """

    def __init__(self, head: NDArray[np.int64]) -> None:
        self._head = head
        self._hashes = np.zeros(64, np.int64)
        self._indexes = np.empty(64, np.int64)
        self._text = np.empty(1024, np.uint8)
        self._ends = np.empty(32, np.int64)
        head[:] = 0
        self._publish()

    def _publish(self) -> None:
        """Tell the compiled side where the arrays are."""
        self._head[layout.S_HASHES] = address(self._hashes)
        self._head[layout.S_INDEXES] = address(self._indexes)
        self._head[layout.S_MASK] = len(self._hashes) - 1
        self._head[layout.S_TEXT] = address(self._text)
        self._head[layout.S_ENDS] = address(self._ends)

    def reserve(self, strings: int, size: int) -> None:
        """Make room for `strings` more texts of `size` bytes together."""
        count = len(self) + strings
        used = int(self._head[layout.S_BYTES]) + size + layout.PAD
        if count > len(self._ends):
            self._ends = _grown(self._ends, max(2 * len(self._ends), count))
        if used > len(self._text):
            self._text = _grown(self._text, max(2 * len(self._text), used))
        slots = len(self._hashes)
        while slots < 2 * count:
            slots *= 2
        if slots > len(self._hashes):
            self._rehash(slots)
        self._publish()

    def _rehash(self, slots: int) -> None:
        hashes, indexes = np.zeros(slots, np.int64), np.empty(slots, np.int64)
        entries.rehash_strings(
            address(self._hashes),
            address(self._indexes),
            len(self._hashes),
            address(hashes),
            address(indexes),
            slots - 1,
        )
        self._hashes, self._indexes = hashes, indexes

    def __len__(self) -> int:
        return int(self._head[layout.S_COUNT])

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


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
