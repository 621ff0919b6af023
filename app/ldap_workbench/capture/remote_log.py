"""The files of a log on the server's host: what each covers, and any stretch of their text."""

from __future__ import annotations

import base64
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import zstandard

from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.logs.detect import detect
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.errors import CommandError, ConnectError
from ldap_workbench.model.progress import Cancel

HEAD = 2048
"""Bytes looked at of every file, to know when it begins."""
PROBE = 4096
"""Bytes of one read while bisecting; more where lines are longer."""
_NEAR = 64 << 10
"""Bisecting ends where so little text is left that reading it costs less than a round trip."""
_SAMPLE_EVERY = 1 << 20
"""A packed file cannot be bisected: the host unpacks it and sends the start of every MiB."""
_SAMPLE = 1024
_LONGEST_LINE = 1 << 20
_MEASURE = 1 << 20
SLOW_LINK = 40e6
"""Bytes per second below which packing costs the host less than sending costs the link."""
_PAUSES_S = (0.5, 3.0)
_MOVED = 75

_SET = re.compile(r"([.-]\d[\dTZ.-]*)?(\.(?P<packed>gz|xz|zst))?")

_UNPACK = """\
whole() { case "$packed" in gz) gzip -dc;; xz) xz -dc;; zst) zstd -dcq;; *) cat;; esac; }
"""
# $1: the path of the log. For each file of that name and what follows it: path, inode and size,
# and the first HEAD bytes of its text, with NULs where there are fewer; all of one opened file.
_LIST = f"""\
{_UNPACK}
for f in "$1"*; do
  [ -f "$f" ] || continue
  case "$f" in *.gz) packed=gz;; *.xz) packed=xz;; *.zst) packed=zst;; *) packed=;; esac
  {{
    printf '%s\\0%s\\0' "$f" "$(stat -L -c '%i %s' /proc/self/fd/3)"
    {{ whole <&3 2>/dev/null; head -c {HEAD} /dev/zero; }} |
      dd bs={HEAD} count=1 iflag=fullblock status=none
  }} 3<"$f"
done
:
"""
# $1 path, $2 inode, $3 packed. A file that was rotated away meanwhile is not taken for another.
_OPEN = f"""\
packed=$3
[ -e "$1" ] || exit {_MOVED}
exec 3<"$1"
[ "$(stat -L -c %i /proc/self/fd/3)" = "$2" ] || exit {_MOVED}
{_UNPACK}
"""
# $4 first byte of the text counted from 1, $5 how many at the most, $6 how to pack them.
_READ = f"""\
{_OPEN}
from=$4 count=$5
part() {{
  if [ -z "$packed" ]; then tail -c "+$from" <&3; else whole <&3 | tail -c "+$from"; fi |
    head -c "$count"
}}
case "$6" in zstd) part | zstd -1 -qc;; gzip) part | gzip -1c;; *) part;; esac
"""
_SAMPLES = f"""\
{_OPEN}
whole <&3 | while :; do
  x=$(head -c {_SAMPLE} | base64 -w 0)
  [ -n "$x" ] || break
  echo "$x"
  head -c {_SAMPLE_EVERY - _SAMPLE} >/dev/null
done
"""
_PACKERS = "for p in zstd gzip; do if command -v $p >/dev/null; then echo $p; exit; fi; done; :"

T = TypeVar("T")


class _Unpacker(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True)
class LogPart:
    """One file of the set: `size` in bytes as it lies there, `packed` gz, xz, zst or nothing.

    `first_ns` is the time of its first line that has one; None where no line shows a time.
    """

    path: str
    inode: int
    size: int
    packed: str
    head: bytes
    first_ns: int | None


