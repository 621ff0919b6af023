"""Windows of counts that a simulation made, as the verdict takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.counting import Tally
from ldap_workbench.inference.counts.windows import WindowCounts

Float = NDArray[np.float64]


class CountedWindow(Protocol):
    """What `windows_from_counts` takes: counts H[type, bin, bucket] in bins of dt seconds."""

    arm: str
    pair: int
    dt: float
    H: NDArray[Any]


def windows_from_counts(
    windows: Sequence[CountedWindow], edges_s: Sequence[float] | Float, types: Sequence[str]
) -> list[WindowCounts]:
    """Windows of objects with `arm, pair, dt, H[type, bin, bucket]`; edges in seconds.

    `t0` (start, s), `errors` ({result code: operations}) and `flaws` are used where they exist.
    Raises ValueError where H does not fit the edges and types.
    """
    edges = _bounded(np.asarray(edges_s, np.float64))
    return [_from_counts(window, edges, tuple(types)) for window in windows]


def _bounded(edges: Float) -> Float:
    """Edges of buckets that can be drawn on a log scale: neither 0 nor infinite."""
    edges = edges.copy()
    if edges[0] <= 0:
        edges[0] = edges[1] / 2
    if not np.isfinite(edges[-1]):
        edges[-1] = edges[-2] * 2
    return edges


def _from_counts(window: CountedWindow, edges: Float, types: tuple[str, ...]) -> WindowCounts:
    dense = np.asarray(window.H)
    if dense.shape[0] != len(types) or dense.shape[2] != len(edges) - 1:
        raise ValueError("H must be [type, bin, bucket] with one bucket between two edges")
    # Rows of a flat array are found several times as fast as those of one with three axes.
    filled = np.flatnonzero(dense.reshape(-1) != 0)
    row, bucket = np.divmod(filled, dense.shape[2])
    kind, second = np.divmod(row, max(dense.shape[1], 1))
    return WindowCounts(
        window.arm,
        int(window.pair),
        float(window.dt),
        dense.shape[1],
        second,
        kind,
        bucket,
        dense.reshape(-1)[filled],
        edges,
        types,
        Tally(errors=dict(getattr(window, "errors", {}))),
        start_s=getattr(window, "t0", None),
        flaws=tuple(getattr(window, "flaws", ())),
    )
