"""A host whose log is written, rotated, packed and deleted between any two commands of a script.

The scripts are the real ones, run by a real shell on real files. `stat` is what all of them ask
first and often, and `head` reads; what is in front of both here waits until the folder has done its
next step.
"""

from __future__ import annotations

import gzip
import os
import shutil
import threading
from pathlib import Path

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.accesslog import AccessLogCapture
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect, with_chosen_dialect
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Source, SourceKind, SourceState

TITLE = b"\t389-Directory/2.3.1 B2023.017.0000\n\tlocalhost:389 (/etc/dirsrv/slapd-lab)\n\n"
END = b"cn=ldap-workbench-the-end"
CONNECTIONS = 2
EACH = 10
"""Operations of each connection in one write."""
_ENOUGH_S = 20.0


class LogFolder:
    """A log and what became of its older files. `written` is every line there ever was."""

    def __init__(self, folder: Path, style: str) -> None:
        self.log = folder / "access"
        self.style = style
        self.written = b""
        self.deleted = False
        self._writes = 0
        self._files = 0
        self._new = False
        self.log.write_bytes(b"")
        self._begin()

    def write(self) -> None:
        self._append(b"".join(self._lines()))
        self._writes += 1
        self._new = True

    def finish(self) -> None:
        """The line that a capture waits for."""
        at = b"[21/Nov/2026:03:%02d:%02d.000000000 +0000] " % divmod(self._writes, 60)
        self._append(at + b'conn=9 op=0 SRCH base="%s" scope=0\n' % END)

    def rotate(self, second: int) -> None:
        """As 389 DS, logrotate with copytruncate or by numbers; not where there is nothing new."""
        if not self._new:
            return
        self._files += 1
        {"389": self._rename, "copy": self._copy, "numbers": self._shift}[self.style](second)

    def pack(self, which: int) -> None:
        """gzip of one that is not packed, which does not write over another."""
        plain = [path for path in self._old() if path.suffix != ".gz"]
        if not plain:
            return
        path = plain[which % len(plain)]
        copy = path.with_name(path.name + ".gz")
        if copy.exists():
            return
        copy.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        found = path.stat()
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
        path.unlink()

    def delete(self, which: int) -> None:
        if old := self._old():
            old[which % len(old)].unlink()
            self.deleted = True

    def _old(self) -> list[Path]:
        return sorted(self.log.parent.glob("access.*"))

    def _lines(self) -> list[bytes]:
        found = []
        for number in range(EACH):
            for conn in range(1, CONNECTIONS + 1):
                words = b"conn=%d op=%d" % (conn, self._writes * EACH + number)
                minute, second = divmod(self._writes, 60)
                at = b"[21/Nov/2026:03:%02d:%02d.%09d +0000] " % (
                    minute,
                    second,
                    number * 10 + conn,
                )
                found.append(at + words + b' SRCH base="dc=x" scope=2 filter="(uid=a)" attrs=ALL\n')
                found.append(at + words + b" RESULT err=0 tag=101 nentries=1 etime=0.000000001\n")
        return found

    def _append(self, text: bytes) -> None:
        with self.log.open("ab") as file:
            file.write(text)
        self.written += text

    def _begin(self) -> None:
        self._new = False
        if self.style == "389":
            self._append(TITLE)

    def _rename(self, second: int) -> None:
        """389 DS names a file by the second; where the name is taken it writes on."""
        name = self.log.with_name(f"access.20261121-{second:06d}")
        if not name.exists():
            self.log.rename(name)
            self._begin()

    def _copy(self, _: int) -> None:
        shutil.copy2(self.log, self.log.with_name(f"access.20261121-{self._files:06d}"))
        self.log.write_bytes(b"")
        self._begin()

    def _shift(self, _: int) -> None:
        for number in range(self._files, 0, -1):
            for ending in ("", ".gz"):
                path = self.log.with_name(f"access.{number}{ending}")
                if path.exists():
                    path.rename(self.log.with_name(f"access.{number + 1}{ending}"))
        self.log.rename(self.log.with_name("access.1"))
        self.log.write_bytes(b"")
        self._begin()


class Steps:
    """Does one step before each `stat` and `head` of the scripts, once `begun`."""

    def __init__(self, folder: Path, steps: list) -> None:
        self.path = folder / "bin"
        self._steps = iter(steps)
        self._over = False
        self.begun = False
        self.path.mkdir()
        asked, done = self.path / "asked", self.path / "done"
        for fifo in (asked, done):
            os.mkfifo(fifo)
        for name in ("stat", "head"):
            program = self.path / name
            real = shutil.which(name, path="/usr/bin:/bin")
            wait = f"echo >{asked}\nread -r _ <{done}\n"
            program.write_text(f'#!/bin/sh\n{wait}exec {real} "$@"\n')
            program.chmod(0o755)
        self._asked = os.open(asked, os.O_RDWR)
        self._done = os.open(done, os.O_RDWR)
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Steps:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        os.write(self._asked, b"\n")
        self._thread.join()
        os.close(self._asked)
        os.close(self._done)

    def _serve(self) -> None:
        while os.read(self._asked, 1) and not self._over:
            step = next(self._steps, None) if self.begun else None
            if step is not None:
                step()
            os.write(self._done, b"\n")


class CutShell(LocalShell):
    """Its link breaks after so many bytes of a stream, once for each of `cuts`."""

    def __init__(self, cuts: list[int]) -> None:
        super().__init__()
        self._cuts = cuts

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        if not self._cuts:
            return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)
        left = self._cuts[0]

        def some(data):
            nonlocal left
            on_bytes(data[:left])
            left -= len(data)
            if left <= 0:
                self._cuts.pop(0)
                raise ConnectError("The link broke.")

        return super().stream(argv, some, cancel=cancel, sudo=sudo)


class Kept:
    """What a session would keep."""

    def __init__(self) -> None:
        self.text = b""

    def add_raw(self, _: int, text: bytes) -> None:
        self.text += text

    def add_operations(self, *_: object) -> None: ...

    def mark_own(self, *_: object) -> None: ...


def captured(log: Path, cuts: list[int], steps) -> tuple[Source, bytes]:
    """Follows the log until its end is seen; the finished source, and the text that was kept."""
    kept = Kept()
    stop = Cancel()
    watch = threading.Timer(_ENOUGH_S, stop.set)
    watch.start()
    try:
        with steps:
            capture = _capture(log, cuts, kept)
            steps.begun = True
            return capture.run(stop), kept.text
    finally:
        watch.cancel()
        watch.join()


def _capture(log: Path, cuts: list[int], kept: Kept) -> AccessLogCapture:
    """Standing at the end of the log, about to wait for END."""
    link = HostLink(lambda: CutShell(cuts), Cancel(), patience_s=60.0)
    follower = LogFollower(link, str(log), poll_s=0.01)
    follower.start("389")
    source = Source(1, 1, SourceKind.ACCESS_LOG, str(log), SourceState.MISSING)
    scanner = Scanner("389", own_nonces=[END])
    before = follower.last(4096)
    found = with_chosen_dialect("389", detect(before, "last"))
    capture = AccessLogCapture(follower, scanner, found, kept, source, lambda *_: None, before)
    capture.expect(END, 1 << 62)
    return capture
