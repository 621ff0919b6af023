"""Limits that the materials of operations and of samples do not show: has it, and almost."""

import numpy as np
import pytest

from ldap_workbench.advice import advise, clock, errors, search_shape
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.edges import Edge
from tests.unit.advice.material import FACTS, T0, Log, at, only, view


def tail_of(count, etime, *, others=2000, slow_others=0):
    """So many searches of one filter among others of a millisecond, some of which are slower."""
    log = Log()
    for i in range(others):
        log.add("SRCH", i * 0.3, 1.0 if i < slow_others else 0.001, filter="(uid=?)")
    for i in range(count):
        log.add("SRCH", i * 2.0, etime, filter="(cn=*?*)")
    return search_shape.find(view(log))


def silent(seconds, readings, *, logged=True):
    """A log that stops for a while; in it the monitor is read so many times."""
    log = Log()
    for i in range(300):
        start = 0.2 * i if i < 150 else 0.2 * i + seconds - 0.2
        log.add("SRCH", start, 0.0, own=logged and i % 5 == 0)
    inside = [30.0 + (seconds - 0.2) * (n + 1) / (readings + 1) for n in range(readings)]
    times = T0 + (np.array([5.0, *inside, 70.0]) * NS_PER_S).astype(np.int64)
    return clock.find(view(log, samples={"cn=snmp,cn=monitor:searchops": (times, times * 1.0)}))


def connected(count):
    samples = {
        "cn=monitor:currentconnections": at([10, count, 10]),
        "cn=monitor:dtablesize": at([1000] * 3),
    }
    return errors.find(view(samples=samples))


EDGES = [
    Edge("clock", "silence", lambda: silent(5.1, 3), lambda: silent(4.9, 3)),
    Edge("clock", "readings", lambda: silent(9, 3), lambda: silent(9, 2)),
    Edge("clock", "logged", lambda: silent(60, 9), lambda: silent(60, 9, logged=False)),
    Edge("descriptors", "share", lambda: connected(801), lambda: connected(799)),
    Edge("tail_filter", "few", lambda: tail_of(10, 0.03), lambda: tail_of(9, 0.03)),
    Edge("tail_filter", "least", lambda: tail_of(12, 0.021), lambda: tail_of(12, 0.019)),
    Edge(
        "tail_filter", "searches", lambda: tail_of(12, 0.03, others=990),
        lambda: tail_of(12, 0.03, others=980),
    ),
    Edge(
        "tail_filter", "share of searches", lambda: tail_of(110, 0.021, others=1000, slow_others=5),
        lambda: tail_of(120, 0.021, others=1000, slow_others=5),
    ),
    Edge(
        "tail_filter", "share of tail", lambda: tail_of(12, 0.03, slow_others=5),
        lambda: tail_of(12, 0.03, slow_others=6),
    ),
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_one_just_has_it_and_one_almost_has_it(edge: Edge) -> None:
    edge.check()


def test_a_clock_set_forward_is_told_with_the_stretch():
    found = only(silent(60, 9), "clock")
    assert found.numbers["silences"] == 1
    assert found.numbers["longest_silence_ns"] == 60 * NS_PER_S
    assert "set forward, or lines of the log are missing" in found.sentence
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
    assert clock.find(view(log, samples=samples)) == []


def test_descriptors_that_run_out_back_more_of_them():
    advice = {a.id: a for a in advise(connected(900), FACTS)}
    assert advice["more-descriptors"].treatment.settings[0].value == "2000"
    assert "idle-timeout" in advice


def test_a_filter_that_owns_the_tail_is_told_once():
    rare = only(tail_of(12, 0.06, slow_others=3), "tail_filter")
    assert rare.numbers["filter"] == "(cn=*?*)"
    assert rare.numbers["share_of_time"] < 0.3
    assert (rare.numbers["searches"], rare.numbers["share_of_tail"]) == (12, 0.7)
    assert "70 % of the slowest thousandth" in rare.sentence
    dear = tail_of(12, 1.0)
    assert [finding.id for finding in dear] == ["heavy_filter"]
