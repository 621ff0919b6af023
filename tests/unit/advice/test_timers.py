"""Constants in etimes: named where they are one, not taken for one where load gives as many."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.evidence.timers import Band, load_timers, peak
from ldap_workbench.advice.families import timers
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, T0, Log, only, view

BAND = Band(0.98, 1.08, 0.78, 1.35, 0.04)


def load(seconds=600, rate=20, kind="SRCH", spread=1.2, seed=11):
    """Etimes of 1 ms in the middle with a long tail: some take 40 ms and more."""
    log, random = Log(), np.random.default_rng(seed)
    for n in range(seconds * rate):
        etime = 0.001 * float(np.exp(spread * random.standard_normal()))
        log.add(kind, n / rate, etime, filter="(uid=?)", conn=n % 10, op=n)
    return log


def waits(log, at, count=60, kind="SRCH", every=9.0, **columns):
    random = np.random.default_rng(7)
    for n in range(count):
        late = 0.001 * float(np.exp(0.5 * random.standard_normal()))
        log.add(kind, every * n, at + late, filter="(uid=?)", conn=n % 10, op=n, **columns)
    return log


def named(found):
    return [each["timer"] for each in only(found, "timer").numbers["timers"]]


def test_a_narrow_peak_at_a_known_constant_has_its_name():
    found = timers.find(view(waits(load(), 0.04)))
    assert named(found) == ["delayed_ack"]
    assert "40.0 ms and little more" in str(found[0].sentence)
    assert "Nagle" in str(found[0].sentence)
    assert found[0].evidence[0].operations
    assert found[0].user_ns > 60 * 40_000_000


@pytest.mark.parametrize(
    ("kernel", "expected"), [("SunOS 5.10", "delayed_ack_solaris"), ("Linux 6.1", "turbo_poll")]
)
def test_100_ms_is_a_delayed_acknowledgement_on_solaris_alone(kernel, expected):
    """tcp_deferred_ack_interval; on Linux the turbo mode of 389 DS polls as often."""
    facts = replace(FACTS, kernel=kernel, device=None)
    found = timers.find(view(waits(load(), 0.1), facts=facts))
    assert named(found)[0] == expected
    assert ("delayed_ack_solaris" in named(found)) is ("SunOS" in kernel)


@pytest.mark.parametrize("seed", range(20))
def test_a_tail_of_load_has_no_peak(seed):
    assert timers.find(view(load(spread=1.8, seed=seed))) == []


def test_what_always_takes_so_long_is_no_timer():
    log = load()
    for n in range(300):
        log.add("BIND", 2 * n, 0.04 + 0.00001 * n, conn=n, op=0)
    assert timers.find(view(log)) == [], "hashing a password takes as long every time"


def test_one_stall_of_that_length_is_no_timer():
    assert timers.find(view(waits(load(), 0.04, every=0.001))) == []


def test_short_stalls_of_that_length_are_no_timer_however_many():
    log = load(seconds=1800, kind="MOD")
    for minute in range(30):
        for k in range(6):
            log.add("MOD", 60 * minute + 3 + 0.005 * k, 0.0405, filter="(uid=?)", conn=k, op=minute)
    assert timers.find(view(log, seconds=1800)) == []


def test_clients_that_work_now_and_then_beside_each_other_have_the_timer_all_the_same():
    log = load()
    for n in range(400):
        log.add("SRCH", 30 + 60 * (n // 80) + n % 80 // 4 * 0.05, 0.041, filter="(uid=?)", conn=n)
        log.add("SRCH", 0.7 * n, 0.041, filter="(uid=?)", conn=n)
    assert "delayed_ack" in named(timers.find(view(log)))


def test_a_constant_of_another_kind_of_operation_is_not_looked_for():
    assert named(timers.find(view(waits(load(kind="MOD"), 0.05, kind="MOD")))) == ["batch_wait"]
    assert timers.find(view(waits(load(), 0.05))) == [], "searches wait for no transaction"


def test_turns_of_a_wait_are_peaks_at_its_multiples():
    log = load(kind="MOD")
    for step in (0.1, 0.2, 0.3):
        waits(log, step, kind="MOD")
    assert "deferred_memberof" in named(timers.find(view(log)))


def test_a_connection_that_is_answered_after_three_seconds_lost_a_packet():
    log = load()
    for n in range(400):
        wait = 3.0 if n % 8 == 0 else 0.002
        opened = T0 + round((1.4 * n) * 1e9)
        log.add("BIND", 1.4 * n + wait, 0.004, conn=1000 + n, op=0, opened_ns=opened)
    assert named(timers.find(view(log))) == ["retransmission_3"]


def test_a_log_of_whole_seconds_shows_no_peak():
    coarse = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE,
                    resolution_ns=1_000_000_000)  # fmt: skip
    assert timers.find(view(waits(load(), 0.04), sources=(coarse,))) == []


def test_stalls_at_a_known_period_have_its_name():
    log = load(seconds=1800, rate=5, spread=0.4)
    for n in range(6):
        for k in range(12):
            start = 300 * n + 20 + 0.01 * k
            log.add("SRCH", start, 2.0 - 0.01 * k, filter="(uid=?)", conn=k, op=9000 + n)
    found = timers.find(view(log, seconds=1800))
    assert named(found) == ["changelog_trim"]
    assert str(found[0].sentence).startswith("Stalls come back every 300 s: the trimming")


def test_the_peak_is_weighed_against_both_sides():
    even = np.exp(np.linspace(np.log(20e6), np.log(80e6), 4000)).astype(np.int64)
    flat = peak(even, 40_000_000, BAND)
    assert flat.times == pytest.approx(1, abs=0.05)
    assert flat.chance > 0.01
    some = np.concatenate([even, np.full(300, 40_500_000)])
    assert peak(some, 40_000_000, BAND).chance < 1e-6


def test_every_timer_is_whole():
    for timer in load_timers():
        assert timer.of in ("etime", "writes", "connect", "stalls")
        assert timer.at_ms > 0
        assert timer.meaning
        assert timer.source
    assert len({timer.id for timer in load_timers()}) == len(load_timers())
