"""The files of a log where they lie: listed, read from any byte on, sampled while unpacked."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from typing import Protocol

import zstandard

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.past.host_scripts import (
    HEAD,
    LIST,
    MOVED,
    PACKERS,
    READ,
    SAMPLES,
)
from ldap_workbench.connect.commands import HostScript, host_path, is_host_path, shown
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.logs.reading.packed import DAMAGE, unpacked
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S

_SET = re.compile(r"([.-]\d[\dTZ.-]*)?(\.(?P<packed>gz|xz|zst|bz2))?")
_LISTED = re.compile(
    rb"(?P<inode>\d+) (?P<size>\d+) (?P<written>\d+(\.\d+)?) (?P<made>\d+(\.\d+)?|\D\S*) "
    rb"\S+ \S+( (?P<zone>\S+))?\n(?P<path>/[^\n]*)"
)
_UNPACKED_THERE = (b".zst", b".bz2")
"""Of these LIST gives text: no text comes out of less than a block, up to 900 KB of it packed."""


_LISTS = 3
"""Attempts to get heads as long as the files were: one that is cut to nothing and grows again in
between shows only there."""


class Unpacker(Protocol):
    """Unpacks a stream piece by piece."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True)
class LogPart:
    """One file of the set: `size` in bytes as it lies there, `packed` gz, xz, zst or nothing.

    `first_ns` is the time of its first line that has one; None where no line shows a time.
    `written_ns` is when it was written last, `made_ns` when it was made, 0 where the file system
    does not tell, and `zone_offset_ns` the host's zone then, `year` the
    one it begins in where its lines may show none.
    """

    path: str
    inode: int
    size: int
    packed: str
    head: bytes
    first_ns: int | None = None
    written_ns: int = 0
    made_ns: int = 0
    zone_offset_ns: int = 0
    year: int | None = None


class HostFiles:
    """A log and the files rotated from it, read over a link.

    Files are known by their inode and found again when they are renamed. Raises CommandError where
    something cannot be read, ConnectError where the link stays broken.
    """

    def __init__(self, link: HostLink, path: str, cancel: Cancel) -> None:
        self._link = link
        self.path = host_path(path)
        self._cancel = cancel
        self._now_at: dict[int, str] = {}

    def listed(self, since_s: int = 0) -> list[LogPart]:
        """Every file of the set that was written since then, and the log; without their times."""
        changed = 0
        for _ in range(_LISTS):
            self._cancel.check()
            result = self._link.run(LIST.argv(host_path(self.path), since_s))
            whole, parts = _last_listing(result.stdout, self.path)
            changed += result.stdout.count(b"\0changed\0") or 1
            if whole or result.status:
                break
        if not whole and result.status == 0:
            if not _LISTED.search(result.stdout):  # nothing changed: no listing came
                raise not_understood(self.path, result.stdout.strip(b"\0\n") or result.stderr)
            raise CommandError(
                Message(
                    "The files of {path} changed {n} times while they were listed.",
                    path=self.path,
                    n=changed,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Larger log files are rotated less often."),
            )
        if not parts:
            raise self._nothing_there(result)
        self._now_at = {part.inode: part.path for part in parts}
        return parts

    def text(self, part: LogPart, offset: int, length: int) -> bytes:
        """Up to `length` bytes of the unpacked text from `offset` on; fewer at its end."""
        words = (offset + 1, length, "")
        return self._checked(part, READ, words, self._link.run).stdout

    def stream(
        self,
        part: LogPart,
        start: int,
        end: int | None,
        packer: str,
        on_text: Callable[[bytes], None],
    ) -> int:
        """Hand on text[start:end], packed on its way by `packer`; returns the offset reached.

        After a dropped link it goes on there.
        """
        reached = start
        unpack: Callable[[bytes], bytes] = bytes

        def take(data: bytes) -> None:
            nonlocal reached
            text = unpack(data)
            if text:
                reached += len(text)
                on_text(text)

        def go_on() -> None:
            nonlocal unpack
            unpack = unpacker(packer).decompress if packer else bytes
            count = (1 << 62) if end is None else end - reached
            flow = lambda argv: self._link.flow(argv, take, self._cancel)  # noqa: E731
            self._checked(part, READ, (reached + 1, count, packer), flow)

        self._link.again(go_on)
        return reached

    def samples(
        self, part: LogPart, begin: Callable[[], Callable[[bytes], None]], stop: Cancel
    ) -> None:
        """Hand on the first bytes of every MiB of the unpacked text, until `stop` says so.

        `begin` gives what takes them; it is asked again when a dropped link begins it anew.
        """

        def sample() -> None:
            take = begin()
            rest = b""

            def cut(data: bytes) -> None:
                nonlocal rest
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    take(_from_base64(part.path, line))

            self._checked(part, SAMPLES, (), lambda argv: self._link.flow(argv, cut, stop))

        self._link.again(sample)

    def packer(self) -> str:
        """What the host can pack with: zstd, gzip or nothing."""
        said = self._link.run(["sh", "-c", PACKERS], sudo=False).stdout.decode("ascii", "replace")
        return said.strip() if said.strip() in ("zstd", "gzip") else ""

    def _checked(
        self,
        part: LogPart,
        script: HostScript,
        words: Sequence[str | int],
        work: Callable[[list[str]], CommandResult],
    ) -> CommandResult:
        """A script with path, inode, kind of packing and `words`.

        The file is looked for where it was renamed.
        """
        for _ in range(3):
            path = host_path(self._now_at.get(part.inode, part.path))
            result = work(script.argv(path, part.inode, part.packed, *words))
            if result.status != MOVED:
                break
            self.listed()
        if result.status and not self._cancel and result.status != -15:
            text = result.stderr.decode("utf-8", "replace").strip()
            gone = Message("no reason given")
            if result.status == MOVED:
                gone = Message("it was deleted meanwhile")
            raise CommandError(
                Message(
                    "{path} cannot be read on the server's host: {why}.",
                    path=part.path,
                    why=text or gone,
                ),
                status=result.status,
                stderr=text,
                safe=Message("Nothing was changed."),
                remedy=Message("Check its permissions; sudo in the profile may be needed."),
            )
        return result

    def _nothing_there(self, result: CommandResult) -> CommandError:
        text = result.stderr.decode("utf-8", "replace").strip()
        return CommandError(
            Message(
                "{path} cannot be read on the server's host: {why}.",
                path=self.path,
                why=text or Message("no such file"),
            ),
            status=result.status,
            stderr=text,
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Logs are often readable by the server's own user only: allow sudo in the profile, "
                "or name the right file there."
            ),
        )


