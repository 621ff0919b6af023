"""The same search as two identities, in turn: a difference that is there, and one that is not."""

import numpy as np
import pytest

from ldap_workbench.experiment.identities import SearchQuestion, compare_identities
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
