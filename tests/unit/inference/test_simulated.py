"""A few rows of the acceptance table with fixed seeds; tests/bench/acceptance runs them all."""

from dataclasses import replace

import pytest

from tests.bench.acceptance.once import giant_in_one_arm
from tests.bench.acceptance.rows import CKPT_8, LATENCY, LOADS, ONE_SHOT
from tests.bench.acceptance.simulated import Case, outcome, simulator

SEED = 4_100


@pytest.fixture(autouse=True)
def windows_to_judge():
    try:
        simulator()
    except FileNotFoundError as error:
        pytest.skip(str(error))


def outcomes(case, n):
    return [outcome(case, SEED + i) for i in range(n)]


def test_nothing_changed_is_seldom_called_a_change():
    case = Case("realistic", "none", "pairs:8", 2, 0)
    found = outcomes(case, 20)
    assert sum(o["primary"] in ("better", "worse") for o in found) <= 3


def test_shorter_checkpoints_are_found_and_nothing_is_called_worse():
    for found in outcomes(CKPT_8, 3):
        assert found["metrics"]["stall_len"][0] == "better"
        assert not [name for name in LATENCY if found["metrics"][name][0] == "worse"]


def test_a_warmer_cache_is_found():
    case = Case("realistic", "cache", "pairs:8", 2, 0, primary="p50")
    assert [o["primary"] for o in outcomes(case, 3)] == ["better"] * 3


def test_a_quarter_more_load_is_mostly_not_comparable():
    case = replace(LOADS[1.25], window_min=2)
    words = [o["primary"] for o in outcomes(case, 6)]
    assert words.count("not comparable") >= 3
    assert not {"better", "worse"} & set(words)


def test_a_one_shot_suggests_at_most():
    for found in outcomes(replace(ONE_SHOT, window_min=10), 4):
        words = {found["primary"], *(m[0] for m in found["metrics"].values())}
        assert not {"better", "worse"} & words


def test_one_long_stall_in_one_arm_is_one_event():
    assert giant_in_one_arm(SEED).measured == "not enough data"
