"""Agreements and CSNs, as 389 DS and OpenLDAP tell them."""

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.replication import (
    Agreement,
    csn_entries,
    csn_of_389ds,
    csns,
    read_agreements,
    replication_entries,
    replication_numbers,
)

SUFFIX = "dc=example,dc=com"
VECTOR = Entry(
    f"nsuniqueid=ffffffff-ffffffff-ffffffff-ffffffff,{SUFFIX}",
    {
        "nsds50ruv": (
            "{replicageneration} 6b047174000000010000",
            "{replica 1 ldap://localhost:23416} 6b047175000000010000 6b047178000300010000",
            "{replica 2 ldap://localhost:19509} 6b047178000100020000 6b047179000000020000",
            "{replica 3 ldap://localhost:19510}",
            "{replica \x00",
        )
    },
)


class Answering:
    """A directory that knows some entries."""

    def __init__(self, *entries, error=None):
        self.entries, self.error, self.asked = entries, error, []

    def search(self, base, *, scope="base", filter="(objectClass=*)", attributes=("*",)):  # noqa: A002
        self.asked.append((base, scope, filter))
        if self.error:
            raise self.error
        return list(self.entries)


def facts(product="389 Project"):
    backends = (Backend("userRoot", SUFFIX, "cn=userRoot"),)
    return TargetFacts("a", product, "1", "h", backends=backends)


def test_the_newest_change_of_each_supplier_is_a_number_of_seconds():
    found = dict(csns(SUFFIX, VECTOR))
    assert found == {
        f"replication:csn[{SUFFIX} 1]": 0x6B047178 + 3 / 65536,
        f"replication:csn[{SUFFIX} 2]": float(0x6B047179),
    }


def test_changes_of_one_second_are_told_apart():
    first, second = (csn_of_389ds(f"6b047178{n:04x}00010000") for n in (7, 8))
    assert 0 < second - first < 1e-4


def test_the_context_csn_of_openldap():
    entry = Entry(SUFFIX, {"contextCSN": ("20261123170144.250000Z#000001#00a#000000", "x")})
    [(name, value)] = csns(SUFFIX, entry)
    assert name.endswith(f"[{SUFFIX} 10]")
    assert value == pytest.approx(1795453304.25, abs=1e-5)


def test_changes_of_one_microsecond_are_told_apart_in_openldap():
    numbers = ((0, 1), (0, 300), (1, 0))
    told = (f"20261123170144.25{micro:04d}Z#{n:06x}#00a#000000" for micro, n in numbers)
    values = [value for csn in told for _, value in csns(SUFFIX, Entry("", {"contextCSN": (csn,)}))]
    assert values == sorted({*values})
    assert len(values) == 3


def test_only_a_server_with_a_vector_is_asked_for_it_in_a_window():
    assert [each.csns for each in csn_entries(Answering(VECTOR), facts())] == [True]
    assert csn_entries(Answering(), facts()) == []
    refused = DirectoryError(Message("no"), code=50)
    assert csn_entries(Answering(error=refused), facts()) == []
    asked = Answering(VECTOR)
    assert csn_entries(asked, facts("OpenDJ")) == []
    assert asked.asked == []


def test_agreements_of_389ds():
    entry = Entry(
        "cn=to-b",
        {
            "cn": ("to-b",), "nsDS5ReplicaRoot": (SUFFIX,), "nsDS5ReplicaHost": ("b",),
            "nsDS5ReplicaPort": ("636",), "nsds5ReplicaEnabled": ("off",),
            "nsds5replicaLastUpdateStatus": ("Error (0)",),
        },
    )  # fmt: skip
    expected = Agreement("to-b", SUFFIX, "b", 636, enabled=False, status="Error (0)")
    assert read_agreements(Answering(entry), facts()) == (expected,)
    assert expected.address == "b:636"
    plain = Entry("cn=to-c", {"cn": ("to-c",), "nsDS5ReplicaPort": ("none",)})
    assert read_agreements(Answering(plain), facts()) == (Agreement("to-c", "", "", 0),)


def test_agreements_of_openldap_are_fetched():
    told = 'rid=001 provider=ldaps://b searchbase="dc=example,dc=com" binddn="cn=x" credentials=s3'
    entry = Entry("olcDatabase={1}mdb,cn=config", {"olcSyncrepl": (told,)})
    [found] = read_agreements(Answering(entry), facts("OpenLDAP"))
    assert found == Agreement("rid=001", SUFFIX, "b", 636, outgoing=False)
    assert "s3" not in repr(found)


def test_who_may_not_read_the_agreements_sees_none():
    refused = DirectoryError(Message("no"), code=50)
    assert read_agreements(Answering(error=refused), facts()) == ()


CONSUMER = Entry(
    "cn=Consumer 001,cn=Database 1,cn=Databases,cn=Monitor",
    {
        "olmSRConnection": ("IP=127.0.0.1:47928",),
        "olmSRSyncPhase": ("Persist",),
        "olmSRLastConnect": ("20261130095947Z",),
        "olmSRLastContact": ("20261130095948Z",),
        "olmSRLastCookieRcvd": (
            "rid=001,csn=20261130095948.095926Z#000000#000#000000;"
            "20261130095949.000000Z#000000#001#000000",
        ),
    },
)


def test_a_consumer_of_openldap_as_numbers():
    name = "replication:consumer[001]"
    assert dict(replication_numbers("", CONSUMER)) == {
        f"{name}:connected": 1.0,
        f"{name}:persist": 1.0,
        f"{name}:attempt_s": 1796032787.0,
        f"{name}:contact_s": 1796032788.0,
        f"{name}:cookie_s": 1796032789.0,
    }
    silent = Entry(CONSUMER.dn, {"olmSRConnection": ("",), "olmSRLastContact": ("0",)})
    numbers = dict(replication_numbers("", silent))
    assert (numbers[f"{name}:connected"], numbers[f"{name}:contact_s"]) == (0.0, 0.0)
    assert f"{name}:cookie_s" not in numbers


def test_the_csns_of_others_are_numbers_as_before():
    assert dict(replication_numbers(SUFFIX, VECTOR)) == dict(csns(SUFFIX, VECTOR))


def test_consumers_of_openldap_and_replicas_of_opendj_are_read_in_a_window():
    entries = replication_entries(Answering(CONSUMER), facts("OpenLDAP"))
    assert [entry.dn for entry in entries] == [CONSUMER.dn]
    assert replication_entries(Answering(), facts("OpenLDAP")) == []
    [delays] = replication_entries(Answering(Entry("cn=x", {})), facts("OpenDJ"))
    assert (delays.dn, delays.csns) == ("cn=Replication,cn=monitor", False)
    assert replication_entries(Answering(), facts("OpenDJ")) == []


def test_the_status_of_an_agreement_of_openldap_is_that_of_its_consumer():
    told = "rid=1 provider=ldap://b searchbase=dc=example,dc=com"
    database = Entry("olcDatabase={1}mdb,cn=config", {"olcSyncrepl": (told,)})
    [found] = read_agreements(Answering(CONSUMER, database), facts("OpenLDAP"))
    assert found.status == "Persist, last contact 20261130095948Z"
    lost = Entry(CONSUMER.dn, {"olmSRLastContact": ("20261130095948Z",)})
    [found] = read_agreements(Answering(lost, database), facts("OpenLDAP"))
    assert found.status == "last contact 20261130095948Z, not connected"
