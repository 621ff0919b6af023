"""A search of ours is known in logs that write one record for each operation, too."""

from __future__ import annotations

import json

import pytest

from ldap_workbench.logs.access.scanner import Scanner

NONCE = "cn=ldap-workbench-abc"


def record(conn: int, number: int, operation: str = "SEARCH", base: str = "cn=monitor") -> str:
    """One line of OpenDJ's ldap-access.audit.json."""
    request = {"protocol": "LDAP", "operation": operation, "connId": conn, "msgId": number}
    if operation == "SEARCH":
        request |= {"dn": base, "scope": "base", "filter": "(objectClass=*)"}
    response = {"statusCode": "0", "elapsedTime": 1, "elapsedTimeUnits": "MILLISECONDS"}
    line = {
        "eventName": "DJ-LDAP",
        "client": {"ip": "127.0.0.1", "port": 40000},
        "request": request,
        "response": response,
        "timestamp": "2026-11-22T13:02:02.754Z",
    }
    return json.dumps(line, separators=(",", ":")) + "\n"


def combined(conn: int, number: int, base: str = "cn=monitor") -> str:
    """One line of OpenDJ's text log with log-format combined."""
    return (
        f"[22/Nov/2026:12:20:49 +0000] SEARCH conn={conn} op={number} msgID={number} "
        f'base="{base}" scope=base filter="(objectclass=*)" result=0 nentries=1 etime=1\n'
    )


@pytest.mark.parametrize(("dialect", "line"), [("opendj-json", record), ("opendj", combined)])
def test_a_connection_is_ours_from_the_nonce_on(dialect, line) -> None:
    scanner = Scanner(dialect, own_nonces=[NONCE.encode()])
    text = line(4, 1) + line(5, 2) + line(4, 3, base=NONCE) + line(4, 4) + line(5, 5)
    operations = scanner.feed(text.encode())
    assert operations.conn.tolist() == [4, 5, 4, 4, 5]
    assert operations.own.tolist() == [False, False, True, True, False]
    assert scanner.own_connections == {(0, 4)}


def test_a_record_without_a_base_is_nobodys_nonce() -> None:
    scanner = Scanner("opendj-json", own_nonces=[NONCE.encode()])
    scanner.feed((record(6, 1, "EXTENDED") + record(6, 2, "UNBIND")).encode())
    assert scanner.own_connections == set()
