"""A table of strings that grows in the kernel and is decoded only where somebody looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from ldap_workbench_kernel import Kernel


class StringTable(Sequence[str]):
    """Texts by index. An index stays valid while the table grows."""

    def __init__(self, kernel: Kernel, table: int) -> None:
        self._kernel, self._table = kernel, table

    def __len__(self) -> int:
        return self._kernel.count(self._table)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            start, end, step = index.indices(len(self))
            if step == 1:
                return self._texts(start, end)
            return [self[i] for i in range(start, end, step)]
        count = len(self)
        if not -count <= index < count:
            raise IndexError(index)
        return self._texts(index % count, index % count + 1)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts(0, len(self)))

    def _texts(self, start: int, end: int) -> list[str]:
        texts = self._kernel.texts(self._table, start, end)
        return [text.decode("utf-8", "replace") for text in texts]
