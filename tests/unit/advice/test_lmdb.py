"""LMDB maps and reader slots that are nearly full, and those that are not yet."""

from dataclasses import replace

from ldap_workbench.advice.families import caches
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.target import Backend
from tests.unit.advice.material import DATABASE, FACTS, at, only, view

GIB = 1024**3
OPENLDAP = replace(
    FACTS,
    product="OpenLDAP",
    db_library="mdb",
    backends=(Backend("{1}mdb", "dc=a", "x"), Backend("{3}mdb", "dc=b", "y")),
)


def of_389(size, readers):
    return {
        f"{DATABASE}:dbenvmapsize": at([size] * 5),
        f"{DATABASE}:dbenvmapmaxsize": at([2 * GIB] * 5),
        f"{DATABASE}:dbenvnumreaders": at([readers] * 5),
        f"{DATABASE}:dbenvmaxreaders": at([50] * 5),
    }


def of_slapd(number, used, free, readers):
    """A map of 1 GiB, as slapd 2.5 counts it in pages."""
    entry = f"cn=database {number},cn=databases,cn=monitor"
    return {
        f"{entry}:olmmdbpagesmax": at([262144] * 5),
        f"{entry}:olmmdbpagesused": at([used] * 5),
        f"{entry}:olmmdbpagesfree": at([free] * 5),
        f"{entry}:olmmdbreadersmax": at([126] * 5),
        f"{entry}:olmmdbreadersused": at([readers] * 5),
    }


def test_a_nearly_full_map_of_389():
    found = only(caches.find_lmdb(view(samples=of_389(1.9 * GIB, 19))), "lmdb_map")
    assert "map of 2 GiB" in str(found.sentence)


def test_nearly_all_readers_of_389():
    assert "48 of 50" in str(
        only(caches.find_lmdb(view(samples=of_389(35e6, 48))), "lmdb_map").sentence
    )


def test_a_map_with_room_is_left_alone():
    assert caches.find_lmdb(view(samples=of_389(0.84 * 2 * GIB, 42))) == []
    assert caches.find_lmdb(view(samples=of_slapd(1, 220_000, 0, 100), facts=OPENLDAP)) == []
    assert caches.find_lmdb(view(samples={})) == []


def test_the_fullest_database_of_slapd_is_told_and_gets_room():
    samples = of_slapd(1, 164, 73, 4) | of_slapd(3, 250_000, 1_000, 16)
    found = only(caches.find_lmdb(view(samples=samples, facts=OPENLDAP)), "lmdb_map")
    assert "map of 1 GiB is 95 % full" in str(found.sentence)
    assert found.numbers["backend"] == "{3}mdb"
    (advice,) = advise([found], OPENLDAP)
    assert advice.id == "olc-map"
    (setting,) = advice.treatment.settings
    assert setting.argument == f"olcDbMaxSize@{{3}}mdb={2 * GIB}"


def test_pages_that_are_free_within_the_map_are_room():
    assert caches.find_lmdb(view(samples=of_slapd(1, 262_000, 60_000, 4), facts=OPENLDAP)) == []


def test_reader_slots_of_slapd():
    found = only(
        caches.find_lmdb(view(samples=of_slapd(1, 164, 73, 120), facts=OPENLDAP)), "lmdb_map"
    )
    assert "120 of 126 reader slots" in str(found.sentence)
    (advice,) = advise([found], OPENLDAP)
    (setting,) = advice.treatment.settings
    assert setting.argument == "olcDbMaxReaders@{1}mdb=252"
