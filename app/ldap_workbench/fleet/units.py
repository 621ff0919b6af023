"""What is read at once: a log file, or a range of whole lines of a plain one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from ldap_workbench.capture.importing.folders import distinct
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.archives import Opened
from ldap_workbench.logs.reading.files import PIECE, DetectedFile, LogFile, LogSet, gather
from ldap_workbench.logs.reading.overlap import repetition
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message

RANGE = 256 << 20
"""Bytes of one range of a large file."""
_TAIL = 64 << 10
"""Bytes at the end of a file that tell its last time."""
_DIVISIBLE = ("389",)
"""Dialects a file of which may be cut anywhere between two lines: every line says its whole time,
and every result its etime."""
_PACKED = (
    b"\x1f\x8b",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"BZh",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
)


@dataclass(frozen=True)
class Unit:
    """The lines that begin in bytes [begin, end) of a file; of all of it where `end` is -1.

    `host`: its server. `place`: of the file among those of its log, oldest first.
    """

    host: str
    path: str
    place: int
    dialect: str
    begin: int = 0
    end: int = -1
    whole: bool = True
    """Whether it reaches the end of the file."""
    year: int | None = None
    undated_ns: int | None = None
    known_as: str = ""
    """The name that a person knows the file by, where it was unpacked from an archive."""

    @property
    def file(self) -> str:
        """For people: the file."""
        return self.known_as or self.path

    @property
    def name(self) -> str:
        """For people: the file, and which bytes of it."""
        part = "" if self.end < 0 else f" [{self.begin}, {self.end})"
        return f"{self.host}: {self.file}{part}"

    def streams(self) -> Iterator[tuple[bytes, bytes]]:
        """(stream, text) in pieces, as `LogFile.streams`. Raises LogError."""
        log = LogFile(Path(self.path))
        if self.end < 0:
            yield from log.streams()
            if log.truncated:
                raise LogError(
                    log.truncated, remedy=Message("Copy it again from where it was made.")
                )
        else:
            yield from ((b"", piece) for piece in _lines(self.path, self.begin, self.end))


def is_of(host: str, server: str) -> bool:
    """Whether the host of a unit or summary is that server, or one of several logs of it."""
    return host == server or host.startswith(f"{server} (")


@dataclass(frozen=True)
class Planned:
    """The units of some servers, and every file that is left out, with the reason."""

    units: tuple[Unit, ...]
    left_out: Mapping[str, Message]


def plan(logs: Mapping[str, Opened], size: int = RANGE) -> Planned:
    """Units of the access logs of each server: its name -> folders and files.

    A server with several logs (instances, each with its rotations) is several: 'ldap1 (access-b)',
    or by folder where they are named alike: 'ldap1 (slapd-b)'. What lies there twice is read once.
    Raises LogError for a path that does not exist.
    """
    units: list[Unit] = []
    left_out: dict[str, Message] = {}
    for host, contents in logs.items():
        whys: dict[Path, Message] = {}
        for log in logs_of(host, contents, whys):
            for place, (file, length) in enumerate(log.stretches):
                shown = str(contents.shown(file.path))
                known_as = shown if shown != str(file.path) else ""
                named = Unit(log.name, "", place, "", known_as=known_as)
                units += _units_of(named, file, length, size)
        left_out |= {f"{host}: {path}": why for path, why in whys.items()}
    return Planned(tuple(units), left_out)


@dataclass(frozen=True)
class Log:
    """An access log of a server under the server's name; of each file the bytes that are read."""

    name: str
    stretches: Sequence[tuple[DetectedFile, int]]


def logs_of(host: str, contents: Opened, whys: dict[Path, Message] | None = None) -> list[Log]:
    """The access logs of a server; `whys` takes what is left out, with the reason."""
    whys = whys if whys is not None else {}
    gathered = gather(contents.paths, skip=contents.archives, cancel=contents.limit)
    access = [one for one in gathered.sets if one.detection.dialect in DIALECTS]
    others = [f.path for one in gathered.sets if one not in access for f in one.files]
    aside = gathered.left_out | dict.fromkeys(others, Message("It is not an access log."))
    logs = []
    for name, files in zip(_names(host, access, contents), access, strict=True):
        stretches, twice = _stretches(files.files)
        aside |= twice
        logs.append(Log(name, stretches))
    whys |= contents.left_out | {contents.shown(path): why for path, why in aside.items()}
    if not access:
        where = ", ".join(str(path) for path in contents.paths if path not in contents.roots)
        whys[Path(where)] = Message("It holds no access log.")
    return logs


