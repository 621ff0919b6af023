"""How many operations were at work at a time, out of the access log. Knows no Qt.

The counters of 389 DS tell it too, but are read every ten seconds only: to answer, the server walks
through all its connections. The log knows every hundredth of a second of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QCoreApplication

from ldap_workbench.gui.charts.grid import MarkAt, Part
from ldap_workbench.gui.charts.strip import Floats, Line, Strip
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

_FINEST_NS = NS_PER_S // 100
_MOMENTS = 2000
"""Moments of one window at the most."""


def in_flight(part: Part, window: Window) -> tuple[Floats, Floats]:
    """Seconds and the operations of the window that had begun and not ended by then."""
    ends, etimes = part
    span = max(1, window.end_ns - window.start_ns)
    step = max(_FINEST_NS, -(-span // _MOMENTS))
    slots = -(-span // step)
    begun = _counted((ends - etimes - window.start_ns) // step, slots)
    done = _counted((ends - window.start_ns) // step, slots)
    moments = window.start_ns / NS_PER_S + np.arange(1, slots + 1) * (step / NS_PER_S)
    return moments, np.cumsum(begun - done).astype(np.float64)


def flight_strip(
    parts: Sequence[Part], windows: Sequence[Window], marks: tuple[MarkAt, ...]
) -> Strip | None:
    """The strip of these windows, broken between them; None where no log tells."""
    if not any(len(ends) for ends, _ in parts):
        return None
    every = [in_flight(part, window) for part, window in zip(parts, windows, strict=True)]
    seconds = np.concatenate([np.append(at, at[-1] + 1e-3) for at, _ in every])
    values = np.concatenate([np.append(count, np.nan) for _, count in every])
    title = QCoreApplication.translate("StripStack", "In flight, as the log shows it")
    return Strip(title, lines=(Line("", seconds[:-1], values[:-1]),), marks=marks)


def _counted(slot: np.ndarray, slots: int) -> np.ndarray:
    """How many fall into each slot; those after the last are left out."""
    return np.bincount(np.clip(slot, 0, slots), minlength=slots + 1)[:slots]
