"""What the timeline shows of some windows. Knows no Qt; called in the session's thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldap_workbench.gui.charts.heatmap import HeatGrid, heat_grid
from ldap_workbench.gui.charts.strip import Strip
from ldap_workbench.gui.timeline.strips import Series, build_strips
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session


@dataclass(frozen=True, eq=False)
class Timeline:
    """A heat map and the strips under it, on one time axis."""

    grid: HeatGrid | None
    strips: tuple[Strip, ...]


def read_timeline(session: Session, windows: Sequence[Window]) -> Timeline:
    """Client operations and samples of these windows; marks between the first and the last."""
    if not windows:
        return Timeline(None, ())
    start, stop = min(w.start_ns for w in windows), max(w.end_ns for w in windows)
    marks = tuple(
        (mark.time_ns / NS_PER_S, mark.kind)
        for mark in session.marks()
        if start <= mark.time_ns <= stop
    )
    device = session.facts.device if session.facts else None
    names = sorted({name for window in windows for name in session.series_names(window)})

    def read(name: str) -> Series:
        parts = [session.samples(window, name) for window in windows]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    grid = heat_grid(*_operations(session, windows), start, stop, marks)
    spans = tuple((w.start_ns / NS_PER_S, w.end_ns / NS_PER_S, w.name, w.arm) for w in windows)
    return Timeline(replace(grid, spans=spans), tuple(build_strips(names, read, device, marks)))


def _operations(session: Session, windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray]:
    ends, etimes = [], []
    for window in windows:
        operations = session.latencies(window)
        clients = client_operations(operations)
        ends.append(operations.end_ns[clients])
        etimes.append(operations.etime_ns[clients])
    return np.concatenate(ends), np.concatenate(etimes)
