"""Stalls: the published episode, things that look like one, and quick windows."""

import numpy as np
import pytest

from ldap_workbench.advice.account.account import account_of
from ldap_workbench.advice.evidence.stalls import find_stalls, in_flight
from ldap_workbench.advice.families import checkpoint
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import Log, only, view

PUBLISHED = (220, 228, 235, 241, 252, 263, 275, 288)
"""Etimes of the published case: eight searches of 220 to 288 s ..."""


def published(spread=75.0):
    """... that ended within 75 s of each other."""
    log = Log().background(600, rate=5)
    for i, etime in enumerate(PUBLISHED):
        log.add("SRCH", 400 + spread * i / 7 - etime, etime, filter="(uid=?)")
    return log


def test_the_published_episode_is_found_as_one():
    found = only(checkpoint.find_stalls(view(published())), "stall")
    assert found.numbers["episodes"] == 1
    assert found.numbers["longest_ns"] == 288 * NS_PER_S
    assert found.numbers["longest_victims"] == 8
    assert found.numbers["longest_concurrency"] == 8
    assert found.numbers["ends_within_ns"] == 75 * NS_PER_S
    assert found.numbers["victims"] == {"SRCH": 8}
    assert found.numbers["mod_victims"] == 0
    assert found.severity == 3
    assert "8 SRCH" in str(found.sentence)
    assert "none of them was a write" in str(found.sentence)


def test_the_evidence_names_time_range_and_operations():
    log = published()
    operations = log.done()
    evidence = only(checkpoint.find_stalls(view(operations)), "stall").evidence[0]
    assert len(evidence.operations) == 8
    rows = list(evidence.operations)
    assert operations.etime_ns[rows].min() == 220 * NS_PER_S
    assert evidence.start_ns == operations.start_ns[rows].min()
    assert evidence.end_ns == operations.end_ns[rows].max()


def test_long_searches_that_end_far_apart_are_not_a_stall():
    assert checkpoint.find_stalls(view(published(spread=350.0), seconds=1200)) == []


def test_four_victims_are_too_few():
    log = Log().background(600, rate=5)
    for i in range(4):
        log.add("SRCH", 100 + i, 20 - i, filter="(uid=?)")
    assert checkpoint.find_stalls(view(log)) == []


def test_searches_that_are_always_slow_do_not_stall_together():
    log = Log().background(600, rate=5)
    for i in range(40):  # eight clients at once, always the same unindexed filter
        for _ in range(8):
            log.add("SRCH", 10 * i, 4.5, filter="(description=*?*)", notes="A")
    assert checkpoint.find_stalls(view(log)) == []


def test_rare_unindexed_searches_at_once_are_not_a_stall():
    log = Log().background(600, rate=5)
    for i in range(7):
        log.add("SRCH", 100, 4.5, filter=f"(x{i}=*?*)", notes="A")
    assert checkpoint.find_stalls(view(log)) == []


def test_short_hiccups_are_not_told_unless_they_add_up():
    few, many = Log().background(600, rate=20), Log().background(600, rate=20)
    for log, times in ((few, 5), (many, 60)):
        for i in range(times):
            for k in range(8):
                log.add("SRCH", 10 * i + 5 + 0.01 * k, 0.3 - 0.01 * k, filter="(uid=?)")
    assert checkpoint.find_stalls(view(few)) == []
    assert only(checkpoint.find_stalls(view(many)), "stall").numbers["episodes"] == 60


def test_writes_among_the_victims_are_counted():
    log = published().background(600, rate=1, kind="MOD", filter="")
    for i in range(3):
        log.add("MOD", 300, 100 + i)
    found = only(checkpoint.find_stalls(view(log)), "stall")
    assert found.numbers["mod_victims"] == 3
    assert "3 of them were writes" in str(found.sentence)


def test_own_and_internal_operations_are_no_victims():
    log = Log().background(600, rate=5)
    for i in range(8):
        log.add("SRCH", 100 + i, 20 - i, filter="(uid=?)", internal=i % 2 == 0, own=i % 2 == 1)
    assert checkpoint.find_stalls(view(log)) == []


def test_a_log_in_whole_seconds_does_not_stall_for_one_second():
    operations = Log()
    for i in range(600):
        operations.add("SRCH", i, float(i % 40 == 0), filter="(uid=?)")
    for _ in range(8):
        operations.add("SRCH", 300, 1.0, filter="(uid=?)")
    assert find_stalls(operations.done(), NS_PER_S) == []
    assert len(find_stalls(operations.done())) == 1


