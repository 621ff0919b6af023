"""Replication by counters: consumers of slapd, and replicas of OpenDJ that lack changes."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.families.replication import consumers_out_of_step, replicas_behind
from tests.unit.advice.material import FACTS, at, only, view

NOW = 1_796_032_800.0
OPENLDAP = replace(FACTS, product="OpenLDAP")
DELAYS = (
    "cn=connected directory server ds(7) b:4444,cn=replication server rs(1) a:8989,"
    "cn=dc=example\\,dc=com,cn=replication,cn=monitor"
)


def consumer(connected=1.0, persist=1.0, contact=NOW, attempt=NOW - 60, cookie=NOW, own=NOW):
    name = "replication:consumer[001]"
    return {
        f"{name}:connected": at([connected] * 10),
        f"{name}:persist": at([persist] * 10),
        f"{name}:contact_s": at([contact] * 10),
        f"{name}:attempt_s": at([attempt] * 10),
        f"{name}:cookie_s": at([cookie] * 10),
        "replication:csn[dc=example,dc=com 0]": at([own] * 10),
    }


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({}, ""),
        # Idle for long, and connected.
        ({"contact": NOW - 9000, "attempt": NOW - 9999}, ""),
        # Asks every minute (refreshOnly).
        ({"connected": 0.0, "contact": NOW, "attempt": NOW - 1}, ""),
        ({"connected": 0.0, "contact": NOW - 60, "attempt": NOW}, "has not heard"),
        ({"connected": 0.0, "contact": 0.0, "attempt": NOW}, "has never heard"),
        ({"persist": 0.0}, "anew for 100 %"),
        ({"own": NOW - 9}, ""),
        ({"own": NOW - 11}, "changes of 11.0 s to catch up"),
    ],
)
def test_a_consumer_is_in_step_or_says_what_is_wrong(state, says):
    samples = consumer(**state)
    found = list(consumers_out_of_step(view(seconds=10, samples=samples, facts=OPENLDAP)))
    assert bool(found) is bool(says)
    if says:
        assert says in str(only(found, "consumer_out_of_step").sentence)


def test_a_consumer_out_of_step_is_a_finding_of_its_window():
    samples = consumer(connected=0.0, contact=NOW - 60, attempt=NOW)
    found = findings_in(view(seconds=10, samples=samples, facts=OPENLDAP))
    assert "consumer_out_of_step" in {seen.id for seen in found}


@pytest.mark.parametrize(("late", "behind"), [(6.0, True), (4.0, False)])
def test_a_replica_of_opendj_that_lacks_changes(late, behind):
    samples = {
        f"{DELAYS}:missing-changes": at([300.0] * 4),
        f"{DELAYS}:approximate-delay": at([late] * 4),
    }
    opendj = replace(FACTS, product="OpenDJ")
    found = list(replicas_behind(view(seconds=20, samples=samples, facts=opendj)))
    assert [seen.id for seen in found] == ["replica_behind"] * behind
    if behind:
        assert "ds(7) b:4444 lacked up to 300 changes" in str(found[0].sentence)
