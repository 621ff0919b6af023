"""The scanner: pieces, pairing, numbers, damage."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import ABSENT, COLUMNS, TYPES, Operations

T = "[21/Nov/2026:02:20:00.151797648 +0000] "
NS = 1795227600151797648


def scan(text: str | bytes, **options: object) -> tuple[Scanner, Operations]:
    scanner = Scanner(**options)  # type: ignore[arg-type]
    operations = scanner.feed(text.encode() if isinstance(text, str) else text)
    last = scanner.finish()
    assert len(last) == 0 or len(operations) == 0
    return scanner, last if len(last) else operations


def kinds(operations: Operations) -> list[str]:
    return [TYPES[kind] for kind in operations.kind]


PAIR = (
    T + 'conn=7 op=1 SRCH base="ou=people,dc=example,dc=com" scope=2 '
    'filter="(&(objectClass=person)(uid=jd*e))" attrs="cn mail"\n'
    + T
    + "conn=7 op=1 RESULT err=0 tag=101 nentries=3 wtime=0.000126358 optime=0.000146558 "
    'etime=0.000270322 notes=U,P details="Partially Unindexed Filter,Paged Search"\n'
)


def test_every_column_of_a_search() -> None:
    opening = T + "conn=7 fd=64 slot=64 SSL connection from 192.0.2.7 to 192.0.2.1\n"
    bind = (
        T + 'conn=7 op=0 BIND dn="uid=a,dc=example" method=128 version=3\n' + T + "conn=7 op=0 "
        'RESULT err=0 tag=97 nentries=0 etime=0.000000001 dn="uid=a,dc=example"\n'
    )
    _, operations = scan(opening + bind + PAIR)
    assert kinds(operations) == ["BIND", "SRCH"]
    row = {name: getattr(operations, name)[1].item() for name in COLUMNS}
    at = len(opening + bind)
    assert row | {"client": 0, "fingerprint": 0, "base": 0, "bind_dn": 0} == {
        "end_ns": NS,
        "etime_ns": 270322,
        "wtime_ns": 126358,
        "optime_ns": 146558,
        "kind": TYPES.index("SRCH"),
        "internal": False,
        "own": False,
        "err": 0,
        "nentries": 3,
        "notes": 0b101,
        "boot": 0,
        "conn": 7,
        "op": 1,
        "internal_op": 0,
        "nesting": 0,
        "client": 0,
        "fingerprint": 0,
        "base": 0,
        "bind_dn": 0,
        "request_at": at,
        "result_at": at + PAIR.index("\n") + 1,
    }
    assert operations.clients[row["client"]] == "192.0.2.7"
    assert operations.bases[row["base"]] == "ou=people,dc=example,dc=com"
    assert operations.fingerprints[row["fingerprint"]] == "(&(objectclass=?)(uid=?*?))"
    assert operations.bind_dns[row["bind_dn"]] == "uid=a,dc=example"


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


MIXED = (
    "\t389-Directory/2.3.1 B2025.016.1616\n\tlocalhost:3389 (/etc/dirsrv/slapd-x)\n\n"
    + PAIR
    + PAIR.replace("conn=7", "conn=8").replace("\n", "\r\n")
    + T.replace("+0000", "+0530")
    + 'conn=66 (Internal) op=0(9)(1) MOD dn="cn=é"\n'
    + T
    + "conn=66 (Internal) op=0(9)(1) RESULT err=0 tag=48 nentries=0 etime=0.5\n"
    + "\0\0\0\0"
    + T
    + "conn=9 op=3 RESULT err=0 tag=103 nentries=0 etime=0.0000091731 csn=5f\n"
    + "garbage\n"
    + T
    + "- ERR - bdb - no\n"
    + T
    + "conn=9 op=4 ABANDON targetop=3 msgid=4 nentries=0 etime=0.0000091731\n"
    + PAIR.replace("conn=7", "conn=10")
).encode()


@given(st.lists(st.integers(0, len(MIXED)), max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_split_gives_the_same(cuts: list[int]) -> None:
    whole, expected = scan(MIXED)
    scanner = Scanner()
    places = [0, *sorted(cuts), len(MIXED)]
    found: list[tuple[object, ...]] = []
    for start, end in itertools.pairwise(places):
        found += rows(scanner.feed(MIXED[start:end]))
    found += rows(scanner.finish())
    assert found == rows(expected)
    assert scanner.counts == whole.counts
    assert scanner.open_operations == whole.open_operations
    assert scanner.bytes_read == len(MIXED)


def test_counts_of_every_line() -> None:
    scanner, operations = scan(MIXED)
    counts = scanner.counts
    assert counts.reasons == {"header": 2, "blank line": 1, "error log line": 1}
    assert (counts.understood, counts.set_aside, counts.unknown) == (10, 4, 1)
    assert kinds(operations) == ["SRCH", "SRCH", "MOD", "MOD", "ABANDON", "SRCH"]


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0", 0),
        ("3", 3_000_000_000),
        ("0.678000", 678_000_000),
        ("0.1", 100_000_000),
        ("0.000371619", 371_619),
        ("0.0003716196", 3_716_196),
        ("42.039279372", 42_039_279_372),
        ("0.000000000", 0),
        ("3.0000000007", 3_000_000_007),
    ],
)
def test_etime_by_its_digits(text: str, ns: int) -> None:
    _, operations = scan(T + f"conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime={text}\n")
    assert operations.etime_ns.tolist() == [ns]


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


@pytest.mark.parametrize(
    ("fields", "wtime", "optime"),
    [
        ("wtime=-161634.769201119 optime=161633.231282362 etime=0.000478713", ABSENT, ABSENT),
        ("etime=0.5 optime=0.3 wtime=0.2", 200_000_000, 300_000_000),
        ("wqtime=0.1 wtime=0.2 optime=0.3 writetime=0.1 etime=0.5", 200_000_000, 300_000_000),
        ("optime=abc etime=0.5", ABSENT, ABSENT),
        ("etime=0.5 wbusy=2/16 wqdepth=0", ABSENT, ABSENT),
    ],
)
def test_parts_of_the_time_in_any_order(fields: str, wtime: int, optime: int) -> None:
    scanner, operations = scan(T + f"conn=1 op=1 RESULT err=0 tag=101 nentries=0 {fields}\n")
    assert operations.wtime_ns.tolist() == [wtime]
    assert operations.optime_ns.tolist() == [optime]
    garbage = sum(n for reason, n in scanner.counts.reasons.items() if "garbage" in reason)
    assert garbage == ("-1616" in fields) * 2 + ("abc" in fields)
    assert scanner.counts.understood == 1


def test_text_in_values_is_never_a_field() -> None:
    evil = '(cn=a" RESULT err=9 etime=9 " conn=1 op=1 )("'
    text = (
        T + f'conn=2 op=2 SRCH base="cn="x y",dc=a" scope=2 filter="{evil}" attrs=ALL\n' + T + "con"
        "n=2 op=2 RESULT err=49 tag=101 nentries=0 etime=0.25 - Invalid etime=7 credentials\n" + T
        + 'conn=2 op=3 RESULT err=0 tag=97 nentries=0 etime=0.5 sid="etime=9 notes=A"\n'
    )  # fmt: skip
    _, operations = scan(text)
    assert operations.etime_ns.tolist() == [250_000_000, 500_000_000]
    assert operations.err.tolist() == [49, 0]
    assert operations.notes.tolist() == [0, 0]
    assert operations.bases[operations.base[0]] == 'cn="x y",dc=a'


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


def opened(conn: int) -> str:
    return T + f"conn={conn} fd=64 slot=64 connection from local to /run/slapd.socket\n"


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


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0\n", "result without etime"),
        (T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=-3\n", "garbage etime"),
        ("\0" * 40 + "\n", "NUL bytes"),
        (T + "conn=1 op=1 " + "x" * (1 << 20) + "\n", "overlong line"),
        ("[17/APR/2009:01:41:13 +0000] - ERROR<12293> - Connection  - conn=-1 op=-1 - fd\n",
         "error log line"),
        ("   \r\n", "blank line"),
    ],
)  # fmt: skip
def test_lines_set_aside(line: str, reason: str) -> None:
    scanner, operations = scan(line)
    assert scanner.counts.reasons == {reason: 1}
    assert (scanner.counts.set_aside, len(operations)) == (1, 0)


@pytest.mark.parametrize("step", [1 << 10, 1 << 19, 1 << 22])
def test_overlong_line_in_pieces(step: int) -> None:
    data = (T + "x" * (3 << 20) + "\n" + PAIR).encode()
    scanner = Scanner()
    pieces = [scanner.feed(data[i : i + step]) for i in range(0, len(data), step)]
    assert scanner.counts.reasons == {"overlong line": 1}
    assert sum(map(len, pieces)) == 1
    assert [o.result_at[0] for o in pieces if len(o)] == [data.rindex(b"[21")]


def test_last_line_without_newline() -> None:
    whole = PAIR.rstrip("\n")
    scanner, operations = scan(whole)
    assert len(operations) == 1
    start = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.123456789\n" + T
    for tail in ("conn=1 op=2 RESULT err=0 tag=101 nentries=0 etime=0.1234567",
                 "conn=1 op=2 RESULT err=0 tag=101 nentries=0 optime=7"):  # fmt: skip
        scanner = Scanner()
        assert len(scanner.feed((start + tail).encode())) == 1
        assert len(scanner.finish()) == 0
        assert scanner.counts.reasons == {"cut line": 1}


def test_two_records_glued_by_a_killed_writer() -> None:
    first = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.123456789\n"
    second = T + "conn=1 op=2 RESULT err=0 tag=101 nentries=0 etime=0.5000"
    scanner, operations = scan(first + second + first)
    assert operations.etime_ns.tolist() == [123456789] * 2
    assert scanner.counts.reasons == {"cut line": 1, "two records glued": 1}


def test_zones_and_missing_fractions_give_utc() -> None:
    text = ""
    for stamp in (
        "[21/Nov/2026:02:20:00 +0000] ",
        "[21/Nov/2026:07:50:00 +0530] ",
        "[20/Nov/2026:22:20:00 -0400] ",
        "[21/Nov/2026:02:20:00.000000000 +0000] ",
        "[21/Nov/2026:02:20:00.000000 Z] ",
        "[21/nov/2026:02:19:60 +0000] ",
    ):
        text += stamp + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.5\n"
    scanner, operations = scan(text)
    assert set(operations.end_ns.tolist()) == {NS // 10**9 * 10**9}
    assert scanner.clock_steps_back == 0


@pytest.mark.parametrize(
    "stamp",
    ["[32/Nov/2026:02:20:00 +0000]", "[01/Foo/2026:02:20:00 +0000]", "[01/Nov/2026:24:20:00 +0000]",
     "[01/Nov/2026:02:20:00 0000]", "[01/Nov/2026:02:20:00 +00", "01/Nov/2026:02:20:00 +0000]"],
)  # fmt: skip
def test_impossible_times_are_unknown(stamp: str) -> None:
    scanner, _ = scan(stamp + " conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.5\n")
    assert scanner.counts.unknown == 1


def test_steps_of_the_clock() -> None:
    later = PAIR.replace("02:20:00", "02:20:01").replace("conn=7", "conn=8")
    scanner, _ = scan(later + PAIR)
    assert scanner.clock_steps_back == 0
    scanner, _ = scan(later.replace("02:20:01", "02:20:09") + PAIR + later)
    assert scanner.clock_steps_back == 1
    assert scanner.last_time_ns == NS + 10**9


def test_resolution_from_the_digits() -> None:
    def resolution(*etimes: str) -> int:
        line = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime="
        return scan("".join(f"{line}{etime}\n" for etime in etimes))[0].resolution_ns

    assert resolution("0", "1") == 10**9
    assert resolution("0.001000", "0.000000") == 10**6
    assert resolution("0.001000", "0.000123") == 1000
    assert resolution("0.000000123", "0.001000000") == 1
    assert resolution(*["0.000000123"] * 200, "0") == 1
    assert resolution(*["0.000000123"] * 50, "0") == 10**9


def test_log_of_slow_operations_only_is_told() -> None:
    line = T + "conn=1 op={} RESULT err=0 tag=101 nentries=1 etime={}\n"
    slow = "".join(line.format(i, f"{i}.5") for i in range(1, 30))
    assert scan(slow)[0].censored_below_ns == 1_500_000_000
    assert scan(slow + line.format(99, "0.000100000"))[0].censored_below_ns is None
    assert scan(PAIR.replace("0.000270322", "9.000270322"))[0].censored_below_ns is None
    assert scan("")[0].censored_below_ns is None


def test_tables_grow_and_indices_stay_valid() -> None:
    scanner = Scanner()
    n = 3000
    requests = "".join(
        opened(i + 1) + T + f'conn={i + 1} op=1 SRCH base="ou={i}" scope=2 filter="(a{i}=b)"\n'
        for i in range(n)
    )
    assert len(scanner.feed(requests.encode())) == 0
    assert scanner.open_operations == n
    results = "".join(
        T + f"conn={i + 1} op=1 RESULT err=0 tag=101 nentries=0 etime={i}.5\n" for i in range(n)
    )
    operations = scanner.feed(results.encode())
    assert scanner.open_operations == 0
    order = [f"ou={i}" for i in range(n)]
    assert [operations.bases[i] for i in operations.base] == order
    assert operations.fingerprints[operations.fingerprint[-1]] == f"(a{n - 1}=?)"
    assert len(operations.bases) == n
    assert operations.bases[-1] == order[-1]
    assert list(operations.clients) == operations.clients[:] == ["local"]
    with pytest.raises(IndexError):
        operations.bases[n]


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


def test_start_offset_moves_the_places() -> None:
    _, operations = scan(PAIR, start_offset=1000)
    assert operations.request_at.tolist() == [1000]


def test_unknown_dialect_names_the_known() -> None:
    with pytest.raises(LogError, match="389"):
        Scanner("klingon")


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_counted_line_by_line(data: bytes) -> None:
    scanner = Scanner()
    scanner.feed(data)
    scanner.finish()
    counts = scanner.counts
    total = counts.understood + counts.set_aside + counts.unknown
    glued = counts.reasons.get("two records glued", 0)
    assert total - glued == len(data.split(b"\n")) - (data == b"" or data.endswith(b"\n"))