def test_in_flight_counts_half_open_intervals():
    starts, ends = np.array([0, 5, 10]), np.array([10, 15, 20])
    assert in_flight(starts, ends) == (2, 5)


def test_an_empty_window_has_no_stalls():
    assert checkpoint.find_stalls(view()) == []


def test_a_slow_minute_is_not_a_stall():
    """Operations of two seconds, one ending after the other: slow, but not waiting together."""
    log = Log().background(600, rate=5)
    for i in range(60):
        log.add("SRCH", 100 + 0.15 * i, 2.0, filter="(uid=?)")
    assert checkpoint.find_stalls(view(log)) == []


def test_operations_let_go_one_by_one_are_not_a_stall():
    log = Log().background(600, rate=5)
    for i in range(20):  # all in flight at once, but the ends spread over nearly their whole time
        log.add("SRCH", 100 + 0.09 * i, 2.0, filter="(uid=?)")
    assert checkpoint.find_stalls(view(log)) == []


def test_a_steady_share_of_slow_operations_is_not_a_stall():
    random = np.random.default_rng(3)
    log = Log().background(600, rate=20)
    for start in np.sort(random.random(4_000) * 590):  # 7 a second, at random
        log.add("SRCH", float(start), 0.4 + 1.2 * random.random(), filter="(uid=?)")
    assert find_stalls(log.done()) == []


def test_filters_seen_once_are_judged_by_their_type():
    log = Log().background(600, rate=5)
    for i in range(8):
        log.add("SRCH", 100 + i, 20 - i, filter=f"(x{i}=?)")
    assert only(checkpoint.find_stalls(view(log)), "stall").numbers["longest_victims"] == 8


def slow_writes(seed, victims, length=9.5, seconds=120):
    """Writes of which many take more than 100 ms; `victims` others end together at second 60."""
    random = np.random.default_rng(seed)
    log = Log()
    for start in np.sort(random.random(20 * seconds) * seconds):
        log.add("MOD", float(start), 0.1 * float(np.exp(0.5 * random.standard_normal())))
    for i in range(victims):
        log.add("MOD", 60 - length - 0.1 * i, length + 0.1 * i + 0.002 * i)
    return log


@pytest.mark.parametrize("seed", range(4))
def test_a_stall_stands_out_where_operations_are_slow_as_a_rule(seed):
    """At 100 ms, the highest first threshold, what usually ends hides it."""
    (stall,) = find_stalls(slow_writes(seed, victims=12).done())
    assert 12 <= len(stall.rows) <= 15, "one that ended by chance at that moment may be with them"
    assert stall.length_ns > 9 * NS_PER_S
    assert find_stalls(slow_writes(seed, victims=0).done()) == []


@pytest.mark.parametrize("seed", range(4))
def test_no_operation_is_a_victim_of_two_stalls(seed):
    log = slow_writes(seed, victims=12)
    for length in (0.8, 3, 30):
        for i in range(15):
            log.add("MOD", 110 - length, length + 0.001 * i * length)
    stalls_of_log = find_stalls(log.done())
    rows = np.concatenate([stall.rows for stall in stalls_of_log])
    assert len(stalls_of_log) >= 2
    assert len(np.unique(rows)) == len(rows)


@pytest.mark.parametrize(("rate", "sigma"), [(2, 1.5), (10, 1.0), (10, 2.0), (30, 1.5)])
@pytest.mark.parametrize("seed", range(3))
def test_etimes_with_a_long_tail_are_no_stall_at_any_threshold(seed, rate, sigma):
    random = np.random.default_rng(seed)
    log = Log()
    for start in np.sort(random.random(600 * rate) * 600):
        log.add("SRCH", float(start), 0.1 * float(np.exp(sigma * random.standard_normal())))
    assert find_stalls(log.done()) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_minute_of_overload_is_no_stall_at_any_threshold(seed):
    """Ten operations a second of one to eight seconds: many end near each other, and by chance."""
    random = np.random.default_rng(seed)
    log = Log().background(600, rate=20)
    for start in np.sort(300 + 60 * random.random(600)):
        etime = 2.5 * float(np.exp(0.5 * random.standard_normal()))
        log.add("SRCH", float(start), etime, filter="(uid=?)")
    assert find_stalls(log.done()) == []


# --- the blocker ----------------------------------------------------------------------------------


