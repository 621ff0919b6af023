"""What an operator is told of links while a capture runs, and of the rest it waits for."""

from __future__ import annotations

import time
from collections import deque

from ldap_workbench.capture.accesslog import AccessLogCapture
from ldap_workbench.capture.follow import LogFollower
from ldap_workbench.capture.link import AnyLink
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.units import format_size

_SPAN_S = 10.0
_MINUTE_S = 60.0


def note_of(link: AnyLink, follower: LogFollower | None) -> str:
    """What the operator should know of a source at work; '' where all is well."""
    if link.cut:
        return f"the link has been cut for {link.cut_now_s:.0f} s"
    slow = follower.slow if follower else None
    if slow is None:
        return ""
    carries, grows = (format_size(round(rate)) for rate in slow)
    return f"the link carries {carries}/s, the log grows {grows}/s"


class RestOfLog:
    """How much of the log is still to come when the window is over, by the times in its lines."""

    def __init__(self, access: AccessLogCapture, end_ns: int) -> None:
        self._access = access
        self._end_ns = end_ns
        self._seen: deque[tuple[float, int]] = deque()

    def progress(self, waited_s: float, limit_s: float) -> Progress:
        """What is waited for: the link, or the server, which writes its log when it likes."""
        if self._access.follower.link.cut:
            return Progress("The link is cut, the rest of the log is read when it stands again")
        if self._access.follower.pace.at_end:
            left_s = limit_s - waited_s
            text = f"Waiting for the access log to be written, at most {left_s:.0f} s more"
            return Progress(text, waited_s / limit_s)
        rest_s = self._left_s()
        return Progress("Fetching the rest" + (f", {_about(rest_s)}" if rest_s else ""))

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


def _about(seconds: float) -> str:
    """3 min, 40 s."""
    if seconds >= _MINUTE_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds:.0f} s"
