"""Watching the GUI thread for stalls: who was at work when the event loop was late."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer

LIMIT_S = 0.1
_TICK_MS = 5
_LOOK_S = 0.02


class StallWatch(QObject):
    """Ticks in the event loop; a thread of its own notes the Python stack when a tick is overdue.

    Time our threads spent waiting for a processor (any of them may hold the interpreter's lock) is
    the machine's doing and is taken off, where the system tells it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[tuple[float, str]] = []
        self._thread_id = threading.get_ident()
        self._delays: list[tuple[float, float]] = []
        self._running = threading.Event()
        self._stack = ""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Watch from now on."""
        self._delays = [(time.monotonic(), _run_delay_s())]
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
            late -= _run_delay_s() - self._delay_before(self._last)
        if late > LIMIT_S:
            self.stalls.append((late, self._stack or "no stack was seen"))
        self._mark()

    def _delay_before(self, moment: float) -> float:
        return next(delay for at, delay in reversed(self._delays) if at <= moment)

    def _look(self) -> None:
        while self._running.is_set():
            time.sleep(_LOOK_S)
            # Read here: in the GUI thread every file read gives the interpreter's lock away.
            self._delays.append((time.monotonic(), _run_delay_s()))
            if time.monotonic() - self._last > LIMIT_S * 0.6 and not self._stack:
                self._stack = _stack_of(self._thread_id)


def _stack_of(thread_id: int) -> str:
    """Where a thread is. Lets go of its frames before any file is read: a frame that is held keeps
    its variables, and a QPainter that outlives its paintEvent ends the process."""
    frames = traceback.walk_stack(sys._current_frames().get(thread_id))
    seen = traceback.StackSummary.extract(frames, lookup_lines=False)
    del frames
    return "".join(traceback.StackSummary.from_list(seen[:6][::-1]).format())


def _run_delay_s() -> float:
    """Seconds our threads were ready to run but had no processor, all together."""
    total = 0
    for file in Path("/proc/self/task").glob("*/schedstat"):
        try:
            total += int(file.read_text().split()[1])
        except (OSError, IndexError, ValueError):
            continue  # the thread has just ended, or the system does not tell
    return total / 1e9
