"""The files of the practice host: a made-up root in which only the logs are real files.

One run of a command on the practice host.
"""

from __future__ import annotations

import posixpath
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ldap_workbench.practice.model.engine import Engine
from ldap_workbench.practice.model.tree import Entry

LOGS = "/var/log/dirsrv/slapd-practice"
DEVICE = "vda"
_QUEUE = f"/sys/block/{DEVICE}/queue"
_SCHEDULERS = ("none", "mq-deadline", "kyber", "bfq")
_SETTINGS = {
    f"{_QUEUE}/nr_requests": "256",
    f"{_QUEUE}/rotational": "0",
    "/proc/sys/vm/drop_caches": "0",
    "/proc/sys/vm/swappiness": "60",
    "/proc/sys/vm/dirty_ratio": "20",
    "/proc/sys/vm/dirty_bytes": "0",
    "/proc/sys/vm/dirty_background_ratio": "10",
    "/proc/sys/vm/dirty_background_bytes": "0",
    "/proc/sys/vm/dirty_expire_centisecs": "3000",
    "/proc/sys/vm/dirty_writeback_centisecs": "500",
    "/proc/sys/vm/overcommit_memory": "0",
    "/proc/sys/net/core/somaxconn": "4096",
    "/proc/sys/net/ipv4/tcp_max_syn_backlog": "512",
}
_CHOICES = {
    f"{_QUEUE}/scheduler": (_SCHEDULERS, "mq-deadline"),
    "/sys/kernel/mm/transparent_hugepage/enabled": (("always", "madvise", "never"), "madvise"),
    "/sys/kernel/mm/transparent_hugepage/defrag": (("always", "madvise", "never"), "madvise"),
}
READ_AHEAD = f"{_QUEUE}/read_ahead_kb"


class HostError(Exception):
    """What a command says of a file: 'No such file or directory' ..."""


@dataclass(frozen=True)
class FileStatus:
    """Of one file: inode, size in bytes, mode bits, modification time in s."""

    inode: int
    size: int
    mode: int
    modified: int


