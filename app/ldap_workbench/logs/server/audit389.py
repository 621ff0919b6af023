"""The audit log of 389 Directory Server: which entry was changed when, how, and by whom.

Values are never kept, they may be secret: `redacted` writes the log anew without them, in a form
that is read as the log itself.

The audit log of 389 Directory Server in JSON ("json", "json-pretty"; since 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ldap_workbench.logs.reading.json_lines import JsonLines, Record
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.logs.server.ldif import Entry, generalized_time, read_ldif
from ldap_workbench.model.window import LineCounts

_TIME = re.compile(rb"^time: (\d{14})\r?$", re.MULTILINE)
_HEADER = re.compile(rb"^(?:\t.*|.*389-Directory/.*)$", re.MULTILINE)
_KEPT = 32 << 20
"""A record larger than this is read in parts."""


@dataclass(frozen=True)
class AuditRecord:
    """One change. `attributes` are the names it touches; values are not kept: they may be secret.

    The log's times are local; `zone_offset_ns` of the reader makes them UTC.
    """

    time_ns: int
    dn: str
    kind: str
    attributes: tuple[str, ...]
    who: str
    result: int


_ACTIONS = ("add", "delete", "replace")
_TECHNICAL = {
    "result", "changetype", "modifiersname", "modifytimestamp", "creatorsname", "createtimestamp",
    *_ACTIONS,
}  # fmt: skip


class AuditLogReader:
    """Reads an audit log, fed in pieces of any size."""

    def __init__(self, zone_offset_ns: int = 0) -> None:
        self._zone = zone_offset_ns
        self._carry = b""
        self._understood = self._headers = self._unknown = 0

    def feed(self, data: bytes) -> list[AuditRecord]:
        """The records that are whole with this piece."""
        text = self._carry + data
        last = text.rfind(b"\ntime: ") + 1
        if not last and len(text) > _KEPT:
            last = text.rfind(b"\n") + 1
        self._carry = text[last:]
        return self._records(text[:last])

    def finish(self) -> list[AuditRecord]:
        """The record that was waiting for more text."""
        text, self._carry = self._carry, b""
        return self._records(text)

    def _records(self, text: bytes) -> list[AuditRecord]:
        places = list(_TIME.finditer(text))
        self._count_before(text[: places[0].start()] if places else text)
        records = []
        for i, match in enumerate(places):
            end = places[i + 1].start() if i + 1 < len(places) else len(text)
            clock = generalized_time(match[1].decode() + "Z")
            entries = read_ldif(text[match.end() : end]) if clock is not None else []
            records += [_record(entry, (clock or 0) - self._zone) for entry in entries]
            lines = _lines(text[match.start() : end])
            self._understood += lines if entries else 0
            self._unknown += 0 if entries else lines
        return records

    def _count_before(self, text: bytes) -> None:
        headers = len(_HEADER.findall(text)) + sum(
            1 for line in text.split(b"\n")[:-1] if not line.strip()
        )
        self._headers += headers
        self._unknown += max(0, _lines(text) - headers)

    @property
    def counts(self) -> LineCounts:
        """Every line so far."""
        reasons = {"header": self._headers} if self._headers else {}
        return LineCounts(self._understood, self._headers, self._unknown, reasons)


def _lines(text: bytes) -> int:
    return text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))


def read_audit_log(data: bytes, zone_offset_ns: int = 0) -> list[AuditRecord]:
    """Every change of a whole audit log."""
    reader = AuditLogReader(zone_offset_ns)
    return reader.feed(data) + reader.finish()


def redacted(records: Iterable[AuditRecord]) -> bytes:
    """The log of these changes without a value; its times are UTC."""
    parts = []
    for record in records:
        moment = datetime.fromtimestamp(record.time_ns // 10**9, tz=UTC)
        names = "".join(f"replace: {name}\n-\n" for name in record.attributes)
        parts.append(
            f"time: {moment:%Y%m%d%H%M%S}\ndn: {_plain(record.dn)}\nresult: {record.result}\n"
            f"changetype: {_plain(record.kind)}\n{names}modifiersname: {_plain(record.who)}\n\n"
        )
    return "".join(parts).encode("utf-8", "replace")


def _plain(text: str) -> str:
    """Text that stays on its line."""
    return re.sub(r"[\r\n\0]", " ", text).strip()


def _record(entry: Entry, time_ns: int) -> AuditRecord:
    names = list(entry.attributes)
    for action in _ACTIONS:
        names += [v.decode("utf-8", "replace").lower() for v in entry.attributes.get(action, ())]
    result = entry.text("result") or ""
    return AuditRecord(
        time_ns,
        entry.dn,
        entry.text("changetype") or "",
        tuple(dict.fromkeys(_plain(name) for name in names if name not in _TECHNICAL)),
        entry.text("modifiersname") or entry.text("creatorsname") or "",
        int(result) if result.isdecimal() and result.isascii() else 0,
    )


_CHANGES = ("add", "delete", "modify", "modrdn")
_ATTRIBUTE = re.compile(r"^([A-Za-z][\w;.-]*):", re.MULTILINE | re.ASCII)


class JsonAuditReader:
    """Reads a JSON audit log, fed in pieces of any size; no value of an attribute is kept."""

    def __init__(self, zone_offset_ns: int = 0) -> None:
        self._zone = zone_offset_ns
        self._carry = b""
        self._objects = JsonLines()
        self._understood = self._headers = self._unknown = 0

    def feed(self, data: bytes) -> list[AuditRecord]:
        """The changes that are whole with this piece."""
        *lines, self._carry = (self._carry + data).split(b"\n")
        records: list[AuditRecord] = []
        for line in lines:
            records += self._line(line.decode("utf-8", "replace").rstrip("\r"))
        return records

    def finish(self) -> list[AuditRecord]:
        """The change of a last line without newline."""
        records = self.feed(b"\n") if self._carry else []
        self._objects.give_up()
        return records

    def _line(self, line: str) -> Iterator[AuditRecord]:
        if not line.strip():
            self._headers += 1
        elif line.startswith("{") or self._objects.pending:
            if (record := self._objects.add(line, 0)) is not None:
                yield from self._changes(record)
        else:
            self._unknown += 1

    def _changes(self, record: Record) -> Iterator[AuditRecord]:
        values = record.values
        if "header" in values:
            self._headers += record.lines
            return
        time_ns = self._time(values)
        kind = next((name for name in _CHANGES if name in values), "")
        if time_ns is None or not kind:
            self._unknown += record.lines
            return
        self._understood += record.lines
        result = values.get("result", 0)
        yield AuditRecord(
            time_ns,
            str(values.get("target_dn", "")),
            kind,
            tuple(dict.fromkeys(_attributes(kind, values[kind]))),
            str(values.get("bind_dn", "")),
            result if isinstance(result, int) else 0,
        )

    def _time(self, values: dict[str, Any]) -> int | None:
        """gm_time is UTC; local_time, whose format can be set, may say no zone."""
        stamp = str(values.get("gm_time") or "")
        time_ns = generalized_time(stamp) or report_time(stamp, 0)
        if time_ns is None:
            time_ns = report_time(str(values.get("local_time") or ""), self._zone)
        return time_ns

    @property
    def counts(self) -> LineCounts:
        """Every line so far."""
        reasons = {"header": self._headers} if self._headers else {}
        unknown = self._unknown + self._objects.broken
        return LineCounts(self._understood, self._headers, unknown, reasons)


def _attributes(kind: str, change: Any) -> list[str]:
    """Names of the attributes a change touches, in lower case as in the classic log."""
    if kind == "modify" and isinstance(change, list):
        return [
            str(value["attr"]).lower()
            for value in change
            if isinstance(value, dict) and "attr" in value
        ]
    if kind == "add" and isinstance(change, str):
        return [name.lower() for name in _ATTRIBUTE.findall(change)]
    return []
