"""Limits that the materials of operations and of samples do not show: has it, and almost."""

import numpy as np
import pytest

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.families import (
    caches,
    checkpoint,
    errors,
    hygiene,
    log_cost,
    repeats,
    search_shape,
    threads,
)
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.edges import Edge
from tests.unit.advice.material import FACTS, T0, USERROOT, Log, at, only, view
from tests.unit.advice.test_caches import MIB, entry_cache
from tests.unit.advice.test_checkpoint import renewals, stalling
from tests.unit.advice.test_edges_of_operations import bursts
from tests.unit.advice.test_edges_of_samples import names, reading
from tests.unit.advice.test_repeats import mods
from tests.unit.advice.test_threads import THREADS, pausing, waiting


def tail_of(count, etime, *, others=2000, slow_others=0):
    """So many searches of one filter among others of a millisecond, some of which are slower."""
    log = Log()
    for i in range(others):
        log.add("SRCH", i * 0.3, 1.0 if i < slow_others else 0.001, filter="(uid=?)")
    for i in range(count):
        log.add("SRCH", i * 2.0, etime, filter="(cn=*?*)")
    return search_shape.find(view(log))


def brief(length):
    """Stalls of that length every five seconds: short ones that cover much of the window."""
    log = Log().background(100, rate=20)
    for n in range(18):
        for i in range(8):
            log.add("SRCH", 10 + 5 * n - length + 0.001 * i, length, filter="(uid=?)")
    return checkpoint.find_stalls(view(log, seconds=100))


def stalled_for(length):
    """Stalls of that length with the period of checkpoints."""
    log = stalling(renewals(60, 8, seed=2), 600, etime=length)
    return checkpoint.find(view(log, settings={"nsslapd-db-checkpoint-interval": "60"}))


def warmed_by(rate):
    """Operations that get quicker after the first quarter, so many a second."""
    log, later = Log().background(150, rate=rate, etime=0.004), Log().background(450, rate=rate)
    for row in later.rows:
        row["end_ns"] += 150 * NS_PER_S
    log.rows += later.rows
    return hygiene.find(view(log))


def once(longest):
    """A MOD on one entry beside others that take a tenth of a second."""
    log = Log()
    for i in range(9):
        log.add("MOD", 5.0 * i, 0.1, base="cn=group")
    return repeats.find(view(log.add("MOD", 300, longest, base="cn=group")))


def queued(share, count=1500, idle=None):
    samples = {} if idle is None else {"iostat:cpu:idle": at([idle] * 60)}
    return threads.find(view(waiting(share, count=count), samples=samples))


def paused(share):
    log = pausing(4, pause=0.01 * share / (1 - share), served=0.01)
    return threads.find(view(log, samples=THREADS))


def logging(slow_from_us):
    calls = Histogram("log_access_full", (512, slow_from_us), (99_000, 1000))
    return log_cost.find(view(histograms=(calls,)))


def silent(seconds, readings, *, logged=True):
    """A log that stops for a while; in it the monitor is read so many times."""
    log = Log()
    for i in range(300):
        start = 0.2 * i if i < 150 else 0.2 * i + seconds - 0.2
        log.add("SRCH", start, 0.0, own=logged and i % 5 == 0)
    inside = [30.0 + (seconds - 0.2) * (n + 1) / (readings + 1) for n in range(readings)]
    times = T0 + (np.array([5.0, *inside, 70.0]) * NS_PER_S).astype(np.int64)
    return hygiene.find_clock(
        view(log, samples={"cn=snmp,cn=monitor:searchops": (times, times * 1.0)})
    )


def connected(count, table=1064, **settings):
    """Of the table 64 places stay free, as long as nsslapd-reservedescriptors says nothing else."""
    samples = {
        "cn=monitor:currentconnections": at([10, count, 10]),
        "cn=monitor:dtablesize": at([table] * 3),
    }
    return errors.find(view(samples=samples, settings=settings))


