"""A source at work: a thread of its own that samples until it is told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.model.errors import CancelledError, WorkbenchError
from ldap_workbench.model.message import Message, sentences, verbatim
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Source, SourceState

CUT_OFF = Message(
    "The window was cut off: the session could not be written any further (a full disk, for one), "
    "or the workbench was killed."
)
"""What the file of a session says of a window until its end has been written."""


class SourceMissingError(WorkbenchError):
    """The source cannot be sampled here at all: not installed, not permitted, not there."""


def why_of(error: Exception) -> Message:
    """What happened and what to do; what is safe is not asked of a source."""
    if isinstance(error, WorkbenchError):
        return sentences(error.what, error.remedy)
    return verbatim(str(error))


class RunningSource:
    """Runs `work(stop)` in a thread; whatever it raises becomes the state of the source.

    `work` returns the finished Source. A failure never ends the window: the source is recorded as
    missing or failed with the reason, and the others go on.
    """

    def __init__(self, source: Source, work: Callable[[Cancel], Source]) -> None:
        self.source = source
        self.stop = Cancel()
        self._work = work
        self._thread = threading.Thread(target=self._run, name=f"capture-{source.kind.value}")
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait for the thread to end; whether it has."""
        self._thread.join(seconds)
        return not self.alive

    def result(self) -> Source:
        """The source as it is now."""
        if self._thread.is_alive():
            why = Message("did not stop in time")
            return replace(self.source, state=SourceState.FAILED, why=why)
        return self.source

    def _run(self) -> None:
        try:
            self.source = self._work(self.stop)
        except SourceMissingError as error:
            self.source = replace(self.source, state=SourceState.MISSING, why=why_of(error))
        except CancelledError:
            self.source = replace(self.source, state=SourceState.PARTIAL, why=Message("cancelled"))
        except (WorkbenchError, OSError, EOFError) as error:
            self.source = replace(self.source, state=SourceState.FAILED, why=why_of(error))
