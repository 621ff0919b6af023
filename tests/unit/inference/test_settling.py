"""Effects that are still on their way: what shows them, how long they take, what is then said."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.counts.warmup import warm_up
from ldap_workbench.inference.significance.settling import (
    LEAST_BINS,
    has_halves,
    paired_halves,
    relaxation,
    split,
)
from ldap_workbench.inference.significance.signflip import flips
from tests.bench.acceptance import operations, truths
from tests.unit.inference.counted import EDGES, TYPES, Server, experiment, window
from tests.window_counts import windows_from_counts

SEEDS = range(3)


def verdicts(truth):
    return [truths.verdict_of(truth, seed, seed) for seed in SEEDS]


def words(truth):
    return [verdict.primary.verdict for verdict in verdicts(truth)]


def test_an_effect_on_its_way_that_only_the_primary_metric_shows_is_not_settled():
    """Typical etimes move by less than 2 %: one search of fifty is slow."""
    found = verdicts(truths.COLD_TAIL)
    assert [verdict.primary.verdict for verdict in found] == ["not settled"] * 3
    assert "the share of operations over the latency target of B is ×" in str(found[0].sentence)
    primary = found[0].details.settling.primary
    assert primary.first > 2 > primary.second
    assert "such as 60 s, and the first 15 s of each window" in str(found[0].primary.takes)


@pytest.mark.parametrize("truth", [truths.COLD_CANARY, truths.SLOW_CANARY], ids=["cold", "slow"])
def test_a_canary_whose_turns_are_not_settled_says_so(truth):
    assert words(truth) == ["not settled"] * 3


def test_a_canary_that_is_better_at_once_is_better():
    assert words(truths.CANARY) == ["better"] * 3
    assert "not settled" not in words(truths.IDLE_CANARY)


def test_it_is_said_how_long_the_effect_took_and_what_to_wait():
    """The truth relaxes with 60 s, so 80 % of the way takes 97 s."""
    for verdict in verdicts(truths.FILLS):
        settling = verdict.details.settling
        assert 60 < settling.reached_s < 160
        assert settling.wait_s >= settling.reached_s
        assert 0 < settling.trim_s <= 15
        assert "of the effect is there after" in str(verdict.sentence)
        assert "; wait " in str(verdict.primary.takes)


def test_what_was_waited_already_is_part_of_the_wait():
    windows = operations.experiment(truths.FILLS, 1)
    first, waited = (
        truths.analyse(windows, primary="p50", seed=1, waited_s=seconds).details.settling
        for seconds in (0.0, 300.0)
    )
    assert waited.wait_s - first.wait_s == pytest.approx(300, abs=60)


@pytest.mark.parametrize("constant", [10.0, 30.0, 60.0])
def test_a_time_constant_is_told_from_the_course_within_a_window(constant):
    ends = np.linspace(0, 60, 13)
    decay = -constant * np.diff(np.exp(-ends / constant)) / 5
    noise = 1e-4 * np.random.default_rng(1).standard_normal((8, 12))
    found = relaxation(-0.2 + 0.5 * decay + noise, 60.0)
    assert found.constant_s == pytest.approx(constant, rel=0.15)
    assert found.final == pytest.approx(-0.2, abs=0.03)
    assert found.reached_s == pytest.approx(1.61 * constant, rel=0.15)
    left = found.rest * np.exp(-found.wait_s / found.constant_s)
    assert abs(left) <= max(0.01, 0.1 * abs(found.final)) + 1e-9
    assert not found.bounded


def test_a_course_that_only_began_is_longer_than_can_be_told():
    ends = np.linspace(0, 60, 13)
    line = 0.002 * (ends[1:] + ends[:-1]) / 2
    noise = 1e-5 * np.random.default_rng(1).standard_normal((8, 12))
    assert relaxation(line + noise, 60.0).bounded


def test_noise_has_no_time_constant():
    assert relaxation(0.01 * np.random.default_rng(1).standard_normal((8, 12)), 60.0) is None


def test_a_window_is_halved_without_its_last_second():
    (whole,) = windows_from_counts(
        [window(np.random.default_rng(1), "A", 3, Server(), 31)], EDGES, TYPES
    )
    first, second = split([whole])
    assert (first.bins, second.bins, first.arm, second.pair) == (15, 15, "A", 3)
    assert first.n + second.n == whole.per_bin[:-1].sum()
    assert (first.mean_log == whole.mean_log[:15]).all()
    assert (second.mean_log == whole.mean_log[15:30]).all()
    assert has_halves([whole])
    assert not has_halves([whole, replace(whole, bins=LEAST_BINS - 1)])


def test_the_trim_does_not_know_the_arms():
    """Else it would not be the same under another order of them, and the test no longer exact."""
    cold = Server(rate=300, factor=3)
    made = experiment(pairs=3, seconds=300, a=Server(rate=300))
    for one in made:
        if one.arm == "B":
            one.H[:, :50] = window(np.random.default_rng(2), "B", 0, cold, 300).H[:, :50]
    cuts = set()
    for arms in itertools.product(("AB", "BA"), repeat=3):
        for one, arm in zip(made, "".join(arms), strict=True):
            one.arm = arm
        cuts.add(warm_up(windows_from_counts(made, EDGES, TYPES)).seconds)
    assert len(cuts) == 1
    assert cuts.pop() > 60


@pytest.mark.parametrize(("pairs_with_it", "looked_at"), [(6, True), (5, False)])
def test_the_primary_metric_shows_settling_only_in_six_pairs_that_have_it(pairs_with_it, looked_at):
    typical = np.random.default_rng(3).normal(size=(16, 2))
    primary = typical + 1.0
    primary[2 * pairs_with_it :] = np.nan
    _, of_primary = paired_halves(typical, primary, flips(8, 0))
    assert (of_primary is not None) == looked_at
