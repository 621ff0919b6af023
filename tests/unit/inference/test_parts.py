"""The parts of the method, each against what is known of it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from ldap_workbench.inference.counts.buckets import above, log_quantiles, quantile
from ldap_workbench.inference.counts.counting import Tally
from ldap_workbench.inference.counts.ledger import (
    corrected,
    counted_stalls,
    expected_interval_s,
    loop_index,
    threshold_s,
)
from ldap_workbench.inference.counts.measured import measure_all, slow_part
from ldap_workbench.inference.counts.metrics import waiting_metrics
from ldap_workbench.inference.counts.warmup import mser5, warm_up
from ldap_workbench.inference.design.load import match_load
from ldap_workbench.inference.design.pairs import (
    detectable,
    expected_noise,
    pairs_needed,
)
from ldap_workbench.inference.significance.carryover import carry_over
from ldap_workbench.inference.significance.exceedance import shift_of
from ldap_workbench.inference.significance.paired import word_of
from ldap_workbench.inference.significance.rare import rare_events
from ldap_workbench.inference.significance.sequential import evidence, look_alpha, look_at
from ldap_workbench.inference.significance.unpaired import (
    Difference,
    effective_events,
    histogram_differences,
    holm,
    ledger_differences,
    prediction_p,
)
from ldap_workbench.inference.verdict.details import clients
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import Clients
from tests.unit.inference.counted import (
    EDGES,
    TYPES,
    Counted,
    Server,
    bucket,
    counts,
    experiment,
    put_stall,
    spread,
    stalled,
    window,
)

RNG = np.random.default_rng


def one(server, seconds=60, seed=1, arm="A"):
    (found,) = counts([window(RNG(seed), arm, 0, server, seconds)])
    return found


# Quantiles


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99, 0.999])
def test_quantiles_of_buckets_are_near_those_of_the_values(share):
    values = np.exp(RNG(1).normal(-7, 1, 500_000))
    histogram = np.bincount(bucket(values), minlength=len(EDGES) - 1).astype(float)
    assert quantile(histogram, EDGES, share) == pytest.approx(np.quantile(values, share), rel=0.004)


def test_an_empty_histogram_has_no_quantile():
    histograms = np.zeros((2, len(EDGES) - 1))
    histograms[1, 300] = 5
    found = log_quantiles(histograms, EDGES, (0.5,))
    assert np.isnan(found[0, 0])
    assert EDGES[300] < np.exp(found[1, 0]) < EDGES[301]


def test_a_limit_within_a_bucket_counts_it_in_part():
    histogram = np.zeros(len(EDGES) - 1)
    histogram[300], histogram[400] = 8, 2
    middle = np.sqrt(EDGES[300] * EDGES[301])
    assert above(histogram, EDGES, EDGES[301]) == 2
    assert above(histogram, EDGES, EDGES[300]) == 10
    assert above(histogram, EDGES, middle) == pytest.approx(6)


# Stalls


def test_a_stall_is_found_with_its_length_and_its_start():
    made = window(RNG(1), "A", 0, Server(), 60)
    put_stall(made, 20, 0.5, 40)
    put_stall(made, 20, 0.3, 30)
    (found,) = counts([made])
    (stall,) = counted_stalls(found, threshold_s([found], 0.1))
    assert stall.length_s == pytest.approx(0.5, rel=0.02)
    assert stall.start_s == pytest.approx(20.5, abs=0.02)
    assert stall.operations == 70


@pytest.mark.parametrize(("later", "stalls"), [(1, 1), (2, 1), (3, 2)])
def test_stalls_one_second_apart_are_one(later, stalls):
    made = window(RNG(1), "A", 0, Server(), 60)
    put_stall(made, 20, 0.5, 40)
    put_stall(made, 20 + later, 0.5, 40)
    (found,) = counts([made])
    assert len(counted_stalls(found, 0.1)) == stalls


def test_few_slow_operations_are_no_stall():
    made = window(RNG(1), "A", 0, Server(), 60)
    put_stall(made, 20, 0.5, 4)
    (found,) = counts([made])
    assert counted_stalls(found, 0.1) == []


@pytest.mark.parametrize(("factor", "threshold"), [(0.001, 0.010), (1.0, None), (100.0, 0.1)])
def test_what_is_slow_lies_between_10_ms_and_the_limit(factor, threshold):
    found = one(Server(factor=factor))
    expected = threshold or 10 * quantile(found.histogram.sum(0), EDGES, 0.95)
    assert threshold_s([found], 0.1) == pytest.approx(expected)


# Clients that wait


def closed_loop(random, clients, seconds, every, length):
    """Each client asks, waits for the answer, thinks, asks again."""
    kept = []
    for _ in range(clients):
        now = random.exponential(0.1)
        while now < seconds:
            etime = 1e-3 + max(0.0, length - (now + every / 2) % every)
            kept.append((now, etime))
            now += etime + random.exponential(0.1)
    start, etime = np.array(kept).T
    found = np.zeros((len(TYPES), seconds, len(EDGES) - 1), int)
    second = np.minimum(start + etime, seconds - 1e-9).astype(int)
    np.add.at(found, (0, second, bucket(etime)), 1)
    return Counted("A", 0, 1.0, found)


def index_of(found):
    windows, slow = [found], slow_part([found], 0.1)
    measured = measure_all(windows, slow, 0.1, 1)
    return loop_index(windows, slow, measured.stalls, measured.threshold_s)


def test_clients_that_wait_are_told_from_those_that_do_not():
    closed = closed_loop(RNG(1), 100, 120, 6.0, 1.0)
    assert index_of(counts([closed])[0]) < 0.5
    assert index_of(one(Server(stall_every_s=6.0, stall_s=1.0), 120)) > 0.8


def test_too_few_stalls_tell_nothing_of_the_clients():
    assert index_of(one(Server(stall_every_s=20.0, stall_s=1.0), 60)) is None


def test_correction_puts_back_what_waiting_clients_did_not_ask():
    """Against the same stalls seen by clients that do not wait."""
    made = closed_loop(RNG(2), 100, 120, 6.0, 1.0)
    (logged,) = counts([made])
    interval = expected_interval_s(100, [logged])
    assert interval == pytest.approx(0.1, rel=0.15)
    histogram = logged.histogram.sum(0)
    fixed = corrected(histogram, EDGES, interval)
    start = RNG(3).random(400_000) * 120
    truth = 1e-3 + np.maximum(0.0, 1.0 - (start + 3.0) % 6.0)
    as_logged = quantile(histogram, EDGES, 0.95)
    assert quantile(fixed, EDGES, 0.95) == pytest.approx(np.quantile(truth, 0.95), rel=0.1)
    assert as_logged < 0.5 * np.quantile(truth, 0.95)


def test_the_tail_of_clients_that_wait_is_shown_with_and_without_their_waiting():
    made = closed_loop(RNG(2), 100, 120, 6.0, 1.0)
    windows = counts([made, replace(made, arm="B")])
    measured = measure_all(windows, slow_part(windows, 0.1), 0.1, 1)
    loops = {"A": 0.2, "B": 0.3}
    shown = clients(windows, measured, loops, True, 0.1)
    assert (shown.a, shown.closed) == (shown.b, True)
    assert shown.a.clients == pytest.approx(100, abs=5)
    assert shown.a.as_logged.p95 < 0.5 * shown.a.corrected.p95
    assert 0 < shown.a.as_logged.slo < 0.5 * shown.a.corrected.slo < 1
    assert clients(windows, measured, loops, False, 0.1) == Clients(loops)


def test_correction_adds_the_steps_below_an_etime():
    histogram = np.zeros(len(EDGES) - 1)
    histogram[bucket(np.array([1.0]))[0]] = 3
    fixed = corrected(histogram, EDGES, 0.1)
    assert fixed.sum() == pytest.approx(3 * 10, abs=3)
    assert np.array_equal(corrected(histogram, EDGES, 0.0), histogram)


def test_the_time_waited_beside_a_percentile_is_that_of_the_slower_operations():
    """Per second of the window, with half an operation more: of p99 those beyond 10 ms."""
    windows = counts(spread(ms1=9800, ms10=150, ms90=45, ms1000=5))
    histograms = np.array([w.histogram.sum(0) for w in windows])
    waiting = {n: np.exp(v[0]) for n, v in waiting_metrics(histograms, windows, 0.1).items()}
    beyond_90 = 5 * 1.0
    assert waiting == {
        "p99": pytest.approx((45 * 0.09 + beyond_90 + 0.5 * 0.01) / 10, rel=0.02),
        "p99.9": pytest.approx((beyond_90 + 0.5 * 0.09) / 10, rel=0.02),
        "slo": pytest.approx((beyond_90 + 0.5 * 0.1) / 10, rel=0.02),
    }


# Warm-up


def test_mser5_cuts_the_start_that_is_off():
    series = np.concatenate([np.linspace(2, 0, 60), np.zeros(240)]) + RNG(1).normal(0, 0.1, 300)
    assert 45 <= mser5(series) <= 75
    assert mser5(np.zeros(4)) == 0


def test_a_cold_start_is_cut_and_a_steady_server_is_not():
    def windows(warm):
        found = []
        for seed in range(6):
            made = window(RNG(seed), "AB"[seed % 2], seed // 2, Server(rate=300), 300)
            if warm:
                slow = window(RNG(seed), "A", 0, Server(rate=300, factor=3), 300)
                made.H[:, :50] = slow.H[:, :50]
            found.append(made)
        return counts(found)

    cold, steady = warm_up(windows(True)), warm_up(windows(False))
    assert 70 <= cold.seconds <= 110
    assert not cold.binds
    assert (steady.seconds, steady.binds) == (60.0, False)
    assert warm_up(windows(False), restarted=True).seconds == 120.0


def test_a_cut_leaves_whole_bins_and_the_rest():
    found = one(Server(), 60)
    rest = found.without_first(9.5)
    assert (rest.bins, rest.seconds) == (50, 50.0)
    assert np.array_equal(rest.per_bin, found.per_bin[10:])
    assert [found.without_first(s).bins for s in (0, 0.5, 1, 59, 60, 99)] == [60, 59, 59, 1, 0, 0]


# Load


def uneven(random, arm, pair, rates):
    """A window of several stretches of load; the busier, the slower."""
    parts = [window(random, arm, pair, Server(rate=r, factor=r / 1000), 60).H for r in rates]
    return Counted(arm, pair, 1.0, np.concatenate(parts, axis=1))


def test_only_seconds_of_equal_load_are_compared():
    random = RNG(5)
    found = []
    for pair in range(6):
        found.append(uneven(random, "A", pair, [1000, 1000, 1500, 1000]))
        found.append(uneven(random, "B", pair, [1000, 1500, 1500, 1000]))
    load = match_load(counts(found))
    assert load.ratio == pytest.approx(5000 / 4500, rel=0.02)
    assert not load.why
    assert 0.5 < load.common < 1
    a, b = (
        np.sum([w.histogram.sum(0) for w in load.windows if w.arm == arm], axis=0) for arm in "AB"
    )
    assert quantile(a, EDGES, 0.5) == pytest.approx(quantile(b, EDGES, 0.5), rel=0.05)


def test_a_third_more_load_is_another_workload():
    random = RNG(6)
    found = [window(random, arm, 0, Server(rate=r), 60) for arm, r in (("A", 1000), ("B", 1500))]
    assert "a different workload" in str(match_load(counts(found)).why)


# Rare events


def test_no_event_in_a_short_time_says_nothing():
    found = rare_events(2, 24.0, 0, 3.0)
    assert found.hours_needed == pytest.approx(128, abs=1)
    assert found.at_most_b == pytest.approx(3.0 / 3.0, rel=0.01)
    assert "0.25 would be expected" in str(found.sentence)
    assert "says nothing before" in str(found.sentence)
    assert found.p > 0.5
    assert rare_events(5, 24.0, 0, 24.0).hours_needed == pytest.approx(26, abs=0.5)


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.5, 100), st.floats(0.5, 100))
def test_rates_are_compared_exactly(n_a, n_b, hours_a, hours_b):
    found = rare_events(n_a, hours_a, n_b, hours_b)
    if n_a + n_b:
        share = hours_b / (hours_a + hours_b)
        below = special.bdtr(n_b, n_a + n_b, share)
        above = special.bdtrc(n_b - 1, n_a + n_b, share)
        assert found.p == pytest.approx(min(1, 2 * min(below, above)), rel=1e-6)
    assert 0 < found.p <= 1
    if found.low is not None and found.high is not None:
        assert found.low <= n_b / n_a * hours_a / hours_b <= found.high


# Looking early


def test_evidence_against_a_coin_grows_only_with_an_effect():
    random = RNG(7)
    effect = [evidence(random.normal(1.5, 1, 24)).decided for _ in range(50)]
    assert sum(d is not None for d in effect) >= 45
    nothing = [evidence(random.normal(0, 1, 24)).decided for _ in range(600)]
    assert sum(d is not None for d in nothing) <= 0.05 * 600


def test_evidence_keeps_its_promise_over_the_orders_a_design_may_draw():
    trend = np.array([2.0, -2.0] * 3)  # strongest in orders a design may draw
    orders = [o for o in itertools.product((1, -1), repeat=6) if len(set(o)) > 1]
    ends = [evidence(trend * order, 6).values[-1] for order in orders]
    assert np.mean(ends) <= 1 + 1e-9


def test_evidence_of_swapped_arms_is_the_same():
    d = RNG(8).normal(0.5, 1, 20)
    assert evidence(d).values == pytest.approx(evidence(-d).values)
    assert evidence([]).values == ()
    assert evidence([0.0, 0.0]).values == (1.0, 1.0)


# Planning


def test_pairs_and_the_smallest_effect_agree():
    for s in (0.06, 0.5, 1.1):
        for ratio in (1.5, 2.0, 4.0):
            pairs = pairs_needed(s, ratio)
            assert pairs == 6 or detectable(s, pairs) <= ratio < detectable(s, pairs - 1)
    assert pairs_needed(1.11, 2.0) == 23
    assert pairs_needed(0.5, 0.5) == pairs_needed(0.5, 2.0)
    with pytest.raises(UsageError):
        pairs_needed(1.0, 1.0)


def test_the_noise_of_baseline_windows_is_expected():
    made = counts([window(RNG(s), "A", s, Server(noise=0.2), 30) for s in range(40)])
    s, why = expected_noise(made, "p50", "", 0.1)
    # A difference of two windows has sqrt(2) the noise of one.
    assert (s, why) == (pytest.approx(0.2 * 2**0.5, rel=0.25), NOTHING)
    assert expected_noise(made, "p99.9", "", 0.1)[0] is not None
    none, why = expected_noise(made, "stall_len", "", 0.1)
    assert (none, str(why)) == (None, "a window had no stall")


def test_a_percentile_of_which_windows_hold_too_little_has_no_noise():
    few = counts([window(RNG(s), "A", s, Server(rate=300), 30) for s in range(8)])
    assert expected_noise(few, "p99", "", 0.1)[0] is not None
    none, why = expected_noise(few, "p99.9", "", 0.1)
    assert (none, str(why)) == (None, "a window must hold 20,000 operations")


# Carry-over


def carried(size, seed):
    """p of experiments in which a pair's first window keeps some of the arm before."""
    random = RNG(seed)
    windows = counts(experiment(seed, pairs=20, a=Server(rate=20), seconds=2))
    order = sorted(range(len(windows)), key=lambda i: windows[i].start_s)
    logs = random.normal(0, 0.1, len(windows))
    for before, now in zip(order[1::2], order[2::2], strict=False):
        logs[now] += size * (1 if windows[before].arm == "B" else -1)
    return carry_over(windows, logs, seed)


