"""A log as 389 DS keeps it: buffered, written in one go, rotated and thrown away in time."""

from __future__ import annotations

import time
from pathlib import Path

from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.model.stalls import LOG_BUFFER

MIB = 1024 * 1024
FLUSH_EVERY_NS = 30 * NS_PER_S


class LogFile:
    """One log and its rotated files; times are practice ns."""

    def __init__(self, path: Path, header: str) -> None:
        self.path = path
        self._header = header.encode()
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._flushed_ns = 0
        self._created_ns = 0
        self._size = 0
        self._rotated: list[tuple[Path, int]] = []

    def write(self, text: bytes, now_ns: int, *, buffering: bool) -> None:
        """Append whole lines; they reach the file at 512 KiB, after 30 s, or unbuffered at once."""
        if not self._created_ns:
            self._create(now_ns)
        self._buffer.append(text)
        self._buffered += len(text)
        late = now_ns - self._flushed_ns >= FLUSH_EVERY_NS
        if not buffering or late or self._buffered >= LOG_BUFFER:
            self.flush(now_ns)

    def flush(self, now_ns: int) -> None:
        """Write out what is buffered."""
        self._flushed_ns = now_ns
        if not self._buffered:
            return
        with self.path.open("ab") as file:
            for text in self._buffer:
                file.write(text)
        self._size += self._buffered
        self._buffer, self._buffered = [], 0

    def rotate(self, now_ns: int, *, megabytes: int, files: int, disk_megabytes: int) -> None:
        """Begin another file once this one is full, and delete the oldest beyond the limits.

        -1 megabytes is no limit. Like the server's own check this runs after a flush.
        """
        if self._created_ns and 0 <= megabytes * MIB <= self._size:
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._created_ns // NS_PER_S))
            target = self.path.with_name(f"{self.path.name}.{stamp}")
            self.path.replace(target)
            self._rotated.append((target, self._size))
            self._create(now_ns)
        while self._rotated and self._beyond(files, disk_megabytes):
            self._rotated.pop(0)[0].unlink(missing_ok=True)

    @property
    def rotated(self) -> list[str]:
        """Names of the rotated files, oldest first."""
        return [path.name for path, _ in self._rotated]

    def _beyond(self, files: int, disk_megabytes: int) -> bool:
        everything = self._size + sum(size for _, size in self._rotated)
        return len(self._rotated) + 1 > files or everything > disk_megabytes * MIB

    def _create(self, now_ns: int) -> None:
        self._created_ns = self._flushed_ns = now_ns
        self.path.write_bytes(self._header)
        self._size = len(self._header)
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now_ns // NS_PER_S))
        lines = [f"LOGINFO:Log file created at: {stamp} ({now_ns // NS_PER_S})\n"]
        lines += [f"LOGINFO:Previous Log File:{path} ({size})\n" for path, size in self._rotated]
        self.path.with_name(f"{self.path.name}.rotationinfo").write_text("".join(lines))
