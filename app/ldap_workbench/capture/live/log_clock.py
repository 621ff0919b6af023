"""Whether the times in a log are those by which its window was placed.

Our own searches are asked at a known time and stand in the log with the log's time. Where the two
differ by more than the answer took, a clock was set or the two never agreed: the host's clock, that
of the log alone, or this computer's. A clock that is set and set back between two of our searches
shows in the order of the lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.scan_statistics import OpenRequest
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_APART_NS = 2 * NS_PER_S
"""Times that differ by less agree: many logs print whole seconds, syslog dates a line when it comes
to it, and a thread may wait between the time of its line and the writing of it."""
_DATED_APART_NS = NS_PER_S // 4
"""The same where a server dates its lines itself, to fractions of a second. Our own searches never
lay outside of when they were asked, on a busy machine either; but time services slew away an offset
of up to 0.13 s (ntpd) within minutes, which is no step."""
_DRIFT = 5000
"""Two clocks that nobody sets come apart by one part in so many of the time since their reading."""
_BACK_NS = 5 * NS_PER_S
"""Lines that are older than those before them, and go on for so long, are no stragglers: threads of
389 DS 2.3.1 wait for up to four seconds with lines that have their times while it packs a log."""


@dataclass(frozen=True)
class ClockStep:
    """How far the log's clock moved ahead, below 0 back, and the last time in the log before that.

    `after_ns` is None where no line shows the moment. `always`: it was so from the start.
    """

    step_ns: int
    after_ns: int | None = None
    always: bool = False

    @property
    def why(self) -> Message:
        """What is wrong with the window."""
        step, after, ahead = abs(self.step_ns), self.after_ns, self.step_ns > 0
        if self.always and ahead:
            return Message(
                "the log's times are {step:duration} ahead of the clock by which this window was "
                "placed: it lacks operations, or has some of another time",
                step=step,
            )
        if self.always:
            return Message(
                "the log's times are {step:duration} behind the clock by which this window was "
                "placed: it lacks operations, or has some of another time",
                step=step,
            )
        if after is None and ahead:
            return Message(
                "within the window the log's clock moved {step:duration} ahead of this computer's: "
                "operations after that are missing, or at a wrong time",
                step=step,
            )
        if after is None:
            return Message(
                "within the window the log's clock fell {step:duration} behind this computer's: "
                "operations after that are missing, or at a wrong time",
                step=step,
            )
        if ahead:
            return Message(
                "the log's clock was set forward by {step:duration} after {after:time}: operations "
                "from there on are missing, or at a wrong time",
                step=step,
                after=after,
            )
        return Message(
            "the log's clock was set back by {step:duration} after {after:time}: operations from "
            "there on are missing, or at a wrong time",
            step=step,
            after=after,
        )


class LogClock:
    """Takes the operations of a log in their order, and when our own searches were asked.

    `now_ns` is the server's time as the windows are placed by it, known to within `error_ns` when
    it was read, `age_ns` ago; None where it is not known who dates the lines of the log. It runs at
    `rate` times the wall's.
    """

    def __init__(
        self,
        now_ns: Callable[[], int] = time.time_ns,
        error_ns: int = 0,
        rate: float = 1.0,
        age_ns: Callable[[], int] | None = None,
    ) -> None:
        self._now_ns = now_ns
        self._age_ns = age_ns
        self._error_ns = error_ns
        self._apart_ns = round((_APART_NS + error_ns) * rate)
        self._back_ns = round(_BACK_NS * rate)
        self._asked: dict[str, tuple[int, int | None]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._order = _Order(self._apart_ns)

    def asking(self, base: str) -> None:
        """A search of `base`, which nobody else asks for, goes out now."""
        self._asked[base] = self._now_ns(), None

    def answered(self, base: str) -> None:
        """It has been answered, or given up: what is logged of it is logged."""
        self._asked[base] = self._asked[base][0], self._now_ns()

    def add(self, operations: Operations) -> None:
        if not len(operations):
            return
        self._order.add(operations.end_ns)
        own = operations.take(operations.own)
        if len(self._stamps) < len(self._asked) and len(own):
            bases = [text_at(own.bases, place) for place in own.base.tolist()]
            self._note(zip(bases, own.start_ns.tolist(), own.end_ns.tolist(), strict=True))

    def step(self, unanswered: Iterable[OpenRequest] = ()) -> ClockStep | None:
        """What its times show by now; None where they are the window's.

        `unanswered`: requests whose results are not in the log yet.
        """
        ours = [request for request in unanswered if request.base in self._asked]
        self._note((request.base, request.start_ns, request.start_ns) for request in ours)
        if ours:
            self._order.add(np.array([request.start_ns for request in ours], np.int64))
        agree_ns = self._agree_ns()
        asked = [base for base in list(self._asked) if base in self._stamps]
        offsets = [self._offset(base, agree_ns) for base in asked]
        first, last = (offsets[0], offsets[-1]) if offsets else (0, 0)
        moved = last - first if len(offsets) > 1 else last
        if first and abs(moved) <= agree_ns:
            return ClockStep(last, always=True)
        if moved:
            return self._order.placed(moved)
        if self._order.back.lasted_ns >= self._back_ns:
            return self._order.back.step
        ahead = self._order.newest_ns - self._now_ns()
        return self._order.placed(ahead) if ahead > self._apart_ns else None

    def _note(self, searches: Iterable[tuple[str, int, int]]) -> None:
        for base, start_ns, end_ns in searches:
            if base in self._asked:
                self._stamps.setdefault(base, (start_ns, end_ns))

    def _agree_ns(self) -> int:
        """By how much times that agree may differ."""
        dated = self._age_ns is not None and any(end % NS_PER_S for _, end in self._stamps.values())
        if not dated or self._age_ns is None:
            return self._apart_ns
        drift_ns = max(0, self._age_ns()) // _DRIFT
        return min(self._apart_ns, _DATED_APART_NS + self._error_ns + drift_ns)

    def _offset(self, base: str, agree_ns: int) -> int:
        """How far the search lies outside of when it was asked; 0 where it may be within.

        By its end where it is too early: in turbo mode 389 DS counts the pause before a request as
        etime, up to a second. By its start where it is too late: a result is dated once it is sent.
        """
        asked_ns, answered_ns = self._asked[base]
        answered_ns = self._now_ns() if answered_ns is None else answered_ns
        start_ns, end_ns = self._stamps[base]
        offset = min(0, end_ns - asked_ns) or max(0, start_ns - answered_ns)
        return offset if abs(offset) > agree_ns else 0


@dataclass(frozen=True)
class _Back:
    """Lines in a row that are older than one before them, from `first_ns` to `last_ns`."""

    after_ns: int = 0
    first_ns: int = 0
    last_ns: int = 0

    @property
    def lasted_ns(self) -> int:
        return self.last_ns - self.first_ns

    @property
    def step(self) -> ClockStep:
        return ClockStep(self.first_ns - self.after_ns, self.after_ns)


class _Order:
    """Where times jump from one line to the next.

    `newest_ns` is the greatest by now, `back` the longest row of lines that lie more than
    `apart_ns` before it.
    """

    def __init__(self, apart_ns: int) -> None:
        self._apart_ns = apart_ns
        self.newest_ns = int(np.iinfo(np.int64).min)
        self.back = _Back()
        self._row: _Back | None = None
        self._silence = (0, 0)

    def add(self, ends: Int64) -> None:
        before = self.newest_ns if self._begun else int(ends[0])
        newest = np.maximum.accumulate(np.concatenate(([before], ends)))
        jumps = np.diff(newest)
        widest = int(np.argmax(jumps))
        self._silence = max(self._silence, (int(jumps[widest]), int(newest[widest])))
        self._add_rows(ends, newest[1:])
        self.newest_ns = int(newest[-1])

    def placed(self, step_ns: int) -> ClockStep:
        """A step of that size, at the jump that is most like it."""
        if step_ns < -self._apart_ns and self.back.after_ns:
            return ClockStep(step_ns, self.back.after_ns)
        silence_ns, after_ns = self._silence
        # In a pause as long as a small step nothing may have happened but that nobody asked.
        if step_ns > self._apart_ns and silence_ns * 2 > step_ns:
            return ClockStep(step_ns, after_ns)
        return ClockStep(step_ns)

    @property
    def _begun(self) -> bool:
        return self.newest_ns > np.iinfo(np.int64).min

    def _add_rows(self, ends: Int64, newest: Int64) -> None:
        late: NDArray[np.bool_] = newest - ends > self._apart_ns
        if not late.any():
            self._row = None
            return
        edges = np.flatnonzero(np.diff(np.concatenate(([False], late, [False])).astype(np.int8)))
        for start, end in edges.reshape(-1, 2).tolist():
            row = self._row if start == 0 else None
            row = row or _Back(int(newest[start]), int(ends[start]))
            self._row = replace(row, last_ns=int(ends[end - 1]))
            if not self.back.after_ns or self._row.lasted_ns > self.back.lasted_ns:
                self.back = self._row
        if not late[-1]:
            self._row = None
