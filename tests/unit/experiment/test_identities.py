"""The same search as two identities, in turn: a difference that is there, and one that is not."""

import numpy as np
import pytest

from ldap_workbench.experiment.identities import (
    FEWEST_PAIRS,
    IdentityComparison,
    SearchQuestion,
    compare_identities,
)
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.progress import Cancel

QUESTION = SearchQuestion("dc=a", "(uid=x)")


class Clock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class Server:
    """Takes so long for each search, give or take, and shows so many entries."""

    url = "ldap://test"

    def __init__(self, clock, usual_ns, entries, seed):
        self.clock, self.usual_ns, self.entries = clock, usual_ns, entries
        self.random = np.random.default_rng(seed)
        self.asked = []

    def search(self, base, *, scope="base", filter="", attributes=("*",)):  # noqa: A002
        self.asked.append((base, scope, filter))
        self.clock.now += round(self.usual_ns * np.exp(0.2 * self.random.standard_normal()))
        return [object()] * self.entries


def compared(times, pairs=20, entries=5):
    clock = Clock()
    first = Server(clock, 1_000_000, 5, seed=1)
    second = Server(clock, times * 1_000_000, entries, seed=2)
    found = compare_identities(first, second, QUESTION, pairs, now_ns=clock)
    assert first.asked == second.asked == [("dc=a", "sub", "(uid=x)")] * (pairs + 1)
    return found


def test_a_search_that_takes_one_of_them_three_times_as_long():
    found = compared(3.0, entries=4)
    assert found.established
    assert found.low < 3.0 < found.high
    assert found.times == pytest.approx(3.0, rel=0.15)
    assert (found.first_entries, found.second_entries) == (5, 4)
    assert "times as long" in str(found.sentence)


def test_a_search_that_takes_both_as_long():
    found = compared(1.0)
    assert not found.established
    assert found.low < 1.0 < found.high
    assert str(found.sentence).startswith("No difference is established")


def test_false_alarms_are_as_rare_as_the_interval_says():
    clock = Clock()
    told = 0
    for seed in range(60):
        one, other = Server(clock, 1e6, 1, seed), Server(clock, 1e6, 1, seed + 1000)
        told += compare_identities(one, other, QUESTION, 10, now_ns=clock).established
    assert told <= 7  # 3 are expected; more than 7 come once in 70 runs


def test_it_ends_when_it_is_cancelled():
    cancel = Cancel()
    cancel.set()
    clock = Clock()
    servers = (Server(clock, 1e6, 1, 1), Server(clock, 1e6, 1, 2))
    with pytest.raises(CancelledError):
        compare_identities(*servers, QUESTION, 10, now_ns=clock, cancel=cancel)


def comparison(low, high):
    return IdentityComparison(20, 1_000, 3_000, 5, 4, 2.5, low, high, 0.01)


@pytest.mark.parametrize(
    ("low", "high", "established"),
    [
        (1.1, 3.0, True),
        (0.2, 0.9, True),
        (0.9, 1.1, False),
        (1.0, 2.0, False),
        (0.5, 1.0, False),
        (None, None, False),
        (2.0, None, False),
        (None, 0.5, False),
    ],
)
def test_a_difference_is_established_where_the_interval_leaves_out_1(low, high, established):
    found = comparison(low, high)
    assert found.established is established
    said = "The second identity waits 2.50 times" if established else "No difference is established"
    assert str(found.sentence).startswith(said)
    assert f"({low or 0:.2f} to {high or 0:.2f}, 95 %) over 20 pairs" in str(found.sentence)


class Steady(Server):
    """Takes exactly so long; `log` is which server was asked, in order."""

    def __init__(self, clock, usual_ns, log):
        super().__init__(clock, usual_ns, 1, seed=1)
        self.log = log

    def search(self, base, *, scope="base", filter="", attributes=("*",)):  # noqa: A002
        self.log.append(self.usual_ns)
        self.clock.now += self.usual_ns
        return [object()]


def test_both_are_asked_once_before_and_then_in_pairs_of_either_order():
    clock, log, shares = Clock(), [], []
    found = compare_identities(
        Steady(clock, 1_000, log),
        Steady(clock, 4_000, log),
        QUESTION,
        10,
        now_ns=clock,
        progress=lambda step: shares.append(step.fraction),
    )
    assert log[:2] == [1_000, 4_000]
    pairs = [tuple(log[at : at + 2]) for at in range(2, 22, 2)]
    assert set(pairs) == {(1_000, 4_000), (4_000, 1_000)}
    assert shares == [number / 10 for number in range(10)]
    assert (found.pairs, found.first_ns, found.second_ns) == (10, 1_000, 4_000)
    assert found.times == pytest.approx(4.0)
    assert (found.low, found.high) == (pytest.approx(4.0), pytest.approx(4.0))
    assert found.p < 0.05


def test_who_is_asked_first_is_a_fair_coin():
    clock, log = Clock(), []
    both = Steady(clock, 1_000, log), Steady(clock, 4_000, log)
    compare_identities(*both, QUESTION, 200, now_ns=clock)
    assert 80 <= log[2::2].count(1_000) <= 120


def test_searches_that_take_no_time_at_all_are_alike():
    clock = Clock()
    found = compare_identities(
        Steady(clock, 0, []), Steady(clock, 0, []), QUESTION, 8, now_ns=clock
    )
    assert found.times == 1.0
    assert not found.established


def test_the_fewest_pairs_are_the_fewest_that_can_show_a_difference():
    def established(pairs):
        clock = Clock()
        servers = Steady(clock, 1_000, []), Steady(clock, 2_000, [])
        return compare_identities(*servers, QUESTION, pairs, now_ns=clock).established

    assert established(FEWEST_PAIRS)
    assert not established(FEWEST_PAIRS - 1)
