"""The 5 % of a campaign, shared over its queue."""

import numpy as np
import pytest

from ldap_workbench.campaign.plan import least_pairs, level_of


def test_equal_shares_where_nothing_decides():
    spent = [True] * 4
    assert [level_of(i, [1] * 4, spent, 0.05) for i in range(4)] == pytest.approx([0.0125] * 4)


def test_what_decides_hands_its_share_on():
    assert level_of(1, [1, 1], [False], 0.05) == pytest.approx(0.05)
    assert level_of(2, [1, 1, 2], [False, True], 0.04) == pytest.approx(0.02)


def test_weights_are_parts_of_the_whole():
    assert level_of(0, [3, 1], [], 0.04) == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("level", "looks", "pairs"), [(0.05, 0, 6), (0.0125, 0, 8), (0.0125, 2, 9)]
)
def test_the_fewest_pairs_that_can_decide(level, looks, pairs):
    assert least_pairs(level, looks) == pairs


@pytest.mark.parametrize("true_effects", [(), (1,), (0, 2), (0, 1, 2)])
def test_over_the_whole_queue_it_errs_one_time_in_twenty(true_effects):
    """4,000 queues of five; treatments with an effect are always found, the rest never truly."""
    rng = np.random.default_rng(5)
    wrong = 0
    runs = 4_000
    for p_values in rng.random((runs, 5)):
        spent = []
        for index, p in enumerate(p_values):
            found = index in true_effects or p <= level_of(index, [1] * 5, spent, 0.05)
            wrong += found and index not in true_effects
            spent.append(not found)
            if found and index not in true_effects:
                break
    assert wrong / runs < 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
