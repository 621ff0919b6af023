"""Replication lag: since when a change that anyone has is missing here."""

import numpy as np
import pytest

from ldap_workbench.experiment.lag import lags

S = 1_000_000_000
CSN = "replication:csn[dc=example 1]"


def series(*pairs):
    times, values = zip(*pairs, strict=True)
    return {CSN: (np.array(times) * S, np.array(values, float))}


def test_a_change_that_arrives_late_is_late_since_it_was_first_seen():
    supplier = series((0, 100), (1, 105), (2, 105), (3, 105), (4, 105))
    consumer = series((0, 100), (1, 100), (2, 100), (3, 105), (4, 105))
    ahead, behind = lags([supplier, consumer])
    assert ahead.largest_s == 0
    assert behind.lag_s.tolist() == [0, 0, 1, 0, 0]
    assert behind.distance_s.tolist() == [0, 5, 5, 0, 0]


def test_while_it_catches_up_the_oldest_missing_change_counts():
    supplier = series((0, 100), (1, 101), (2, 102), (3, 103), (4, 103))
    consumer = series((0, 100), (1, 100), (2, 100), (3, 101), (4, 103))
    _, behind = lags([supplier, consumer])
    assert behind.lag_s.tolist() == [0, 0, 1, 1, 0]


def test_an_idle_directory_is_not_late():
    """The last change was an hour ago, and one replica's clock is a day ahead."""
    _, other = lags([series((0, 100), (3600, 100)), series((0, 100), (3600, 100))])
    assert other.largest_s == 0


def test_a_supplier_that_only_one_replica_shows_makes_none_late():
    """One that was retired, or that replicates to this one only."""
    alone = {"replication:csn[dc=example 2]": (np.array([0, 5]) * S, np.array([7.0, 9.0]))}
    both = [series((0, 100), (5, 100)), {**series((0, 100), (5, 100)), **alone}]
    for lag in lags(both):
        assert lag.lag_s.tolist() == lag.distance_s.tolist() == [0, 0]


def test_without_a_supplier_that_all_show_the_lag_is_not_known():
    """Zero would say that none is late."""
    other = {"replication:csn[dc=example 2]": (np.array([0, 5]) * S, np.array([7.0, 9.0]))}
    assert [len(lag.times_ns) for lag in lags([series((0, 100), (5, 100)), other])] == [0, 0]


def test_a_replica_of_which_nothing_could_be_read_has_no_say():
    supplier, late = series((0, 100), (2, 105)), series((0, 100), (5, 100))
    assert [lag.largest_s for lag in lags([supplier, {}, late])] == [0, 0, 3]


def test_without_replication_there_is_nothing_to_say():
    assert [each.largest_s for each in lags([{}, {}])] == [0, 0]


def test_of_several_suppliers_the_worst_counts():
    one = {"replication:csn[dc=example 2]": (np.array([0, 2]) * S, np.array([50.0, 60.0]))}
    two = {"replication:csn[dc=example 2]": (np.array([0, 2, 9]) * S, np.array([50.0, 50.0, 50.0]))}
    both = [{**series((0, 100), (9, 100)), **one}, {**series((0, 100), (9, 100)), **two}]
    assert lags(both)[1].largest_s == pytest.approx(7)
