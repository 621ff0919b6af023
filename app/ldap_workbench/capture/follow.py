"""Following a log file by inode and offset, across rotation, without losing or doubling a byte."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from decimal import Decimal

from ldap_workbench.connect.commands import HostPath, HostScript, host_path, is_host_path
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError

# The file is opened once: inode and bytes are those of the same file even if it is rotated away
# meanwhile. $1 path, $2 first byte counted from 1, $3 how many bytes at the most.
READ = HostScript(
    "read-log",
    'exec 3<"$1" || exit 1; stat -L -c "%i %s" /proc/self/fd/3; tail -c "+$2" <&3 | head -c "$3"\n',
)

_PACKED = (".gz", ".xz", ".bz2", ".zst")
PIECE = 8 << 20
"""Bytes fetched by one command."""


@dataclass(frozen=True)
class LogPiece:
    """What one read found: the inode that was opened, its size then, and the bytes."""

    inode: int
    size: int
    data: bytes


@dataclass
class LogFollower:
    """Reads what is appended to the log at `path`, first from where it ends now.

    `read()` returns the bytes since the last call, in the order the server wrote them, going
    through files that were rotated in between. `gaps` counts files that were gone before they were
    read, `rotations` those that were followed. Raises CommandError where the log cannot be read.
    """

    shell: RemoteShell
    path: str
    inode: int = -1
    offset: int = 0
    rotations: int = 0
    gaps: int = 0
    bytes_read: int = 0
    _seen: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.path = host_path(self.path)

    def start(self) -> None:
        """Stand at the end of the log as it is now."""
        self._seen = {inode for inode, _ in self._rotated()}
        piece = self._open(self.path, 0, 0)
        self.inode, self.offset = piece.inode, piece.size

    def last(self, size: int) -> bytes:
        """The whole lines among the last `size` bytes before where we stand."""
        start = max(0, self.offset - size)
        text = self._open(self.path, start, self.offset - start).data
        return text.partition(b"\n")[2] if start else text

    def read(self) -> bytes:
        """Everything appended since the last call."""
        found: list[bytes] = []
        while True:
            piece = self._open(self.path, self.offset, PIECE)
            if piece.inode == self.inode and piece.size >= self.offset:
                self.offset += len(piece.data)
                found.append(piece.data)
                if len(piece.data) < PIECE:
                    break
            else:
                found.append(self._catch_up(piece.inode))
        data = b"".join(found)
        self.bytes_read += len(data)
        return data

    def _catch_up(self, current: int) -> bytes:
        """Finish the file we were in, then every rotated one up to, not including, `current`."""
        rotated = [(inode, path) for inode, path in self._rotated() if inode != current]
        inodes = [inode for inode, _ in rotated]
        if self.inode in inodes:
            rotated = rotated[inodes.index(self.inode) :]
            start = self.offset
        else:
            self.gaps += 1
            rotated = [(inode, path) for inode, path in rotated if inode not in self._seen]
            start = 0
        found = []
        for inode, path in rotated:
            found.append(self._whole(path, start))
            self._seen.add(inode)
            start = 0
        self.rotations += max(1, len(rotated))
        self.inode, self.offset = current, 0
        return b"".join(found)

    def _whole(self, path: str, offset: int) -> bytes:
        found = []
        while True:
            piece = self._open(path, offset, PIECE)
            found.append(piece.data)
            offset += len(piece.data)
            if len(piece.data) < PIECE:
                return b"".join(found)

    def _rotated(self) -> list[tuple[int, str]]:
        """(inode, path) of the rotated files that are not packed, in the order of their last line.

        389 DS names them by their time, slapd .01, .02 ..., logrotate .1 or -20261121, the newest
        first: only the time of the last write orders them all.
        """
        folder = posixpath.dirname(self.path)
        result = self.shell.run(find_rotated(host_path(self.path)), sudo=True)
        if result.status != 0:
            raise _unreadable(folder, result.status, result.stderr)
        text = result.stdout.decode("utf-8", "surrogateescape")
        files = [line.split(" ", 2) for line in text.split("\0") if line]
        files = [
            file
            for file in files
            if not file[2].endswith(_PACKED) and is_host_path(posixpath.join(folder, file[2]))
        ]
        files.sort(key=lambda file: (Decimal(file[0]), file[2]))
        return [(int(inode), posixpath.join(folder, file)) for _, inode, file in files]

    def _open(self, path: str, offset: int, length: int) -> LogPiece:
        argv = READ.argv(host_path(path), offset + 1, length)
        result = self.shell.run(argv, sudo=True, timeout=60)
        head, newline, data = result.stdout.partition(b"\n")
        if not newline:
            raise _unreadable(path, result.status, result.stderr)
        inode, size = head.split()
        return LogPiece(int(inode), int(size), data)


def find_rotated(log: HostPath) -> list[str]:
    """The command that lists when a log's rotated files were written, their inodes and names."""
    folder, name = posixpath.split(log)
    named = re.sub(r"([][*?\\])", r"\\\1", name) + "[.-][0-9]*"
    # With a / at its end a folder that is a link is gone into.
    where = ["find", f"{folder.rstrip('/')}/", "-maxdepth", "1", "-type", "f", "-name", named]
    return [*where, "-printf", "%T@ %i %f\\0"]


def _unreadable(path: str, status: int, stderr: bytes) -> CommandError:
    text = stderr.decode("utf-8", "replace").strip()
    return CommandError(
        f"{path} cannot be read on the server's host: {text or f'status {status}'}.",
        status=status,
        stderr=text,
        safe="Nothing was changed.",
        remedy="Logs of 389 DS are readable by its own user only: allow sudo in the profile.",
    )
