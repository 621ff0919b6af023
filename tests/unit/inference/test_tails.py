import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.inference.counts.tails import (
    ascending_etimes,
    log2_histogram,
    quantile_rank,
    tails,
    tails_of,
)
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations


def operations(etimes, kind="SRCH", internal=False, own=False):
    columns = {name: np.zeros(len(etimes), dtype) for name, dtype in COLUMNS.items()}
    columns["etime_ns"] = np.array(etimes, np.int64)
    columns["kind"] += np.uint8(TYPES.index(kind))
    columns["internal"] |= internal
    columns["own"] |= own
    return Operations(**columns)


@pytest.mark.parametrize(
    ("n", "p99", "p999"),
    [(1, 1, 1), (99, 99, 99), (100, 99, 100), (101, 100, 101), (999, 990, 999), (1000, 990, 999)],
)
def test_ranks_are_exact_integers(n, p99, p999):
    assert quantile_rank(n, 99, 100) == p99
    assert quantile_rank(n, 999, 1000) == p999


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=300))
def test_every_quantile_is_the_value_at_its_rank(etimes):
    tail = next(t for t in tails(operations(etimes), window="w") if t.type == "ALL")
    ordered = sorted(etimes)
    n = len(ordered)
    assert tail.p50_ns == ordered[-(-n // 2) - 1]
    assert tail.p99_ns == ordered[-(-n * 99 // 100) - 1]
    assert (tail.n, tail.max_ns, tail.sum_ns) == (n, max(etimes), sum(etimes))


def test_nothing_measured_has_no_quantiles():
    (tail,) = tails(operations([]), window="w")
    assert (tail.type, tail.n, tail.p50_ns, tail.max_ns) == ("ALL", 0, None, None)


def test_the_servers_own_and_our_operations_are_not_the_clients():
    assert [t.n for t in tails(operations([5], own=True), window="w")] == [0]
    found = {t.type: t.n for t in tails(operations([5, 6], internal=True), window="w")}
    assert found == {"INTERNAL": 2, "ALL": 0}


def test_etimes_in_order_give_the_same_tails():
    rng = np.random.default_rng(4)
    columns = {name: np.zeros(5000, dtype) for name, dtype in COLUMNS.items()}
    columns["etime_ns"] = rng.integers(0, 10**9, 5000)
    columns["kind"] = rng.integers(0, 3, 5000).astype(np.uint8)
    columns["internal"] = rng.random(5000) < 0.1
    columns["own"] = rng.random(5000) < 0.05
    operations = Operations(**columns)
    ordered = ascending_etimes(operations)
    assert tails_of(ordered, window="w") == tails(operations, window="w")
    assert tails_of(ascending_etimes(Operations.empty()), window="w") == tails(
        Operations.empty(), window="w"
    )


@pytest.mark.parametrize("low", [0, 1, 1023, 10**6])
def test_log2_buckets_of_etimes_in_order_are_the_same(low):
    etimes = np.sort(np.random.default_rng(5).integers(low, 10**7, 1000))
    for one, other in zip(
        log2_histogram(etimes), log2_histogram(etimes, ascending=True), strict=True
    ):
        assert one.tolist() == other.tolist()


def test_log2_buckets_hold_everything():
    bounds, counts = log2_histogram(np.array([0, 1, 2, 3, 1024, 2047], np.int64))
    assert counts.sum() == 6
    assert dict(zip(bounds.tolist(), counts.tolist(), strict=True))[1024] == 2
