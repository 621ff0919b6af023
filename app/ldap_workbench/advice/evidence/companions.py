"""What was imported beside the logs: stacks, histograms of probes, the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.wording import search_words
from ldap_workbench.logs.host.probes import threads_in, without_threads
from ldap_workbench.logs.server.audit389 import AuditRecord, read_audit_log
from ldap_workbench.logs.server.stacks import UNNAMED
from ldap_workbench.model.finding import Evidence
from ldap_workbench.model.message import Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import ABSENT, Int64
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.unanswered import (
    Unanswered,
    Waiting,
    given_up,
    unanswered_changes,
    waiting_operations,
)

_LARGEST = 1 << 62
_LOST = ("lost_lines", "lost_requests", "lost_operations")
"""No place in a log is beyond it; a session may be a stranger's."""
_AUDIT_LOG_LIMIT = 64 << 20
"""Bytes of audit log read for one window."""


@dataclass(frozen=True)
class StackDump:
    """Stacks of all threads at one moment, None where it is not known; innermost frames first."""

    time_ns: int | None
    threads: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Histogram:
    """Counts per bucket of one probe; `low` holds the lower bounds in `unit`, ascending.

    `unit` is ns, us, ms, or "" where none is printed: then only its shape can be told. `probe` is
    what was measured and `threads` how many did it, told by the name where they are not given;
    `mean` and `most` are in its unit, as printed beside it.
    """

    name: str
    low: tuple[float, ...]
    counts: tuple[int, ...]
    unit: str = "us"
    probe: str = ""
    threads: int | None = None
    mean: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        if not self.probe:
            object.__setattr__(self, "probe", without_threads(self.name).strip())
        if self.threads is None:
            object.__setattr__(self, "threads", threads_in(self.name))

    @property
    def calls(self) -> int:
        return sum(self.counts)

    def beyond(self, bound: float) -> int:
        """Calls in the buckets from `bound` on."""
        return sum(n for low, n in zip(self.low, self.counts, strict=True) if low >= bound)

    @property
    def usual(self) -> float:
        """The mean as printed, else by the middle of each bucket, in its unit."""
        if self.mean is not None:
            return self.mean
        middle = sum(1.5 * low * n for low, n in zip(self.low, self.counts, strict=True))
        return middle / max(self.calls, 1)


def stacks_of(window: Window, sources: Iterable[Source]) -> Iterator[StackDump]:
    """Imported dumps of a window, in their order; those without a time are all of it."""
    for source in sources:
        if source.kind == SourceKind.STACKS:
            for dump in source.details.get("dumps", ()):
                time_ns = dump["time_ns"]
                threads = {thread: tuple(calls) for thread, calls in dump["threads"].items()}
                if time_ns is None or window.start_ns <= time_ns <= window.end_ns:
                    yield StackDump(time_ns, threads)


def unanswered_of(window: Window, sources: Iterable[Source]) -> Iterator[Unanswered]:
    """Changes the access log of a window asks for without a result."""
    for change in unanswered_changes(sources):
        if window.start_ns <= change.time_ns < window.end_ns:
            yield change


def waiting_of(window: Window, sources: Iterable[Source]) -> Iterator[Waiting]:
    """Operations that were open at the end of a window, whenever they began."""
    for search in waiting_operations(sources):
        if 0 <= search.time_ns < window.end_ns and _is_sound(search):
            yield search


def given_up_in(window: Window, sources: Iterable[Source]) -> Iterator[Waiting]:
    """Operations whose connections were closed in a window before they had a result, or after it.

    Those waited to the end of the window. None of a log that lost lines: results are among them.
    """
    whole = [source for source in sources if not any(map(source.details.get, _LOST))]
    for operation in given_up(whole):
        closed_ns = operation.closed_ns or 0
        in_window = operation.time_ns < window.end_ns and window.start_ns <= closed_ns
        if in_window and 0 <= operation.time_ns <= closed_ns and _is_sound(operation):
            yield replace(operation, closed_ns=min(closed_ns, window.end_ns))


def _is_sound(operation: Waiting) -> bool:
    numbers = (operation.conn, operation.boot, operation.closed_at)
    return 0 <= operation.at < _LARGEST and all(abs(n) < _LARGEST for n in numbers)


def without_closed(
    waiting: Iterable[Waiting], boot: NDArray[np.int32], conn: Int64, opened_ns: Int64
) -> list[Waiting]:
    """Those whose connection may still be open; the columns are those of the window's operations.

    Where the log shows connections being opened, one of a higher number whose client is not known
    any more has ended long ago. Connections from before the log have lower numbers.
    """
    opened = opened_ns != ABSENT
    first = {
        int(start): int(conn[opened & (boot == start)].min()) for start in np.unique(boot[opened])
    }
    return [
        operation
        for operation in waiting
        if operation.client or operation.conn < first.get(operation.boot, operation.conn + 1)
    ]


