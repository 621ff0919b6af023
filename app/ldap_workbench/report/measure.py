"""What a report draws of the operations of windows: curves, values a pair, values a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ALL, Operations, client_operations, is_type
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.statistics import tail_curve

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]

_CURVE_POINTS = 240
_STEPS_A_WINDOW = 300
_KEPT = ("end_ns", "etime_ns", "kind", "internal", "own", "err")


@dataclass(frozen=True, eq=False)
class Curve:
    """Quantiles of etime: a share `p[i]` of `n` operations took `ns[i]` or less.

    The points lie evenly on log10(1 / (1 - p)).
    """

    arm: str
    name: str
    n: int
    p: Float64
    ns: Int64

    def at(self, p: float) -> int | None:
        """The etime at a quantile, from the nearest point at or above it; None beyond the last."""
        index = int(np.searchsorted(self.p, p))
        return int(self.ns[index]) if index < len(self.ns) else None


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


def curve(etimes: Int64, *, arm: str, name: str, floor_ns: int = 1) -> Curve:
    """The quantiles of etimes; what is below `floor_ns`, the step of the log, stays on it."""
    p, ns = tail_curve(etimes, _CURVE_POINTS)
    return Curve(arm, name, len(etimes), p, np.maximum(ns, floor_ns))


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
