"""Results find their requests, and operations their connection, client and server start."""

from __future__ import annotations

import numpy as np
import pytest

from ldap_workbench.logs.access.scanner import Scanner
from tests.unit.logs.lines389 import NS, PAIR, T, kinds, opened, scan


def test_results_without_a_request_take_their_type_from_the_tag() -> None:
    tags = {"BIND": 97, "SRCH": 101, "MOD": 103, "ADD": 105, "DEL": 107, "MODRDN": 109}
    tags |= {"CMP": 111, "EXT": 120, "UNKNOWN": 48}
    text = "".join(
        T + f"conn=1 op={i} RESULT err=0 tag={tag} nentries=0 etime=0\n"
        for i, tag in enumerate(tags.values())
    )
    scanner, operations = scan(text)
    assert kinds(operations) == list(tags)
    assert scanner.orphan_results == len(tags)
    assert operations.request_at.tolist() == [-1] * len(tags)


def test_internal_operations_never_meet_those_of_clients() -> None:
    text = ""
    for head in ("conn=66 op=0", "conn=66 (Internal) op=0(9)(1)", "conn=Internal(0) op=0(9)(1)"):
        text += T + f'{head} SRCH base="dc={len(head)}" scope=2 filter="(a=b)" attrs=ALL\n'
    for head in ("conn=66 op=0", "conn=66 (Internal) op=0(9)(1)", "conn=Internal(0) op=0(9)(1)"):
        text += T + f"{head} RESULT err=0 tag=48 nentries=0 etime={len(head)}\n"
    scanner, operations = scan(text)
    for base, etime in zip(operations.base, operations.etime_ns, strict=True):
        assert operations.bases[base] == f"dc={etime // 10**9}"
    assert operations.internal.tolist() == [False, True, True]
    assert scanner.open_operations == 0


def test_old_internal_operations_are_not_paired() -> None:
    line = T + 'conn=Internal op=-1 SRCH base="" scope=0 filter="(a=b)" attrs=ALL\n'
    result = T + "conn=Internal op=-1 RESULT err=0 tag=48 nentries=1 etime=2\n"
    scanner, operations = scan((line + result) * 2)
    assert operations.internal.all()
    assert len(operations) == 2
    assert scanner.open_operations == scanner.orphan_results == 0


def test_result_after_unbind_and_close_is_paired() -> None:
    text = (
        T + 'conn=3 op=1 MOD dn="cn=a"\n' + T + "conn=3 op=2 UNBIND\n" + T
        + "conn=3 op=2 fd=64 Disconnect - Cleanly Closed Connection - U1\n" + T
        + "conn=3 op=1 RESULT err=0 tag=103 nentries=0 etime=1.5\n"
    )  # fmt: skip
    scanner, operations = scan(text)
    assert operations.request_at.tolist() == [0]
    assert scanner.orphan_results == scanner.open_operations == 0


def test_requests_that_stay_open_are_listed_with_their_start() -> None:
    text = T + 'conn=3 op=1 SRCH base="cn=changelog" scope=2 filter="(a=b)" options=persistent\n'
    scanner, _ = scan(text + T + "conn=4 op=9 UNPROCESSED OPERATION - Anonymous\n")
    first, second = scanner.open_requests()
    assert (first.kind, first.start_ns, first.conn, first.op) == ("SRCH", NS, 3, 1)
    assert (first.at, first.base, first.internal) == (0, "cn=changelog", False)
    assert (second.kind, second.conn) == ("UNKNOWN", 4)
    assert scanner.open_operations == 2
    scanner.feed(f"{T}conn=3 op=1 RESULT err=0 tag=101 nentries=0 etime=1\n".encode())
    assert scanner.open_requests() == [second]


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ("wtime=0.000126358 optime=0.000146558", "result without etime"),
        ("etime=-1.000270322", "garbage etime"),
    ],
)
def test_a_result_without_a_latency_ends_its_request(times: str, reason: str) -> None:
    asked, answered = PAIR.splitlines(keepends=True)
    answered = answered[: answered.index("wtime")] + f"{times}\n"
    scanner, operations = scan(asked + answered)
    assert (len(operations), scanner.open_operations) == (0, 0)
    assert scanner.counts.reasons == {reason: 1}
    assert scan(asked + answered.replace("op=1", "op=2"))[0].open_operations == 1


def test_the_table_of_requests_does_not_grow_where_no_etime_is_logged() -> None:
    line = "conn=1 op={0} RESULT err=0 tag=101 nentries=1\n"
    text = "".join(
        T + 'conn=1 op={0} SRCH base="" scope=0 filter="(a=b)"\n' + T + line for _ in "a"
    )
    scanner, _ = scan("".join(text.format(i) for i in range(2000)))
    assert scanner.open_operations == 0


