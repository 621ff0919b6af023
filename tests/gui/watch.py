"""Watching the GUI thread for stalls: where it was when the event loop was late."""

from __future__ import annotations

import ctypes
import faulthandler
import itertools
import platform
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer

from tests.stages.yardstick import slowness

LIMIT_S = 0.1
"""How long the window may be at work in one turn, on a processor as fast as the reference."""

_SLOWEST = 3.0
"""So many times slower than the reference a processor may be; what is slower still counts."""

_TICK_MS = 5
_LOOK_S = 0.01
_REMEMBERED = 6000
"""Looks that are remembered: a minute of them, and no stall is longer."""


LOCK = "202" if platform.machine() == "x86_64" else "98"
"""The number of the call futex, in which a thread waits for a lock."""


class Times(NamedTuple):
    """What a thread has had until now, from schedstat."""

    ran: float
    """Seconds it had a processor."""
    waited: float
    """Seconds it was ready to run but had no processor."""
    turns: int
    """How often it was given a processor."""


class Look(NamedTuple):
    """What the watching thread sees of a moment."""

    at: float
    call: str
    """The call of the system that the GUI thread sleeps in, by its number; '' while it does not."""
    turns: int
    """How often the GUI thread had been given a processor."""
    others: dict[int, Times]
    """What every other Python thread had."""


class StallWatch(QObject):
    """Ticks in the event loop; a thread of its own notes the Python stack when a tick is overdue.

    A stall is the wall time of a turn of the event loop, minus the time its thread waited for a
    processor. What is left is work, or sleep. Work counts in full. Sleep is one of three things:

    - The thread is blocked: on the database, a socket, a lock. `blocked_s` sees it, and it counts;
      of a lock, what other threads waited for a processor is taken off, for one of them has it.
    - It waits for the interpreter's lock. That counts as far as `lock_s` knows that another thread
      was at work: who holds the lock but has no processor is kept from it by the machine.
    - It waits for a page of its own code or memory. That is the machine's doing.

    Work counts as the reference would have done it: a processor that shares its core with another
    machine, or is throttled, takes twice as long over the same work, and schedstat cannot see it.
    How slow it is just then is measured right after the turn.

    Where the system has no schedstat, every late turn is a stall.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[tuple[float, str]] = []
        self.longest_work_s = 0.0
        """The most the GUI thread worked in one turn of the event loop, as the reference does."""
        self._thread_id = threading.get_ident()
        self._native_id = threading.get_native_id()
        self._looks: deque[Look] = deque(maxlen=_REMEMBERED)
        self._running = threading.Event()
        self._slowness = 1.0
        self._stack = ""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Watch from now on."""
        self._slowness = slowness()
        self._looks.clear()
        self._looks.append(self._look())
        self._mark()
        self._timer.start()
        self._running.set()
        self._watcher = threading.Thread(target=self._watch, name="stall-watch", daemon=True)
        self._watcher.start()
        _at_work.add(self)

    def stop(self) -> None:
        """Watch no longer; what was late until now counts."""
        _at_work.discard(self)
        self._tick()
        self._timer.stop()
        self._running.clear()
        self._watcher.join()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What happens meanwhile is no stall, unless in a turn of the event loop."""
        self._tick()
        yield
        self._mark()

    def _mark(self) -> None:
        self._last = time.monotonic()
        self._worked = time.thread_time()
        self._times = times(self._native_id)
        self._stack = ""

    def _tick(self) -> None:
        late = time.monotonic() - self._last
        worked = time.thread_time() - self._worked
        slower = 1.0
        if late > LIMIT_S:
            ready = times(self._native_id).waited - self._times.waited
            slept = max(0.0, late - worked - ready)
            looks = self._turn()
            blocked = min(slept, blocked_s(looks))
            excused = min(blocked, blocked_s(looks, LOCK), self._workers_waited_s(looks))
            locked = lock_s(looks, slept - blocked)
            if worked > LIMIT_S / 2:
                # It changes within a second beside others: the slower of a look before and after.
                slower = min(max(self._slowness, slowness(), 1.0), _SLOWEST)
            stall = worked / slower + blocked - excused + locked
            if stall > LIMIT_S:
                calls = ", ".join(sorted({look.call for look in looks} - {""}))
                account = (
                    f"late {late:.3f} s: worked {worked:.3f} on a processor {slower:.2f} times as "
                    f"slow as the reference, waited {ready:.3f} for a processor, "
                    f"slept {slept:.3f}, of it blocked {blocked:.3f} (calls {calls}; {excused:.3f} "
                    f"excused), and {locked:.3f} while other threads worked\n"
                )
                self.stalls.append((stall, account + (self._stack or "no stack was seen")))
        self.longest_work_s = max(self.longest_work_s, worked / slower)
        self._mark()

    def _turn(self) -> list[Look]:
        """The looks of this turn of the event loop: from the last before it until now."""
        looks = [*self._looks, self._look()]
        begin = max((n for n, look in enumerate(looks) if look.at <= self._last), default=0)
        return looks[begin:]

    def _look(self) -> Look:
        """Keeps the interpreter's lock throughout: nothing of Python happens meanwhile."""
        threads = {t.native_id for t in threading.enumerate() if t.native_id is not None}
        others = {thread: times(thread) for thread in threads - {self._native_id}}
        turns = times(self._native_id).turns
        return Look(time.monotonic(), _call(self._native_id), turns, others)

    def _workers_waited_s(self, looks: list[Look]) -> float:
        """What all threads but that of the watch waited for a processor."""
        return gained(looks, without=self._watcher.native_id).waited

    def _watch(self) -> None:
        while self._running.is_set():
            time.sleep(_LOOK_S)
            self._looks.append(self._look())
            if time.monotonic() - self._last > LIMIT_S * 0.6 and not self._stack:
                self._stack = stack_of(self._thread_id)


