"""A source at work: a thread of its own that samples until it is told to stop.

What comes in while a window lasts, told to whoever watches; complete or not.

Where samples are missing: nothing may be drawn or summed over these as if it were known. One rule
for all that is sampled on a beat. A source is partial where

- its link was cut, or no sample was taken for more than five beats: a gap;
- more than one sample in ten is missing, of thirty or more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ldap_workbench.capture.link import AnyLink, cuts_of
from ldap_workbench.model.errors import CancelledError, WorkbenchError
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import LiveBatch, Sample, Source, SourceKind, SourceState

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


_BEATS = 5.0
"""More beats without a question than this were not slow answers: the workbench slept."""
_MISSING = 10
"""One sample in so many may be missing: a busy host takes its time for each."""
_ENOUGH = 30
"""Of fewer samples two or three that are late would be too many."""


class SampleGaps:
    """Notes when samples were taken, every `beat_s` of server time.

    `counted`: each beat gives a sample. A simulated clock may be too quick for that.
    """

    def __init__(
        self, link: AnyLink, beat_s: float, began_ns: int, *, counted: bool = True
    ) -> None:
        self._link = link
        self._beat_ns = beat_s * NS_PER_S
        self._counted = counted
        self._cuts = link.cuts
        self._first_ns: int | None = None
        self._last_ns = self._answered_ns = began_ns
        self._longest_ns = self._slowest_ns = 0
        self.gaps: list[tuple[int, int]] = []
        self.cuts: list[tuple[int, int]] = []
        """Those of them in which the link was cut, one that lasts to the end included."""

    def sampled(self, time_ns: int, asked_ns: int | None = None) -> None:
        """Samples are of `time_ns`; where asking took long, from `asked_ns` on no one slept."""
        asked_ns = time_ns if asked_ns is None else asked_ns
        idle = asked_ns - self._answered_ns
        if self._link.cuts > self._cuts:
            self.cuts.append((self._last_ns, time_ns))
        if self._link.cuts > self._cuts or idle > _BEATS * self._beat_ns:
            self.gaps.append((self._last_ns, time_ns))
        self._cuts = self._link.cuts
        if self._first_ns is None:
            self._first_ns = time_ns
        else:
            self._longest_ns = max(self._longest_ns, time_ns - self._last_ns)
        self._last_ns = time_ns
        self._slowest_ns = max(self._slowest_ns, 2 * (time_ns - asked_ns))
        self._answered_ns = 2 * time_ns - asked_ns

    def ended(self, time_ns: int) -> None:
        """No more samples come; a link that is cut was so until now."""
        if self._link.cut:
            self.cuts.append((self._last_ns, time_ns))

    @property
    def expected(self) -> int:
        """Beats from the first sample to the last."""
        if self._first_ns is None:
            return 0
        return round((self._last_ns - self._first_ns) / self._beat_ns) + 1

    def with_gaps(self, source: Source) -> Source:
        """The source, partial where samples are missing, with the gaps and cuts in its details."""
        details: dict[str, Any] = {**source.details, **cuts_of(self._link)}
        details["sample_gaps"] = [list(gap) for gap in self.gaps]
        details["expected_samples"] = self.expected if self._counted else None
        details["longest_gap_ns"] = self._longest_ns
        details["slowest_answer_ns"] = self._slowest_ns
        why = sentences(self._why_gaps(), self._why_few(source.samples))
        if why and source.state is SourceState.COMPLETE:
            source = replace(source, state=SourceState.PARTIAL, why=sentences(source.why, why))
        return replace(source, details=details)

    def _why_gaps(self) -> Message:
        if not self.gaps:
            return NOTHING
        return count_of(
            "No samples for {seconds:.1f} s, in {n} gap.",
            "No samples for {seconds:.1f} s, in {n} gaps.",
            n=len(self.gaps),
            seconds=sum(end - start for start, end in self.gaps) / NS_PER_S,
        )

    def _why_few(self, taken: int) -> Message:
        expected = self.expected
        missing = expected - taken
        if not self._counted or expected < _ENOUGH or missing * _MISSING <= expected:
            return NOTHING
        return Message(
            "{taken} of {expected} samples were taken, the longest time between two was "
            "{longest:duration}.",
            taken=taken,
            expected=expected,
            longest=self._longest_ns,
        )


OnLive = Callable[[LiveBatch], None]


class LiveFeed:
    """Hands batches on, one at a time, from the threads of all sources."""

    def __init__(self, on_live: OnLive | None, now_ns: Callable[[], int]) -> None:
        self._on_live = on_live or (lambda _: None)
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._notes: dict[SourceKind, Message] = {}
        self._ended: set[SourceKind] = set()

    @property
    def notes(self) -> list[Message]:
        """What to know of the sources at work."""
        return [
            Message("{source}: {note}", source=kind.label, note=note)
            for kind, note in self._notes.items()
            if note
        ]

    def started(self, source: Source) -> None:
        self._send(source=source.kind)

    def ended(self, source: Source) -> None:
        """A source that could not be started, or works no longer."""
        self._send(source=source.kind, state=source.state, why=source.why)

    def see_ended(self, running: RunningSource) -> None:
        """Tell once of a source that has ended by itself: in a window, one that broke."""
        if not running.alive and running.source.kind not in self._ended:
            self._ended.add(running.source.kind)
            self.ended(running.source)

    def see_note(self, kind: SourceKind, note: Message) -> None:
        """Tell of a note of a source where it is another than before."""
        if str(note) != str(self._notes.get(kind, NOTHING)):
            self._notes[kind] = note
            self._send(source=kind, note=note)

    def operations(self, count: int, worst_ns: int, size: int) -> None:
        kind = SourceKind.ACCESS_LOG
        self._send(source=kind, operations=count, worst_ns=worst_ns, bytes_read=size)

    def errors(self, size: int) -> None:
        self._send(source=SourceKind.ERROR_LOG, bytes_read=size)

    def samples(self, kind: SourceKind, samples: list[Sample]) -> None:
        if samples:
            self._send(samples[-1].time_ns, source=kind, samples=tuple(samples))

    def _send(self, time_ns: int | None = None, **what: Any) -> None:
        with self._lock:
            self._on_live(LiveBatch(self._now_ns() if time_ns is None else time_ns, **what))
