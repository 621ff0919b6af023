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


def test_a_replica_that_has_never_heard_of_a_supplier_is_behind():
    _, deaf = lags([series((0, 100), (5, 100)), {"replication:csn[dc=example 2]": (
        np.array([0, 5]) * S, np.array([7.0, 7.0]))}])  # fmt: skip
    assert deaf.lag_s.tolist() == [0, 5]
    assert np.isfinite(deaf.distance_s).all()


def test_without_replication_there_is_nothing_to_say():
    assert [each.largest_s for each in lags([{}, {}])] == [0, 0]


def test_of_several_suppliers_the_worst_counts():
    one = {"replication:csn[dc=example 2]": (np.array([0, 2]) * S, np.array([50.0, 60.0]))}
    two = {"replication:csn[dc=example 2]": (np.array([0, 2, 9]) * S, np.array([50.0, 50.0, 50.0]))}
    both = [{**series((0, 100), (9, 100)), **one}, {**series((0, 100), (9, 100)), **two}]
    assert lags(both)[1].largest_s == pytest.approx(7)
