"""Dialects other than 389: verbs first, slapd's prefixes, units that nobody prints."""

from __future__ import annotations

import numpy as np
import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import ABSENT, TYPES, Operations
from tests.unit.logs.material import material

T = "[21/Nov/2026:02:20:00 +0000] "
NS = 1795227600 * 10**9


def scan(dialect: str, text: str, **options: object) -> tuple[Scanner, Operations]:
    scanner = Scanner(dialect, **options)  # type: ignore[arg-type]
    operations = scanner.feed(text.encode())
    assert len(scanner.finish()) == 0
    return scanner, operations


def kinds(operations: Operations) -> list[str]:
    return [TYPES[kind] for kind in operations.kind]


def test_sun_passes_over_message_ids() -> None:
    head = T + "conn=9 op=1 msgId=2 - "
    text = (
        T + "conn=9 op=-1 msgId=-1 - fd=74 slot=74 LDAP connection from 192.0.2.7:38440 to 192"
        ".0.2.1\n"
        + head + 'SRCH base="dc=a" scope=2 filter="(uid=x)" attrs="*"\n'
        + head + "RESULT err=0 tag=101 nentries=1 etime=3 notes=U\n"
        + head.replace("op=1", "op=2") + "closing - B1\n"
    )  # fmt: skip
    scanner, operations = scan("sun", text)
    assert scanner.counts.understood == 4
    assert operations.etime_ns.tolist() == [3 * 10**9]
    assert operations.notes.tolist() == [1]
    assert [operations.clients[i] for i in operations.client] == ["192.0.2.7"]
    assert operations.bases[operations.base[0]] == "dc=a"


OPENDJ = (
    T + "CONNECT conn=4 from=192.0.2.7:32802 to=192.0.2.1:636 protocol=LDAPS\n"
    + T + 'BIND REQ conn=4 op=0 msgID=1 version=3 type=SIMPLE dn="cn=app"\n'
    + T + 'BIND RES conn=4 op=0 msgID=1 result=0 authDN="cn=app,dc=root" etime=9\n'
    + T + 'SEARCH REQ conn=4 op=1 msgID=2 base="dc=a" scope=sub filter="(cn=a" b)" attrs="cn"\n'
    + T + 'SEARCH RES conn=4 op=1 msgID=2 result=50 message="no "x" etime=7" nentries=0 '
    "unindexed etime=21\n"
    + T + "UNBIND REQ conn=4 op=2 msgID=3\n" + T + 'DISCONNECT conn=4 reason="Client Unbind"\n'
)  # fmt: skip


def test_opendj_requests_and_results() -> None:
    scanner, operations = scan("opendj", OPENDJ)
    assert kinds(operations) == ["BIND", "SRCH"]
    assert operations.etime_ns.tolist() == [9_000_000, 21_000_000]
    assert operations.err.tolist() == [0, 50]
    assert operations.nentries.tolist() == [ABSENT, 0]
    assert operations.notes.tolist() == [0, 2]
    assert operations.fingerprints[operations.fingerprint[1]] == "(cn=?)"
    assert [operations.bind_dns[i] for i in operations.bind_dn] == ["cn=app,dc=root"] * 2
    assert operations.clients[operations.client[0]] == "192.0.2.7"
    assert scanner.counts.unknown == scanner.open_operations == scanner.orphan_results == 0
    assert scanner.resolution_ns == 10**6


def test_opendj_combined_lines_are_request_and_result() -> None:
    line = T + 'ADD conn=1 op=2 msgID=3 type=synchronization dn="ou=x" result=68 etime=1\n'
    scanner, operations = scan(
        "opendj", line + T + "ABANDON conn=1 op=3 msgID=4 result=118 etime=0\n"
    )
    assert kinds(operations) == ["ADD", "ABANDON"]
    assert operations.request_at.tolist() == operations.result_at.tolist() == [0, len(line)]
    assert operations.bases[operations.base[0]] == "ou=x"
    assert operations.internal.tolist() == [True, False]
    assert scanner.orphan_results == 0