def test_a_bind_without_a_latency_still_binds() -> None:
    bind = T + 'conn=1 op=1 BIND dn="cn=app" method=128 version=3\n'
    bind += T + "conn=1 op=1 RESULT err=0 tag=97 nentries=0\n"
    _, operations = scan(bind + T + "conn=1 op=2 RESULT err=0 tag=103 nentries=0 etime=0.5\n")
    assert [operations.bind_dns[i] for i in operations.bind_dn] == ["cn=app"]


def test_restart_is_seen_by_connection_numbers() -> None:
    request = T + 'conn=1 op=0 DEL dn="cn=a"\n'
    result = T + "conn=1 op=0 RESULT err=0 tag=107 nentries=0 etime=0.5\n"
    scanner, operations = scan(opened(1) + request + opened(1) + result + request + result)
    assert scanner.restarts == 1
    assert operations.boot.tolist() == [1, 1]
    assert scanner.orphan_results == 1
    assert scanner.open_operations == 1


def test_rotation_is_no_restart() -> None:
    header = "\t389-Directory/2.3.1 B2025.016.1616\n\tlocalhost:3389 (/etc/dirsrv/slapd-x)\n\n"
    request = T + 'conn=5 op=0 DEL dn="cn=a"\n'
    result = T + "conn=5 op=0 RESULT err=0 tag=107 nentries=0 etime=0.5\n"
    scanner, operations = scan(opened(5) + request + header + result + opened(6))
    assert (scanner.restarts, scanner.orphan_results) == (0, 0)
    assert operations.request_at.tolist() == [len(opened(5))]
    scanner, _ = scan(opened(5) + header + opened(2))
    assert scanner.restarts == 1


def test_own_connection_by_nonce() -> None:
    nonce = b"cn=nonce-1a2b"
    sentinel = T + 'conn=9 op=1 SRCH base="cn=nonce-1a2b,cn=monitor" scope=0 filter="(a=*)"\n'
    result = T + "conn=9 op=%d RESULT err=32 tag=101 nentries=0 etime=0.5\n"
    scanner, operations = scan(
        result % 0 + sentinel + result % 1 + PAIR, own_nonces=[b"cn=other", nonce]
    )
    assert operations.own.tolist() == [False, True, False]
    assert scanner.own_connections == {(0, 9)}


def test_bind_dn_follows_the_connection() -> None:
    def bind(op: int, dn: str, err: int, tail: str = "") -> str:
        return (
            T + f'conn=1 op={op} BIND dn="{dn}" method=128 version=3\n' + T + f"conn=1 op={op} "
            f"RESULT err={err} tag=97 nentries=0 etime=0.5{tail}\n"
        )

    asked = T + "conn=1 op=9 RESULT err=0 tag=101 nentries=0 etime=0.5\n"
    text = asked + bind(1, "cn=A", 0, ' dn="cn=a"') + asked + bind(2, "cn=b", 49) + asked
    text += bind(3, "cn=C", 0) + asked + T + 'conn=1 AUTOBIND dn="cn=root"\n' + asked
    _, operations = scan(text)
    names = [operations.bind_dns[i] if i >= 0 else None for i in operations.bind_dn]
    assert names == [None, "cn=a", "cn=a", "", "", "cn=C", "cn=C", "cn=root"]


def test_shuffled_connections_give_the_same_latencies() -> None:
    rng = np.random.default_rng(7)
    lines = {
        conn: [line + "\n" for line in PAIR.replace("conn=7", f"conn={conn}").splitlines()]
        for conn in range(20)
    }
    order = rng.permutation(np.repeat(np.arange(20), 2))
    text = "".join(lines[conn].pop(0) for conn in order.tolist())
    scanner, operations = scan(text)
    assert operations.etime_ns.tolist() == [270322] * 20
    assert (operations.request_at >= 0).all()
    assert scanner.open_operations == 0


def test_connections_closed_long_ago_make_room_for_others() -> None:
    closed = T + "conn={0} op=1 fd=64 Disconnect - Cleanly Closed Connection - U1\n"
    filler = (T + "conn=0 op=0 EXT oid=" + "x" * 900 + "\n") * 1000
    scanner = Scanner()
    for first in range(1, 120_000, 1000):
        lines = (opened(conn) + closed.format(conn) for conn in range(first, first + 1000))
        scanner.feed(("".join(lines) + filler).encode())
    assert len(scanner.connections()) <= 1 << 15
    assert scanner.restarts == 0


