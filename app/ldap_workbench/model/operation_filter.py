"""Which operations a finding is about, as a few conditions that all hold."""

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


@dataclass(frozen=True)
class OperationFilter:
    """Operations that meet every condition that is set; texts are whole texts of the log.

    Only those of clients, unless `internal` says otherwise.

    `start_ns` and `end_ns` enclose them: they begin no earlier and end no later. `count` is how
    many it finds in the session.
    """

    start_ns: int
    end_ns: int
    count: int
    type: str = ""
    error: int | None = None
    filter: str | None = None
    base: str | None = None
    client: str | None = None
    bind_dn: str | None = None
    notes: str = ""
    """Letters of `notes=`, all of which the operation has."""
    least_ns: int | None = None
    """Etime at least."""
    most_ns: int | None = None
    """Etime at most."""
    ended_from_ns: int | None = None
    """They end no earlier."""
    not_filters: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    listed: tuple[tuple[int, int], ...] = ()
    """Connection and number of each, where nothing else tells them from others; else empty."""
    internal: bool = False
    """Whether the server's own operations are among them."""
    source: int | None = None
    """The log they are in, where another one has operations of the same time."""
    rows: RowSet | None = None
    """Their rows among all operations of the window, where no conditions tell them from others."""
    own: bool = False
    """Whether those of the workbench are among them; only with `rows`."""
    finding: str = ""
    """What `rows` are called in words: the finding's id and the number of its evidence."""
