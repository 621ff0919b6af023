"""What must not change a number: other order, other zone, other packing, another grammar."""

from __future__ import annotations

import gzip
import itertools
import json
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.files import LogFile
from tests.unit.logs.material import tails

START = 1_795_227_600 * 10**9  # 2026-11-21 02:20:00 UTC
MS = 10**6


@dataclass(frozen=True)
class Asked:
    """One operation that was answered."""

    conn: int
    op: int
    kind: str
    etime_ns: int
    end_ns: int


TAGS = {"SRCH": 101, "MOD": 103, "DEL": 107}


@st.composite
def loads(draw: st.DrawFn, unit_ns: int = 1) -> list[Asked]:
    """Some connections with some operations each, in the order of their ends."""
    found = []
    for conn in range(1, draw(st.integers(1, 4)) + 1):
        clock = START + draw(st.integers(0, 5000)) * MS
        steps = draw(st.lists(st.integers(1, 40_000_000), min_size=1, max_size=8))
        for op, step in enumerate(steps):
            etime = max(1, step * 50 // unit_ns) * unit_ns
            clock += etime + MS
            kind = draw(st.sampled_from(sorted(TAGS)))
            found.append(Asked(conn, op, kind, etime, clock))
    return sorted(found, key=lambda asked: asked.end_ns)


def stamp(ns: int, zone: timezone = UTC) -> str:
    moment = datetime.fromtimestamp(ns // 10**9, tz=zone)
    return f"[{moment:%d/%b/%Y:%H:%M:%S}.{ns % 10**9:09} {moment:%z}]"


def request(asked: Asked) -> str:
    if asked.kind == "SRCH":
        return 'SRCH base="dc=a" scope=2 filter="(uid=u)" attrs=ALL'
    return f'{asked.kind} dn="cn=x,dc=a"'


def seconds(ns: int) -> str:
    return f"{ns // 10**9}.{ns % 10**9:09}"


def lines_389(load: list[Asked], zone: timezone = UTC) -> list[tuple[int, int, str]]:
    """(time, conn, line): a request and its result for each."""
    rows = []
    for asked in load:
        where = f"conn={asked.conn} op={asked.op}"
        begin = asked.end_ns - asked.etime_ns
        rows.append((begin, asked.conn, f"{stamp(begin, zone)} {where} {request(asked)}\n"))
        result = f"RESULT err=0 tag={TAGS[asked.kind]} nentries=1 etime={seconds(asked.etime_ns)}"
        rows.append((asked.end_ns, asked.conn, f"{stamp(asked.end_ns, zone)} {where} {result}\n"))
    return sorted(rows, key=lambda row: row[0])


def text_389(load: list[Asked], zone: timezone = UTC) -> bytes:
    return "".join(line for _, _, line in lines_389(load, zone)).encode()


def scan(data: bytes, dialect: str = "389") -> Scanner:
    """A scanner that has read everything; its tails are in `.found`."""
    scanner = Scanner(dialect, year=2026)
    scanner.found = tails(scanner.feed(data))  # type: ignore[attr-defined]
    assert len(scanner.finish()) == 0
    return scanner


def numbers(data: bytes, dialect: str = "389") -> dict[str, dict[str, int]]:
    return scan(data, dialect).found  # type: ignore[attr-defined,no-any-return]


quick = settings(max_examples=40, deadline=None)


@given(loads(), st.randoms(use_true_random=False))
@quick
def test_connections_shuffled_keep_the_percentiles(load: list[Asked], rng: Random) -> None:
    rows = lines_389(load)
    left = {conn: [r for r in rows if r[1] == conn] for conn in {r[1] for r in rows}}
    mixed = []
    while left:
        conn = rng.choice(sorted(left))
        mixed.append(left[conn].pop(0)[2])
        if not left[conn]:
            del left[conn]
    assert numbers("".join(mixed).encode()) == numbers(text_389(load))


@given(loads(), st.lists(st.integers(0, 200), max_size=4))
@quick
def test_split_at_lines_and_packed_is_the_same(load: list[Asked], cuts: list[int]) -> None:
    text = text_389(load)
    lines = text.splitlines(keepends=True)
    scanner = Scanner("389")
    parts = [0, *sorted(min(cut, len(lines)) for cut in cuts), len(lines)]
    etimes = [
        scanner.feed(b"".join(lines[a:b])).etime_ns.tolist() for a, b in itertools.pairwise(parts)
    ]
    assert [*itertools.chain(*etimes)] == Scanner("389").feed(text).etime_ns.tolist()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "access"
        path.write_bytes(gzip.compress(text))
        assert b"".join(LogFile(path).pieces(64)) == text


GARBAGE = ["\n", "# a comment\n", "garbage\n", "[21/Nov/2026:02:20\n", "\0\0\n", "<script>\n"]


@given(loads(), st.lists(st.tuples(st.integers(0, 200), st.sampled_from(GARBAGE)), max_size=8))
@quick
def test_garbage_lines_change_only_their_count(
    load: list[Asked], garbage: list[tuple[int, str]]
) -> None:
    lines = text_389(load).decode().splitlines(keepends=True)
    total = len(lines)
    for place, line in garbage:
        lines.insert(min(place, len(lines)), line)
    clean, dirty = scan(text_389(load)), scan("".join(lines).encode())
    assert dirty.found == clean.found  # type: ignore[attr-defined]
    assert clean.counts.understood == dirty.counts.understood == total
    assert dirty.counts.set_aside + dirty.counts.unknown == len(garbage)


@given(loads())
@quick
def test_twice_with_other_connections_doubles_the_counts(load: list[Asked]) -> None:
    again = [replace(asked, conn=asked.conn + 100) for asked in load]
    once, twice = numbers(text_389(load)), numbers(text_389(load) + text_389(again))
    for name, row in once.items():
        doubled = {**row, "n": 2 * row["n"], "sum_ns": 2 * row["sum_ns"]}
        # Doubling every value keeps each quantile: rank ceil(2 p n) is value ceil(p n).
        assert twice[name] == doubled


@given(loads(), st.integers(-(10**6), 10**6), st.integers(-12, 14))
@quick
def test_other_time_or_zone_keeps_everything(load: list[Asked], shift: int, hours: int) -> None:
    moved = [replace(asked, end_ns=asked.end_ns + shift * 10**9) for asked in load]
    assert numbers(text_389(moved)) == numbers(text_389(load))
    east = text_389(load, timezone(timedelta(hours=hours, minutes=30)))
    assert Scanner("389").feed(east).end_ns.tolist() == [asked.end_ns for asked in load]
    assert numbers(east) == numbers(text_389(load))


@given(loads(), st.integers(0, 31))
@quick
def test_one_longer_etime_changes_only_its_type(load: list[Asked], which: int) -> None:
    place = which % len(load)
    longer = load.copy()
    longer[place] = replace(load[place], etime_ns=load[place].etime_ns * 7)
    before, after = numbers(text_389(load)), numbers(text_389(longer))
    kind = load[place].kind
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {kind, "*"}
    assert after[kind]["sum_ns"] == before[kind]["sum_ns"] + 6 * load[place].etime_ns


# --- twins: the same operations in two grammars ---------------------------------------------

NAMES = {"SRCH": "SEARCH", "MOD": "MODIFY", "DEL": "DELETE"}


def json_389(load: list[Asked]) -> bytes:
    parts = []
    for asked in load:
        head = {"key": f"1-{asked.conn}", "conn_id": asked.conn, "op_id": asked.op}
        for ns, fields in (
            (asked.end_ns - asked.etime_ns, {"operation": NAMES[asked.kind], "base_dn": "dc=a"}),
            (
                asked.end_ns,
                {
                    "operation": "RESULT",
                    "tag": TAGS[asked.kind],
                    "err": 0,
                    "nentries": 1,
                    "etime": seconds(asked.etime_ns),
                },
            ),
        ):
            moment = datetime.fromtimestamp(ns // 10**9, tz=UTC)
            time = f"{moment:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09} +0000"
            parts.append((ns, json.dumps({"local_time": time} | fields | head)))
    return "".join(line + "\n" for _, line in sorted(parts)).encode()


def opendj_text(load: list[Asked]) -> bytes:
    rows = []
    for asked in load:
        where = f"conn={asked.conn} op={asked.op} msgID={asked.op + 1}"
        for ns, word, rest in (
            (asked.end_ns - asked.etime_ns, "REQ", 'base="dc=a" filter="(uid=u)"'),
            (asked.end_ns, "RES", f"result=0 nentries=1 etime={asked.etime_ns // MS}"),
        ):
            moment = datetime.fromtimestamp(ns // 10**9, tz=UTC)
            line = f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] {NAMES[asked.kind]} {word} {where} {rest}\n"
            rows.append((ns, line))
    return "".join(line for _, line in sorted(rows)).encode()


def opendj_json(load: list[Asked]) -> bytes:
    parts = []
    for asked in load:
        moment = datetime.fromtimestamp(asked.end_ns // 10**9, tz=UTC)
        record = {
            "eventName": "DJ-LDAP",
            "client": {"ip": "192.0.2.7"},
            "request": {
                "operation": NAMES[asked.kind],
                "connId": asked.conn,
                "msgId": asked.op + 1,
                "dn": "dc=a",
            },
            "response": {
                "statusCode": "0",
                "elapsedTime": asked.etime_ns // MS,
                "elapsedTimeUnits": "MILLISECONDS",
                "nentries": 1,
            },
            "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}.{asked.end_ns % 10**9 // MS:03}Z",
        }
        parts.append(json.dumps(record) + "\n")
    return "".join(parts).encode()


def slapd(load: list[Asked], *, syslog: bool) -> bytes:
    rows = []
    for asked in load:
        result = (
            "SEARCH RESULT tag=101" if asked.kind == "SRCH" else f"RESULT tag={TAGS[asked.kind]}"
        )
        micro = f"{asked.etime_ns // 10**9}.{asked.etime_ns % 10**9 // 1000:06}"
        for ns, text in (
            (asked.end_ns - asked.etime_ns, request(asked)),
            (asked.end_ns, f"{result} err=0 qtime=0.000001 etime={micro} nentries=1 text="),
        ):
            moment = datetime.fromtimestamp(ns // 10**9, tz=UTC)
            before = f"{moment:%b %d %H:%M:%S} ldap1 slapd[7]:"
            if not syslog:
                before = f"{ns // 10**9:08x}.{ns % 10**9:08x} 0x7f5da53fe6c0"
            rows.append((ns, f"{before} conn={asked.conn} op={asked.op} {text}\n"))
    return "".join(line for _, line in sorted(rows)).encode()


@given(loads())
@quick
def test_twins_of_389(load: list[Asked]) -> None:
    assert numbers(json_389(load), "389-json") == numbers(text_389(load))


@given(loads(unit_ns=MS))
@quick
def test_twins_of_opendj(load: list[Asked]) -> None:
    assert numbers(opendj_json(load), "opendj-json") == numbers(text_389(load))
    assert numbers(opendj_text(load), "opendj") == numbers(text_389(load))


@given(loads(unit_ns=1000))
@quick
def test_twins_of_slapd(load: list[Asked]) -> None:
    wanted = numbers(text_389(load))
    assert numbers(slapd(load, syslog=True), "openldap") == wanted
    assert numbers(slapd(load, syslog=False), "openldap") == wanted


def test_a_twin_that_differs_is_seen() -> None:
    load = [Asked(1, 0, "SRCH", 5 * MS, START)]
    other = [replace(load[0], etime_ns=6 * MS)]
    with pytest.raises(AssertionError):
        assert numbers(opendj_json(other), "opendj-json") == numbers(text_389(load))
