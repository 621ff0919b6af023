"""Rows of operations on their way into a session: they wait until they fill a row group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import COLUMNS, RARE, Operations

ROW_GROUP = 122_880
"""Rows that DuckDB packs together. A transaction of just so many goes straight into the file; what
is more or less goes through the write-ahead log and is packed a second time."""

Columns = dict[str, NDArray[Any]]


class WaitingRows:
    """Room for one row group, of operations of several sources, used again and again.

    Fresh memory for each would cost more than filling it.
    """

    def __init__(self) -> None:
        self._columns: Columns = {"source": np.empty(ROW_GROUP, np.int32)}
        self._columns |= {name: np.empty(ROW_GROUP, dtype) for name, dtype in COLUMNS.items()}
        self._count = 0
        self._said: set[str] = set()

    def __len__(self) -> int:
        return self._count

    @property
    def full(self) -> bool:
        return self._count == ROW_GROUP

    def add(self, source: int, operations: Operations, first: int = 0) -> int:
        """Copy rows from `first` on, as many as there is room for; returns how many."""
        count = min(len(operations) - first, ROW_GROUP - self._count)
        here = slice(self._count, self._count + count)
        self._columns["source"][here] = source
        for name in COLUMNS:
            values = getattr(operations, name)[first : first + count]
            if name in RARE and name not in self._said:
                if not (values != RARE[name]).any():
                    continue
                self._said.add(name)
                self._columns[name][: self._count] = RARE[name]
            self._columns[name][here] = values
        self._count += count
        return count

    def take(self) -> Columns:
        """'source' and the columns of operations, of all rows; good until the next `add`.

        A column of RARE in which nothing is said is left out: it takes neither time nor room.
        """
        unsaid = RARE.keys() - self._said
        rows = {
            name: column[: self._count]
            for name, column in self._columns.items()
            if name not in unsaid
        }
        self._said.clear()
        self._count = 0
        return rows
