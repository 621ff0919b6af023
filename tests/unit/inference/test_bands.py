"""Bands of percentiles: exact where they can be, against brute force where not."""

import math

import numpy as np
import pytest

from ldap_workbench.inference.counts.distributions import between_band, counting_band

P = np.array([0.0, 0.5, 0.9, 0.99, 0.999, 0.9999])


def chance(n: int, p: float, low: int, high: int) -> float:
    """Of an interval from the low-th to the high-th smallest of n to hold the quantile p."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(low, high))


@pytest.mark.parametrize("n", [20, 100, 400])
@pytest.mark.parametrize("p", [0.25, 0.5, 0.9, 0.95])
def test_the_counting_band_is_the_narrowest_that_holds_95_percent(n, p):
    places = np.arange(1, n + 1)
    [low], [high] = counting_band(places, np.array([p]))
    if n * (1 - p) < 5:
        assert np.isnan([low, high]).all()
        return
    low, high = int(low), int(high)
    assert chance(n, p, low, high) >= 0.95
    assert chance(n, p, 0, low) <= 0.025 < chance(n, p, 0, low + 1)
    assert chance(n, p, high, n + 1) <= 0.025 < chance(n, p, high - 1, n + 1)


def test_where_too_few_lie_beyond_nothing_is_known():
    low, high = counting_band(np.arange(1000), P)
    assert np.isfinite(high).tolist() == np.isfinite(low).tolist()
    assert np.isfinite(low).tolist() == [False, True, True, True, False, False]
    low, high = between_band(np.arange(1000), [np.arange(0, 1000, 2), np.arange(1, 1000, 2)], P)
    assert np.isfinite(low).tolist() == [True, True, True, True, False, False]


def test_the_counting_band_covers_what_it_says():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        low, high = counting_band(np.sort(rng.integers(0, 10**9, 500)), np.array([0.9]))
        held += low[0] <= 0.9e9 <= high[0]
    assert 0.92 <= held / 400 <= 0.99


def windows(spread: float, k: int = 6, n: int = 3000) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    drift = np.exp(spread * rng.normal(size=k))
    return [np.sort((1e6 * d * np.exp(rng.normal(0, 0.6, n))).astype(np.int64)) for d in drift]


def test_the_band_between_windows_is_the_jackknife_of_brute_force():
    each = windows(0.1)
    pooled = np.sort(np.concatenate(each))
    p = np.array([0.5, 0.9, 0.99])
    low, high = between_band(pooled, each, p)
    for i, share in enumerate(p):
        logs = []
        for left_out in range(6):
            rest = np.sort(np.concatenate([w for j, w in enumerate(each) if j != left_out]))
            logs.append(math.log(rest[math.ceil(share * len(rest)) - 1]))
        error = math.sqrt(5 / 6 * sum((x - np.mean(logs)) ** 2 for x in logs))
        middle = math.log(pooled[math.ceil(share * len(pooled)) - 1])
        assert math.log(high[i]) - middle == pytest.approx(2.5706 * error, rel=1e-4)
        assert middle - math.log(low[i]) == pytest.approx(2.5706 * error, rel=1e-4)


def test_windows_that_differ_widen_the_band_where_counting_does_not_see_it():
    p = np.array([0.5])
    even, uneven = windows(0.0), windows(0.4)
    widths = []
    for each in (even, uneven):
        pooled = np.sort(np.concatenate(each))
        low, high = between_band(pooled, each, p)
        widths.append(math.log(high[0] / low[0]))
    assert widths[1] > 4 * widths[0]
    low, high = counting_band(np.sort(np.concatenate(uneven)), p)
    assert math.log(high[0] / low[0]) < widths[1] / 4


def test_ties_and_windows_without_operations_do_no_harm():
    same = np.full(100, 7)
    low, high = between_band(np.full(200, 7), [same, same, np.empty(0, np.int64)], P)
    assert low[:2] == pytest.approx(7)
    assert high[:2] == pytest.approx(7)
    low, high = between_band(same, [same], P)
    assert np.isnan(low).all()
    low, high = counting_band(np.empty(0, np.int64), P)
    assert np.isnan(low).all()
