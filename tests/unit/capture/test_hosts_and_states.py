"""Several hosts and processes in one log, lines without a time, and how complete a source is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.capture.importing.access_log import UNKNOWN_LIMIT, completeness
from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.window import LineCounts, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

ASKED = 'conn={c} op={op} SRCH base="ou={name}" scope=2 deref=0 filter="(a=b)"'
ANSWERED = (
    "conn={c} op={op} SEARCH RESULT tag=101 err=0 qtime=0.000006 etime={etime} nentries=1 text="
)
OPENED = "conn={c} fd=11 ACCEPT from IP={client}:46889 (IP=0.0.0.0:389)"
Servers = dict[str, tuple[str, str]]
"""Name of a server -> text before its lines, etime of its searches; they log by turns."""


def by_turns(servers: Servers, count: int = 30) -> str:
    """Servers that give their connections the same numbers, one line each in turn."""
    lines = []
    for op in range(count):
        for shape in (OPENED, ASKED, ANSWERED) if op == 0 else (ASKED, ANSWERED):
            for number, (name, (head, etime)) in enumerate(servers.items()):
                client = f"192.0.2.{number}"
                text = shape.format(c=1000, op=op, name=name, etime=etime, client=client)
                lines.append(f"{head.format(s=op)}{text}\n")
    return "".join(lines)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], tuple[Imported, dict[str, Operations]]]:
    def read(text: str) -> tuple[Imported, dict[str, Operations]]:
        (tmp_path / "messages").write_text(text)
        with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
            done = import_logs([tmp_path / "messages"], writer)
        with Session.open(tmp_path / "s.ldapwb") as session:
            return done, {w.name: session.operations(w) for w in session.windows()}

    return read


HOSTS = {
    "syslog": "Nov 21 02:20:{{s:02d}} {name} slapd[7]: ",
    "compose": "{name}-1  | 6b010435.0d4cd4da 0x7f5d ",
    "kubectl": "[pod/{name}/slapd] 6b010435.0d4cd4da 0x7f5d ",
    "grep": "logs/{name}:6b010435.0d4cd4da 0x7f5d ",
}


@pytest.mark.parametrize("form", HOSTS)
def test_each_host_has_a_window_of_its_own(read: Callable[..., object], form: str) -> None:
    servers = {
        name: (HOSTS[form].format(name=name), etime)
        for name, etime in (("ldap1", "0.001000"), ("ldap2", "0.002000"), ("ldap3", "0.003000"))
    }
    done, windows = read(by_turns(servers))  # type: ignore[misc]
    assert len(windows) == 3
    for number, (name, found) in enumerate(sorted(windows.items()), start=1):
        assert f"ldap{number}" in name
        assert set(found.etime_ns.tolist()) == {number * 1_000_000}
        assert len(found) == 30
        assert {found.bases[i] for i in found.base} == {f"ou=ldap{number}"}
        assert {found.clients[i] for i in found.client} == {f"192.0.2.{number - 1}"}
    assert [source.lines.understood for source in done.sources] == [61] * 3
    assert {source.state for source in done.sources} == {SourceState.COMPLETE}


def test_a_host_without_a_directory_server_adds_lines_and_no_window(
    read: Callable[..., object],
) -> None:
    text = by_turns({"a": ("Nov 21 02:20:{s:02d} ldap1 slapd[7]: ", "0.001000")})
    text += "Nov 21 02:20:40 mail1 postfix[9]: connect\n" * 5
    text += "Nov 21 02:20:40 ldap2 slapd[9]: slapd starting\n" * 2
    done, windows = read(text)  # type: ignore[misc]
    assert len(windows) == 1
    (source,) = done.sources
    lines = source.lines
    assert lines.understood + lines.set_aside + lines.unknown == text.count("\n")


def test_lines_of_other_programs_belong_to_the_server_they_name(
    read: Callable[..., object],
) -> None:
    servers = {
        n: (f"Nov 21 02:20:{{s:02d}} {n} slapd[7]: ", "0.001000") for n in ("ldap1", "ldap2")
    }
    lines = by_turns(servers).splitlines(keepends=True)
    others = [f"Nov 21 02:20:10 {n} sshd[9]: connect\n" for n in ("ldap1", "ldap1", "mail1")]
    # All three stand behind a line of ldap2; mail1 has no directory server.
    text = "".join([*lines[:40], *others, *lines[40:]])
    assert "ldap2" in lines[39]
    done, _ = read(text)  # type: ignore[misc]
    counts = [each.lines for each in done.sources]
    assert [each.understood for each in counts] == [61, 61]
    assert [each.unknown + each.set_aside for each in counts] == [3, 0]


def test_processes_of_one_host_keep_their_connections_apart(read: Callable[..., object]) -> None:
    servers = {
        "a": ("Nov 21 02:20:{s:02d} ldap1 slapd[7]: ", "0.001000"),
        "b": ("Nov 21 02:20:{s:02d} ldap1 slapd[8]: ", "0.002000"),
    }
    done, windows = read(by_turns(servers))  # type: ignore[misc]
    (found,) = windows.values()
    assert len(found) == 60
    for row in range(60):
        name = found.bases[found.base[row]]
        assert found.etime_ns[row] == (1_000_000 if name == "ou=a" else 2_000_000)
        client = found.clients[found.client[row]]
        assert client == ("192.0.2.0" if name == "ou=a" else "192.0.2.1")
    assert len(set(zip(found.boot.tolist(), found.conn.tolist(), strict=True))) == 2
    assert done.sources[0].details["restarts"] == 0


def test_a_process_that_follows_another_is_a_restart() -> None:
    one = by_turns({"a": ("Nov 21 02:20:{s:02d} ldap1 slapd[7]: ", "0.001000")}, 5)
    two = by_turns({"a": ("Nov 21 02:21:{s:02d} ldap1 slapd[8]: ", "0.001000")}, 5)
    scanner = Scanner("openldap", year=2026)
    operations = scanner.feed((one + two).encode())
    assert operations.boot.tolist() == [0] * 5 + [1] * 5
    assert (scanner.restarts, scanner.processes_at_once) == (1, 0)


UNTIMED = {
    "journalctl -o cat": "",
    "journalctl -o short-monotonic": "[ {s}.567890] ldap1 slapd[7]: ",
    "a month nobody knows": "Prosinec 21 02:20:{s:02d} ldap1 slapd[7]: ",
    "another time": "21.11.26T02h20 ldap1 slapd[7]: ",
}


@pytest.mark.parametrize("form", UNTIMED)
def test_lines_without_a_time_keep_their_tails(read: Callable[..., object], form: str) -> None:
    done, windows = read(by_turns({"a": (UNTIMED[form], "0.001000")}))  # type: ignore[misc]
    (found,) = windows.values()
    assert found.etime_ns.tolist() == [1_000_000] * 30
    (source,) = done.sources
    assert source.state is SourceState.PARTIAL
    assert "no time" in str(source.why)
    assert "short-iso-precise" in str(source.why)
    assert source.details["undated"]
    assert len(set(found.end_ns.tolist())) == 1


def test_latencies_between_lines_need_times(read: Callable[..., object]) -> None:
    text = by_turns({"a": ("", "0.001000")}).replace("qtime=0.000006 etime=0.001000 ", "")
    with pytest.raises(LogError, match="No log could be used"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "[21/Nov/2026:02:20:00 +0000] conn=1 fd=64 slot=64 connection from local to local\n" * 9,
        "conn=1 op=1 nothing of this is known\n" * 9,
        "",
    ],
)
def test_a_log_that_gives_nothing_is_no_success(read: Callable[..., object], text: str) -> None:
    with pytest.raises(LogError, match="No log could be used"):
        read(text)


def test_a_log_of_notes_is_partial(read: Callable[..., object]) -> None:
    log = by_turns({"a": ("6b010435.0d4cd4da 0x7f5d ", "0.001000")})
    notes = "".join(f"a note of somebody, the {n}th\n" for n in range(20))
    done, _ = read(log + notes)  # type: ignore[misc]
    assert done.sources[0].state is SourceState.PARTIAL
    assert "20 of 81 lines are unknown" in str(done.sources[0].why)


counts = st.integers(0, 1000)


@given(counts, counts, counts, counts, st.booleans(), st.booleans())
def test_the_state_follows_from_the_counts(
    given_: int, understood: int, aside: int, unknown: int, broken: bool, undated: bool
) -> None:
    lines = LineCounts(understood, aside, unknown)
    flaws = ["It is cut off."] if broken else []
    state, why = completeness(given_, lines, flaws=flaws, undated=undated)
    too_many = unknown * UNKNOWN_LIMIT > understood + aside + unknown
    if not given_:
        assert state is SourceState.MISSING
    elif broken or undated or too_many:
        assert state is SourceState.PARTIAL
    else:
        assert state is SourceState.COMPLETE
    assert bool(why) == (state is not SourceState.COMPLETE)
