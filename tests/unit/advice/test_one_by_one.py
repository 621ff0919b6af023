"""An entry that is changed again and again, where one change would do."""

import pytest

from ldap_workbench.advice.families import one_by_one
from ldap_workbench.advice.families.find import findings_in
from tests.unit.advice.material import Log, only, view

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
    return one_by_one.find(view(log))


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
