"""Referential integrity: trains after deletions, work inside them, and MODs that only look so."""

import pytest

from ldap_workbench.advice.families import referint
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import Log, only, view

DELETIONS = (100, 400, 760, 1000)


def published(*, internal=True, mods=7, lag=180.0, deletions=DELETIONS):
    """The published case: deletions, and seven MODs each three minutes later, one of 34 s."""
    log = Log().background(1500, rate=2)
    for n, time in enumerate(deletions):
        log.add("DEL", time, 0.05, base=f"uid=u{n},ou=people")
        start = time + 0.05 + lag
        for k in range(mods):
            etime = 34.0 if (n, k) == (1, 3) else 2.0 + 0.15 * k
            base = f"cn=group{k},ou=groups"
            log.add("MOD", start, etime, base=base, internal=internal, conn=0 if internal else 9)
            start += etime
    return log


@pytest.mark.parametrize("internal", [True, False])
def test_the_published_trains_are_found(internal):
    found = only(referint.find(view(published(internal=internal), seconds=1500)), "referint_trains")
    assert found.numbers["trains"] == 4
    assert found.numbers["removals"] == 4
    assert found.numbers["mods_per_removal"] == 7
    assert found.numbers["lag_min_ns"] == pytest.approx(180 * NS_PER_S, abs=NS_PER_S)
    assert found.numbers["lag_max_ns"] == pytest.approx(180 * NS_PER_S, abs=NS_PER_S)
    assert "180 s later" in str(found.sentence)
    assert len(found.evidence) == 4


def test_a_comb_of_lags_up_to_the_delay_is_a_train_too():
    log = Log().background(1500, rate=2)
    for batch in range(1, 8):
        for n in range(3):
            log.add("DEL", batch * 182 - 170 + 50 * n, 0.01, base=f"uid={batch}{n}")
        for k in range(12):
            log.add("MOD", batch * 182 + 0.2 * k, 0.2, base=f"cn=g{k}", internal=True, conn=0)
    settings = {"referint-update-delay": "180"}
    found = only(referint.find(view(log, seconds=1500, settings=settings)), "referint_trains")
    assert found.numbers["mods_per_removal"] == 4
    assert found.numbers["lag_max_ns"] <= 182 * NS_PER_S
    assert "configured delay is 180 s" in str(found.sentence)


def test_trains_without_deletions_are_something_else():
    log = published(deletions=())
    for n in range(4):
        for k in range(7):
            log.add("MOD", 300 * n + 2 * k, 2.0, base=f"cn=group{k}", internal=True, conn=0)
    log.add("DEL", 20, 0.01)
    assert referint.find(view(log, seconds=1500)) == []


def test_a_steady_stream_of_mods_has_no_trains():
    log = published(mods=0).background(1500, rate=3, kind="MOD", filter="")
    assert referint.find(view(log, seconds=1500)) == []


def test_bursts_unrelated_in_size_to_the_deletions_are_not_told():
    log = Log().background(1500, rate=2)
    for n, (deletions, mods) in enumerate([(9, 3), (1, 30), (4, 4), (1, 3)]):
        for k in range(deletions):
            log.add("DEL", 300 * n + k, 0.01)
        for k in range(mods):
            log.add("MOD", 300 * n + 100 + k, 0.5, base=f"cn=g{k}", conn=9)
    assert referint.find(view(log, seconds=1500)) == []


def test_one_train_is_too_few():
    assert referint.find(view(published(deletions=(100,)), seconds=600)) == []


def inside(etime, mods):
    log = Log().background(300, rate=2)
    for n in range(5):
        log.add("DEL", 50 * n, etime, conn=7, op=n + 1)
        for k in range(mods):
            start = 50 * n + etime * k / max(mods, 1)
            log.add("MOD", start, etime / 10, internal=True, conn=7, op=n + 1, internal_op=k + 1)
    return log


def test_work_inside_the_deletion_is_found():
    found = only(referint.find(view(inside(0.8, 4), seconds=300)), "referint_inside")
    assert found.numbers["mods_per_removal"] == 4
    assert found.numbers["removal_mean_ns"] == 800_000_000


def test_cheap_deletions_are_left_alone():
    assert referint.find(view(inside(0.02, 4), seconds=300)) == []
    assert referint.find(view(inside(0.8, 0), seconds=300)) == []


def test_attributes_searched_without_an_index_are_named():
    log = published()
    log.add("SRCH", 280, 1.0, filter="(uniqueMember=?)", notes="A", internal=True, conn=0)
    log.add("SRCH", 281, 0.001, filter="(member=?)", internal=True, conn=0)
    found = only(referint.find(view(log, seconds=1500)), "referint_trains")
    assert found.numbers["unindexed"] == ["uniquemember"]
    assert "without an index: uniquemember" in str(found.sentence)


def test_a_consumer_with_more_mods_per_deletion_is_told():
    supplier, consumer = published(mods=3).done(), published(mods=7).done()
    found = referint.consumer_finding(supplier, consumer, ("a", "b"))
    ratios = only(found, "consumer_ratio").numbers["mods_per_removal"]
    assert ratios == {"a": 3.0, "b": 7.0}
    assert referint.consumer_finding(consumer, consumer, ("a", "b")) == []


def field(*, pause=7.0, lags=(168.0, 209.0, 180.0), apart=400.0):
    """Trains as the field has them: pauses inside, and MODs earlier and later than the delay."""
    log = Log().background(1500, rate=2)
    for n, lag in enumerate(lags):
        log.add("DEL", 50 + apart * n, 0.05, base=f"uid=u{n}")
        for k in range(7):
            start = 50.05 + apart * n + lag + k * (0.4 + pause)
            log.add("MOD", start, 0.4, base=f"cn=g{k}", internal=True, conn=0)
    return log


def test_trains_with_pauses_and_lags_of_the_field_are_found():
    settings = {"referint-update-delay": "180"}
    for known in ({}, settings):
        found = only(referint.find(view(field(), seconds=1500, settings=known)), "referint_trains")
        assert (found.numbers["trains"], found.numbers["mods_per_removal"]) == (3, 7)
        assert found.numbers["lag_min_ns"] == pytest.approx(168 * NS_PER_S, abs=NS_PER_S)
        assert found.numbers["lag_max_ns"] == pytest.approx(209 * NS_PER_S, abs=NS_PER_S)


@pytest.mark.parametrize("delay", [120.0, 180.0, 300.0])
@pytest.mark.parametrize("apart", [25.0, 52.0, 90.0])
def test_two_trains_that_touch_are_told_apart_by_the_delay(delay, apart):
    """The second begins before the first has ended, or right behind it."""
    log = Log().background(1500, rate=2)
    for n in range(2):
        log.add("DEL", 50 + apart * n, 0.05, base=f"uid=u{n}")
        for k in range(10):
            start = 50.05 + apart * n + delay + k * (apart / 10)
            log.add("MOD", start, apart / 12, base=f"cn=g{k}", internal=True, conn=0)
    settings = {"referint-update-delay": f"{delay:g}"}
    found = only(referint.find(view(log, seconds=1500, settings=settings)), "referint_trains")
    assert (found.numbers["trains"], found.numbers["removals"]) == (2, 2)
    assert found.numbers["mods_per_removal"] == pytest.approx(10, abs=2)
    assert found.numbers["lag_min_ns"] == pytest.approx(delay * NS_PER_S, rel=0.12)
