"""What the workbench asked is in no figure, from the first line of its connection to the last.

The connections here have neither an address nor a bind DN, as over ldapi: what they asked is all
there is to know them by.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.connect.directory import OWN_BASE
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

OURS, CLIENT = 7, 8
MARKER = f"{OWN_BASE}connection"
Line = Callable[[int, int, str, int], str]


def ds389(conn: int, op: int, base: str, err: int) -> str:
    stamp = f"[21/Nov/2026:04:00:{op:02d}.{conn:09d} +0000]"
    return (
        f'{stamp} conn={conn} op={op} SRCH base="{base}" scope=0 filter="(objectClass=*)" '
        f"attrs=ALL\n"
        f"{stamp} conn={conn} op={op} RESULT err={err} tag=101 nentries=0 wtime=0.000100000 "
        f"optime=0.000900000 etime=0.001000000\n"
    )


def slapd(conn: int, op: int, base: str, err: int) -> str:
    stamp = f"6b0a75{op:02x}.0e9a0dbc 0x7f6869bfd6c0"
    return (
        f'{stamp} conn={conn} op={op} SRCH base="{base}" scope=0 deref=0 '
        f'filter="(objectClass=*)"\n'
        f"{stamp} conn={conn} op={op} SEARCH RESULT tag=101 err={err} qtime=0.000010 "
        f"etime=0.000100 nentries=0 text=\n"
    )


def opendj(conn: int, op: int, base: str, err: int) -> str:
    stamp = f"[21/Nov/2026:04:00:{op:02d} +0000]"
    return (
        f'{stamp} SEARCH REQ conn={conn} op={op} msgID={op + 1} base="{base}" scope=base '
        f'filter="(objectClass=*)" attrs="ALL"\n'
        f"{stamp} SEARCH RES conn={conn} op={op} msgID={op + 1} result={err} nentries=0 etime=1\n"
    )


def opendj_json(conn: int, op: int, base: str, err: int) -> str:
    search = {"dn": base, "scope": "base", "filter": "(objectClass=*)"}
    line = {
        "eventName": "DJ-LDAP",
        "request": {"protocol": "LDAP", "operation": "SEARCH", "connId": conn, "msgId": op}
        | search,
        "response": {
            "statusCode": str(err),
            "elapsedTime": 1,
            "elapsedTimeUnits": "MILLISECONDS",
        },
        "timestamp": f"2026-11-21T04:00:{op:02d}.754Z",
    }
    return json.dumps(line, separators=(",", ":")) + "\n"


def log_of(line: Line) -> str:
    """Two connections in turn; ours says what it is in the middle of what it asks."""
    text = ""
    for op in range(1, 21):
        text += line(CLIENT, op, "dc=example,dc=com", 0)
        text += line(OURS, op, MARKER if op == 10 else f"cn=not there {op}", 32)
    return text


@pytest.mark.parametrize("line", [ds389, slapd, opendj, opendj_json])
def test_a_connection_that_asked_for_the_marker_is_ours_wholly(line: Line, tmp_path: Path) -> None:
    (tmp_path / "access").write_text(log_of(line))
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path) as writer:
        done = import_logs([tmp_path / "access"], writer)
    with Session.open(path) as session:
        operations = session.operations(done.windows[0])
    mine = client_operations(operations)
    assert operations.conn[operations.own].tolist() == [OURS] * 20
    assert operations.conn[mine].tolist() == [CLIENT] * 20
    assert operations.err[mine].tolist() == [0] * 20, "no search of ours is a client's error"


def test_a_request_of_ours_without_a_result_is_no_clients(tmp_path: Path) -> None:
    """As the search at the end of a window, which is in the log before its result is."""
    unanswered = ds389(OURS, 30, "cn=monitor", 0).splitlines(keepends=True)[0]
    (tmp_path / "access").write_text(log_of(ds389) + unanswered)
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path) as writer:
        done = import_logs([tmp_path / "access"], writer)
    with Session.open(path) as session:
        sources = session.sources(done.windows[0].id)
    (log,) = [source for source in sources if source.kind is SourceKind.ACCESS_LOG]
    assert log.details["open_operations"] == 0
    assert log.details["waiting"] == []
