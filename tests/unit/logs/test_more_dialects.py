"""PingDirectory as it is configured in the field, IBM, Oracle, and 389 DS that switches to JSON."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.model.operations import ABSENT, COLUMNS, TYPES, Operations

T = "[13/Sep/2022:15:57:15.%03d +0000] "
NS = 1663084635 * 10**9
ABOUT = 'instanceName="pd0" threadID=11 startupID="Yx conn=9" requesterIP="192.0.2.7" '


def scan(text: str, dialect: str = "", pieces: int = 1) -> tuple[Scanner, Operations]:
    data = text.encode()
    found = dialect or detect(data).dialect
    scanner = Scanner(found)
    step = -(-len(data) // pieces)
    parts = [scanner.feed(data[at : at + step]) for at in range(0, len(data), step)]
    parts.append(scanner.finish())
    columns = {
        name: [value for part in parts for value in getattr(part, name).tolist()]
        for name in COLUMNS
    }
    whole = replace(parts[-1], **columns)
    return scanner, whole


def kinds(operations: Operations) -> list[str]:
    return [TYPES[kind] for kind in operations.kind]


PING = (
    T % 1 + f'CONNECT {ABOUT}conn=4 from="192.0.2.7:5011" to="192.0.2.1:389" protocol="LDAP"\n'
    + T % 1 + f"BIND RESULT {ABOUT}conn=4 op=0 msgID=1 resultCode=0 etime=16.333 "
    'authDN="cn=app"\n'
    + T % 2 + f'SEARCH REQUEST {ABOUT}conn=4 op=1 msgID=2 base="dc=a" filter="(uid=1)"\n'
    + T % 3 + f"SEARCH FORWARD {ABOUT}conn=4 op=1 msgID=2 targetHost=\"b\" targetPort=389\n"
    + T % 3 + f"SEARCH ENTRY {ABOUT}conn=4 op=1 msgID=2 dn=\"uid=1,dc=a\"\n"
    + T % 4 + f"SEARCH RESULT {ABOUT}conn=4 op=1 msgID=2 resultCode=0 etime=2.5 qtime=1 "
    "entriesReturned=1 unindexed=true\n"
    + T % 5 + f'MODIFY RESULT {ABOUT}conn=4 op=2 msgID=3 dn="uid=1" resultCode=50 etime=0.401 '
    "unindexed=false\n"
    + T % 6 + f'DISCONNECT {ABOUT}conn=4 reason="Client Unbind"\n'
)  # fmt: skip


@pytest.mark.parametrize("pieces", [1, 7])
def test_pingdirectory_may_put_names_before_the_connection(pieces: int) -> None:
    assert detect(PING.encode()).dialect == "unboundid"
    scanner, operations = scan(PING, pieces=pieces)
    assert kinds(operations) == ["BIND", "SRCH", "MOD"]
    assert list(operations.etime_ns) == [16_333_000, 2_500_000, 401_000]
    assert list(operations.wtime_ns) == [ABSENT, 1_000_000, ABSENT]
    assert list(operations.err) == [0, 0, 50]
    assert list(operations.notes) == [0, 2, 0]
    assert list(operations.conn) == [4, 4, 4]
    assert {operations.clients[i] for i in operations.client} == {"192.0.2.7"}
    assert operations.bases[operations.base[1]] == "dc=a"
    assert (scanner.counts.understood, scanner.counts.unknown) == (8, 0)


def test_another_start_of_pingdirectory_is_another_server_run() -> None:
    line = T % 1 + f'CONNECT {ABOUT}conn=1 from="192.0.2.7" to="192.0.2.1" protocol="LDAP"\n'
    result = T % 2 + f"BIND RESULT {ABOUT}conn=1 op=0 msgID=1 resultCode=0 etime=1.0\n"
    again = (line + result).replace("Yx conn=9", "Zz")
    scanner, operations = scan(line + result + again, "unboundid")
    assert list(operations.boot) == [0, 1]
    assert scanner.restarts == 1


def ping_json(**values: object) -> str:
    about = {
        "timestamp": "2022-09-13T15:57:15.001Z", "product": "Ping Identity Directory Server",
        "instanceName": "pd0", "startupID": "Yx", "threadID": 11, "logType": "access",
    }  # fmt: skip
    return json.dumps(about | values) + "\n"


PING_JSON = (
    ping_json(messageType="CONNECT", connectionID=4, fromAddress="192.0.2.7", fromPort=5011)
    + ping_json(messageType="RESULT", operationType="BIND", connectionID=4, operationID=0,
                messageID=1, dn="cn=App", resultCode=0, resultCodeName="success",
                processingTimeMillis=16.333, authenticationDN="cn=app,dc=root")
    + ping_json(messageType="REQUEST", operationType="SEARCH", connectionID=4, operationID=1,
                messageID=2, baseDN="dc=a", scope=2, filter="(uid=1)")
    + ping_json(messageType="ENTRY", operationType="SEARCH", connectionID=4, operationID=1,
                messageID=2, dn="uid=1,dc=a")
    + ping_json(messageType="RESULT", operationType="SEARCH", connectionID=4, operationID=1,
                messageID=2, resultCode=0, processingTimeMillis=2.5, workQueueWaitTimeMillis=1,
                entriesReturned=1, isIndexed=False, usedPrivileges=["x"])
    + ping_json(messageType="RESULT", operationType="MODIFY", connectionID=4, operationID=2,
                messageID=3, dn="uid=1", resultCode=50, processingTimeMillis=0.401,
                origin="replication", isIndexed=True)
    + ping_json(messageType="REQUEST", operationType="UNBIND", connectionID=4, operationID=3)
    + ping_json(messageType="DISCONNECT", connectionID=4, disconnectReason="Client Unbind")
)  # fmt: skip


@pytest.mark.parametrize("pieces", [1, 9])
def test_pingdirectory_json_tells_what_its_text_tells(pieces: int) -> None:
    assert detect(PING_JSON.encode()).dialect == "unboundid-json"
    scanner, operations = scan(PING_JSON, pieces=pieces)
    assert kinds(operations) == ["BIND", "SRCH", "MOD"]
    assert list(operations.etime_ns) == [16_333_000, 2_500_000, 401_000]
    assert list(operations.wtime_ns) == [ABSENT, 1_000_000, ABSENT]
    assert list(operations.end_ns) == [NS + 10**6] * 3
    assert list(operations.nentries) == [ABSENT, 1, ABSENT]
    assert list(operations.notes) == [0, 2, 0]
    assert list(operations.internal) == [False, False, True]
    assert [operations.bases[i] for i in operations.base] == ["cn=App", "dc=a", "uid=1"]
    assert {operations.bind_dns[i] for i in operations.bind_dn} == {"cn=app,dc=root"}
    assert {operations.clients[i] for i in operations.client} == {"192.0.2.7"}
    assert (scanner.counts.understood, scanner.counts.unknown) == (8, 0)
    assert scanner.orphan_results == 0


def test_a_result_of_pingdirectory_that_was_cut_makes_no_row_of_half_a_number() -> None:
    result = ping_json(messageType="RESULT", operationType="MODIFY", connectionID=4, operationID=2,
                       messageID=3, resultCode=0, processingTimeMillis=40.125)  # fmt: skip
    scanner, operations = scan(result[: result.index("0.125")] + result + result, "unboundid-json")
    assert list(operations.etime_ns) == [40_125_000]
    assert scanner.counts.reasons == {"cut line": 1}


IBM = """\
AuditV3--2014-09-23-13:31:30.755+00:00DST--V3 Bind--bindDN: uid=a--b,o=x--client: 192.0.2.7:3437\
--connectionID: 19--received: 2014-09-23-13:31:30.750+00:00DST--Success
name: uid=a--b,o=x
authenticationChoice: simple
Admin Acct Status: Not Locked
AuditV3--2014-09-23-13:32:54.133+00:00DST--V3 SSL Search--bindDN: uid=a--b,o=x\
--client: 192.0.2.7:3437--connectionID: 19--received: 2014-09-23-13:32:53.802+00:00DST--Success
controlType: 2.16.840.1.113730.3.4.2
criticality: false
base: o=base
scope: wholeSubtree
derefAliases: derefAlways
typesOnly: false
filter: (&(objectclass=person)(uid=me))
attributes: a, b, c
numberOfEntriesReturned: 7
timeOnWorkQ: 3
AuditV3--2014-09-23-13:32:55.000+00:00DST--V3 unauthenticated Search--bindDN: <*CN=NULLDN*>\
--client: 2001:db8::7:3437--connectionID: 20--received: 2014-09-23-13:32:55.000+00:00DST\
--No such object
base: o=nowhere
filter: (objectclass=*)
AuditV3--2014-09-23-13:32:55.000+00:00DST--V3 Unbind--bindDN: uid=a--b,o=x--client: 192.0.2.7:3437\
--connectionID: 19--received: 2014-09-23-13:32:55.000+00:00DST--Success
2014-09-23-13:33:00.000+00:00DST--GLPSRV009I 6.3 server started.
"""
IBM_1 = """\
2001-07-24-15:01:01.345-06:00--V3 Delete--bindDN:cn=test--client:9.1.2.3:12345--ConnectionID:12\
--received:2001-07-24-15:01:01.330-06:00--adminAuthority:Y--noSuchObject
entry: cn=Jim Brown, ou=sales,o=sample
"""


@pytest.mark.parametrize("pieces", [1, 2, 30])
def test_the_audit_log_of_ibm_has_a_latency_for_every_operation(pieces: int) -> None:
    assert detect(IBM.encode()).dialect == "ibm"
    scanner, operations = scan(IBM, pieces=pieces)
    assert kinds(operations) == ["BIND", "SRCH", "SRCH"]
    assert list(operations.etime_ns) == [5_000_000, 331_000_000, 0]
    # The zone is that of winter: in summer local time is an hour further from UTC.
    assert operations.end_ns[0] == (1411479090 - 3600) * 10**9 + 755 * 10**6
    assert list(operations.err) == [0, 0, 32]
    assert list(operations.nentries) == [ABSENT, 7, ABSENT]
    assert list(operations.wtime_ns) == [ABSENT, 3_000_000, ABSENT]
    assert list(operations.conn) == [19, 19, 20]
    assert [operations.bases[i] for i in operations.base] == ["uid=a--b,o=x", "o=base", "o=nowhere"]
    assert [operations.bind_dns[i] for i in operations.bind_dn] == ["uid=a--b,o=x"] * 2 + [""]
    assert [operations.clients[i] for i in operations.client] == ["192.0.2.7"] * 2 + ["2001:db8::7"]
    shape = operations.fingerprints[operations.fingerprint[1]]
    assert shape == "(&(objectclass=?)(uid=?))"
    assert scanner.resolution_ns == 1_000_000
    counts = scanner.counts
    assert (counts.understood, counts.set_aside, counts.unknown) == (19, 1, 0)
    for at, kind in zip(operations.request_at, ("Bind", "Search", "Search"), strict=True):
        assert kind in IBM[at:].split("--bindDN")[0].split("\n")[0]


@pytest.mark.parametrize("waited", [-3, -(10**18) + 1])
def test_a_negative_time_on_the_queue_of_ibm_is_garbage(waited: int) -> None:
    scanner, operations = scan(IBM.replace("timeOnWorkQ: 3", f"timeOnWorkQ: {waited}"))
    assert list(operations.wtime_ns) == [ABSENT] * 3
    assert scanner.counts.reasons["garbage wtime"] == 1


def test_the_oldest_audit_log_of_ibm() -> None:
    assert detect(IBM_1.encode()).dialect == "ibm"
    scanner, operations = scan(IBM_1)
    assert kinds(operations) == ["DEL"]
    assert list(operations.etime_ns) == [15_000_000]
    assert list(operations.err) == [32]
    assert operations.end_ns[0] == (996008461 - 0) * 10**9 + 345 * 10**6
    assert operations.bases[operations.base[0]] == "cn=Jim Brown, ou=sales,o=sample"
    assert scanner.counts.unknown == 0


ODL = "[2013-06-18T09:57:02.%03d-04:00] [OUD] [TRACE] [OUD-24641549] [PROTOCOL] [host: oud1] "
ODL += "[nwaddr: 192.0.2.1] [tid: 13] [userId: oracle] [ecid: 0000JxQ^,0] "
OUD = (
    ODL % 1 + "[category: CONN] [conn: 4] [from: 192.0.2.7:5011] [to: 192.0.2.1:1389] CONNECT\n"
    + ODL % 2 + "[category: REQ] [conn: 4] [op: 0] [msgID: 1] [dn: cn=app] BIND\n"
    + ODL % 3 + "[category: RES] [conn: 4] [op: 0] [msgID: 1] [result: 0] [authDN: cn=app,dc=root] "
    "[etime: 13] BIND\n"
    + ODL % 4 + "[category: REQ] [conn: 4] [op: 1] [msgID: 2] "
    "[base: dc=a [b],dc=c] [scope: sub] [filter: (uid=1)] [attrs: ALL] SEARCH\n"
    + ODL % 5 + "[category: RES] [conn: 4] [op: 1] [msgID: 2] [result: 32] [nentries: 3] "
    "[etime: 2] SEARCH\n"
    + ODL % 6 + "[category: DISC] [conn: 4] [reason: Client Unbind] DISCONNECT\n"
    + ODL % 7 + "The server runs.\n"
    + ODL % 8 + "SEARCH RES conn=5 op=1 msgID=2 result=0 nentries=1 unindexed etime=7\n"
)  # fmt: skip


@pytest.mark.parametrize("pieces", [1, 11])
def test_oracle_unified_directory_in_brackets(pieces: int) -> None:
    assert detect(OUD.encode()).dialect == "oud"
    scanner, operations = scan(OUD, pieces=pieces)
    assert kinds(operations) == ["BIND", "SRCH", "SRCH"]
    assert list(operations.etime_ns) == [13_000_000, 2_000_000, 7_000_000]
    assert list(operations.err) == [0, 32, 0]
    assert list(operations.nentries) == [ABSENT, 3, 1]
    assert list(operations.notes) == [0, 0, 2]
    assert operations.end_ns[0] == 1371563822 * 10**9 + 3 * 10**6
    assert operations.bases[operations.base[1]] == "dc=a [b],dc=c"
    assert [operations.bind_dns[i] for i in operations.bind_dn[:2]] == ["cn=app,dc=root"] * 2
    assert operations.clients[operations.client[0]] == "192.0.2.7"
    assert (scanner.counts.understood, scanner.counts.set_aside) == (7, 1)


def classic(op: int, second: int) -> str:
    time = f"[21/Nov/2026:02:20:{second:02d}.100000000 +0000] conn=1 op={op} "
    return (
        time + 'SRCH base="o=classic" scope=2 filter="(a=*)" attrs=ALL\n'
        + time + "RESULT err=0 tag=101 nentries=1 wtime=0.000001 optime=0.000002 etime=0.5 "
        "notes=U,P\n"
    )  # fmt: skip


def modern(op: int, second: int, indent: int | None) -> str:
    about = {
        "local_time": f"2026-11-21T02:20:{second:02d}.100000000 +0000", "key": "1739212909-1",
        "conn_id": 1, "op_id": op,
    }  # fmt: skip
    asked = about | {"operation": "SEARCH", "base_dn": "o=modern", "filter": "(a=*)"}
    told = about | {
        "operation": "RESULT", "tag": 101, "err": 0, "nentries": 1, "etime": "0.25",
        "notes": [{"note": "A", "filter": "(a=*)"}],
    }  # fmt: skip
    return "".join(json.dumps(each, indent=indent) + "\n" for each in (asked, told))


@pytest.mark.parametrize("pieces", [1, 2, 3, 17])
@pytest.mark.parametrize("indent", [None, 4])
def test_a_log_that_was_switched_to_json_and_back_is_read_through(indent, pieces) -> None:
    parts = [classic(1, 1), modern(2, 2, indent), classic(3, 3), modern(4, 4, indent)]
    for text in ("".join(parts), "".join(parts[1:])):
        for dialect in ("389", "389-json"):
            scanner, operations = scan(text, dialect, pieces)
            first = 1 if text.startswith("[") else 2
            assert list(operations.op) == list(range(first, 5))
            ours = [operations.bases[i] for i in operations.base]
            assert ours == ["o=modern" if op % 2 == 0 else "o=classic" for op in operations.op]
            assert list(operations.etime_ns) == [
                25 * 10**7 if op % 2 == 0 else 5 * 10**8 for op in operations.op
            ]
            assert list(operations.notes) == [2 if op % 2 == 0 else 5 for op in operations.op]
            assert scanner.counts.unknown == 0
            assert scanner.counts.understood == text.count("\n")
            for at, base in zip(operations.request_at, ours, strict=True):
                assert base in text[at : at + 200]


def test_a_log_rotated_when_it_was_switched_is_one_stream(tmp_path: Path) -> None:
    (tmp_path / "access").write_text(modern(2, 2, None))
    packed = gzip.compress(classic(1, 1).encode())
    (tmp_path / "access.20261121-022001.gz").write_bytes(packed)
    [logs] = gather([tmp_path]).sets
    assert [found.path.name for found in logs.files] == ["access.20261121-022001.gz", "access"]
    assert logs.detection.dialect == "389"
