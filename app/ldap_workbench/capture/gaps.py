"""Where samples are missing: nothing may be drawn or summed over these as if it were known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ldap_workbench.capture.link import AnyLink, cuts_of
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceState


class SampleGaps:
    """Notes when samples were taken: a cut of `link`, or more than `limit_s` without, is a gap."""

    def __init__(self, link: AnyLink, limit_s: float, began_ns: int) -> None:
        self._link = link
        self._limit_ns = round(limit_s * NS_PER_S)
        self._cuts = link.cuts
        self._last_ns = self._answered_ns = began_ns
        self.found: list[tuple[int, int]] = []

    def sampled(self, time_ns: int, asked_ns: int | None = None) -> None:
        """Samples are of `time_ns`; where asking took long, from `asked_ns` on no one slept."""
        asked_ns = time_ns if asked_ns is None else asked_ns
        idle = asked_ns - self._answered_ns
        if self._link.cuts > self._cuts or idle > self._limit_ns:
            self.found.append((self._last_ns, time_ns))
        self._cuts = self._link.cuts
        self._last_ns = time_ns
        self._answered_ns = 2 * time_ns - asked_ns

    def with_gaps(self, source: Source) -> Source:
        """The source, partial where samples are missing, with the gaps and cuts in its details."""
        details: dict[str, Any] = {**source.details, **cuts_of(self._link)}
        details["sample_gaps"] = [list(gap) for gap in self.found]
        if self.found and source.state is SourceState.COMPLETE:
            source = replace(source, state=SourceState.PARTIAL, why=self._why(source.why))
        return replace(source, details=details)

    def _why(self, before: Message) -> Message:
        seconds = sum(end - start for start, end in self.found) / NS_PER_S
        why = count_of(
            "No samples for {seconds:.1f} s, in {n} gap.",
            "No samples for {seconds:.1f} s, in {n} gaps.",
            n=len(self.found),
            seconds=seconds,
        )
        return sentences(before, why)