def test_operations_of_one_number_are_told_apart_by_their_message() -> None:
    """A replication session of Sun DS logs every operation as op=0; results may overtake."""
    lines = [f'{T}conn=7 op=0 msgId={40 + i} - MOD dn="cn=group{i},o=customer"\n' for i in range(3)]
    lines += [
        f"{T}conn=7 op=0 msgId={40 + i} - RESULT err=0 tag=103 nentries=0 etime={i + 1}\n"
        for i in (1, 2, 0)
    ]
    scanner = Scanner("sun")
    operations = scanner.feed("".join(lines).encode())
    for base, etime in zip(operations.base, operations.etime_ns, strict=True):
        assert operations.bases[base] == f"cn=group{etime // 10**9 - 1},o=customer"
    assert scanner.orphan_results == scanner.open_operations == 0
    assert "request seen twice" not in scanner.counts.reasons


@pytest.mark.parametrize("dn", ['"uid=D019070', '"uid=' + "x" * 500 + '..."', '"'])
def test_a_name_that_was_cut_off_is_not_known(dn: str) -> None:
    text = f"{T}conn=7 op=4 DEL dn={dn}\n{T}conn=7 op=4 RESULT err=0 tag=107 nentries=0 etime=1\n"
    _, operations = scan(text)
    assert kinds(operations) == ["DEL"]
    assert operations.base.tolist() == [-1]


def test_connections_without_an_operation_are_counted_by_client_and_minute() -> None:
    line = T + "conn={0} fd=64 slot=64 connection from {1} to 10.0.0.2\n"
    closing = T + "conn={0} op=-1 fd=64 closed error - B1\n"
    many = "".join((line + closing).format(conn, "10.0.0.9") for conn in range(100, 700))
    asked = line.format(1, "10.0.0.1") + T + 'conn=1 op=0 DEL dn="cn=a"\n'
    asked += T + "conn=1 op=0 RESULT err=0 tag=107 nentries=0 etime=0.5\n"
    waits = line.format(2, "10.0.0.1") + T + 'conn=2 op=0 DEL dn="cn=b"\n'
    bound = line.format(3, "10.0.0.1") + T + 'conn=3 op=0 BIND dn="cn=app" method=128 version=3\n'
    bound += T + "conn=3 op=0 RESULT err=0 tag=97 nentries=0\n"
    scanner, _ = scan(asked + waits + bound + many + line.format(701, "10.0.0.8"))
    minute = NS // 60_000_000_000 * 60_000_000_000
    assert scanner.connections_without_operation() == [
        ("10.0.0.9", minute, 600, False),
        ("10.0.0.8", minute, 1, True),
    ]


def test_connections_left_open_are_those_opened_and_not_closed_in_the_newest_run() -> None:
    line = T + "conn={0} fd=64 slot=64 connection from 10.0.0.9 to 10.0.0.2\n"
    asked = line + T + 'conn={0} op=0 DEL dn="cn=a"\n'
    asked += T + "conn={0} op=0 RESULT err=0 tag=107 nentries=0 etime=0.5\n"
    closing = T + "conn={0} op=-1 fd=64 closed error - B1\n"
    before = T + 'conn=3 op=7 DEL dn="cn=b"\n'
    run = before + asked.format(4) + line.format(5) + (asked + closing).format(6)
    assert scan(run)[0].left_open() == [4, 5]
    again = T + "conn=4 fd=64 slot=64 connection from 10.0.0.9 to 10.0.0.2\n"
    assert scan(run + again)[0].left_open() == [4]


def test_connections_that_left_the_table_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldap_workbench.logs.access.scanner._KEEP_CLOSED", 0)
    line = T + "conn={0} fd=64 slot=64 connection from 10.0.0.9 to 10.0.0.2\n"
    line += T + "conn={0} op=-1 fd=64 closed error - B1\n"
    scanner, _ = scan("".join(line.format(conn) for conn in range(5_000)))
    assert len(scanner.connections()) < 1_000
    assert [unused.connections for unused in scanner.connections_without_operation()] == [5_000]


def test_a_request_knows_when_its_connection_was_closed_also_long_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ldap_workbench.logs.access.scanner._KEEP_CLOSED", 0)
    opening = T + "conn={0} fd=64 slot=64 connection from 10.0.0.9 to 10.0.0.2\n"
    asked = T + 'conn={0} op=0 DEL dn="cn=a"\n'
    closing = T + "conn={0} op=-1 fd=64 closed error - B1\n"
    others = "".join((opening + closing).format(conn) for conn in range(10, 5_000))
    scanner, _ = scan((opening + asked + closing).format(1) + (opening + asked).format(2) + others)
    assert [(r.conn, r.client, r.closed_ns) for r in scanner.open_requests()] == [
        (1, "10.0.0.9", NS),
        (2, "10.0.0.9", None),
    ]
