"""Following a log by inode and offset, over rotations and cuts, without losing or doubling a byte.

One command runs on the host while the link stands and hands on what is appended (FOLLOW). Where
another file has taken the log's place, or the link was cut, the files are listed: the one we were
in is found by its inode or, where it was packed or copied meanwhile, by its first bytes.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.host_files import CUT_SHORT, FOLLOW, HEAD, MOVED, HostFiles, LogPart
from ldap_workbench.capture.host_link import SILENCE_S, HostLink
from ldap_workbench.capture.link import Either
from ldap_workbench.capture.log_times import LogTimes
from ldap_workbench.capture.looks import Look, LookReader, Pace
from ldap_workbench.connect.commands import host_path
from ldap_workbench.logs.dialects import DIALECTS
from ldap_workbench.model.errors import CommandError, ConnectError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S

Take = Callable[[bytes], None]

_NEVER_S = 1 << 33
"""No log was written since then: only the log itself is listed."""
_SIGNALLED = 128
_MOST_HELD = 1 << 20
"""What has come is handed on when a look is whole, or when so many bytes wait."""


class LogFollower:
    """Reads what is appended to the log at `path`, from where it ends at `start`.

    Text is handed on in the order the server wrote it, through all files that were rotated in
    between. `gaps` counts files that were gone before they were read, `rotations` those that were
    left behind, `bytes_read` what was handed on. Raises CommandError where the log cannot be read,
    ConnectError where the link stays cut. It packs the text on its way once the link is too slow.
    """

    def __init__(self, link: HostLink, path: str, poll_s: float = 1.0) -> None:
        self.link = link
        self.path = host_path(path)
        self.poll_s = poll_s
        self.pace = Pace()
        self.rotations = 0
        self.gaps = 0
        self.bytes_read = 0
        self.offset = 0
        self.packer = ""
        self._packers: str | None = None
        self._files = HostFiles(link, path, link.cancel)
        self._times = LogTimes(self._files, link.cancel)
        self._part = LogPart(path, -1, 0, "", b"")
        self._written_s = 0
        self._unsure = False
        self._gone = False
        self._held = bytearray()
        self._pack = Either()

    def start(self, dialect: str = "unknown") -> None:
        """Stand at the end of the log as it is now."""
        self._times.dialect = dialect
        [part] = [p for p in self._files.listed(_NEVER_S) if p.path == self.path]
        self._written_s = part.written_ns // NS_PER_S
        self._stand_in(part, part.size)

    def read_as(self, dialect: str) -> None:
        """What the log is written in tells when each of its files begins."""
        self._times.dialect = dialect

    def last(self, size: int) -> bytes:
        """The whole lines among the last `size` bytes before where we stand."""
        start = max(0, self.offset - size)
        text = self._files.text(self._part, start, self.offset - start)
        return text.partition(b"\n")[2] if start else text

    def follow(self, take: Take, stop: Cancel) -> None:
        """Hand on what is appended as it comes, until stopped; at each look, so often empty."""
        self.link.again(lambda: self._go_on(take, stop, self.poll_s))

    def read_on(self, take: Take) -> None:
        """Hand on what has been appended by now."""
        self.link.again(lambda: self._go_on(take, self.link.cancel, 0))

    def read(self) -> bytes:
        """Everything appended since the last call."""
        found = bytearray()
        self.read_on(found.extend)
        return bytes(found)

    # --- the log -------------------------------------------------------------------------------

    def _go_on(self, take: Take, stop: Cancel, pause_s: float) -> None:
        while not stop:
            if self._unsure and not self._catch_up(take):
                if not pause_s or stop.wait(pause_s):
                    return
                continue
            if self._look(take, stop, pause_s) == 0:
                return
            if self._pack.asked and self._packers is None:
                self.link.close()  # what is on its way, unpacked, would go before
                self.packer = self._packers = self._files.packer()

    def _look(self, take: Take, stop: Cancel, pause_s: float) -> int:
        """Run FOLLOW until it ends; returns its status."""
        self._unsure = True
        self._pack = Either(stop)
        reader = LookReader(
            self.packer,
            self._on_look,
            lambda text: self._come(text, take),
            lambda: self._on_end(take),
        )
        words = (self._part.inode, self.offset, self.packer, f"{pause_s:g}")
        argv = FOLLOW.argv(self.path, *words)
        try:
            done = self.link.flow(argv, reader.feed, self._pack, SILENCE_S + pause_s)
        finally:
            self.pace.broke()
            self._pass_on(take)
        if done.status in (0, -signal.SIGTERM):
            self._unsure = False
        elif done.status > _SIGNALLED:
            raise ConnectError(f"The command that reads {self.path} was ended on the host.")
        elif done.status not in (MOVED, CUT_SHORT):
            raise _unreadable(self.path, done.status, done.stderr)
        return done.status

    def _on_look(self, look: Look) -> None:
        self._written_s = look.written_s
        self.pace.looked(look)

    def _come(self, text: bytes, take: Take) -> None:
        if len(self._part.head) < HEAD and self.offset <= len(self._part.head):
            head = (self._part.head[: self.offset] + text)[:HEAD]
            self._part = replace(self._part, head=head)
        self.offset += len(text)
        self.bytes_read += len(text)
        self.pace.took(len(text))
        self._held += text
        if len(self._held) >= _MOST_HELD:
            self._pass_on(take)
        if self.pace.slow and self._packers is None:
            self._pack.set()

    def _on_end(self, take: Take) -> None:
        self.pace.ended()
        self._pass_on(take)

    def _pass_on(self, take: Take) -> None:
        text = bytes(self._held)
        self._held.clear()
        take(text)

    # --- its files -----------------------------------------------------------------------------

    def _catch_up(self, take: Take) -> bool:
        """Read the file we are in to its end and those after it, then stand in the log.

        False where no log lies there now: it has been rotated and not begun anew.
        """
        found = self._files.listed(max(0, self._written_s - 1))
        current = next((part for part in found if part.path == self.path), None)
        if current is not None and self._stands_in(current):
            self._unsure = False
            return True
        rotated = self._in_order([part for part in found if part is not current])
        known = [self._is_ours(part) for part in rotated]
        if True in known:
            rotated = rotated[known.index(True) :]
            self._part = rotated[0]
        else:
            rotated = self._behind_the_gap(rotated)
        for number, part in enumerate(rotated):
            if number or True not in known:
                self._stand_in(part, 0)
                self.rotations += 1
            if not self._finish(part, take):
                return True
        if current is None:
            return False
        self._stand_in(current, 0)
        self.rotations += 1
        self._unsure = False
        return True

    def _behind_the_gap(self, rotated: list[LogPart]) -> list[LogPart]:
        """The file we were in is gone, with what we had not read of it: those that began later."""
        self.gaps += not self._gone
        self._gone = True
        begun = self._begun(self._timed(self._part, self._part.head[: HEAD - 1]))
        return [part for part in rotated if self._begun(part) > begun]

    def _finish(self, part: LogPart, take: Take) -> bool:
        """Read a file to its end; False where it was packed or removed meanwhile."""
        try:
            come = lambda text: self._come(text, take)  # noqa: E731
            self._files.stream(part, self.offset, None, self.packer, come)
        except CommandError as error:
            if error.status != MOVED:
                raise
            return False
        finally:
            self._pass_on(take)
        return True

    def _stand_in(self, part: LogPart, offset: int) -> None:
        self._part = part
        self.offset = offset
        self._gone = False

    def _stands_in(self, part: LogPart) -> bool:
        """Whether this is the very file we are in, and no shorter than what was read of it."""
        same = part.inode == self._part.inode and part.size >= self.offset
        return same and part.head.startswith(self._part.head)

    def _is_ours(self, part: LogPart) -> bool:
        """Whether it holds the text we were in: the file itself, or a copy, packed or not."""
        head = self._part.head
        if not part.head.startswith(head):
            return False
        return part.inode == self._part.inode or self._shows_a_time(head)

    def _shows_a_time(self, head: bytes) -> bool:
        """Whether a file can be told from others by its first bytes; a title alone is in all."""
        if self._times.dialect not in DIALECTS:
            return head.count(b"\n") > 1
        return self._timed(self._part, head[: HEAD - 1]).first_ns is not None

    def _in_order(self, parts: list[LogPart]) -> list[LogPart]:
        """Each text once, in the order of their first lines, or of their last where those show no
        time: 389 DS names files by their time, slapd .01, .02, logrotate .1 or -20261121."""
        plain = [part for part in parts if not part.packed]
        copies = [p for p in parts if p.packed and not any(_holds(q, p) for q in plain)]
        begun = [self._timed(part, part.head) for part in plain + copies]
        if all(part.first_ns is not None for part in begun):
            return sorted(begun, key=self._begun)
        return sorted(plain + copies, key=lambda part: (part.written_ns, part.path))

    def _timed(self, part: LogPart, head: bytes) -> LogPart:
        """With the time of its first line; a head shorter than HEAD is not read on."""
        if self._times.dialect not in DIALECTS:
            return part
        return self._times.begun(replace(part, head=head))

    def _begun(self, part: LogPart) -> int:
        return part.written_ns if part.first_ns is None else part.first_ns


def _holds(part: LogPart, copy: LogPart) -> bool:
    """Whether a packed file is the copy of one that is still there, whole or in the making."""
    return part.head.startswith(copy.head)


def _unreadable(path: str, status: int, stderr: bytes) -> CommandError:
    text = stderr.decode("utf-8", "replace").strip()
    return CommandError(
        f"{path} cannot be read on the server's host: {text or f'status {status}'}.",
        status=status,
        stderr=text,
        safe="Nothing was changed.",
        remedy="Logs of 389 DS are readable by its own user only: allow sudo in the profile.",
    )
