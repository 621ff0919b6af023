"""What must hold for any windows: symmetry, scale, order, and refusals without an exception."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ldap_workbench.inference.counts.metrics import METRICS
from tests.unit.inference.counted import EDGES, TYPES, Server, experiment, judge

QUICK = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
DECIDED = ("better", "worse")
OPPOSITE = {"better": "worse", "worse": "better"}
SERVERS = st.builds(
    Server,
    factor=st.sampled_from([0.5, 0.9, 1.0, 1.3]),
    rate=st.sampled_from([300.0, 1000.0]),
    stall_every_s=st.sampled_from([0.0, 5.0]),
    stall_s=st.sampled_from([0.2, 0.8]),
    noise=st.sampled_from([0.02, 0.2]),
)


@st.composite
def experiments(draw, least=6, most=9):
    """An experiment whose arms have the same load."""
    a = draw(SERVERS)
    b = replace(draw(SERVERS), rate=a.rate)
    return experiment(draw(st.integers(0, 999)), draw(st.integers(least, most)), a, b, 15)


def swap(windows):
    return [replace(w, arm="BA"["AB".index(w.arm)]) for w in windows]


@QUICK
@given(experiments())
def test_swapping_the_arms_inverts_every_ratio_and_changes_no_p(windows):
    there, back = judge(windows), judge(swap(windows))
    assert there.comparable == back.comparable
    for name in METRICS:
        a, b = there.metrics[name], back.metrics[name]
        assert a.p == b.p
        assert a.p_adjusted == b.p_adjusted
        if "suggests" not in a.verdict:
            assert OPPOSITE.get(a.verdict, a.verdict) == b.verdict
        for one, other in ((a.ratio, b.ratio), (a.low, b.high), (a.pooled, b.pooled)):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                assert one == pytest.approx(1 / other)


@QUICK
@given(experiments(), st.sampled_from([0.25, 1.7, 8.0]))
def test_another_unit_of_time_changes_no_p(windows, scale):
    """Etimes, edges and limit times one factor; what is slow keeps its floor of 10 ms."""
    plain = judge(windows)
    assume(plain.comparable)
    scaled = judge(windows, edges=EDGES * scale, slo_ns=round(1e8 * scale))
    for name in ("p50", "p95", "p99", "p99.9", "slo"):
        a, b = plain.metrics[name], scaled.metrics[name]
        assert a.p == b.p
        if a.ratio is not None:
            assert b.ratio == pytest.approx(a.ratio)


@QUICK
@given(experiments(), st.randoms(use_true_random=False))
def test_neither_the_order_of_windows_nor_of_types_matters(windows, random):
    shuffled = [replace(w, H=w.H[::-1].copy()) for w in windows]
    random.shuffle(shuffled)
    expected = json.dumps(judge(windows, seed=4).to_json())
    assert json.dumps(judge(shuffled, types=TYPES[::-1], seed=4).to_json()) == expected


@QUICK
@given(experiments(least=13, most=14), st.integers(0, 5))
def test_random_flips_depend_on_the_seed_alone(windows, seed):
    a, b = judge(windows, seed=seed), judge(windows[::-1], seed=seed)
    assert a == b


@QUICK
@given(experiments())
def test_interval_and_test_agree_for_every_metric(windows):
    for metric in judge(windows).metrics.values():
        if metric.low is not None and abs(math.log(metric.ratio)) > 1e-9:
            assert (metric.p <= 0.05) == (not metric.low <= 1 <= metric.high)
            assert metric.low <= metric.ratio <= metric.high


@QUICK
@given(experiments())
def test_inconclusive_says_what_it_would_take(windows):
    verdict = judge(windows)
    open_ = [m for m in verdict.metrics.values() if m.verdict == "inconclusive"]
    assert all("pairs" in str(m.takes) and m.n_pairs for m in open_)


def empty_window(windows):
    return [replace(w, H=w.H * (i != 1)) for i, w in enumerate(windows)]


DAMAGES = {
    "no window": lambda windows: [],
    "one arm": lambda windows: [w for w in windows if w.arm == "A"],
    "all empty": lambda windows: [replace(w, H=w.H * 0) for w in windows],
    "an empty window": empty_window,
    "one operation": lambda windows: [
        replace(w, H=np.eye(1, w.H.size, 5000, dtype=int).reshape(w.H.shape)) for w in windows
    ],
    "one type": lambda windows: [
        replace(w, H=np.where(np.arange(len(w.H))[:, None, None] == 0, w.H, 0)) for w in windows
    ],
    "no stalls": lambda windows: [
        replace(w, H=np.where(np.arange(w.H.shape[2]) < 300, w.H, 0)) for w in windows
    ],
    "three pairs": lambda windows: [w for w in windows if w.pair < 3],
    "first bucket": lambda windows: [
        replace(w, H=np.concatenate([w.H.sum(2, keepdims=True), w.H[:, :, 1:] * 0], 2))
        for w in windows
    ],
    "last bucket": lambda windows: [
        replace(w, H=np.concatenate([w.H[:, :, 1:] * 0, w.H.sum(2, keepdims=True)], 2))
        for w in windows
    ],
    "one second": lambda windows: [replace(w, H=w.H[:, :1]) for w in windows],
    "all flawed": lambda windows: [replace(w, flaws=("a gap",)) for w in windows],
    "no pairs": lambda windows: [replace(w, pair=-1) for w in windows],
    "only nothing and stalls": lambda windows: [
        replace(w, H=np.where(np.arange(w.H.shape[2]) > 470, w.H, 0)) for w in windows
    ],
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("design", [None, "ab", "pairs:8"])
def test_windows_that_allow_little_are_refused_with_words(name, design):
    windows = DAMAGES[name](experiment(3, 8, Server(rate=300, stall_every_s=5, stall_s=0.3)))
    with np.errstate(all="raise"):
        verdict = judge(windows, design=design)
    json.dumps(verdict.to_json(), allow_nan=False)
    words = {m.verdict for m in (verdict.primary, *verdict.metrics.values())}
    assert not words & set(DECIDED)
    assert verdict.sentence
    assert 0 < verdict.primary.p <= 1


@pytest.mark.parametrize("name", ["an empty window", "three pairs", "all empty", "one operation"])
def test_no_damage_turns_an_effect_into_a_verdict(name):
    b = Server(rate=300, factor=0.2)
    verdict = judge(DAMAGES[name](experiment(3, 8, Server(rate=300), b)), primary="p50")
    assert verdict.primary.verdict == "not enough data"
