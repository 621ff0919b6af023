"""What a supplier says of its agreements; the texts are those of 389 DS 2.3.1."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import replication
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from tests.unit.advice.material import FACTS, T0, only, view

REPLICA = r"cn=replica,cn=dc\3Dexample\2Cdc\3Dcom,cn=mapping tree,cn=config"
WELL = "Error (0) Replica acquired successfully: Incremental update succeeded"
GONE = (
    "Error (-1) Problem connecting to replica - LDAP error: Can't contact LDAP server "
    "(connection error)"
)
BUSY = "Error (1) Can't acquire busy replica (Busy)"
NEWEST = 0x6B046F5F  # 2026-11-23 16:52:47
SENT = "20261123165241Z"


def told(status, sent=SENT, newest=NEWEST, sending="FALSE", lines=()):
    """The findings of a supplier with one agreement."""
    ruv = (
        "{replicageneration} 6b046f4f000000010000",
        f"{{replica 1 ldap://localhost:27366}} 6b046f50000100010000 {newest:08x}000000010000",
    )
    agreement = {
        "nsds5replicalastupdatestatus": (status,),
        "nsds5replicalastupdateend": (sent,),
        "nsds5replicaupdateinprogress": (sending,),
    }
    entries = (
        ConfigurationEntry(REPLICA, {"nsds50ruv": ruv}),
        ConfigurationEntry(f"cn=east,{REPLICA}", agreement if status else {}),
    )
    errors = tuple(ErrorLine(T0 + at, text) for at, text in enumerate(lines))
    return replication.find(view(configuration=Configuration(entries), errors=errors))


def test_an_agreement_that_cannot_connect():
    seen = only(told(GONE, sent="19700101000000Z"), "agreement_failing")
    assert seen.numbers["codes"] == [-1]
    assert "east does not get its changes through" in str(seen.sentence)
    assert "has sent nothing" in str(seen.evidence[0].text)
    assert {each.id for each in advise([seen], FACTS)} == {"agreement-repair"}


def test_an_agreement_that_works_or_meets_a_busy_replica():
    assert told(WELL) == []
    assert told(BUSY) == []
    assert told("0 Replica acquired successfully: Incremental update succeeded") == []
    assert told("") == [], "a dse.ldif holds no status"


def test_one_that_says_all_is_well_and_is_far_behind():
    seen = only(told(WELL, newest=NEWEST + 900), "agreement_failing")
    assert seen.numbers["behind_s"] == [906]
    assert only(told(BUSY, newest=NEWEST + 900), "agreement_failing")
    assert told(WELL, newest=NEWEST + 200) == []
    assert told(WELL, newest=NEWEST + 900, sending="TRUE") == [], "a session goes on"


def test_what_the_error_log_says_until_it_says_that_it_is_over():
    plugin = 'NSMMReplicationPlugin - agmt="cn=east" (b:389): Replication bind with SIMPLE auth'
    failed = f"{plugin} failed: LDAP error 49 (Invalid credentials) ()"
    seen = only(told(WELL, lines=[failed]), "agreement_failing")
    assert "Invalid credentials" in str(seen.sentence)
    assert told(WELL, lines=[failed, f"{plugin} resumed"]) == []


def test_nothing_but_a_status_is_read():
    assert told("what a stranger wrote", sent="x", newest=0) == []


def test_replication_servers_that_opendj_does_not_reach():
    line = (
        "In Replication server Replication Server 8989 3: Directory server DS(1) was unable to "
        "connect to any of the following replication servers for domain dc=x: gone:8989"
    )
    opendj = replace(FACTS, product="OpenDJ", version="4.6.2")
    seen = view(errors=tuple(ErrorLine(T0 + at, line) for at in range(3)), facts=opendj)
    assert seen.product == "opendj"
    unreached = only(findings_in(seen), "agreement_failing")
    (advice,) = (
        rule for rule in advise([unreached], opendj) if rule.id == "opendj-replica-reachable"
    )
    (step,) = (text for text in map(str, advice.steps) if "dsreplication disable" in text)
    assert "never on one that stays" in step