EDGES = [
    Edge("same_operation", "longest", lambda: once(1.05), lambda: once(0.95)),
    Edge("work_queue", "share", lambda: queued(0.32), lambda: queued(0.28)),
    Edge("work_queue", "operations", lambda: queued(0.6, 1001), lambda: queued(0.6, 999)),
    Edge("work_queue", "busy", lambda: queued(0.6, idle=11), lambda: queued(0.6, idle=9)),
    Edge("processors_busy", "busy", lambda: queued(0.6, idle=9), lambda: queued(0.6, idle=11)),
    Edge("client_pauses", "share", lambda: paused(0.32), lambda: paused(0.28)),
    Edge("log_functions", "slow", lambda: logging(1024), lambda: logging(900)),
    Edge("large_reads", "page", lambda: reading(65, 200), lambda: reading(63, 200)),
    Edge("referint_trains", "spread", lambda: bursts(9, 3, 9, 3), lambda: bursts(10, 3, 10, 3)),
    Edge("stall", "shortest", lambda: brief(0.21), lambda: brief(0.19)),
    Edge("checkpoint", "stall", lambda: stalled_for(0.11), lambda: stalled_for(0.09)),
    Edge("referint_trains", "led", lambda: bursts(20, 20, 20, 20, -3),
         lambda: bursts(20, 20, 20, 20, -3, -3)),
    Edge("warm_up", "operations", lambda: warmed_by(1.36), lambda: warmed_by(1.3)),
    Edge("clock", "silence", lambda: silent(5.1, 3), lambda: silent(4.9, 3)),
    Edge("clock", "readings", lambda: silent(9, 3), lambda: silent(9, 2)),
    Edge("clock", "logged", lambda: silent(60, 9), lambda: silent(60, 9, logged=False)),
    Edge("descriptors", "share", lambda: connected(801), lambda: connected(799)),
    Edge("heavy_filter", "few in tail", lambda: tail_of(10, 0.03), lambda: tail_of(9, 0.03)),
    Edge("heavy_filter", "least", lambda: tail_of(12, 0.021), lambda: tail_of(12, 0.019)),
    Edge(
        "heavy_filter", "searches for a tail", lambda: tail_of(12, 0.03, others=990),
        lambda: tail_of(12, 0.03, others=980),
    ),
    Edge(
        "heavy_filter", "share in tail", lambda: tail_of(110, 0.021, others=1000, slow_others=5),
        lambda: tail_of(120, 0.021, others=1000, slow_others=5),
    ),
    Edge(
        "heavy_filter", "share of tail", lambda: tail_of(12, 0.03, slow_others=5),
        lambda: tail_of(12, 0.03, slow_others=6),
    ),
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_one_just_has_it_and_one_almost_has_it(edge: Edge) -> None:
    edge.check()


@pytest.mark.parametrize(
    ("extra", "like"), [(26.9, False), (27.1, True), (32.9, True), (33.1, False)]
)
def test_a_time_out_is_told_within_three_seconds(extra, like):
    found = only(repeats.find(view(mods(2.8 + extra))), "same_operation")
    assert found.numbers["like_a_timeout"] is like
    assert ("replication time-out" in str(found.sentence)) is like


@pytest.mark.parametrize(("entries", "wanted"), [(400_000, 38.4 * MIB), (1000, 32 * MIB)])
def test_a_dn_cache_for_all_entries_has_a_fifth_of_room(entries, wanted):
    samples = names() | {f"{USERROOT}:currententrycachecount": at([entries] * 60)}
    found = only(caches.find(view(samples=samples, seconds=60)), "dn_cache")
    assert found.numbers["wanted_bytes"] == round(wanted)


def test_more_threads_are_said_to_help_from_a_fifth_of_idle_processors():
    for idle, helps in ((19, False), (21, True)):
        sentence = str(only(queued(0.6, idle=idle), "work_queue").sentence)
        assert ("more threads may help" in sentence) is helps


def test_an_entry_cache_for_all_entries_has_a_fifth_of_room():
    samples = entry_cache(size=200_000_000, most=200_000_000, count=40_000, names=100_000)
    found = only(caches.find(view(samples=samples, seconds=60)), "entry_cache")
    assert found.numbers["wanted_bytes"] == 600_000_000


def test_a_clock_set_forward_is_told_with_the_stretch():
    found = only(silent(60, 9), "clock")
    assert found.numbers["silences"] == 1
    assert found.numbers["longest_silence_ns"] == 60 * NS_PER_S
    assert "set forward, or lines of the log are missing" in str(found.sentence)
    assert found.evidence[0].end_ns - found.evidence[0].start_ns == 60 * NS_PER_S


def test_a_load_that_rests_is_no_jump_of_the_clock():
    """The readings of the monitor are in the log meanwhile."""
    log = Log()
    for i in range(120):
        log.add("SRCH", i, 0.001, own=True)
        if not 30 <= i < 90:
            log.add("SRCH", i + 0.5, 0.001)
    times = T0 + np.arange(120) * NS_PER_S
    samples = {"cn=snmp,cn=monitor:searchops": (times, times * 1.0)}
    assert hygiene.find_clock(view(log, samples=samples)) == []


def test_places_of_the_table_that_are_reserved():
    """389 DS 2.3.1 refused the 33rd connection at a table of 96."""
    assert only(connected(32, table=96), "descriptors").numbers["share"] == 1
    reserved = {"nsslapd-reservedescriptors": "32"}
    assert only(connected(60, table=96, **reserved), "descriptors").numbers["most"] == 64
    assert connected(32, table=96, **reserved) == []


def test_connections_between_two_readings_of_the_whole_monitor():
    """With 72 connections a capture of 8 s read cn=monitor once, cn=snmp each second."""
    samples = {
        "cn=monitor:currentconnections": at([4]),
        "cn=monitor:dtablesize": at([136]),
        "cn=snmp,cn=monitor:connections": at([72, 72, 2, 2]),
    }
    assert only(errors.find(view(samples=samples)), "descriptors").numbers["connections"] == 72


def test_descriptors_that_run_out_back_more_of_them():
    advice = {a.id: a for a in advise(connected(900), FACTS)}
    assert advice["more-descriptors"].treatment.settings[0].value == "2000"
    assert "idle-timeout" in advice


def test_a_filter_that_owns_the_tail_is_told_once():
    rare = only(tail_of(12, 0.06, slow_others=3), "heavy_filter")
    assert rare.numbers["filter"] == "(cn=*?*)"
    assert rare.numbers["share_of_time"] < 0.3
    assert (rare.numbers["searches"], rare.numbers["share_of_tail"]) == (12, 0.7)
    assert "70 % of the slowest; up to 60.0 ms each. There it takes 60.0 ms at least." in str(
        rare.sentence
    )
    dear = tail_of(12, 1.0)
    assert [finding.id for finding in dear] == ["heavy_filter"]
