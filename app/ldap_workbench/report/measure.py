"""What a report draws of the operations of windows: its columns, values a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ALL, Operations, client_operations, is_type
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

_STEPS_A_WINDOW = 300
_KEPT = ("end_ns", "etime_ns", "kind", "internal", "own", "err")


@dataclass(frozen=True, eq=False)
class Seconds:
    """A window in steps of time: operations started a second, and the longest etime of each step.

    `longest_ns` is 0 where nothing started.
    """

    time_ns: Int64
    per_second: Float64
    longest_ns: Int64


@dataclass(frozen=True, eq=False)
class Measured:
    """A window with the columns of its operations that numbers are made of."""

    window: Window
    resolution_ns: int
    operations: Operations
    seconds: Seconds

    def etimes(self, kind: str = ALL) -> Int64:
        """The etimes of one type, ns, in no order."""
        return self.operations.etime_ns[is_type(self.operations, kind)]


def measured(window: Window, operations: Operations, resolution_ns: int = 1) -> Measured:
    """Keep of a window's operations what is needed; the rest may be let go."""
    columns = {name: getattr(operations, name) for name in _KEPT}
    lean = replace(Operations.empty(), **columns)
    return Measured(window, resolution_ns, lean, _seconds(window, lean))


def trimmed(part: Measured, trim_ns: int) -> Measured:
    """Without the operations that start in the first `trim_ns` of the window."""
    if trim_ns <= 0:
        return part
    late = part.operations.start_ns >= part.window.start_ns + trim_ns
    return replace(part, operations=_take(part.operations, late))


def pooled(parts: Sequence[Measured]) -> Operations:
    """The operations of several windows together."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part.operations, name) for part in parts])
        for name in (_KEPT if parts else ())
    }
    return replace(Operations.empty(), **columns)


def _take(operations: Operations, mask: NDArray[np.bool_]) -> Operations:
    return replace(operations, **{name: getattr(operations, name)[mask] for name in _KEPT})


def _seconds(window: Window, operations: Operations) -> Seconds:
    clients = client_operations(operations)
    etimes = operations.etime_ns[clients]
    length = max(window.end_ns - window.start_ns, 1)
    step = max(NS_PER_S, length // _STEPS_A_WINDOW)
    count = -(-length // step)
    starts = operations.end_ns[clients] - etimes
    index = np.clip((starts - window.start_ns) // step, 0, count - 1)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, index, etimes)
    began = window.start_ns + np.arange(count, dtype=np.int64) * step
    width = np.minimum(step, window.end_ns - began) / NS_PER_S
    rate = np.bincount(index, minlength=count) / np.maximum(width, 1e-9)
    return Seconds(began, rate, longest)
