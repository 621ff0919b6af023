"""Units handed to workers, each until it is done or has failed twice; nothing is lost silently."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ldap_workbench.connect.children import environment, module_command
from ldap_workbench.fleet.checks import check_answer
from ldap_workbench.fleet.packing import damaged
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.fleet.worker import request
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, from_json, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress

ATTEMPTS = 2
_LONGEST_HEAD, _LARGEST_BODY = 64 << 10, 64 << 20
"""Bytes of an answer: a line of JSON, and a packed summary; 256 MiB of a log make about 100 KB."""
_TICK_S = 0.2
"""How often it is looked whether somebody wants it to end."""
_AT_ONCE = 16
"""Summaries that wait until they are merged."""
_WORDS = 500
"""Characters kept of the last words of a worker that died."""
_ALONE = Message("Run `ldap-workbench import` on this log alone to see more.")


@dataclass(frozen=True)
class Failure:
    """A unit of which nothing is in the summary, and why."""

    unit: Unit
    why: Message


@dataclass(frozen=True)
class Outcome:
    """What the units add up to, without those that failed."""

    summary: Summary
    failures: tuple[Failure, ...] = ()
    cancelled: bool = False
    done: tuple[Unit, ...] = field(default_factory=tuple)


class Worker:
    """One process of `fleet.worker`, in use by one thread."""

    def __init__(self, command: Sequence[str]) -> None:
        # A file, for nobody reads a pipe while the answer is waited for.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env=environment(),
        )

    def summarise(self, unit: Unit, parts: Path | None) -> Summary:
        """Raises LogError: the unit cannot be read, or the worker is gone or not one of ours."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(request(unit, parts))
            self._process.stdin.flush()
            body = _answer(self._process.stdout)
        except (OSError, ValueError) as error:
            raise _dead(self._last_words() or str(error)) from error
        return answered(body, unit)

    def close(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._words):
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def _last_words(self) -> str:
        self._process.kill()
        self._process.wait()
        with suppress(ValueError):
            size = self._words.seek(0, 2)
            self._words.seek(max(0, size - _WORDS))
            return self._words.read().decode("utf-8", "replace").strip()
        return ""


def _answer(source: IO[bytes]) -> bytes:
    """The summary that a worker sends. Raises LogError for its reason why not, ValueError."""
    try:
        head = json.loads(source.readline(_LONGEST_HEAD))
    except RecursionError as error:
        raise ValueError("no answer of a worker") from error
    if not isinstance(head, dict):
        raise ValueError("no answer of a worker")  # noqa: TRY004 - a stranger's words
    if "why" in head:
        raise LogError(from_json(head["why"]), remedy=_ALONE)
    size = head.get("size")
    if not isinstance(size, int) or not 0 < size <= _LARGEST_BODY:
        raise ValueError(f"an answer of {size} bytes")
    return source.read(size)


def answered(body: bytes, unit: Unit) -> Summary:
    """What came back for a unit, if it can be its summary. Raises LogError."""
    found = Summary.from_bytes(body)
    with damaged():
        check_answer(found, unit)
    return found


def _dead(why: str) -> LogError:
    what = Message("The worker ended: {why}", why=verbatim(why or "no reason given"))
    return LogError(what, remedy=Message("Import again, with fewer workers if memory was short."))


def local_worker() -> Worker:
    """A worker on this machine."""
    return Worker(module_command("ldap_workbench.fleet.worker"))


def run(
    units: Sequence[Unit],
    start: Callable[[], Worker],
    workers: int,
    parts: Path | None = None,
    *,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Outcome:
    """Summarise units on so many workers; a unit that fails is tried once more, on a new worker.

    `parts`: the folder of the Parquet files; None for none. The order makes no difference.
    """
    cancel = cancel if cancel is not None else Cancel()
    job = _Job(units, start, parts, progress)
    with ThreadPoolExecutor(workers, thread_name_prefix="fleet") as threads:
        futures = [threads.submit(job.work) for _ in range(min(workers, len(units)))]
        with job.closed_at_end():
            while not all(future.done() for future in futures):
                if cancel.wait(_TICK_S):
                    break
        for future in futures:
            future.result()
    return job.outcome(cancelled=bool(cancel))


class _Job:
    """What the threads of one run share."""

    def __init__(
        self,
        units: Sequence[Unit],
        start: Callable[[], Worker],
        parts: Path | None,
        progress: OnProgress,
    ) -> None:
        self._waiting: queue.SimpleQueue[tuple[Unit, int]] = queue.SimpleQueue()
        for unit in units:
            self._waiting.put((unit, 1))
        self._start, self._parts, self._progress = start, parts, progress
        self._total = len(units)
        self._lock = threading.Lock()
        self._workers: set[Worker] = set()
        self._ended = False
        self._found: list[Summary] = []
        self._done: list[Unit] = []
        self._failures: list[Failure] = []

    def work(self) -> None:
        """Take unit after unit until none waits."""
        worker: Worker | None = None
        while not self._ended:
            try:
                unit, attempt = self._waiting.get_nowait()
            except queue.Empty:
                break
            worker = worker or self._new_worker()
            if worker is None:
                break
            try:
                found = worker.summarise(unit, self._parts)
            except LogError as error:
                self._drop(worker)
                worker = None
                self._failed(unit, attempt, error)
            else:
                self._take(unit, found)
        if worker is not None:
            self._drop(worker)

    def outcome(self, *, cancelled: bool) -> Outcome:
        failures = sorted(self._failures, key=lambda each: each.unit.name)
        return Outcome(Summary.total(self._found), tuple(failures), cancelled, tuple(self._done))

    @contextmanager
    def closed_at_end(self) -> Iterator[None]:
        """Whoever waits for an answer has none any more when this is left."""
        try:
            yield
        finally:
            with self._lock:
                self._ended = True
                for worker in self._workers:
                    worker.close()
                self._workers.clear()

    def _new_worker(self) -> Worker | None:
        with self._lock:
            if self._ended:
                return None
            worker = self._start()
            self._workers.add(worker)
            return worker

    def _drop(self, worker: Worker) -> None:
        with self._lock:
            if worker in self._workers:
                self._workers.remove(worker)
                worker.close()

    def _take(self, unit: Unit, found: Summary) -> None:
        with self._lock:
            self._found.append(found)
            if len(self._found) >= _AT_ONCE:
                self._found = [Summary.total(self._found)]
            self._done.append(unit)
            self._tell(unit)

    def _failed(self, unit: Unit, attempt: int, error: LogError) -> None:
        with self._lock:
            if self._ended:
                return
            if attempt < ATTEMPTS:
                self._waiting.put((unit, attempt + 1))
                return
            self._failures.append(Failure(unit, error.what))
            self._tell(unit)

    def _tell(self, unit: Unit) -> None:
        share = (len(self._done) + len(self._failures)) / self._total
        self._progress(Progress(Message("Read {name}", name=unit.name), share))
