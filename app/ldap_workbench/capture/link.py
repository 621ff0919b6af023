"""A link that may be cut: opened when needed, opened anew, for as long as patience lasts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangedHostKeyError,
    ConnectError,
    TlsError,
    UnknownHostKeyError,
)
from ldap_workbench.model.progress import Cancel

PATIENCE_S = 120.0
"""How long a cut is borne before its source is given up."""
_PAUSES_S = (0.2, 0.5, 1.0)
_TICK_S = 0.05
_BEAT_S = 1.0
"""What is asked once a second was answered so long ago, at the most, when it is asked again."""
_PAUSE_S = 2.0
"""Between two attempts to open a link: short at first, for most cuts are."""


class Closable(Protocol):
    """Anything that is closed after use."""

    def close(self) -> None: ...


L = TypeVar("L", bound=Closable)
T = TypeVar("T")


class Either(Cancel):
    """Cancelled by itself or with one of others."""

    def __init__(self, *others: Cancel) -> None:
        super().__init__()
        self._others = others

    @property
    def asked(self) -> bool:
        """Whether it was cancelled by itself."""
        return super().__bool__()

    def __bool__(self) -> bool:
        return self.asked or any(self._others)

    def wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not self and (left := end - time.monotonic()) > 0:
            super().wait(min(_TICK_S, left))
        return bool(self)


class Link(Generic[L]):
    """What `connect` opens, for one thread; close it after use.

    `again` does a piece of work, and once more over a new link where the old one broke; who hears
    something says so with `heard`. `cuts` says how often it broke, `cut_s` how long nothing came.
    `stranger` is the refusal of a host that showed another key than the one on record.
    """

    def __init__(
        self, connect: Callable[[], L], cancel: Cancel, patience_s: float = PATIENCE_S
    ) -> None:
        self._connect = connect
        self.cancel = cancel
        self._patience_s = patience_s
        self._open: L | None = None
        self._heard = time.monotonic()
        self._cut_at: float | None = None
        self._asked_at: float | None = None
        self._pauses = iter(_PAUSES_S)
        self.cuts = 0
        self._cut_s = 0.0
        self._opened_at = 0.0
        self.stranger: ChangedHostKeyError | None = None

    @property
    def cut(self) -> bool:
        """Whether nothing has come since it broke."""
        return self._cut_at is not None

    @property
    def cut_s(self) -> float:
        """Seconds without it, from the last that was heard to the first heard again."""
        return self._cut_s + self.cut_now_s

    @property
    def cut_now_s(self) -> float:
        """Seconds since it broke, 0 where it stands."""
        began = self._cut_at
        return 0.0 if began is None else time.monotonic() - began

    @property
    def silent_s(self) -> float:
        """Seconds since the last answer while the next one is waited for, 0 while none is."""
        asked = self._asked_at
        if asked is None:
            return 0.0
        return time.monotonic() - max(self._heard, asked - _BEAT_S)

    @property
    def age_s(self) -> float:
        """For how long the link has been open that is open now."""
        return time.monotonic() - self._opened_at if self._open is not None else 0.0

    def open(self) -> L:
        """The link, opened where it is not."""
        if self._open is None:
            try:
                self._open = self._connect()
            except ChangedHostKeyError as error:
                self.stranger = error
                raise
            self._opened_at = time.monotonic()
        return self._open

    def heard(self) -> None:
        """Something has come over it: it stands."""
        self._heard = time.monotonic()
        if self._cut_at is not None:
            self._cut_s += self._heard - self._cut_at
            self._cut_at = None
            self._pauses = iter(_PAUSES_S)

    def again(self, work: Callable[[], T]) -> T:
        """Do it; after a cut open another link and do it once more.

        Raises ConnectError where nothing was heard for as long as patience lasts, when cancelled,
        and at once where the other end refuses the login or shows another key.
        """
        self._asked_at = time.monotonic()
        try:
            return self._until_done(work)
        finally:
            self._asked_at = None

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _until_done(self, work: Callable[[], T]) -> T:
        while True:
            try:
                return work()
            except (AuthenticationError, ChangedHostKeyError, UnknownHostKeyError, TlsError):
                raise
            except ConnectError:
                self._lost()
                if self._given_up():
                    raise

    def _lost(self) -> None:
        self.close()
        if self._cut_at is None:
            self._cut_at = self._heard
            self.cuts += 1

    def _given_up(self) -> bool:
        """Waits a little before the next attempt, unless patience is over."""
        pause = next(self._pauses, _PAUSE_S)
        if time.monotonic() + pause > self._heard + self._patience_s:
            return True
        return self.cancel.wait(pause)


AnyLink = Link[Any]


def cuts_of(link: AnyLink) -> dict[str, Any]:
    """The details of a source: how often its link was cut, and for how long."""
    return {"cuts": link.cuts, "cut_s": round(link.cut_s, 1)}
