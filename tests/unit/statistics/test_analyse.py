"""Verdicts on windows with a known truth, and on windows that allow none."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from ldap_workbench.statistics import analyse, windows_from_counts

EDGES = 0.1 * 1.02 ** np.arange(-465, 500)
TYPES = ("SRCH", "BIND")


@dataclass
class Counted:
    arm: str
    pair: int
    dt: float
    H: np.ndarray


def window(random, arm, pair, factor=1.0, n=30_000, seconds=30, share=0.8):
    """Lognormal etimes around 1 ms times `factor`, with a window effect of 3 %."""
    counts = np.zeros((2, seconds, len(EDGES) - 1), int)
    shift = np.log(1e-3 * factor) + 0.03 * random.standard_normal()
    for kind, part in enumerate((share, 1 - share)):
        etimes = np.exp(random.normal(shift, 0.8, round(n * part)))
        bucket = np.clip(np.searchsorted(EDGES, etimes) - 1, 0, len(EDGES) - 2)
        np.add.at(counts[kind], (random.integers(0, seconds, len(etimes)), bucket), 1)
    return Counted(arm, pair, 1.0, counts)


def experiment(seed=1, pairs=8, factor=1.0, **b):
    random = np.random.default_rng(seed)
    windows = []
    for pair in range(pairs):
        windows += [window(random, "A", pair), window(random, "B", pair, factor, **b)]
    return windows


def judge(windows, **asked):
    return analyse(windows_from_counts(windows, EDGES, TYPES), **asked)


def test_a_real_gain_is_found_with_its_size():
    verdict = judge(experiment(factor=0.7), primary="p50")
    assert verdict.primary.verdict == "better"
    assert verdict.primary.low < 0.7 < verdict.primary.high
    assert verdict.primary.pooled == pytest.approx(0.7, rel=0.05)
    assert verdict.types["BIND"]["p50"].ratio == pytest.approx(0.7, rel=0.05)
    assert "8 randomised pairs" in verdict.sentence


def test_nothing_changed_is_no_material_change():
    verdict = judge(experiment(), primary="p50")
    assert verdict.primary.verdict == "no material change"
    assert not [m for m in verdict.metrics.values() if m.verdict in ("better", "worse")]


def test_swapping_the_arms_inverts_the_ratio():
    windows = experiment(factor=0.8)
    swapped = [replace(w, arm="BA"["AB".index(w.arm)]) for w in windows]
    there, back = judge(windows, primary="p50"), judge(swapped, primary="p50")
    assert back.primary.ratio == pytest.approx(1 / there.primary.ratio)
    assert back.primary.p == there.primary.p
    assert (there.primary.verdict, back.primary.verdict) == ("better", "worse")


def test_the_order_of_windows_does_not_matter():
    windows = experiment(factor=0.9)
    assert judge(windows).to_json() == judge(windows[::-1]).to_json()


def test_the_same_input_gives_the_same_json():
    a, b = (json.dumps(judge(experiment(), seed=3).to_json()) for _ in range(2))
    assert a == b


def test_another_mix_is_another_workload():
    verdict = judge(experiment(share=0.5))
    assert not verdict.comparable
    assert "mix" in verdict.why
    assert verdict.primary.verdict == "not comparable"


def test_another_load_is_another_workload_unless_it_is_the_outcome():
    windows = experiment(factor=0.5, n=60_000)
    assert judge(windows, primary="p50").primary.verdict == "not comparable"
    assert judge(windows, primary="p50", loop="closed").primary.verdict == "better"


def test_a_small_shift_of_the_mix_is_standardised_away():
    verdict = judge(experiment(share=0.72), primary="p50")
    assert verdict.primary.verdict == "no material change"


@pytest.mark.parametrize("design", ["ab", None])
def test_one_window_each_never_says_better(design):
    windows = experiment(pairs=1, factor=0.3)
    verdict = judge(windows, primary="p50", design=design)
    assert verdict.primary.verdict == "suggests better"
    assert "cannot separate" in verdict.sentence


@pytest.mark.parametrize("pairs", [2, 3, 4, 5])
def test_few_pairs_never_say_better(pairs):
    verdict = judge(experiment(pairs=pairs, factor=0.3), primary="p50")
    assert verdict.primary.verdict in ("insufficient", "suggests better")


def test_one_type_can_be_the_primary():
    verdict = judge(experiment(factor=0.6), primary="BIND:p50")
    assert (verdict.primary.type, verdict.primary.metric) == ("BIND", "p50")
    assert verdict.primary.verdict == "better"
    assert judge(experiment(), primary="MOD:p50").primary.verdict == "insufficient"


def test_a_window_in_which_nothing_was_answered_allows_no_verdict():
    windows = experiment(pairs=8, factor=0.5)
    windows[3].H[:] = 0
    verdict = judge(windows, primary="p50")
    assert verdict.primary.verdict == "insufficient"
    assert "Window B of pair 2 holds no operations" in verdict.why


def test_a_flawed_window_takes_its_pair_with_it_and_it_is_said():
    windows = experiment(pairs=7)
    windows[3].flaws = ("the log has a gap of 12 s",)
    verdict = judge(windows, primary="p50")
    assert verdict.primary.n_pairs == 6
    assert verdict.dropped == ("Pair 2 was left out: in window B: the log has a gap of 12 s.",)


@pytest.mark.parametrize("n", [0, 1, 30])
def test_too_few_operations_are_insufficient_and_finite(n):
    verdict = judge(experiment(n=n))
    text = json.dumps(verdict.to_json(), allow_nan=False)
    assert '"better"' not in text
    assert '"worse"' not in text


def test_all_in_one_bucket_is_no_exception():
    windows = experiment()
    for one in windows:
        total = one.H.sum((2,))
        one.H[:] = 0
        one.H[:, :, 400] = total
    verdict = judge(windows, primary="p50")
    assert verdict.primary.ratio == pytest.approx(1.0)
    assert verdict.primary.verdict == "no material change"
