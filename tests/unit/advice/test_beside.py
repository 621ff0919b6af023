"""Paged searches against all others of the window, and access control against its absence."""

import numpy as np
import pytest

from ldap_workbench.advice.evidence.contrast import contrast, merged
from ldap_workbench.advice.families import repeats
from ldap_workbench.model.operations import NOTES
from tests.unit.advice.material import Log, only, view

PAGED = np.uint8(1 << NOTES.index("P"))


def load(pages=60, slower=3.0, stall=0.0, seconds=600):
    """Quick searches all along, `slower` times as long while a page of 0.5 s is served."""
    log, random = Log(), np.random.default_rng(3)
    starts = np.sort(random.uniform(0, seconds - 1, pages))
    for start in starts:
        log.add("SRCH", float(start), 0.5 + stall, filter="(objectclass=?)", notes="P")
    for at in random.uniform(0, seconds, 6000):
        beside_page = ((at >= starts) & (at < starts + 0.5)).any()
        etime = 0.002 * float(np.exp(0.4 * random.standard_normal()))
        log.add("SRCH", float(at), etime * (slower if beside_page else 1), filter="(uid=?)")
    return log


def test_pages_that_slow_others_are_told_with_what_it_costs_them():
    found = only(repeats.find_beside(view(load())), "paged_searches")
    assert found.numbers["times"] == pytest.approx(3, rel=0.1)
    assert found.numbers["chance"] == pytest.approx(0.01)
    assert found.worker_ns == 60 * 500_000_000
    assert 0.2e9 < found.user_ns < 2e9


@pytest.mark.parametrize("case", [{"slower": 1.0}, {"slower": 1.2}, {"pages": 10}])
def test_pages_that_do_not_are_left_alone(case):
    assert repeats.find_beside(view(load(**case))) == []


def test_a_long_operation_in_a_slow_minute_did_not_cause_it():
    """The pages of the slow minute are long: they cover more of it than of any other."""
    log, random = Log(), np.random.default_rng(5)
    for at in random.uniform(0, 600, 6000):
        slow = 10 if 100 <= at < 160 else 1
        log.add("SRCH", float(at), 0.002 * slow * random.uniform(0.5, 1.5), filter="(uid=?)")
    for at in random.uniform(0, 590, 40):
        slow = 10 if 100 <= at < 160 else 1
        log.add("SRCH", float(at), 0.2 * slow, filter="(objectclass=?)", notes="P")
    assert repeats.find_beside(view(log)) == []


def test_times_at_random_show_nothing_in_nineteen_of_twenty_windows():
    told = 0
    for seed in range(20):
        random, log = np.random.default_rng(seed), Log()
        for at in random.uniform(0, 300, 1500):
            log.add("SRCH", float(at), 0.002 * float(np.exp(random.standard_normal())))
        for at in random.uniform(0, 299, 30):
            log.add("SRCH", float(at), 0.4, filter="(objectclass=?)", notes="P")
        operations = log.done()
        found = contrast(operations, (operations.notes & PAGED) != 0)
        told += found is not None and found.low > 0.05
    assert told <= 1


def test_spans_that_touch_are_one():
    spans = merged(np.array([5, 1, 2, 9]), np.array([6, 3, 4, 12]))
    assert spans.tolist() == [[1, 4], [5, 6], [9, 12]]


def asked_by(others=0.05, manager=0.002, count=30, base="dc=a"):
    log = Log().background(60)
    for n in range(count):
        same = {"filter": "(cn=?)", "nentries": 10}
        log.add("SRCH", n, manager, bind_dn="cn=Directory Manager", base="dc=a", **same)
        log.add("SRCH", n + 0.5, others, bind_dn="uid=app,dc=a", base=base, **same)
    return log


def test_the_difference_between_two_who_ask_the_same():
    found = only(repeats.find_beside(view(asked_by())), "access_control")
    assert found.numbers["times"] == pytest.approx(25)
    assert "uid=app,dc=a" in str(found.sentence)
    assert found.worker_ns == pytest.approx(30 * 48e6, rel=0.01)


def test_a_few_searches_and_others_who_are_as_quick():
    """Rules are for the one, and not for all who ask the same."""
    log = asked_by(count=10)
    for n in range(200):
        log.add("SRCH", n / 7, 0.0021, filter="(cn=?)", bind_dn="uid=quick,dc=a", base="dc=a",
                nentries=10)  # fmt: skip
    seen = only(repeats.find_beside(view(log)), "access_control")
    assert "uid=app,dc=a" in str(seen.sentence)
    assert seen.numbers["searches"] == 10


@pytest.mark.parametrize(
    "log",
    [
        asked_by(others=0.005),
        asked_by(count=10, others=0.03),
        asked_by(count=4),
        asked_by(base="dc=b"),
        asked_by(others=0.002),
    ],
)
def test_a_small_difference_few_searches_or_another_base(log):
    assert repeats.find_beside(view(log)) == []
