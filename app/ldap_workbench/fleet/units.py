"""What is read at once: a log file, or a range of whole lines of a plain one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from ldap_workbench.logs.archives import Opened
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.files import PIECE, Found, LogFile, gather
from ldap_workbench.logs.warm import warm_up
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import OnProgress, no_progress

RANGE = 256 << 20
"""Bytes of one range of a large file."""
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


def plan(
    logs: Mapping[str, Opened], size: int = RANGE, progress: OnProgress = no_progress
) -> Planned:
    """Units of the access logs of each server: its name -> folders and files.

    A server with several logs (instances, each with its rotations) is several: 'ldap1 (access-b)'.
    Raises LogError for a path that does not exist.
    """
    warm_up(progress)
    units: list[Unit] = []
    left_out: dict[str, Message] = {}
    for host, found in logs.items():
        gathered = gather(found.paths, skip=found.archives)
        access = [one for one in gathered.sets if one.detection.dialect in DIALECTS]
        others = [f.path for one in gathered.sets if one not in access for f in one.files]
        whys = gathered.left_out | dict.fromkeys(others, Message("It is not an access log."))
        whys = found.left_out | {found.shown(path): why for path, why in whys.items()}
        left_out |= {f"{host}: {path}": why for path, why in whys.items()}
        for log in access:
            name = host if len(access) == 1 else f"{host} ({log.name})"
            for place, file in enumerate(log.files):
                shown = str(found.shown(file.path))
                known_as = shown if shown != str(file.path) else ""
                units += _units_of(Unit(name, "", place, "", known_as=known_as), file, size)
        if not access:
            where = ", ".join(str(path) for path in found.paths if path not in found.roots)
            left_out[f"{host}: {where}"] = Message("It holds no access log.")
    return Planned(tuple(units), left_out)


def _units_of(named: Unit, found: Found, size: int) -> list[Unit]:
    whole = replace(
        named,
        path=str(found.path),
        dialect=found.detection.dialect,
        year=found.year,
        undated_ns=found.undated_ns,
    )
    length = found.path.stat().st_size
    if length <= size or not _is_divisible(found):
        return [whole]
    cuts = [*range(0, length, size), length]
    return ranges(whole, cuts)


def ranges(unit: Unit, cuts: Sequence[int]) -> list[Unit]:
    """A plain file as ranges between cuts, from 0 to its length."""
    return [
        replace(unit, begin=begin, end=end, whole=end == cuts[-1]) for begin, end in pairwise(cuts)
    ]


def _is_divisible(found: Found) -> bool:
    with found.path.open("rb") as file:
        packed = file.read(8).startswith(_PACKED)
    plain = not packed and not found.wrapper and found.undated_ns is None
    return plain and found.detection.dialect in _DIVISIBLE


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
