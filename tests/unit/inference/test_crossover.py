"""A canary beside its controls: exact by its randomisation, blind to what all replicas share."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.significance.crossover import (
    Crossover,
    clearest_p,
    draw_orders,
    least_blocks,
    max_t,
)
from ldap_workbench.inference.significance.signflip import flips, interval, p_value
from ldap_workbench.inference.verdict.crossover import (
    LEAST_FREEDOM,
    Terms,
    analyse_crossover,
    harm_p,
    side_by_side_noise,
)
from ldap_workbench.model.message import Message
from tests.bench.canaries import before_and_after, crossed, share_found
from tests.unit.inference.counted import EDGES, TYPES, Server, window
from tests.window_counts import windows_from_counts


def crossover(replicas, blocks, seed=3, effect=0.0, noise=0.1):
    """Normal noise, and an effect on whoever is the canary."""
    orders = np.array(draw_orders(replicas, blocks, seed))
    random = np.random.default_rng(seed)
    values = noise * random.standard_normal((blocks, replicas, replicas))
    values += effect * (orders[:, :, None] == np.arange(replicas))
    return Crossover(values, orders)


@pytest.mark.parametrize(("replicas", "blocks"), [(2, 8), (3, 4)])
def test_what_all_replicas_share_and_what_one_always_has_cancel(replicas, blocks):
    found = crossover(replicas, blocks, effect=0.1)
    random = np.random.default_rng(8)
    common = random.standard_normal((blocks, replicas, 1))
    own = random.standard_normal(replicas)
    moved = Crossover(found.values + 5 * common + 5 * own, found.orders)
    assert moved.estimate == pytest.approx(found.estimate)
    assert moved.p() == found.p()
    assert moved.interval() == pytest.approx(found.interval())


def test_with_two_replicas_it_is_the_sign_flip_test_of_the_blocks():
    found = crossover(2, 8, effect=0.05)
    all_flips = flips(8, 0)
    assert found.p() == p_value(found.effects, all_flips)
    assert found.interval() == pytest.approx(interval(found.effects, all_flips))


def test_p_is_the_share_of_all_assignments_that_could_have_happened():
    found = crossover(3, 2, effect=0.15)
    every = itertools.product(itertools.permutations(range(3)), repeat=2)
    effects = [abs(Crossover(found.values, np.array(orders)).estimate) for orders in every]
    reached = [each >= abs(found.estimate) - 1e-12 for each in effects]
    assert found.p() == sum(reached) / 36


@pytest.mark.parametrize(("replicas", "blocks"), [(2, 7), (3, 3)])
def test_the_interval_holds_exactly_the_effects_the_test_does_not_reject(replicas, blocks):
    found = crossover(replicas, blocks, effect=0.2)
    low, high = found.interval(0.05)
    treated = found.orders[:, :, None] == np.arange(replicas)

    def p_of(effect):
        return Crossover(found.values - effect * treated, found.orders).p()

    step = 1e-6
    assert p_of(low + step) > 0.05 >= p_of(low - step)
    assert p_of(high - step) > 0.05 >= p_of(high + step)


def test_a_design_that_can_establish_nothing_is_known_beforehand():
    assert clearest_p(2, 5) > 0.05 >= clearest_p(2, 6)
    assert (least_blocks(2, 0.05), least_blocks(3, 0.05), least_blocks(4, 0.05)) == (6, 2, 2)


def test_strong_common_drift_misleads_before_and_after_but_not_the_canary():
    """The full figures: python -m tests.bench.canaries."""
    assert share_found(crossed, (2, 8), 1.0, 0.0, runs=120, seed=5) <= 0.08
    assert share_found(before_and_after, (2, 8), 1.0, 0.0, runs=120, seed=5) > 0.30


def test_the_noise_of_a_window_is_told_from_effect_and_replica():
    found = crossover(3, 40, effect=0.5, noise=0.1)
    assert found.noise == pytest.approx(0.1, rel=0.1)


def test_of_several_metrics_each_p_is_over_the_largest_of_all():
    """They are of the same windows, so the same assignments hold for all."""
    one, other = crossover(2, 8, seed=3, effect=0.05), crossover(2, 8, seed=4, effect=0.05)
    other = Crossover(other.values, one.orders)
    assert max_t([one])[0] == one.p()
    assert max_t([one, one]).tolist() == [one.p()] * 2
    both = max_t([one, other])
    assert both[0] > one.p()
    assert both[1] >= other.p()
    assert len(max_t([])) == 0


def test_more_assignments_than_can_be_tried_are_drawn_the_own_one_first():
    found = crossover(3, 9, effect=0.3)
    assert len(found.assigned) == 10_000
    assert found.assigned[0] == pytest.approx(found.estimate)
    assert found.p() == 1 / 10_000


def test_every_order_of_a_block_is_drawn_as_often_as_any_other():
    """Only the first block has a say here, and under each of the six orders another one."""
    values = np.zeros((7, 3, 3))
    values[0] = np.random.default_rng(2).standard_normal((3, 3))
    drawn = Crossover(values, np.array(draw_orders(3, 7, 1))).assigned[1:]
    effects, counts = np.unique(drawn.round(9), return_counts=True)
    assert len(effects) == 6
    assert counts.min() > 1500
    assert counts.max() < 1850


def measured(seed=1, replicas=2, blocks=6, canary=1.0, drift=0.0, usual=1.0):
    """Blocks of windows whose etimes are `canary` times as long on the canary."""
    random = np.random.default_rng(seed)
    orders = draw_orders(replicas, blocks, seed)
    found = []
    for order in orders:
        rows = []
        for treated in order:
            common = usual * math.exp(drift * random.standard_normal())
            servers = [
                Server(factor=common * (1 + i) * (canary if i == treated else 1.0), rate=300.0)
                for i in range(replicas)
            ]
            counted = [window(random, "A", 0, server, 10) for server in servers]
            rows.append(windows_from_counts(counted, EDGES, TYPES))
        found.append(rows)
    return found, orders


def test_an_effect_on_the_canary_is_found_under_drift_and_beside_unlike_replicas():
    verdict = analyse_crossover(*measured(canary=1.5, drift=0.8), Terms("p50", seed=4))
    assert verdict.primary.verdict == "worse"
    assert verdict.primary.low < 1.5 < verdict.primary.high
    assert verdict.primary.n_pairs == 6
    assert "beside concurrent controls" in str(verdict.sentence)
    a, b = verdict.details.windows[:2]
    assert (a.arm, b.arm, a.pair) == ("A", "B", 0)
    assert b.p50 / a.p50 == pytest.approx(1.5, rel=0.1)


def test_a_coarse_clock_bounds_what_a_canary_gains_and_leaves_the_least_stall_as_it_is():
    clock = Terms("p50", resolution_ns=1_000_000)
    verdict = analyse_crossover(*measured(usual=150.0, canary=1e-3), clock)
    assert verdict.primary.verdict == "better"
    assert verdict.primary.b == pytest.approx(3e6, rel=0.03)
    assert "The true change of p50, " in " ".join(map(str, verdict.warnings))
    verdict = analyse_crossover(*measured(usual=0.1), clock)
    assert verdict.details.ledger.threshold_ns == pytest.approx(10e6)


def test_over_the_whole_run_the_canary_is_compared_with_all_that_were_none():
    primary = analyse_crossover(*measured(canary=1.5), Terms("p50")).primary
    assert primary.pooled == pytest.approx(1.5, rel=0.05)
    assert primary.b / primary.a == pytest.approx(primary.pooled)
    assert primary.pooled_low < 1.5 < primary.pooled_high


def test_a_knob_that_does_nothing_is_not_called_better_or_worse():
    verdict = analyse_crossover(*measured(drift=0.8), Terms("p50", seed=4))
    assert verdict.primary.verdict in ("inconclusive", "no material change")


def test_a_flawed_window_takes_its_block_with_it():
    blocks, orders = measured(blocks=7, canary=1.5)
    blocks[2][1][0] = replace(blocks[2][1][0], flaws=(Message("the log is gone"),))
    verdict = analyse_crossover(blocks, orders, Terms("p50"))
    assert (verdict.primary.verdict, verdict.primary.n_pairs) == ("worse", 6)
    assert any("remain possible" in str(line) for line in verdict.warnings)
    assert [str(each) for each in verdict.dropped] == ["Block 3 was skipped: the log is gone."]


@pytest.mark.parametrize(
    ("factor", "arm", "word"),
    [
        (0.5, None, "better"),
        (0.5, "A", "better"),
        (0.5, "B", "inconclusive"),
        (2.0, "B", "worse"),
        (2.0, "A", "inconclusive"),
    ],
)
def test_nothing_is_claimed_for_an_arm_that_hung(factor, arm, word):
    """What waits while a server hangs is not in its log, so the log is that of a quick one."""
    blocks, orders = measured(canary=factor)
    treated = orders[1][0]
    replica = treated if arm == "B" else 1 - treated
    blocks[1][0][replica] = replace(blocks[1][0][replica], hung=arm is not None)
    verdict = analyse_crossover(blocks, orders, Terms("p50"))
    assert verdict.primary.verdict == word
    assert any("did not answer cn=monitor" in str(s) for s in verdict.warnings) is bool(arm)
    assert verdict.details.hung == ((arm,) if arm else ())


def test_too_few_blocks_establish_nothing():
    verdict = analyse_crossover(*measured(blocks=5, canary=3.0), Terms("p50"))
    assert verdict.primary.verdict == "not enough data"


def test_a_canary_that_is_spared_by_the_balancer_is_not_comparable():
    blocks, orders = measured()
    for rows, order in zip(blocks, orders, strict=True):
        for row, treated in zip(rows, order, strict=True):
            row[treated] = replace(row[treated], count=row[treated].count * 2)
    verdict = analyse_crossover(blocks, orders, Terms("p50"))
    assert verdict.primary.verdict == "not comparable"
    assert "load of its controls" in str(verdict.why)
    assert any(str(line).startswith("Observed: ") for line in verdict.warnings)


def test_harm_is_seen_in_one_direction_only():
    assert harm_p(*measured(canary=1.5), Terms("p50")) <= 0.05
    assert harm_p(*measured(canary=0.7), Terms("p50")) == 1.0
    assert harm_p(*measured(blocks=2, canary=1.5), Terms("p50")) == 1.0


def test_of_a_type_that_was_never_asked_for_no_harm_and_no_effect_is_told():
    asked = (*measured(canary=1.5), Terms("DEL:p50"))
    assert harm_p(*asked) == 1.0
    assert analyse_crossover(*asked).primary.verdict == "not enough data"


def side_by_side(times, noise, *, replicas=3, drift=0.8, seed=5):
    """[time][replica] windows without a change: replicas differ, all drift alike."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(times):
        common = math.exp(drift * random.standard_normal())
        own = np.exp(noise * random.standard_normal(replicas))
        servers = [Server(factor=common * (1 + i) * own[i], rate=300.0) for i in range(replicas)]
        counted = [window(random, "A", 0, server, 10) for server in servers]
        rows.append(windows_from_counts(counted, EDGES, TYPES))
    return rows


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_the_noise_is_what_replicas_and_drift_do_not_explain(noise):
    assert side_by_side_noise(side_by_side(40, noise), "p50") == pytest.approx(noise, rel=0.25)


def test_too_few_windows_tell_no_noise():
    enough = side_by_side(1 + LEAST_FREEDOM, 0.1, replicas=2)
    assert side_by_side_noise(enough, "p50") is not None
    assert side_by_side_noise(enough[:-1], "p50") is None
    assert side_by_side_noise([], "p50") is None
    assert side_by_side_noise(enough, "DEL:p50") is None
