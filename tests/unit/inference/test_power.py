"""What pairs find, against the test itself run on every experiment."""

import math

import numpy as np
import pytest

from ldap_workbench.inference.design.pairs import PAIRS, SCALED, reach, reach_of
from ldap_workbench.inference.design.pairs import noise as noise_of_steps
from ldap_workbench.inference.significance import power
from ldap_workbench.inference.significance.power import (
    TAILS,
    UNLIKELY,
    detectable_range,
    known_from_pairs,
    known_from_steps,
    limits_of,
    noise_of,
    pairs_range,
    share_found,
)
from ldap_workbench.inference.significance.signflip import flips, interval, p_value

RNG = np.random.default_rng


def is_found(d, designed, alpha):
    order = tuple(1 if pair % 2 else -1 for pair in range(len(d)))
    return bool(p_value(d, flips(len(d), 0, order, designed)) <= alpha and d.mean() > 0)


@pytest.mark.parametrize(
    ("pairs", "designed", "alpha"), [(6, 6, 0.05), (8, 24, 0.01), (9, 9, 0.02), (16, 16, 0.05)]
)
@pytest.mark.parametrize("tail", TAILS)
def test_a_limit_tells_what_the_test_finds(pairs, designed, alpha, tail):
    z = noise_of(RNG(1), tail, (60, pairs))
    lower, _ = limits_of(z, designed, alpha, UNLIKELY)
    for effect in (0.3, 0.9, 2.0, 4.0):
        found = [is_found(each + effect, designed, alpha) for each in z]
        assert found == (-lower < effect).tolist()


def test_the_upper_limit_is_that_of_the_narrow_interval():
    z = noise_of(RNG(2), 0, (20, 8))
    _, upper = limits_of(z, 8, 0.05, 0.20)
    order = tuple(1 if pair % 2 else -1 for pair in range(8))
    limits = [interval(each, flips(8, 0, order, 8), 0.20)[1] for each in z]
    assert upper == pytest.approx(limits)


@pytest.mark.parametrize("pairs", [6, 8, 12, 24])
@pytest.mark.parametrize("tail", TAILS)
def test_the_table_holds_what_a_simulation_finds(pairs, tail):
    z = noise_of(RNG(3), tail, (1000, pairs))
    lower, _ = limits_of(z, pairs, 0.05, UNLIKELY)
    found = float((-lower < reach_of(pairs, tail)).mean())
    assert found == pytest.approx(0.8, abs=0.04)


def test_the_table_falls_with_the_pairs_and_is_read_between_them():
    known = [reach(pairs) for pairs in range(6, 200)]
    assert known == sorted(known, reverse=True)
    assert all(len(scaled) == len(PAIRS) for scaled in SCALED.values())
    assert reach(10_000) == pytest.approx(2.8 / 100, rel=0.05)


def brute(looks, pairs, level, effect, margin):
    """Experiments one by one, as the program looks at them."""
    z = noise_of(RNG((pairs, 0)), 0, (1000, pairs))[:150]
    decided = 0
    for d in z + effect:
        for look in looks:
            order = tuple(1 if pair % 2 else -1 for pair in range(look))
            drawn = flips(look, 0, order, pairs)
            if is_found(d[:look], pairs, level / len(looks)):
                decided += 1
                break
            if margin is not None and interval(d[:look], drawn, UNLIKELY)[1] < margin:
                break
    return decided / len(z)


@pytest.mark.parametrize("margin", [None, 0.2])
def test_looks_find_what_experiments_with_looks_find(margin):
    looks, pairs, effect = (8, 10, 12), 12, 0.9
    z = noise_of(RNG((pairs, 0)), 0, (1000, pairs))[:150]
    limits = [limits_of(z[:, :look], pairs, 0.05 / 3, UNLIKELY) for look in looks]
    found, futile = (np.array(each) for each in zip(*limits, strict=True))
    assert share_found(effect, -found, futile, margin) == brute(looks, pairs, 0.05, effect, margin)


