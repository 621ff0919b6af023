"""Where in the files of a log a moment is: by bisection, or by samples of a packed one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.link import Either
from ldap_workbench.capture.past.host_files import HostFiles, LogPart
from ldap_workbench.capture.past.host_scripts import HEAD, SAMPLE_EVERY
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.date_order import may_show_no_year, year_after, year_before
from ldap_workbench.model.progress import Cancel

PROBE = 4096
"""Bytes of one read while bisecting; more where lines are longer."""
_NEAR = 64 << 10
"""Bisecting ends where so little text is left that reading it costs less than a round trip."""
_LONGEST_LINE = 1 << 20


class LogTimes:
    """Finds times in the text of the host's files, in lines of one dialect.

    Raises what HostFiles raises, and CancelledError between two reads.
    """

    def __init__(self, files: HostFiles, cancel: Cancel) -> None:
        self._files = files
        self._cancel = cancel
        self.dialect = "unknown"
        self._samples: dict[int, list[int | None]] = {}

    def begun(self, part: LogPart) -> LogPart:
        """The file with the time it begins at, and the year where its lines may show none."""
        if may_show_no_year(self.dialect):
            zone = part.zone_offset_ns
            year = year_before(part.head, self.dialect, part.written_ns, zone)
            part = replace(part, year=year)
        return replace(part, first_ns=self._begin(part))

    def year_at(self, part: LogPart, text: bytes) -> int | None:
        """The year of a text from anywhere in a file, None where its lines show one."""
        if part.year is None or part.first_ns is None:
            return None
        return year_after(text, self.dialect, part.first_ns, part.zone_offset_ns)

    def _begin(self, part: LogPart) -> int | None:
        """When a file begins; None where no line shows a time."""
        if stamped := self._first_line(part, part.head):
            return stamped[1]
        if len(part.head) < HEAD:
            return None
        # Its first line is longer than the head.
        far = self._line_from(part, 0, part.size if not part.packed else _LONGEST_LINE)
        return far[1] if far else None

    def find(self, part: LogPart, time_ns: int) -> int:
        """An offset into the text with every line before it older than `time_ns`, and close to it.

        At a line of a plain file; up to a MiB before, and anywhere, in a packed one.
        """
        if part.packed:
            seen = self._sampled(part, time_ns)
            early = [i for i, ns in enumerate(seen) if ns is not None and ns < time_ns]
            return early[-1] * SAMPLE_EVERY if early else 0
        low, high = 0, part.size
        while high - low > _NEAR:
            middle = (low + high) // 2
            stamped = self._line_from(part, middle, high)
            if stamped is None or stamped[1] >= time_ns:
                high = middle
            else:
                low = stamped[0]
        return low

    def find_end(self, part: LogPart, time_ns: int) -> int | None:
        """An offset behind the last line before `time_ns`; None: read to the end of the file."""
        if part.packed:
            seen = self._sampled(part, time_ns)
            late = [i for i, ns in enumerate(seen) if ns is not None and ns >= time_ns]
            return late[0] * SAMPLE_EVERY if late else None
        end = self.find(part, time_ns) + _NEAR
        return None if end >= part.size else end

    def _first_line(self, part: LogPart, text: bytes) -> tuple[int, int] | None:
        """(offset, time) of the first whole line with a time."""
        if self.dialect not in DIALECTS:
            return None
        year = part.year if part.first_ns is None else self.year_at(part, text)
        scanner = Scanner(self.dialect, year=year, zone_offset_ns=part.zone_offset_ns)
        start = 0
        while end := text.find(b"\n", start) + 1:
            scanner.feed(text[start:end])
            if scanner.first_time_ns is not None:
                return start, scanner.first_time_ns
            start = end
        return None

    def _line_from(self, part: LogPart, offset: int, limit: int) -> tuple[int, int] | None:
        """(offset, time) of the first whole line with a time behind `offset`, before `limit`."""
        length = PROBE
        while True:
            self._cancel.check()
            length = min(length, limit - offset)
            text = self._files.text(part, offset, length)
            skip = text.find(b"\n") + 1 if offset else 0
            if (skip or not offset) and (stamped := self._first_line(part, text[skip:])):
                return offset + skip + stamped[0], stamped[1]
            if len(text) < length or offset + length >= limit or length >= _LONGEST_LINE:
                return None
            length *= 8

    def _sampled(self, part: LogPart, until_ns: int) -> list[int | None]:
        """The first time in every MiB of the text, up to the first one not before `until_ns`.

        The host unpacks no further.
        """
        known = self._samples.get(part.inode, [])
        if any(ns is not None and ns >= until_ns for ns in known):
            return known
        times: list[int | None] = []
        stop = Either(self._cancel)

        def begin() -> Callable[[bytes], None]:
            times.clear()
            return take

        def take(text: bytes) -> None:
            times.append(self._sample_time(part, text, at_start=not times))
            if times[-1] is not None and times[-1] >= until_ns:
                stop.set()

        self._files.samples(part, begin, stop)
        self._cancel.check()
        self._samples[part.inode] = times
        return times

    def _sample_time(self, part: LogPart, text: bytes, *, at_start: bool) -> int | None:
        stamped = self._first_line(part, text if at_start else text.partition(b"\n")[2])
        return stamped[1] if stamped else None
