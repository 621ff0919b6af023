"""A log on the server's host: what its files cover, and any stretch of their text."""

from __future__ import annotations

import time
from collections.abc import Callable

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.past.host_files import HostFiles, LogPart
from ldap_workbench.capture.past.log_times import LogTimes
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.reading.detect import Detection, detect, with_chosen_dialect
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel

SLOW_LINK = 40e6
"""Bytes per second below which packing costs the host less than sending costs the link."""
_MEASURE = 1 << 20
_PATIENCE_S = 60.0
"""How long a dropped link is tried to be opened anew."""


class RemoteLog:
    """Reads a log and its rotated files through a shell that `connect` opens; close it after use.

    A dropped link is opened anew for a minute, reading goes on at the byte reached. Raises
    CommandError where something cannot be read, ConnectError where the link stays broken,
    CancelledError between two reads.
    """

    def __init__(
        self,
        connect: Callable[[], RemoteShell],
        path: str,
        cancel: Cancel,
        dialect: str = "auto",
    ) -> None:
        self.path = path
        self.detection = Detection(
            "unknown", None, Message("unknown file"), Message("it was not examined."), 0.0
        )
        """What its text, or somebody with a `dialect` other than auto, says it is."""
        self._said = dialect
        self.link = HostLink(connect, cancel, _PATIENCE_S)
        self.packer = ""
        self.link_rate: float | None = None
        """Bytes per second, once measured."""
        self._files = HostFiles(self.link, path, cancel)
        self._times = LogTimes(self._files, cancel)

    def parts(self) -> list[LogPart]:
        """Every file of the set, each text once, in the order of their first lines."""
        parts = self._files.listed()
        heads = [part.head for part in parts if part.head]
        known = next((d for d in map(detect, heads) if d.dialect in DIALECTS), self.detection)
        self.detection = known if self._said == "auto" else with_chosen_dialect(self._said, known)
        self._times.dialect = self.detection.dialect
        texts: dict[bytes, LogPart] = {}
        # While a file is being packed both it and its copy lie there.
        for part in sorted(parts, key=lambda part: part.packed != ""):
            texts.setdefault(part.head, self._times.begun(part))
        return sorted(texts.values(), key=lambda part: (part.first_ns or 0, part.path))

    def year_at(self, part: LogPart, text: bytes) -> int | None:
        """The year of a text from anywhere in a file, None where its lines show one."""
        return self._times.year_at(part, text)

    def find(self, part: LogPart, time_ns: int) -> int:
        """An offset into the text with every line before it older than `time_ns`, and close to it.

        At a line of a plain file; up to a MiB before, and anywhere, in a packed one.
        """
        return self._times.find(part, time_ns)

    def find_end(self, part: LogPart, time_ns: int) -> int | None:
        """An offset behind the last line before `time_ns`; None: read to the end of the file."""
        return self._times.find_end(part, time_ns)

    def read(
        self, part: LogPart, start: int, end: int | None, on_text: Callable[[bytes], None]
    ) -> int:
        """Hand on text[start:end] as it comes.

        Returns the offset reached: the end of the file may come first. Ends early when cancelled.
        """
        reached = start
        if self.link_rate is None and (end is None or end - start > 4 * _MEASURE):
            reached = self._read_as_is(part, start, start + _MEASURE, on_text)
            if reached < start + _MEASURE:
                return reached
            self.packer = self._files.packer() if self._is_slow() else ""
        return self._files.stream(part, reached, end, self.packer, on_text)

    def close(self) -> None:
        self.link.close()

    def _read_as_is(
        self, part: LogPart, start: int, end: int, on_text: Callable[[bytes], None]
    ) -> int:
        """Read a first stretch unpacked and measure the link by it, from its first byte on."""
        first = began = 0.0
        size = 0

        def take(data: bytes) -> None:
            nonlocal first, began, size
            if not began:
                began, first = time.monotonic(), len(data)
            size += len(data)
            on_text(data)

        reached = self._files.stream(part, start, end, "", take)
        took = time.monotonic() - began
        self.link_rate = (size - first) / took if began and size > first and took > 0 else None
        return reached

    def _is_slow(self) -> bool:
        return self.link_rate is not None and self.link_rate < SLOW_LINK