def _tested_at_tails():
    """Every design in the night; by day the simplest with each tail, and the one with all rules."""
    designs = {
        "quick": power.Tested(6),
        "standard": power.Tested(22),
        "campaign": power.Tested(12, level=0.01),
        "looks": power.Tested(12, looks=(8, 12)),
        "campaign with looks": power.Tested(
            12, level=0.01, looks=(8, 12), futile_within=math.log(1.05)
        ),
    }
    for tail in TAILS:
        for name, tested in designs.items():
            by_day = name == "quick" or (name == "campaign with looks" and tail == TAILS[-1])
            marks = [] if by_day else [pytest.mark.full]
            yield pytest.param(tested, tail, id=f"{tail}-{name}", marks=marks)


@pytest.mark.parametrize(("tested", "tail"), [*_tested_at_tails()])
def test_the_range_holds_what_is_found_after_noise_floors_of_8_windows(tested, tail):
    """An experiment each: at the upper end at least 8 of 10 find the effect, at the lower at most.

    The full figures: python -m tests.bench.found.
    """
    random, true, floors = RNG(4), 0.1, 300
    windows = noise_of(random, tail, (floors, 8)) * true / math.sqrt(2)
    known = known_from_steps(8)
    ranges = [detectable_range(noise_of_steps(each), known, tested) for each in windows]
    z = noise_of(random, tail, (floors, tested.pairs))
    looks = tested.looks or (tested.pairs,)
    alpha = tested.level / max(len(tested.looks), 1)
    limits = [limits_of(z[:, :look], tested.pairs, alpha, UNLIKELY) for look in looks]
    found, futile = (np.array(each) for each in zip(*limits, strict=True))
    margin = tested.futile_within and tested.futile_within / true

    def share(ratios):
        decided = []
        for run, ratio in enumerate(ratios):
            limits = -found[:, [run]], futile[:, [run]]
            decided.append(share_found(math.log(ratio) / true, *limits, margin))
        return np.mean(decided)

    assert share([each.high for each in ranges]) >= 0.8
    assert share([each.low for each in ranges]) <= 0.8


def test_less_is_known_of_the_noise_from_fewer_windows():
    few, many = known_from_steps(8), known_from_steps(40)
    assert few[0] < many[0] < 1 < many[1] < few[1]
    assert known_from_pairs(6)[0] < known_from_pairs(24)[0] < 1


def test_more_pairs_are_needed_where_the_noise_may_be_larger():
    found = pairs_range(0.1, known_from_pairs(8), 1.2)
    assert 6 <= found.low < found.high
    assert reach(found.high) * 0.1 / known_from_pairs(8)[0] <= math.log(1.2)


def test_what_no_outcome_can_show_is_never_found():
    """Of six pairs the clearest has p = 2 / 62."""
    found = detectable_range(0.1, (0.5, 1.5), power.Tested(6, level=0.01))
    assert found.low == found.high == pytest.approx(math.exp(20))


def test_without_noise_anything_is_found():
    assert detectable_range(0.0, (0.5, 1.5), power.Tested(6)) == power.Range(1.0, 1.0)


@pytest.mark.parametrize(("level", "ratio"), [(0.05, 1.1), (0.01, 1.1), (0.01, 1.06), (0.002, 1.1)])
def test_the_pairs_that_are_said_to_find_a_ratio_find_it_at_their_level(level, ratio):
    found = pairs_range(0.1, (1.0, 1.0), ratio, level)
    assert found.low == found.high
    pairs = int(found.high)
    z = noise_of(RNG(5), 0, (400, pairs))
    lower, _ = limits_of(z, pairs, level, UNLIKELY)
    share = float((-lower < math.log(ratio) / 0.1).mean())
    assert share == pytest.approx(0.8, abs=0.08)


def test_a_stricter_level_takes_more_pairs_and_never_fewer_than_can_reach_it():
    quiet = [pairs_range(0.001, (1.0, 1.0), 2.0, level).high for level in (0.05, 0.01, 0.001)]
    assert quiet == [6, 8, 11]
    noisy = [pairs_range(0.1, (1.0, 1.0), 1.1, level).high for level in (0.05, 0.01, 1e-6, 0.0)]
    assert noisy == sorted({*noisy})
