"""Checkpoints in stack dumps: a thread that stays in the flush over consecutive dumps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.wording import search_words
from ldap_workbench.logs.server.stacks import UNNAMED
from ldap_workbench.model.finding import Evidence
from ldap_workbench.model.message import Message, count_of, sentences, verbatim
from ldap_workbench.model.units import NS_PER_S

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
