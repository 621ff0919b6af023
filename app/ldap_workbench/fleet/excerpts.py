"""One hour of a server's log, cut out where the log lies; only its lines leave the host.

`pieces` runs there. What arrives is a stranger's: `Received` writes it within bounds.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import zstandard

from ldap_workbench.capture.past.fetching import LONGEST_NS, SLACK_NS
from ldap_workbench.fleet.packing import damaged
from ldap_workbench.fleet.units import Log, is_of, logs_of
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.archives import Opened
from ldap_workbench.logs.reading.date_order import year_after
from ldap_workbench.logs.reading.files import DetectedFile, LogFile
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import OnProgress, Progress

BLOCK = 1 << 20
"""Bytes of text that are sent or skipped together."""
_PROBE = 4096
LARGEST = 4 << 30
"""Bytes of text of one hour."""
_MOST_FILES = 1000
_LONGEST_LINE, _LARGEST_BLOCK = 16 << 20, 64 << 20
_SPARE = 1 << 30
"""Bytes that stay free on the disk."""


@dataclass(frozen=True)
class Hour:
    """[start_ns, end_ns) of a server of a fleet."""

    server: str
    start_ns: int
    end_ns: int


def pieces(name: str, hour: Hour, contents: Opened) -> Iterator[bytes]:
    """The lines of an hour, and of a minute behind it for late results; then one that says so.

    `name`: of the host, in the fleet. Raises LogError where its logs hold nothing of the hour.
    """
    logs = [log for log in logs_of(name, contents) if is_of(hour.server, log.name)]
    files = [file for log in logs for file in _covering(log, hour)]
    sent = False
    for place, file in enumerate(files):
        for text in _blocks(file, hour, {log.name for log in logs}):
            about = {"file": place, "share": (place + 0.5) / len(files)}
            yield _line(about) + zstandard.ZstdCompressor(level=3).compress(text)
            sent = True
    if not sent:
        raise LogError(
            Message("The log of {server} holds nothing of this hour.", server=hour.server),
            remedy=Message("It may have been rotated away: import the logs again."),
        )
    yield _line({"end": True})


class Received:
    """Writes what a host sends into files of a folder."""

    def __init__(self, folder: Path, progress: OnProgress) -> None:
        self._folder = folder
        self._progress = progress
        self._bytes = 0
        self.paths: list[Path] = []

    def take(self, body: bytes) -> bool:
        """False for the last piece. Raises LogError for what no host of ours sends."""
        with damaged():
            head, _, packed = body.partition(b"\n")
            about = json.loads(head)
            if "end" in about:
                return False
            place, share = int(about["file"]), min(1.0, max(0.0, float(about["share"])))
            if not 0 <= place < _MOST_FILES:
                raise ValueError(f"file {place}")
            size = zstandard.frame_content_size(packed)
            if not 0 < size <= _LARGEST_BLOCK:
                raise ValueError(f"{size} bytes")
            text = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
        self._write(self._folder / f"access.{place}", text)
        self._progress(Progress(Message("Fetched {size:size} of lines", size=self._bytes), share))
        return True

    def _write(self, path: Path, text: bytes) -> None:
        self._bytes += len(text)
        if self._bytes > LARGEST:
            raise LogError(
                Message("The hour has more than {size:size} of lines.", size=LARGEST),
                remedy=Message("Copy the log, then import a part of it (--from, --to)."),
            )
        if shutil.disk_usage(self._folder).free < _SPARE + len(text):
            raise LogError(
                Message("There is no room for the lines of the hour."),
                remedy=Message("Make room on the disk, or name another folder in TMPDIR."),
            )
        if path not in self.paths:
            self.paths.append(path)
        with path.open("ab") as file:
            file.write(text)


def _covering(log: Log, hour: Hour) -> list[DetectedFile]:
    """The files with lines of an hour: each ends where the next one begins, or a little later."""
    ends = [file.first_ns for file, _ in log.stretches[1:]] + [None]
    return [
        file
        for (file, _), end in zip(log.stretches, ends, strict=True)
        if (file.first_ns or 0) < hour.end_ns + LONGEST_NS
        and (end is None or end >= hour.start_ns - SLACK_NS)
    ]


def _blocks(file: DetectedFile, hour: Hour, names: set[str]) -> Iterator[bytes]:
    """Blocks of whole lines, from the one in which the hour begins."""
    low, high = hour.start_ns - SLACK_NS, hour.end_ns + LONGEST_NS
    pending = b""
    for text in _whole_lines(file, hour, names):
        time_ns = _first_time(file, text)
        if pending and (time_ns is None or time_ns >= low):
            yield pending
        pending = text
        if time_ns is not None and time_ns >= high:
            return
    if pending:
        yield pending


def _whole_lines(file: DetectedFile, hour: Hour, names: set[str]) -> Iterator[bytes]:
    log, carry = LogFile(file.path), b""
    with closing(log.streams(BLOCK)) as streams:
        for stream, text in streams:
            own = stream.decode("utf-8", "replace")
            if own and not any(hour.server in (name, f"{name} ({own})") for name in names):
                continue
            text = carry + text
            end = text.rfind(b"\n") + 1 or (len(text) if len(text) >= _LONGEST_LINE else 0)
            carry = text[end:]
            if end:
                yield text[:end]
    if carry:
        yield carry + b"\n"


def _first_time(file: DetectedFile, text: bytes) -> int | None:
    year = file.year
    if year is not None and file.first_ns is not None:
        year = year_after(text[:_PROBE], file.detection.dialect, file.first_ns, 0)
    for size in (_PROBE, len(text)):
        scanner = Scanner(file.detection.dialect, year=year)
        scanner.feed(text[: text.rfind(b"\n", 0, size) + 1])
        if scanner.first_time_ns is not None:
            return scanner.first_time_ns
    return None


def _line(tree: object) -> bytes:
    return json.dumps(tree).encode() + b"\n"
