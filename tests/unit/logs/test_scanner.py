"""The scanner: every column, text in pieces of any size, tables that grow."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import COLUMNS, RARE, TYPES
from tests.unit.logs.lines389 import NS, PAIR, T, kinds, opened, rows, scan


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
        **RARE,
    }
    assert operations.clients[row["client"]] == "192.0.2.7"
    assert operations.bases[row["base"]] == "ou=people,dc=example,dc=com"
    assert operations.fingerprints[row["fingerprint"]] == "(&(objectclass=?)(uid=?*?))"
    assert operations.bind_dns[row["bind_dn"]] == "uid=a,dc=example"


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


def test_start_offset_moves_the_places() -> None:
    _, operations = scan(PAIR, start_offset=1000)
    assert operations.request_at.tolist() == [1000]


def test_unknown_dialect_names_the_known() -> None:
    with pytest.raises(LogError, match="389"):
        Scanner("klingon")
