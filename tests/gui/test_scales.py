"""Ticks and thinning: next to no Qt in any of this."""

import math

import numpy as np
import pytest

from ldap_workbench.gui.charts import scales
from ldap_workbench.gui.charts.axes import CountAxis
from ldap_workbench.gui.charts.thin import tail_ranks, thin_series


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (3, "1 µs"),
        (6, "1 ms"),
        (6 + math.log10(20), "20 ms"),
        (9, "1 s"),
        (11, "100 s"),
        (2, "100 ns"),
    ],
)
def test_durations_read_as_people_write_them(position, text):
    assert scales.duration_text(position) == text


@pytest.mark.parametrize(
    ("percentile", "text"), [(0, "0"), (50, "50"), (99, "99"), (99.9, "99.9"), (99.99, "99.99")]
)
def test_percentiles_read_as_people_write_them(percentile, text):
    assert scales.percentile_text(scales.percentile_position(percentile)) == text


def test_there_are_never_more_ticks_than_there_is_room_for():
    for low, high in ((5.0, 9.0), (6.1, 6.4), (3.0, 12.0)):
        for most in (3, 6, 20):
            major, minor = scales.duration_ticks(low, high, most)
            assert len(major) + len(minor) <= most
            assert all(low <= tick <= high for tick in major + minor)


def test_ticks_of_ratios_keep_their_distance():
    ticks = scales.ratio_ticks(-5, 1, 0.5)
    assert 0.0 in ticks
    assert min(np.diff(ticks)) >= 0.5


def test_the_time_axis_uses_steps_of_a_clock():
    assert scales.time_step(60, 6) == 10
    assert scales.time_step(3600, 6) == 600
    assert scales.time_step(10 * 86400, 5) == 2 * 86400
    assert scales.time_text(1_795_161_605, 5) == "08:00:05"
    assert scales.time_text(1_795_161_605, 60) == "08:00"
    assert scales.time_step(1, 5) == 0.2
    assert scales.time_text(1_795_161_605.2, 0.2) == "08:00:05.2"
    assert scales.time_text(1_795_161_605.004, 0.002) == "08:00:05.004"


def test_thinning_keeps_every_spike():
    times = np.arange(50_000, dtype=float)
    values = np.zeros(50_000)
    values[[17, 25_003, 49_999]] = (5.0, -7.0, 9.0)
    t, v = thin_series(times, values, 1000)
    assert len(t) <= 1000
    assert set(v[v != 0]) == {5.0, -7.0, 9.0}
    assert (np.diff(t) >= 0).all()


def test_thinning_leaves_short_series_alone():
    times = np.arange(10, dtype=float)
    assert thin_series(times, times, 100)[0] is times


def test_tail_ranks_hold_both_ends_and_the_largest_hundred():
    ranks = tail_ranks(1_000_000)
    assert len(ranks) <= 800
    assert ranks[0] == 0
    assert ranks[-100:].tolist() == list(range(999_900, 1_000_000))
    assert tail_ranks(5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("span", "most"), [(116.0, 2), (0.36, 2), (1.0, 2), (7e5, 3), (35.0, 8)])
def test_counts_have_round_steps_with_room_for_each(span, most):
    step = scales.count_step(span, most)
    assert span / step <= most
    assert step / 10 ** math.floor(math.log10(step)) in (1, 2, 2.5, 5)


def test_what_can_not_be_divided_has_whole_ticks_from_nothing(qapp):
    whole, parts = CountAxis("left", whole=True), CountAxis("left")
    assert whole.tickValues(0.0, 1.16, 46) == [(1.0, [0.0, 1.0])]
    assert parts.tickValues(0.0, 1.16, 66) == [(0.5, [0.0, 0.5, 1.0])]
    assert parts.tickValues(0.0, 116.0, 46) == [(100.0, [0.0, 100.0])]
    assert parts.tickValues(0.0, 100.5, 46) == [(50.0, [0.0, 50.0])], "100 would be cut"


def test_bytes_join_their_unit_as_rates_do():
    assert scales.with_unit("449 k", "B") == "449 kB"
    assert scales.with_unit("449", "B") == "449 B"
    assert scales.with_unit("1.2 k", "/s") == "1.2 k/s"
