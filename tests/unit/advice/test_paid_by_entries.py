"""An index is advised by what a search costs for each entry, where nothing shows what there is."""

import pytest

from tests.unit.advice.configurations import slapd
from tests.unit.advice.material import Log
from tests.unit.advice.test_missing_indexes import advised, few, lacking, searches, seen

ASKED = "(|(objectclass=?)(department=?))"
INDEX = {"openldap": "olc-index", "opendj": "backend-index"}


@pytest.mark.parametrize("product", INDEX)
def test_thousands_of_entries_at_the_usual_price_need_no_index(product):
    found = seen("heavy_filter", few(ASKED, nentries=3000, etime=2.1), product)
    assert lacking(found) == {}
    assert "What is returned takes the time" in str(found.evidence[0].text)
    advice = advised(found, product)
    assert INDEX[product] not in advice
    assert "3,000 entries an answer, 700 µs each" in str(advice["ask-for-less"].why)


@pytest.mark.parametrize(("returned", "needed"), [(900, True), (3000, False)])
def test_an_index_that_is_known_to_lack_leads_to_entries_that_are_returned_all_the_same(
    returned, needed
):
    asked = "(&(objectclass=?)(department=?))"
    log = few(asked, nentries=returned, etime=0.0007 * returned)
    assert bool(lacking(seen("heavy_filter", log, "openldap", slapd()))) == needed


@pytest.mark.parametrize("product", INDEX)
@pytest.mark.parametrize("returned", [0, 1, 90, 1000])
def test_an_index_may_be_missing_where_the_time_is_out_of_proportion(product, returned):
    found = seen("heavy_filter", few(ASKED, nentries=returned, etime=2.1), product)
    assert lacking(found)
    assert INDEX[product] in advised(found, product)


def test_what_the_log_marks_lacks_an_index_whatever_it_returns():
    log = searches(ASKED, notes="U", nentries=3000, etime=2.1, count=60)
    assert lacking(seen("unindexed", log, "opendj"))


def test_without_other_searches_nothing_says_what_an_entry_costs():
    log = Log()
    for number in range(3000):
        log.add("SRCH", number / 5, 0.001, filter="(uid=?)", nentries=0)
    found = seen("heavy_filter", searches(ASKED, notes="", log=log, nentries=3000), "openldap")
    assert lacking(found)