def histograms_of(sources: Iterable[Source]) -> Iterator[Histogram]:
    """Imported histograms; a bucket without a lower bound begins at 0."""
    for source in sources:
        if source.kind == SourceKind.HISTOGRAM:
            for stored in source.details.get("histograms", ()):
                rows = sorted(
                    (b or 0.0, n) for b, n in zip(stored["low"], stored["counts"], strict=True)
                )
                low, counts = tuple(b for b, _ in rows), tuple(n for _, n in rows)
                more = (stored.get("threads"), stored.get("mean"), stored.get("most"))
                yield Histogram(
                    stored["name"], low, counts, stored["unit"], stored.get("probe", ""), *more
                )


def audit_of(session: Session, window: Window, sources: Iterable[Source]) -> Iterator[AuditRecord]:
    """Changes the imported audit log shows within a window."""
    for source in sources:
        if source.kind == SourceKind.AUDIT_LOG:
            for record in read_audit_log(session.raw(source.id, 0, _AUDIT_LOG_LIMIT)):
                if window.start_ns <= record.time_ns < window.end_ns:
                    yield record


_MANY = 3
"""Short checkpoints are not met by chance in so many dumps one after the other."""


@dataclass(frozen=True)
class FlushRun:
    """One thread in one call of the flush over consecutive dumps, made at `times` (None: unknown).

    `interval_s` is how long the server rests between two checkpoints.
    """

    thread: str
    frame: str
    times: tuple[int | None, ...]
    interval_s: float

    @property
    def start_ns(self) -> int | None:
        return self.times[0]

    @property
    def end_ns(self) -> int | None:
        return self.times[-1]

    @property
    def seconds(self) -> float | None:
        """How long the thread was seen there; None where a dump at an end has no time."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return (self.end_ns - self.start_ns) / NS_PER_S

    @property
    def is_one(self) -> bool:
        """Whether it is one checkpoint: two dumps far apart may have met two short ones."""
        known = [time for time in self.times if time is not None]
        gaps = [(later - earlier) / NS_PER_S for earlier, later in pairwise(known)]
        return len(self.times) >= _MANY or max(gaps, default=0.0) <= self.interval_s

    @property
    def text(self) -> Message:
        """Who was where, how often, from when to when, and what that says."""
        seen = count_of(
            "{thread} is in {frame} in {n} stack dump.",
            "{thread} is in {frame} in {n} consecutive stack dumps.",
            n=len(self.times),
            thread=describe_thread(self.thread),
            frame=self.frame,
        )
        if self.start_ns is None or self.end_ns is None or not self.seconds:
            return seen
        if self.is_one:
            lasted = Message(
                "From {start:time} to {end:time}: one checkpoint of at least {lasted:duration}.",
                start=self.start_ns,
                end=self.end_ns,
                lasted=self.end_ns - self.start_ns,
            )
        else:
            lasted = Message(
                "From {start:time} to {end:time}: one checkpoint or two.",
                start=self.start_ns,
                end=self.end_ns,
            )
        return sentences(seen, lasted)

    def evidence(self) -> Evidence:
        return Evidence(self.text, self.start_ns, self.end_ns)

    def overlaps(self, start_ns: int, end_ns: int) -> bool:
        """Whether it was on between two moments, as far as its times are known."""
        if self.start_ns is None or self.end_ns is None:
            return False
        return self.start_ns <= end_ns and start_ns <= self.end_ns


def describe_thread(thread: str) -> Message:
    """A thread as it is called in a sentence: the id alone may be a number, or not known."""
    if thread == UNNAMED:
        return Message("A thread")
    return Message("Thread {id}", id=thread) if thread.isdigit() else verbatim(thread)


def flush_runs(stacks: Iterable[StackDump], interval_s: float = 60.0) -> list[FlushRun]:
    """Runs of two dumps or more, the longest first; at any moment a thread counts once.

    Threads that stay in a checkpoint frame; `interval_s` is that of 389 DS unless it is known.
    """
    dumps = list(stacks)
    counted: list[tuple[str, range]] = []
    runs = []
    for thread, frame, run in sorted(_runs(dumps), key=lambda item: -len(item[2])):
        # A thread that syncs pages is in the frames around that call as well.
        known = any(t == thread and run[0] <= r[-1] and r[0] <= run[-1] for t, r in counted)
        if len(run) >= 2 and not known:
            counted.append((thread, run))
            times = tuple(dumps[at].time_ns for at in run)
            runs.append(FlushRun(thread, frame, times, interval_s))
    return runs


def _runs(dumps: list[StackDump]) -> list[tuple[str, str, range]]:
    """(thread, frame, numbers of the dumps) of each call of the flush, inner frames first."""
    wanted = search_words("checkpoint", "frames")
    ended: list[tuple[str, str, range]] = []
    running: dict[tuple[str, str], range] = {}
    for number, dump in enumerate(dumps):
        here = {}
        for thread, frames in dump.threads.items():
            for frame in frames:
                if any(word in frame for word in wanted):
                    before = running.get((thread, frame), range(number, number))
                    here[thread, frame] = range(before.start, number + 1)
        ended += [(*key, run) for key, run in running.items() if key not in here]
        running = here
    return ended + [(*key, run) for key, run in running.items()]