def test_what_is_left_of_the_arm_before_is_noticed():
    assert all(p < 0.05 for p in (carried(0.5, seed) for seed in range(10)))
    nothing = [carried(0.0, seed) for seed in range(60)]
    assert sum(p < 0.05 for p in nothing) <= 8


def test_few_pairs_tell_no_carry_over():
    windows = counts(experiment(pairs=8, seconds=2))
    assert carry_over(windows, np.zeros(16), 0) is None


# Shift plot


def test_the_shift_is_the_ratio_of_quantiles_and_is_cut_where_nothing_is_known():
    windows = sorted(
        counts(experiment(b=Server(factor=0.5), seconds=60)), key=lambda w: (w.pair, w.arm)
    )
    measured = measure_all(windows, slow_part(windows, 0.1), 0.1, 1)
    shift = shift_of(windows, measured.histograms)
    assert shift.ratio == pytest.approx([0.5] * len(shift.p), rel=0.15)
    assert all(low <= ratio for low, ratio in zip(shift.low, shift.ratio, strict=True))
    assert 20 <= len(shift.p) < 60
    assert shift.cut_at == shift.p[-1] < 1 - 1e-5


# One stretch


def test_one_long_stall_is_one_event():
    made = window(RNG(1), "A", 0, Server(), 600)
    quiet = window(RNG(2), "B", 0, Server(), 600)
    put_stall(made, 300, 60.0, 30_000)
    arms = {w.arm: [w] for w in counts([made, quiet])}
    assert effective_events("p99.9", arms, 0.1) < 2
    assert effective_events("p50", arms, 0.1) == np.inf


