"""Connections that 389 DS ended by a limit of its own, in each way its versions say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from tests.unit.cases.published import tell_files

ENDS = {
    "1.3": "closed - {code}",
    "1.4.3": "closed {why} - {code} ",
    "2.1": "Disconnect - {why} - {code}",
}
WHY = {
    "T1": "Idle timeout (nsslapd-idletimeout)",
    "T2": "IO timeout (nsslapd-ioblocktimeout)",
    "U1": "Cleanly Closed Connection",
    "B1": "Bad Ber Tag or uncleanly closed connection",
    "B2": "Ber Too Big (nsslapd-maxbersize)",
}


def line(second: float, rest: str) -> str:
    return f"[10/Jul/2025:12:00:{second:012.9f} +0000] {rest}\n"


def connection(number: int, client: str, end: str, at: float = 0) -> str:
    text = line(at + 1, f"conn={number} fd=64 slot=64 connection from {client} to 10.0.0.1")
    text += line(at + 2, f'conn={number} op=0 BIND dn="uid=a,dc=a" method=128 version=3')
    result = "RESULT err=0 tag=97 nentries=0 wtime=0.0001 optime=0.001 etime=0.0011"
    text += line(at + 3, f"conn={number} op=0 {result}")
    return text + line(at + 4, f"conn={number} {end}")


def log_of(form: str, codes: dict[str, int], filters: str = "") -> str:
    text, number = "", 0
    for code, n in codes.items():
        for _ in range(n):
            number += 1
            end = ENDS[form].format(why=WHY[code], code=code)
            text += connection(number, f"10.0.0.{code[1]}", f"op=-1 fd=64 {end}")
    return text + filters


@pytest.mark.parametrize("form", ENDS)
def test_they_are_counted_by_client(form: str, tmp_path: Path) -> None:
    text = log_of(form, {"T1": 12, "T2": 2, "U1": 30, "B1": 30})
    findings = tell_files({"access": text}, tmp_path).findings
    assert findings["closed_idle"].numbers["addresses"] == {"10.0.0.1": 12}
    assert findings["closed_idle"].numbers["lines"] == 12
    assert "closed_unread" not in findings, "T2 is an unfinished request or paged search"


@pytest.mark.parametrize("form", ENDS)
def test_a_request_that_is_too_big_is_named_from_the_first_on(form: str, tmp_path: Path) -> None:
    findings = tell_files({"access": log_of(form, {"B2": 1, "B1": 30})}, tmp_path).findings
    assert findings["request_too_big"].numbers == {
        "lines": 1, "addresses": {"10.0.0.2": 1}, "windows": [1],
    }  # fmt: skip
    assert "closed_idle" not in findings


def test_the_error_log_says_how_large_requests_were(tmp_path: Path) -> None:
    """What claims more than any limit allows is no request of LDAP."""
    errors = "".join(
        f"[10/Jul/2025:12:00:02.999{at}00000 +0000] - ERR - log_ber_too_big_error - conn=1 fd=64 "
        f"Incoming BER Element was {size} bytes, max allowable is 2097152 bytes. Change the "
        "nsslapd-maxbersize attribute in cn=config to increase.\n"
        for at, size in ((1, 3_000_000), (2, 9_000_000), (3, 4_000_000_000))
    )
    files = {"access": log_of("2.1", {"B2": 3, "B1": 30}), "errors": errors}
    findings = tell_files(files, tmp_path).findings
    assert findings["request_too_big"].numbers["largest_bytes"] == 9_000_000


@pytest.mark.parametrize("form", ENDS)
def test_pages_that_are_not_read_to_the_end_are_told_from_requests(
    form: str, tmp_path: Path
) -> None:
    text = log_of(form, {"T2": 2, "U1": 5})
    end = ENDS[form].format(why=WHY["T2"], code="T2")
    for number in range(20, 23):
        whole = connection(number, "10.0.0.9", f"op=-1 fd=64 {end}")
        page = line(3.5, f'conn={number} op=1 SRCH base="dc=a" scope=2 filter="(cn=*)" attrs=ALL')
        result = "RESULT err=0 tag=101 nentries=200 wtime=0.0001 optime=0.001 etime=0.0011"
        page += line(3.6, f"conn={number} op=1 {result} notes=P pr_idx=0 pr_cookie=0")
        *first, last = whole.splitlines(keepends=True)
        text += "".join((*first, page, last))
    at_its_end = "".join((*first, page.replace("pr_cookie=0", "pr_cookie=-1"), last))
    text += at_its_end.replace("conn=22 ", "conn=30 ")
    seen = tell_files({"access": text}, tmp_path).findings["closed_unfinished"]
    assert seen.numbers["addresses"] == {"10.0.0.9": 4, "10.0.0.2": 2}
    assert "3 of them had come to a page in the middle of a paged search" in str(seen.sentence)
    assert "2 had sent no paged search last" in str(seen.sentence)


def test_a_few_idle_ones_and_what_a_client_wrote_are_none(tmp_path: Path) -> None:
    written = line(5, 'conn=1 op=1 SRCH base="dc=a" scope=2 filter="(cn=fd=64 closed - T1') * 9
    text = log_of("1.3", {"T1": 9, "U1": 3}, written)
    assert "closed_idle" not in tell_files({"access": text}, tmp_path).findings


def test_the_end_of_a_line_that_is_too_long_is_no_line() -> None:
    scanner = Scanner("389")
    scanner.feed(b"x" * (3 << 20))
    close = "conn=1 op=-1 fd=64 closed - T1\n"
    idle = "op=-1 fd=64 closed - T1"
    text = connection(1, "10.0.0.1", idle) + connection(2, "10.0.0.1", idle, at=10)
    scanner.feed((close + text).encode())
    scanner.finish()
    assert scanner.messages is not None
    messages = scanner.messages.kinds["idle"]
    assert messages.n == 2
    assert [time_ns // 10**9 % 60 for time_ns, _ in messages.lines if time_ns] == [3, 13]


@pytest.mark.parametrize("cut", [1, 33, 700])
def test_pieces_of_any_size_give_the_same(cut: int) -> None:
    data = log_of("2.1", {"T1": 3, "T2": 1, "U1": 2}).encode()
    scanner = Scanner("389")
    for at in range(0, len(data), cut):
        scanner.feed(data[at : at + cut])
    scanner.finish()
    assert scanner.messages is not None
    assert scanner.messages.counted() == {"idle": 3, "unfinished": 1}
    assert scanner.messages.kinds["idle"].clients == {"10.0.0.1": 3}


NO_CIPHER = "Cannot communicate securely with peer: no common encryption algorithm(s)."


def ended(why: str, *, in_use: bool) -> str:
    """Twelve connections that end so, beside one that works."""
    text = connection(90, "10.0.0.1", "op=1 fd=64 closed - U1")
    for number in range(12):
        lines = connection(number, "10.0.0.9", f"op=-1 fd=64 {why}", at=2 * number)
        every = lines.splitlines(keepends=True)
        text += lines if in_use else every[0] + every[-1]
    return text


@pytest.mark.parametrize("why", [f"closed - {NO_CIPHER}", "Disconnect - unknown error"])
def test_closes_in_a_tls_handshake_are_told_with_who_and_why(why: str, tmp_path: Path) -> None:
    findings = tell_files({"access": ended(why, in_use=False)}, tmp_path).findings
    assert findings["tls_failures"].numbers["addresses"] == {"10.0.0.9": 12}
    assert why.partition(" - ")[2] in str(findings["tls_failures"].sentence)


@pytest.mark.parametrize(
    ("why", "in_use"),
    [("closed - Encountered end of file.", False), ("Disconnect - unknown error", True)],
)
def test_other_closes_and_those_of_connections_in_use_are_none(
    why: str, in_use: bool, tmp_path: Path
) -> None:
    findings = tell_files({"access": ended(why, in_use=in_use)}, tmp_path).findings
    assert "tls_failures" not in findings


def closes(numbers: range, why: str, *, in_use: bool, at: int = 0) -> str:
    """Connections that end so, beside nothing."""
    text = ""
    for second, number in enumerate(numbers):
        lines = connection(number, "10.0.0.9" if in_use else "10.0.0.8", f"op=-1 fd=64 {why}",
                           at=at + second)  # fmt: skip
        every = lines.splitlines(keepends=True)
        text += lines if in_use else every[0] + every[-1]
    return text


def test_a_stated_reason_counts_beside_many_unknown_errors_of_connections_in_use(
    tmp_path: Path,
) -> None:
    unknown = closes(range(1, 31), "Disconnect - unknown error", in_use=True)
    stated = closes(range(50, 62), f"closed - {NO_CIPHER}", in_use=False, at=40)
    seen = tell_files({"access": unknown + stated}, tmp_path).findings["tls_failures"]
    assert (seen.numbers["lines"], seen.numbers["addresses"]) == (12, {"10.0.0.8": 12})


def test_each_unknown_error_is_judged_by_its_own_connection(tmp_path: Path) -> None:
    in_use = closes(range(1, 31), "Disconnect - unknown error", in_use=True)
    unused = closes(range(50, 62), "Disconnect - unknown error", in_use=False, at=40)
    seen = tell_files({"access": in_use + unused}, tmp_path).findings["tls_failures"]
    assert (seen.numbers["lines"], seen.numbers["addresses"]) == (12, {"10.0.0.8": 12})


def test_a_number_that_was_in_use_before_a_restart_is_another_connection(tmp_path: Path) -> None:
    before = closes(range(1, 14), "closed - U1", in_use=True)
    again = "\t389-Directory/2.3.1 B2023.150.0000\n\thost:389 (/etc/dirsrv/slapd-a)\n\n"
    unused = closes(range(2, 14), "Disconnect - unknown error", in_use=False, at=40)
    other = connection(1, "10.0.0.1", "op=1 fd=64 closed - U1", at=39)
    seen = tell_files({"access": before + again + other + unused}, tmp_path).findings
    assert seen["tls_failures"].numbers["lines"] == 12
