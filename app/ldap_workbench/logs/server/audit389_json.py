"""The audit log of 389 Directory Server in JSON ("json", "json-pretty"; since 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ldap_workbench.logs.reading.json_lines import JsonLines, Record
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.logs.server.audit389 import AuditRecord
from ldap_workbench.logs.server.ldif import generalized_time
from ldap_workbench.model.window import LineCounts

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
