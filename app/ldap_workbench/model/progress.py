"""How long work tells where it is and is asked to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ldap_workbench.model.errors import CancelledError, WorkbenchError
from ldap_workbench.model.message import Message


@dataclass(frozen=True)
class Progress:
    """One report of long work: `text` for a person, `fraction` 0..1 or None where unknown."""

    text: Message
    fraction: float | None = None
    details: dict[str, Any] = field(default_factory=dict)
    stopped: bool = False
    """Whether the server is stopped on purpose meanwhile: limits that ask it pause."""


OnProgress = Callable[[Progress], None]


def no_progress(_: Progress) -> None:
    """The listener of a caller who does not want to know."""


def undeterred(progress: OnProgress) -> OnProgress:
    """The same listener, but what ends a change (a cancel, a limit) does not end its undo."""

    def hear(report: Progress) -> None:
        with suppress(WorkbenchError):
            progress(report)

    return hear


class Cancel:
    """Asked by the operator, looked at by the work; may be waited on instead of sleeping.

    It is true once cancelled: write `cancel if cancel is not None else Cancel()` for a default, for
    `cancel or Cancel()` would take another one.
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def __bool__(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep up to `seconds`; True as soon as cancelled."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raise CancelledError when cancelled."""
        if self:
            raise CancelledError(
                Message("Cancelled."), remedy=Message("Start it again for the rest.")
            )
