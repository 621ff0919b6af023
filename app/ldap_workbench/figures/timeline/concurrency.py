"""Concurrency: how many operations were at work at a time, from the access log.

The counters of 389 DS show it too, but are read every ten seconds only: to answer, the server walks
through all its connections. The log has every hundredth of a second of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldap_workbench.figures.timeline.heat_grid import MarkAt, Part
from ldap_workbench.figures.timeline.strips import Floats, Line, Strip, joined
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

TITLE = Message("Concurrency (access log)")
_FINEST_NS = NS_PER_S // 100
_SLOTS = 100_000
"""Moments of one window that are looked at, at the most."""
_POINTS, _LEAST = 1200, 40
"""Points of the strip, and at least so many of each window: a line that goes up and down at every
one is slow to paint."""


def concurrency(part: Part, window: Window, points: int) -> tuple[Floats, Floats]:
    """Seconds, and the most operations of the window at work at a time since the second before.

    At most `points` of them. At work are those that had begun and not ended, looked at every
    hundredth of a second.
    """
    ends, etimes = part
    span = max(1, window.end_ns - window.start_ns)
    step = max(_FINEST_NS, -(-span // _SLOTS))
    slots = -(-span // step)
    begun = _counted((ends - etimes - window.start_ns) // step, slots)
    done = _counted((ends - window.start_ns) // step, slots)
    at_work = np.cumsum(begun - done)
    together = -(-slots // points)
    firsts = np.arange(0, slots, together)
    lasts = np.minimum(firsts + together, slots)
    seconds = window.start_ns / NS_PER_S + lasts * (step / NS_PER_S)
    return seconds, np.maximum.reduceat(at_work, firsts).astype(np.float64)


def concurrency_strip(
    parts: Sequence[Part], windows: Sequence[Window], marks: tuple[MarkAt, ...]
) -> Strip | None:
    """The strip of these windows, broken between them; None where no log tells."""
    if not any(len(ends) for ends, _ in parts):
        return None
    points = max(_LEAST, _POINTS // len(windows))
    every = [concurrency(part, window, points) for part, window in zip(parts, windows, strict=True)]
    return Strip(TITLE, lines=(Line(NOTHING, *joined(every)),), marks=marks)


def _counted(slot: np.ndarray, slots: int) -> np.ndarray:
    """How many fall into each slot; those after the last are left out."""
    return np.bincount(np.clip(slot, 0, slots), minlength=slots + 1)[:slots]
