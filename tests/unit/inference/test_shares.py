"""Shares and histograms of two samples, against published examples."""

import numpy as np
import pytest

from ldap_workbench.inference.significance.exceedance import (
    compare_shares,
    difference_interval,
    exceedance,
    share_beyond,
    wilson,
)


def test_an_interval_of_a_share_is_that_of_wilson():
    """15 of 148: 6.24 % to 16.05 % (Newcombe 1998, table I)."""
    low, high = wilson(15 / 148, 148)
    assert (low, high) == (pytest.approx(0.0624, abs=1e-4), pytest.approx(0.1605, abs=1e-4))
    assert wilson(0.0, 0) == (0.0, 1.0)
    assert wilson(0.0, 20)[0] == 0.0
    assert wilson(1.0, 20)[1] == 1.0


def test_an_interval_of_a_difference_is_that_of_newcombe():
    """56 of 70 less 48 of 80: 5.24 % to 33.39 % (Newcombe 1998b, table II, method 10)."""
    low, high = difference_interval(48 / 80, 80, 56 / 70, 70)
    assert (low, high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_histograms_are_compared_beyond_every_bound_of_either():
    before = ([0.0, 1.0, 2.0], [50, 30, 20])
    after = ([0.0, 2.0, 4.0], [90, 8, 2])
    shares = [(each.bound, each.before, each.after) for each in exceedance(before, after)]
    assert shares == [(1.0, 0.5, 0.1), (2.0, 0.2, 0.1), (4.0, 0.0, 0.02)]
    first, *_, last = exceedance(before, after)
    assert first.difference == pytest.approx(-0.4)
    assert first.low < -0.4 < first.high < 0
    assert last.low < 0 < last.high, "two of a hundred may be chance"
    assert share_beyond([1.0], [0], 1.0) == 0.0


def shares(a, b, totals):
    return compare_shares((np.array(a, float), np.array(b, float)), totals)


def test_shares_of_one_part_each_are_compared_as_if_samples_were_independent():
    compared = shares([[48, 3]], [[56, 2]], ([80], [70]))
    assert not compared.parts_known
    assert (compared.a[0], compared.b[0]) == (48 / 80, 56 / 70)
    assert compared.low[0] == pytest.approx(0.0524, abs=1e-4)
    assert compared.high[0] == pytest.approx(0.3339, abs=1e-4)
    assert np.isnan(compared.low[1]), "of five samples no difference is told"


def test_parts_that_differ_widen_the_interval_and_parts_alike_do_not():
    alike = shares([[24], [24]], [[28], [28]], ([40, 40], [35, 35]))
    apart = shares([[38], [10]], [[33], [23]], ([40, 40], [35, 35]))
    assert alike.parts_known
    assert (alike.low[0], alike.high[0]) == (
        pytest.approx(0.0524, abs=1e-4),
        pytest.approx(0.3339, abs=1e-4),
    )
    assert apart.a == pytest.approx(alike.a)
    assert apart.low[0] < 0 < apart.high[0]


def test_things_that_differ_between_parts_do_not_widen_the_intervals_of_steady_ones_for_nothing():
    """The mean of all is the least of each, and of a thing alone its own."""
    steady = [[50, 20], [50, 20]], [[50, 20], [50, 20]]
    restless = [[50, 38], [50, 2]], [[50, 38], [50, 2]]
    totals = ([100, 100], [100, 100])
    narrow, wide = shares(*steady, totals), shares(*restless, totals)
    assert (wide.high - wide.low)[1] > (wide.high - wide.low)[0] > (narrow.high - narrow.low)[0]


def test_nothing_sampled_is_nothing_told():
    nothing = shares([[0, 0]], [[0, 0]], ([0], [0]))
    assert (nothing.a.tolist(), nothing.b.tolist()) == ([0.0, 0.0], [0.0, 0.0])
    assert np.isnan(nothing.low).all()
    assert np.isnan(shares([[0]], [[30]], ([0], [40])).low).all(), "nor where one arm has none"
