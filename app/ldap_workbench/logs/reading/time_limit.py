"""How much processor time may be spent on files, for their bytes.

Bytes and members of archives are bounded (`archives`). A text within these bounds can still be made
so that every byte of it is dear: thousands of files of an archive that begin alike and are compared
with each other, or packed text that no record comes out of. So an import also has two minutes, and
a second more for every 4 KiB of the files that were named, as they lie on the disk.

It is processor time: a slow disk or share, a busy machine, a laptop that sleeps and a process that
was stopped use none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import TypeVar

from ldap_workbench.model.errors import CancelledError, LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S

_FLOOR_S = 120.0
_BYTES_A_SECOND = 4 << 10

_T = TypeVar("_T")


class OutOfTimeError(LogError):
    """Reading took far more processor time than its bytes explain."""


class TimeLimit(Cancel):
    """A cancel that also comes by itself when that time is over; `cancel` is the operator's."""

    def __init__(self, cancel: Cancel | None = None) -> None:
        super().__init__()
        self._asked = cancel if cancel is not None else Cancel()
        self._begun_s = process_time()
        self._bytes = 0
        self.is_over = False

    def anew(self) -> TimeLimit:
        """As much time once more."""
        again = TimeLimit(self._asked)
        again.grant(self._bytes)
        return again

    def grant(self, size: int) -> None:
        """Give the time for a file of so many bytes, packed where it is packed."""
        self._bytes += size

    def set(self) -> None:
        self._asked.set()

    def __bool__(self) -> bool:
        limit_s = _FLOOR_S + self._bytes / _BYTES_A_SECOND
        self.is_over = self.is_over or process_time() - self._begun_s > limit_s
        return bool(self._asked) or self.is_over

    def wait(self, seconds: float) -> bool:
        return self._asked.wait(seconds)

    def check(self) -> None:
        """Raise CancelledError when cancelled, OutOfTimeError when the time is over."""
        self._asked.check()
        if self:
            raise OutOfTimeError(
                self.what_happened,
                safe=Message("The files were not changed."),
                remedy=Message(
                    "Read its files one by one: one takes far longer than its size explains."
                ),
            )

    @property
    def is_asked(self) -> bool:
        """Whether the operator cancelled."""
        return bool(self._asked)

    @property
    def what_happened(self) -> Message:
        """Why reading was stopped, where the time was over."""
        return Message(
            "Reading was stopped after {limit:duration} of processor time, far more than "
            "{size:size} of files take: the rest is missing.",
            limit=round((_FLOOR_S + self._bytes / _BYTES_A_SECOND) * NS_PER_S),
            size=self._bytes,
        )


def until_stopped(pieces: Iterator[_T], cancel: Cancel) -> Iterator[_T]:
    """The pieces up to a cancel, also to one that their reader meets on the way to the next."""
    while not cancel:
        try:
            piece = next(pieces)
        except (StopIteration, CancelledError, OutOfTimeError):
            return
        yield piece
