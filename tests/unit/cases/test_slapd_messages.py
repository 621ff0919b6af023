"""slapd's own messages become findings, in either format of its log, with who is behind them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.report.anonymous.copy import anonymise
from tests.unit.advice.configurations import entry
from tests.unit.cases.published import Told, tell_files

Format = Callable[[float, str], str]
START_S = 1_783_000_000


def syslog(second: float, text: str) -> str:
    moment = datetime.fromtimestamp(START_S + second, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}+00:00 ldap1 slapd[1187]: {text}\n"


def debug(second: float, text: str) -> str:
    return f"{START_S + int(second):08x}.{int(second % 1 * 1e9):08x} 0x7f5da53fe6c0 {text}\n"


FORMATS = pytest.mark.parametrize("line", [syslog, debug])


def opened(line: Format, second: float, conn: int, client: str) -> str:
    text = f"conn={conn} fd={conn} ACCEPT from IP={client}:40000 (IP=0.0.0.0:389)"
    return line(second, text)


def searched(line: Format, second: float, conn: int, op: int, value: str = "x") -> str:
    asked = f'conn={conn} op={op} SRCH base="dc=a" scope=2 deref=0 filter="(uid={value})"'
    result = "SEARCH RESULT tag=101 err=0 qtime=0.000010 etime=0.001000 nentries=1 text="
    return line(second, asked) + line(second + 0.001, f"conn={conn} op={op} {result}")


def served(line: Format, seconds: int = 60) -> str:
    """A healthy minute of one client."""
    return opened(line, 0, 1000, "10.0.0.1") + "".join(
        searched(line, second, 1000, second) for second in range(1, seconds)
    )


@FORMATS
def test_who_holds_the_descriptors_is_named(line: Format, tmp_path: Path) -> None:
    text = served(line)
    for conn in range(1001, 1031):
        text += opened(line, 60, conn, "10.0.0.23" if conn > 1004 else "10.0.0.7")
    text += line(60, "conn=1001 fd=1001 closed")
    text += line(60, "fd=1023 DENIED from unknown (10.0.0.23)")
    for second in range(61, 66):
        text += line(second, "daemon: accept(9) failed errno=24 (Too many open files)")
        text += searched(line, second, 1000, second)
    result = tell_files({"slapd.log": text}, tmp_path)
    seen = result.findings["refused"]
    assert seen.numbers["lines"] == 6
    assert seen.numbers["open_connections"] == {"10.0.0.23": 26, "10.0.0.7": 3, "10.0.0.1": 1}
    assert "clients_denied" not in result.findings, "hosts.allow could not be opened"
    assert "10.0.0.23: 26 of 30" in str(seen.sentence)
    assert seen.confidence == "high"
    assert any("(unbind)" in str(step) for step in seen.owner_steps)
    assert {"olc-more-descriptors", "olc-idle-timeout"} <= set(result.advised)
    # The lines have the time of the result before them.
    moments = [piece.start_ns for piece in seen.evidence if "accept(9)" in str(piece.text)]
    assert moments[-1] == pytest.approx((START_S + 64) * 10**9, abs=2e6)


@FORMATS
@pytest.mark.parametrize(("fd", "which"), [(1023, "refused"), (1024, "clients_denied")])
def test_who_is_denied_at_the_last_descriptor_is_refused(
    line: Format, fd: int, which: str, tmp_path: Path
) -> None:
    text = served(line) + line(60, f"fd={fd} DENIED from unknown (10.0.0.23)") * 9
    found = tell_files({"slapd.log": text}, tmp_path).findings
    assert found.keys() & {"refused", "clients_denied"} == {which}
    assert found[which].numbers["lines"] == 9
    if which == "refused":
        assert found[which].confidence == "medium"
        assert "no line says that descriptors ran out" in str(found[which].sentence)
    text += line(61, "fd=19 DENIED from unknown (10.0.0.24)")
    found = tell_files({"slapd.log": text}, tmp_path / "by a rule").findings
    assert found.keys() & {"refused", "clients_denied"} == {"clients_denied"}


REMEDIES = {
    "pending operations": ("connection_threads", "olc-pending"),
    "too many executing": ("deferred_executing", None),
    "awaiting write": ("deferred_writing", "olc-write-timeout"),
    "binding": ("deferred_binding", None),
}


@FORMATS
@pytest.mark.parametrize("reason", REMEDIES)
def test_each_kind_of_deferring_has_its_own_remedy(
    line: Format, reason: str, tmp_path: Path
) -> None:
    text = served(line)
    for n in range(70):
        text += line(n % 50 / 10 + 10, f"connection_input: conn=1000 deferring operation: {reason}")
    result = tell_files({"slapd.log": text}, tmp_path)
    which, remedy = REMEDIES[reason]
    mine = {name for name, _ in REMEDIES.values()} & result.findings.keys()
    assert mine == {which}
    seen = result.findings[which]
    assert seen.numbers["hits"] == 70
    assert "conn=1000 of 10.0.0.1" in str(seen.sentence)
    assert set(result.advised) & {name for _, name in REMEDIES.values()} == {remedy} - {None}


@FORMATS
def test_failed_handshakes_and_denied_clients_are_counted_by_address(
    line: Format, tmp_path: Path
) -> None:
    text = served(line)
    for n in range(12):
        text += opened(line, 30, 2000 + n, "10.0.0.5" if n % 4 else "[fe80::1]")
        text += line(30, f"conn={2000 + n} fd={2000 + n} closed (TLS negotiation failure)")
        text += line(31, "fd=19 DENIED from unknown (10.9.9.9:4711)")
    findings = tell_files({"slapd.log": text}, tmp_path).findings
    assert findings["tls_failures"].numbers["addresses"] == {"10.0.0.5": 9, "fe80::1": 3}
    assert "2 addresses: most of all 10.0.0.5, 9" in str(findings["tls_failures"].sentence)
    assert findings["clients_denied"].numbers["addresses"] == {"10.9.9.9": 12}


@FORMATS
def test_a_full_map_and_a_failing_consumer(line: Format, tmp_path: Path) -> None:
    text = served(line)
    full = "MDB_MAP_FULL: Environment mapsize limit reached (-30792)"
    text += line(40, f'mdb_id2entry_put: mdb_put failed: {full} "uid=a,dc=a"')
    for n in range(3):
        text += line(41 + n, "do_syncrep2: rid=001 (-1) Can't contact LDAP server")
        text += line(41 + n, "do_syncrepl: rid=001 rc -1 retrying")
    findings = tell_files({"slapd.log": text}, tmp_path).findings
    assert findings["map_full"].severity == 3
    assert findings["syncrepl_failing"].numbers["lines"] == 6
    assert "(-1) Can't contact" in str(findings["syncrepl_failing"].sentence)


@FORMATS
def test_a_consumer_that_fails_in_the_handshake_is_quoted_with_the_reason(
    line: Format, tmp_path: Path
) -> None:
    text = served(line)
    for n in range(3):
        text += line(41 + n, "do_syncrepl: rid=007 rc -1 retrying")
        failed = "slap_client_connect: URI=ldap://b Error, ldap_start_tls failed (-11)"
        text += line(41 + n, failed)
    said = str(tell_files({"slapd.log": text}, tmp_path).findings["syncrepl_failing"].sentence)
    assert "rid=007" in said
    assert failed in said
    assert "does not trust the certificate" in said


DATABASES = {
    "{1}mdb": {"olcSuffix": "dc=a", "olcDbMaxSize": str(1 << 30)},
    "{2}mdb": {"olcSuffix": "cn=accesslog"},
}


@pytest.mark.parametrize(
    ("said", "maps"),
    [
        ('mdb_put failed: MDB_MAP_FULL: Environment (-30792) "uid=x,ou=b,dc=a"', {"{1}mdb"}),
        ('mdb_put failed: MDB_MAP_FULL: Environment (-30792) "reqStart=1,cn=accesslog"',
         {"{2}mdb"}),
        ("mdb_idl_insert_keys: c_put id failed: MDB_MAP_FULL: Environment (-30792)",
         {"{1}mdb", "{2}mdb"}),
    ],
)  # fmt: skip
def test_which_map_is_full_is_known_by_the_entry_that_had_no_room(
    said: str, maps: set[str], tmp_path: Path
) -> None:
    """One that nothing names may be any of them; without a size slapd has its default."""
    text = served(debug) + debug(40, f"mdb_id2entry_put: {said}")
    config = [entry("cn=config", objectClass="olcGlobal")]
    config += [
        entry(f"olcDatabase={name},cn=config", objectClass="olcMdbConfig", **attributes)
        for name, attributes in DATABASES.items()
    ]
    files = {"slapd.log": text, "config.ldif": "\n".join(config)}
    numbers = tell_files(files, tmp_path).findings["map_full"].numbers
    assert numbers["maps"].keys() == maps
    assert numbers["maps"].get("{2}mdb", 10 << 20) == 10 << 20


@FORMATS
def test_a_healthy_log_and_a_client_that_writes_such_words_have_none(
    line: Format, tmp_path: Path
) -> None:
    words = (
        "daemon: accept(9\\29 failed errno=24 (Too many open files)",
        "fd=1 DENIED from unknown (10.0.0.9:1)",
        "connection_input: conn=1 deferring operation: binding",
        "MDB_MAP_FULL",
    )
    text = (
        served(line) + line(61, "slapd starting") + line(61, "connection_read(12): no connection!")
    )
    for n in range(80):
        text += searched(line, 62, 1000, 100 + n, words[n % len(words)])
    findings = tell_files({"slapd.log": text}, tmp_path).findings
    of_messages = {"refused", "clients_denied", "tls_failures", "map_full", "syncrepl_failing"}
    assert not (of_messages | {name for name, _ in REMEDIES.values()}) & findings.keys()


def test_messages_that_syslog_counts_are_counted(tmp_path: Path) -> None:
    refused = "daemon: accept(9) failed errno=24 (Too many open files)"
    text = (
        served(syslog) + syslog(60, refused) + syslog(61, f"message repeated 7 times: [ {refused}]")
    )
    seen = tell_files({"slapd.log": text}, tmp_path).findings["refused"]
    assert seen.numbers["lines"] == 8
    assert "files)]" not in str([piece.text for piece in seen.evidence])


@pytest.mark.parametrize("cut", [1, 33, 700])
def test_pieces_of_any_size_give_the_same(cut: int) -> None:
    text = opened(debug, 0, 7, "10.0.0.5") + debug(1, "daemon: shutdown requested and initiated.")
    text += debug(1, "conn=7 fd=7 closed (TLS negotiation failure)")
    text += debug(2, "slapd stopped.") + debug(3, "slapd starting") + searched(debug, 4, 1, 1)

    scanner, data = Scanner("openldap"), text.encode()
    for at in range(0, len(data), cut):
        scanner.feed(data[at : at + cut])
    scanner.finish()
    assert scanner.notices is not None
    messages = scanner.notices.messages
    assert messages.counted() == {"tls": 1, "stop": 1, "start": 1}
    assert messages.kinds["tls"].clients == {"10.0.0.5": 1}


def test_an_anonymous_copy_says_the_same_without_addresses(tmp_path: Path) -> None:
    text = served(syslog) + syslog(31, "fd=19 DENIED from unknown (10.9.9.9:4711)")
    text += syslog(32, "conn=1000 fd=12 closed (TLS negotiation failure)") * 20
    for reason in REMEDIES:
        text += 70 * syslog(33, f"connection_input: conn=1000 deferring operation: {reason}")
    told = tell_files({"slapd.log": text}, tmp_path)
    anonymise(told.path, tmp_path / "copy.ldapwb")
    copy = Told(tmp_path / "copy.ldapwb", told.imported)
    of_reasons = {which for which, _ in REMEDIES.values()}
    assert {"tls_failures", "clients_denied", *of_reasons} <= told.findings.keys()
    assert copy.findings.keys() == told.findings.keys()
    assert "10.9.9.9" in str(told.findings["clients_denied"].numbers)
    assert "10.9.9.9" not in str(copy.findings)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@FORMATS
def test_connections_that_a_limit_of_slapd_ended(line: Format, end: str, tmp_path: Path) -> None:
    text = served(line)
    for conn in range(2000, 2012):
        text += opened(line, 30, conn, "10.0.0.8")
        text += line(31, f"conn={conn} fd=14 closed (idletimeout)")
    text += opened(line, 40, 3000, "10.0.0.9") + line(41, "conn=3000 fd=15 closed (writetimeout)")
    for conn in range(4000, 4020):
        text += opened(line, 42, conn, "10.0.0.10")
        text += line(43, f"conn={conn} fd=14 closed (connection lost)")
    findings = tell_files({"slapd.log": text.replace("\n", end)}, tmp_path).findings
    assert findings["closed_idle"].numbers["addresses"] == {"10.0.0.8": 12}
    assert findings["closed_unread"].numbers["addresses"] == {"10.0.0.9": 1}
