"""Guard rails: what ends an experiment at once, to the server's good.

What ends the build of an index: a cancel, or a safety limit that is crossed meanwhile. While a
server is stopped on purpose only a cancel does: it answers nobody and falls behind.

No window is measured while a treatment is applied, so the workbench asks for itself: one entry by
name, over its own link, whenever it looks how far the build is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.message import NOTHING, Message, from_json
from ldap_workbench.model.operations import ALL, NO_ERROR, client_operations
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import (
    STRANGER,
    Source,
    SourceKind,
    SourceState,
    Window,
)
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session

ERROR_SHARE = "error_share"
P99_NS = "p99_ns"
LAG_S = "lag_s"
"""How far a replica may be behind the others: watched meanwhile, not read from a window."""

# 'No such object' and 'invalid credentials' are what clients cause: no failure of the server.
_HARMLESS = (*NO_ERROR, 32, 49)
_ASLEEP_S = 30.0
"""A gap this long by the clock on the wall is no hiccup of a busy machine."""
_COUNTED = ("cn=monitor:opsinitiated", "cn=operations,cn=monitor:monitoropinitiated")
"""Operations since the server's start, which begin at 0 again with a new process."""
_NEEDED = (SourceKind.ACCESS_LOG, SourceKind.MONITOR)


def check_window(window: Window, load_ended: Message) -> None:
    """A window whose load stopped by itself measures something else."""
    if load_ended:
        raise ExperimentError(
            Message(
                "During window {window} {load_ended}.", window=window.name, load_ended=load_ended
            ),
            remedy=Message(
                "Let the load run for the whole window: {seconds} in the command is "
                "replaced by its length."
            ),
        )


class LostWindowError(ExperimentError):
    """A window that does not count: its pair is measured again."""


class UnrelatedLossError(LostWindowError):
    """A window lost by something that goes on whatever the arm is: it says nothing of the arm."""


def check_awake(session: Session, window: Window, clock_rate: float) -> None:
    """Raise UnrelatedLossError when this machine slept in a window, or the workbench was stopped.

    Then nothing was sampled, and a load of ours stood still; `clock_rate` is that of the server's
    clock. The monitor's gaps without a cut of its link are those in which nobody asked.
    """
    for source in session.sources(window.id):
        gaps = source.details.get("sample_gaps") or []
        if source.kind != SourceKind.MONITOR or source.details.get("cuts"):
            continue
        longest_s = max((end - start for start, end in gaps), default=0) / NS_PER_S / clock_rate
        if longest_s >= _ASLEEP_S:
            raise UnrelatedLossError(
                Message(
                    "This machine was asleep in window {window}, for {seconds:.0f} s.",
                    window=window.name,
                    seconds=longest_s,
                ),
                remedy=Message("Prevent this machine from sleeping, then start again."),
            )


def check_sources(session: Session, window: Window, *, first: bool) -> None:
    """Raise LostWindowError when the access log or the monitor broke in a window.

    There is nothing to judge. A server that hung, so that it did not answer its monitor either, is
    data, and its window counts; one that was started anew has broken down. ExperimentError where
    measuring again would not help: the log was never readable, or the host shows another SSH key
    and may be another machine.
    """
    sources = session.sources(window.id)
    cut = any(s.kind == SourceKind.MONITOR and s.details.get("cuts") for s in sources)
    hung = cut and any(map(_is_whole, sources)) and _served_on(session, window)
    for source in sources:
        if stranger := source.details.get(STRANGER):
            raise ExperimentError(
                Message(
                    "The server's host changed its SSH key in window {window}: {what}",
                    window=window.name,
                    what=from_json(stranger),
                ),
                safe=Message("No further change is made."),
                remedy=Message(
                    "Make sure which machine it is and that the key on record is its own, then "
                    "start again."
                ),
            )
        if source.kind == SourceKind.ACCESS_LOG and _is_hopeless(source, first=first):
            raise ExperimentError(
                Message(
                    "The access log was not read in window {window}: {why}",
                    window=window.name,
                    why=source.why,
                ),
                remedy=Message(
                    "Test the profile (Test, or ldap-workbench profile test): it says what to "
                    "fix. Then start again."
                ),
            )
        if source.kind in _NEEDED and _is_broken(source, hung=hung):
            raise LostWindowError(
                Message(
                    "The {kind} broke off in window {window}: {why}",
                    kind=source.kind,
                    window=window.name,
                    why=source.why,
                ),
                remedy=Message("Check the server, its host and the network, then start again."),
            )


def _is_hopeless(source: Source, *, first: bool) -> bool:
    if source.state is SourceState.FAILED:
        return first and not source.samples
    return source.state is SourceState.MISSING


def _is_whole(source: Source) -> bool:
    """The access log, over a link that was never cut."""
    complete = source.kind == SourceKind.ACCESS_LOG and source.state is SourceState.COMPLETE
    return complete and not source.details.get("cuts")


def _served_on(session: Session, window: Window) -> bool:
    """Whether the process of the server was the same at the end: no count of it went back."""
    counts = session.every_sample(window, _COUNTED)
    for name in _COUNTED:
        if name in counts and len(values := counts[name][1]) > 1:
            return bool((np.diff(values) >= 0).all())
    return False


def _is_broken(source: Source, *, hung: bool) -> bool:
    """A log that was read on after a cut is whole.

    A server that did not answer its monitor for a while broke down, or nobody could reach it,
    unless it was `hung`: the link to its host stood, and it went on.
    """
    if source.state in (SourceState.FAILED, SourceState.MISSING):
        return True
    if source.kind == SourceKind.MONITOR:
        return bool(source.details.get("cuts")) and not hung
    return bool(source.details.get("gaps"))


def check_guards(session: Session, window: Window, guards: Mapping[str, float]) -> None:
    """Raise ExperimentError when a window crosses a limit."""
    operations = session.operations(window)
    if ERROR_SHARE in guards and len(operations):
        errors = ~np.isin(operations.err, _HARMLESS) & client_operations(operations)
        share = float(errors.sum()) / max(1, int(client_operations(operations).sum()))
        if share > guards[ERROR_SHARE]:
            raise crossed_in(
                window, Message("{share:percent} of the operations failed", share=share)
            )
    if P99_NS in guards:
        p99 = next((t.p99_ns for t in tails(operations, window=window.name) if t.type == ALL), None)
        if p99 is not None and p99 > guards[P99_NS]:
            raise crossed_in(window, Message("p99 was {p99:duration}", p99=p99))


def crossed_in(window: Window, what: Message) -> ExperimentError:
    """A limit that was crossed while a window was measured."""
    return ExperimentError(
        Message(
            "A safety limit was crossed in window {window}: {what}.", window=window.name, what=what
        ),
        remedy=Message("Choose a treatment that costs less, or another limit."),
    )


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