def test_a_difference_of_two_windows_is_that_of_their_whole_histograms():
    arms = {arm: [one(Server(factor=f), arm=arm)] for arm, f in (("A", 1.0), ("B", 1.5))}
    alike = {arm: np.ones(len(TYPES)) for arm in "AB"}
    found = histogram_differences(arms, alike, 0.1)
    for metric, share in (("p50", 0.5), ("p99", 0.99)):
        a, b = (quantile(arms[arm][0].histogram.sum(0), EDGES, share) for arm in "AB")
        assert found[metric].value == pytest.approx(np.log(b / a))
        low, high = found[metric].interval()
        assert low < np.log(1.5) < high


def test_one_stall_in_an_arm_is_too_few_to_compare_stalls_by():
    """What one stall varies by is not known."""
    one, two = (counted_stalls(found, 0.1) for found in counts([stalled("A", 1), stalled("B", 2)]))
    hours = {"A": 1.0, "B": 2.0}
    assert ledger_differences({"A": one, "B": two}, hours) == {}
    assert ledger_differences({"A": two, "B": one}, hours) == {}
    both = ledger_differences({"A": two, "B": two}, hours)
    assert both["stall_n"].value == pytest.approx(-np.log(2)), "as many in twice the time"
    assert both["stall_len"].value == pytest.approx(0.0)