def not_understood(path: str, line: bytes) -> CommandError:
    """What a script prints on the host is not what this version of the workbench knows."""
    return CommandError(
        Message(
            "{path} cannot be followed: its host prints '{line}', which is not understood.",
            path=path,
            line=shown(line.partition(b"\n")[0].decode("utf-8", "replace")),
        ),
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Check that stat, head, dd and base64 on the host are those of GNU or busybox."
        ),
    )


def _from_base64(path: str, text: bytes) -> bytes:
    try:
        return base64.b64decode(text.replace(b"\n", b""), validate=True)
    except ValueError as error:
        raise not_understood(path, text) from error


def _last_listing(said: bytes, log: str) -> tuple[bool, list[LogPart]]:
    """What LIST printed last: whether it counts, and the files of that log among the listed."""
    *_, listed, heads, verdict, _ = [b"", b"", b"", *said.split(b"\0")]
    if verdict != b"whole":
        return False, []
    if strange := _LISTED.sub(b"", listed).strip():
        raise not_understood(log, strange)
    files = [match.groupdict(b"") for match in _LISTED.finditer(listed)]
    files.sort(key=lambda file: file["path"].endswith(_UNPACKED_THERE))
    text = BytesIO(_from_base64(log, heads))
    parts = [_part(log, file, text.read(_head_size(file))) for file in files]
    whole = text.tell() == sum(map(_head_size, files)) and not text.read()
    # The first line of a name with a newline in it may be the name of another file.
    return whole, list({part.path: part for part in parts if part}.values())


def _head_size(file: dict[str, bytes]) -> int:
    """Bytes that LIST gives of a file."""
    return HEAD if file["path"].endswith(_UNPACKED_THERE) else min(int(file["size"]), HEAD)


def _part(log: str, file: dict[str, bytes], head: bytes) -> LogPart | None:
    """None for a file that is not of the log's set."""
    path = file["path"].decode("utf-8", "surrogateescape")
    match = _SET.fullmatch(path.removeprefix(log))
    if match is None or not is_host_path(path):
        return None
    packed = match["packed"] or ""
    return LogPart(
        path,
        int(file["inode"]),
        int(file["size"]),
        packed,
        _unpacked_head(packed, head),
        written_ns=_nanoseconds(file["written"]),
        made_ns=_nanoseconds(file["made"]),
        zone_offset_ns=printed_zone(file["zone"].decode("ascii", "replace")),
    )


def _unpacked_head(packed: str, head: bytes) -> bytes:
    """The first HEAD bytes of a text, as far as those of its file tell."""
    if not packed:
        return head
    if f".{packed}".encode() in _UNPACKED_THERE:
        return head.rstrip(b"\0")
    text = b""
    with suppress(*DAMAGE), unpacked(BytesIO(head)) as file:
        while more := file.read1(HEAD - len(text)):
            text += more
    return text


def _nanoseconds(printed: bytes) -> int:
    """Seconds since 1970 as stat prints them."""
    return int(Decimal(printed.decode()) * NS_PER_S) if printed[:1].isdigit() else 0


def printed_zone(text: str) -> int:
    """ns east of UTC of what `date +%z` prints, +0100; 0 for anything else."""
    match = re.fullmatch(r"([+-])(\d\d):?(\d\d)", text.strip())
    if match is None:
        return 0
    minutes = int(match[2]) * 60 + int(match[3])
    return (-minutes if match[1] == "-" else minutes) * 60 * NS_PER_S


def unpacker(packer: str) -> Unpacker:
    """Unpacks what one run of zstd or gzip has packed."""
    return (
        zstandard.ZstdDecompressor().decompressobj() if packer == "zstd" else zlib.decompressobj(31)
    )
