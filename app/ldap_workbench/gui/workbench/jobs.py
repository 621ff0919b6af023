"""Long calls off the GUI thread, their results back in it.

One executor with a single worker per key (a connection, a session file), so that an LDAP, SSH or
DuckDB object is never used from two threads and calls keep their order. Every signal of a Job is
emitted in the GUI thread: a signal emitted by a worker would run plain functions in the worker.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.gui.workbench.workers import SpareWorkers
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_ENDING = 32
"""Workers on their way out that are waited for at the end; older ones are long gone."""

_TURN_S = 0.00005
"""How long a worker keeps the interpreter once the window asks for it. Laying out a page asks four
to seven hundred times, as Qt lets go of it at each call: with Python's 5 ms that took up to two
seconds beside a busy worker, with 0.5 ms 110 ms, with 0.1 ms 50 to 150 ms. Who does not meet the
window pays nothing."""

Work = Callable[[OnProgress, Cancel], Any]


class Job(QObject):
    """One call at work. Signals arrive in the GUI thread, exactly one of done, failed, cancelled.

    *Signals:* progressed(Progress), done(result), failed(WorkbenchError), cancelled(), ended()
    """

    progressed = Signal(object)
    done = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()

    def __init__(
        self, key: str, title: str, work: Work, parent: QObject | None = None, *, kind: str = ""
    ) -> None:
        super().__init__(parent)
        self.key = key
        self.title = title
        self.kind = kind
        """What it is a case of: a success of one kind answers an earlier failure of the same."""
        self.running = True
        self.succeeded = False
        self.failure: Exception | None = None
        self.cancelling = Cancel()
        self._work = work
        self._dropped = False

    def drop(self) -> None:
        """Ask the work to stop, and tell nobody what came of it: it is of no use any more."""
        self._dropped = True
        self.cancel()

    def cancel(self) -> None:
        """Ask the work to stop; it ends when it looks, within a second."""
        self.cancelling.set()

    def perform(self, progress: OnProgress) -> tuple[str, Any]:
        """Do the work in the calling thread: the name of a signal and what it carries."""
        try:
            self.cancelling.check()
            return "done", self._work(progress, self.cancelling)
        except CancelledError:
            return "cancelled", None
        except Exception as error:  # noqa: BLE001 - whatever it is, the operator must see it
            return "failed", in_our_words(error)

    def finish(self, outcome: str, result: Any) -> None:
        """Tell the listeners, in the GUI thread."""
        self.running = False
        if self._dropped:
            return
        self.succeeded = outcome == "done"
        self.failure = result if outcome == "failed" else None
        if outcome == "cancelled":
            self.cancelled.emit()
        else:
            getattr(self, outcome).emit(result)
        self.ended.emit()


class JobRunner(QObject):
    """Starts jobs and hands back their results. Lives in the GUI thread.

    *Signals:* jobStarted(Job), jobEnded(Job)
    """

    jobStarted = Signal(object)
    jobEnded = Signal(object)
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(_TURN_S)
        self._spare = SpareWorkers()
        self._executors: dict[str, ThreadPoolExecutor] = {}
        self._ending: deque[ThreadPoolExecutor] = deque(maxlen=_ENDING)
        self._jobs: list[Job] = []
        self._lock = threading.Lock()
        self._progress: dict[Job, Progress] = {}
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def jobs(self) -> list[Job]:
        """Those still at work, oldest first."""
        return list(self._jobs)

    def start(
        self,
        key: str,
        title: str,
        work: Work,
        *,
        on_done: Callable[[Any], None] | None = None,
        on_failed: Callable[[Exception], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_cancelled: Callable[[], None] | None = None,
        kind: str = "",
    ) -> Job:
        """Run `work(progress, cancel)` after all earlier work of the same key.

        Jobs with one listener for their result are of one kind, unless `kind` names another.
        Listeners must be methods of QObjects: those are disconnected when the object goes. Raises
        TypeError for others.
        """
        kind = kind or getattr(on_done, "__qualname__", "")
        job = Job(key, title, work, self, kind=kind)
        pairs = (
            (job.done, on_done),
            (job.failed, on_failed),
            (job.progressed, on_progress),
            (job.cancelled, on_cancelled),
        )
        for signal, slot in pairs:
            if slot is None:
                continue
            if not isinstance(getattr(slot, "__self__", None), QObject):
                raise TypeError(f"{slot!r} is not a method of a QObject")
            signal.connect(slot)
        self._jobs.append(job)
        self.jobStarted.emit(job)
        self._launch(job)
        return job

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        for job in self._jobs:
            job.cancel()

    def forget(self, key: str) -> None:
        """Let the worker of a key end once its work is done; a later start makes a new one."""
        if executor := self._executors.pop(key, None):
            executor.shutdown(wait=False)
            self._ending.append(executor)

    def shutdown(self) -> None:
        """Cancel everything and wait for the workers; nothing is delivered afterwards."""
        self.cancel_all()
        for executor in self._executors.values():
            executor.shutdown(wait=True, cancel_futures=True)
        for executor in self._ending:
            executor.shutdown(wait=True)
        self._spare.shutdown()
        self._ending.clear()
        self._executors.clear()
        self._jobs.clear()

    def _launch(self, job: Job) -> None:
        if job.key not in self._executors:
            self._executors[job.key] = self._spare.take(f"job-{job.key}")
        future = self._executors[job.key].submit(job.perform, lambda p: self._post_progress(job, p))
        future.add_done_callback(lambda f: self._post_outcome(job, f))

    def _post_progress(self, job: Job, progress: Progress) -> None:
        """In the worker: keep the latest report; one event is on its way at a time."""
        with self._lock:
            waiting = job in self._progress
            self._progress[job] = progress
        if not waiting:
            self._posted.emit((job, "progressed", None))

    def _post_outcome(self, job: Job, future: Future[tuple[str, Any]]) -> None:
        outcome = ("cancelled", None) if future.cancelled() else future.result()
        self._posted.emit((job, *outcome))

    @Slot(object)
    def _deliver(self, event: tuple[Job, str, Any]) -> None:
        job, outcome, result = event
        if job not in self._jobs:
            return
        with self._lock:
            latest = self._progress.pop(job, None)
        if latest is not None:
            job.progressed.emit(latest)
        if outcome != "progressed":
            self._end(job, outcome, result)

    def _end(self, job: Job, outcome: str, result: Any) -> None:
        self._jobs.remove(job)
        job.finish(outcome, result)
        self.jobEnded.emit(job)
        job.deleteLater()


class ImmediateRunner(JobRunner):
    """Runs each job at once in the calling thread: for tests and for pictures."""

    def _launch(self, job: Job) -> None:
        outcome, result = job.perform(job.progressed.emit)
        self._end(job, outcome, result)