def test_welch_and_holm_are_what_they_are_elsewhere():
    p = Difference(0.5, 0.2, 12.0).p
    assert p == pytest.approx(2 * special.stdtr(12, -2.5))
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == {"a": 0.03, "c": 0.06, "b": 0.06}
    assert Difference(0.0, 0.0, 5.0).p == 1.0


def test_the_prediction_test_needs_six_earlier_windows():
    history = RNG(1).normal(0, 1, 6)
    assert prediction_p(history[:5], 3.0) == 0.0
    assert prediction_p(history, float(history.mean())) == pytest.approx(1.0)
    assert prediction_p(history, float(history.mean()) + 20) < 0.001


@pytest.mark.parametrize(
    ("narrow", "proven", "word"),
    [
        ((-0.04, 0.04), False, "no material change"),
        ((-0.02, 0.09), False, "inconclusive"),
        (None, False, "inconclusive"),
        ((0.01, 0.04), True, "too small to matter"),
        ((0.01, 0.09), True, "worse"),
        ((-0.09, -0.01), True, "better"),
        (None, True, "better"),
    ],
)
def test_one_margin_decides_what_is_too_small(narrow, proven, word):
    """p50: 5 %, or 0.0488 on the log scale, of the 90 % interval."""
    estimate = sum(narrow) / 2 if narrow else -0.2
    assert word_of("p50", estimate, narrow, proven=proven) == word


