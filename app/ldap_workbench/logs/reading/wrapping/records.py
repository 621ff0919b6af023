"""Records of container runtimes, shippers and journals, a line of a log in one of their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldap_workbench.logs.reading.months import MONTHS
from ldap_workbench.logs.reading.wrapping.lines import (
    ISO,
    STAMP,
    Layer,
    Line,
    has_own_time,
    is_speaking,
)
from ldap_workbench.logs.reading.wrapping.prefixes import iso_time
from ldap_workbench.model.message import Message, verbatim

_TEXTS = (
    "log", "message", "MESSAGE", "msg", "text", "line", "_raw", "@message", "textPayload",
    "content", "body", "event",
)  # fmt: skip
_TIMES = (
    "time", "@timestamp", "timestamp", "date", "ts", "_time", "_SOURCE_REALTIME_TIMESTAMP",
    "__REALTIME_TIMESTAMP", "timeUnixNano", "TimeGenerated",
)  # fmt: skip
HOSTS = (
    "_HOSTNAME", "hostname", "host", "host.name", "Host", "Computer", "container_name", "pod_name",
    "pod", "logStreamName", "source",
)  # fmt: skip
_INSIDE = (
    "_source", "fields", "jsonPayload", "result", "kubernetes", "log", "data", "message",
    "attributes", "resource", "labels", "stream", "event", "body",
)  # fmt: skip
"""Objects in a record that hold some of it."""
_OWN = frozenset(("local_time", "eventName", "logType", "messageType"))
"""Keys of records that servers write themselves."""
_ISO = re.compile(ISO.decode())
_SHOWN = re.compile(
    r"(?:(?P<name>[A-Z][a-z]{2}) (?P<on>\d\d?), |(?P<first>\d\d?)(?P<mark>[./])(?P<then>\d\d?)[./])"
    r"(?P<year>\d{4})(?: @ |,? )(?P<hour>\d\d?)(?P<rest>:\d\d:\d\d(?:\.\d+)?)"
    r"(?: (?P<half>AM|PM))?", re.ASCII,
)  # fmt: skip
"""'Nov 21, 2026 @ 02:20:00.123' of Kibana, '11/21/2026, 2:20:00.123 AM' of Azure; of Excel."""
_LINE = re.compile(
    rb"conn=-?\d+ |" + STAMP + rb"[^\]]*\] \S|\s*\{.*\"(?:conn_id|connId|eventName|local_time)\""
)
_DEEPEST = 4
_DIGITS = {10: 1, 13: 1_000, 16: 1_000_000, 19: 1_000_000_000}
"""Digits of a time since 1970 -> its units in a second."""


@dataclass(frozen=True)
class JsonRecords:
    """One record a line.

    `cut`: a record ends in a newline unless its line goes on in the next, as Docker's json-file
    driver cuts long ones.
    """

    cut: bool = False
    sure: bool = True

    @property
    def title(self) -> Message:
        return Message("JSON records of docker") if self.cut else Message("JSON records")

    def fits(self, line: bytes) -> bool:
        record = record_of(line)
        if record is None or not is_record(record):
            return False
        return not self.cut or (_text_of(record) or b"").endswith(b"\n")

    def start(self) -> Layer:
        return _JsonLayer(cuts=self.cut)


class _JsonLayer:
    def __init__(self, *, cuts: bool) -> None:
        self._cuts = cuts
        self._cut = b""
        self._stream = b""

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, line in lines:
            record = record_of(line)
            text = None if record is None else _text_of(record)
            if record is None or text is None:
                out.append((stream, line))
                continue
            name = first_of(record, HOSTS).encode("utf-8", "replace")
            if name:
                stream = stream + b"/" + name if stream else name
            self._take(record, text, stream, out)
        return out

    def finish(self) -> list[Line]:
        cut, self._cut = self._cut, b""
        return [(self._stream, cut)] if cut else []

    def _take(self, record: dict[str, Any], text: bytes, stream: bytes, out: list[Line]) -> None:
        if not self._cut and not has_own_time(text):
            text = _head_of(record) + text
        if self._cuts and not text.endswith(b"\n"):
            self._cut += text
            self._stream = stream
            return
        out.append((stream, self._cut + text.removesuffix(b"\n")))
        self._cut = b""


_CRI = re.compile(rb"(?P<time>" + ISO + rb") std(?:out|err) (?P<whole>[FP])(?::\S*)? ?")


_RUNTIME = verbatim("container runtime (CRI)")
_JOURNAL = Message("journalctl -o export or verbose")
_LOGSTASH = verbatim("logstash (rubydebug)")


@dataclass(frozen=True)
class ContainerRuntime:
    """The files of a Kubernetes node: a line that is too long is cut into parts (P)."""

    title: Message = _RUNTIME
    sure: bool = True

    def fits(self, line: bytes) -> bool:
        return _CRI.match(line) is not None

    def start(self) -> Layer:
        return _CriLayer()


class _CriLayer:
    def __init__(self) -> None:
        self._cut: Line | None = None

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, line in lines:
            match = _CRI.match(line)
            if match is None:
                out.append((stream, line))
                continue
            text = line[match.end() :]
            if self._cut is not None:
                text = self._cut[1] + text
            elif not has_own_time(text):
                text = match["time"] + b" " + text
            self._cut = (stream, text) if match["whole"] == b"P" else None
            if self._cut is None:
                out.append((stream, text))
        return out

    def finish(self) -> list[Line]:
        cut, self._cut = self._cut, None
        return [] if cut is None else [cut]


@dataclass(frozen=True)
class JournalEntries:
    """Blocks of KEY=value, as journalctl -o export and -o verbose print them."""

    title: Message = _JOURNAL
    sure: bool = True

    def fits(self, line: bytes) -> bool:
        return re.match(rb"\s*MESSAGE=", line) is not None

    def start(self) -> Layer:
        return _JournalLayer()


_VERBOSE = re.compile(rb"\S+ (" + ISO + rb")[^\[]*\[s=")


class _JournalLayer:
    def __init__(self) -> None:
        self._entry: dict[str, Any] = {}
        self._stream = b""

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, line in lines:
            key, equals, value = line.strip().partition(b"=")
            if begins := _VERBOSE.match(line):
                out += self.finish()
                self._entry = {"time": begins[1].decode("utf-8", "replace")}
            elif not equals:
                out += self.finish()
            else:
                self._stream = stream
                self._entry[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        return out

    def finish(self) -> list[Line]:
        entry, self._entry = self._entry, {}
        return _line_of(entry, self._stream)


@dataclass(frozen=True)
class RubyRecords:
    """Blocks of "key" => value, as logstash prints them with its rubydebug codec."""

    title: Message = _LOGSTASH
    sure: bool = True

    def fits(self, line: bytes) -> bool:
        return _RUBY_MEMBER.match(line) is not None

    def start(self) -> Layer:
        return _RubyLayer()


_RUBY_MEMBER = re.compile(
    rb'\s*"(?P<key>[^"]{1,200})" => (?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<other>[^",]*+)),?\s*$'
)
_RUBY_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_RUBY_CONTROLS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"e": b"\x1b"}


class _RubyLayer:
    def __init__(self) -> None:
        self._levels: list[dict[str, Any]] = []
        self._stream = b""

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, line in lines:
            if line.rstrip() == b"{":
                out += self.finish()
            elif match := _RUBY_MEMBER.match(line):
                self._levels, self._stream = self._levels or [{}], stream
                self._take(match)
            elif not self._levels:
                out.append((stream, line))
            elif line.strip().rstrip(b",") == b"}":
                out += self._close()
        return out

    def finish(self) -> list[Line]:
        """A record that was cut gives what is there of it."""
        levels, self._levels = self._levels, []
        return _line_of(levels[0], self._stream) if levels else []

    def _take(self, member: re.Match[bytes]) -> None:
        key = member["key"].decode("utf-8", "replace")
        if member["text"] is not None:
            text = _RUBY_ESCAPE.sub(_ruby_character, member["text"])
            self._levels[-1][key] = text.decode("utf-8", "replace")
        elif (other := member["other"].strip()) == b"{":
            below = self._levels[-1].get(key)
            if not isinstance(below, dict):  # also where a record has the key twice
                below = self._levels[-1][key] = {}
            self._levels.append(below)
        else:
            self._levels[-1][key] = other.decode("utf-8", "replace")

    def _close(self) -> list[Line]:
        if len(self._levels) == 1:
            return self.finish()
        self._levels.pop()
        return []


def _ruby_character(escape: re.Match[bytes]) -> bytes:
    code, byte, character = escape.groups()
    if code is not None:
        return chr(int(code, 16)).encode("utf-8", "replace")
    if byte is not None:
        return bytes([int(byte, 16)])
    return _RUBY_CONTROLS.get(character, character)


def _line_of(record: dict[str, Any], around: bytes) -> list[Line]:
    """The line in a record, with its time and host; none without one."""
    text = _text_of(record)
    if text is None:
        return []
    name = first_of(record, HOSTS).encode("utf-8", "replace")
    stream = around + b"/" + name if around and name else around or name
    if not has_own_time(text):
        text = _head_of(record) + text
    return [(stream, text)]


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of JSON that a line is, alone or in an array; None where it is none."""
    line = line.strip(b" \t\r,[]\x1e")
    if not line.startswith(b"{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def is_own(record: dict[str, Any]) -> bool:
    """Whether a server wrote it itself."""
    return not _OWN.isdisjoint(record)


def is_line(text: bytes) -> bool:
    """Whether a text is a line of a server, and not a time or a number alone."""
    return _LINE.search(text) is not None


def is_record(record: dict[str, Any]) -> bool:
    """Whether it holds a line of a server."""
    text = None if is_own(record) else _text_of(record)
    return text is not None and is_speaking(text)


def _text_of(record: dict[str, Any]) -> bytes | None:
    """The line in a record: under a usual name, else any text that a server wrote.

    journald gives what is no UTF-8 as a list of numbers.
    """
    silent = None
    for values in _levels(record):
        for key in _TEXTS:
            if key not in values:
                continue
            text = _bytes_of(values[key])
            if text is not None and is_speaking(text):
                return text
            silent = text if silent is None else silent
    for values in _levels(record):
        for value in values.values():
            if isinstance(value, str) and is_line(text := value.encode("utf-8", "replace")):
                return text
    return silent


def _bytes_of(value: object) -> bytes | None:
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if isinstance(value, list) and value and all(_is_byte(number) for number in value):
        return bytes(value)
    return None


def _is_byte(value: object) -> bool:
    return isinstance(value, int) and 0 <= value <= 255


def _levels(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A record, and the objects in it that hold some of it."""
    level = [record]
    for _ in range(_DEEPEST):
        yield from level
        level = [
            value
            for item in level
            for key, value in item.items()
            if isinstance(value, dict) and key in _INSIDE
        ]


def first_of(record: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The first of some values that is there, as text; '' without one."""
    for values in _levels(record):
        for key in keys:
            if key not in values:
                continue
            value = values[key]
            if isinstance(value, dict):
                value = value.get("name")
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                return str(value)
    return ""


def _head_of(record: dict[str, Any]) -> bytes:
    """What a syslog would write before the line: its time, and the process where it is known."""
    time = iso_of(first_of(record, _TIMES))
    pid, host = first_of(record, ("_PID", "SYSLOG_PID")), first_of(record, HOSTS)
    program = first_of(record, ("SYSLOG_IDENTIFIER", "_COMM"))
    if pid and program and host:
        return f"{time} {host} {program}[{pid}]: ".encode("utf-8", "replace")
    return f"{time} ".encode("utf-8", "replace") if time else b""


def iso_of(time: str) -> str:
    """ISO from ISO, from seconds, ms, us or ns since 1970, or as Kibana and Azure show times."""
    time = time.strip(' "')
    if _ISO.match(time):
        return time
    if shown := _SHOWN.fullmatch(time):
        return _iso_of_shown(shown)
    whole, _, fraction = time.partition(".")
    unit = _DIGITS.get(len(whole))
    if unit is None or not re.fullmatch("[0-9]+", whole + fraction):
        return ""
    digits = len(str(unit)) - 1
    seconds = whole[: len(whole) - digits] + "." + whole[len(whole) - digits :] + fraction
    return iso_time(seconds.rstrip(".").encode()).decode()


def _iso_of_shown(shown: re.Match[str]) -> str:
    """'' for a date such as 03/04/2026: it may be of March as well as of April."""
    if name := shown["name"]:
        month, day = MONTHS.get(name.lower(), 0), int(shown["on"])
    else:
        month, day = int(shown["first"]), int(shown["then"])
        if shown["mark"] == "." or month > 12:
            month, day = day, month
        elif day <= 12 and not shown["half"]:
            return ""
    hour = int(shown["hour"])
    if half := shown["half"]:
        hour = hour % 12 + (12 if half == "PM" else 0)
    return f"{shown['year']}-{month:02d}-{day:02d}T{hour:02d}{shown['rest']}" if month else ""
