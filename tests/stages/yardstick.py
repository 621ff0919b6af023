"""How fast a processor of this machine is at the moment, against one of a laptop.

The same work took 1 to 2.3 times as long within an hour on a machine that others share: times of a
run say little without this beside them.
"""

from __future__ import annotations

import time
from statistics import median

_TURNS, _REFERENCE_S = 20_000, 0.0011
"""A piece of work in Python, and what it takes on the reference: the processor of a laptop, 55 ns a
turn. A core of a server (an EPYC at 2.5 GHz) takes 80 ns, one that it shares up to 130."""
_EVERY_S = 20.0


def slowness() -> float:
    """How many times longer than the reference this thread's processor takes now.

    The median of five: a first one may have to fetch its memory, and any one may be disturbed.
    """
    taken = []
    for _ in range(5):
        before = time.thread_time()
        sum(number * number % 7 for number in range(_TURNS))
        taken.append(time.thread_time() - before)
    return median(taken) / _REFERENCE_S


class Yardstick:
    """What `slowness` was now and then while something ran."""

    def __init__(self) -> None:
        self._looked_at = float("-inf")
        self._seen: list[float] = []

    def look(self) -> None:
        """Look, where the last look is a while ago."""
        if time.monotonic() - self._looked_at >= _EVERY_S:
            self._looked_at = time.monotonic()
            self._seen.append(slowness())

    @property
    def usual(self) -> float:
        return median(self._seen)

    def summary(self) -> str:
        return (
            f"A processor took {self.usual:.1f} times as long as the reference for the same work"
            f" ({min(self._seen):.1f} to {max(self._seen):.1f} times)"
        )