def _names(host: str, logs: Sequence[LogSet], contents: Opened) -> list[str]:
    """A name for each log of a server."""
    if len(logs) == 1:
        return [host]
    same = Counter(log.name for log in logs)
    folders = [contents.shown(log.files[0].path.parent) for log in logs]
    own = distinct(f for f, log in zip(folders, logs, strict=True) if same[log.name] > 1)
    names = [own.get(f, "") or log.name for f, log in zip(folders, logs, strict=True)]
    return [f"{host} ({name})" for name in names]


def _stretches(
    files: Sequence[DetectedFile],
) -> tuple[list[tuple[DetectedFile, int]], dict[Path, Message]]:
    """How many bytes of each file are read, and what else of them is in another one.

    A plain file is read up to where the next one begins, as after a copytruncate. Where a packed
    one would have to be cut, both are read whole: `Joined.overlaps` names them.
    """
    read: list[tuple[DetectedFile, int]] = []
    twice: dict[Path, Message] = {}
    for file in files:
        before = read[-1][0] if read else None
        if before is not None and _may_overlap(before, file):
            at, repeats = repetition(before.path, file.path)
            if repeats and at + repeats < before.path.stat().st_size:
                twice[file.path] = Message("It lies within {file}.", file=before.path.name)
                continue
            if repeats:
                read[-1] = before, at
                twice[before.path] = Message(
                    "Its end is also in {file}, and counts once.", file=file.path.name
                )
        read.append((file, file.path.stat().st_size))
    return read, twice


def _may_overlap(before: DetectedFile, file: DetectedFile) -> bool:
    if file.first_ns is None or not _is_plain(before):
        return False
    with before.path.open("rb") as stream:
        stream.seek(max(0, before.path.stat().st_size - _TAIL))
        text = stream.read(_TAIL)
    scanner = Scanner(before.detection.dialect, year=before.year)
    scanner.feed(text[text.find(b"\n") + 1 :])
    return scanner.last_time_ns is not None and file.first_ns <= scanner.last_time_ns


def _units_of(named: Unit, file: DetectedFile, length: int, size: int) -> list[Unit]:
    """Units of the first `length` bytes of a file."""
    whole = replace(
        named,
        path=str(file.path),
        dialect=file.detection.dialect,
        year=file.year,
        undated_ns=file.undated_ns,
    )
    step = size if _is_plain(file) and file.detection.dialect in _DIVISIBLE else length
    if length == file.path.stat().st_size and length <= step:
        return [whole]
    return ranges(whole, [*range(0, length, step), length])


def ranges(unit: Unit, cuts: Sequence[int]) -> list[Unit]:
    """A plain file as ranges between cuts, from 0 to its length."""
    return [
        replace(unit, begin=begin, end=end, whole=end == cuts[-1]) for begin, end in pairwise(cuts)
    ]


def _is_plain(file: DetectedFile) -> bool:
    """Whether its bytes are the text."""
    with file.path.open("rb") as stream:
        packed = stream.read(8).startswith(_PACKED)
    return not packed and not file.wrapper and file.undated_ns is None


def _lines(path: str, begin: int, end: int) -> Iterator[bytes]:
    """The lines that begin in [begin, end), in pieces."""
    with open(path, "rb") as file:
        if begin:
            file.seek(begin - 1)  # where a newline stands there, a line begins at `begin`
            for _ in _rest_of_line(file):
                pass
        piece = b""
        while (left := end - file.tell()) > 0 and (more := file.read(min(PIECE, left))):
            piece = more
            yield piece
        if piece and not piece.endswith(b"\n"):
            yield from _rest_of_line(file)


def _rest_of_line(file: BinaryIO) -> Iterator[bytes]:
    """In pieces, for nobody knows how long it is."""
    while part := file.readline(PIECE):
        yield part
        if part.endswith(b"\n"):
            return