def pair(conn: int, etime: int, seconds: int = 0) -> str:
    ids = f"conn={conn} op=1 msgID=2 "
    later = T.replace("02:20:00", f"02:20:{seconds:02d}")
    return T + f'DELETE REQ {ids}dn="cn=a"\n' + later + f"DELETE RES {ids}result=0 etime={etime}\n"


def test_opendj_unit_is_told_by_the_distance_of_the_lines() -> None:
    def etimes(text: str) -> list[int]:
        return [int(etime) for etime in scan("opendj", text)[1].etime_ns]

    assert etimes(pair(1, 940367)) == [940367]
    assert etimes(pair(1, 15)) == [15_000_000]
    assert etimes(pair(1, 15_000, seconds=15)) == [15_000_000_000]
    assert etimes(pair(1, 15_000)) == [15_000]
    # Both units in one file, each connection with its own.
    assert etimes(pair(1, 5) + pair(2, 70_000) + pair(1, 6)) == [5_000_000, 70_000, 6_000_000]
    # What looked like milliseconds was not: the connection counts nanoseconds from then on.
    assert etimes(pair(1, 1_999) + pair(1, 99_000) + pair(1, 1_999)) == [
        1_999_000_000,
        99_000,
        1_999,
    ]


def test_month_names_of_other_locales() -> None:
    for name in ("June", "juin", "JUN", "Juni", "giugno"):
        text = f"[20/{name}/2023:11:44:32 +1000] " + pair(1, 5).split("] ")[1]
        scanner, _ = scan("opendj", text)
        assert scanner.first_time_ns == 1687225472 * 10**9, name


def test_unboundid_times_are_milliseconds() -> None:
    ids = "conn=1 op=2 msgID=3 "
    text = (
        T + f'MODDN REQUEST {ids}dn="cn=a" newRDN="cn=b"\n'
        + T + f"MODDN RESULT {ids}resultCode=0 etime=0.401 qtime=0.1\n"
        + T + f'SEARCH RESULT {ids}base="dc=a" scope=2 filter="(uid=1)" resultCode=0 etime=12.5 '
        "entriesReturned=7\n" + T + "DISCONNECT conn=1\n"
    )  # fmt: skip
    scanner, operations = scan("unboundid", text)
    assert kinds(operations) == ["MODRDN", "SRCH"]
    assert operations.etime_ns.tolist() == [401_000, 12_500_000]
    assert operations.wtime_ns.tolist() == [100_000, ABSENT]
    assert operations.nentries.tolist() == [ABSENT, 7]
    assert operations.bases[operations.base[1]] == "dc=a"
    assert scanner.resolution_ns == 1000
    assert (scanner.counts.unknown, scanner.orphan_results) == (0, 0)


PREFIXES = {
    "6a00ff10.0d4cd4da 0x7f5da53fe6c0 ": (0x6A00FF10 * 10**9 + 0x0D4CD4DA),
    "6a00ff10.0d4cd 0x7f5da53fe6c0 ": (0x6A00FF10 * 10**9 + 0x0D4CD * 1000),
    "6a00ff10 ": 0x6A00FF10 * 10**9,
    "Nov 21 02:20:00 ldap1 slapd[16495]: ": NS,
    "Nov  1 02:20:00 (none) slapd[1]: [ID 1 local4.debug] ": NS - 20 * 86400 * 10**9,
    "2026-11-21T03:20:00.5+01:00 ldap1 slapd[1458]: ": NS + 5 * 10**8,
    "<167>1 2026-11-21T02:20:00.000001Z ldap1 slapd 1458 - - ": NS + 1000,
    "openldap-1  | 6a00ff10.0d4cd4da 0x7f5c ": (0x6A00FF10 * 10**9 + 0x0D4CD4DA),
    "2023-07-07 14:15:23.703634+00:006a00ff10 ": 0x6A00FF10 * 10**9,
    "[21-11-2026 02:20:00] slapd debug  ": NS,
}


