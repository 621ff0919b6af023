"""The clock of the practice directory: it may run faster than the wall."""

from __future__ import annotations

import time

from ldap_workbench.model.units import NS_PER_S


class PracticeClock:
    """Practice time starts at the wall's time and runs `speed` times as fast."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.epoch_ns = time.time_ns()
        self._began_ns = time.monotonic_ns()

    def seconds(self) -> float:
        """Practice seconds since the start."""
        return (time.monotonic_ns() - self._began_ns) * self.speed / NS_PER_S

    def now_ns(self) -> int:
        """Practice time, ns since 1970 UTC."""
        return self.epoch_ns + int((time.monotonic_ns() - self._began_ns) * self.speed)

    def wall_seconds(self, practice_seconds: float) -> float:
        """How long a person waits for so many practice seconds."""
        return practice_seconds / self.speed
