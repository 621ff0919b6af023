"""The hours of the day in which a server may be measured and changed: "01:00-05:00".

A rest between two pairs, as long as the operator wants one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from time import monotonic

from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_LOOK_AGAIN_S = 30.0
"""A laptop that slept wakes in another hour than it reckoned with."""


def _now() -> datetime:
    return datetime.now().astimezone()


@dataclass
class Hours:
    """From `start` to `end` of every day by this machine's clock; `end` may be after midnight."""

    start: time
    end: time
    now: Callable[[], datetime] = field(default=_now, compare=False)
    waits_s: list[float] = field(default_factory=list, compare=False)
    """How long each `wait` took, in seconds: what they took from nobody's budget."""
    opens: datetime | None = field(default=None, compare=False)
    """When a `wait` that has begun will end; may be looked at from another thread."""

    def __str__(self) -> str:
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    @property
    def seconds(self) -> float:
        """Their length."""
        day = datetime(2000, 1, 1)
        length = datetime.combine(day, self.end) - datetime.combine(day, self.start)
        return length.total_seconds() % 86_400

    @property
    def waiting_text(self) -> Message:
        """What a person reads while it waits."""
        return Message("Paused: only {hours} is allowed.", hours=str(self))

    def wait_s(self, needed_s: float) -> float:
        """Seconds until there is room for `needed_s`; 0 where there is now.

        What takes longer than half the hours may begin in all of their first half.
        """
        now = self.now()
        opened = self._begin(now)
        left = opened + timedelta(seconds=self.seconds) - now
        needed = min(needed_s, self.seconds / 2)
        if opened <= now and left.total_seconds() >= needed:
            return 0.0
        following = opened if opened > now else opened + timedelta(days=1)
        return (following - now).total_seconds()

    def wait(self, needed_s: float, progress: OnProgress, cancel: Cancel) -> None:
        """Until there is room. Raises CancelledError."""
        began = monotonic()
        try:
            while left := self.wait_s(needed_s):
                self.opens = self.now() + timedelta(seconds=left)
                progress(Progress(self.waiting_text))
                cancel.wait(min(left, _LOOK_AGAIN_S))
                cancel.check()
        finally:
            self.opens = None
            self.waits_s.append(monotonic() - began)

    def _begin(self, now: datetime) -> datetime:
        """Of the hours that hold `now`, else of the next ones."""
        today = now.replace(hour=self.start.hour, minute=self.start.minute, second=0, microsecond=0)
        before = today - timedelta(days=1)
        return before if now < before + timedelta(seconds=self.seconds) else today


def parse_hours(text: str) -> Hours | None:
    """'01:00-05:00'; None for nothing. Raises UsageError."""
    if not text.strip():
        return None
    start, _, end = text.partition("-")
    try:
        hours = Hours(time.fromisoformat(start.strip()), time.fromisoformat(end.strip()))
    except ValueError:
        hours = None
    if hours is None or not hours.seconds:
        raise UsageError(
            Message("'{text}' does not name hours of the day.", text=text),
            remedy=Message("Write them as 01:00-05:00."),
        )
    return hours


_PAUSE_LOOK_S = 0.5


class Pause:
    """Asked for and ended from any thread; the run rests at the next pair, like outside `Hours`."""

    claim = Message("Paused. The server is as it was before the experiment.")

    def __init__(self) -> None:
        self.left: tuple[Message, ...] = ()
        """What the experiment's reverts left stored that was not, a sentence each."""
        self._wanted = threading.Event()
        self.resting = False
        """Whether the run has come to its rest."""
        self.waits_s: list[float] = []
        """How long each `wait` took, in seconds: what they took from nobody's budget."""

    @property
    def waiting_text(self) -> Message:
        """What a person reads while it waits."""
        return after_reverts(self.left, self.claim, Message("Paused."))

    @property
    def wanted(self) -> bool:
        """Whether the run is to rest at the next pair."""
        return self._wanted.is_set()

    def ask(self, wanted: bool) -> None:
        """Rest from the next pair on, or go on."""
        if wanted:
            self._wanted.set()
        else:
            self._wanted.clear()

    def wait_s(self, _: float) -> float:
        """Seconds until it is looked again; 0 where nobody wants a rest."""
        return _PAUSE_LOOK_S if self.wanted else 0.0

    def wait(self, _: float, progress: OnProgress, cancel: Cancel) -> None:
        """Until somebody goes on. Raises CancelledError."""
        progress(Progress(self.waiting_text))
        self.resting = True
        began = monotonic()
        try:
            while self.wanted:
                cancel.wait(_PAUSE_LOOK_S)
                cancel.check()
        finally:
            self.resting = False
            self.waits_s.append(monotonic() - began)
