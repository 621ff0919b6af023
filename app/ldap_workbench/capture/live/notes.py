"""What an operator is told of links while a capture runs, and of the rest it waits for."""

from __future__ import annotations

import time
from collections import deque

from ldap_workbench.capture.link import AnyLink
from ldap_workbench.capture.live.accesslog import AccessLogCapture
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Progress

SILENT_S = 3.0
"""An answer that takes longer is told of. A busy server's may well take two seconds, and with the
second before the question that is three."""
_SPAN_S = 10.0
_MINUTE_S = 60.0


def note_of(link: AnyLink, follower: LogFollower | CommandFollower | None) -> Message:
    """What the operator should know of a source at work; NOTHING where all is well."""
    if link.cut:
        return Message("the link has been cut for {seconds:.0f} s", seconds=link.cut_now_s)
    slow = follower.slow if follower else None
    if slow is None:
        return NOTHING
    carries, grows = map(round, slow)
    return Message(
        "the link carries {rate:size}/s, the log grows {growth:size}/s", rate=carries, growth=grows
    )


def silence_of(link: AnyLink) -> Message:
    """That a server has not answered for a while, though its connection stands; else NOTHING."""
    if link.silent_s < SILENT_S:
        return NOTHING
    return Message("no answer for {seconds:.0f} s", seconds=link.silent_s)


class RestOfLog:
    """How much of the log is still to come when the window is over, by the times in its lines."""

    def __init__(self, access: AccessLogCapture, end_ns: int) -> None:
        self._access = access
        self._end_ns = end_ns
        self._seen: deque[tuple[float, int]] = deque()

    def progress(self, waited_s: float, limit_s: float) -> Progress:
        """What is waited for: the link, or the server, which writes its log when it likes."""
        if self._access.follower.link.cut:
            return Progress(Message("The link is cut; the rest of the log is read when it is back"))
        if self._access.follower.pace.at_end:
            left_s = limit_s - waited_s
            text = Message(
                "Waiting for the access log to be written, at most {seconds:.0f} s more",
                seconds=left_s,
            )
            return Progress(text, waited_s / limit_s)
        rest_s = self._left_s()
        return Progress(_rest(rest_s) if rest_s else Message("Fetching the rest"))

    def _left_s(self) -> float | None:
        """Seconds until the lines of the window's end come; None where that cannot be told."""
        now, last_ns = time.monotonic(), self._access.last_ns
        if last_ns is None:
            return None
        self._seen.append((now, last_ns))
        while now - self._seen[0][0] > _SPAN_S:
            self._seen.popleft()
        then, first_ns = self._seen[0]
        if last_ns <= first_ns:
            return None
        return (now - then) * max(0, self._end_ns - last_ns) / (last_ns - first_ns)


def _rest(seconds: float) -> Message:
    """About 3 min, 40 s."""
    if seconds >= _MINUTE_S:
        return Message("Fetching the rest, {minutes:.0f} min", minutes=seconds / _MINUTE_S)
    return Message("Fetching the rest, {seconds:.0f} s", seconds=seconds)
