"""An improvement that may be no more than what each switch leaves behind is not one to build on."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.significance.settling import may_be_carried_over
from ldap_workbench.inference.verdict.analyse import analyse
from tests.unit.inference.counted import EDGES, TYPES, Server, window
from tests.window_counts import windows_from_counts

PAIRS, RUNS = 24, 60
FADES = (-0.077, -0.047)
"""Halves of a window with 6 % on average that fades with the length of the window."""


def share(typical, primary, *, tail=0.15, pairs=PAIRS):
    """How often an improvement may be carried over, of typical etimes by halves and the primary."""
    random = np.random.default_rng(4)
    halves = typical + 0.05 * random.standard_normal((RUNS, pairs, 2))
    metric = primary + tail * random.standard_normal((RUNS, pairs))
    runs = zip(halves, metric, strict=True)
    return np.mean([may_be_carried_over(h, m, 0, 0.01) for h, m in runs])


def test_what_fades_as_slowly_as_a_window_may_be_carried_over():
    assert share(FADES, np.mean(FADES)) > 0.8


@pytest.mark.parametrize(
    ("typical", "primary"),
    [
        ((-0.105, -0.105), -0.105),  # all of it from the start
        ((-0.09, -0.12), -0.105),  # it grows: a cache that fills
        ((0.0, 0.0), -0.22),  # the tail alone
        ((-0.02, -0.02), -0.22),  # the tail, and a little of everything
        ((0.03, 0.03), -0.22),  # typical etimes are worse
    ],
)
def test_what_is_there_in_both_halves_or_in_the_tail_alone_is_not(typical, primary):
    assert share(typical, primary) < 0.2


def test_pairs_without_the_primary_metric_do_not_count():
    halves = np.tile((-0.077, -0.045), (PAIRS, 1))
    assert may_be_carried_over(halves, np.full(PAIRS, np.nan), 0, 0.01)
    some = np.where(np.arange(PAIRS) < 12, -0.9, np.nan)
    assert not may_be_carried_over(halves, some, 0, 0.01)


def halved(random, arm, pair, factors):
    """A window whose halves have servers of their own."""
    one, other = (window(random, arm, pair, Server(each, noise=0.04), 15) for each in factors)
    return replace(one, H=np.concatenate([one.H, other.H], axis=1))


def judged(b, seed, **how):
    random = np.random.default_rng(seed)
    arms = (("A", (1.0, 1.0)), ("B", b))
    counts = [halved(random, arm, pair, of) for pair in range(12) for arm, of in arms]
    windows = windows_from_counts(counts, EDGES, TYPES)
    return analyse(windows, primary="p50", seed=3, design="pairs:12", **how)


FADING, HONEST = (0.86, 0.92), (0.85, 0.85)


def test_a_verdict_that_must_last_asks_to_wait_a_window_longer():
    found = [judged(FADING, seed) for seed in range(4)]
    lasting = [judged(FADING, seed, must_last=True, waited_s=5.0) for seed in range(4)]
    assert "better" in [verdict.primary.verdict for verdict in found]
    assert {verdict.primary.verdict for verdict in lasting} == {"not settled"}
    changed = next(
        after
        for before, after in zip(found, lasting, strict=True)
        if before.primary.verdict == "better"
    )
    assert "fades as slowly as a window lasts" in str(changed.sentence)
    assert changed.metrics["p50"].verdict == "not settled"
    assert changed.details.settling.wait_s == 40.0
    assert not changed.earns_keep


def test_an_improvement_that_is_there_throughout_stays_better():
    for seed in range(4):
        assert judged(HONEST, seed, must_last=True).primary.verdict == "better"
