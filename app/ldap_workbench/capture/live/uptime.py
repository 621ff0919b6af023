"""The server's time at an uptime of its host."""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.model.units import NS_PER_S


class Uptime:
    """Both clocks run on, so the first pair of times tells all others."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._zero_ns: int | None = None

    def __call__(self, up_s: float) -> int:
        passed = round(up_s * NS_PER_S)
        if self._zero_ns is None:
            self._zero_ns = self._now_ns() - passed
        return self._zero_ns + passed
