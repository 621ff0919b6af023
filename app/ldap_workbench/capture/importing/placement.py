"""Which window a companion of an access log belongs to, and windows for what has none.

Readings of counters that print no time: put in order by the counters themselves. Two readings are a
window whatever the clock said: what was counted between them. Their order is that of counters that
only grow; how long they are apart nobody knows unless it is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ldap_workbench.capture.importing.folders import nearest
from ldap_workbench.capture.importing.summaries import LogTotals, compared
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, Window
from ldap_workbench.session.writer import SessionWriter

if TYPE_CHECKING:
    from ldap_workbench.capture.importing.companion import Companion
from collections.abc import Iterable

from ldap_workbench.model.window import Sample


@dataclass(frozen=True)
class Waiting:
    """A companion whose window is not known yet; `name` is what a window of its own is called."""

    source: Source
    companion: Companion
    path: Path
    name: str


class Placement:
    """The windows and sources of an import, with the companions that wait for a window.

    `roots`: the folder with the content of an archive -> the archive. A new window covers
    [start_ns, end_ns) where these are set, else the times of what is put into it.
    """

    def __init__(
        self,
        writer: SessionWriter,
        roots: Mapping[Path, Path],
        start_ns: int | None,
        end_ns: int | None,
    ) -> None:
        self._writer = writer
        self._roots = roots
        self._start_ns = start_ns
        self._end_ns = end_ns
        self.windows: list[Window] = []
        self.sources: list[Source] = []
        self.waiting: list[Waiting] = []
        self.totals: dict[int, LogTotals] = {}
        """Source of an access log -> what it adds up to, for the summaries of other tools."""
        self._folders: dict[int, Path] = {}

    def moment_near(self, folder: Path) -> int | None:
        """The middle of the access log nearest to a folder; None without one."""
        windows = nearest(self.windows, self._folders, folder) or self.windows
        return (windows[0].start_ns + windows[0].end_ns) // 2 if windows else None

    def place_readings(self, clock: Clock) -> None:
        """Give counters without a time one, those of each folder together."""
        folders: dict[Path, list[Waiting]] = {}
        for waiting in self.waiting:
            if waiting.companion.readings:
                folders.setdefault(waiting.path.parent, []).append(waiting)
        for group in folders.values():
            by_source = {waiting.source.id: waiting.companion for waiting in group}
            readings = [(e.source.id, reading) for e in group for reading in e.companion.readings]
            start = clock.start_ns or max(waiting.path.stat().st_mtime_ns for waiting in group)
            for place, (number, reading) in enumerate(in_order(readings)):
                time_ns = start + place * clock.interval_ns
                by_source[number].see(time_ns)
                self._writer.add_samples(number, at_times(reading, time_ns))

    def place_companions(self, clock: Clock) -> None:
        """Give each companion the window it overlaps most, or a new one.

        A configuration holds for every window of its server, and is put with each of them.
        """
        left: list[Waiting] = []
        for waiting in self.waiting:
            windows = self._windows_of(waiting)
            for window in windows:
                first = window is windows[0]
                number = waiting.source.id if first else self._writer.next_id("source")
                self._put_companion(replace(waiting.source, id=number), window)
            if not windows:
                left.append(waiting)
        for waiting in left:
            if waiting.companion.stands_alone:
                self._put_in_new_window(waiting.path.parent, [waiting], clock, dated=True)
        for (folder, dated), group in self._sharing_a_window(left).items():
            self._put_in_new_window(folder, group, clock, dated=dated)

    def _windows_of(self, waiting: Waiting) -> list[Window]:
        """Windows of access logs: by its times, else that of the report it came in."""
        windows = []
        if waiting.companion.dated:
            windows = _fitting(self.windows, self._folders, waiting)
        return windows or self._of_same_report(waiting.path.parent)

    def _sharing_a_window(self, left: Sequence[Waiting]) -> dict[tuple[Path, bool], list[Waiting]]:
        """Companions that share a window, by their folder or report and whether times are theirs.

        Times that are guessed stand apart from those that are printed: they would only seem to
        overlap. What has no time at all joins the others of its folder, those with times first.
        """
        groups: dict[tuple[Path, bool], list[Waiting]] = {}
        timeless: list[tuple[Path, Waiting]] = []
        for waiting in left:
            folder = self._report_of(waiting.path.parent) or waiting.path.parent
            if waiting.companion.stands_alone:
                continue
            if waiting.companion.first_ns is None:
                timeless.append((folder, waiting))
            else:
                groups.setdefault((folder, waiting.companion.dated), []).append(waiting)
        for folder, waiting in timeless:
            only_guessed = (folder, False) in groups and (folder, True) not in groups
            groups.setdefault((folder, not only_guessed), []).append(waiting)
        return groups

    def _put_in_new_window(
        self, folder: Path, group: Sequence[Waiting], clock: Clock, *, dated: bool
    ) -> None:
        window = self._window_for(folder, group, clock, dated=dated)
        for waiting in group:
            self._put_companion(waiting.source, window)

    def _report_of(self, folder: Path) -> Path | None:
        """The archive or the report of a host (sosreport) that a folder is in."""
        for place in (folder, *folder.parents):
            if place in self._roots or (place / "sos_commands").is_dir():
                return place
        return None

    def _of_same_report(self, folder: Path) -> list[Window]:
        """The window of the access log of the same report: what one host sent belongs together."""
        report = self._report_of(folder)
        if report is None:
            return []
        folders = {n: f for n, f in self._folders.items() if self._report_of(f) == report}
        windows = [window for window in self.windows if window.id in folders]
        return (nearest(windows, folders, folder) or windows)[:1]

    def _window_for(
        self, folder: Path, group: Sequence[Waiting], clock: Clock, *, dated: bool
    ) -> Window:
        """A window over the times of what has no access log."""
        spans = [(waiting.companion.first_ns, waiting.companion.last_ns) for waiting in group]
        times = [t for span in spans for t in span if t is not None]
        remark = NOTHING
        if not times:
            remark = Message("Nothing in it has a time; the time is that of the newest file.")
        if not dated:
            counters = any(waiting.companion.readings for waiting in group)
            remark = describe_times(clock.interval_ns, counters=counters)
        times = times or [max(waiting.path.stat().st_mtime_ns for waiting in group)]
        name = group[0].name if len(group) == 1 else folder.resolve().name
        number = self._writer.next_id("capture_window")
        start = self._start_ns if self._start_ns is not None else min(times)
        end = self._end_ns if self._end_ns is not None else max(times) + NS_PER_S
        window = Window(number, name, start, end, remark=remark)
        self.put_window(window, folder)
        return window

    def put_window(self, window: Window, folder: Path) -> None:
        self._writer.put_window(window)
        self._folders[window.id] = folder
        self.windows.append(window)

    def _put_companion(self, source: Source, window: Window) -> None:
        """Store it with its window; a summary of another tool is compared with the window."""
        details = source.details
        if summary := details.get("logconv"):
            logs = [s.id for s in self.sources if s.window == window.id and s.id in self.totals]
            totals = self.totals[logs[0]] if logs else None
            notes = [*details["notes"], *compared(summary, window, totals)]
            details = details | {"notes": notes}
        self.put_source(replace(source, window=window.id, details=details))

    def put_source(self, source: Source) -> None:
        self._writer.put_source(source)
        self.sources.append(source)


def _fitting(
    windows: Sequence[Window], folders: Mapping[int, Path], waiting: Waiting
) -> list[Window]:
    """The window a companion belongs to.

    Of those it overlaps the nearest, and of these the one it overlaps most. Without a time the
    first one of its folder; a configuration all of its server.
    """
    companion = waiting.companion
    if companion.kind is SourceKind.CONFIG:
        return nearest(windows, folders, waiting.path.parent)
    if companion.first_ns is None or companion.last_ns is None:
        return [w for w in windows if folders[w.id] == waiting.path.parent][:1]
    # A report stands for the interval before it, a single one still touches a window.
    begin, end = companion.first_ns - NS_PER_S, companion.last_ns + NS_PER_S
    shared = {w.id: min(w.end_ns, end) - max(w.start_ns, begin) for w in windows}
    touched = [window for window in windows if shared[window.id] > 0]
    close = nearest(touched, folders, waiting.path.parent) or touched
    return sorted(close, key=lambda window: -shared[window.id])[:1]


_GROW = ("tries", "hits", "completed", "initiated", "pagein", "sent", "evictions")
"""Endings of attributes that only grow while a server runs."""


def in_order(readings: Iterable[tuple[int, list[Sample]]]) -> list[tuple[int, list[Sample]]]:
    """(source, samples) of each reading, the one with the smallest counters first.

    Readings that share no counter keep the order they have.
    """
    listed = list(readings)
    grown = [_grown(samples) for _, samples in listed]
    shared = set(grown[0]).intersection(*grown[1:]) if grown else set()
    places = sorted(range(len(listed)), key=lambda at: sum(grown[at][name] for name in shared))
    return [listed[at] for at in places]


def has_counters(samples: Iterable[Sample]) -> bool:
    """Whether a server counted anything in it: dse.ldif names monitor entries too."""
    return any(sample.series.lower().endswith((*_GROW, "ratio")) for sample in samples)


def at_times(samples: Sequence[Sample], time_ns: int) -> list[Sample]:
    """The samples of one reading, placed in time."""
    return [replace(sample, time_ns=time_ns) for sample in samples]


def describe_times(interval_ns: int, *, counters: bool) -> Message:
    """What the times of a window mean in which nothing printed one."""
    seconds = interval_ns / NS_PER_S
    if counters:
        return Message(
            "Nothing in it says when it was read: readings are placed in the order of their "
            "counters, {seconds:g} s apart. Counts between them are right, rates per second "
            "are not. Import with --began and --interval, the time of the first reading and "
            "the seconds to the next.",
            seconds=seconds,
        )
    return Message(
        "Nothing in it says when it was read: its reports are placed one after the other, "
        "{seconds:g} s apart, from the time of the file on. To place them beside a log, import "
        "with --began and --interval, the time of the first report and the seconds between "
        "reports.",
        seconds=seconds,
    )


def _grown(samples: Sequence[Sample]) -> dict[str, float]:
    return {s.series.lower(): s.value for s in samples if s.series.lower().endswith(_GROW)}