class PracticeHost:
    """Reads, lists and writes files of the host; `root` is who asks through sudo."""

    def __init__(self, engine: Engine, logs: Path) -> None:
        self.engine = engine
        self._logs = logs
        self._set = {**_SETTINGS, **{path: chosen for path, (_, chosen) in _CHOICES.items()}}
        memory = engine.scenario.host.ram_bytes // 1024
        self._made: dict[str, Callable[[], str]] = {
            "/proc/meminfo": lambda: _meminfo(memory),
            "/proc/loadavg": lambda: "0.42 0.40 0.38 1/120 4242\n",
            "/proc/uptime": lambda: f"{100_000 + engine.clock.seconds():.2f} 0.00\n",
            "/etc/os-release": lambda: 'PRETTY_NAME="Practice simulation"\nID=practice\n',
            "/etc/hostname": lambda: "practice\n",
            "/etc/dirsrv/slapd-practice/dse.ldif": self._dse,
        }

    def real(self, path: str, *, root: bool) -> Path | None:
        """The real file behind a log's path, None for any other; raises HostError."""
        folder, name = posixpath.split(posixpath.normpath(path))
        if folder != LOGS:
            return None
        if not root:
            raise HostError("Permission denied")
        real = self._logs / name
        if not real.is_file():
            raise HostError("No such file or directory")
        return real

    def read(self, path: str, *, root: bool) -> bytes:
        """A whole file. Raises HostError."""
        if real := self.real(path, root=root):
            return real.read_bytes()
        path = posixpath.normpath(path)
        if path in self._made:
            if path.endswith("dse.ldif") and not root:
                raise HostError("Permission denied")
            return self._made[path]().encode()
        if path == READ_AHEAD:
            return f"{self.engine.configuration.host['read_ahead_kb']}\n".encode()
        if path in _CHOICES:
            words = _CHOICES[path][0]
            shown = (f"[{word}]" if word == self._set[path] else word for word in words)
            return (" ".join(shown) + "\n").encode()
        if path in self._set:
            return f"{self._set[path]}\n".encode()
        raise HostError("Is a directory" if self.names(path) else "No such file or directory")

    def write(self, path: str, text: str, *, root: bool) -> None:
        """Set a file of the kernel, which checks the value. Raises HostError."""
        path, value = posixpath.normpath(path), text.strip()
        if path not in self._set and path != READ_AHEAD:
            raise HostError("No such file or directory" if root else "Permission denied")
        if not root:
            raise HostError("Permission denied")
        if not text:
            return  # opened, and nothing written
        good = value in _CHOICES[path][0] if path in _CHOICES else value.isdigit()
        if not good:
            raise HostError("Invalid argument")
        if path == READ_AHEAD:
            self.engine.set_host("read_ahead_kb", value)
        else:
            self._set[path] = value
            if rival := _rival(path):
                self._set[rival] = "0"

    def names(self, folder: str) -> list[str]:
        """Names in a folder, [] where there is none."""
        folder = posixpath.normpath(folder).rstrip("/") + "/"
        known = [*self._made, *self._set, READ_AHEAD]
        known += [f"{LOGS}/{path.name}" for path in self._logs.iterdir()]
        inside = (path[len(folder) :] for path in known if path.startswith(folder))
        return sorted({rest.partition("/")[0] for rest in inside})

    def status(self, path: str, *, root: bool) -> FileStatus:
        """Raises HostError where there is no such file."""
        if real := self.real(path, root=root):
            status = real.stat()
            return FileStatus(
                status.st_ino, status.st_size, stat.S_IFREG | 0o600, int(status.st_mtime)
            )
        now = self.engine.clock.now_ns() // 1_000_000_000
        inode = abs(hash(posixpath.normpath(path))) % 1_000_000
        if self.names(path):
            return FileStatus(inode, 4096, stat.S_IFDIR | 0o755, now)
        return FileStatus(inode, len(self.read(path, root=root)), stat.S_IFREG | 0o644, now)

    def _dse(self) -> str:
        return "\n".join(map(_ldif, self.engine.configuration.entries.values()))


def _ldif(entry: Entry) -> str:
    lines = [f"dn: {entry.dn}"]
    for name, values in entry:
        lines += [f"{name}: {value}" for value in values]
    return "".join(f"{line}\n" for line in lines)


def _rival(path: str) -> str | None:
    """Of vm.dirty_* the file that says the same limit otherwise: the kernel sets it to 0."""
    head, _, unit = path.rpartition("_")
    other = {"bytes": "ratio", "ratio": "bytes"}.get(unit)
    return f"{head}_{other}" if other and head.startswith("/proc/sys/vm/dirty") else None


def _meminfo(memory_kb: int) -> str:
    rows = {"MemTotal": 1.0, "MemFree": 0.2, "MemAvailable": 0.7, "Buffers": 0.01, "Cached": 0.5}
    lines = [f"{name + ':':<16}{int(memory_kb * share):>8} kB" for name, share in rows.items()]
    return "\n".join([*lines, "SwapTotal:             0 kB", "SwapFree:              0 kB", ""])


@dataclass
class Call:
    """One run of a command: who asks, its outputs, its input, and the wish that it end."""

    host: PracticeHost
    out: Callable[[bytes], None]
    err: Callable[[bytes], None]
    stdin: Callable[[], bytes]
    """Everything sent to the command, up to its end."""
    ended: threading.Event
    """Set when the client has closed the channel, or its end of a watched command's stdin."""
    watch: Callable[[], None]
    """Let the end of stdin end the command."""
    restart: Callable[[str], int]
    root: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    def say(self, text: str) -> None:
        self.out(text.encode())

    def fail(self, text: str, status: int = 1) -> int:
        self.err(f"{text}\n".encode())
        return status


Command = Callable[[Call, list[str]], int]
"""Takes the words after the command's name, returns the exit status; may raise HostError."""
