"""Watching the GUI thread for stalls: who was at work when the event loop was late."""

from __future__ import annotations

import itertools
import sys
import threading
import time
import traceback
from collections import deque
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer

LIMIT_S = 0.1
_TICK_MS = 5
_LOOK_S = 0.02
_PAUSE_S = 0.005
"""A wait for the lock at most, but for a machine at a standstill."""
_STANDSTILL_S = 0.05
"""A thread that hardly works waits as long for a processor only where the machine stands still."""
_KEPT = 3000
"""Looks that are remembered: a minute of them, and no stall is longer."""


class Waiting(NamedTuple):
    """What had been waited for a processor (s) until a moment."""

    at: float
    own: float
    """By the GUI thread."""
    others: dict[int, float]
    """By every other thread that may hold the interpreter's lock."""
    pauses: int
    """How often the GUI thread had let go of its processor by itself."""
    ran: float
    """How long the GUI thread had had a processor."""


class StallWatch(QObject):
    """Ticks in the event loop; a thread of its own notes the Python stack when a tick is overdue.

    What is the machine's doing is taken off, where the system tells it: the time the GUI thread
    itself waited for a processor, and the time it waited for the interpreter's lock while the
    thread that held it waited for one. A wait for the lock is a pause every few milliseconds, so
    there is no more of that than there were pauses, no more than the GUI thread slept, and no more
    than one thread waited: the waiting of all threads together would hide any stall behind busy
    workers. What the GUI thread itself worked is never taken off.

    Where even the watching thread gets no processor for long, the machine stands still: whoever
    holds the lock then keeps it for as long, the watching thread too.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[tuple[float, str]] = []
        self.longest_work_s = 0.0
        """What the GUI thread worked in one turn of the event loop at most."""
        self._thread_id = threading.get_ident()
        self._native_id = threading.get_native_id()
        self._waits: deque[Waiting] = deque(maxlen=_KEPT)
        self._running = threading.Event()
        self._stack = ""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Watch from now on."""
        self._waits.clear()
        self._waits.append(self._waiting())
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
        self._worked = time.thread_time()
        self._stack = ""

    def _tick(self) -> None:
        late = time.monotonic() - self._last
        worked = time.thread_time() - self._worked
        self.longest_work_s = max(self.longest_work_s, worked)
        if late > LIMIT_S:
            before, now = self._before(), self._waiting()
            left = max(worked, late - machine_s(before, now, self._standstill_s(before, now)))
            if left > LIMIT_S:
                told = f"late {late:.3f} s, {worked:.3f} s of it at work; {told_of(before, now)}\n"
                self.stalls.append((left, told + (self._stack or "no stack was seen")))
        self._mark()

    def _before(self) -> Waiting:
        """The last look before this turn of the event loop; the oldest there is, if need be."""
        looks = list(self._waits)
        return next((each for each in reversed(looks) if each.at <= self._last), looks[0])

    def _standstill_s(self, before: Waiting, now: Waiting) -> float:
        looks = [before, *(each for each in list(self._waits) if before.at < each.at < now.at), now]
        waited = [each.others.get(self._watcher.native_id or 0, 0.0) for each in looks]
        steps = [later - earlier for earlier, later in itertools.pairwise(waited)]
        return sum(step for step in steps if step > _STANDSTILL_S)

    def _waiting(self) -> Waiting:
        threads = {t.native_id for t in threading.enumerate() if t.native_id is not None}
        others = {each: _times_s(each).waited for each in threads - {self._native_id}}
        own = _times_s(self._native_id)
        return Waiting(time.monotonic(), own.waited, others, _pauses(self._native_id), own.ran)

    def _look(self) -> None:
        while self._running.is_set():
            time.sleep(_LOOK_S)
            # Read here: in the GUI thread every file read gives the interpreter's lock away.
            self._waits.append(self._waiting())
            if time.monotonic() - self._last > LIMIT_S * 0.6 and not self._stack:
                self._stack = _stack_of(self._thread_id)


def machine_s(before: Waiting, now: Waiting, standstill: float = 0.0) -> float:
    """Seconds between two moments that were the machine's doing."""
    longest = max((now.others[t] - before.others.get(t, 0.0) for t in now.others), default=0.0)
    for_the_lock = max(standstill, (now.pauses - before.pauses) * _PAUSE_S)
    ready = now.own - before.own
    slept = max(0.0, now.at - before.at - ready - (now.ran - before.ran))
    return ready + min(longest, for_the_lock, slept)


def told_of(before: Waiting, now: Waiting) -> str:
    """What the threads did between two moments, for whoever looks for the cause."""
    waited = sorted((now.others[t] - before.others.get(t, 0.0) for t in now.others), reverse=True)
    return (
        f"in {now.at - before.at:.3f} s ran {now.ran - before.ran:.3f}, "
        f"waited {now.own - before.own:.3f} for a processor, others "
        f"{', '.join(f'{each:.3f}' for each in waited[:3])}; {now.pauses - before.pauses} pauses"
    )


def _stack_of(thread_id: int) -> str:
    """Where a thread is. Lets go of its frames before any file is read: a frame that is held keeps
    its variables, and a QPainter that outlives its paintEvent ends the process."""
    frames = traceback.walk_stack(sys._current_frames().get(thread_id))
    seen = traceback.StackSummary.extract(frames, lookup_lines=False)
    del frames
    return "".join(traceback.StackSummary.from_list(seen[:6][::-1]).format())


class Times(NamedTuple):
    """Seconds a thread had a processor, and was ready to run but had none."""

    ran: float
    waited: float


def _times_s(native_id: int) -> Times:
    """What the system tells of a thread; 0 where it does not."""
    try:
        ran, waited, _ = Path(f"/proc/self/task/{native_id}/schedstat").read_text().split()
    except (OSError, ValueError):
        return Times(0.0, 0.0)  # it has just ended, or the system does not tell
    return Times(int(ran) / 1e9, int(waited) / 1e9)


def _pauses(native_id: int) -> int:
    """How often a thread has gone to sleep by itself; 0 where nobody tells."""
    try:
        lines = Path(f"/proc/self/task/{native_id}/status").read_text().splitlines()
    except OSError:
        return 0
    found = (line.split()[1] for line in lines if line.startswith("voluntary_ctxt_switches"))
    return int(next(found, "0"))
