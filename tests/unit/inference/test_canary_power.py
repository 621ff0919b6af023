"""What a canary is said to find is what its test finds, in a range that holds it."""

import math

import numpy as np
import pytest

from ldap_workbench.inference.significance.crossover import Crossover, draw_orders
from ldap_workbench.inference.significance.power import (
    chance_range,
    detectable,
    known_from_rows,
    needed,
    noise_of,
)

DESIGNS = ((2, 8), (3, 4))
EXACTLY = (1.0, 1.0)


def found(design, ratio, noise, tail, runs=400):
    """The share of canaries in which the test itself finds a true ratio."""
    replicas, blocks = design
    orders = np.array(draw_orders(replicas, blocks, 1))
    treated = orders[:, :, None] == np.arange(replicas)
    random = np.random.default_rng((8, *design, tail))
    values = (
        math.log(ratio) * treated + noise * noise_of(random, tail, (blocks, replicas, replicas))
        for _ in range(runs)
    )
    return sum(Crossover(each, orders).p() <= 0.05 for each in values) / runs


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("ratio", [1.0, 1.15, 1 / 1.25])
def test_the_chance_that_is_planned_is_the_share_that_is_found(design, ratio):
    planned = chance_range(0.15, EXACTLY, ratio, design, 0.05)
    shares = [found(design, ratio, 0.15, tail) for tail in (0, 4)]
    if ratio == 1.0:  # a change of nothing is found as a rise or as a fall, each in half the runs
        shares = [share / 2 for share in shares]
    assert planned.low - 0.06 <= min(shares) <= max(shares) <= planned.high + 0.06


@pytest.mark.parametrize("design", DESIGNS)
def test_the_smallest_effect_that_is_detected_is_found_in_8_of_10(design):
    ratio = detectable(0.15, design, 0.05)
    assert min(found(design, ratio, 0.15, tail) for tail in (0, 4)) == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize("replicas", [2, 3])
@pytest.mark.parametrize("tail", [0, 4])
def test_the_range_holds_the_true_chance_in_nine_of_ten_baselines(replicas, tail):
    """1,000 baselines of 8 windows side by side."""
    rows, design = 8, (replicas, 8)
    values = noise_of(np.random.default_rng(5), tail, (1_000, rows, replicas))
    left = values - values.mean(2, keepdims=True)
    left -= left.mean(1, keepdims=True)
    noises = 0.15 * np.sqrt((left**2).sum((1, 2)) / ((rows - 1) * (replicas - 1)))
    truth = float((needed(*design, 0.05, tail) < math.log(1.25) / 0.15).mean())
    known = known_from_rows(rows, replicas)
    ranges = [chance_range(noise, known, 1.25, design, 0.05) for noise in noises]
    assert np.mean([each.low <= truth <= each.high for each in ranges]) >= 0.88


def test_a_design_that_can_establish_nothing_has_no_power_at_all():
    assert chance_range(0.01, EXACTLY, 4.0, (2, 5), 0.05).high == 0.0
    assert chance_range(0.01, EXACTLY, 4.0, (2, 6), 0.05).low == 1.0


def test_a_stricter_level_finds_less():
    usual, strict = (chance_range(0.15, EXACTLY, 1.2, (2, 12), level) for level in (0.05, 0.01))
    assert strict.high < usual.low


def test_without_noise_everything_is_found():
    assert detectable(0.0, (2, 8), 0.05) == 1.0
    assert chance_range(0.0, EXACTLY, 1.01, (2, 8), 0.05).low == 1.0
