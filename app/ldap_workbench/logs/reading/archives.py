"""Archives and standard input, unpacked into a folder of our own and read like any other.

Only what the workbench reads is unpacked, under bounds that no archive of logs comes near, for all
archives of an import together: an archive is a stranger's. Names in it are checked and links in it
never followed. Cancel and the time are looked at with every piece that is unpacked, also of what is
skipped.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from pathlib import Path, PurePosixPath
from typing import IO

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.packed import DAMAGE, PackedFile, plain, unpacked
from ldap_workbench.logs.reading.sections import has_sections, sections
from ldap_workbench.logs.reading.time_limit import OutOfTimeError, TimeLimit
from ldap_workbench.logs.reading.wrapping.detection import find_wrapping
from ldap_workbench.logs.reading.wrapping.documents import find_document
from ldap_workbench.logs.reading.wrapping.peeler import Peeler
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.progress import Cancel

STANDARD_INPUT = Path("-")
_MEMBERS = 2_000_000
"""A report of a whole host has 20,000 files, and a case some of these."""
_BYTES = 1 << 40
_RATIO, _RATIO_FROM = 1000, 1 << 30
"""Text that is so many times larger than its archive, and larger than this, is no log."""
_HEADER = 1 << 20
"""Bytes of an extended header of a tar: names and attributes of one member. tarfile takes it apart
at one go, and minutes for hundreds of MB."""
_EXTENDED = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_DEPTH = 3
"""Archives in archives: a case has reports of hosts, which have packed logs."""
_SPARE = 1 << 30
"""Room that stays on the disk."""
_HEAD = 64 << 10
_SECTIONED = 256 << 20
"""Bytes read of a file of supportconfig, which is taken apart in memory."""
_PIECE = 1 << 20
_DAMAGE = (
    *(*DAMAGE, tarfile.TarError, zipfile.BadZipFile),
    *(RuntimeError, ValueError, NotImplementedError),
)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_TAR_MAGIC_AT = 257
_ZIP = b"PK\x03\x04"


@dataclass
class Opened:
    """Where to look for logs: `paths`, without the archives among them, and what is in those.

    `left_out` says of members why they were not unpacked, under the names they have to a person.
    """

    paths: list[Path] = field(default_factory=list)
    archives: set[Path] = field(default_factory=set)
    roots: dict[Path, Path] = field(default_factory=dict)
    """Folder with the content of an archive -> the archive as a person knows it."""
    left_out: dict[Path, Message] = field(default_factory=dict)
    damaged: list[Path] = field(default_factory=list)
    """Archives and members of which a part could not be read."""
    budget: ReadingBudget | None = None
    """What may be unpacked of the files in `paths` as they are read."""
    limit: TimeLimit = field(default_factory=TimeLimit)
    """The cancel of the import and the time it has, for whoever reads the files."""
    out_of_time: Message = NOTHING
    """Why not everything was unpacked, where that took longer than any archive of logs."""

    def shown(self, path: Path) -> Path:
        """The name that a person knows a file by."""
        for root, archive in self.roots.items():
            if path == root:
                return archive
            if root in path.parents:
                return archive / path.relative_to(root)
        return path


@contextmanager
def opened(paths: Iterable[Path], cancel: Cancel | None = None) -> Iterator[Opened]:
    """Unpack the archives among and below `paths`, and standard input for '-', as long as needed.

    Raises LogError where the disk has no room, or where an archive goes beyond its bounds.
    """
    limit = TimeLimit(cancel)
    contents = Opened()
    with tempfile.TemporaryDirectory(
        prefix="ldap-workbench-", ignore_cleanup_errors=True
    ) as folder:
        work = _Unpacking(Path(folder), contents, limit)
        contents.budget = ReadingBudget(work.budget, Path(folder))
        for path in paths:
            if path != STANDARD_INPUT:
                contents.paths.append(path)
            try:
                if path == STANDARD_INPUT:
                    work.standard_input()
                else:
                    work.look(path)
            except OutOfTimeError as error:
                # What is unpacked by then is read, and has as much time for that.
                if not contents.out_of_time:
                    contents.out_of_time = contents.left_out[path] = error.what
        contents.limit = limit.anew()
        yield contents


def unopened(paths: Iterable[Path]) -> Opened:
    """The same where archives stay packed: each is left out."""
    contents = Opened(list(paths))
    for path in contents.paths:
        for archive, _ in _archives_below(path, Cancel()):
            contents.archives.add(archive)
            contents.left_out[archive] = Message("It is an archive: unpack it there first.")
    return contents


def _archives_below(
    path: Path, cancel: Cancel, on_file: Callable[[int], None] = lambda _: None
) -> Iterator[tuple[Path, str]]:
    """Every archive at or below a path, and its kind; `on_file` takes the size of each file."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        cancel.check()
        try:
            status = os.stat(file)
            kind = ""
            if stat.S_ISREG(status.st_mode):
                on_file(status.st_size)
                kind = _kind_of(file)
        except OSError:
            continue  # `gather` says of each file why it cannot be read
        if kind:
            yield file, kind


