"""Workers whose threads run before anybody needs them.

Whoever starts a thread waits until it runs: no time as a rule, but a tenth of a second on a laptop
whose processors are all taken, and the window stood still meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor

_SPARE = 2
"""So many wait: a click seldom begins work for more new keys at once."""


class SpareWorkers:
    """Executors of one thread each. `take` and `shutdown` belong to one thread."""

    def __init__(self) -> None:
        self._idle: deque[ThreadPoolExecutor] = deque()

    def __len__(self) -> int:
        return len(self._idle)

    def take(self, name: str) -> ThreadPoolExecutor:
        """One for good, its thread named so; before its first work it makes the next."""
        taken = self._idle.popleft() if self._idle else ThreadPoolExecutor(1)
        taken.submit(self._begin, name)
        return taken

    def shutdown(self) -> None:
        """End those that nobody took, once all that were taken have ended."""
        while self._idle:
            self._idle.popleft().shutdown(wait=True)

    def _begin(self, name: str) -> None:
        """In the thread of one that was taken."""
        threading.current_thread().name = name
        while len(self._idle) < _SPARE:
            made = ThreadPoolExecutor(1)
            made.submit(int)  # anything: its thread runs from now on
            self._idle.append(made)
