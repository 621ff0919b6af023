"""Strips from the access log: operations started a second, and the peak etime of those."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.figures.timeline.heat_grid import Part
from ldap_workbench.figures.timeline.strips import Floats, Line, Strip, joined
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

STARTED = Message("Operations started (access log)")
PEAK = Message("Peak etime (access log)")
_STEPS_A_WINDOW = 300


def log_strips(parts: Sequence[Part], windows: Sequence[Window]) -> list[Strip]:
    """Both strips of these windows, broken between them; [] where no operation was logged.

    In steps of a second at least, in which operations count that *started*: the peak is that of
    what was asked then. nan where nothing started.
    """
    if not any(len(ends) for ends, _ in parts):
        return []
    rates, peaks = [], []
    for part, window in zip(parts, windows, strict=True):
        seconds, started, peak = started_in(part, window)
        rates.append((seconds, started))
        peaks.append((seconds, peak))
    return [
        Strip(STARTED, "/s", (Line(NOTHING, *joined(rates)),)),
        Strip(PEAK, lines=(Line(NOTHING, *joined(peaks)),), duration=True),
    ]


def started_in(part: Part, window: Window) -> tuple[Floats, Floats, Floats]:
    """Where each step begins (s), operations started a second, and their longest etime (ns)."""
    ends, etimes = part
    length = max(window.end_ns - window.start_ns, 1)
    step = max(NS_PER_S, length // _STEPS_A_WINDOW)
    count = -(-length // step)
    index = np.clip((ends - etimes - window.start_ns) // step, 0, count - 1)
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, index, etimes)
    begins: NDArray[np.int64] = window.start_ns + np.arange(count, dtype=np.int64) * step
    width = np.minimum(step, window.end_ns - begins) / NS_PER_S
    started = np.bincount(index, minlength=count) / np.maximum(width, 1e-9)
    return begins / NS_PER_S, started, np.where(longest > 0, longest, np.nan)
