"""Any number of rows of a window, in few bytes."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_QUICKLY = 1
"""Level of compression: half of ten million rows take 1.25 MB in any case, a few long runs next to
nothing."""


@dataclass(frozen=True)
class RowSet:
    """Some of `total` rows: a bit for each row, compressed."""

    total: int
    packed: bytes

    @classmethod
    def of(cls, total: int, rows: NDArray[np.intp]) -> RowSet:
        """The set of these rows, each 0 <= row < total."""
        mask = np.zeros(total, bool)
        mask[rows] = True
        return cls(total, zlib.compress(np.packbits(mask).tobytes(), _QUICKLY))

    def mask(self) -> NDArray[np.bool_]:
        """Whether each row is among them, [total]."""
        bits = np.frombuffer(zlib.decompress(self.packed), np.uint8)
        return np.unpackbits(bits, count=self.total).astype(bool)
