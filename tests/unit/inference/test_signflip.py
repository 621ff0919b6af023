import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.inference.significance.signflip import flips, interval, max_t, p_value

differences = st.lists(st.floats(-5, 5).filter(lambda x: abs(x) > 1e-3), min_size=6, max_size=9)


def test_six_equal_signs_are_the_least_p():
    assert p_value(np.ones(6), flips(6, 0)) == pytest.approx(2 / 64)


@given(differences)
def test_swapping_the_arms_changes_no_p(d):
    d = np.array(d)
    signs = flips(len(d), 0)
    assert p_value(d, signs) == p_value(-d, signs)


@given(differences)
def test_the_interval_and_the_test_agree(d):
    d = np.array(d)
    signs = flips(len(d), 0)
    low, high = interval(d, signs)
    assert low <= d.mean() <= high
    assert (p_value(d, signs) <= 0.05) == (not low < 0 < high) or min(abs(low), abs(high)) < 1e-6


def test_a_limit_that_is_nothing_but_rounding_holds_no_effect():
    d = np.array([0.4, 0.7, 1.1, 0.0, 0.0, 0.2, 1.1])  # 0.4 + 0.7 is not quite 1.1
    signs = flips(7, 0)
    assert p_value(d, signs) > 0.05
    low, _ = interval(d, signs)
    assert low <= 0


def test_five_pairs_have_no_interval():
    assert interval(np.ones(5), flips(5, 0)) is None


def test_adjusted_p_is_never_smaller():
    table = np.random.default_rng(1).normal(0.5, 1, (8, 5))
    signs = flips(8, 0)
    alone = [p_value(column, signs) for column in table.T]
    assert (max_t(table, signs) >= np.array(alone) - 0.02).all()


def test_false_alarms_keep_to_their_level():
    random = np.random.default_rng(7)
    signs = flips(8, 0)
    alarms = sum(p_value(random.standard_t(3, 8), signs) <= 0.05 for _ in range(2000))
    assert 60 < alarms < 140


def test_of_more_flips_than_can_be_tried_some_are_drawn_fairly_the_own_order_first():
    drawn = flips(20, 3)
    assert set(np.unique(drawn.signs)) == {-1.0, 1.0}
    assert len(drawn.signs) == 4096
    assert (drawn.signs[0] == 1).all()
    assert np.abs(drawn.signs[1:].mean(0)).max() < 0.08, "each pair is flipped half of the time"
    assert p_value(np.ones(20), drawn) == 1 / 4096


MIXED = [order for order in itertools.product((1, -1), repeat=7) if len(set(order)) > 1]
"""What seven pairs may be drawn as."""


@pytest.mark.parametrize("kept", [7, 6])
def test_over_the_orders_a_design_may_draw_the_test_is_exact(kept):
    """The same windows in every order, one pair lost or none: p <= x happens with probability x."""
    trend = np.random.default_rng(3).normal(0.8, 1, kept)  # second window less the first
    found = np.array([_p(trend, order[:kept]) for order in MIXED])
    for level in found:
        assert (found <= level + 1e-9).mean() == pytest.approx(level)


def _p(trend, order):
    return p_value(trend * order, flips(len(order), 0, order, 7))


def test_an_order_that_is_never_drawn_weighs_nothing():
    order = (1, 1, -1, 1, -1, 1)
    assert p_value(np.ones(6), flips(6, 0, order, 6)) == pytest.approx(2 / 62)
    assert p_value(np.array(order) * 1.0, flips(6, 0, order, 6)) < p_value(
        np.array(order) * 1.0, flips(6, 0)
    ), "as strong a trend is left to fewer orders"


def test_an_order_of_an_earlier_version_is_tested_as_it_was_drawn():
    assert p_value(np.ones(6), flips(6, 0, (1,) * 6, 6)) == pytest.approx(2 / 64)


@given(differences)
def test_interval_and_test_agree_over_such_orders(d):
    drawn = flips(len(d), 0, tuple(1 if i % 3 else -1 for i in range(len(d))), len(d))
    low, high = interval(np.array(d), drawn)
    p = p_value(np.array(d), drawn)
    assert (p <= 0.05) == (not low < 0 < high) or min(abs(low), abs(high)) < 1e-6
