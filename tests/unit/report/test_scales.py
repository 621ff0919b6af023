"""Scales put values where they belong and name round numbers."""

import math

import pytest

from ldap_workbench.report.scales import (
    Linear,
    LogPercentile,
    LogRatio,
    LogShare,
    LogTime,
    TimeScale,
    round_down,
    round_up,
)

SECOND = 1_000_000_000


def labels(scale):
    return [tick.label for tick in scale.ticks()]


def test_times_are_labelled_in_their_units():
    assert labels(LogTime(100_000, 10 * SECOND, 0, 100)) == [
        "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s",
    ]  # fmt: skip


def test_logarithms_put_decades_at_equal_steps():
    scale = LogTime(1_000, 1_000_000, 0, 300)
    assert [scale.place(v) for v in (1_000, 10_000, 100_000, 1_000_000)] == [
        pytest.approx(x) for x in (0, 100, 200, 300)
    ]
    assert scale.place(0) == 0
    assert scale.place(1e12) == 300


def test_every_nine_takes_as_much_room():
    scale = LogPercentile(0.9999, 0, 400)
    assert [round(scale.place(p)) for p in (0, 0.9, 0.99, 0.999, 0.9999)] == [0, 100, 200, 300, 400]
    assert labels(scale) == ["0", "50", "90", "99", "99.9", "99.99"]
    assert scale.place(0.5) == pytest.approx(100 * math.log10(2))


def test_shares_and_ratios_have_their_signs():
    assert labels(LogShare(0.0001, 1, 0, 1)) == ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]
    assert "×1" in labels(LogRatio(0.5, 2, 0, 1))
    assert {"×0.1", "×1", "×10"} <= set(labels(LogRatio(0.02, 50, 0, 1)))


def test_instants_are_utc_and_few():
    start = 1_795_161_600 * SECOND
    assert labels(TimeScale(start, start + 20 * SECOND, 0, 1))[:2] == ["08:00:00", "08:00:05"]
    assert labels(TimeScale(start, start + 3600 * SECOND, 0, 1))[:2] == ["08:00", "08:10"]
    assert len(labels(TimeScale(start, start + 86_400 * 90 * SECOND, 0, 1))) <= 10


def test_a_linear_scale_begins_at_nothing():
    scale = Linear(100, 50, 0, "%")
    assert labels(scale) == ["0 %", "100 %"]
    assert (scale.place(0), scale.place(100), scale.place(25)) == (50, 0, 37.5)


@pytest.mark.parametrize(("value", "up", "down"), [(3.2, 5, 2), (1, 1, 1), (0.07, 0.1, 0.05)])
def test_rounding_to_1_2_5(value, up, down):
    assert round_up(value) == pytest.approx(up)
    assert round_down(value) == pytest.approx(down)
