"""What ends the build of an index: a cancel, or a safety limit that is crossed meanwhile.

While a server is stopped on purpose only a cancel does: it answers nobody and falls behind.

No window is measured while a treatment is applied, so the workbench asks for itself: one entry by
name, over its own link, whenever it looks how far the build is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ldap_workbench.experiment.guards import P99_NS
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.servers.target import Target

IN_A_ROW = 3
"""Answers above the limit before it counts: one may be a hiccup of the network."""


class BuildLimits:
    """Hears how far a change is, passes that on, and raises where it has to end.

    It raises once: the undo is heard to its end. Used from the target's thread; `stop` says which
    limit has been crossed elsewhere.
    """

    def __init__(
        self,
        target: Target,
        guards: Mapping[str, float],
        progress: OnProgress,
        cancel: Cancel,
        stop: Callable[[], Message] = lambda: NOTHING,
    ) -> None:
        self._target = target
        self._limit_ns = guards.get(P99_NS)
        self._progress = progress
        self._cancel = cancel
        self._late = 0
        self._ended = False
        self._stop = stop

    def __call__(self, report: Progress) -> None:
        self._progress(report)
        if self._ended:
            return  # what was made is undone now, and that may wait for the build's end
        try:
            self._cancel.check()
            if not report.stopped:
                self._check()
        except BaseException:
            self._ended = True
            raise

    def _check(self) -> None:
        if crossed_elsewhere := self._stop():
            raise _crossed(crossed_elsewhere)
        if self._limit_ns is not None:
            self._ask(self._limit_ns)

    def _ask(self, limit_ns: float) -> None:
        backends = self._target.facts.backends
        entry = backends[0].suffix if backends else ""
        begun = time.perf_counter_ns()
        self._target.directory.search(entry, attributes=("1.1",))
        took_ns = time.perf_counter_ns() - begun
        self._late = self._late + 1 if took_ns > limit_ns else 0
        if self._late >= IN_A_ROW:
            raise _crossed(
                Message("one entry was answered in {took:duration}, and before", took=took_ns)
            )


def _crossed(what: Message) -> ExperimentError:
    """A limit that was crossed while the change was made."""
    return ExperimentError(
        Message("A safety limit was crossed while the change was made: {what}.", what=what),
        remedy=Message("Choose a quieter hour, or another limit."),
    )
