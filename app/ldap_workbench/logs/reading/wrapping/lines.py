"""How lines of logs begin, and which begin with a time of their own."""

from __future__ import annotations

import re
from typing import Protocol

from ldap_workbench.model.message import Message

Line = tuple[bytes, bytes]
"""(host, container or file that a wrapper names, b"" without one; text without its newline)."""


class Layer(Protocol):
    """A layer at work on one file."""

    def peel(self, lines: list[Line]) -> list[Line]:
        """The lines without it; fewer where several of a wrapper are one of the log."""
        ...

    def finish(self) -> list[Line]:
        """What has waited for more lines."""
        ...


class Wrapper(Protocol):
    """A kind of layer: `title` names it in a source."""

    @property
    def title(self) -> Message: ...

    @property
    def sure(self) -> bool:
        """Whether nothing else looks like it."""
        ...

    def fits(self, line: bytes) -> bool | None:
        """Whether a line has it; None where the line tells nothing of it."""
        ...

    def start(self) -> Layer:
        """It at work on the lines of a file."""
        ...


STAMP = rb"\[\d\d?/[^\W\d]\S{1,12}/\d{4}:\d\d:\d\d:\d\d"
"""389 DS, Sun, OpenDJ, PingDirectory; their error logs too."""
HEX = rb"[0-9a-f]{8}(?:\.[0-9a-f]{5,8})? "
"""slapd -d, and logfile-format debug."""
ISO = rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?[+-]\d\d:?\d\d| ?Z\b| UTC\b)?"
SYSLOG = rb"(?:[^\W\d_][^\s\d:]{1,8}|\d\d?\xe6\x9c\x88) {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?"
"""'Nov 21 02:20:00', in any language."""
_DAY_FIRST = rb"\[\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\]"
RECORD = rb'\{\s*"(?:local_time|header|eventName|date|timestamp|logType|messageType|instanceName)"'
"""JSON records that servers write themselves."""

_CONN = rb"conn=(?:-?\d+|Internal\S*) (?:op=|fd=|\(Internal\)|TLS|SSL|AUTOBIND)"
_OWN = re.compile(
    rb"\[?\d{1,4}[-/]\d|" + HEX + rb"|" + SYSLOG + rb"|<\d+>|" + STAMP + rb"|\{|\t|\s*$"
)
_SEPARATOR = re.compile(rb"--$|==> .* <==$|-- (?:Logs begin|Boot|Reboot|No entries)|```")
_BARE = re.compile(
    STAMP + rb"|" + RECORD + rb"|" + _CONN
    + rb"|" + HEX + rb"(?:0x[0-9a-f]+ )?"
    + rb"|(?:" + SYSLOG + rb"|(?:<\d+>1 )?" + ISO + rb"|" + _DAY_FIRST + rb")"
    rb" (?!(?:std(?:out|err) [FP] |[^\n]{0,160}?(?:" + STAMP + rb"|" + HEX + rb"(?:0x|conn=)"
    rb"|" + RECORD + rb")))(?=[^\n]{0,200}?" + _CONN + rb")"
)  # fmt: skip
_SPEAKING = re.compile(
    rb"conn=(?:3D|\x1b\S*)?-?(?:\d|Internal)|"
    + STAMP
    + rb"|(?:\\?\"|&(?:amp;)*(?:quot|#34|#x22);)(?:conn_id|connId|eventName|local_time)"
)


def has_own_time(text: bytes) -> bool:
    """Whether a text begins with a time, is a record, or is a line that never has one."""
    return _OWN.match(text) is not None


def is_separator(line: bytes) -> bool:
    """Whether it is one of grep, tail, journalctl or mail between those of the log."""
    return _SEPARATOR.match(line) is not None


def begins_a_line(text: bytes) -> bool:
    """Whether a text is no rest of the line before it."""
    return has_own_time(text) or is_bare(text) or is_separator(text)


def is_bare(line: bytes) -> bool:
    """Whether a line begins as a server or its syslog wrote it."""
    return _BARE.match(line) is not None


def is_speaking(line: bytes) -> bool:
    """Whether something a server wrote is anywhere in it; other lines tell nothing of a wrapper."""
    return _SPEAKING.search(line) is not None