@pytest.mark.parametrize("prefix", PREFIXES)
def test_slapd_prefixes(prefix: str) -> None:
    scanner, operations = scan(
        "openldap",
        prefix + 'conn=1000 op=1 SRCH base="dc=a" scope=2 deref=0 filter="(cn=a"b)"\n'
        + prefix + "conn=1000 op=1 SRCH attr=cn mail\n"
        + prefix + "conn=1000 op=1 SEARCH RESULT tag=101 err=0 qtime=0.000006 etime=0.000155 "
        "nentries=1 text=etime=9 \n",
        year=2026,
    )  # fmt: skip
    assert operations.end_ns.tolist() == [PREFIXES[prefix]]
    assert operations.etime_ns.tolist() == [155_000]
    assert operations.wtime_ns.tolist() == [6_000]
    assert operations.fingerprints[operations.fingerprint[0]] == "(cn=?)"
    assert scanner.counts.understood == 3
    assert (scanner.open_operations, scanner.orphan_results) == (0, 0)


H = "6a00ff10.0d4cd4da 0x7f5da53fe6c0 "


@pytest.mark.parametrize(
    ("time", "no_year", "no_zone"),
    [
        ("Nov 21 02:20:00 h slapd[1]: ", True, True),
        ("[21-11-2026 02:20:00] slapd debug  ", False, True),
        ("2026-11-21 02:20:00.5 h slapd[1]: ", False, True),
        ("2026-11-21T02:20:00.5Z h slapd[1]: ", False, False),
        ("2026-11-21 02:20:00 " + H, False, False),
        ("Nov 21 02:20:00 h slapd[1]: " + H, False, False),
    ],
)
def test_what_a_time_does_not_show_is_told(time: str, no_year: bool, no_zone: bool) -> None:
    scanner, _ = scan("openldap", time + "conn=1 op=1 UNBIND\n")
    assert (scanner.shows_no_year, scanner.shows_no_zone) == (no_year, no_zone)


def test_slapd_bind_in_three_lines_is_one_operation() -> None:
    scanner, operations = scan(
        "openldap",
        H + "conn=1000 fd=11 ACCEPT from IP=[2001:db8::7]:46889 (IP=[::]:389)\n"
        + H + 'conn=1000 op=0 BIND dn="" method=163\n'
        + H + 'conn=1000 op=0 BIND authcid="gid=0" authzid="gid=0"\n'
        + H + 'conn=1000 op=0 BIND dn="cn=peercred" mech=EXTERNAL bind_ssf=0 ssf=71\n'
        + H + "conn=1000 op=0 RESULT tag=97 err=0 qtime=0.000022 etime=0.000203 text=\n"
        + H + "conn=1000 op=1 EXT oid=1.3.6.1.4.1.4203.1.11.3\n"
        + H + "conn=1000 op=1 WHOAMI\n"
        + H + "conn=1000 op=1 RESULT oid= err=0 qtime=0.000021 etime=0.000308 text=\n"
        + H + "conn=1000 op=2 RESULT oid= err=0 qtime=0.000021 etime=0.000308 text=\n",
    )  # fmt: skip
    assert kinds(operations) == ["BIND", "EXT", "EXT"]
    assert operations.bind_dns[operations.bind_dn[0]] == "cn=peercred"
    assert operations.clients[operations.client[0]] == "[2001:db8::7]"
    assert operations.fingerprints[operations.fingerprint[1]] == "1.3.6.1.4.1.4203.1.11.3"
    assert scanner.counts.understood == 9
    assert "request seen twice" not in scanner.counts.reasons


def test_slapd_24_has_the_distance_of_its_lines() -> None:
    scanner, operations = scan(
        "openldap",
        '6a00ff10 conn=1 op=1 MOD dn="cn=a"\n6a00ff10 conn=1 op=1 MOD attr=cn\n'
        "6a00ff13 conn=1 op=1 RESULT tag=103 err=0 text=\n"
        "6a00ff13 conn=1 op=2 RESULT tag=103 err=0 text=\n"
        '6a00ff13 conn=1 op=3 DEL dn="cn=a"\n6a00ff12 conn=1 op=3 RESULT tag=107 err=0 text=\n',
    )
    assert operations.etime_ns.tolist() == [3 * 10**9]
    assert scanner.resolution_ns == 10**9
    assert scanner.counts.reasons == {"result without etime": 1, "garbage etime": 1}
    assert scanner.between_lines == 2
    assert scanner.open_operations == 0


