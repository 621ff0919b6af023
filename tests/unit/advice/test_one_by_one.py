"""An entry that is changed again and again, where one change would do."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import paces
from ldap_workbench.advice.families.find import findings_in
from tests.unit.advice.material import FACTS, Log, only, view

LIST = "cn=newsletter,ou=lists,o=school"


def filled(runs=2, members=60, took=0.09, pause=0.004, looked=True, entry=LIST, **columns):
    """A list gets its members by a change each, and each member is looked up before."""
    log, where = Log(), {"client": "10.9.0.3", "bind_dn": "cn=sync", "conn": 7} | columns
    for run in range(runs):
        at = 20 + 120.0 * run
        for n in range(members):
            if looked:
                log.add("SRCH", at, 0.001, filter="(mail=?)", base="o=school", nentries=1, **where)
                at += 0.0012
            log.add("MOD", at, took, base=entry.format(n=n), **where)
            at += took + pause
    return log


def made(log):
    return paces.find_one_by_one(view(log))


@pytest.mark.parametrize("looked", [True, False])
def test_members_that_come_by_a_change_each(looked):
    finding = only(made(filled(looked=looked)), "changes_one_by_one")
    assert finding.numbers["changes"] == 120
    assert finding.user_ns == 120 * 90_000_000
    sentence = str(finding.sentence)
    assert f"10.9.0.3 as cn=sync sent 60 changes of {LIST} one after another" in sentence
    assert "2 times in the window: 5.71 s each time;" in str(made(filled())[0].sentence)
    assert "a change takes 90.0 ms in the median" in str(finding.sentence)
    assert "in one change" in str(finding.owner_steps[0])


def test_it_explains_what_no_other_finding_does():
    everything = [finding.id for finding in findings_in(view(filled()))]
    assert everything[0] == "changes_one_by_one"
    assert "unexplained" not in everything


@pytest.mark.parametrize(
    "almost",
    [
        {"members": 19, "runs": 4},
        {"took": 0.02},  # 2.4 s in all
        {"pause": 0.1},  # at the client's own pace
        {"pause": -0.05, "looked": False},  # several at a time
        {"entry": "uid=u{n},o=school"},  # each has its own entry
        {"err": 20},  # nothing was changed
    ],
    ids=str,
)
def test_what_is_no_such_run(almost):
    assert made(filled(**almost)) == []


def group(changes=40, took=0.03, others=0.004, product="openldap"):
    """People join a large group from two connections, beside changes of other entries."""
    log = Log().background(60)
    for n in range(changes):
        log.add(
            "MOD", 1.4 * n, took, base="cn=everybody,o=school", conn=n % 2 + 5, client="10.9.0.3"
        )
        log.add("MOD", 1.4 * n + 0.7, others, base=f"uid=u{n},o=school", conn=9, client="10.9.0.4")
    return paces.find_one_by_one(view(log, seconds=60, **of(product)))


def of(product):
    return {"facts": replace(FACTS, product="OpenLDAP" if product == "openldap" else FACTS.product)}


def test_one_entry_whose_changes_take_most_of_the_time():
    found = only(group(), "hot_entry")
    assert found.numbers["changes"] == 40
    assert found.worker_ns == 40 * 30_000_000
    said = str(found.sentence)
    assert "40 changes of cn=everybody,o=school took" in said
    assert "Other changes take 4.00 ms." in said


@pytest.mark.parametrize(
    "almost",
    [{"changes": 19}, {"took": 0.004}, {"others": 0.02}, {"product": "389ds"}],
    ids=str,
)
def test_an_entry_that_is_no_slower_than_others(almost):
    assert group(**almost) == []
