"""The parts of the campaign that need no server."""

from __future__ import annotations

import calendar
import fcntl
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults import __main__ as program
from tests.faults import audit, leftovers, plain_log, record
from tests.faults.clock import Clock, Step
from tests.faults.config import differences, parse
from tests.faults.load import namesakes, one_person, search
from tests.faults.plain_log import Count
from tests.faults.play import longest_s
from tests.faults.players import Order
from tests.faults.scenario import COMMANDS, FAULTS, draw, longest_first
from tests.faults.table import Outcome, format_record, format_table

_LOG = """\
[22/Nov/2026:05:20:00.500000000 +0000] conn=1 op=1 SRCH base="" scope=0 filter="(cn=a)"
[22/Nov/2026:05:20:01.000000000 +0000] conn=1 op=1 RESULT err=0 tag=101 etime=0.500000000
[22/Nov/2026:05:20:01.200000000 +0000] conn=1 (Internal) op=2(1)(1) RESULT err=0 etime=0.1000
[22/Nov/2026:07:20:02.000000000 +0200] conn=2 op=3 RESULT err=0 tag=101 etime=0.000000001
"""
_NOON = 1_795_324_800_000_000_000
"""2026-11-22 05:20:00 UTC."""


def test_the_longest_seeds_are_played_first():
    """In another order one player would be at work long after the others have ended."""
    seeds = longest_first(range(1, 25))
    assert sorted(seeds) == list(range(1, 25))
    assert [draw(seed).fault for seed in seeds[:2]] == ["stuck-pool", "ldap-delay"]


def test_a_seed_always_draws_the_same() -> None:
    assert [draw(seed) for seed in range(300)] == [draw(seed) for seed in range(300)]


def test_a_thousand_seeds_meet_every_command_and_every_fault() -> None:
    drawn = [draw(seed) for seed in range(1000)]
    assert {each.command.name for each in drawn} == {command.name for command in COMMANDS}
    assert {each.fault for each in drawn} == set(FAULTS)


def test_a_command_that_restarts_is_waited_for_as_long_as_its_plan_says() -> None:
    live, restart = (next(each for each in map(draw, range(300)) if each.command.name == name)
                     for name in ("live", "restart"))  # fmt: skip
    assert longest_s(live) > 120  # --reconnect-timeout
    assert longest_s(restart) > 120 + 300  # --restart-timeout


def test_a_slow_line_is_given_the_time_to_bring_the_log() -> None:
    slow = draw(633)
    assert slow.numbers["bytes_per_s"] == 20_000
    assert longest_s(slow) > 120 + 6_000_000 / 20_000


def test_operations_are_read_from_their_results(tmp_path: Path) -> None:
    (tmp_path / "access").write_text(_LOG)
    found = plain_log.operations(tmp_path, plain_log.LogMark({}))
    assert found == [
        (_NOON + 500_000_000, (_NOON + 1_000_000_000, 1, 1)),
        (_NOON + 1_999_999_999, (_NOON + 2_000_000_000, 2, 3)),
    ]


def test_only_what_came_after_the_mark_is_read_also_from_rotated_files(tmp_path: Path) -> None:
    log = tmp_path / "access"
    log.write_text(_LOG)
    since = plain_log.mark(tmp_path)
    log.rename(tmp_path / "access.20261122-052003")
    log.write_text(_LOG)
    assert len(plain_log.operations(tmp_path, since)) == 2


def test_what_was_written_is_read_from_the_audit_log(tmp_path: Path) -> None:
    log = tmp_path / "audit"
    log.write_text("time: 1\ndn: cn=config\nresult: 0\nchangetype: modify\nreplace: nsslapd-x\n"
                   "nsslapd-x: 5\n-\nreplace: nsstate\nnsstate: a\n-\n"
                   "replace: modifytimestamp\nmodifytimestamp: 1\n-\n\n"
                   "time: 2\ndn: uid=a,dc=example\nchangetype: modify\nreplace: cn\ncn: b\n-\n\n"
                   )  # fmt: skip
    assert audit.writes(log, 0) == {("cn=config", "nsslapd-x")}
    assert audit.writes(log, audit.size(log)) == set()


