"""The error log of 389 Directory Server and its ancestors: a record a line, or JSON objects.

A log that was switched to JSON, or back, is read through: each line says what it is.

What a server tells in its error log of its own doings: starts, autotuning, checkpoints.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.logs.reading.json_lines import JsonLines, Record
from ldap_workbench.logs.reading.stamps import bracket_time, report_time
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import LineCounts
from ldap_workbench.resources import resource

_MODERN = re.compile(r"- ([A-Z]{3,9})(?:<\d+>)? - (.*?)\s*- (.*)", re.DOTALL)
_SEVERITIES = {"ERROR": "ERR", "WARNING": "WARN"}
_OLD = re.compile(r"(\S.*?) - (.*)", re.DOTALL)
SEVERITIES = ("EMERG", "ALERT", "CRIT", "ERR", "WARN", "NOTICE", "INFO", "DEBUG")
"""Most severe first. Servers before 1.3.6 print none."""


@dataclass(frozen=True)
class ErrorRecord:
    """One line of an error log, with the lines that continue it.

    `severity` is one of SEVERITIES or "" (old servers); `subsystem` the function or plug-in that
    wrote it; `at` the offset of the line in the stream.
    """

    time_ns: int
    severity: str
    subsystem: str
    text: str
    at: int = 0


class ErrorLogReader:
    """Reads an error log, fed in pieces of any size."""

    def __init__(self) -> None:
        self._carry = b""
        self._offset = 0
        self._pending: ErrorRecord | None = None
        self._understood = 0
        self._headers = 0
        self._unknown = 0
        self._objects = JsonLines()

    def feed(self, data: bytes) -> list[ErrorRecord]:
        """The records that are whole with this piece; the newest may still be continued."""
        *lines, self._carry = (self._carry + data).split(b"\n")
        records = []
        for line in lines:
            if done := self._line(line.decode("utf-8", "replace").rstrip("\r")):
                records.append(done)
            self._offset += len(line) + 1
        return records

    def finish(self) -> list[ErrorRecord]:
        """The records that were waiting for more text."""
        records = self.feed(b"\n") if self._carry else []
        self._objects.give_up()
        if self._pending is not None:
            records.append(self._pending)
            self._pending = None
        return records

    def _line(self, line: str) -> ErrorRecord | None:
        """Take a line; returns the record before it if that is complete now."""
        stamp = bracket_time(line)
        if stamp is not None:
            self._objects.give_up()
            self._understood += 1
            return self._next(self._record(stamp[0], line[stamp[1] :].strip()))
        if line.startswith("{") or self._objects.pending:
            record = self._objects.add(line, self._offset)
            return self._next(self._object(record)) if record is not None else None
        self._continue(line)
        return None

    def _next(self, record: ErrorRecord | None) -> ErrorRecord | None:
        """Begin a record; returns the one before, which nothing can continue now."""
        done, self._pending = self._pending, record
        return done

    def _object(self, record: Record) -> ErrorRecord | None:
        """The record of a JSON object, None for the header of the log and what has no time."""
        values = record.values
        if "header" in values:
            self._headers += record.lines
            return None
        time_ns = report_time(str(values.get("local_time", "")))
        if time_ns is None:
            self._unknown += record.lines
            return None
        self._understood += record.lines
        severity, subsystem = str(values.get("severity", "")), str(values.get("subsystem", ""))
        severity = _SEVERITIES.get(severity, severity)
        text = str(values.get("msg", "")).strip()
        return ErrorRecord(time_ns, severity, subsystem.strip(), text, record.at)

    def _continue(self, line: str) -> None:
        if self._pending is not None and line.strip() and not line.startswith("\t389-"):
            self._understood += 1
            pending = self._pending
            self._pending = ErrorRecord(
                pending.time_ns,
                pending.severity,
                pending.subsystem,
                f"{pending.text}\n{line}",
                pending.at,
            )
        elif not line.strip() or line.startswith(("\t", "    ")):
            self._headers += 1
        else:
            self._unknown += 1

    def _record(self, time_ns: int, text: str) -> ErrorRecord:
        if match := _MODERN.fullmatch(text):
            severity = _SEVERITIES.get(match[1], match[1])
            return ErrorRecord(time_ns, severity, match[2].strip(), match[3].strip(), self._offset)
        if match := _OLD.fullmatch(text.removeprefix("- ")):
            return ErrorRecord(time_ns, "", match[1].strip(), match[2].strip(), self._offset)
        return ErrorRecord(time_ns, "", "", text, self._offset)

    @property
    def counts(self) -> LineCounts:
        """Every line so far."""
        reasons = {"header": self._headers} if self._headers else {}
        unknown = self._unknown + self._objects.broken
        return LineCounts(self._understood, self._headers, unknown, reasons)


def read_error_log(data: bytes) -> list[ErrorRecord]:
    """All records of a whole error log."""
    reader = ErrorLogReader()
    return reader.feed(data) + reader.finish()


@dataclass(frozen=True)
class Notice:
    """One kind of notice, how its lines are known and how many of them are called."""

    kind: str
    pattern: re.Pattern[str]
    one: str
    several: str


@cache
def notices() -> tuple[Notice, ...]:
    """Every kind, in the order in which they are looked for."""
    notices = tomllib.loads(resource("logs/notices389.toml").read_text("utf-8"))["notice"]
    return tuple(
        Notice(n["kind"], re.compile(n["pattern"], re.IGNORECASE), n["one"], n["several"])
        for n in notices
    )


def kind_of(record: ErrorRecord) -> str:
    """What kind of notice a record is, "" where it is none."""
    text = f"{record.severity} - {record.subsystem} - {record.text}"
    return next((notice.kind for notice in notices() if notice.pattern.search(text)), "")


def counted(records: Iterable[ErrorRecord]) -> Counter[str]:
    """How many records there are of each kind."""
    return Counter(kind for kind in map(kind_of, records) if kind)


_VERSION = re.compile(r"389-Directory/(\d[\w.]*)")


def started_as(records: Iterable[ErrorRecord]) -> str:
    """The version of 389 DS that the last start of some records names; "" where none does."""
    versions = [match[1] for record in records if (match := _VERSION.search(record.text))]
    return versions[-1] if versions else ""


def describe_notices(counts: Counter[str], kinds: Sequence[Notice] | None = None) -> list[Message]:
    """One sentence that says how many of each kind there are; none where there are none."""
    kinds = notices() if kinds is None else kinds
    parts = tuple(_number_of(notice, n) for notice in kinds if (n := counts[notice.kind]))
    return [Message("It reports {notices}.", notices=parts)] if parts else []


def _number_of(notice: Notice, n: int) -> Message:
    what = Message(notice.one) if n == 1 else Message(notice.several)
    return Message("{n} {notices}", n=n, notices=what)