def test_slapd_24_under_a_finer_clock_has_its_steps() -> None:
    line = "2026-11-21T02:20:00.{:06d}+01:00 h slapd[1]: conn=1 op=3 {}\n"
    text = line.format(1, 'DEL dn="cn=a"') + line.format(38, "RESULT tag=107 err=0 text=")
    scanner, operations = scan("openldap", text)
    assert operations.etime_ns.tolist() == [37_000]
    assert (scanner.between_lines, scanner.resolution_ns) == (1, 1000)


def test_slapd_25_prints_its_latencies() -> None:
    text = H + 'conn=1 op=3 DEL dn="cn=a"\n'
    text += H + "conn=1 op=3 RESULT tag=107 err=0 qtime=0.000001 etime=0.000155 text=\n"
    assert scan("openldap", text)[0].between_lines == 0


def test_slapd_says_other_things_too() -> None:
    scanner, operations = scan(
        "openldap",
        H + "@(#) $OpenLDAP: slapd 2.5.13 (Feb  8 2023)\n\tDebian Maintainers\n"
        + H + "connection_input: conn=1000 deferring operation: binding\n"
        + H + "slapd starting\n" + H + "<= bdb_equality_candidates: (cn) not indexed\n"
        + "SASL SSF: 0\nconn=1 op=1 UNBIND\n\n",
    )  # fmt: skip
    assert scanner.counts.reasons == {
        "header": 3,
        "message of the server": 2,
        "line without a time": 1,
        "blank line": 1,
    }
    assert scanner.counts.unknown == 1
    assert len(operations) == 0


def test_slapd_restart_by_process_id() -> None:
    text = ""
    for pid in (16495, 16519):
        head = f"Nov 21 02:40:39 ldap1 slapd[{pid}]: conn=1000 "
        text += head + "fd=12 ACCEPT from PATH=/run/ldapi (PATH=/run/ldapi)\n"
        text += head + 'op=0 ADD dn="cn=a"\n'
    result = "op=0 RESULT tag=105 err=0 qtime=0.000001 etime=0.000155 text=\n"
    scanner, operations = scan("openldap", text + head + result)
    assert scanner.restarts == 1
    assert operations.boot.tolist() == [1]
    assert scanner.open_operations == 1


def test_syslog_years() -> None:
    text = "".join(
        f"{date} 02:20:00 h slapd[1]: conn=1 op={i} RESULT tag=103 err=0 etime=0.000001 text=\n"
        for i, date in enumerate(("Dec 31", "Jan  1", "Dec 31", "Jan  2"))
    )
    _, operations = scan("openldap", text, year=2025, zone_offset_ns=3600 * 10**9)
    times = operations.end_ns.astype("datetime64[ns]").astype("datetime64[h]")
    assert times.astype(str).tolist() == [
        "2025-12-31T01", "2026-01-01T01", "2025-12-31T01", "2026-01-02T01",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("opendj", "opendj-text/gen-opendj-4.6.5-access-ms-then-ns.log"),
        ("openldap", "openldap/gen-slapd-2.5.13-debug-stats.log"),
        ("unboundid", "unboundid/gen-ldapsdk-6.0.11-inmemory-access.log"),
    ],
)
def test_pieces_of_other_dialects_give_the_same(dialect: str, name: str) -> None:
    data = material(name).read_bytes()
    whole = Scanner(dialect)
    expected = whole.feed(data)
    pieces = Scanner(dialect)
    found = [pieces.feed(data[i : i + 4099]) for i in range(0, len(data), 4099)]
    assert np.array_equal(np.concatenate([o.etime_ns for o in found]), expected.etime_ns)
    assert np.array_equal(np.concatenate([o.request_at for o in found]), expected.request_at)
    assert pieces.counts == whole.counts
