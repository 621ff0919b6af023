"""Watching the GUI thread for stalls: who was at work when the event loop was late."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer

LIMIT_S = 0.1
_TICK_MS = 5
_LOOK_S = 0.02


class Waiting(NamedTuple):
    """What had been waited for a processor (s) until a moment."""

    at: float
    own: float
    """By the GUI thread."""
    others: dict[int, float]
    """By every other thread that may hold the interpreter's lock."""
    pauses: int
    """How often the GUI thread had let go of its processor by itself."""


class StallWatch(QObject):
    """Ticks in the event loop; a thread of its own notes the Python stack when a tick is overdue.

    What is the machine's doing is taken off, where the system tells it: the time the GUI thread
    itself waited for a processor, and the time it waited for the interpreter's lock while the
    thread that held it waited for one. A wait for the lock is a pause every few milliseconds, so
    there is no more of that than there were pauses, and no more than one thread waited: the waiting
    of all threads together would hide any stall behind busy workers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[tuple[float, str]] = []
        self._thread_id = threading.get_ident()
        self._native_id = threading.get_native_id()
        self._waits: list[Waiting] = []
        self._running = threading.Event()
        self._stack = ""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Watch from now on."""
        self._waits = [self._waiting()]
        self._mark()
        self._timer.start()
        self._running.set()
        self._watcher = threading.Thread(target=self._look, name="stall-watch", daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        """Watch no longer; what was late until now counts."""
        self._tick()
        self._timer.stop()
        self._running.clear()
        self._watcher.join()

    def forgive(self) -> None:
        """What happened since the last turn of the event loop is the test's own doing."""
        self._mark()

    def _mark(self) -> None:
        self._last = time.monotonic()
        self._stack = ""

    def _tick(self) -> None:
        late = time.monotonic() - self._last
        if late > LIMIT_S:
            before = next(each for each in reversed(self._waits) if each.at <= self._last)
            late -= machine_s(before, self._waiting())
        if late > LIMIT_S:
            self.stalls.append((late, self._stack or "no stack was seen"))
        self._mark()

    def _waiting(self) -> Waiting:
        threads = {t.native_id for t in threading.enumerate() if t.native_id is not None}
        others = {each: _delay_s(each) for each in threads - {self._native_id}}
        own, pauses = _delay_s(self._native_id), _pauses(self._native_id)
        return Waiting(time.monotonic(), own, others, pauses)

    def _look(self) -> None:
        while self._running.is_set():
            time.sleep(_LOOK_S)
            # Read here: in the GUI thread every file read gives the interpreter's lock away.
            self._waits.append(self._waiting())
            if time.monotonic() - self._last > LIMIT_S * 0.6 and not self._stack:
                self._stack = _stack_of(self._thread_id)


def machine_s(before: Waiting, now: Waiting) -> float:
    """Seconds between two moments that were the machine's doing."""
    longest = max((now.others[t] - before.others.get(t, 0.0) for t in now.others), default=0.0)
    for_the_lock = (now.pauses - before.pauses) * sys.getswitchinterval()
    return now.own - before.own + min(longest, for_the_lock)


def _stack_of(thread_id: int) -> str:
    """Where a thread is. Lets go of its frames before any file is read: a frame that is held keeps
    its variables, and a QPainter that outlives its paintEvent ends the process."""
    frames = traceback.walk_stack(sys._current_frames().get(thread_id))
    seen = traceback.StackSummary.extract(frames, lookup_lines=False)
    del frames
    return "".join(traceback.StackSummary.from_list(seen[:6][::-1]).format())


def _delay_s(native_id: int) -> float:
    """Seconds a thread was ready to run but had no processor; 0 where nobody tells."""
    try:
        return int(Path(f"/proc/self/task/{native_id}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0  # it has just ended, or the system does not tell


def _pauses(native_id: int) -> int:
    """How often a thread has gone to sleep by itself; 0 where nobody tells."""
    try:
        lines = Path(f"/proc/self/task/{native_id}/status").read_text().splitlines()
    except OSError:
        return 0
    found = (line.split()[1] for line in lines if line.startswith("voluntary_ctxt_switches"))
    return int(next(found, "0"))