class _Unpacking:
    def __init__(self, folder: Path, contents: Opened, limit: TimeLimit) -> None:
        self._folder = folder
        self._contents = contents
        self._limit = limit
        self.budget = _Budget()

    def standard_input(self) -> None:
        """Keep what comes in: a file is read more than once."""
        path = self._new_folder("standard input") / "standard input"
        self._copy(sys.stdin.buffer, path, _Bounds(path, _Budget(), self._limit))
        self._contents.roots[path.parent] = Path()
        self._contents.paths.append(path)
        self.look(path)

    def look(self, path: Path, depth: int = 0) -> None:
        """Unpack every archive at or below a path."""
        on_file = self._limit.grant if depth == 0 else lambda _: None
        for archive, kind in _archives_below(path, self._limit, on_file):
            self._unpack(archive, kind, depth)

    def _unpack(self, archive: Path, kind: str, depth: int) -> None:
        shown = self._contents.shown(archive)
        self._contents.archives.add(archive)
        if depth >= _DEPTH:
            self._contents.left_out[shown] = Message(
                "{archive} is an archive in archives and was not opened.", archive=str(shown)
            )
            return
        folder = self._new_folder(archive.name)
        self._contents.roots[folder] = shown
        self._contents.paths.append(folder)
        if depth == 0:
            self.budget.packed += archive.stat().st_size
        bounds = _Bounds(shown, self.budget, self._limit)
        unpack = self._unpack_zip if kind == "zip" else self._unpack_tar
        try:
            unpack(archive, folder, shown, bounds)
        except _DAMAGE as error:
            self._note_damage(shown, error)
        if bounds.links:
            self._contents.left_out[shown / "..."] = count_of(
                "{n} link or device in {archive} was not followed.",
                "{n} links and devices in {archive} were not followed.",
                n=bounds.links,
                archive=str(shown),
            )
        self.look(folder, depth + 1)

    def _note_damage(self, shown: Path, error: Exception) -> None:
        """Name what could not be read; a full disk is no damage of the archive."""
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _no_room(shown) from error
        self._contents.damaged.append(shown)
        self._contents.left_out[shown] = Message(
            "{archive} is damaged or cut off: {error}.", archive=str(shown), error=str(error)
        )

    def _unpack_tar(self, archive: Path, folder: Path, shown: Path, bounds: _Bounds) -> None:
        with (
            archive.open("rb") as packed,
            unpacked(packed) as text,
            tarfile.open(
                fileobj=PackedFile(text, bounds.read),
                mode="r|",
                errorlevel=2,
                tarinfo=_BoundedHeader,
            ) as tar,
        ):
            for member in tar:
                bounds.member()
                if member.isdir():
                    continue
                if not member.isreg():
                    bounds.links += 1
                    continue
                source = tar.extractfile(member)
                if source is not None:
                    with closing(source):
                        name = _Member(member.name, member.size, member.mtime)
                        self._take(source, name, folder, shown, bounds)

    def _unpack_zip(self, archive: Path, folder: Path, shown: Path, bounds: _Bounds) -> None:
        with zipfile.ZipFile(archive) as packed:
            for member in packed.infolist():
                bounds.member()
                if member.is_dir():
                    continue
                mode = member.external_attr >> 16
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    bounds.links += 1
                    continue
                name = _Member(member.filename, member.file_size, _zip_time(member.date_time))
                if member.flag_bits & 1:
                    self._contents.left_out[shown / name.path] = Message("It is encrypted.")
                    continue
                # A damaged member of a zip says nothing of those behind it.
                try:
                    with packed.open(member) as source:
                        self._take(source, name, folder, shown, bounds)
                except _DAMAGE as error:
                    self._note_damage(shown / name.path, error)

    def _take(
        self, source: IO[bytes], member: _Member, folder: Path, shown: Path, bounds: _Bounds
    ) -> None:
        """Unpack a member if it is anything the workbench reads."""
        if not member.is_inside:
            self._contents.left_out[shown / PurePosixPath(member.name).name] = Message(
                "Its name leads out of the archive: {name}", name=member.name
            )
            return
        head = source.read(_HEAD)
        if not head:
            return
        if has_sections(head):
            self._take_sections(head + source.read(_SECTIONED), member, folder, shown, bounds)
            return
        if why := _useless(head):
            self._contents.left_out[shown / member.path] = why
            return
        path = self._new_file(folder / member.path, shown / member.path)
        if path is not None:
            self._copy(source, path, bounds, head)
            _set_time(path, member.written_s)

    def _take_sections(
        self, text: bytes, member: _Member, folder: Path, shown: Path, bounds: _Bounds
    ) -> None:
        """Unpack what is read of the parts of a file of supportconfig."""
        taken = 0
        for name, body in sections(text):
            bounds.member()
            if not body.strip() or _useless(body[:_HEAD]):
                continue
            path = self._new_file(folder / member.path / name, shown / member.path / name)
            if path is not None:
                self._copy(BytesIO(), path, bounds, body)
                _set_time(path, member.written_s)
                taken += 1
        if not taken:
            self._contents.left_out[shown / member.path] = Message("None of its parts is read.")

    def _new_file(self, path: Path, shown: Path) -> Path | None:
        """An empty file for a member; None, with the reason, where the disk cannot have it."""
        if os.path.lexists(path):
            self._contents.left_out[_another(shown, self._contents.left_out)] = Message(
                "Another member of the archive has the same name."
            )
            return None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.open("xb").close()
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise
            self._contents.left_out[shown] = Message(
                "It cannot be unpacked under its name: {error}.", error=_reason(error)
            )
            return None
        return path

    def _copy(self, source: IO[bytes], path: Path, bounds: _Bounds, head: bytes = b"") -> None:
        try:
            with path.open("wb") as out:
                piece = head or source.read(_PIECE)
                while piece:
                    bounds.add(len(piece), path)
                    out.write(piece)
                    piece = source.read(_PIECE)
        except OutOfTimeError:
            path.unlink()  # a part of a log would be taken for all of it
            raise

    def _new_folder(self, name: str) -> Path:
        folder = self._folder / str(len(self._contents.roots)) / name
        folder.mkdir(parents=True)
        return folder


