"""Operations without an answer: from a log to the command and the anonymised copy."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.advice.evidence.companions import given_up_in, waiting_of
from ldap_workbench.cli import main
from ldap_workbench.figures.operations.waiting import waiting_rows
from ldap_workbench.report.anonymous.copy import anonymise
from ldap_workbench.session.reader import Session
from ldap_workbench.session.unanswered import waiting_operations
from tests.unit.cases.published import tell_files

PERSISTENT = "options=persistent"
SUFFIX = "dc=example,dc=com"


def run(words: list[str]) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ldap-workbench", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0)


def line(second: float, rest: str) -> str:
    minute, second = divmod(second, 60)
    whole = f"{int(second):02d}.{round(second % 1 * 1e9):09d}"
    return f"[29/Apr/2026:14:{int(minute):02d}:{whole} +0000] {rest}"


def hanging(closed_after: float | None = None, further: Sequence[tuple[float, str]] = ()) -> str:
    """Two minutes; from second 60 on a BIND, a MOD and four searches of six clients wait.

    Their connections are closed so many seconds later.
    """
    rows = [
        (0.1, "conn=90 fd=9 slot=9 connection from 192.0.2.90 to 192.0.2.1"),
        (0.2, f'conn=90 op=1 SRCH base="{SUFFIX}" scope=2 filter="(cn=*)" {PERSISTENT}'),
    ]
    for i in range(240):
        ask = f'SRCH base="{SUFFIX}" scope=2 filter="(uid=u{i})" attrs=ALL'
        answer = "RESULT err=0 tag=101 nentries=1 etime=0.001"
        rows += [(i / 2, f"conn=1 op={i} {ask}"), (i / 2 + 0.001, f"conn=1 op={i} {answer}")]
    search = f'SRCH base="{SUFFIX}" scope=2 filter="(mail=x)" attrs=ALL'
    asks = [
        f'BIND dn="uid=jsmith,{SUFFIX}" method=128 version=3',
        f'MOD dn="cn=staff,{SUFFIX}"',
        *[search] * 4,
    ]
    for i, ask in enumerate(asks):
        opened = f"fd=7 slot=7 connection from 192.0.2.{50 + i} to 192.0.2.1"
        rows += [(60 + i, f"conn={50 + i} {opened}"), (60 + i + 0.01, f"conn={50 + i} op=3 {ask}")]
        if closed_after is not None:
            closed = f"conn={50 + i} op=-1 fd=7 Disconnect - B1"
            rows.append((60 + i + 0.01 + closed_after, closed))
    rows += further
    return "\n".join(line(second, rest) for second, rest in sorted(rows)) + "\n"


@pytest.fixture
def told(tmp_path: Path):
    return tell_files({"access": hanging()}, tmp_path)


def test_they_are_listed_by_how_long_they_wait_and_persistent_ones_last(told, capsys) -> None:
    assert told.findings["unanswered"].numbers["types"] == {"SRCH": 4, "BIND": 1, "MOD": 1}
    assert run(["waiting", str(told.path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["type"], row["conn"], row["left_open"]) for row in rows] == [
        *[("BIND", 50, False), ("MOD", 51, False)],
        *[("SRCH", 52 + i, False) for i in range(4)],
        ("SRCH", 90, True),
    ]
    assert rows[1]["base"].startswith("cn=staff")
    assert rows[2]["filter"] == "(mail=?)"
    assert (rows[2]["client"], rows[2]["op"]) == ("192.0.2.52", 3)
    assert 57 * 10**9 < rows[2]["waited_ns"] < 58 * 10**9
    assert run(["waiting", str(told.path), "-n", "2"]) == 0
    printed = capsys.readouterr().out
    assert "59." in printed.splitlines()[1]
    assert "5 more; -n 7 prints them all." in printed


def test_they_are_found_in_a_log_without_lines_of_connections(tmp_path: Path) -> None:
    lines = [row for row in hanging().splitlines() if " connection from " not in row]
    told = tell_files({"access": "\n".join(lines) + "\n"}, tmp_path)
    assert told.findings["unanswered"].numbers["connections"] == 6


def test_what_clients_gave_up_is_listed_with_the_time_until_then(tmp_path: Path, capsys) -> None:
    told = tell_files({"access": hanging(closed_after=30)}, tmp_path)
    finding = told.findings["unanswered"]
    assert finding.numbers["given_up"] == finding.numbers["operations"] == 6
    assert finding.numbers["longest_ns"] == 30 * 10**9
    assert finding.user_ns == 6 * 30 * 10**9
    text = str(finding.sentence)
    assert "6 operations of clients got no answer" in text
    assert "6 were given up: their connections were closed, after up to 30" in text
    assert "Two stack dumps of all server threads while it lasts" in text
    assert "still wait" not in text
    assert run(["waiting", str(told.path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["waited_ns"] for row in rows if not row["left_open"]] == [30 * 10**9] * 6
    assert run(["waiting", str(told.path)]) == 0
    assert "nothing now (closed)" in capsys.readouterr().out


def test_connections_that_are_closed_at_once_lost_their_results(tmp_path: Path) -> None:
    """Eight such beside six that were closed late: most of them are no hang."""
    lost = [
        row
        for i in range(8)
        for row in (
            (30 + i, f"conn={70 + i} fd=9 slot=9 connection from 192.0.2.99 to 192.0.2.1"),
            (30.1 + i, f'conn={70 + i} op=0 SRCH base="{SUFFIX}" scope=2 filter="(mail=x)"'),
            (30.2 + i, f"conn={70 + i} op=-1 fd=9 Disconnect - U1"),
        )
    ]
    told = tell_files({"access": hanging(closed_after=30, further=lost)}, tmp_path)
    assert "unanswered" not in told.findings


def test_an_abandoned_search_was_given_up_by_itself(tmp_path: Path) -> None:
    """Its abandon has a row of its own; the close that follows says nothing more."""
    abandons = [
        (85 + i, f"conn={50 + i} op=4 ABANDON targetop=3 msgid=4 nentries=0 etime=25.0")
        for i in range(6)
    ]
    told = tell_files({"access": hanging(closed_after=30, further=abandons)}, tmp_path)
    assert "unanswered" not in told.findings


def test_a_log_that_ends_with_every_answer_lists_none(tmp_path: Path, capsys) -> None:
    lines = [row for row in hanging().splitlines() if "conn=1 " in row]
    told = tell_files({"access": "\n".join(lines) + "\n"}, tmp_path)
    assert "unanswered" not in told.findings
    assert run(["waiting", str(told.path)]) == 0
    assert "No operation of a client lacks its answer" in capsys.readouterr().out


def test_an_anonymised_copy_lists_them_without_a_name(told, tmp_path: Path) -> None:
    copy = tmp_path / "copy.ldapwb"
    anonymise(told.path, copy)
    rows = []
    for path in (told.path, copy):
        with Session.open(path) as session:
            rows.append(waiting_rows(session, session.windows()))
    plain, anonymous = rows
    assert [(r.waited_ns, r.operation.type, r.operation.conn, r.left_open) for r in anonymous] == [
        (r.waited_ns, r.operation.type, r.operation.conn, r.left_open) for r in plain
    ]
    assert [r.operation.filter for r in anonymous] == [r.operation.filter for r in plain]
    texts = " ".join(f"{r.operation.base} {r.operation.client}" for r in anonymous)
    assert "staff" not in texts
    assert "192.0.2.5" not in texts


def test_what_a_strangers_session_says_of_them_is_taken_as_it_may_be(told) -> None:
    with Session.open(told.path) as session:
        (source,) = [s for s in session.sources() if s.details.get("waiting")]
        entry = source.details["waiting"][0]
    odd = [entry, entry | {"op": "3"}, entry | {"filter": 7}, {**entry, "type": None}, 5]
    changed = replace(source, details={"waiting": odd})
    assert len(list(waiting_operations((changed,)))) == 1


def test_what_is_closed_after_a_window_still_waited_where_it_ended(told) -> None:
    with Session.open(told.path) as session:
        (window,) = session.windows()
        (source,) = [s for s in session.sources() if s.details.get("waiting")]
    entry = source.details["waiting"][0]
    late = entry | {"closed_ns": window.end_ns + 5, "closed_at": 9}
    within = entry | {"closed_ns": window.end_ns - 5, "closed_at": 9}
    lossy = {"given_up": [within], "lost_lines": 3}
    for details, waits, ended in (
        ({"given_up": [late]}, 0, 1),
        ({"given_up": [within]}, 0, 1),
        (lossy, 0, 0),
    ):
        sources = (replace(source, details=details),)
        assert len(list(waiting_of(window, sources))) == waits
        given_up = list(given_up_in(window, sources))
        assert len(given_up) == ended
        assert all(operation.closed_ns <= window.end_ns for operation in given_up)
