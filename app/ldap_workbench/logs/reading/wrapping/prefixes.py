"""Fixed texts before (and behind) the lines of a log."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from ldap_workbench.logs.reading.wrapping.lines import (
    HEX,
    ISO,
    RECORD,
    STAMP,
    SYSLOG,
    Layer,
    Line,
    has_own_time,
)
from ldap_workbench.model.message import Message, verbatim

_ROTATED = re.compile(
    rb"(?:[.-](?:\d{8}([-T]?\d{6}Z?)?|\d{14}Z?|\d{1,3}))?(?:\.(?:gz|xz|zst|bz2))?$"
)


@dataclass(frozen=True)
class Prefix:
    """A text before each line.

    Its pattern may have the groups `time` (kept as the line's own where the line shows none),
    `epoch` (the same in seconds), `stream` (the host, container or file the line is of), `text`
    (the line; else what follows the match).

    `sure`: nothing else looks like it, so it is taken off lines that could be read as they are.
    `is_file`: its streams are files, of which rotated ones are the same stream.
    """

    title: Message
    pattern: re.Pattern[bytes]
    sure: bool = False
    rewrite: Callable[[bytes], bytes] | None = None
    is_file: bool = False

    def fits(self, line: bytes) -> bool:
        return self.pattern.match(line) is not None

    def start(self) -> Layer:
        """It knows nothing of the lines before: one serves all files."""
        return self

    def peel(self, lines: list[Line]) -> list[Line]:
        """The lines without it; those that do not have it stay as they are."""
        return [self._line(stream, text) for stream, text in lines]

    def finish(self) -> list[Line]:
        """Nothing waits for more."""
        return []

    def _line(self, stream: bytes, line: bytes) -> Line:
        match = self.pattern.match(line)
        if match is None:
            return stream, line
        groups = match.groupdict()
        text = groups.get("text")
        if text is None:
            text = line[match.end() :]
        if self.rewrite is not None:
            text = self.rewrite(text)
        if name := groups.get("stream"):
            name = stem(name) if self.is_file else name
            stream = stream + b"/" + name if stream else name
        if not has_own_time(text):
            text = _with_time(text, groups, line)
        return stream, text


def _with_time(text: bytes, groups: dict[str, bytes | None], line: bytes) -> bytes:
    """The line with the time of its wrapper; with all of it where that is a syslog's own."""
    if groups.get("syslog"):
        return line
    if (epoch := groups.get("epoch")) is not None:
        return iso_time(epoch) + b" " + text
    time = groups.get("time")
    return text if time is None else time + b" " + text


def iso_time(seconds: bytes) -> bytes:
    """'1795227600.25' as ISO in UTC; b"" for what is no time."""
    whole, _, fraction = seconds.partition(b".")
    try:
        moment = datetime.fromtimestamp(int(whole), UTC)
    except (ValueError, OverflowError, OSError):
        return b""
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").encode()
    return text + (b"." + fraction[:9] if fraction else b"") + b"Z"


def stem(path: bytes) -> bytes:
    """The name of a log without what rotation adds: all its files are one stream."""
    return _ROTATED.sub(b"", path)


def _prefix(title: Message, pattern: bytes, *, sure: bool = False) -> Prefix:
    return Prefix(title, re.compile(pattern), sure)


def without_doubled_quotes(text: bytes) -> bytes:
    """A field of CSV: two quotes stand for one."""
    return text.replace(b'""', b'"')


_TAG = rb"[^\s:\[\]]{1,48}(?:\[[^\]\s]{0,24}\])?:? "
_NAME = rb"[A-Za-z0-9][\w.-]{0,80}"
PREFIXES = (
    _prefix(
        verbatim("kubectl logs --prefix"),
        rb"\[pod/(?P<stream>[^\s/\]]+(?:/[^\s\]]+)?)\] ", sure=True
    ),
    _prefix(verbatim("docker compose logs"), rb"(?P<stream>" + _NAME + rb") +\| ?", sure=True),
    _prefix(
        verbatim("fluent-bit"),
        rb"\[\d+\] (?P<stream>[^\s:]+): \[\[?(?P<epoch>\d{9,10}(?:\.\d+)?)(?:, \{\}\])?, \{"
        rb'(?:"[^"]*"=>"?[^"]*"?, )*?"(?:log|message|MESSAGE)"=>"(?P<text>.*?)(?:\\n)?"'
        rb'(?:, "\w[^"]*"=>.*)?\}\]\s*$', sure=True,
    ),
    _prefix(
        verbatim("fluentd"), rb"(?P<time>" + ISO + rb") (?P<stream>[\w.*/-]+): (?=\{)", sure=True
    ),
    _prefix(Message("mail quotation"), rb"(?:[ \t]*(?:>|&gt;))+ ?"),
    _prefix(Message("priority of syslog"), rb"<\d{1,3}>(?!1 )"),
    _prefix(
        verbatim("syslog"), rb"(?:<\d{1,3}>)?(?:1 )?(?P<syslog>" + SYSLOG + rb"|" + ISO + rb") "
        rb"(?P<stream>[^\s:\[|]+) (?:" + _TAG + rb")?(?:\[ID \d+ \S+\] )?"
        rb"(?:[@<\[#][^\s]* )?(?:- ){0,3}"
        rb"(?=" + STAMP + rb"|" + HEX + rb"(?:0x|conn=)|\t389|\{)",
    ),
    _prefix(
        verbatim("syslog (RFC 5424)"),
        rb"<\d{1,3}>1 (?P<syslog>" + ISO + rb") (?P<stream>\S+) \S+ \S+ \S+ "
        rb"(?:-|(?:\[[^\]]*\])+) (?:\xef\xbb\xbf)?"
        rb"(?=" + STAMP + rb"|" + HEX + rb"(?:0x|conn=)|\t389|\{)",
    ),
    _prefix(
        Message("times of kubectl or docker logs --timestamps"),
        rb"(?P<time>" + ISO + rb")[ \t]?",
    ),
    _prefix(
        verbatim("journalctl -o short-unix"), rb"(?P<epoch>\d{9,10}\.\d{3,9}) "
        rb"(?P<stream>[^\s:\[]+) "
        rb"(?:" + _TAG + rb"(?=" + STAMP + rb"|" + HEX + rb"|\{)|(?=" + _TAG + rb"))",
    ),
    _prefix(
        verbatim("stern"),
        rb"(?P<stream>[a-z0-9][a-z0-9.-]* [a-z0-9][a-z0-9.-]*) "
        rb"(?=" + STAMP + rb"|" + HEX + rb"|" + SYSLOG + rb"|" + ISO + rb"|conn=|\{)",
    ),
    _prefix(Message("line numbers of grep -n"), rb" *\d{1,12}[:-](?!\d\d:)"),
    _prefix(Message("line numbers"), rb" *\d{1,12}(?:\t| {1,6}|[.)] )"),
    Prefix(
        Message("file names of grep -H"),
        re.compile(rb"(?P<stream>[^\s:\"{}<>\[\]]{1,255}?)(?::|-(?=\d+-))"), is_file=True,
    ),
    _prefix(Message("heading of tail"), rb"==> .* <==$"),
    _prefix(Message("indentation"), rb"[ \t\xa0\xc2]+"),
    _prefix(Message("list or quotation marks"), rb"(?:[*+|#-]|//|--|\d+\)) {0,4}"),
    Prefix(
        Message("column of a CSV file"),
        re.compile(rb'(?:[^"\n]*,)?"(?P<text>' + STAMP + rb'.*)"(?:,[^\n]*)?\s*$'),
        rewrite=without_doubled_quotes,
    ),
    _prefix(Message("quotation marks"), rb"[\"'`](?P<text>.*?)[\"'`],?\s*$"),
    _prefix(
        Message("text before each line"),
        rb".{1,300}?(?=" + STAMP + rb"|" + HEX + rb"(?:0x[0-9a-f]+ )?conn=|" + RECORD + rb")",
    ),
    _prefix(
        Message("text before each line"),
        rb".{1,300}?(?=(?:" + SYSLOG + rb"|" + ISO + rb") \S+ \S*slapd\[\d+\]: )",
    ),
)  # fmt: skip
