"""One of several replicas that are measured side by side, each in a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import TypeVar

from ldap_workbench.capture.link import Either
from ldap_workbench.capture.live.source import OnLive
from ldap_workbench.experiment.aftermath import Aftermath
from ldap_workbench.experiment.guards import LostWindowError
from ldap_workbench.experiment.history import remember_tried
from ldap_workbench.experiment.in_force import InForce, read_at_end, read_in_force
from ldap_workbench.experiment.measuring import Measuring
from ldap_workbench.experiment.plan import check_differs
from ldap_workbench.experiment.seat import Seat
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.experiment import Experiment, Plan, State
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner

Result = TypeVar("Result")


class Replica:
    """One server of a canary: its links, its session and its place in the plan.

    All of it is used from the replica's own thread: see `at_once`.
    """

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        path: Path,
        plan: Plan,
        progress: OnProgress,
        *,
        measured: Sequence[int] = (),
        on_live: OnLive | None = None,
    ) -> None:
        """`measured` are the windows it has from before it was interrupted."""
        self.target = target
        self.tuner = tuner
        self.plan = plan
        self._path = path
        self.writer = (
            SessionWriter.append(path)
            if path.exists()
            else SessionWriter.create(path, target.facts)
        )
        step, windows = len(measured), tuple(measured)
        left = tuner.journal.left_stored({str(path)})
        stored = Experiment(1, plan, State.PLANNED, step, windows, left_stored=left)
        self._left_at_end: tuple[Message, ...] = ()
        self._seat = Seat(target, tuner, self.writer, plan, stored, self._say)
        self.record, self.arms = self._seat.record, self._seat.arms
        self._progress = progress
        self._on_live = on_live
        self._measuring: Measuring | None = None
        self._thread = ThreadPoolExecutor(1, f"replica-{target.profile.name}")
        tuner.patience_s = plan.patience_s
        tuner.restart_wait_s = plan.restart_wait_s

    @property
    def name(self) -> str:
        return self.target.profile.name

    def _say(self, report: Progress) -> None:
        text = Message("{replica}: {what}", replica=self.name, what=report.text)
        self._progress(Progress(text, report.fraction))

    def do(self, work: Callable[[], Result]) -> Future[Result]:
        """Do something in the replica's thread."""
        return self._thread.submit(work)

    def in_force_now(self) -> InForce:
        """What is in force while it is decided, and what either choice leaves."""
        return read_in_force(self.tuner, self.record.experiment, deciding=True)

    def in_force_at_end(self) -> InForce:
        """What it was left with, to be kept with its time."""
        settings, sessions = self.plan.treatment.settings, {str(self._path)}
        return read_at_end(self.tuner, settings, sessions, now_ns=time.time_ns())

    def check(self) -> None:
        """Raise KnobError where the server has the treatment already."""
        self.record.enter(State.CHECKING)
        check_differs(self.plan, self.tuner.plan(self.plan.treatment))

    def measure(self, index: int, cancel: Cancel) -> Window:
        """The window of a step, complete; raises LostWindowError where it does not count."""
        self._seat.watch.end()  # what was changed since the last window is ours
        self._seat.watch.begin()
        self._measuring = Measuring(
            self.target,
            self.writer,
            self.record,
            progress=self._say,
            cancel=cancel,
            on_live=self._on_live,
        )
        self._measuring.check(self.tuner)
        window = self._seat.measure(index, self._measuring)
        if changes := self._seat.watch.changed():
            raise LostWindowError(
                Message(
                    "Another administrator changed {replica}: {found}.",
                    replica=self.name,
                    found=changes,
                ),
                remedy=Message("Agree on a time without changes, then start again."),
            )
        return window

    def measured(self, index: int, window: Window) -> None:
        """The window counts."""
        self._seat.count(index, window)

    def check_guards(self, window: Window) -> None:
        """Raise ExperimentError where the window crossed a limit."""
        self._seat.check_guards(window)

    def begin_again(self, why: Message) -> None:
        """Before a window is measured again: the server is put back, over a new link."""
        self.arms.put_back()
        self.reach()
        self.end_load()
        self.forget_unfinished(why)

    def reach(self) -> None:
        """Over a new link where the old one broke. Raises WorkbenchError."""
        self._seat.reach()

    def forget_unfinished(self, why: Message) -> None:
        """Windows that do not count stay in the session, in no arm any more."""
        with self.record.reader() as session:
            windows = [window for window in session.windows() if window.arm]
        counted = set(self.record.experiment.windows)
        if left := [window.id for window in windows if window.id not in counted]:
            self.record.void(left, why)

    def put_back(self) -> Aftermath:
        """By the journal alone; raises nothing."""
        after = self._seat.put_back()
        self._left_at_end = after.left
        return after

    def end_load(self) -> None:
        if self._measuring:
            self._measuring.close()

    def end(self, state: State, verdict: Verdict | None, why: Message) -> None:
        """What the session says last."""
        left = self._left_at_end or self.record.experiment.left_stored
        self.record.enter(state, verdict=verdict, why=why, left_stored=left)

    def remember(self, began_ns: int, campaign: str) -> None:
        """A line of the history of this server. Raises OSError."""
        remember_tried(
            self.record.experiment,
            server=self.tuner.server,
            identity=self.tuner.identity,
            profile=self.name,
            session=self.record.session,
            began_ns=began_ns,
            ended_ns=time.time_ns(),
            campaign=campaign,
        )

    def close(self) -> None:
        """The session and the thread; the links are whoever opened them's to close."""
        try:
            self.writer.close()
        finally:
            self._thread.shutdown()


def at_once(
    replicas: Sequence[Replica],
    work: Callable[[Replica, Cancel], Result],
    cancel: Cancel,
) -> list[Result]:
    """Do the same on all replicas, side by side; the first to fail ends the others' waiting.

    Raises what the first one raised, when all have come to an end.
    """
    failed = Cancel()
    ended = Either(cancel, failed)

    def watched(replica: Replica) -> Result:
        try:
            return work(replica, ended)
        except BaseException:
            failed.set()
            raise

    futures = [replica.do(partial(watched, replica)) for replica in replicas]
    wait(futures)
    errors = [error for future in futures if (error := future.exception())]
    if errors:
        raise _first_cause(errors)
    return [future.result() for future in futures]


def _first_cause(errors: Sequence[BaseException]) -> BaseException:
    """What failed by itself rather than what was told to stop."""
    return next((error for error in errors if not isinstance(error, CancelledError)), errors[0])
