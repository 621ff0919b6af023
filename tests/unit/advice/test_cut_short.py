"""Searches that all end at a size limit."""

import pytest

from ldap_workbench.advice.families import errors
from tests.unit.advice.material import Log, only, view


def exports(entries, times=5, err=4, also=None, **changed):
    """Somebody reads a branch some times, and others search as ever."""
    log = Log().background(600)
    who = {"client": "192.0.2.7", "bind_dn": "cn=export", "base": "o=site"} | changed
    for n in range(times):
        log.add("SRCH", 100 * n, 0.5, filter="(objectclass=*)", nentries=entries, err=err, **who)
    if also:
        log.add("SRCH", 550, 0.1, filter="(objectclass=*)", **who, **also)
    return view(log)


def test_who_gets_a_part_each_time_is_named_with_the_limit():
    found = only(errors.find_cut_short(exports(1000)), "cut_short")
    assert found.numbers == {"searches": 5, "entries": 1000, "more": 0}
    assert "192.0.2.7, bound as cn=export, on o=site all end with err=4" in str(found.sentence)
    assert len(found.evidence[0].rows) == 5


@pytest.mark.parametrize(
    "seen",
    [
        exports(20),  # a list to choose from
        exports(1000, times=2),
        exports(1000, err=0),
        exports(1000, also={"nentries": 2500, "err": 0}),
        exports(1000, also={"nentries": 700, "err": 4}),
    ],
)
def test_lists_to_choose_from_and_searches_that_end_are_left_alone(seen):
    assert errors.find_cut_short(seen) == []
