"""Constants in etimes: named where they are one, not taken for one where load gives as many."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.evidence.period import Band, load_timers, peak
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
        assert timer.of in ("etime", "writes", "connect", "stalls", "pause")
        assert timer.at_ms > 0
        assert timer.meaning
        assert timer.source
    assert len({timer.id for timer in load_timers()}) == len(load_timers())


# --- constants that no table knows ----------------------------------------------------------------


def comparing(log, count=60, at=7.0, spread=0.002, kind="CMP", clients=("192.0.2.7", "192.0.2.8")):
    """One type of two clients takes as long every time, whatever it asks."""
    random = np.random.default_rng(5)
    for n in range(count):
        took = at + spread * float(random.random())
        log.add(kind, 9.0 * n, took, base=f"cn=g{n}", client=clients[n % 2], conn=500 + n % 2, op=n)
    return log


def peopled(seed=11, seconds=600):
    """Load of four clients, with a tail beyond the constant."""
    log, random = Log(), np.random.default_rng(seed)
    for n in range(10 * seconds):
        etime = 0.01 * float(np.exp(2.0 * random.standard_normal()))
        client = f"192.0.2.{n % 4}"
        log.add("SRCH", n / 10, etime, filter="(uid=?)", client=client, conn=n % 40, op=n)
    return log


def test_a_constant_of_one_type_and_two_clients_is_named():
    found = only(timers.find(view(comparing(peopled()))), "constant_time")
    [constant] = found.numbers["constants"]
    assert 60 <= constant["operations"] <= 64, "one of the tail may take as long"
    assert not constant["between_operations"]
    assert constant["at_ns"] == pytest.approx(7e9, rel=0.001)
    says = str(found.sentence)
    assert "operations took 7.00 s, hardly more or less" in says
    assert "all of them share: CMP, client 192.0.2.7, 192.0.2.8" in says
    assert len(found.evidence[0].operations) == constant["operations"]


def test_a_constant_of_one_kind_that_the_table_knows_has_its_name_beside():
    found = only(timers.find(view(comparing(peopled(), at=5.0))), "constant_time")
    assert "The length of a known constant is the same: a name server" in str(found.sentence)


@pytest.mark.parametrize("seed", range(5))
def test_with_etimes_shuffled_the_constant_belongs_to_nobody(seed):
    operations = comparing(peopled()).done()
    shuffled = np.random.default_rng(seed).permutation(operations.etime_ns)
    starts = operations.end_ns - operations.etime_ns
    order = np.argsort(starts + shuffled, kind="stable")
    changed = replace(operations, etime_ns=shuffled, end_ns=starts + shuffled).take(order)
    assert timers.find(view(changed)) == []


@pytest.mark.parametrize("case", [
    {"count": 15}, {"spread": 2.0}, {"kind": "BIND", "at": 0.5}, {"at": 0.15},
], ids=["few", "spread out", "hashes", "short"])  # fmt: skip
def test_what_is_no_constant(case):
    assert timers.find(view(comparing(peopled(), **case))) == []


def searching(mostly_slow):
    """Searches of one filter and client; of 60 all, or of 300 each fifth, take 7 s."""
    log = peopled()
    for n in range(60 if mostly_slow else 300):
        took = 7.0 if mostly_slow or n % 5 == 0 else 0.01
        where = {"client": "192.0.2.9", "conn": 700 + n % 5, "op": n}
        log.add("SRCH", (9.0 if mostly_slow else 1.9) * n, took, filter="(host=?)", **where)
    return log


def test_a_filter_that_always_takes_as_long_may_read_as_much_and_is_no_constant():
    assert timers.find(view(searching(mostly_slow=True))) == []
    found = only(timers.find(view(searching(mostly_slow=False))), "constant_time")
    assert "filter (host=?)" in str(found.sentence)


@pytest.mark.parametrize("seed", range(6))
def test_clients_that_only_differ_in_load_have_no_constant(seed):
    assert timers.find(view(peopled(seed=seed))) == []


def logins(pause, count=80, spread=0.003):
    """A search for the user, a pause, and the BIND, each login on a connection of its own."""
    log, random = peopled(), np.random.default_rng(3)
    for n in range(count):
        where = {"client": "192.0.2.50", "conn": 2000 + n}
        log.add("SRCH", 7.0 * n, 0.002, filter="(uid=?)", op=0, **where)
        late = pause + spread * float(random.random())
        log.add("BIND", 7.0 * n + 0.002 + late, 0.002, base="uid=x", op=1, **where)
    return log


def test_a_pause_of_the_same_length_within_logins_is_named():
    found = only(timers.find(view(logins(5.0))), "constant_time")
    [constant] = found.numbers["constants"]
    assert (constant["operations"], constant["between_operations"]) == (80, True)
    says = str(found.sentence)
    assert "80 operations came 5.00 s after the answer before" in says
    assert "all of them share: BIND, client 192.0.2.50" in says
    assert found.user_ns is None


def test_pauses_of_people_differ():
    assert timers.find(view(logins(5.0, spread=4.0))) == []


def test_polling_is_no_pause_within_a_piece_of_work():
    log = peopled()
    for n in range(100):
        log.add("SRCH", 5.002 * n, 0.002, filter="(cn=?)", client="192.0.2.60", conn=900, op=n)
    assert timers.find(view(log)) == []


def sasl(pause, late=2, count=90, spread=0.002):
    """Three-step binds and nothing else, the last of them late in so many of three."""
    log, random = Log(), np.random.default_rng(8)
    for n in range(count):
        at, where = 6.0 * n, {"client": f"192.0.2.{n % 9}", "conn": 3000 + n}
        for step in range(3):
            log.add("BIND", at, 0.001, op=step, err=14 if step < 2 else 0, **where)
            wait = pause + spread * float(random.random()) if n % 3 < late else 0.0
            at += 0.002 + (wait if step == 1 else 0.0)
    return log


@pytest.mark.parametrize(("pause", "product"), [(0.25, "389ds"), (0.6, "openldap"), (2.0, "389ds")])
def test_a_pause_of_the_same_length_between_two_steps_of_a_sasl_bind(pause, product):
    """Binds need not be a small part of all operations: nobody pauses in the middle of one."""
    seen = view(sasl(pause), facts=replace(FACTS, product=product))
    found = only(timers.find(seen), "constant_time")
    [constant] = found.numbers["constants"]
    assert (constant["operations"], constant["between_operations"]) == (60, True)
    says = str(found.sentence)
    assert (
        "after the step before of their SASL bind, hardly more or less. What nearly all of" in says
    )
    assert ("every 250 ms unless something wakes it" in says) == (pause == 0.25)
    assert ("or the server read it late" in says) == (pause != 0.25)


@pytest.mark.parametrize(
    "almost", [{"pause": 0.08}, {"pause": 0.4, "spread": 0.4}, {"pause": 0.3, "count": 40}], ids=str
)
def test_no_such_pause(almost):
    """As long as a network takes; of lengths that differ; too few."""
    assert timers.find(view(sasl(**almost))) == []