@dataclass
class RemoteLog:
    """Reads a log and its rotated files through a shell that `connect` opens; close it after use.

    Files are known by their inode and found again when they are renamed. A dropped link is opened
    anew twice, reading goes on at the byte reached. Raises CommandError where something cannot be
    read, ConnectError where the link stays broken, CancelledError between two reads.
    """

    connect: Callable[[], RemoteShell]
    path: str
    cancel: Cancel
    dialect: str = "unknown"
    wire_bytes: int = 0
    reads: int = 0
    reconnects: int = 0
    packer: str = ""
    link_rate: float | None = None
    """Bytes per second, once measured."""
    _shell: RemoteShell | None = None
    _now_at: dict[int, str] = field(default_factory=dict)
    _samples: dict[int, list[int | None]] = field(default_factory=dict)

    def parts(self) -> list[LogPart]:
        """Every file of the set, each text once, in the order of their first lines."""
        found = self._listed()
        heads = [part.head for part in found if part.head]
        known = next((d for d in map(detect, heads) if d.dialect in DIALECTS), None)
        self.dialect = known.dialect if known else "unknown"
        texts: dict[bytes, LogPart] = {}
        # While a file is being packed both it and its copy lie there.
        for part in sorted(found, key=lambda part: part.packed != ""):
            at = self._first_line(part.head)
            first_ns = at[1] if at else self._first_far(part)
            whole = LogPart(part.path, part.inode, part.size, part.packed, part.head, first_ns)
            texts.setdefault(part.head, whole)
        return sorted(texts.values(), key=lambda part: (part.first_ns or 0, part.path))

    def find(self, part: LogPart, time_ns: int) -> int:
        """An offset into the text with every line before it older than `time_ns`, and close to it.

        At a line of a plain file; up to a MiB before, and anywhere, in a packed one.
        """
        if part.packed:
            return self._find_packed(part, time_ns)
        low, high = 0, part.size
        while high - low > _NEAR:
            middle = (low + high) // 2
            found = self._line_from(part, middle, high)
            if found is None or found[1] >= time_ns:
                high = middle
            else:
                low = found[0]
        return low

    def find_end(self, part: LogPart, time_ns: int) -> int | None:
        """An offset behind the last line before `time_ns`; None: read to the end of the file."""
        if part.packed:
            seen = self._sampled(part, time_ns)
            late = [i for i, ns in enumerate(seen) if ns is not None and ns >= time_ns]
            return late[0] * _SAMPLE_EVERY if late else None
        end = self.find(part, time_ns) + _NEAR
        return None if end >= part.size else end

    def read(
        self, part: LogPart, start: int, end: int | None, on_text: Callable[[bytes], None]
    ) -> int:
        """Hand on text[start:end] as it comes; returns the offset reached: the end of the file
        may come first. Ends early when cancelled."""
        reached = start
        if self.link_rate is None and (end is None or end - start > 4 * _MEASURE):
            reached = self._read_as_is(part, start, start + _MEASURE, on_text)
            if reached < start + _MEASURE:
                return reached
            self.packer = self._packer() if self._slow() else ""
        return self._stream(part, reached, end, self.packer, on_text)

    def close(self) -> None:
        if self._shell is not None:
            self._shell.close()
            self._shell = None

    # --- what lies there -----------------------------------------------------------------------

    def _listed(self) -> list[LogPart]:
        result = self._run(["sh", "-c", _LIST, "sh", self.path])
        rest, found = result.stdout, []
        while rest:
            name, _, rest = rest.partition(b"\0")
            meta, _, rest = rest.partition(b"\0")
            head, rest = rest[:HEAD].rstrip(b"\0"), rest[HEAD:]
            path = name.decode("utf-8", "surrogateescape")
            if match := _SET.fullmatch(path.removeprefix(self.path)):
                inode, size = (int(number) for number in meta.split())
                packed = match["packed"] or ""
                found.append(LogPart(path, inode, size, packed, head, None))
        if not found:
            text = result.stderr.decode("utf-8", "replace").strip()
            raise CommandError(
                f"{self.path} cannot be read on the server's host: {text or 'no such file'}.",
                status=result.status,
                stderr=text,
                safe="Nothing was changed.",
                remedy="Logs of 389 DS are readable by its own user only: allow sudo in the "
                "profile, or name the right file there.",
            )
        self._now_at = {part.inode: part.path for part in found}
        return found

    def _first_far(self, part: LogPart) -> int | None:
        """When the file begins, where its first line is longer than the head."""
        if not part.head or len(part.head) < HEAD:
            return None
        found = self._line_from(part, 0, part.size if not part.packed else _LONGEST_LINE)
        return found[1] if found else None

    # --- times ---------------------------------------------------------------------------------

    def _first_line(self, text: bytes) -> tuple[int, int] | None:
        """(offset, time) of the first whole line with a time."""
        if self.dialect not in DIALECTS:
            return None
        scanner = Scanner(self.dialect)
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
            self.cancel.check()
            length = min(length, limit - offset)
            text = self._bytes(part, offset, length)
            skip = text.find(b"\n") + 1 if offset else 0
            if (skip or not offset) and (found := self._first_line(text[skip:])):
                return offset + skip + found[0], found[1]
            if len(text) < length or offset + length >= limit or length >= _LONGEST_LINE:
                return None
            length *= 8

    def _find_packed(self, part: LogPart, time_ns: int) -> int:
        seen = self._sampled(part, time_ns)
        early = [i for i, ns in enumerate(seen) if ns is not None and ns < time_ns]
        return early[-1] * _SAMPLE_EVERY if early else 0

    def _sampled(self, part: LogPart, until_ns: int) -> list[int | None]:
        """The first time in every MiB of the text, up to the first one that is not before
        `until_ns`: the host unpacks no further."""
        known = self._samples.get(part.inode, [])
        if any(ns is not None and ns >= until_ns for ns in known):
            return known
        times: list[int | None] = []
        held = b""
        stop = _Either(self.cancel)

        def take(data: bytes) -> None:
            nonlocal held
            self.wire_bytes += len(data)
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                times.append(self._sample_time(base64.b64decode(line), at_start=not times))
                if times[-1] is not None and times[-1] >= until_ns:
                    stop.set()

        def sample() -> None:
            nonlocal held
            times.clear()
            held = b""
            self._checked(part, lambda where: self._flow(_SAMPLES, where, take, stop))

        self._again(sample)
        self.cancel.check()
        self._samples[part.inode] = times
        return times

    def _sample_time(self, text: bytes, *, at_start: bool) -> int | None:
        found = self._first_line(text if at_start else text.partition(b"\n")[2])
        return found[1] if found else None

    # --- bytes ---------------------------------------------------------------------------------

    def _bytes(self, part: LogPart, offset: int, length: int) -> bytes:
        words = [str(offset + 1), str(length), ""]
        run = lambda where: self._run(["sh", "-c", _READ, "sh", *where, *words])  # noqa: E731
        return self._checked(part, run).stdout

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

        reached = self._stream(part, start, end, "", take)
        took = time.monotonic() - began
        self.link_rate = (size - first) / took if began and size > first and took > 0 else None
        return reached

    def _stream(
        self,
        part: LogPart,
        start: int,
        end: int | None,
        packer: str,
        on_text: Callable[[bytes], None],
    ) -> int:
        reached = start
        unpack: Callable[[bytes], bytes] = bytes

        def take(data: bytes) -> None:
            nonlocal reached
            self.wire_bytes += len(data)
            text = unpack(data)
            if text:
                reached += len(text)
                on_text(text)

        def go_on() -> None:
            nonlocal unpack
            unpack = _unpacker(packer)
            count = (1 << 62) if end is None else end - reached
            words = [str(reached + 1), str(count), packer]
            self._checked(
                part, lambda where: self._flow(_READ, [*where, *words], take, self.cancel)
            )

        self._again(go_on, moved=lambda: reached)
        return reached

    def _slow(self) -> bool:
        return self.link_rate is not None and self.link_rate < SLOW_LINK

    def _packer(self) -> str:
        return self._run(["sh", "-c", _PACKERS]).stdout.decode().strip()

    # --- the link ------------------------------------------------------------------------------

    def _checked(self, part: LogPart, work: Callable[[list[str]], CommandResult]) -> CommandResult:
        """`work` with path, inode and kind of packing; looks for the file where it was renamed."""
        for _ in range(3):
            result = work([self._now_at.get(part.inode, part.path), str(part.inode), part.packed])
            if result.status != _MOVED:
                break
            self._listed()
        if result.status and not self.cancel and result.status != -15:
            text = result.stderr.decode("utf-8", "replace").strip()
            gone = "it was deleted meanwhile" if result.status == _MOVED else "no reason given"
            raise CommandError(
                f"{part.path} cannot be read on the server's host: {text or gone}.",
                status=result.status,
                stderr=text,
                safe="Nothing was changed.",
            )
        return result

    def _run(self, argv: list[str]) -> CommandResult:
        def work() -> CommandResult:
            return self._open().run(argv, sudo=True, timeout=120)

        result = self._again(work)
        self.reads += 1
        self.wire_bytes += len(result.stdout)
        return result

    def _flow(
        self, script: str, words: list[str], take: Callable[[bytes], None], cancel: Cancel
    ) -> CommandResult:
        argv = ["nice", "-n", "19", "sh", "-c", script, "sh", *words]
        self.reads += 1
        return self._open().stream(argv, take, cancel=cancel, sudo=True)

    def _open(self) -> RemoteShell:
        if self._shell is None:
            self._shell = self.connect()
        return self._shell

    def _again(self, work: Callable[[], T], moved: Callable[[], int] = lambda: 0) -> T:
        """Do it; after a dropped link open another and go on, twice without getting further."""
        pauses = list(_PAUSES_S)
        before = moved()
        while True:
            try:
                return work()
            except ConnectError:
                self.close()
                if moved() > before:
                    before, pauses = moved(), list(_PAUSES_S)
                if not pauses or self.cancel.wait(pauses.pop(0)):
                    raise
                self.reconnects += 1


class _Either(Cancel):
    """Cancelled by itself or with another one."""

    def __init__(self, other: Cancel) -> None:
        super().__init__()
        self._other = other

    def __bool__(self) -> bool:
        return super().__bool__() or bool(self._other)


def _unpacker(packer: str) -> Callable[[bytes], bytes]:
    if not packer:
        return bytes
    opened: _Unpacker = (
        zstandard.ZstdDecompressor().decompressobj() if packer == "zstd" else zlib.decompressobj(31)
    )
    return opened.decompress