def blocked(stalls=1, kind="ADD", begins=-1.0, ends=-0.1, **columns):
    """Searches stall for 20 s, `stalls` times; another operation ends as they are released."""
    log = Log().background(600, rate=5)
    for n in range(stalls):
        at = 100 + 100 * n
        for i in range(10):
            log.add("SRCH", at + 0.5 * i, 20 - 0.49 * i, filter="(uid=?)")
        first_end = at + 20.0
        start = at + begins
        log.add(kind, start, first_end + ends - start, base="cn=import,cn=tasks", **columns)
    return log


def test_the_operation_that_ends_as_a_stall_is_released_is_named():
    log = blocked(client="192.0.2.5", conn=77, op=4)
    operations = log.done()
    found = only(checkpoint.find_stalls(view(operations)), "stall")
    says = str(found.sentence)
    assert "In 1 of 1 one operation was at work all the while" in says
    assert "ADD cn=import,cn=tasks of 192.0.2.5 (conn=77 op=4)" in says
    [row] = found.evidence[0].operations
    assert operations.conn[row] == 77
    assert found.numbers["blocked"] == 1


@pytest.mark.parametrize(
    "case",
    [
        {"begins": 3.0},
        {"begins": 1.6},
        {"ends": 2.0},
        {"ends": -8.0},
    ],
    ids=["began later", "began a little too late", "ended behind them", "ended long before"],
)
def test_an_operation_that_only_runs_meanwhile_is_no_blocker(case):
    found = only(checkpoint.find_stalls(view(blocked(**case))), "stall")
    assert found.numbers["blocked"] == 0
    assert "at work" not in str(found.sentence)


def test_operations_under_way_when_the_blocker_begins_wait_as_well():
    assert only(checkpoint.find_stalls(view(blocked(begins=0.9))), "stall").numbers["blocked"] == 1


def test_of_two_operations_that_end_then_neither_is_named():
    log = blocked()
    log.add("DEL", 98, 21.95)
    assert only(checkpoint.find_stalls(view(log)), "stall").numbers["blocked"] == 0


def test_what_takes_as_long_without_a_stall_is_no_blocker():
    log = blocked(kind="SRCH", filter="(description=*?*)", notes="A")
    for i in range(6):
        log.add("SRCH", 200 + 30 * i, 20, filter="(description=*?*)", notes="A")
    assert only(checkpoint.find_stalls(view(log)), "stall").numbers["blocked"] == 0


def test_each_stall_has_its_own_blocker():
    found = only(checkpoint.find_stalls(view(blocked(stalls=3))), "stall")
    assert (found.numbers["episodes"], found.numbers["blocked"]) == (3, 3)


@pytest.mark.parametrize(("worked", "blocked"), [(19.0, 1), (3.0, 0)])
def test_an_operation_that_works_inside_all_the_while_is_no_victim(worked, blocked):
    """It ends with the others, and is of a kind that is usually quick: it looks like one."""
    log = Log().background(600, rate=5).background(600, rate=1, kind="MOD", filter="")
    for i in range(10):
        log.add("SRCH", 100 + 0.5 * i, 20 - 0.49 * i, filter="(uid=?)")
    log.add("MOD", 99, 20.99, base="cn=all,ou=groups,dc=a", conn=7, op=3)
    for n in range(100):
        part = worked / 100
        log.add("MOD", 99 + n * part, part, conn=7, op=3, internal=True, nesting=1)
    seen = only(checkpoint.find_stalls(view(log)), "stall")
    assert seen.numbers["blocked"] == blocked
    assert ("MOD cn=all,ou=groups,dc=a" in str(seen.sentence)) == bool(blocked)


def test_what_waits_in_one_step_inside_is_a_victim():
    log = Log().background(600, rate=5).background(600, rate=1, kind="MOD", filter="")
    for i in range(10):
        start, etime = 100 + 0.5 * i, 20 - 0.49 * i
        log.add("MOD", start, etime, base="cn=a", conn=7, op=i)
        log.add("SRCH", start, 0.95 * etime, conn=7, op=i, internal=True, nesting=1)
    assert only(checkpoint.find_stalls(view(log)), "stall").numbers["episodes"] == 1


def test_the_waiting_is_charged_to_the_blocker():
    operations = blocked().done()
    seen = view(operations)
    [row] = seen.blockers
    account = account_of(seen, [])
    assert account.blame.charged_ns[row] > 100 * NS_PER_S
    assert account.blame.stalls_ns == 0
