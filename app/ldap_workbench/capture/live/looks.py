"""What FOLLOW prints: looks at a log, each with the bytes that were new; and how fast both go."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ldap_workbench.capture.past.host_files import Unpacker, not_understood, unpacker

_SPAN_S = 8.0
"""Rates are of so many seconds at most, in which the link had something to bring all the time."""
_BEHIND_S = 3.0
"""A link that has not reached the end of the log for so long may be too slow for it."""


@dataclass(frozen=True)
class Look:
    """One look at a growing file: `count` bytes are new.

    `back` of those before them come first; `end` is where in the file they end, `size` its bytes,
    `written_s` when it was written last, `up_s` when the host looked, in seconds since it came up.
    """

    count: int
    back: int
    end: int
    size: int
    written_s: int
    up_s: int


class LookReader:
    """Takes what FOLLOW prints, in pieces of any size.

    `on_look` before the bytes of each look, `on_back` with those that lie before the new ones,
    `on_text` with these as they come, `on_end` behind the last.
    """

    def __init__(
        self,
        path: str,
        packer: str,
        on_look: Callable[[Look], None],
        on_back: Callable[[bytes], None],
        on_text: Callable[[bytes], None],
        on_end: Callable[[], None],
    ) -> None:
        self._path = path
        self._packer = packer
        self._on_look = on_look
        self._on_back = on_back
        self._on_text = on_text
        self._on_end = on_end
        self._pending = b""
        self._back = b""
        self._back_left = 0
        self._left = 0
        self._unpacker: Unpacker | None = None

    def feed(self, data: bytes) -> None:
        self._pending += data
        while self._pending and self._step():
            pass

    def _step(self) -> bool:
        """Take what can be taken now; whether something else may follow."""
        if self._unpacker is not None:
            return self._unpack(self._unpacker)
        if self._left:
            text, self._pending = self._pending[: self._left], self._pending[self._left :]
            self._left -= len(text)
            self._hand_on(text)
            if not self._left:
                self._on_end()
            return True
        line, newline, rest = self._pending.partition(b"\n")
        if not newline:
            return False
        self._pending = rest
        self._begin(self._look_of(line))
        return True

    def _look_of(self, line: bytes) -> Look:
        try:
            return Look(*map(int, line.split()))
        except (ValueError, TypeError) as error:  # no numbers, or not so many
            raise not_understood(self._path, line) from error

    def _begin(self, look: Look) -> None:
        self._on_look(look)
        self._back, self._back_left = b"", look.back
        if not look.count:
            self._on_end()
        elif self._packer:
            self._unpacker = unpacker(self._packer)
        else:
            self._left = look.back + look.count

    def _unpack(self, packed: Unpacker) -> bool:
        text, self._pending = packed.decompress(self._pending), b""
        self._hand_on(text)
        if packed.eof:
            self._pending = packed.unused_data
            self._unpacker = None
            self._on_end()
        return True

    def _hand_on(self, text: bytes) -> None:
        if self._back_left:
            begun, text = text[: self._back_left], text[self._back_left :]
            self._back += begun
            self._back_left -= len(begun)
            if not self._back_left:
                self._on_back(self._back)
        if text:
            self._on_text(text)


class Pace:
    """How fast a log grows and how fast its link brings it, over the last seconds.

    Both count bytes of text from the start of the capture, over all files.
    """

    def __init__(self) -> None:
        self.came = 0
        self._grown = 0
        self._up_s = 0
        self._least_lag_s = float("inf")
        self.late_s = 0.0
        """How much later than at best the last look has come: what was on its way before it."""
        self._points: deque[tuple[float, int, int, int]] = deque()
        self._whole_at = time.monotonic()
        self.at_end = False
        """Whether everything there was at the last look has come."""

    def looked(self, look: Look) -> None:
        """Before the bytes of a look come."""
        self._grown = self.came + look.count + look.size - look.end
        self._up_s = look.up_s
        lag_s = time.monotonic() - look.up_s
        self._least_lag_s = min(self._least_lag_s, lag_s)
        self.late_s = lag_s - self._least_lag_s
        self._note(always=True)

    def took(self, size: int) -> None:
        self.came += size
        self.at_end = False
        self._note()

    def ended(self) -> None:
        """All bytes of a look have come."""
        self.at_end = self.came >= self._grown and self.late_s < _BEHIND_S
        if self.at_end:
            self._whole_at = time.monotonic()
            self._points.clear()  # a link that waits for the log tells nothing of its own rate

    def broke(self) -> None:
        """The link is cut: what it does next is told from its start."""
        self.at_end = False
        self._least_lag_s = float("inf")  # the host may have been started anew
        self._points.clear()

    @property
    def behind(self) -> int:
        """Bytes that are known to be there and have not come."""
        return max(0, self._grown - self.came)

    @property
    def link_rate(self) -> float:
        """Bytes of text a second that come; 0 where it is not known."""
        (then, came, *_), (now, later, *_) = self._ends()
        return (later - came) / (now - then) if now > then else 0.0

    @property
    def log_rate(self) -> float:
        """Bytes a second by which the log grows, on its host's clock; 0 where it is not known."""
        (_, _, grown, then), (_, _, later, now) = self._ends()
        return (later - grown) / (now - then) if now > then else 0.0

    @property
    def slow(self) -> bool:
        """Whether the link is slower than the log.

        What a line holds on its way hides that for a while; it is seen by how late the looks come.
        """
        busy = time.monotonic() - self._whole_at > _BEHIND_S and not self.at_end
        return busy and 0 < self.link_rate < self.log_rate

    def _ends(self) -> tuple[tuple[float, int, int, int], tuple[float, int, int, int]]:
        none = (0.0, 0, 0, 0)
        return (self._points[0], self._points[-1]) if self._points else (none, none)

    def _note(self, *, always: bool = False) -> None:
        now = time.monotonic()
        if self._points and now - self._points[-1][0] < 0.25 and not always:
            return
        self._points.append((now, self.came, self._grown, self._up_s))
        while len(self._points) > 2 and now - self._points[1][0] > _SPAN_S:
            self._points.popleft()
