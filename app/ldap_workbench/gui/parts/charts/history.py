"""Back and forward through what a chart has shown; one history for charts of one time axis."""

from __future__ import annotations

import time

Limits = tuple[list[float], list[float]]
"""Lowest and highest of the bottom axis, and of the left one."""
_TOGETHER, _TOGETHER_S = ("wheel", "arrows", "keys"), 0.8
"""Turns of a wheel and held keys in quick succession are one step."""
_MOST = 100


class ZoomHistory:
    """What was shown before; a new step forgets what lay ahead."""

    def __init__(self) -> None:
        self._before: list[Limits] = []
        self._ahead: list[Limits] = []
        self._kind = ""
        self._last = 0.0

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._ahead)

    def remember(self, shown: Limits, kind: str) -> None:
        """Keep what is shown now: a step of this kind ('wheel', 'drag' ...) changes it."""
        now = time.monotonic()
        goes_on = kind in _TOGETHER and kind == self._kind and now - self._last < _TOGETHER_S
        self._kind, self._last = kind, now
        if not goes_on:
            self._before = [*self._before, shown][-_MOST:]
            self._ahead = []

    def back(self, shown: Limits) -> Limits | None:
        """What was shown before `shown`; None where that was the first."""
        return self._step(self._before, self._ahead, shown)

    def forward(self, shown: Limits) -> Limits | None:
        """What was shown after `shown`; None where that was the last."""
        return self._step(self._ahead, self._before, shown)

    def clear(self) -> None:
        """Forget all: other data is shown."""
        self._before, self._ahead, self._kind = [], [], ""

    def _step(self, source: list[Limits], target: list[Limits], shown: Limits) -> Limits | None:
        self._kind = ""
        if not source:
            return None
        target.append(shown)
        return source.pop()
