"""JSON access logs: 389 (events) and OpenDJ (operations)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import ABSENT, TYPES, Operations
from tests.unit.logs.lines389 import PAIR, rows
from tests.unit.logs.material import material

TIME = "2026-11-21T03:20:00.151797648 +0100"
NS = 1795227600151797648


def scan(dialect: str, text: str) -> tuple[Scanner, Operations]:
    scanner = Scanner(dialect)
    operations = scanner.feed(text.encode())
    assert len(scanner.finish()) == 0
    return scanner, operations


def event(operation: str, **fields: object) -> dict[str, object]:
    head = {"local_time": TIME, "operation": operation, "key": "1739212909-7", "conn_id": 7}
    return head | fields


EVENTS: list[dict[str, object]] = [
    {"header": {"version": "389-Directory/3.1.3", "instance": "slapd-x"}},
    event("CONNECTION", fd=64, slot=64, tls=False, client_ip="192.0.2.7", server_ip="192.0.2.1"),
    event("BIND", op_id=0, bind_dn="cn=A", version=3, method="128"),
    event("RESULT", op_id=0, msg="SASL bind in progress", tag=97, err=0, nentries=0,
          wtime="0.000130401", optime="0.078189513", etime="0.078315869", bind_dn="cn=a"),
    event("SEARCH", op_id=1, base_dn="cn=\"ü\\, x\"", scope=2, filter="(cn=a\\29*)",
          request_controls=[{"oid": "1.2.3", "value": "e", "filter": "(no=no)"}], attrs=["cn"]),
    event("STAT", op_id=1, stat_attr="cn", stat_key="sub", stat_count=24),
    event("RESULT", op_id=1, tag=101, err=0, nentries=5, etime="0.5", client_ip="192.0.2.7",
          notes=[{"note": "U", "base_dn": "cn=wrong", "filter": "(w=w)"}, {"note": "P"}]),
    event("MODIFY", op_id=1, internal_op=True, op_internal_id=2, op_internal_nested_count=1,
          target_dn="cn=i"),
    event("RESULT", op_id=1, internal_op=True, op_internal_id=2, op_internal_nested_count=1,
          tag=48, err=0, nentries=0, etime="0.25"),
    event("ABANDON", op_id=2, etime="0.0000091731", nentries=0, msgid=3, target_op="1"),
    event("EXTENDED_OP_INFO", op_id=3, name="x"),
    event("EXTENDED_OP", op_id=4, oid="1.3.6.1", name="whoami"),
    event("DISCONNECT", fd=64, close_reason="U1"),
]  # fmt: skip


def pretty(events: list[dict[str, object]]) -> str:
    return "".join(json.dumps(e, indent=2) + "\n" for e in events)


def compact(events: list[dict[str, object]]) -> str:
    return "".join(json.dumps(e, separators=(",", ":"), ensure_ascii=False) + "\n" for e in events)


@pytest.mark.parametrize("write", [compact, pretty])
def test_389_events(write: object) -> None:
    text = write(EVENTS)  # type: ignore[operator]
    scanner, operations = scan("389-json", text)
    assert [TYPES[kind] for kind in operations.kind] == ["BIND", "SRCH", "MOD", "ABANDON"]
    assert operations.etime_ns.tolist() == [78_315_869, 500_000_000, 250_000_000, 91_731]
    assert operations.wtime_ns.tolist() == [130_401, ABSENT, ABSENT, ABSENT]
    assert operations.notes.tolist() == [0, 0b101, 0, 0]
    assert operations.internal.tolist() == [False, False, True, False]
    assert operations.nentries.tolist() == [0, 5, 0, 0]
    assert set(operations.end_ns.tolist()) == {NS}
    assert operations.bases[operations.base[1]] == 'cn="ü\\, x"'
    assert operations.fingerprints[operations.fingerprint[1]] == "(cn=?*)"
    assert {operations.bind_dns[i] for i in operations.bind_dn} == {"cn=a"}
    assert {operations.clients[i] for i in operations.client} == {"192.0.2.7"}
    at = text.encode()
    assert at[operations.request_at[1] :].startswith(b"{")
    assert scanner.counts.reasons == {"header": 1 if write is compact else 6}
    assert scanner.counts.understood + scanner.counts.set_aside == text.count("\n")
    assert scanner.counts.unknown == 0
    assert [r.kind for r in scanner.open_requests()] == ["EXT"]


WHOLE = (pretty(EVENTS) + PAIR + compact(EVENTS) + '{"cut": "in a st\n' + compact(EVENTS)).encode()


@given(st.lists(st.integers(0, len(WHOLE)), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_split_of_objects_gives_the_same(cuts: list[int]) -> None:
    whole = Scanner("389-json")
    expected = rows(whole.feed(WHOLE)) + rows(whole.finish())
    scanner, found = Scanner("389-json"), []
    for start, end in pairwise([0, *sorted(cuts), len(WHOLE)]):
        found += rows(scanner.feed(WHOLE[start:end]))
    assert found + rows(scanner.finish()) == expected
    assert scanner.counts == whole.counts


def test_damaged_and_mixed_objects() -> None:
    scanner, operations = scan("389-json", WHOLE.decode())
    assert len(operations) == 4 * 3 + 1
    assert scanner.counts.reasons == {"header": 8, "cut line": 1}
    assert scanner.counts.unknown == 0


def test_connections_of_one_number_are_told_apart_by_their_key() -> None:
    first = event("DELETE", op_id=1, target_dn="cn=1")
    second = event("DELETE", op_id=1, target_dn="cn=2") | {"key": "1739299999-7"}
    result = event("RESULT", op_id=1, tag=107, err=0, nentries=0, etime="0.5")
    scanner, operations = scan("389-json", compact([first, second, result]))
    assert operations.bases[operations.base[0]] == "cn=1"
    assert scanner.open_operations == 1


def test_twin_of_the_design_examples() -> None:
    scanner = Scanner("389-json")
    data = material("389ds-json/access-json-design-examples.jsonl").read_bytes()
    operations = scanner.feed(data)
    assert len(operations) == data.count(b'"RESULT"') + data.count(b'"ABANDON"')
    assert int(operations.etime_ns.max()) == 3_379_682_490
    assert (scanner.counts.understood, scanner.counts.unknown) == (41, 0)


def record(operation: str, elapsed: int, units: str = "MILLISECONDS", **response: object) -> str:
    return compact([{
        "eventName": "DJ-LDAP",
        "client": {"ip": "192.0.2.7", "port": 38584},
        "server": {"ip": "192.0.2.1", "port": 1389},
        "request": {"protocol": "LDAP", "operation": operation, "connId": 5, "msgId": 6,
                    "dn": "dc=a", "scope": "sub", "filter": "(uid=x)", "attrs": ["cn"]},
        "transactionId": "0",
        "response": {"status": "OK", "statusCode": "32", "elapsedTime": elapsed,
                     "elapsedTimeUnits": units, "nentries": 4, **response},
        "timestamp": "2026-11-21T02:20:00.151Z", "_id": "x",
    }])  # fmt: skip


def test_opendj_records_are_operations() -> None:
    text = (
        record("CONNECT", 0) + record("SEARCH", 9, elapsedQueueingTime=2, elapsedProcessingTime=7)
        + record("DELETE", 12_345_678_901, "NANOSECONDS") + record("UNBIND", 0)
        + record("DISCONNECT", 0)
    )  # fmt: skip
    scanner, operations = scan("opendj-json", text)
    assert [TYPES[kind] for kind in operations.kind] == ["SRCH", "DEL"]
    assert operations.etime_ns.tolist() == [9_000_000, 12_345_678_901]
    assert operations.wtime_ns.tolist() == [2_000_000, ABSENT]
    assert operations.optime_ns.tolist() == [7_000_000, ABSENT]
    assert operations.err.tolist() == [32, 32]
    assert operations.nentries.tolist() == [4, 4]
    assert operations.request_at.tolist() == operations.result_at.tolist()
    assert operations.bases[operations.base[0]] == "dc=a"
    assert operations.clients[operations.client[0]] == "192.0.2.7"
    assert (operations.conn[0], operations.op[0]) == (5, 6)
    assert scanner.counts.understood == 5
    assert scanner.orphan_results == 0
    assert scanner.resolution_ns == 10**6


def test_negative_times_of_opendj_are_garbage() -> None:
    scanner, operations = scan(
        "opendj-json",
        record("SEARCH", 9, elapsedQueueingTime=-5, elapsedProcessingTime=-(10**18) + 1)
        + record("SEARCH", 9, "NANOSECONDS", elapsedQueueingTime=-1)
        + record("SEARCH", -(10**18) + 1),
    )
    assert operations.etime_ns.tolist() == [9_000_000, 9]
    assert operations.wtime_ns.tolist() == [ABSENT, ABSENT]
    assert operations.optime_ns.tolist() == [ABSENT, ABSENT]
    reasons = {"garbage wtime": 2, "garbage optime": 1, "garbage etime": 1}
    assert scanner.counts.reasons == reasons


@pytest.mark.parametrize("cut", ['"etime":"0.0002', '"etime":0.0002', '"etime":"0.0002"', '"etim'])
@pytest.mark.parametrize("pieces", [1, 2])
def test_an_event_that_was_cut_makes_no_row_of_half_a_number(cut: str, pieces: int) -> None:
    result = compact([event("RESULT", op_id=1, tag=101, err=0, nentries=0, etime="0.25")])
    text = result.split('"etime"')[0] + cut + result + result
    text *= pieces
    scanner, operations = scan("389-json", text)
    assert operations.etime_ns.tolist() == [250_000_000] * pieces
    assert scanner.counts.reasons == {"cut line": pieces}
    assert scanner.counts.unknown == 0


def test_a_request_or_header_that_was_cut_is_set_aside_and_a_brace_too_many_is_not() -> None:
    request = compact([event("SEARCH", op_id=1, base_dn="dc=a", filter="(a=b)")])
    result = compact([event("RESULT", op_id=1, tag=101, err=0, nentries=0, etime="0.25")])
    cut = compact(EVENTS[:1])[:-3] + request + request[:-30] + "\n"
    scanner, operations = scan("389-json", cut + result[:-1] + "]\n")
    assert operations.etime_ns.tolist() == [250_000_000]
    assert scanner.counts.reasons == {"cut line": 2}
    assert scanner.open_operations == 0


def test_a_line_whose_braces_stay_open_goes_on_in_the_next_one() -> None:
    text = compact([event("RESULT", op_id=1, tag=101, err=0, nentries=0, etime="0.25")])
    for place in (",", ':"0.25"', "}"):
        before, behind = text.split(place, 1)
        scanner, operations = scan("389-json", f"{before}\n{place}{behind}")
        assert operations.etime_ns.tolist() == [250_000_000]
        assert (scanner.counts.understood, scanner.counts.set_aside) == (2, 0)


def test_records_of_the_manual_have_no_time() -> None:
    scanner = Scanner("opendj-json")
    data = material("opendj-json/ldap-access-pingds81-doc.audit.json").read_bytes()
    assert len(scanner.feed(data)) == 0
    assert scanner.counts.reasons == {"line without a time": 6}


@pytest.mark.parametrize("connections", [True, False])
def test_389_events_of_a_connection_number_used_again_after_a_restart(connections: bool) -> None:
    def life(epoch: int, client: str, dn: str, op: int) -> list[dict[str, object]]:
        def of(operation: str, **fields: object) -> dict[str, object]:
            return event(operation, **fields) | {"key": f"{epoch}-7"}

        began = [of("CONNECTION", fd=64, slot=64, client_ip=client)] if connections else []
        asked = [of("SEARCH", op_id=op, base_dn="dc=x", filter="(a=b)")]
        found = of("RESULT", op_id=op, tag=101, err=0, nentries=1, etime="0.5", client_ip=client)
        who = [
            of("BIND", op_id=0, bind_dn=dn),
            of("RESULT", op_id=0, tag=97, err=0, etime="0.5", bind_dn=dn, client_ip=client),
        ]
        return began + (who if dn else []) + asked + [found]

    first = life(1739212909, "192.0.2.7", "cn=a", 1)
    scanner, operations = scan("389-json", compact(first + life(1739219999, "192.0.2.8", "", 1)))
    assert scanner.restarts == 1
    assert operations.boot.tolist() == [0, 0, 1]
    assert operations.client.tolist() == [0, 0, 1]
    names = [operations.bind_dns[i] if i >= 0 else None for i in operations.bind_dn]
    assert names == ["cn=a", "cn=a", None]
    scanner, _ = scan("389-json", compact(first + first[-2:]))
    assert scanner.restarts == 0
