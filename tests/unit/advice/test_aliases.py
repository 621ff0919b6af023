"""Searches that follow aliases, each beside the nearest that does no harm."""

import pytest

from ldap_workbench.advice.families.search_kinds import alias_dereferencing
from tests.unit.advice.material import Log, only, view


def searches(*asked):
    """20 searches for each (deref, etime) over a quick background."""
    log = Log().background(60)
    for n in range(20):
        for deref, etime in asked:
            log.add("SRCH", 3 * n, etime, filter="(mail=?)", base="dc=example", deref=deref)
    return view(log)


@pytest.mark.parametrize("deref", [1, 3])
def test_aliases_that_cost_beside_the_same_search_without(deref):
    found = only(alias_dereferencing(searches((deref, 0.03), (0, 0.001))), "alias_dereferencing")
    assert found.confidence == "high"
    assert "takes 30.0 ms with aliases and 1.00 ms without" in str(found.sentence)
    assert found.worker_ns == found.user_ns == 20 * 30_000_000


def test_slow_searches_with_aliases_alone_are_a_guess():
    assert only(alias_dereferencing(searches((3, 0.05))), "alias_dereferencing").confidence == "low"


def test_what_no_index_serves_is_slow_without_aliases_too():
    """Many libraries follow aliases by default: the index is what is missing."""
    log = Log().background(60)
    for n in range(20):
        log.add("SRCH", 3 * n, 0.05, filter="(mail=?)", base="dc=example", deref=3, notes="A")
    assert alias_dereferencing(view(log)) == []


@pytest.mark.parametrize(
    "asked",
    [
        [(3, 0.005)],  # the default of Java, where there are no aliases
        [(3, 0.01), (0, 0.008)],
        [(2, 0.05)],  # the base alone
        [(-1, 0.05)],  # a log that does not say
    ],
)
def test_aliases_that_cost_nothing(asked):
    assert alias_dereferencing(searches(*asked)) == []