_at_work: set[StallWatch] = set()


@contextmanager
def aside() -> Iterator[None]:
    """For what a test does in the GUI thread by itself, and no part of the window: no stall."""
    with ExitStack() as stack:
        for watch in _at_work:
            stack.enter_context(watch.aside())
        yield


def blocked_s(looks: Iterable[Look], call: str = "") -> float:
    """How long the GUI thread was blocked, in one call or any; by two looks too long at most.

    Asleep at two looks, and never awake between them. A thread that waits for the interpreter's
    lock wakes all the time: after a turn of the interpreter (5 ms at most), and whenever the lock
    changes hands, as it does for each look.
    """
    proven = sum(
        later.at - earlier.at
        for earlier, later in itertools.pairwise(looks)
        if earlier.call and later.call and earlier.turns == later.turns
        if call in ("", later.call)
    )
    return proven + 2 * _LOOK_S if proven else 0.0


def lock_s(looks: list[Look], slept: float) -> float:
    """How much of its sleep the GUI thread waited for others at work, in seconds.

    No more than the other Python threads worked, and than is left after what they waited for a
    processor themselves.
    """
    ran, waited, _ = gained(looks)
    return max(0.0, min(ran, slept - waited))


def gained(looks: list[Look], without: int | None = None) -> Times:
    """What all other threads together had between the first and the last look."""
    before, new = looks[0].others, Times(0.0, 0.0, 0)
    rows = [
        (now, before.get(thread, new))
        for thread, now in looks[-1].others.items()
        if thread != without
    ]
    return Times(
        sum(now.ran - then.ran for now, then in rows),
        sum(now.waited - then.waited for now, then in rows),
        sum(now.turns - then.turns for now, then in rows),
    )


def stack_of(thread_id: int) -> str:
    """Where a thread is, the last of six calls the innermost.

    Written by faulthandler, which holds no frame: whoever holds one when its function returns is
    left with its variables. A QPainter that outlives its paintEvent ends the process, and a widget
    destroyed in another thread waits there for the event loop for ever.
    """
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback(file)
        file.seek(0)
        threads = file.read().decode("utf-8", "replace").split("\n\n")
    for thread in threads:
        heading, *calls = thread.splitlines()
        if f"0x{thread_id:016x} " in heading:
            return "".join(f"{call}\n" for call in calls[:6][::-1])
    return ""


def times(native_id: int) -> Times:
    """What the system says of a thread of this process; zeros where it does not."""
    text = _text(f"/proc/self/task/{native_id}/schedstat")
    if not text:
        return Times(0.0, 0.0, 0)  # it has just ended, or the system does not say
    ran, waited, turns = text.split()
    return Times(int(ran) / 1e9, int(waited) / 1e9, int(turns))


def _call(native_id: int) -> str:
    """The call a thread sleeps in; none on waiting for a page of memory: the system says -1."""
    if words := _text(f"/proc/self/task/{native_id}/syscall").decode().split():
        return "" if words[0] in ("running", "-1") else words[0]
    state = _text(f"/proc/self/task/{native_id}/stat").rpartition(b")")[2]
    return "asleep" if state.split()[:1] == [b"S"] else ""


_libc = ctypes.PyDLL(None) if Path("/proc/self/schedstat").exists() else None
"""Calls that keep the interpreter's lock. Python's own files give it away with every read, and the
GUI thread would have to wait until it has it again."""


def _text(path: str) -> bytes:
    """A file of /proc, as far as it is of use here; empty where there is none."""
    if _libc is None:
        return b""
    handle = _libc.open(path.encode(), 0)
    if handle < 0:
        return b""
    buffer = ctypes.create_string_buffer(512)
    length = _libc.read(handle, buffer, len(buffer))
    _libc.close(handle)
    return buffer.raw[: max(0, length)]
