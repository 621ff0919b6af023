"""Limits that the materials of operations and of samples do not show: has it, and almost."""

import pytest

from ldap_workbench.advice import search_shape
from tests.unit.advice.edges import Edge
from tests.unit.advice.material import Log, only, view


def tail_of(count, etime, *, others=2000, slow_others=0):
    """So many searches of one filter among others of a millisecond, some of which are slower."""
    log = Log()
    for i in range(others):
        log.add("SRCH", i * 0.3, 1.0 if i < slow_others else 0.001, filter="(uid=?)")
    for i in range(count):
        log.add("SRCH", i * 2.0, etime, filter="(cn=*?*)")
    return search_shape.find(view(log))


EDGES = [
    Edge("tail_filter", "few", lambda: tail_of(10, 0.03), lambda: tail_of(9, 0.03)),
    Edge("tail_filter", "least", lambda: tail_of(12, 0.021), lambda: tail_of(12, 0.019)),
    Edge(
        "tail_filter", "searches", lambda: tail_of(12, 0.03, others=990),
        lambda: tail_of(12, 0.03, others=980),
    ),
    Edge(
        "tail_filter", "share of searches", lambda: tail_of(110, 0.021, others=1000, slow_others=5),
        lambda: tail_of(120, 0.021, others=1000, slow_others=5),
    ),
    Edge(
        "tail_filter", "share of tail", lambda: tail_of(12, 0.03, slow_others=5),
        lambda: tail_of(12, 0.03, slow_others=6),
    ),
]  # fmt: skip


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_one_just_has_it_and_one_almost_has_it(edge: Edge) -> None:
    edge.check()


def test_a_filter_that_owns_the_tail_is_told_once():
    rare = only(tail_of(12, 0.06, slow_others=3), "tail_filter")
    assert rare.numbers["filter"] == "(cn=*?*)"
    assert rare.numbers["share_of_time"] < 0.3
    assert (rare.numbers["searches"], rare.numbers["share_of_tail"]) == (12, 0.7)
    assert "70 % of the slowest thousandth" in rare.sentence
    dear = tail_of(12, 1.0)
    assert [finding.id for finding in dear] == ["heavy_filter"]
