"""The JSON logs that lie beside a JSON access log: error, audit, security and HTTP."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.logs.server.audit389 import JsonAuditReader
from ldap_workbench.logs.server.errors389 import ErrorLogReader, read_error_log
from ldap_workbench.model.window import SourceKind

HEADER = {"header": {"version": "389-Directory/3.1.3 B2025.100.0000", "instance": "localhost:389"}}
ACCESS = [
    HEADER,
    {
        "local_time": "2026-11-21T02:20:00.100000000 +0000", "operation": "SEARCH",
        "key": "1739212909-1", "conn_id": 1, "op_id": 1, "base_dn": "o=x", "filter": "(a=*)",
    },
    {
        "local_time": "2026-11-21T02:20:00.200000000 +0000", "operation": "RESULT",
        "key": "1739212909-1", "conn_id": 1, "op_id": 1, "tag": 101, "err": 0, "etime": "0.1",
    },
]  # fmt: skip
ERRORS = [
    HEADER,
    {
        "local_time": "2026-11-21T02:20:00.100000000 +0000",
        "severity": "NOTICE",
        "subsystem": "bdb_start_autotune",
        "msg": "found 4 kB",
    },
    {
        "local_time": "2026-11-21T02:20:01.000000000 +0100",
        "severity": "ERROR",
        "subsystem": "Connection",
        "msg": "fd limit\n",
    },
]
AUDIT = [
    HEADER,
    {
        "gm_time": "2026-11-21T02:20:00Z", "local_time": "2026-11-21T03:20:00.1 +0100",
        "target_dn": "uid=a,o=x", "bind_dn": "cn=dm", "client_ip": "10.0.0.1",
        "server_ip": "10.0.0.2", "conn_id": 5, "op_id": 7, "result": 0,
        "modify": [
            {"op": "replace", "attr": "userPassword", "values": ["secret"]},
            {"op": "delete", "attr": "mail", "values": []},
        ],
    },
    {
        "gm_time": "2026-11-21T02:20:01Z", "target_dn": "uid=b,o=x", "bind_dn": "cn=dm",
        "conn_id": 5, "op_id": 8, "result": 68,
        "add": "objectClass: top\nuserPassword: secret\ncn: b\n",
    },
]  # fmt: skip
SECURITY = [
    {
        "date": "[21/Nov/2026:02:20:00.15 +0000] ", "utc_time": "1795227600.151801924",
        "event": "BIND_FAILED", "dn": "uid=a,o=x", "conn_id": 1, "op_id": 0,
    }
]  # fmt: skip
HTTP = [
    {
        "eventName": "DJ-HTTP", "client": {"ip": "10.0.0.1"}, "http": {"request": {}},
        "transactionId": "0", "response": {"statusCode": "200", "elapsedTime": 3},
        "timestamp": "2026-11-21T02:20:00.000Z", "_id": "x",
    }
]  # fmt: skip
HTTP_TEXT = (
    b"-\t10.0.0.1\tbjensen\t17/Apr/2026:14:45:45 +0200\tGET\t/users/a\tHTTP/1.1\t200\tcurl\t3\t40\n"
)


def written(objects: list[dict[str, object]], indent: int | None) -> bytes:
    return "".join(json.dumps(each, indent=indent) + "\n" for each in objects).encode()


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize(
    ("objects", "dialect", "kind"),
    [
        (ACCESS, "389-json", SourceKind.ACCESS_LOG),
        (ERRORS, "errors389-json", SourceKind.ERROR_LOG),
        (AUDIT, "audit389-json", SourceKind.AUDIT_LOG),
        (SECURITY, "security389", None),
    ],
)
def test_json_logs_are_named_for_what_they_are(objects, dialect, kind, indent) -> None:
    found = detect(written(objects, indent))
    assert (found.dialect, found.kind) == (dialect, kind)


@pytest.mark.parametrize("text", [written(HTTP, None), HTTP_TEXT])
def test_an_http_access_log_is_no_log_of_operations(text: bytes) -> None:
    found = detect(text)
    assert (found.dialect, found.kind) == ("http-opendj", None)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_error_log_has_the_records_of_a_classic_one(indent) -> None:
    text = written(ERRORS, indent)
    reader = ErrorLogReader()
    records = reader.feed(text) + reader.finish()
    assert [(r.severity, r.subsystem, r.text) for r in records] == [
        ("NOTICE", "bdb_start_autotune", "found 4 kB"),
        ("ERR", "Connection", "fd limit"),
    ]
    assert records[0].time_ns == 1795227600100000000
    assert records[1].time_ns == 1795227601000000000 - 3600 * 10**9
    assert text[records[1].at :].startswith(b"{")
    counts = reader.counts
    assert counts.understood + counts.set_aside == text.count(b"\n")
    assert counts.unknown == 0


def test_an_error_log_that_was_switched_to_json_is_read_through() -> None:
    classic = b"[21/Nov/2026:02:19:56.671565376 +0000] - INFO - main - starting up\n"
    text = classic + written(ERRORS, 2) + classic + b'{"local_time": "2026-11-2\n' + classic
    reader = ErrorLogReader()
    records = reader.feed(text) + reader.finish()
    assert [r.severity for r in records] == ["INFO", "NOTICE", "ERR", "INFO", "INFO"]
    assert reader.counts.unknown == 1
    for cut in range(0, len(text), 41):
        pieces = ErrorLogReader()
        assert pieces.feed(text[:cut]) + pieces.feed(text[cut:]) + pieces.finish() == records
    assert read_error_log(text) == records


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_audit_log_tells_what_was_changed_and_no_value(indent) -> None:
    text = written(AUDIT, indent) + b"\nwhat is this\n"
    for cuts in ((0,), (50, 90), (len(text) - 1,)):
        reader, records = JsonAuditReader(), []
        for start, end in itertools.pairwise((0, *cuts, len(text))):
            records += reader.feed(text[start:end])
        records += reader.finish()
        assert [(r.dn, r.kind, r.attributes, r.result, r.who) for r in records] == [
            ("uid=a,o=x", "modify", ("userpassword", "mail"), 0, "cn=dm"),
            ("uid=b,o=x", "add", ("objectclass", "userpassword", "cn"), 68, "cn=dm"),
        ]
        assert records[0].time_ns == 1795227600 * 10**9
        assert reader.counts.unknown == 1
        assert sum((reader.counts.understood, reader.counts.set_aside, 1)) == text.count(b"\n")


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"gm_time": "20261121022000Z"}, 1795227600),
        ({"gm_time": "x", "local_time": "2026-11-21T03:20:00.1 +0100"}, 1795227600.1),
    ],
)
def test_a_json_audit_log_in_other_times(times: dict[str, str], expected: float) -> None:
    change = {"target_dn": "cn=a", "modify": [{"op": "add", "attr": "cn"}]}
    (record,) = JsonAuditReader().feed(written([times | change], None))
    assert record.time_ns == int(expected * 10) * 10**8


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (b'<?xml version="1.0"?>\n<sysstat\nxmlns="x">\n\t<cpu-load>\n', "sadf-other"),
        (b"ldap1\t600\t2026-11-21 02:20:00 UTC\tall\t%user\t53.92\n", "sadf-other"),
        (b"\x96\xd5\x75\x21\x0c\x06\x01\x00\n\x00\n", "sar-file"),
    ],
)
def test_other_outputs_of_sar_are_refused_by_name(
    tmp_path: Path, text: bytes, dialect: str
) -> None:
    assert (detect(text).dialect, detect(text).kind) == (dialect, None)
    path = tmp_path / "sa21"
    path.write_bytes(text)
    assert "sadf -d or sadf -j" in str(gather([path]).left_out[path])


def test_what_is_not_read_is_refused_with_what_is(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes(b"It was a dark and stormy night.\n")
    why = str(gather([path]).left_out[path])
    assert "unknown file" in why
    assert "It looks like text. The closest formats that can be read: 389 Directory" in why
    (tmp_path / "security").write_bytes(written(SECURITY, None))
    why = str(gather([tmp_path]).left_out[tmp_path / "security"])
    assert "security log" in why
    assert "Import the access log" in why
