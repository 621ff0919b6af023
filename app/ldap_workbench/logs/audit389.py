"""The audit log of 389 Directory Server: which entry was changed when, how, and by whom."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.logs.ldif import Entry, generalized_time, read_ldif

_TIME = re.compile(rb"time: (\d{14})$", re.MULTILINE)


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


def read_audit_log(data: bytes, zone_offset_ns: int = 0) -> list[AuditRecord]:
    """Every change of a whole audit log."""
    places = [(match.start(), match) for match in _TIME.finditer(data)]
    ends = [start for start, _ in places[1:]] + [len(data)]
    records = []
    for (_, match), end in zip(places, ends, strict=True):
        clock = generalized_time(match[1].decode() + "Z")
        if clock is not None:
            entries = read_ldif(data[match.end() : end])
            records += [_record(entry, clock - zone_offset_ns) for entry in entries]
    return records


def _record(entry: Entry, time_ns: int) -> AuditRecord:
    names = list(entry.attributes)
    for action in _ACTIONS:
        names += [v.decode("utf-8", "replace").lower() for v in entry.attributes.get(action, ())]
    result = entry.text("result") or ""
    return AuditRecord(
        time_ns,
        entry.dn,
        entry.text("changetype") or "",
        tuple(dict.fromkeys(name for name in names if name not in _TECHNICAL)),
        entry.text("modifiersname") or entry.text("creatorsname") or "",
        int(result) if result.isdigit() else 0,
    )
