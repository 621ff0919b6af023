"""The operations of a window as figures need them: some columns, whole, pooled or trimmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.timeline.heat_grid import Part
from ldap_workbench.model.operations import ALL, Operations, client_operations, is_type
from ldap_workbench.model.window import Window

Int64 = NDArray[np.int64]

_KEPT = ("end_ns", "etime_ns", "kind", "internal", "own", "err")


@dataclass(frozen=True, eq=False)
class Measured:
    """A window with the columns of its operations that numbers are made of."""

    window: Window
    resolution_ns: int
    operations: Operations

    def ended(self) -> Part:
        """Ends and etimes (ns) of client operations, in the order of their ends."""
        clients = client_operations(self.operations)
        ends, etimes = self.operations.end_ns[clients], self.operations.etime_ns[clients]
        order = np.argsort(ends, kind="stable")
        return ends[order], etimes[order]

    def etimes(self, kind: str = ALL) -> Int64:
        """The etimes of one type, ns, in no order."""
        return self.operations.etime_ns[is_type(self.operations, kind)]


def measured(window: Window, operations: Operations, resolution_ns: int = 1) -> Measured:
    """Keep of a window's operations what is needed; the rest may be let go."""
    columns = {name: getattr(operations, name) for name in _KEPT}
    lean = replace(Operations.empty(), **columns)
    return Measured(window, resolution_ns, lean)


def trimmed(part: Measured, trim_ns: int) -> Measured:
    """Without the operations that start in the first `trim_ns` of the window."""
    if trim_ns <= 0:
        return part
    late = part.operations.start_ns >= part.window.start_ns + trim_ns
    columns = {name: getattr(part.operations, name)[late] for name in _KEPT}
    return replace(part, operations=replace(part.operations, **columns))


def pooled(parts: Sequence[Measured]) -> Operations:
    """The operations of several windows together."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part.operations, name) for part in parts])
        for name in (_KEPT if parts else ())
    }
    return replace(Operations.empty(), **columns)
