"""Replication by counters: consumers of slapd, and replicas of OpenDJ that lack changes."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.families.replication import consumers_out_of_step, replicas_behind
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.units import NS_PER_S
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


CSN = "replication:csn[dc=example,dc=com 0]"
OTHER = "replication:csn[dc=other 0]"
SYNCREPL = '{0}rid=001 provider=ldap://a searchbase="dc=example,dc=com"'
DATABASE = {"olcsuffix": ("dc=example,dc=com",), "olcsyncrepl": (SYNCREPL,)}
CONFIGURATION = Configuration((ConfigurationEntry("olcDatabase={1}mdb,cn=config", DATABASE),))


def behind(samples):
    seen = view(seconds=10, samples=samples, facts=OPENLDAP, configuration=CONFIGURATION)
    return [str(found.sentence) for found in consumers_out_of_step(seen)]


def test_a_cookie_that_is_newer_than_the_reading_before_it_is_no_delay():
    late = [NOW - 9000] * 9 + [NOW]
    # After a quiet night: the cookie is read when the change has come, its suffix just before.
    samples = consumer() | {"replication:consumer[001]:cookie_s": at(late)}
    assert behind(samples | {CSN: at([NOW - 9000] * 10)}) == []
    moved, values = at([NOW] * 10)
    assert behind(samples | {CSN: (moved - NS_PER_S // 2, values - 9000)}) == []


def test_only_the_suffix_of_the_consumer_counts():
    samples = consumer(own=NOW - 60) | {OTHER: at([NOW] * 10)}
    assert "changes of 60.0 s to catch up" in behind(samples)[0]
    assert behind(consumer() | {OTHER: at([NOW - 60] * 10)}) == []


def test_a_consumer_out_of_step_is_a_finding_of_its_window():
    samples = consumer(connected=0.0, contact=NOW - 60, attempt=NOW)
    found = findings_in(view(seconds=10, samples=samples, facts=OPENLDAP))
    assert "consumer_out_of_step" in {seen.id for seen in found}


@pytest.mark.parametrize(
    ("delays", "missing", "behind"),
    [
        ([6.0] * 4, [300.0] * 4, True),
        ([4.0] * 4, [300.0] * 4, False),
        ([6.0] * 4, [0.0] * 4, False),
        ([6.0, 6.0, 0.0, 0.0], [0.0, 300.0, 300.0, 300.0], False),
        ([6.0] * 2, [300.0] * 2, False),
        ([601.0] * 2, [300.0] * 2, True),
    ],
)
def test_a_replica_of_opendj_that_lacks_changes(delays, missing, behind):
    samples = {
        f"{DELAYS}:missing-changes": at(missing),
        f"{DELAYS}:approximate-delay": at(delays),
    }
    opendj = replace(FACTS, product="OpenDJ")
    found = list(replicas_behind(view(seconds=20, samples=samples, facts=opendj)))
    assert [seen.id for seen in found] == ["replica_behind"] * behind
    if behind:
        assert "ds(7) b:4444 lacked up to 300 changes of dc=example,dc=com and" in str(
            found[0].sentence
        )


def test_one_replica_of_two_suffixes_is_named_for_each():
    samples = {}
    for entry in (DELAYS, DELAYS.replace("example", "other")):
        samples[f"{entry}:missing-changes"] = at([300.0] * 4)
        samples[f"{entry}:approximate-delay"] = at([6.0] * 4)
    opendj = replace(FACTS, product="OpenDJ")
    [found] = replicas_behind(view(seconds=20, samples=samples, facts=opendj))
    assert len(found.evidence) == 2
    assert "of dc=other,dc=com" in str(found.sentence)
