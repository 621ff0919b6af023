"""Which of a log's files holds the text that was being read, and which come after it.

A name says little: files are renamed, packed, and named alike within a second. A text is known by
the file that holds it (inode and when that was made) together with its first bytes or, in a copy,
by those bytes where they show a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.capture.past.host_files import LogPart
from ldap_workbench.capture.past.host_scripts import HEAD
from ldap_workbench.capture.past.log_times import LogTimes
from ldap_workbench.logs.access.dialects import DIALECTS


@dataclass(frozen=True)
class Place:
    """Where the reading stands: behind `offset` bytes of the text in `part`.

    `before` is the text that was read to its end before that.
    """

    part: LogPart
    offset: int
    before: LogPart | None = None

    def holds(self, other: LogPart) -> bool:
        """Whether this is the very file, and no shorter than what was read of it."""
        return _same_file(other, self.part) and other.size >= self.offset

    def fits(self, text: bytes) -> bool:
        """Whether this may come next: what is known of the text ahead says the same."""
        ahead = self.part.head[self.offset :]
        return text.startswith(ahead) if len(text) > len(ahead) else ahead.startswith(text)

    def after(self, text: bytes) -> Place:
        """Behind that much more of its text."""
        part = self.part
        if self.offset <= len(part.head) < HEAD:
            part = replace(part, head=(part.head[: self.offset] + text)[:HEAD])
        return replace(self, part=part, offset=self.offset + len(text))

    def in_no_file(self) -> Place:
        """The file holds another text now: a copy may still have this one."""
        return replace(self, part=replace(self.part, inode=-1))


class LogChain:
    """Puts the files of a listing in order, and finds a place among them.

    A text that was read to its end is not read again, whatever file it is in by then and wherever
    the order puts it: a clock that was set back has later texts begin before it.
    """

    def __init__(self, times: LogTimes) -> None:
        self._times = times
        self._done: list[bytes] = []

    def leave(self, text: LogPart) -> None:
        """This text was read to its end."""
        if self._shows_a_time(text.head):
            self._done.append(text.head)

    def not_read(self, parts: Sequence[LogPart]) -> list[LogPart]:
        """Those that hold no text that was read to its end."""
        return [part for part in parts if not any(map(part.head.startswith, self._done))]

    def in_order(self, parts: Sequence[LogPart]) -> list[LogPart]:
        """Each text once, in the order of their first lines.

        Of their last where the first show no time: 389 DS names files by their time, slapd .01,
        .02, logrotate .1 or -20261121.
        """
        plain = [part for part in parts if not part.packed]
        # Not the copy of a file that is still there, whole or in the making.
        heads = [part.head for part in plain]
        copies = [p for p in parts if p.packed and not any(h.startswith(p.head) for h in heads)]
        begun = [self._timed(part, part.head) for part in plain + copies]
        if all(part.first_ns is not None for part in begun):
            return sorted(begun, key=_begun)
        return sorted(plain + copies, key=lambda part: (part.written_ns, part.path))

    def at(self, place: Place, parts: Sequence[LogPart]) -> int | None:
        """Which of the ordered parts holds the text at a place; None where it is gone."""
        index = self._index(place.part, parts)
        if index is None and place.before and not self._shows_a_time(place.part.head):
            # Nothing tells it from others yet: it is what came after the text before it.
            index = self._index(place.before, parts)
            later = [] if index is None else self.not_read(parts[index + 1 :])
            index = parts.index(later[0]) if later else None
        return index

    def behind(self, place: Place, parts: Sequence[LogPart]) -> list[LogPart]:
        """The parts that began later than the text at a place that is gone."""
        begun = _begun(self._timed(place.part, place.part.head[: HEAD - 1]))
        return [part for part in parts if _begun(part) > begun]

    def _index(self, wanted: LogPart, parts: Sequence[LogPart]) -> int | None:
        for number, part in enumerate(parts):
            if _same_file(part, wanted):
                return number
        if not self._shows_a_time(wanted.head):
            return None
        for number, part in enumerate(parts):
            if part.head.startswith(wanted.head):
                return number
        return None

    def _shows_a_time(self, head: bytes) -> bool:
        """Whether a text can be told from others by its first bytes; a title alone is in all."""
        if self._times.dialect not in DIALECTS:
            return head.count(b"\n") > 1
        return self._timed(LogPart("", -1, 0, "", b""), head[: HEAD - 1]).first_ns is not None

    def _timed(self, part: LogPart, head: bytes) -> LogPart:
        """With the time of its first line; a head shorter than HEAD is not read on."""
        if self._times.dialect not in DIALECTS:
            return part
        return self._times.begun(replace(part, head=head))


def _same_file(part: LogPart, other: LogPart) -> bool:
    same = (part.inode, part.made_ns) == (other.inode, other.made_ns)
    return same and part.head.startswith(other.head)


def _begun(part: LogPart) -> int:
    return part.written_ns if part.first_ns is None else part.first_ns
