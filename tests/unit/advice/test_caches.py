"""Caches: hit ratios of the window, sizes that would do, and what autosizing gives."""

import pytest

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.autotune import autosize
from ldap_workbench.advice.families import caches
from tests.unit.advice.material import DATABASE, LDBM, USERROOT, at, counter, only, view

GIB = 1024**3
MIB = 1024**2


def entry_cache(hit_ratio=0.8, size=199 * MIB, most=200 * MIB, count=40_000, names=100_104):
    return {
        f"{USERROOT}:entrycachetries": counter(1000),
        f"{USERROOT}:entrycachehits": counter(1000 * hit_ratio),
        f"{USERROOT}:currententrycachesize": at([size] * 60),
        f"{USERROOT}:maxentrycachesize": at([most] * 60),
        f"{USERROOT}:currententrycachecount": at([count] * 60),
        f"{USERROOT}:currentdncachecount": at([names] * 60),
    }


def test_a_full_entry_cache_that_misses_is_told_with_the_size_it_needs():
    found = only(caches.find(view(samples=entry_cache(), seconds=60)), "entry_cache")
    assert found.numbers["hit_ratio"] == pytest.approx(0.8)
    assert found.numbers["entries"] == 100_104
    mean = 199 * MIB / 40_000
    assert found.numbers["wanted_bytes"] == pytest.approx(100_104 * mean * 1.2, rel=1e-6)
    assert found.evidence[0].series == f"{USERROOT}:entrycachehits"


@pytest.mark.parametrize("names", [0, 30_000, 40_000])
def test_no_size_is_reckoned_from_what_the_cache_itself_holds(names):
    found = only(caches.find(view(samples=entry_cache(names=names), seconds=60)), "entry_cache")
    assert found.numbers["entries"] is None
    assert found.numbers["wanted_bytes"] is None
    assert "How many entries there are is not known" in str(found.sentence)


@pytest.mark.parametrize(
    "healthy",
    [
        {"hit_ratio": 0.96},
        {"size": 100 * MIB},  # still filling: it is cold, not small
        {"count": 0},
    ],
)
def test_a_cache_that_almost_is_too_small_is_left_alone(healthy):
    assert caches.find(view(samples=entry_cache(**healthy), seconds=60)) == []


def test_ratios_are_of_the_window_and_survive_a_restart():
    times, values = counter(10)
    values[30:] = 10.0 * range(30)[1] * (values[30:] - values[30]) / 10 + 5
    assert series.growth((times, values)) == pytest.approx(29 * 10 + 5 + 29 * 10)


def test_too_few_tries_say_nothing():
    samples = entry_cache()
    samples[f"{USERROOT}:entrycachetries"] = counter(10)
    samples[f"{USERROOT}:entrycachehits"] = counter(1)
    assert caches.find(view(samples=samples, seconds=60)) == []


def test_the_lab_arithmetic_of_autosizing():
    sizes = autosize(24 * GIB, 25, 25)
    assert sizes.total == 6 * GIB
    assert sizes.db_cache == 1536 * MIB
    # 4.5 GiB for one back end, 90:10, rounded up to 64 MiB
    assert sizes.entry_cache == 4160 * MIB
    assert sizes.dn_cache == 512 * MIB
    assert autosize(1 * GIB, 25, 25, backends=4).entry_cache == 64 * MIB
    assert "25 % of 24 GiB = 6 GiB" in str(sizes.arithmetic)


def test_autosizing_is_shown_where_it_is_on():
    settings = {"nsslapd-cache-autosize": "25"}
    found = caches.find(view(samples=entry_cache(), seconds=60, settings=settings))
    assert any("Autosizing: 25 % of 24 GiB" in str(e.text) for e in found[0].evidence)
    found = caches.find(view(samples=entry_cache(), settings={"nsslapd-cache-autosize": "0"}))
    assert not any("Autosizing" in str(e.text) for e in found[0].evidence)


def db_cache(hit_ratio=0.9, evicted=20.0):
    return {
        f"{LDBM}:dbcachetries": counter(5000),
        f"{LDBM}:dbcachehits": counter(5000 * hit_ratio),
        f"{LDBM}:dbcachepagein": counter(5000 * (1 - hit_ratio)),
        f"{LDBM}:dbcacheroevict": counter(evicted),
        f"{DATABASE}:nsslapd-db-cache-size-bytes": at([40 * MIB] * 60),
    }


def test_a_database_cache_that_throws_pages_out_is_told():
    found = only(caches.find(view(samples=db_cache(), seconds=60)), "db_cache")
    assert found.numbers["pages_in_per_s"] == pytest.approx(500, rel=0.05)
    assert "40 MiB" in str(found.sentence)


def test_a_database_cache_that_fills_or_hits_is_left_alone():
    assert caches.find(view(samples=db_cache(evicted=0.0), seconds=60)) == []
    assert caches.find(view(samples=db_cache(hit_ratio=0.99), seconds=60)) == []


def ndn(hit_ratio, evictions):
    return {
        f"{LDBM}:normalizeddncachetries": counter(1000),
        f"{LDBM}:normalizeddncachehits": counter(1000 * hit_ratio),
        f"{LDBM}:normalizeddncacheevictions": counter(evictions),
        f"{LDBM}:currentnormalizeddncachesize": at([20_000_000] * 60),
        f"{LDBM}:maxnormalizeddncachesize": at([20_971_440] * 60),
    }


def test_the_cache_of_normalised_dns():
    assert only(caches.find(view(samples=ndn(0.7, 50))), "ndn_cache").numbers["evictions"] == 2950
    # The lab's own figures: 83 % and no eviction, a cold cache
    assert caches.find(view(samples=ndn(0.83, 0))) == []
    assert caches.find(view(samples=ndn(0.95, 50))) == []


def test_the_dn_cache():
    samples = {
        f"{USERROOT}:entrycachetries": counter(1000),
        f"{USERROOT}:dncachetries": counter(1000),
        f"{USERROOT}:dncachehits": counter(500),
        f"{USERROOT}:currentdncachesize": at([16 * MIB] * 60),
        f"{USERROOT}:maxdncachesize": at([16 * MIB] * 60),
        f"{USERROOT}:currentdncachecount": at([200_000] * 60),
    }
    assert only(caches.find(view(samples=samples)), "dn_cache").numbers["wanted_bytes"] == 32 * MIB
    samples[f"{USERROOT}:maxdncachesize"] = at([512 * MIB] * 60)
    assert caches.find(view(samples=samples)) == []
