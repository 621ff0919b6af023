"""Checkpoints: the period fitted from data, against the setting, the saw-tooth and stacks."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.evidence.companions import StackDump, flush_runs
from ldap_workbench.advice.evidence.period import fit_period, fits_setting, in_phase, match_setting
from ldap_workbench.advice.families import checkpoint
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import DATABASE, FACTS, T0, Log, at, only, view

LOG_BYTES = f"{DATABASE}:nsslapd-db-log-bytes-since-checkpoint"


def renewals(interval, count, seed, duration=1.0, missed=()):
    """Starts of checkpoints as the server makes them: interval + 0..2.5 s + its own duration."""
    random = np.random.default_rng(seed)
    gaps = interval + 2.5 * random.random(count) + duration * random.random(count)
    times = T0 + (np.cumsum(gaps) * NS_PER_S).astype(np.int64)
    return np.delete(times, list(missed))


def stalling(times, seconds, etime=0.8):
    log = Log().background(seconds, rate=5)
    for time in times:
        for k in range(8):
            start = (time - T0) / NS_PER_S + 0.01 * k
            log.add("SRCH", start, etime - 0.01 * k, filter="(uid=?)")
    return log


@pytest.mark.parametrize("interval", [15, 60, 120])
def test_the_period_is_fitted_from_the_data_alone(interval):
    period = fit_period(renewals(interval, 12, seed=interval))
    assert period.sure
    assert interval <= period.seconds <= interval + 3.5


def test_missed_events_do_not_hide_the_period():
    period = fit_period(renewals(60, 14, seed=3, missed=(4, 9)))
    assert period.sure
    assert 60 <= period.seconds <= 63.5


def test_the_saw_tooth_as_the_lab_gave_it():
    """Interval 5 s, sampled every second: 389 DS 2.3.1 looks every 2.5 s, so 7.5 s it is."""
    resets = (2.9, 10.9, 17.9, 25.9, 32.9, 40.4, 47.9, 55.9)
    times = T0 + (np.array(resets) * NS_PER_S).astype(np.int64)
    period = fit_period(times, resolution_s=0.5)
    assert period.sure
    assert 7.3 <= period.seconds <= 7.8
    assert fits_setting(period, 5)
    assert not fits_setting(period, 3)


def test_events_at_random_have_no_period():
    random = np.random.default_rng(5)
    sure = 0
    for _ in range(300):
        times = T0 + (np.sort(random.random(12)) * 720 * NS_PER_S).astype(np.int64)
        period = fit_period(times)
        sure += bool(period and period.sure)
    assert sure <= 6


def test_the_configured_interval_needs_fewer_events():
    times = renewals(60, 4, seed=1)
    assert match_setting(times, 60, 1.0).sure
    assert not match_setting(times, 45, 1.0).sure


def test_random_events_rarely_match_a_setting():
    random = np.random.default_rng(6)
    hits = 0
    for _ in range(500):
        times = T0 + (np.sort(random.random(10)) * 600 * NS_PER_S).astype(np.int64)
        hits += match_setting(times, 60, 1.0).sure
    assert hits <= 12


def test_two_events_say_nothing():
    assert fit_period(renewals(60, 2, seed=1)) is None
    assert match_setting(renewals(60, 2, seed=1), 60) is None


def test_stalls_at_the_configured_interval_are_checkpoints():
    log = stalling(renewals(60, 8, seed=2), 600)
    settings = {"nsslapd-db-checkpoint-interval": "60"}
    found = only(checkpoint.find(view(log, settings=settings)), "checkpoint")
    assert found.severity == 3
    assert 60 <= found.numbers["period_s"] <= 64
    assert found.numbers["chance"] < 0.01
    assert "configured interval of 60 s" in str(found.sentence)


def test_lmdb_has_no_checkpoints():
    log = stalling(renewals(60, 8, seed=2), 600)
    facts = replace(FACTS, db_library="mdb")
    found = checkpoint.find(view(log, facts=facts))
    assert [each.id for each in found] == ["recurring_stalls"]
    assert only(checkpoint.find(view(log, facts=None)), "checkpoint")


def test_a_short_interval_is_told_by_the_fitted_period():
    times = T0 + (np.arange(1, 7) * 7.5 * NS_PER_S).astype(np.int64)
    for setting, matches in (("5", True), ("2", False)):
        settings = {"nsslapd-db-checkpoint-interval": setting}
        found = checkpoint.find(view(stalling(times, 150), seconds=150, settings=settings))
        assert [each.id for each in found] == ["checkpoint" if matches else "recurring_stalls"]
        assert ("configured interval" in str(found[0].sentence)) == matches


@pytest.mark.parametrize(("dialect", "which"), [
    ("openldap", "recurring_stalls"), ("opendj", "recurring_stalls"), ("389", "checkpoint"),
])  # fmt: skip
def test_the_default_interval_is_that_of_389_ds_alone(dialect, which):
    log = stalling(renewals(60, 8, seed=2), 600)
    named = (SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE)
    source = Source(1, 1, *named, dialect=dialect)
    found = checkpoint.find(view(log, facts=None, sources=(source,)))
    assert [each.id for each in found] == [which]


def test_stalls_with_another_period_are_told_with_their_victims():
    """Every 37 s, on a server that would checkpoint every minute: a schedule, and not its own."""
    times = T0 + (np.arange(1, 16) * 37 * NS_PER_S).astype(np.int64)
    found = checkpoint.find(view(stalling(times, 600)))
    recurring = only(found, "recurring_stalls")
    assert [each.id for each in found] == ["recurring_stalls"]
    assert recurring.numbers["period_s"] == pytest.approx(37, abs=0.5)
    assert "Stalls come every 37.0 s" in str(recurring.sentence)
    assert recurring.numbers["operations"] == sum(len(e.operations) for e in recurring.evidence)
    assert "heckpoint" not in str(recurring.sentence)


def test_stalls_within_a_burst_have_no_period():
    """Three bursts, a quarter of an hour apart: the tenths of a second inside one are no period."""
    inside = np.arange(8) * NS_PER_S // 10
    times = T0 + np.concatenate([inside + burst * 900 * NS_PER_S for burst in range(3)])
    assert not fit_period(times).sure
    assert fit_period(T0 + np.arange(24) * NS_PER_S).sure


def test_stalls_at_random_are_not():
    random = np.random.default_rng(9)
    times = T0 + (np.sort(random.random(8)) * 580 * NS_PER_S).astype(np.int64)
    settings = {"nsslapd-db-checkpoint-interval": "60"}
    assert checkpoint.find(view(stalling(times, 600), settings=settings)) == []


def test_the_saw_tooth_of_the_log_gives_them_away():
    resets = (100, 163, 225)
    log = stalling([T0 + r * NS_PER_S for r in (100, 225)], 300)
    tooth, value = [], 0.0
    for second in range(300):
        value = 0.0 if second in resets else value + 50_000
        tooth.append(value)
    found = checkpoint.find(view(log, seconds=300, samples={LOG_BYTES: at(tooth)}))
    assert only(found, "checkpoint").numbers["with_log_reset"] == 2
    assert any(e.series == LOG_BYTES for e in found[0].evidence)
    assert checkpoint.find(view(log, seconds=300)) == []


def test_stalls_away_from_the_saw_tooth_do_not_count():
    times = T0 + np.array([130, 195]) * NS_PER_S
    resets = T0 + np.array([100, 163, 225]) * NS_PER_S
    assert in_phase(times, resets, 300 * NS_PER_S) == (0, 1.0)


def dumps(*stacks):
    """Dumps five seconds apart; each maps threads to their frames, innermost first."""
    return tuple(
        StackDump(T0 + (200 + 5 * i) * NS_PER_S, {t: (*f, "start_thread") for t, f in each.items()})
        for i, each in enumerate(stacks)
    )


SYNC = {"Thread 4": ("__memp_sync_int",)}


def test_a_checkpoint_frame_in_consecutive_dumps_backs_a_stall():
    log = stalling([T0 + 200 * NS_PER_S], 600, etime=9.0)
    found = checkpoint.find(view(log, stacks=dumps(SYNC, SYNC)))
    assert only(found, "checkpoint").numbers["stack_dumps"] == 1
    assert any("Thread 4 is in __memp_sync_int in 2" in str(e.text) for e in found[0].evidence)
    almost = dumps(SYNC, {"Thread 4": ("poll",)}, SYNC)
    assert checkpoint.find(view(log, stacks=almost)) == []


@pytest.mark.parametrize(
    ("first", "then", "runs"),
    [
        (SYNC, {"Thread 7": ("__memp_sync_int",)}, 0),
        (SYNC, {"Thread 4": ("__txn_checkpoint",)}, 0),
        (SYNC, {"Thread 4": ("__memp_sync_int",), "Thread 7": ("poll",)}, 1),
        ({"Thread 4": ("write", "__txn_checkpoint")}, {"Thread 4": ("__txn_checkpoint",)}, 1),
        (SYNC | {"Thread 7": ("__txn_checkpoint",)}, {"Thread 7": ("__txn_checkpoint",)} | SYNC, 2),
        *[({"Thread 4": ("poll", "checkpoint_threadmain")},) * 2 + (0,)],
    ],
)
def test_a_run_is_of_one_thread_in_one_frame(first, then, runs):
    assert len(flush_runs(dumps(first, then))) == runs


def test_a_thread_that_syncs_within_its_checkpoint_is_told_once():
    both = {"Thread 4": ("__memp_sync_int", "__txn_checkpoint")}
    outer = {"Thread 4": ("write", "__txn_checkpoint")}
    (found,) = flush_runs(dumps(both, both, outer))
    assert "__txn_checkpoint in 3 consecutive" in str(found.text)


def writing(bursts, emptied, seconds=300):
    """iostat with bursts of writing at some seconds, and a log that is emptied at others."""
    tooth, value = [], 0.0
    for second in range(seconds):
        value = 0.0 if second in emptied else value + 50_000
        tooth.append(value)
    written = [30_000.0 if second in bursts else 800.0 for second in range(seconds)]
    return {"iostat:vda:wkB/s": at(written), LOG_BYTES: at(tooth)}


def test_stalls_with_the_bursts_of_checkpoints_are_checkpoints():
    """The stalls begin too late after the log was emptied to be told by that."""
    log = stalling([T0 + r * NS_PER_S for r in (104, 229)], 300)
    samples = writing({102, 165, 227}, {100, 163, 225})
    found = only(checkpoint.find(view(log, seconds=300, samples=samples)), "checkpoint")
    assert found.severity == 3
    assert found.numbers["with_log_reset"] == 0
    assert (found.numbers["with_burst"], found.numbers["bursts_with_log_reset"]) == (2, 3)
    assert "2 of 2 begin with a burst of writing." in str(found.sentence)
    assert "3 of 3 bursts begin when the transaction log is emptied" in str(found.sentence)
    assert sum("burst of writing begins" in str(e.text) for e in found.evidence) == 3


@pytest.mark.parametrize(
    ("bursts", "emptied"),
    [({110, 165, 240}, {100, 163, 225}), ({102, 165, 227}, {60, 130, 190}), ({102}, {100, 163})],
)
def test_stalls_or_bursts_away_from_the_others_are_not(bursts, emptied):
    log = stalling([T0 + r * NS_PER_S for r in (104, 229)], 300)
    samples = writing(bursts, emptied)
    assert checkpoint.find(view(log, seconds=300, samples=samples)) == []


def test_waits_known_of_bursts_alone_have_no_quiet_ones_beside_them():
    samples = writing({102, 165}, {100, 163})
    times, _ = samples["iostat:vda:wkB/s"]
    of_bursts = times[[102, 165]]
    samples["iostat:vda:w_await"] = (of_bursts, np.array([90.0, 110.0]))
    begins, hurt = checkpoint.write_bursts(samples)
    assert begins.tolist() == of_bursts.tolist()
    assert hurt


def disk(util, burst_await):
    written, busy, wait = [], [], []
    for second in range(600):
        burst = second % 62 < 2 and second > 10
        written.append(30_000.0 if burst else 800.0)
        busy.append(util if burst else 5.0)
        wait.append(burst_await if burst else 1.0)
    return {
        "iostat:vda:wkB/s": at(written),
        "iostat:vda:util": at(busy),
        "iostat:vda:w_await": at(wait),
    }


def test_bursts_that_saturate_the_disk_are_found_without_stalls():
    log = Log().background(600, rate=5)
    found = only(checkpoint.find(view(log, samples=disk(99.0, 80.0))), "checkpoint")
    assert found.severity == 2
    assert 61 <= found.numbers["period_s"] <= 63


def test_bursts_that_hurt_nobody_are_left_alone():
    log = Log().background(600, rate=5)
    assert checkpoint.find(view(log, samples=disk(30.0, 2.0))) == []
