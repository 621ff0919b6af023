"""What a balancer does to a canary, and how often one that does nothing is taken for harmful."""

from dataclasses import replace

import pytest

from ldap_workbench.inference.significance.crossover import false_stop_rate
from ldap_workbench.inference.verdict.crossover import Terms, analyse_crossover
from tests.unit.inference.test_crossover import measured

BLOCKS = 30
"""So many that p50 is known to within its margin."""


def balanced(share):
    """A canary that answers as fast as its controls, which the balancer sends `share` as much."""
    blocks, orders = measured(blocks=BLOCKS)
    for rows, order in zip(blocks, orders, strict=True):
        for row, treated in zip(rows, order, strict=True):
            for other in range(len(row)):
                if other != treated:
                    count = (row[other].count * 100 * share).round()
                    row[other] = replace(row[other], count=count)
            row[treated] = replace(row[treated], count=row[treated].count * 100)
    return blocks, orders


@pytest.mark.parametrize("loop", ["auto", "closed"])
def test_where_a_balancer_evens_out_the_load_no_difference_is_none(loop):
    alike = analyse_crossover(*balanced(1.0), Terms("p50", loop=loop))
    assert alike.primary.verdict == "no material change"
    evened = analyse_crossover(*balanced(0.9), Terms("p50", loop=loop))
    assert evened.primary.verdict == "inconclusive"
    assert "it had ×1.11 of their load, which may even out the difference" in str(evened.sentence)
    spared = analyse_crossover(*balanced(1.1), Terms("p50", loop=loop))
    assert spared.primary.verdict == "inconclusive"


def test_an_effect_that_shows_in_spite_of_the_load_is_one():
    blocks, orders = measured(blocks=BLOCKS, canary=1.5)
    for rows, order in zip(blocks, orders, strict=True):
        for row, treated in zip(rows, order, strict=True):
            row[1 - treated] = replace(row[1 - treated], count=row[1 - treated].count * 0.9)
    assert analyse_crossover(blocks, orders, Terms("p50")).primary.verdict == "worse"


def test_every_look_takes_its_chance_to_stop_a_canary_that_does_nothing():
    once = false_stop_rate(2, 7, 0.05, 0.05)
    assert once == pytest.approx(0.05, abs=0.025)
    assert once < false_stop_rate(2, 12, 0.05, 0.05) < 0.2
    assert false_stop_rate(2, 12, 0.01, 0.05) < false_stop_rate(2, 12, 0.05, 0.05)
    assert 0.08 < false_stop_rate(3, 6, 0.05, 0.05) < 0.2


def test_without_a_look_nothing_is_stopped():
    assert false_stop_rate(2, 6, 0.05, 0.05) == 0.0
