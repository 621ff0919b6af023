"""Rows of operations on their way into a session: they wait until they fill row groups."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import COLUMNS, Operations

ROW_GROUP = 122_880
"""Rows that DuckDB packs together. A transaction of just so many goes straight into the file; what
is more or less goes through the write-ahead log and is packed a second time."""

Columns = dict[str, NDArray[Any]]


class WaitingRows:
    """A queue of operations of several sources, taken out in any number of rows."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[int, Operations]] = deque()
        self._used = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, source: int, operations: Operations) -> None:
        """Put rows at the end."""
        if len(operations):
            self._pieces.append((source, operations))
            self._count += len(operations)

    def take(self, count: int) -> Columns:
        """The first `count` rows, or all there are: 'source' and the columns of operations."""
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in ("source", *COLUMNS)}
        wanted = min(count, self._count)
        self._count -= wanted
        while wanted:
            source, operations = self._pieces[0]
            end = min(len(operations), self._used + wanted)
            parts["source"].append(np.full(end - self._used, source, np.int32))
            for name in COLUMNS:
                parts[name].append(getattr(operations, name)[self._used : end])
            wanted -= end - self._used
            self._used = end
            if end == len(operations):
                self._pieces.popleft()
                self._used = 0
        return {name: np.concatenate(those) for name, those in parts.items() if those}
