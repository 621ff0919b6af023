"""A log that lost lines is not complete: syslog says so, or the numbers and the requests do."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ldap_workbench.capture.losses import Losses, Lost, why_lost
from ldap_workbench.logs.access.scanner import Scanner


def second(at_ms: int) -> str:
    return f"{at_ms // 60_000:02d}:{at_ms // 1000 % 60:02d}.{at_ms % 1000:03d}000"


def slapd(at_ms: int, text: str, pid: int = 700) -> str:
    return f"2026-11-21T03:{second(at_ms)}+00:00 ldap1 slapd[{pid}]: {text}"


def request(at_ms: int, conn: int, op: int) -> str:
    what = 'SRCH base="dc=example,dc=com" scope=2 deref=0 filter="(uid=a)"'
    return slapd(at_ms, f"conn={conn} op={op} {what}")


def result(at_ms: int, conn: int, op: int, etime_ms: int = 1, err: int = 0) -> str:
    times = f"qtime=0.000010 etime={etime_ms / 1000:.6f}"
    what = f"SEARCH RESULT tag=101 err={err} {times} nentries=1 text="
    return slapd(at_ms, f"conn={conn} op={op} {what}")


def pool(connections: int = 8, operations: int = 50) -> list[str]:
    """Connections that search in turns, a request and its result each."""
    lines = []
    for op in range(operations):
        for conn in range(1000, 1000 + connections):
            at_ms = 10 * (op * connections + conn - 1000)
            lines += [request(at_ms, conn, op), result(at_ms + 1, conn, op)]
    return lines


def lost(lines: Iterable[str], dialect: str = "openldap", piece: int = 10_000) -> Lost:
    """What is missing in a log that comes in pieces of some bytes."""
    text = "".join(f"{line}\n" for line in lines).encode()
    scanner = Scanner(dialect)
    losses = Losses(scanner)
    for start in range(0, len(text), piece):
        part = text[start : start + piece]
        losses.add(part, scanner.feed(part))
    losses.add(b"", scanner.finish())
    losses.close()
    return losses.lost


def test_a_whole_log_has_lost_nothing():
    assert lost(pool()) == Lost()
    assert why_lost(Lost()) == []


NOTICES = {
    "rsyslogd-2177: imuxsock lost 180 messages from pid 700 due to rate-limiting": 180,
    "rsyslogd-2177: imuxsock lost 180 messages from pid 42 due to rate-limiting": 0,
    "rsyslogd: imuxsock[pid 700]: 1234 messages lost due to rate-limiting (200 allowed within 5 "
    "seconds)": 1234,
    "rsyslogd: imuxsock[pid: 42, name: /usr/bin/syncd]: 99 messages lost due to rate-limiting "
    "(20000 allowed within 300 seconds)": 0,
    "rsyslogd: imjournal: 236 messages lost due to rate-limiting": 236,
    "rsyslogd[1167]: imjournal from <ldap1:slapd>: begin to drop messages due to rate-limiting": 1,
    "systemd-journald[300]: Suppressed 917 messages from slapd.service": 917,
    "systemd-journal[1864]: Suppressed 917 messages from /system.slice/dirsrv@one.service": 917,
    "systemd-journald[300]: Suppressed 917 messages from /": 917,
    "systemd-journald[300]: Suppressed 12 messages from crond.service": 0,
    "systemd-journald[300]: Missed 1427 kernel messages": 0,
    "rsyslogd: -- MARK --": 0,
    "slapd[700]: message repeated 3 times: [ connection_read: no connection!]": 0,
    "slapd[700]: conn=1000 op=99 SRCH base=\"\" scope=0 deref=0 filter=\"(cn=Suppressed 5 messages "
    "from slapd.service due to rate-limiting)\"": 0,
}  # fmt: skip


@pytest.mark.parametrize("notice", NOTICES)
@pytest.mark.parametrize("piece", [37, 1 << 20])
def test_what_syslog_and_journal_say_they_dropped_is_counted(notice: str, piece: int):
    lines = pool(connections=2, operations=12)
    lines.insert(21, f"2026-11-21T03:{second(101)}+00:00 ldap1 {notice}")
    assert lost(lines, piece=piece) == Lost(lines=NOTICES[notice])


def test_dropping_that_began_and_ended_is_counted_once():
    lines = pool()
    head = f"2026-11-21T03:{second(2000)}+00:00 ldap1 rsyslogd: imjournal"
    lines.insert(401, f"{head} from <ldap1:slapd>: begin to drop messages due to rate-limiting")
    lines.insert(403, f"{head}: 20 messages lost due to rate-limiting")
    assert lost(lines) == Lost(lines=20)


@pytest.mark.parametrize("piece", [700, 1 << 20])
def test_a_burst_that_was_dropped_shows_in_requests_and_numbers(piece: int):
    """It began between a request and its result, and ended so, as bursts do."""
    lines = pool()
    found = lost(lines[:401] + lines[601:], piece=piece)
    assert (found.requests, found.lines) == (1, 0)
    assert found.operations == 99  # of 101, one is open and one has its result
    assert [str(each) for each in why_lost(found)] == [
        "1 result has no request, though the log covers the time it was asked: lines are missing.",
        "At least 99 operations are missing: their connections skip their numbers.",
    ]


def test_long_gaps_are_noticed_by_the_numbers_alone():
    lines = pool()
    assert lost(lines[:400] + lines[464:]) == Lost(operations=32)


def test_results_of_what_was_asked_before_the_log_began_are_no_loss():
    early = [result(at, 900 + at, 5, etime_ms=4000) for at in range(5)]
    assert lost([*early, *pool()]) == Lost()


def test_errors_that_slapd_answers_before_it_logs_the_request_are_no_loss():
    """An invalid DN is refused before the line of the search is written."""
    lines = pool()
    lines[400:402] = [result(2001, 1000, 25, err=34)]
    assert lost(lines) == Lost()


def test_operations_that_run_on_were_abandoned_or_skipped_are_no_loss():
    lines = pool()
    for op in (50, 51, 52, 53):
        lines.append(request(5000 + op, 1000, op))
    for op in (54, 55, 56, 57):
        lines.append(slapd(5000 + op, f"conn=1000 op={op} ABANDON msg={op - 3}"))
    lines += [request(5100, 1000, 58), result(5101, 1000, 58)]
    lines += [request(5100, 1001, 52), result(5101, 1001, 52)]  # two reads that timed out
    assert lost(lines) == Lost()
    assert lost(lines, piece=5000) == Lost()


def test_numbers_that_are_far_apart_everywhere_tell_nothing():
    lines = []
    for op in range(0, 400, 4):
        lines += [request(10 * op, 1000 + op % 3, op), result(10 * op + 1, 1000 + op % 3, op)]
    assert lost(lines) == Lost()
    assert lost([*lines, *lines]) == Lost()  # nor where they come twice


def test_a_restarted_server_begins_anew():
    again = [line.replace("slapd[700]", "slapd[701]") for line in pool()]
    assert lost([*pool(), *again]) == Lost()


def test_answers_out_of_turn_are_no_loss(monkeypatch: pytest.MonkeyPatch):
    """Many searches of one connection are under way where the numbers are judged."""
    monkeypatch.setattr("ldap_workbench.capture.losses._PIECE", 7)
    lines = []
    for first in range(0, 400, 10):
        numbers = range(first, first + 10)
        lines += [request(10 * first, 1000, op) for op in numbers]
        lines += [result(10 * first + 5, 1000, op) for op in reversed(numbers)]
    assert lost(lines, piece=700) == Lost()
    assert lost(lines[:300] + lines[340:], piece=700).operations >= 17


def connection(number: int) -> list[str]:
    at = 10 * number
    accept = f"conn={1000 + number} fd=12 ACCEPT from IP=10.0.0.1:5{number % 10} (IP=0.0.0.0:389)"
    return [
        slapd(at, accept),
        request(at + 1, 1000 + number, 0),
        result(at + 2, 1000 + number, 0),
        slapd(at + 3, f"conn={1000 + number} fd=12 closed"),
    ]


def test_connections_that_are_missing_show_by_their_numbers():
    lines = [line for number in range(300) for line in connection(number)]
    assert lost(lines) == Lost()
    assert lost(lines[:400] + lines[600:]) == Lost(connections=50)


def test_connections_that_ask_nothing_are_there():
    lines = []
    for number in range(400):
        whole = connection(number)
        asks = number < 100 or number > 300
        lines += whole if asks else [whole[0], whole[3]]
    assert lost(lines) == Lost()


def line389(at_ms: int, text: str) -> str:
    return f"[21/Nov/2026:03:{second(at_ms)}000 +0000] {text}"


def test_389_ds_numbers_tell_it_as_well():
    lines = []
    for op in range(60):
        head = f"conn=3 op={op}"
        lines.append(line389(10 * op, f'{head} SRCH base="dc=x" scope=2 filter="(a=b)" attrs=ALL'))
        times = "wtime=0.000100000 optime=0.000400000 etime=0.000500000"
        lines.append(line389(10 * op + 1, f"{head} RESULT err=0 tag=101 nentries=1 {times}"))
    assert lost(lines, "389") == Lost()
    assert lost(lines[:41] + lines[61:], "389") == Lost(requests=1, operations=9)
