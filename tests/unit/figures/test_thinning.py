"""Thinning: fewer points, the same picture."""

import numpy as np

from ldap_workbench.figures.thinning import tail_ranks, thin_series


def test_thinning_keeps_every_spike():
    times = np.arange(50_000, dtype=float)
    values = np.zeros(50_000)
    values[[17, 25_003, 49_999]] = (5.0, -7.0, 9.0)
    t, v = thin_series(times, values, 1000)
    assert len(t) <= 1000
    assert set(v[v != 0]) == {5.0, -7.0, 9.0}
    assert (np.diff(t) >= 0).all()


def test_thinning_keeps_gaps_and_the_spikes_beside_them():
    values = np.zeros(50_000)
    values[20_000:20_500] = np.nan
    values[[19_999, 20_501]] = (5.0, -7.0)
    t, v = thin_series(np.arange(50_000, dtype=float), values, 1000)
    assert len(t) <= 1000
    assert set(v[np.isfinite(v) & (v != 0)]) == {5.0, -7.0}
    assert np.isnan(v[(t > 19_999) & (t < 20_500)]).all()
    assert np.isnan(v).any()


def test_thinning_leaves_short_series_alone():
    times = np.arange(10, dtype=float)
    assert thin_series(times, times, 100)[0] is times


def test_tail_ranks_hold_both_ends_and_the_largest_hundred():
    ranks = tail_ranks(1_000_000)
    assert len(ranks) <= 800
    assert ranks[0] == 0
    assert ranks[-100:].tolist() == list(range(999_900, 1_000_000))
    assert tail_ranks(5).tolist() == [0, 1, 2, 3, 4]
