"""Verdicts on operations with a known truth: clients that wait, and clients that give up."""

from dataclasses import replace

import pytest

from ldap_workbench.statistics import analyse
from tests.bench.acceptance.operations import Server, Stream, Truth, experiment

CROWD = Stream(rate=400.0)
IMPATIENT = Stream(rate=8.0, etime_s=0.8, sigma=0.4, patience_s=2.0)
"""Searches over the target, 2 % of all; few are given up unless they become slower."""


def verdict_of(truth, seed):
    return analyse(experiment(truth, seed), primary=truth.primary, seed=seed)


def words(truth, seeds, metric=None):
    verdicts = [verdict_of(truth, seed) for seed in seeds]
    return [v.metrics[metric].verdict if metric else v.primary.verdict for v in verdicts]


GIVING_UP = Truth(
    "slow searches ×3 slower, clients give up",
    Server((CROWD, IMPATIENT)),
    Server((CROWD, IMPATIENT.slower(3.0))),
    primary="p99",
)


@pytest.mark.parametrize("seed", range(3))
def test_clients_that_give_up_do_not_make_a_server_faster(seed):
    verdict = verdict_of(GIVING_UP, seed)
    assert not [name for name, m in verdict.metrics.items() if m.verdict == "better"]
    assert "never answered in arm A" in str(verdict.why)


ONE_CLIENT = Stream(clients=1, etime_s=0.15, sigma=0.2)
"""Waits for each answer: 1.6 % of all operations, all of them over the target."""
SLOWER = Truth(
    "one client that waits, its searches ×3 slower",
    Server((CROWD, ONE_CLIENT)),
    Server((CROWD, ONE_CLIENT.slower(3.0))),
)
FASTER = replace(
    SLOWER,
    name="one client that waits, its searches ×2 faster",
    a=Server((CROWD, ONE_CLIENT.slower(3.0))),
    b=Server((CROWD, ONE_CLIENT.slower(1.5))),
    primary="p99",
)


@pytest.mark.parametrize("metric", ["slo", "p99"])
def test_a_client_that_waits_longer_and_asks_less_is_no_gain(metric):
    assert "better" not in words(SLOWER, range(3), metric)


def test_a_client_that_waits_less_and_asks_more_is_no_loss():
    assert "worse" not in words(FASTER, range(3))


def test_an_honest_gain_of_the_same_client_beside_a_crowd_is_a_gain():
    """Half of the slow searches become quick: fewer are slow, and less time is waited in them."""
    open_loop = Stream(rate=8.0, etime_s=0.15, sigma=0.2)
    truth = replace(
        SLOWER,
        name="open clients, half of the slow searches become quick",
        a=Server((CROWD, open_loop)),
        b=Server((CROWD, replace(open_loop, rate=4.0), Stream(rate=4.0))),
    )
    assert words(truth, range(3)) == ["better"] * 3


FILLS = Truth(
    "B empties a cache and ends at ×0.8 after two windows",
    Server((CROWD,)),
    Server((CROWD,), factor=0.8, settles_s=60.0, shock=2.0),
    primary="p50",
)
BUILDS_UP = Truth(
    "×0.8 that builds up and fades over three windows",
    Server((CROWD,), settles_s=180.0),
    Server((CROWD,), factor=0.8, settles_s=180.0),
    primary="p50",
)


@pytest.mark.parametrize("truth", [FILLS, BUILDS_UP], ids=lambda truth: truth.name)
def test_an_effect_that_is_still_on_its_way_is_not_settled(truth):
    assert words(truth, range(4)) == ["not settled"] * 4


def test_what_it_takes_is_to_wait_and_how_the_effect_moved():
    verdict = verdict_of(FILLS, 0)
    assert verdict.details.settling.first > verdict.details.settling.second
    assert "a longer wait after each change" in str(verdict.sentence)


def test_an_effect_that_is_there_at_once_is_settled():
    at_once = replace(FILLS, b=Server((CROWD,), factor=0.8))
    nothing = replace(FILLS, b=FILLS.a)
    assert words(at_once, range(6)) == ["better"] * 6
    assert "not settled" not in words(nothing, range(6))