def test_operations_after_a_step_of_the_clock_are_compared_with_the_times_that_the_log_has() -> (
    None
):
    step = Step(1000, -30)
    assert step.logged((900, (999, 1, 1))) == (900, (999, 1, 1))
    s = 10**9
    assert step.logged((990, (1000, 1, 2))) == (990 - 30 * s, (1000 - 30 * s, 1, 2))


def test_a_clock_that_is_set_shows_in_the_log_and_in_what_date_says(tmp_path: Path) -> None:
    log = tmp_path / "access"
    log.write_text(_LOG)
    clock = Clock(tmp_path / "clock", log)
    date = [str(clock.path / "date"), "+%s"]

    def said() -> int:
        return int(subprocess.run(date, capture_output=True, check=True).stdout)

    assert abs(said() - time.time()) < 600
    clock.set(7200)
    assert said() - time.time() > 6600
    assert clock.step is not None
    argv = shlex.split(clock.log_command)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as printing:
        assert printing.stdout is not None
        first = printing.stdout.readline()
        later = time.gmtime((clock.step.moment_ns + 10**9) // 10**9)
        stamp = time.strftime("[%d/%b/%Y:%H:%M:%S", later)
        with log.open("a") as file:
            file.write(f"{stamp}.500000000 +0000] conn=1 op=9 SRCH\n")
        *_, last = (printing.stdout.readline() for _ in range(4))
        printing.terminate()
    assert first == _LOG.splitlines(keepends=True)[0]
    moved = time.strftime("[%d/%b/%Y:%H:%M:%S", time.gmtime(calendar.timegm(later) + 7200))
    assert last == f"{moved}.500000000 +0000] conn=1 op=9 SRCH\n"
    clock.undo()
    assert abs(said() - time.time()) < 600


def test_lost_and_doubled_operations_are_counted() -> None:
    plain = [(10, (20, 1, 1)), (11, (21, 1, 2)), (99, (100, 1, 3))]
    assert plain_log.compare(plain, 0, 50, [(20, 1, 1), (21, 1, 2)]) == Count(2, 0, 0)
    assert plain_log.compare(plain, 0, 50, [(20, 1, 1), (20, 1, 1)]) == Count(
        2, 1, 1, ((21, 1, 2),)
    )


def test_an_operation_without_a_result_yet_is_open_not_lost() -> None:
    second = 10**9
    plain = [(10, (20, 1, 1)), (11, (3 * second, 1, 2))]
    assert plain_log.compare(plain, 0, 2 * second, [(20, 1, 1)], told_open=2).missing == 0
    assert plain_log.compare(plain, 0, 2 * second, [(20, 1, 1)], told_open=0).missing == 1
    assert plain_log.compare(plain, 0, 4 * second, [(20, 1, 1)], told_open=2).missing == 1


def test_configurations_differ_by_attribute_not_by_order_or_volatile_ones() -> None:
    before = parse("dn: CN=config\na: 1\na: 2\nmodifyTimestamp: 1\n\ndn: cn=b\nlong: abc\n def\n")
    same = parse("dn: cn=b\nlong: abcdef\n\ndn: cn=config\na: 2\na: 1\nmodifyTimestamp: 7\n")
    assert differences(before, same) == []
    other = parse("dn: cn=b\nlong: abcdef\n\ndn: cn=config\na: 2\n")
    assert differences(before, other) == ["cn=config: a 1, 2 -> 2"]


def test_a_process_that_carries_the_mark_is_found() -> None:
    argv = [sys.executable, "-c", "print(flush=True); input()", "--mark", "seed-77-mark"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()  # before it runs, its command line is still ours
        found = leftovers.processes("seed-77-mark", None, "/nowhere/ds")
        assert any(each.startswith(f"{child.pid} ") for each in found)
        leftovers.end("seed-77-mark")
        assert child.wait(60) == -signal.SIGKILL
    assert leftovers.processes("seed-77-mark", None, "/nowhere/ds") == []


def test_a_held_lock_and_a_temporary_file_are_found(tmp_path: Path) -> None:
    for folder in ("state/locks", "config", "sessions", "tmp"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sessions" / "s.ldapwb").touch()
    (tmp_path / "state" / "journal.sqlite").touch()
    folders = (tmp_path, tmp_path / "sessions", tmp_path / "tmp")
    assert leftovers.files(*folders, "s.ldapwb", killed=False) == []
    (tmp_path / "tmp" / "piece").touch()
    (tmp_path / "sessions" / "s.ldapwb.wal").touch()
    (tmp_path / "sessions" / ".session-ab").mkdir()
    assert len(leftovers.files(*folders, "s.ldapwb", killed=False)) == 3
    assert len(leftovers.files(*folders, "s.ldapwb", killed=True)) == 1
    with (tmp_path / "state" / "locks" / "a.lock").open("w") as lock:
        assert leftovers.held_locks(tmp_path) == []
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert len(leftovers.held_locks(tmp_path)) == 1


def test_the_load_speaks_ldap() -> None:
    for wanted, told in ((one_person, b"user000123"), (namesakes, b"Claude")):
        request = search(1, wanted(123))
        assert request[0] == 0x30
        assert request[1] == len(request) - 2
        assert told in request


def test_the_table_counts_seeds_and_failures() -> None:
    good = Outcome.of(draw(1), [], 1.0, 0, struck=True)
    bad = Outcome.of(draw(1), ["(a) changed"], 1.0, 0, struck=True)
    assert "2 (1 failed)" in format_table([good, bad])
    assert "FAIL" in str(bad)
    assert "(a) changed" in str(bad)


def test_a_record_merges_runs_and_counts_every_play(tmp_path: Path) -> None:
    good = replace(Outcome.of(draw(1), [], 1.0, 0, struck=True), commit="aaa")
    bad = replace(
        Outcome.of(draw(2), ["(a) left | /tmp/a/there", "kept: /x"], 1.0, 1, struck=False),
        commit="bbb",
    )
    for name, outcomes in {
        "one": [bad, replace(bad, violations=())],
        "two": [good],
    }.items():
        (tmp_path / name).mkdir()
        for outcome in outcomes:
            record.append(tmp_path / name, outcome)
    found = record.read([tmp_path / "one", tmp_path / "two"])
    assert found == [good, bad, replace(bad, violations=())]
    told = format_record(found)
    assert told.startswith(
        "2 seeds (1 to 2), played 3 times, 1 with a violation; in 1 the fault came"
    )
    assert "Commits: aaa (1), bbb (2)." in told
    assert f"| 2 | bbb | {draw(2)} | (a) left \\| there |" in told
    assert "held" not in told
    assert "| all |" in told


@pytest.fixture
def campaign(monkeypatch, tmp_path):
    """The program with players that fail the seeds they are told to."""

    def run(*words: str, failing: set[int]) -> int:
        def play_all(seeds: list[int], jobs: int, order: Order) -> Iterator[Outcome]:
            for seed in seeds:
                found = ["(a) left in force"] if seed in failing else []
                yield Outcome.of(draw(seed), found, 1.0, 0, struck=True)

        monkeypatch.setattr(program, "play_all", play_all)
        monkeypatch.setattr(program, "missing", list)
        monkeypatch.setattr(sys, "argv", ["faults", "--folder", str(tmp_path / "run"), *words])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        return program.main()

    return run


def test_a_seed_that_fails_is_named_and_fails_the_campaign_without_a_second_try(
    campaign, capsys, tmp_path
) -> None:
    assert campaign("--seeds", "3", failing={2}) == 1
    said = capsys.readouterr().out
    assert "2 passed, 1 failed" in said
    assert "--seed 2 --replay" in said
    assert "--seed 3 --replay" not in said
    written = record.read([tmp_path / "run"])
    assert [(outcome.seed, bool(outcome.violations)) for outcome in written] == [
        (1, False),
        (2, True),
        (3, False),
    ]


def test_a_campaign_without_a_failure_passes(campaign) -> None:
    assert campaign("--seeds", "3", failing=set()) == 0


def test_a_second_try_cannot_be_asked_for(campaign) -> None:
    with pytest.raises(SystemExit, match="2"):
        campaign("--seeds", "3", "--again", failing={2})


def test_a_seed_is_played_so_many_times(campaign) -> None:
    assert campaign("--seed", "7", "--times", "3", failing=set()) == 0


def test_without_the_lab_nothing_is_played_and_the_status_says_so(monkeypatch) -> None:
    monkeypatch.setattr(program, "_campaign", None)
    monkeypatch.setattr(program, "missing", lambda: ["sysstat"])
    monkeypatch.setattr(sys, "argv", ["faults"])
    assert program.main() == 5
