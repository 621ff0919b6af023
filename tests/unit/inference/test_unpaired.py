"""Windows of A before windows of B: what they differ by among themselves counts."""

import math

import numpy as np
import pytest

from ldap_workbench.inference.significance.unpaired import (
    LEAST_WINDOWS,
    Difference,
    between_sessions,
    between_windows,
)


def logs(a, b):
    return {"A": np.array(a, float), "B": np.array(b, float)}


def test_windows_that_differ_more_than_their_stretches_widen_the_interval():
    within = Difference(0.5, 0.01, 38.0, 12.0)
    wider = between_windows(within, logs([0.0, 0.3, 0.6], [0.5, 0.8, 1.1]))
    assert (wider.value, wider.effective) == (0.5, 12.0)
    assert wider.error == pytest.approx(math.sqrt(2 * 0.09 / 3))
    assert wider.freedom == pytest.approx(4)
    assert wider.p > 0.05 > within.p


def test_windows_that_agree_do_not_narrow_it():
    within = Difference(0.5, 0.2, 38.0)
    assert between_windows(within, logs([0.0, 0.01, 0.02], [0.5, 0.51, 0.52])) is within


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.0], [0.0, 9.0, 1.0]),
        ([0.0, 9.0, 1.0], [0.0]),
        ([0.0, 9.0, math.nan], [0.0, 9.0, 1.0]),
        ([0.0, 9.0, 1.0], [-math.inf, 9.0, 1.0]),
    ],
)
def test_too_few_windows_or_one_without_the_metric_say_nothing(a, b):
    within = Difference(0.5, 0.2, 38.0)
    assert between_windows(within, logs(a, b)) is within


@pytest.mark.parametrize("k", [LEAST_WINDOWS, 3, 4, 8])
def test_where_nothing_changed_few_intervals_leave_it_out(k):
    """Windows that differ by 30 %, each known to 2 %: by stretches alone four of five would."""
    random, runs = np.random.default_rng(k), 2000
    out = alone = 0
    for _ in range(runs):
        arms = logs(random.normal(0, 0.3, k), random.normal(0, 0.3, k))
        within = Difference(float(arms["B"].mean() - arms["A"].mean()), 0.02, 38.0)
        low, high = between_windows(within, arms).interval()
        out += not low <= 0 <= high
        low, high = within.interval()
        alone += not low <= 0 <= high
    assert out / runs <= 0.06
    assert alone / runs >= 0.7


def test_a_session_counts_once_however_many_windows_it_has():
    arms = logs([0.0, 0.2, 0.1, 0.1, 0.7], [1.0, 1.0, 1.6])
    sessions = {"A": [0, 0, 0, 0, 1], "B": [0, 0, 1]}
    difference = between_sessions(arms, sessions)
    assert difference.value == pytest.approx((1.0 + 1.6) / 2 - (0.1 + 0.7) / 2)
    assert difference.error == pytest.approx(math.sqrt(0.18 / 2 + 0.18 / 2))
    assert difference.freedom == pytest.approx(2)


@pytest.mark.parametrize(
    ("a", "sessions"),
    [([0.0, 0.1], [0, 0]), ([0.0, math.nan], [0, 1]), ([0.0, -math.inf], [0, 1])],
)
def test_one_session_of_an_arm_or_one_without_the_metric_says_nothing(a, sessions):
    assert between_sessions(logs(a, [1.0, 1.1]), {"A": sessions, "B": [0, 1]}) is None


@pytest.mark.parametrize("k", [2, 3, 6])
def test_sessions_that_differ_decide_little_whatever_their_windows(k):
    """Of ten windows each, alike within a session: by windows alone most would decide."""
    random, runs, windows = np.random.default_rng(k), 500, 10
    sessions = {arm: np.repeat(np.arange(k), windows) for arm in "AB"}
    decided = alone = 0
    for _ in range(runs):
        days = (random.normal(0, 0.3, k).repeat(windows) for _ in "AB")
        arms = logs(*(day + random.normal(0, 0.05, len(day)) for day in days))
        decided += between_sessions(arms, sessions).p <= 0.05
        within = Difference(float(arms["B"].mean() - arms["A"].mean()), 0.0, 38.0)
        alone += between_windows(within, arms).p <= 0.05
    assert decided / runs <= 0.08
    assert alone / runs >= 0.4