# Noise of a plan for one type


def test_the_noise_of_one_type_is_that_of_its_own_operations():
    made = counts([window(RNG(s), "A", s, Server(noise=0.2), 30) for s in range(20)])
    noise, why = expected_noise(made, "p50", "BIND", 0.1)
    assert noise == pytest.approx(0.2 * 2**0.5, rel=0.35)
    assert not why


def test_why_the_noise_of_a_type_is_not_known():
    made = [window(RNG(s), "A", s, Server(), 10) for s in range(8)]
    assert expected_noise(counts(made), "p50", "MOD", 0.1)[0] is None
    assert "no operation type MOD" in str(expected_noise(counts(made), "p50", "MOD", 0.1)[1])
    made[3].H[TYPES.index("BIND")] = 0
    noise, why = expected_noise(counts(made), "p50", "BIND", 0.1)
    assert (noise, str(why)) == (None, "a window had no such operation")


# Evidence


def test_evidence_decides_at_the_first_pair_that_suffices():
    growing = evidence([1.0] * 24)
    sufficient = [n for n, value in enumerate(growing.values, 1) if value >= 20]
    assert 1 < growing.decided == sufficient[0] < sufficient[-1]
    assert evidence([1.0, -1.0] * 4).decided is None


def test_a_design_pays_for_the_orders_it_never_draws():
    """Two of the 2 ** 6 orders begin alike in all pairs."""
    d = RNG(9).normal(0.5, 1, 6)
    assert evidence(d, 6).values == pytest.approx([x * 62 / 64 for x in evidence(d).values])


def test_a_look_is_due_once_its_pairs_are_there_and_has_its_share_of_the_level():
    assert [look_at(n, (8, 12)) for n in (7, 8, 11, 12, 30)] == [None, 8, 8, 12, 12]
    assert look_alpha((8, 12), 0.04) == pytest.approx(0.02)
    assert look_alpha((), 0.04) == 0.04


@pytest.mark.parametrize(("n_a", "n_b"), [(0, 5), (5, 0), (5, 5)])
def test_a_ratio_of_rates_has_the_ends_that_its_counts_allow(n_a, n_b):
    compared = rare_events(n_a, 24.0, n_b, 12.0)
    assert (compared.low is None) == (n_b == 0)
    assert (compared.high is None) == (n_a == 0)
    if n_a and n_b:
        assert compared.low < 2.0 < compared.high


def test_parts_of_a_window_are_tallied_together():
    one = Tally({32: 1}, 3, 7, 1, 5, 1, 2)
    assert Tally().plus(one) == one.plus(Tally()) == one
    assert one.plus(Tally({32: 2, 49: 1}, 1, 2, 3, 4, 5, 6)) == Tally(
        {32: 3, 49: 1}, 4, 9, 4, 5, 6, 8
    )
