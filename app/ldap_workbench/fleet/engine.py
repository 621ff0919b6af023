"""Units handed to workers, each until it is done or has failed twice; nothing is lost silently."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ldap_workbench.fleet.answers import Worker
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress

ATTEMPTS = 2
PAUSE_S = 2.0
"""Between two attempts to start a worker: the host may be restarting its sshd."""
_TICK_S = 0.2
"""How often it is looked whether somebody wants it to end."""
_LEAVE_S = 2.0
"""A login under way cannot be broken off: so long a cancelled run waits for it."""
_AT_ONCE = 16
"""Summaries that wait until they are merged."""


class Task(Protocol):
    """What is asked of a worker; `name` is for people."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Task)
R = TypeVar("R")
W = TypeVar("W", bound="Closable")


class Closable(Protocol):
    """A worker; `close`, of any thread, ends it at once."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Pool(Generic[T, W]):
    """Tasks for any of some workers: those of one host, or all."""

    tasks: Sequence[T]
    start: Callable[[], W]
    workers: int


@dataclass(frozen=True)
class Failure:
    """A task of which nothing is in the result, and why."""

    name: str
    why: Message


@dataclass(frozen=True)
class Outcome:
    """What the units add up to, without those that failed."""

    summary: Summary
    failures: tuple[Failure, ...] = ()
    cancelled: bool = False
    done: tuple[Unit, ...] = field(default_factory=tuple)


def run(
    pools: Sequence[Pool[Unit, Worker]],
    parts: Path | None = None,
    *,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Outcome:
    """Summarise all units; one that fails is tried once more, on a new worker.

    `parts`: the folder of the Parquet files; None for none. The order makes no difference.
    """
    summaries: list[Summary] = []
    done: list[Unit] = []

    def take(unit: Unit, summary: Summary) -> None:
        nonlocal summaries
        summaries.append(summary)
        done.append(unit)
        if len(summaries) >= _AT_ONCE:
            summaries = [Summary.total(summaries)]

    job = Job(pools, lambda worker, unit: worker.summarise(unit, parts), take, progress)
    cancelled = job.run(cancel if cancel is not None else Cancel())
    return Outcome(Summary.total(summaries), job.failures, cancelled, tuple(done))


class Job(Generic[T, W, R]):
    """`ask` of each task; `take`, of one thread at a time, gets what is answered."""

    def __init__(
        self,
        pools: Sequence[Pool[T, W]],
        ask: Callable[[W, T], R],
        take: Callable[[T, R], None],
        progress: OnProgress = no_progress,
    ) -> None:
        self._pools = [_Waiting(pool) for pool in pools]
        self._ask, self._take, self._progress = ask, take, progress
        self._total = sum(len(pool.tasks) for pool in pools)
        self._lock = threading.Lock()
        self._workers: set[W] = set()
        self._ended = Cancel()
        self._done = 0
        self._failures: list[Failure] = []
        self._faults: list[BaseException] = []

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(sorted(self._failures, key=lambda failure: failure.name))

    def run(self, cancel: Cancel) -> bool:
        """Until every task is done or has failed; True where it was cancelled before."""
        threads = [
            threading.Thread(target=self._serve, args=(pool,), name="fleet", daemon=True)
            for pool in self._pools
            for _ in range(pool.threads)
        ]
        with self._closed_at_end():
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                if cancel.wait(_TICK_S) or self._faults:
                    break
        for thread in threads:
            thread.join(_LEAVE_S if cancel else None)
        if self._faults:
            raise self._faults[0]
        return bool(cancel)

    def _serve(self, pool: _Waiting[T, W]) -> None:
        """A thread: task after task, until none waits."""
        try:
            self._work(pool)
        except WorkbenchError as error:
            pool.why = sentences(error.what, error.remedy)
        except BaseException as error:  # noqa: BLE001 - `run` raises it
            self._faults.append(error)
        with self._lock:
            pool.threads -= 1
            if not pool.threads and pool.why is not None:
                for task, _ in pool.rest():
                    self._fail(task, pool.why)

    def _work(self, pool: _Waiting[T, W]) -> None:
        """Raises WorkbenchError where no worker can be started."""
        worker: W | None = None
        while not self._ended and (waiting := pool.next()) is not None:
            task, attempt = waiting
            try:
                worker = worker or self._started(pool)
            except WorkbenchError:
                pool.put(task, attempt)
                raise
            if worker is None:
                return
            try:
                answer = self._ask(worker, task)
            except WorkbenchError as error:
                self._drop(worker)
                worker = None
                self._failed(pool, task, attempt, error)
            else:
                with self._lock:
                    if not self._ended:
                        self._take(task, answer)
                        self._tell(task)
        if worker is not None:
            self._drop(worker)

    def _started(self, pool: _Waiting[T, W]) -> W | None:
        """A new worker; None where the run has ended. Raises WorkbenchError the second time."""
        try:
            worker = pool.start()
        except WorkbenchError:
            if self._ended.wait(PAUSE_S):
                return None
            worker = pool.start()
        with self._lock:
            if not self._ended:
                self._workers.add(worker)
                return worker
        worker.close()
        return None

    @contextmanager
    def _closed_at_end(self) -> Iterator[None]:
        """Whoever waits for an answer has none any more when this is left."""
        try:
            yield
        finally:
            with self._lock:
                self._ended.set()
                workers = list(self._workers)
            for worker in workers:
                worker.close()

    def _drop(self, worker: W) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.close()

    def _failed(self, pool: _Waiting[T, W], task: T, attempt: int, error: WorkbenchError) -> None:
        with self._lock:
            if self._ended:
                return
            if attempt < ATTEMPTS:
                pool.put(task, attempt + 1)
            else:
                self._fail(task, error.what)

    def _fail(self, task: T, why: Message) -> None:
        self._failures.append(Failure(task.name, why))
        self._tell(task)

    def _tell(self, task: T) -> None:
        self._done += 1
        text = Message("Read {name}", name=task.name)
        self._progress(Progress(text, self._done / self._total))


class _Waiting(Generic[T, W]):
    """What of a pool is to be done. `why` no worker starts any more, once that is so."""

    def __init__(self, pool: Pool[T, W]) -> None:
        self._queue: queue.SimpleQueue[tuple[T, int]] = queue.SimpleQueue()
        for task in pool.tasks:
            self.put(task, 1)
        self.start = pool.start
        self.threads = min(pool.workers, len(pool.tasks))
        self.why: Message | None = None

    def put(self, task: T, attempt: int) -> None:
        self._queue.put((task, attempt))

    def next(self) -> tuple[T, int] | None:
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            return None

    def rest(self) -> Iterator[tuple[T, int]]:
        while (waiting := self.next()) is not None:
            yield waiting
