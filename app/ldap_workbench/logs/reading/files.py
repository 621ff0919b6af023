"""Files of logs: opened whatever their compression, named by content, rotated sets in order."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Container, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.date_order import may_show_no_year, year_before
from ldap_workbench.logs.reading.detect import Detection, detect, what_is_read, with_chosen_dialect
from ldap_workbench.logs.reading.packed import DAMAGE, NOT_READ, plain, unpacked
from ldap_workbench.logs.reading.stamps import first_time
from ldap_workbench.logs.reading.wrapping.detection import Wrapping, find_wrapping
from ldap_workbench.logs.reading.wrapping.documents import Document, find_document
from ldap_workbench.logs.reading.wrapping.lines import Line
from ldap_workbench.logs.reading.wrapping.newest_first import is_newest_first, oldest_first
from ldap_workbench.logs.reading.wrapping.peeler import Peeler
from ldap_workbench.logs.server.ldif import folder_of_slapd
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceKind

PIECE = 8 << 20
"""Bytes of one piece: large enough for the scanner, small enough for flat memory."""
_HEAD = 256 << 10
_TELLING = 64 << 10
"""Bytes that tell what is wrapped around the lines of a text."""
_ROTATED = re.compile(r"([.-]\d{8}([-T]?\d{6}Z?)?|\.\d{14}Z?|\.\d{1,3})?(\.(gz|xz|zst|bz2))?$")
_JOURNAL = re.compile(
    rb"\{|__\w+=|-- |<\d{1,3}>|\w{3} [ \d]\d \d\d:|\w{3} \d{4}-\d\d-|\d{4}-\d\d-\d\d[T ]|\d{10}\.\d"
)
"""How journals begin, of which a directory server may be a small part."""
_BEGINNING = 4096
"""Bytes of a text by which copies of it are looked for."""
_SPEAKS = b"conn="
"""Quick to look for, and in every line that could be of use."""
NEWEST_FIRST = Message("newest line first")
_SESSION_MARK, _SESSION_MARK_AT = b"DUCK", 8
"""In the header of every DuckDB file."""
_NUMBER = re.compile(r"[0-9]+")


class _SessionFileError(LogError):
    """A session of the workbench, packed or not, where a log was expected."""


class Budget(Protocol):
    """How much may be unpacked of packed files, all of an import together."""

    def begin(self, path: Path) -> None:
        """Before the first bytes of a packed file."""

    def take(self, size: int) -> Message:
        """Count bytes that were unpacked; why it may not go on, NOTHING where it may."""


class LogFile:
    """The text of one file in pieces. `truncated` says why a compressed one was not read on.

    It is `damaged` where it broke off by itself, and not by a bound of ours.

    `cancel` is looked at with each piece. `budget` says how much may be unpacked. `name` is what a
    person knows the file by, where that is not its path: it was in an archive.
    """

    def __init__(
        self,
        path: Path,
        cancel: Cancel | None = None,
        budget: Budget | None = None,
        name: Path | None = None,
    ) -> None:
        self.path = path
        self._name = path if name is None else name
        self._budget = budget
        self._cancel = cancel if cancel is not None else Cancel()
        self.truncated: Message = NOTHING
        self.damaged = False
        self.wrapping = Wrapping()
        """What was taken off its lines, known with the first piece."""
        self.bytes_read = 0
        """Bytes of the file itself so far, packed ones where it is packed."""
        self.skipped = 0
        """Lines so far that held no line of a log: separators, and parts of lines."""

    def pieces(self, size: int = PIECE) -> Generator[bytes, None, None]:
        """The unpacked text; what is readable of a damaged file comes before the damage.

        UTF-16 becomes UTF-8, and what is wrapped around its lines is taken off.
        """
        for _, text in self.streams(size):
            yield text

    def streams(self, size: int = PIECE) -> Generator[tuple[bytes, bytes], None, None]:
        """The text as (host, container or file of which it is, text); b"" where none is named."""
        with closing(self._unpacked_pieces(size)) as unpacked:
            pieces = plain(unpacked)
            first = _at_least(pieces, _TELLING)
            document = find_document(first[:_TELLING])
            if document is not None:
                pieces = document.records(chain([first], pieces))
                first = _at_least(pieces, _TELLING)
            parts = self._peeled(first, pieces, document)
            head = next(parts, (b"", b""))
            parts = chain([head], parts) if head[1] else parts
            if is_newest_first(head[1][:_TELLING]):
                around = (*self.wrapping.around, NEWEST_FIRST)
                self.wrapping = replace(self.wrapping, around=around)
                parts = oldest_first(parts)
            yield from parts
            if document is not None and document.is_cut:
                self._break_off(Message("its JSON ends too early"))

    def _peeled(
        self, first: bytes, pieces: Iterator[bytes], document: Document | None
    ) -> Iterator[Line]:
        """What is wrapped around the lines is taken off."""
        self.wrapping = find_wrapping(self._telling(first))
        if document is not None:
            self.wrapping = replace(self.wrapping, around=(document.title,))
        if not self.wrapping:
            yield from ((b"", piece) for piece in chain([first] if first else [], pieces))
            return
        peeler = Peeler(self.wrapping)
        for piece in chain([first], pieces):
            yield from peeler.feed(piece)
            self.skipped = peeler.skipped
        yield from peeler.finish()
        self.skipped = peeler.skipped

    def _telling(self, first: bytes) -> bytes:
        """The lines that tell what is around them: in a journal a server may speak late."""
        head = first[:_TELLING]
        if _SPEAKS in head or not _JOURNAL.match(head):
            return head
        with closing(LogFile(self.path, self._cancel)._unpacked_pieces(PIECE)) as unpacked:
            for piece in plain(unpacked):
                if (at := piece.find(_SPEAKS)) >= 0:
                    return piece[piece.rfind(b"\n", 0, at) + 1 :][:_TELLING]
        return head

    def _unpacked_pieces(self, size: int) -> Generator[bytes, None, None]:
        with self._open() as packed, unpacked(packed) as source:
            budget = None if source is packed else self._budget
            if budget is not None:
                budget.begin(self.path)
            while not self.truncated:
                piece = packed.read(size) if source is packed else self._piece(source, size)
                self._cancel.check()
                self.bytes_read = packed.tell()
                if not piece:
                    return
                if budget is not None and (why := budget.take(len(piece))):
                    what = Message("{file} was not read on: {why}.", file=str(self._name), why=why)
                    self.truncated = what
                    return
                yield piece

    def _piece(self, source: BufferedReader, size: int) -> bytes:
        """Up to `size` bytes of a packed file; fewer at its end, or where it breaks off."""
        taken = bytearray()
        try:
            while len(taken) < size and (part := source.read1(size - len(taken))):
                taken += part
        except DAMAGE as error:
            self._break_off(verbatim(str(error)))
        return bytes(taken)

    def _break_off(self, why: Message) -> None:
        self.damaged = True
        self.truncated = self.truncated or Message(
            "{file} is damaged or cut off: {why}.", file=str(self._name), why=why
        )

    def head(self, size: int = _HEAD) -> bytes:
        """The first bytes, unpacked."""
        taken = b""
        with closing(self.pieces(min(size, 64 << 10))) as pieces:
            for piece in pieces:
                taken += piece
                if len(taken) >= size:
                    break
        return taken[:size]

    def _open(self) -> BinaryIO:
        try:
            # A FIFO would block for ever: look before opening.
            if not stat.S_ISREG(os.stat(self.path).st_mode):
                what = Message("{file} is not a regular file.", file=str(self._name))
                raise LogError(what, remedy=Message("Name the file itself."))
            return self.path.open("rb")
        except OSError as error:
            what = Message(
                "{file} cannot be read: {why}.", file=str(self._name), why=error.strerror
            )
            raise LogError(what, remedy=Message("Check its permissions.")) from error


def _at_least(pieces: Iterator[bytes], size: int) -> bytes:
    """The beginning of a text, so long that it tells what it is, or all of it."""
    first = b""
    while len(first) < size and (piece := next(pieces, b"")):
        first += piece
    return first


@dataclass(frozen=True)
class DetectedFile:
    """One file, what it is, and when it begins (None where its lines have no time).

    `year`: in which it begins, for lines that may show none (None for other dialects).
    `undated_ns`: the time given to all its operations, where its lines show none that can be read.
    `wrapper`: what was taken off its lines, in words. `beginning`: by which copies are looked for.
    """

    path: Path
    detection: Detection
    first_ns: int | None = None
    year: int | None = None
    undated_ns: int | None = None
    wrapper: Message = NOTHING
    beginning: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class LogSet:
    """Files that are one stream, oldest first: a log and what was rotated away from it."""

    name: str
    detection: Detection
    files: tuple[DetectedFile, ...]

    def pieces(self, size: int = PIECE) -> Iterator[bytes]:
        """The whole stream."""
        for file in self.files:
            yield from LogFile(file.path).pieces(size)


@dataclass(frozen=True)
class Gathered:
    """What `gather` found; `left_out` tells of every file that is not used, and why."""

    sets: tuple[LogSet, ...]
    left_out: dict[Path, Message] = field(default_factory=dict)


def gather(
    paths: Iterable[Path],
    dialect: str = "auto",
    skip: Container[Path] = (),
    cancel: Cancel | None = None,
) -> Gathered:
    """Look into files and folders: what each is, each content once, rotated sets in order.

    `dialect` other than "auto" overrides what the content says; in folders only of files of its
    kind and of unknown ones. `skip`: files that others stand for, as archives that were unpacked.
    Raises LogError for a path that does not exist, CancelledError.
    """
    paths = list(paths)
    cancel = cancel if cancel is not None else Cancel()
    left_out: dict[Path, Message] = {}
    files: list[DetectedFile] = []
    for path in _walk(paths, left_out):
        if path in skip:
            continue
        if older := _older_copy(path):
            left_out[path] = Message(
                "{file} is an older copy of {newer}.", file=str(path), newer=older.name
            )
            continue
        try:
            file = _look(path, dialect, cancel, named=path in paths)
        except _SessionFileError as error:
            if paths == [path]:
                raise
            left_out[path] = error.explanation
            continue
        except LogError as error:
            left_out[path] = error.explanation
            continue
        if file.detection.kind is None:
            what = Message(
                "{title}: {reason}", title=file.detection.title, reason=file.detection.reason
            )
            instead = file.detection.instead
            if file.detection.dialect == "unknown" and path in paths:
                instead = what_is_read(file.beginning)
            left_out[path] = sentences(what, instead)
        else:
            files.append(file)
    files = _once(files, left_out, cancel)
    groups: dict[tuple[Path, str, str], list[DetectedFile]] = {}
    for file in files:
        folder, stem = file.path.parent, _stem(file)
        if file.detection.dialect == "ldif" and (top := folder_of_slapd(file.path)):
            folder, stem = top, "cn=config"
        groups.setdefault((folder, _family(file), stem), []).append(file)
    sets = []
    for (_, _, stem), unsorted in groups.items():
        files = sorted(unsorted, key=_by_time)
        name = stem if len(files) > 1 or "#" not in stem else files[0].path.name
        sets.append(LogSet(name, files[0].detection, tuple(files)))
    return Gathered(tuple(sets), left_out)


def _family(file: DetectedFile) -> str:
    """What may be one stream with it: 389 DS rotates its log when it is told to write JSON."""
    dialect = file.detection.dialect
    return (DIALECTS[dialect].family or dialect) if dialect in DIALECTS else dialect


def _older_copy(path: Path) -> Path | None:
    """The configuration of which a file is a copy that the server keeps: dse.ldif.bak."""
    if not path.name.startswith("dse") or path.name in ("dse.ldif", "dse.ldif.gz"):
        return None
    current = path.with_name("dse.ldif")
    copy = path.name.startswith("dse.ldif.") or path.name == "dse_original.ldif"
    return current if copy and current.is_file() else None


def _stem(file: DetectedFile) -> str:
    """What the files of one stream have in common: dumps of stacks are numbered anywhere.

    A summary goes with no other: each counted something of its own.
    """
    if file.detection.kind is SourceKind.SUMMARY:
        return file.path.name
    name = _ROTATED.sub("", file.path.name)
    return _NUMBER.sub("#", name) if file.detection.kind is SourceKind.STACKS else name


def _by_time(file: DetectedFile) -> tuple[bool, int, list[tuple[str, int]]]:
    """By time; where none is printed by name, with numbers in it as numbers."""
    parts = re.findall(r"(\D*)(\d*)", file.path.name, re.ASCII)
    name = [(text, int(digits or 0)) for text, digits in parts]
    return (file.first_ns is None, file.first_ns or 0, name)


def _walk(paths: Iterable[Path], left_out: dict[Path, Message]) -> Iterator[Path]:
    """Every regular file below `paths`, once, whatever links there are."""
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if not path.exists():
            what = Message("{file} does not exist.", file=str(path))
            raise LogError(what, remedy=Message("Check the spelling."))
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            try:
                status = file.stat()
            except OSError as error:
                left_out[file] = Message(
                    "{file} cannot be read: {why}.", file=str(file), why=error.strerror
                )
                continue
            if stat.S_ISDIR(status.st_mode):
                continue
            if (status.st_dev, status.st_ino) in seen:
                left_out.setdefault(file, Message("{file} was given already.", file=str(file)))
                continue
            seen.add((status.st_dev, status.st_ino))
            yield file


def _look(path: Path, dialect: str, cancel: Cancel, *, named: bool) -> DetectedFile:
    log = LogFile(path, cancel)
    head = log.head()
    if packer := next((name for magic, name in NOT_READ.items() if head.startswith(magic)), ""):
        raise LogError(
            Message("It is packed by {packer}.", packer=packer), remedy=Message("Unpack it first.")
        )
    if head[_SESSION_MARK_AT:].startswith(_SESSION_MARK):
        raise _SessionFileError(
            Message("A session file is opened, not imported."),
            safe=Message("The file was not changed."),
            remedy=Message("Open it; a packed one has to be unpacked first."),
        )
    if log.truncated and not head.strip(b"\0\r\n\t "):
        raise LogError(log.truncated, remedy=Message("Copy it again from where it was made."))
    wrapper = log.wrapping.title
    detection = detect(head)
    if detection.dialect == "unknown" and (log.wrapping or _JOURNAL.match(head)):
        detection = _later(log) or detection
    if dialect != "auto":
        said = with_chosen_dialect(dialect, detection)
        # Said of a folder, it is not said of the iostat output beside the logs.
        unknown = detection.dialect == "unknown" and head.strip(b"\0\r\n\t ") != b""
        if named or unknown or detection.kind is said.kind:
            detection = said
    if detection.dialect not in DIALECTS:
        first_ns = first_time(head.decode("utf-8", "replace"))
        return DetectedFile(path, detection, first_ns, wrapper=wrapper, beginning=head[:_BEGINNING])
    year = None
    written_ns = path.stat().st_mtime_ns
    if may_show_no_year(detection.dialect):
        year = year_before(head, detection.dialect, written_ns)
    scanner = Scanner(detection.dialect, year=year)
    scanner.feed(head)
    first_ns = scanner.first_time_ns
    undated_ns = None
    if first_ns is None and len(Scanner(detection.dialect, undated_ns=written_ns).feed(head)):
        undated_ns = written_ns
    return DetectedFile(path, detection, first_ns, year, undated_ns, wrapper, head[:_BEGINNING])


def _later(log: LogFile) -> Detection | None:
    """What a syslog is in whose head no directory server speaks; None where it never does."""
    carry = b""
    for piece in log.pieces(_HEAD):
        text = carry + piece
        if _SPEAKS in text:
            detection = detect(text[text.find(b"\n") + 1 :])
            if detection.dialect in DIALECTS:
                late = Message("They begin late in the file.")
                return replace(detection, reason=sentences(detection.reason, late))
        carry = text[text.rfind(b"\n") + 1 :][-_HEAD:]
    return None


def _once(
    files: list[DetectedFile], left_out: dict[Path, Message], cancel: Cancel
) -> list[DetectedFile]:
    """Leave out files whose text is that of another, packed or not; of access logs its beginning.

    Dumps of stacks that are alike are evidence, not copies: a thread had not moved.
    """
    related: list[DetectedFile] = []
    for file in sorted(files, key=lambda file: file.beginning):
        # Sorted, a text stands behind its own beginnings, with nothing else between them.
        while related and not file.beginning.startswith(related[-1].beginning):
            related.pop()
        for other in tuple(related):
            other_ends, file_ends = _copies(other, file, cancel)
            if file_ends:
                left_out[file.path] = _copy_of(other, whole=other_ends)
                break
            if other_ends:
                left_out[other.path] = _copy_of(file, whole=False)
                related.remove(other)
        else:
            related.append(file)
    return [file for file in files if file.path not in left_out]


def _copy_of(other: DetectedFile, *, whole: bool) -> Message:
    if whole:
        return Message("It holds the same text as {first}.", first=str(other.path))
    return Message("It holds the beginning of {longer}.", longer=str(other.path))


def _copies(first: DetectedFile, second: DetectedFile, cancel: Cancel) -> tuple[bool, bool]:
    """Whether the first is a copy of the second, or of its beginning, and the other way round."""
    kinds = first.detection.kind, second.detection.kind
    if SourceKind.STACKS in kinds and first.path.name != second.path.name:
        return False, False
    ends = _ends_alike(LogFile(first.path, cancel), LogFile(second.path, cancel))
    is_log = first.detection.dialect in DIALECTS
    return ends if is_log or all(ends) else (False, False)


def _ends_alike(first: LogFile, second: LogFile) -> tuple[bool, bool]:
    """Which of two texts end before they differ: one is the beginning of the other, or both."""
    with closing(first.pieces()) as ours, closing(second.pieces()) as theirs:
        a = b = b""
        while True:
            a, b = a or next(ours, b""), b or next(theirs, b"")
            if not a or not b:
                return not a, not b
            count = min(len(a), len(b))
            if a[:count] != b[:count]:
                return False, False
            a, b = a[count:], b[count:]
