"""A rest between two pairs, as long as the operator wants one."""

from __future__ import annotations

import threading
from time import monotonic

from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_LOOK_AGAIN_S = 0.5


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
        return _LOOK_AGAIN_S if self.wanted else 0.0

    def wait(self, _: float, progress: OnProgress, cancel: Cancel) -> None:
        """Until somebody goes on. Raises CancelledError."""
        progress(Progress(self.waiting_text))
        self.resting = True
        began = monotonic()
        try:
            while self.wanted:
                cancel.wait(_LOOK_AGAIN_S)
                cancel.check()
        finally:
            self.resting = False
            self.waits_s.append(monotonic() - began)
