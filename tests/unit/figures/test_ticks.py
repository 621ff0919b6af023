"""Ticks: where they stand and what they say."""

import math

import numpy as np
import pytest

from ldap_workbench.figures import ticks


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (3, "1 µs"),
        (6, "1 ms"),
        (6 + math.log10(20), "20 ms"),
        (9, "1 s"),
        (11, "100 s"),
        (12, "1,000 s"),
        (13, "10,000 s"),
        (2, "100 ns"),
    ],
)
def test_durations_read_as_people_write_them(position, text):
    assert str(ticks.duration_text(position)) == text


@pytest.mark.parametrize(
    ("percentile", "text"), [(0, "0"), (50, "50"), (99, "99"), (99.9, "99.9"), (99.99, "99.99")]
)
def test_percentiles_read_as_people_write_them(percentile, text):
    assert str(ticks.percentile_text(ticks.percentile_position(percentile))) == text


def test_there_are_never_more_ticks_than_there_is_room_for():
    for low, high in ((5.0, 9.0), (6.1, 6.4), (3.0, 12.0)):
        for most in (3, 6, 20):
            major, minor = ticks.log_ticks(low, high, most)
            assert len(major) + len(minor) <= most
            assert all(low <= tick <= high for tick in major + minor)


def test_ticks_of_ratios_keep_their_distance():
    found = ticks.ratio_ticks(-5, 1, 0.5)
    assert 0.0 in found
    assert min(np.diff(found)) >= 0.5


def test_the_time_axis_uses_steps_of_a_clock():
    assert ticks.time_step(60, 6) == 10
    assert ticks.time_step(3600, 6) == 600
    assert ticks.time_step(10 * 86400, 5) == 2 * 86400
    assert ticks.time_text(1_795_161_605, 5) == "08:00:05"
    assert ticks.time_text(1_795_161_605, 60) == "08:00"
    assert ticks.time_step(1, 5) == 0.2
    assert ticks.time_text(1_795_161_605.2, 0.2) == "08:00:05.2"
    assert ticks.time_text(1_795_161_605.004, 0.002) == "08:00:05.004"


@pytest.mark.parametrize(("span", "most"), [(116.0, 2), (0.36, 2), (1.0, 2), (7e5, 3), (35.0, 8)])
def test_counts_have_round_steps_with_room_for_each(span, most):
    step = ticks.count_step(span, most)
    assert span / step <= most
    assert step / 10 ** math.floor(math.log10(step)) in (1, 2, 2.5, 5)


def test_bytes_join_their_unit_as_rates_do():
    assert str(ticks.quantity(449e3, "B")) == "449 kB"
    assert str(ticks.quantity(449, "B")) == "449 B"
    assert str(ticks.quantity(1200, "/s")) == "1.2 k/s"


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (561e6, 690e6, ["580 ms", "600 ms"]),
        (0.5e6, 1.3e6, ["600 µs", "800 µs", "1 ms", "1.2 ms"]),
    ],
)
def test_a_short_range_still_has_ticks(low, high, texts):
    major, _ = ticks.log_ticks(math.log10(low), math.log10(high), 8)
    assert [str(ticks.duration_text(position)) for position in major][: len(texts)] == texts


def test_shares_and_ratios_have_their_signs():
    shares = [str(ticks.share_text(position)) for position in (0, -1, -4, -7)]
    assert shares == ["100 %", "10 %", "0.01 %", "0.00001 %"]
    assert [str(ticks.ratio_text(position)) for position in (-1, 0, 1)] == ["×0.5", "×1", "×2"]
