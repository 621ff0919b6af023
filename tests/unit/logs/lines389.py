"""Lines of 389 DS, and what the scanner makes of them."""

from __future__ import annotations

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations

T = "[21/Nov/2026:02:20:00.151797648 +0000] "
NS = 1795227600151797648

PAIR = (
    T + 'conn=7 op=1 SRCH base="ou=people,dc=example,dc=com" scope=2 '
    'filter="(&(objectClass=person)(uid=jd*e))" attrs="cn mail"\n'
    + T
    + "conn=7 op=1 RESULT err=0 tag=101 nentries=3 wtime=0.000126358 optime=0.000146558 "
    'etime=0.000270322 notes=U,P details="Partially Unindexed Filter,Paged Search"\n'
)


def scan(text: str | bytes, **options: object) -> tuple[Scanner, Operations]:
    scanner = Scanner(**options)  # type: ignore[arg-type]
    operations = scanner.feed(text.encode() if isinstance(text, str) else text)
    last = scanner.finish()
    assert len(last) == 0 or len(operations) == 0
    return scanner, last if len(last) else operations


def kinds(operations: Operations) -> list[str]:
    return [TYPES[kind] for kind in operations.kind]


def rows(operations: Operations) -> list[tuple[object, ...]]:
    """Rows with their strings instead of indices."""
    tables = {"client": "clients", "fingerprint": "fingerprints", "base": "bases"}
    tables["bind_dn"] = "bind_dns"
    columns = []
    for name in COLUMNS:
        values = getattr(operations, name).tolist()
        if name in tables:
            strings = getattr(operations, tables[name])
            values = [strings[i] if i >= 0 else None for i in values]
        columns.append(values)
    return list(zip(*columns, strict=True))


def opened(conn: int) -> str:
    return T + f"conn={conn} fd=64 slot=64 connection from local to /run/slapd.socket\n"
