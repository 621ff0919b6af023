"""What the workbench itself asked a server is in no count of its log, from bind to last search."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.units import Unit

_AT = "[21/Nov/2026:10:00:00.{n:03}000000 +0000] "
OURS_389 = (
    "conn=7 fd=70 slot=70 connection from 192.0.2.77 to 192.0.2.9",
    'conn=7 op=0 BIND dn="cn=directory manager" method=128 version=3',
    "conn=7 op=0 RESULT err=0 tag=97 nentries=0 wtime=0.1 optime=0.1 etime=0.200000000",
    'conn=7 op=1 SRCH base="cn=ldap-workbench-connection" scope=0 filter="(cn=*)"',
    "conn=7 op=1 RESULT err=32 tag=101 nentries=0 wtime=0.1 optime=0.1 etime=0.200000000",
    'conn=7 op=2 SRCH base="cn=monitor" scope=0 filter="(objectClass=*)" attrs=ALL',
    "conn=7 op=2 RESULT err=0 tag=101 nentries=1 wtime=0.1 optime=0.1 etime=0.200000000",
    'conn=7 op=3 SRCH base="cn=config" scope=2 filter="(objectClass=*)" attrs=ALL',
)
THEIRS_389 = (
    "conn=8 fd=71 slot=71 connection from 192.0.2.1 to 192.0.2.9",
    'conn=8 op=1 SRCH base="dc=a" scope=2 filter="(cn=x)" attrs=ALL',
    "conn=8 op=1 RESULT err=0 tag=101 nentries=1 wtime=0.1 optime=0.1 etime=0.200000000",
)
_HEAD = "\t389-Directory/2.3.1 B2023.000.0000\n\tldap.example:389 (/etc/dirsrv/slapd-a)\n\n"


def log_389(*parts: tuple[str, ...]) -> str:
    lines = [line for part in parts for line in part]
    return _HEAD + "".join(_AT.format(n=n) + f"{line}\n" for n, line in enumerate(lines))


def log_slapd(*parts: tuple[str, ...]) -> str:
    lines = [line for part in parts for line in part]
    return "".join(f"6a01e4f0.{n:08x} 0x7f {line}\n" for n, line in enumerate(lines, start=1))


OURS_SLAPD = (
    "conn=1007 fd=12 ACCEPT from PATH=/run/ldapi (PATH=/run/ldapi)",
    'conn=1007 op=0 BIND dn="" method=163',
    "conn=1007 op=0 RESULT tag=97 err=0 qtime=0.000009 etime=0.000080 text=",
    'conn=1007 op=1 SRCH base="cn=ldap-workbench-connection" scope=0 deref=0 filter="(cn=*)"',
    "conn=1007 op=1 SEARCH RESULT tag=101 err=32 qtime=0.000009 etime=0.000080 nentries=0 text=",
    'conn=1007 op=2 SRCH base="cn=monitor" scope=0 deref=0 filter="(objectClass=*)"',
    "conn=1007 op=2 SEARCH RESULT tag=101 err=0 qtime=0.000009 etime=0.000080 nentries=1 text=",
)
THEIRS_SLAPD = (
    "conn=1008 fd=13 ACCEPT from IP=192.0.2.1:4711 (IP=192.0.2.9:389)",
    'conn=1008 op=1 SRCH base="dc=a" scope=2 deref=0 filter="(cn=x)"',
    "conn=1008 op=1 SEARCH RESULT tag=101 err=0 qtime=0.000009 etime=0.000080 nentries=1 text=",
)
LOGS = {
    "389": log_389(OURS_389, THEIRS_389),
    "openldap": log_slapd(OURS_SLAPD, THEIRS_SLAPD),
}


@pytest.mark.parametrize("dialect", LOGS)
def test_only_operations_of_clients_are_counted(tmp_path: Path, dialect: str) -> None:
    path = tmp_path / "access"
    path.write_text(LOGS[dialect])
    server = summarise(Unit("ldap1", str(path), 0, dialect)).servers()["ldap1"]
    assert int(server.counts.seconds.counts.sum()) == 1
    assert int(server.counts.clients.counts.sum()) == 1
    assert server.counts.client_names == ("192.0.2.1",)
    assert server.counts.shape_names == ("(cn=?)",)
    assert (server.open, server.unjoined) == (0, 0)


@pytest.mark.parametrize("dialect", LOGS)
def test_what_we_asked_is_in_no_parquet_file(tmp_path: Path, dialect: str) -> None:
    path = tmp_path / "access"
    path.write_text(LOGS[dialect])
    summarise(Unit("ldap1", str(path), 0, dialect), tmp_path / "parts")
    files = f"{tmp_path}/parts/*/*.parquet"
    found = duckdb.sql(f"SELECT conn FROM '{files}'").fetchall()
    assert found == [(8 if dialect == "389" else 1008,)]


def test_a_bind_in_the_text_before_is_ours_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search that says whose connection it is comes in the next piece of the file."""
    path = tmp_path / "access"
    path.write_text(LOGS["389"])
    lines = [line.encode() for line in LOGS["389"].splitlines(keepends=True)]
    pieces = [(b"", b"".join(lines[:6])), (b"", b"".join(lines[6:]))]
    assert b"RESULT err=0 tag=97" in pieces[0][1]
    assert b"cn=ldap-workbench-" not in pieces[0][1]
    monkeypatch.setattr(Unit, "streams", lambda _: iter(pieces))
    server = summarise(Unit("ldap1", str(path), 0, "389")).servers()["ldap1"]
    assert int(server.counts.seconds.counts.sum()) == 1
