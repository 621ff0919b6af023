"""What few logs say of an operation: index keys, sorting, list views, aliases, finer times."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import ABSENT, NOTES, RARE, Operations
from tests.unit.logs.lines389 import NS, T, scan

ASKED = 'SRCH base="dc=a" scope=2 filter="(cn=user_*)" attrs=ALL\n'
TOLD = "RESULT err=0 tag=101 nentries=24 wtime=0.1 optime=0.2 etime=0.3"
HEAD = T + "conn=1 op=73 "
OPENED = T + "conn=1 fd=64 slot=64 connection from 192.0.2.7 to 192.0.2.1\n"


def said(operations: Operations) -> list[tuple[object, ...]]:
    return [
        (
            operations.index_ids[i].item(),
            operations.index_ns[i].item(),
            operations.index_keys[key] if (key := operations.index_key[i]) >= 0 else "",
        )
        for i in range(len(operations))
    ]


def test_stat_lines_tell_the_largest_key_and_the_time_in_indexes() -> None:
    text = (
        HEAD + ASKED
        + HEAD + "STAT read index: attribute=objectclass key(eq)=referral --> count 0\n"
        + HEAD + "STAT read index: attribute=cn key(sub)=er_ --> count 24 (duration 0.5)\n"
        + HEAD + "STAT read index: attribute=cn key(sub)=a --> count 9 --> count 25\n"
        + HEAD + "STAT read index: attribute=cn key(eq)=x --> count 7 (duration 0.25)\n"
        + HEAD.replace("73", "74") + ASKED
        + HEAD + TOLD + "\n"
        + HEAD.replace("73", "74") + "STAT read index: attribute=uid key(pres) --> count 3\n"
        + HEAD.replace("73", "74") + "STAT read index: duration 0.000010276\n"
        + HEAD.replace("73", "74") + TOLD + "\n"
        + HEAD.replace("73", "75") + "STAT read index: duration 0.1\n"
    )  # fmt: skip
    scanner, operations = scan(text)
    assert said(operations) == [
        (25, 750_000_000, "cn key(sub)"),
        (3, 10_276, "uid key(pres)"),
    ]
    assert scanner.counts.unknown == 0


def event(operation: str, **fields: object) -> str:
    about = {"local_time": "2026-11-21T02:20:00.151797648 +0000", "operation": operation,
             "key": "1739212909-7", "conn_id": 7, "op_id": 1}  # fmt: skip
    return json.dumps(about | fields) + "\n"


def test_stat_sort_and_vlv_of_json() -> None:
    text = (
        event("SEARCH", base_dn="o=x", filter="(a=*)")
        + event("STAT", stat_attr="cn", stat_key="sub", stat_key_value="er_", stat_count=24)
        + event("STAT", stat_attr="objectclass", stat_key="eq", stat_count=25)
        + event("STAT", stat_etime="0.000010276")
        + event("SORT", sort_attrs="cn")
        + event("VLV", vlv_request={"before": 0}, vlv_response={"result": 0})
        + event("RESULT", tag=101, err=0, wqtime="0.1", writetime="0.2", etime="0.5")
    )
    operations = Scanner("389-json").feed(text.encode())
    assert said(operations) == [(25, 10_276, "objectclass key(eq)")]
    assert operations.vlv.tolist() == [True]
    assert operations.notes.tolist() == [1 << NOTES.index("S")]
    assert operations.wqtime_ns.tolist() == [100_000_000]
    assert operations.writetime_ns.tolist() == [200_000_000]


def test_sorted_searches_and_list_views() -> None:
    text = (
        HEAD + ASKED + HEAD + "SORT cn (1)\n" + HEAD + TOLD + "\n"
        + HEAD + ASKED + HEAD + "SORT cn\n" + HEAD + "VLV 0:5:0210 10:5397 (0)\n"
        + HEAD + TOLD + " notes=U,P\n"
        + HEAD + ASKED + HEAD + TOLD + "\n"
    )  # fmt: skip
    _, operations = scan(text)
    ours = 1 << NOTES.index("S")
    assert operations.notes.tolist() == [ours, ours | 0b101, 0]
    assert operations.vlv.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ("wqtime=0.1 wtime=0.2 optime=0.3 writetime=0.4 etime=0.5", (100, 200, 300, 400)),
        ("wtime=0.2 wqtime=0.1 optime=0.3 etime=0.5", (100, 200, 300, None)),
        ("writetime=0.4 etime=0.5", (None, None, None, 400)),
        ("wqtime=-1.5 etime=0.5", (None, None, None, None)),
    ],
)
def test_finer_times_of_newer_servers(times: str, expected: tuple[int | None, ...]) -> None:
    text = HEAD + ASKED + HEAD + f"RESULT err=0 tag=101 nentries=1 {times}\n"
    _, operations = scan(text)
    names = ("wqtime_ns", "wtime_ns", "optime_ns", "writetime_ns")
    found = [getattr(operations, name)[0].item() for name in names]
    assert found == [ABSENT if ms is None else ms * 10**6 for ms in expected]
    assert operations.etime_ns.tolist() == [500_000_000]


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("wbusy=3/16 wqdepth=2", (3, 16, 2)),
        ("wbusy=16/16 wqdepth=0 notes=A", (16, 16, 0)),
        ("wqdepth=7 csn=6685dc750009000d0000", (-1, -1, 7)),
        ("wbusy=3", (3, -1, -1)),
        ("wbusy=-1/16 wqdepth=x", (-1, 16, -1)),
        (f"wbusy={1 << 31}/16 wqdepth={1 << 40}", (-1, 16, -1)),
        ("wbusy=3/ wqdepth=2", (3, -1, 2)),
        ("", (-1, -1, -1)),
    ],
)
def test_the_pool_of_workers_at_each_answer(pool: str, expected: tuple[int, int, int]) -> None:
    """Lines made by hand after the format of 389 DS 3.2, which could not be had."""
    text = HEAD + ASKED + HEAD + f"{TOLD} {pool}\n" + HEAD + ASKED + HEAD + TOLD + "\n"
    scanner, operations = scan(text)
    columns = zip(operations.wbusy, operations.wmax, operations.wqdepth, strict=True)
    assert [tuple(map(int, row)) for row in columns] == [expected, (-1, -1, -1)]
    assert operations.notes.tolist() == [2 if "notes=A" in pool else 0, 0]
    assert scanner.counts.unknown == 0


def test_the_pool_of_workers_of_json() -> None:
    text = event("SEARCH", base_dn="o=x", filter="(a=*)") + event(
        "RESULT", tag=101, err=0, etime="0.5", wbusy=3, wmax=16, wqdepth=2
    )
    operations = Scanner("389-json").feed(text.encode())
    assert (operations.wbusy[0], operations.wmax[0], operations.wqdepth[0]) == (3, 16, 2)


@pytest.mark.parametrize("size", [40, 400, 10**6])
def test_what_one_line_says_is_said_of_no_other(size: int) -> None:
    lines = [OPENED]
    for op in range(1, 31):
        head = T + f"conn=1 op={op} "
        noted = head + "STAT read index: attribute=cn key(sub)=er_ --> count 24\n"
        listed = head + "SORT cn\n" + head + "VLV 0:5:0210 10:5397 (0)\n"
        told = " wqtime=0.1" if op % 5 == 0 else ""
        lines += [head + ASKED, noted if op % 3 == 0 else "", listed if op % 7 == 0 else ""]
        lines.append(head + f"RESULT err=0 tag=101 nentries=1{told} etime=0.5\n")
    text, scanner = "".join(lines).encode(), Scanner("389")
    pieces = [scanner.feed(text[at : at + size]) for at in range(0, len(text), size)]
    columns = {
        name: np.concatenate([getattr(piece, name) for piece in pieces]).tolist() for name in RARE
    }
    numbers = range(1, 31)
    assert columns == {
        "wqtime_ns": [100_000_000 if op % 5 == 0 else ABSENT for op in numbers],
        "writetime_ns": [ABSENT] * 30,
        "index_ns": [ABSENT] * 30,
        "index_ids": [24 if op % 3 == 0 else ABSENT for op in numbers],
        "opened_ns": [NS, *[ABSENT] * 29],
        "closed_ns": [ABSENT] * 30,
        "index_key": [0 if op % 3 == 0 else -1 for op in numbers],
        "wbusy": [-1] * 30,
        "wmax": [-1] * 30,
        "wqdepth": [-1] * 30,
        "deref": [-1] * 30,
        "vlv": [op % 7 == 0 for op in numbers],
    }


def test_openldap_tells_how_aliases_are_followed() -> None:
    head = "6742a8d0.00000000 0x7f conn=1000 op="
    text = "".join(
        head + f'{op} SRCH base="dc=a" scope=2 deref={op} filter="(uid=1)"\n'
        + head + f"{op} SEARCH RESULT tag=101 err=0 qtime=0.1 etime=0.2 nentries=1 text=\n"
        for op in range(4)
    )  # fmt: skip
    operations = Scanner("openldap").feed(text.encode())
    assert operations.deref.tolist() == [0, 1, 2, 3]
    _, others = scan(HEAD + ASKED + HEAD + TOLD + "\n")
    assert others.deref.tolist() == [-1]
    assert others.deref.dtype == np.int8


PAGED, SORTED, LISTED = (
    "1.2.840.113556.1.4.319", "1.2.840.113556.1.4.473", "2.16.840.1.113730.3.4.9",
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["opendj", "unboundid"])
def test_controls_of_a_text_log(dialect: str) -> None:
    opendj = dialect == "opendj"
    asked, told = ("REQ", "RES") if opendj else ("REQUEST", "RESULT")
    err, unit = ("result", "") if opendj else ("resultCode", ".0")
    head = "[21/Nov/2026:02:20:00 +0000] SEARCH "
    text = "".join(
        head + f'{asked} conn=1 op={op} msgID=2 requestControls="{oids}" filter="(a=b)"\n'
        + head + f"{told} conn=1 op={op} msgID=2 {err}=0 etime=5{unit}\n"
        for op, oids in enumerate(["1.2.3", f"1.2.3,{PAGED}", f"{SORTED},{LISTED}"])
    )  # fmt: skip
    operations = Scanner(dialect).feed(text.encode())
    assert operations.notes.tolist() == [0, 1 << NOTES.index("P"), 1 << NOTES.index("S")]
    assert operations.vlv.tolist() == [False, False, True]
    assert {operations.fingerprints[i] for i in operations.fingerprint} == {"(a=?)"}


@pytest.mark.parametrize(
    ("items", "bits"),
    [
        ({"additionalItems": {"ssf": 128, "unindexed": None}}, 2),
        ({"additionalItems": {"unindexed": True}, "controls": [PAGED]}, 6),
        ({"additionalItems": {"unindexed": False}}, 0),
        ({"additionalItems": " unindexed"}, 2),
        ({"additionalItems": {"ssf": 128}, "controls": [SORTED]}, 128),
        ({}, 0),
    ],
)
def test_additional_items_of_pingds(items: dict[str, object], bits: int) -> None:
    items = dict(items)
    controls = items.pop("controls", None)
    request = {"operation": "SEARCH", "connId": 4, "msgId": 2, "dn": "dc=a", "filter": "(a=b)"}
    if controls:
        request["controls"] = controls
    record = {
        "eventName": "DJ-LDAP", "client": {"ip": "192.0.2.7"}, "request": request,
        "response": {"statusCode": "0", "elapsedTime": 3, "elapsedTimeUnits": "MILLISECONDS",
                     **items, "nentries": 1},
        "timestamp": "2026-11-21T02:20:00.000Z",
    }  # fmt: skip
    operations = Scanner("opendj-json").feed((json.dumps(record) + "\n").encode())
    assert operations.notes.tolist() == [bits]
    assert operations.nentries.tolist() == [1]


def slapd(stamp: str, op: int, *, etime: bool = True) -> str:
    head = f"{stamp} ldap1 slapd[77]: conn=1000 op={op} "
    told = " qtime=0.1 etime=0.2" if etime else ""
    return (
        head + 'SRCH base="dc=a" scope=2 deref=0 filter="(uid=1)"\n'
        + head + f"SEARCH RESULT tag=101 err=0{told} nentries=1 text=\n"
    )  # fmt: skip


def test_a_short_precise_stamp_has_its_fraction() -> None:
    scanner = Scanner("openldap", year=2026)
    operations = scanner.feed(slapd("Nov 21 02:20:00.151797", 1).encode())
    assert operations.end_ns.tolist() == [NS // 1000 * 1000]
    assert scanner.counts.unknown == 0


@pytest.mark.parametrize(
    ("stamps", "seconds"),
    [
        # Summer ends: 02:00 comes a second time, an hour later.
        (["Oct 25 02:59:58", "Oct 25 02:00:01", "Oct 25 02:30:00"], [0, 3, 1802]),
        # Summer begins: an hour is left out.
        (["Mar 29 01:59:58", "Mar 29 03:00:01", "Mar 29 03:30:00"], [0, 3, 1802]),
        # An hour without a line, and lines a little out of order, are no change of the clock.
        (["Mar 29 01:29:58", "Mar 29 02:30:01"], [0, 3603]),
        (["Mar 30 01:59:58", "Mar 30 03:00:01"], [0, 3603]),
        (["Oct 25 02:59:58", "Oct 25 02:59:57"], [0, -1]),
    ],
)
def test_a_clock_change_of_local_time_is_no_step(stamps: list[str], seconds: list[int]) -> None:
    scanner = Scanner("openldap", year=2026)
    text = "".join(slapd(stamp, op) for op, stamp in enumerate(stamps))
    ends = scanner.feed(text.encode()).end_ns
    assert ((ends - ends[0]) // 10**9).tolist() == seconds
    assert scanner.clock_changes == (1 if len(stamps) == 3 else 0)
    assert scanner.clock_steps_back == 0


def test_latencies_between_lines_survive_a_clock_change() -> None:
    asked = slapd("Oct 25 02:59:59", 1, etime=False).split("\n")[0]
    told = slapd("Oct 25 02:00:01", 1, etime=False).split("\n")[1]
    scanner = Scanner("openldap", year=2026)
    operations = scanner.feed(f"{asked}\n{told}\n".encode())
    assert operations.etime_ns.tolist() == [2 * 10**9]


def test_the_first_operation_to_end_on_a_connection_tells_when_it_was_opened() -> None:
    later = T.replace("00.151797648", "02.151797648")
    text = (
        OPENED
        + later + "conn=1 op=0 BIND dn=\"cn=a\" method=128 version=3\n"
        + later + "conn=1 op=0 RESULT err=0 tag=97 nentries=0 etime=0.1\n"
        + later + "conn=1 op=1 " + ASKED + later + "conn=1 op=1 " + TOLD + "\n"
        + later + "conn=2 op=7 " + ASKED + later + "conn=2 op=7 " + TOLD + "\n"
    )  # fmt: skip
    _, operations = scan(text)
    assert operations.opened_ns.tolist() == [NS, ABSENT, ABSENT]
    assert operations.end_ns.tolist() == [NS + 2 * 10**9] * 3


def test_an_operation_of_the_server_is_not_the_first_of_a_connection() -> None:
    text = (
        OPENED
        + T + "conn=1 (Internal) op=0(1)(1) " + ASKED
        + T + "conn=1 (Internal) op=0(1)(1) RESULT err=0 tag=48 nentries=1 etime=0.1\n"
        + T + "conn=1 op=0 " + ASKED + T + "conn=1 op=0 " + TOLD + "\n"
    )  # fmt: skip
    _, operations = scan(text)
    assert operations.opened_ns.tolist() == [ABSENT, NS]


def test_openldap_and_opendj_tell_it_too() -> None:
    head = "6742a8d0.00000000 0x7f conn=1000 "
    text = (
        head + "fd=12 ACCEPT from IP=192.0.2.7:50000 (IP=0.0.0.0:389)\n"
        + head + 'op=0 SRCH base="" scope=0 deref=0 filter="(objectClass=*)"\n'
        + head + "op=0 SEARCH RESULT tag=101 err=0 qtime=0.1 etime=0.2 nentries=1 text=\n"
    )  # fmt: skip
    operations = Scanner("openldap").feed(text.encode())
    assert operations.opened_ns.tolist() == [0x6742A8D0 * 10**9]
    stamp = "[21/Nov/2026:02:20:00.000 +0000] "
    text = (
        stamp + "CONNECT conn=4 from=192.0.2.7:50000 to=192.0.2.1:389 protocol=LDAP\n"
        + stamp + 'SEARCH REQ conn=4 op=0 msgID=1 base="" scope=base filter="(a=b)" attrs="ALL"\n'
        + stamp + "SEARCH RES conn=4 op=0 msgID=1 result=0 nentries=1 etime=5\n"
    )  # fmt: skip
    operations = Scanner("opendj").feed(text.encode())
    assert operations.opened_ns.tolist() == [NS // 10**9 * 10**9]


def test_what_ends_after_its_connection_was_closed_says_so() -> None:
    """389 DS works on for a client that has left, and logs the result all the same."""
    later = T.replace("02:20:00", "02:20:07")
    text = (
        OPENED
        + HEAD + ASKED + HEAD + TOLD + "\n"
        + HEAD.replace("73", "74") + ASKED
        + T.replace("02:20:00", "02:20:05") + "conn=1 op=75 fd=64 closed - U1\n"
        + later + "conn=1 op=74 RESULT err=0 tag=101 nentries=24 etime=7.0\n"
    )  # fmt: skip
    _, operations = scan(text)
    assert operations.closed_ns.tolist() == [ABSENT, NS + 5 * 10**9]