@dataclass(frozen=True)
class _Member:
    name: str
    size: int
    written_s: float

    @property
    def path(self) -> PurePosixPath:
        """Where it goes below the folder of its archive."""
        return PurePosixPath(*(part for part in PurePosixPath(self.name).parts if part != "/"))

    @property
    def is_inside(self) -> bool:
        """Whether its name is a plain path below its archive, on every system."""
        parts = PurePosixPath(self.name.replace("\\", "/")).parts
        plain_name = not any(part == ".." or ":" in part[:2] or "\0" in part for part in parts)
        return plain_name and bool(parts) and not self.name.startswith(("/", "\\"))


class _BoundedHeader(tarfile.TarInfo):
    """A member of a tar whose names and attributes are no longer than those of any file."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        """The entry point of tarfile for a header, made to be overridden."""
        if self.size > _HEADER and self.type in _EXTENDED:
            raise tarfile.ReadError("an extended header is too long")
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return member


@dataclass
class _Budget:
    """What all archives of an import have taken together; `packed` is the size of the outermost."""

    packed: int = 0
    members: int = 0
    read: int = 0
    written: int = 0


class ReadingBudget:
    """The same budget for packed files that are no archives and are unpacked as they are read."""

    def __init__(self, budget: _Budget | None = None, unpacked_into: Path | None = None) -> None:
        self._budget = budget if budget is not None else _Budget()
        self._unpacked_into = unpacked_into

    def begin(self, path: Path) -> None:
        """Of a packed file; one out of an archive was counted with it."""
        if self._unpacked_into is None or self._unpacked_into not in path.parents:
            self._budget.packed += path.stat().st_size

    def take(self, size: int) -> Message:
        """Count bytes that were unpacked; why it may not go on, NOTHING where it may."""
        budget = self._budget
        budget.written += size
        if budget.written > _BYTES:
            return Message("it holds more than {size:size}", size=_BYTES)
        if budget.written > max(_RATIO_FROM, _RATIO * budget.packed):
            return Message("it holds {n} times its own size", n=_RATIO)
        return NOTHING


class _Bounds:
    """The bounds of an import as one of its archives meets them."""

    def __init__(self, shown: Path, budget: _Budget, limit: TimeLimit) -> None:
        self._shown = shown
        self._budget = budget
        self._limit = limit
        self.links = 0

    def member(self) -> None:
        self._limit.check()
        self._budget.members += 1
        if self._budget.members > _MEMBERS:
            raise self._beyond(Message("it holds more than {n} files", n=_MEMBERS))

    def read(self, size: int) -> None:
        """Count bytes that were unpacked, also of what is skipped."""
        self._limit.check()
        self._budget.read += size
        if self._budget.read > _BYTES:
            raise self._beyond(Message("it holds more than {size:size}", size=_BYTES))

    def add(self, size: int, path: Path) -> None:
        """Count bytes that are written next."""
        self._limit.check()
        budget = self._budget
        budget.written += size
        if budget.written > _BYTES:
            raise self._beyond(Message("it holds more than {size:size}", size=_BYTES))
        if budget.packed and budget.written > max(_RATIO_FROM, _RATIO * budget.packed):
            raise self._beyond(Message("it holds {n} times its own size", n=_RATIO))
        free = shutil.disk_usage(path.parent).free
        if free < _SPARE:
            raise _no_room(self._shown)

    def _beyond(self, why: Message) -> LogError:
        return LogError(
            Message("{archive} was not unpacked: {why}.", archive=str(self._shown), why=why),
            remedy=Message("Unpack it yourself, then name the logs in it."),
        )


def _no_room(shown: Path) -> LogError:
    return LogError(
        Message("There is no room to unpack {archive}.", archive=str(shown)),
        remedy=Message("Make room on the disk, or name another folder in TMPDIR."),
    )


def _kind_of(path: Path) -> str:
    """'zip', 'tar' (packed or not), '' for what is no archive."""
    with path.open("rb") as packed:
        if packed.read(4) == _ZIP:
            return "zip"
        packed.seek(0)
        try:
            with unpacked(packed) as text:
                head = PackedFile(text).read(_TAR_MAGIC_AT + 5)
        except DAMAGE:
            return ""
    return "tar" if head[_TAR_MAGIC_AT:] == b"ustar" else ""


def _useless(head: bytes) -> Message:
    """Why a member that begins so is not unpacked; nothing for logs, and for archives."""
    if head.startswith(_ZIP):
        return NOTHING
    try:
        with unpacked(BytesIO(head)) as source:
            text = source.read1(_HEAD)
    except DAMAGE:
        return NOTHING
    if text[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar":
        return NOTHING
    if b"\0" in text[:1024] and not text.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\0")):
        return Message("It is not text.")
    text = b"".join(plain([text]))
    if document := find_document(text):
        text = b"".join(document.records([text]))
    if wrapping := find_wrapping(text):
        text = b"".join(part for _, part in Peeler(wrapping).feed(text))
    detection = detect(text)
    if detection.kind is not None:
        return NOTHING
    return Message("{title}: {reason}", title=detection.title, reason=detection.reason)


def _set_time(path: Path, written_s: float) -> None:
    """Syslog prints no year, so the time of writing gives it; an impossible time is ignored."""
    with suppress(ValueError, OverflowError, OSError):
        os.utime(path, (written_s, written_s))


def _another(shown: Path, taken: Container[Path]) -> Path:
    """A name for a further member of the same name, so that each is listed."""
    names = (shown.with_name(f"{shown.name} ({number})") for number in count(2))
    return next(name for name in names if name not in taken)


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _zip_time(written: tuple[int, int, int, int, int, int]) -> float:
    try:
        return time.mktime((*written, 0, 0, -1))
    except (ValueError, OverflowError):
        return time.time()
