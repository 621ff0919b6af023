"""Following a log by inode and offset, over rotations and cuts, without losing or doubling a byte.

One command runs on the host while the link stands and hands on what is appended (FOLLOW). Where
another file has taken the log's place, or the link was cut, the files are listed and the one we
were in is found among them (log_chain.py). Whatever is read on begins with the last bytes that were
read before: where those are others, it is another text.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from ldap_workbench.capture.host_link import SILENCE_S, HostLink
from ldap_workbench.capture.link import Either
from ldap_workbench.capture.live.looks import Look, LookReader, Pace
from ldap_workbench.capture.past.host_files import HostFiles, LogPart
from ldap_workbench.capture.past.host_scripts import BACK, CUT_SHORT, FOLLOW, MOVED
from ldap_workbench.capture.past.log_chain import LogChain, Place
from ldap_workbench.capture.past.log_times import LogTimes
from ldap_workbench.connect.commands import host_path
from ldap_workbench.model.errors import CommandError, ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S

Take = Callable[[bytes], None]

_NEVER_S = 1 << 33
"""No log was written since then: only the log itself is listed."""
_LOST_S = 60.0
"""A log that is renamed and packed under every attempt to stand in it is given up after so long."""
_SIGNALLED = 128
_MOST_HELD = 1 << 20
"""What has come is handed on when a look is whole, or when so many bytes wait."""


class _AnotherTextError(Exception):
    """What lies at the place, or before it, is not what was seen there."""


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
        self.slow: tuple[float, float] | None = None
        """Bytes a second that the link carries and by which the log grows, while it is behind."""
        self.packer = ""
        self._packers: str | None = None
        self._files = HostFiles(link, path, link.cancel)
        self._times = LogTimes(self._files, link.cancel)
        self._chain = LogChain(self._times)
        self._place = Place(LogPart(path, -1, 0, "", b""), 0)
        self._back = b""
        self._written_s = 0
        self._unsure = False
        self._gone = False
        self._stood_at = 0.0
        self._pending = bytearray()
        self._pack = Either()

    def start(self, dialect: str = "unknown") -> None:
        """Stand at the end of the log as it is now."""
        self._times.dialect = dialect
        [part] = [p for p in self._files.listed(_NEVER_S) if p.path == self.path]
        self._written_s = part.written_ns // NS_PER_S
        self._place = Place(part, part.size)

    def read_as(self, dialect: str) -> None:
        """What the log is written in tells when each of its files begins."""
        self._times.dialect = dialect

    def last(self, size: int) -> bytes:
        """The whole lines among the last `size` bytes before where we stand."""
        start = max(0, self._place.offset - size)
        text = self._files.text(self._place.part, start, self._place.offset - start)
        self._back = text[-BACK:]
        return text.partition(b"\n")[2] if start else text

    def follow(self, take: Take, stop: Cancel) -> None:
        """Hand on what is appended as it comes, until stopped; at each look, so often empty."""
        self.link.again(lambda: self._go_on(take, stop, self.poll_s))

    def read_on(self, take: Take) -> None:
        """Hand on what has been appended by now."""
        self.link.again(lambda: self._go_on(take, self.link.cancel, 0))

    def read(self) -> bytes:
        """Everything appended since the last call."""
        text = bytearray()
        self.read_on(text.extend)
        return bytes(text)

    # --- the log -------------------------------------------------------------------------------

    def _go_on(self, take: Take, stop: Cancel, pause_s: float) -> None:
        self._stood_at = time.monotonic()
        while not stop:
            if self._unsure and not self._catch_up(take):
                self._stood_at = time.monotonic()
                if not pause_s or stop.wait(pause_s):
                    return
                continue
            if self._look(take, stop, pause_s) == 0:
                return
            if time.monotonic() - self._stood_at > _LOST_S:
                raise _never_still(self.path)
            if self._pack.asked and self._packers is None:
                self.link.close()  # what is on its way, unpacked, would go before
                self.packer = self._packers = self._files.packer()

    def _look(self, take: Take, stop: Cancel, pause_s: float) -> int:
        """Run FOLLOW until it ends; returns its status."""
        self._unsure = True
        self._pack = Either(stop)
        reader = LookReader(
            self.path,
            self.packer,
            self._on_look,
            self._compare,
            lambda text: self._come(text, take),
            lambda: self._on_end(take),
        )
        words = (self._place.part.inode, self._place.offset, self.packer, f"{pause_s:g}")
        argv = FOLLOW.argv(self.path, *words)
        try:
            done = self.link.flow(argv, reader.feed, self._pack, SILENCE_S + pause_s)
        except _AnotherTextError:
            self._place = self._place.in_no_file()
            return MOVED
        finally:
            self.pace.broke()
            self._pass_on(take)
        if done.status in (0, -signal.SIGTERM):
            self._unsure = False
        elif done.status > _SIGNALLED:
            raise ConnectError(
                Message("The command that reads {path} was ended on the host.", path=self.path),
                remedy=Message("See on the host what ended it."),
            )
        elif done.status not in (MOVED, CUT_SHORT):
            raise _unreadable(self.path, done.status, done.stderr)
        return done.status

    def _on_look(self, look: Look) -> None:
        self._stood_at = time.monotonic()
        self._written_s = look.written_s
        self.pace.looked(look)

    def _compare(self, before: bytes) -> None:
        """What a text has before the place must be what was read there, as far as that is kept."""
        known = self._back[-len(before) :] if before else b""
        if not before.endswith(known):
            raise _AnotherTextError

    def _come(self, text: bytes, take: Take) -> None:
        if not self._place.fits(text):
            raise _AnotherTextError
        self._stood_at = time.monotonic()
        self._place = self._place.after(text)
        self._back = (self._back + text)[-BACK:]
        self.bytes_read += len(text)
        self.pace.took(len(text))
        self._pending += text
        if len(self._pending) >= _MOST_HELD:
            self._pass_on(take)
        if self.pace.slow:
            self.slow = self.pace.link_rate, self.pace.log_rate
            if self._packers is None:
                self._pack.set()

    def _on_end(self, take: Take) -> None:
        self.pace.ended()
        if self.pace.at_end:
            self.slow = None
        self._pass_on(take)

    def _pass_on(self, take: Take) -> None:
        text = bytes(self._pending)
        self._pending.clear()
        take(text)

    # --- its files -----------------------------------------------------------------------------

    def _catch_up(self, take: Take) -> bool:
        """Read the file we are in to its end and those after it, then stand in the log.

        False where nothing is in the log yet: its writer may still be in the file before.
        """
        parts = self._files.listed(max(0, self._written_s - 1))
        current = next((part for part in parts if part.path == self.path), None)
        if current is not None and self._place.holds(current):
            self._unsure = False
            return True
        rotated = self._chain.in_order([part for part in parts if part is not current])
        ours = self._chain.at(self._place, rotated)
        if ours is None:
            rotated = self._behind_the_gap(rotated)
        elif not self._finish(rotated[ours], take):
            return True
        else:
            rotated = rotated[ours + 1 :]
        for part in self._chain.not_read(rotated):
            self._enter(part)
            if not self._finish(part, take):
                return True
        if current is None or not current.size:
            return False
        self._enter(current)
        self._unsure = False
        return True

    def _behind_the_gap(self, rotated: list[LogPart]) -> list[LogPart]:
        """The file we were in is gone, with what we had not read of it: those that began later."""
        self.gaps += not self._gone
        self._gone = True
        return self._chain.behind(self._place, rotated)

    def _finish(self, part: LogPart, take: Take) -> bool:
        """Read a file to its end.

        False where it was packed or removed meanwhile, holds another text, or did not give all that
        was listed.
        """
        back = min(len(self._back), self._place.offset)
        before = bytearray()

        def come(text: bytes) -> None:
            missing = back - len(before)
            before.extend(text[:missing])
            if len(before) == back and missing:
                self._compare(bytes(before))
            if text[missing:]:
                self._come(text[missing:], take)

        try:
            self._files.stream(part, self._place.offset - back, None, self.packer, come)
        except _AnotherTextError:
            self._place = self._place.in_no_file()
            return False
        except CommandError as error:
            if error.status != MOVED:
                raise
            return False
        finally:
            self._pass_on(take)
        self._place = Place(part, self._place.offset, self._place.before)
        return bool(part.packed) or self._place.offset >= part.size

    def _enter(self, part: LogPart) -> None:
        """Stand at the beginning of a text; the one we were in was read to its end."""
        before = self._place.part if self._place.offset else self._place.before
        if self._place.offset:
            self._chain.leave(self._place.part)
        self._place = Place(part, 0, before)
        self._back = b""
        self._gone = False
        self.rotations += 1


def _never_still(path: str) -> CommandError:
    return CommandError(
        Message(
            "{path} was renamed or packed under every attempt of the last {seconds:.0f} s to read "
            "on.",
            path=path,
            seconds=_LOST_S,
        ),
        safe=Message("What had come is kept."),
        remedy=Message("Larger log files are rotated less often."),
    )


def _unreadable(path: str, status: int, stderr: bytes) -> CommandError:
    text = stderr.decode("utf-8", "replace").strip()
    return CommandError(
        Message(
            "{path} cannot be read on the server's host: {why}.",
            path=path,
            why=text or Message("status {status:plain}", status=status),
        ),
        status=status,
        stderr=text,
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Logs are often readable by the server's own user only: allow sudo in the profile."
        ),
    )
