"""Where samples are missing: nothing may be drawn or summed over these as if it were known.

One rule for all that is sampled on a beat. A source is partial where

- its link was cut, or no sample was taken for more than five beats: a gap;
- more than one sample in ten is missing, of thirty or more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ldap_workbench.capture.link import AnyLink, cuts_of
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceState

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
