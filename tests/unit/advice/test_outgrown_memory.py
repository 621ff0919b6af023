"""A database larger than memory keeps the disk busy; other disks read for another reason."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import disk
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from tests.unit.advice.configurations import entry, slapd
from tests.unit.advice.material import FACTS, LDBM, at, counter, only, view
from tests.unit.cases.published import tell_files

GIB_IN_KIB = 1024**2


def moves(read=300_000.0, reads=9_000.0, written=200.0, writes=20.0, util=100.0, seconds=60):
    """A disk, in KiB and requests a second: five reports of 12 s."""
    columns = {"rkB/s": read, "r/s": reads, "wkB/s": written, "w/s": writes, "util": util}
    columns |= {"r_await": 0.4, "w_await": 0.9}
    return {f"iostat:vda:{name}": at([v] * 5, seconds / 5) for name, v in columns.items()}


def memory(free=0.1, cache=2.4):
    """vmstat of a host, in GiB."""
    sizes = {"free": free, "buff": 0.0, "cache": cache}
    return {f"vmstat:{name}": at([size * GIB_IN_KIB] * 5) for name, size in sizes.items()}


def pages(gib):
    """The map of slapd: 64 GiB at most, of which so much is in use."""
    used = {"used": gib, "max": 64, "free": 0}
    entry = "cn=Database 1,cn=Databases,cn=Monitor"
    return {f"{entry}:olmMDBPages{name.title()}": at([v * 2**18] * 5) for name, v in used.items()}


def seen(samples, **columns):
    facts = replace(FACTS, product="OpenLDAP", db_library="mdb", ram_bytes=None)
    found = disk.find(view(samples=samples, **({"facts": facts, "seconds": 60} | columns)))
    return {finding.id: finding for finding in found}


def test_what_is_read_again_and_again_does_not_fit_into_memory():
    found = seen(moves() | memory())
    sentence = str(found["outgrown_memory"].sentence)
    assert "293.0 MiB/s were read in 9,000 requests/s" in sentence
    assert "17.2 GiB were read, 6.9 times the 2.5 GiB of memory" in sentence
    assert "the database has" not in sentence
    assert found["outgrown_memory"].severity > found["large_reads"].severity


def test_a_known_database_is_compared_with_memory():
    found = seen(moves(read=60_000.0) | memory() | pages(12))["outgrown_memory"]
    assert "; the database has 12 GiB." in str(found.sentence)
    assert found.confidence == "high"
    assert "outgrown_memory" not in seen(moves(read=60_000.0) | memory()), "a cache that fills"


@pytest.mark.parametrize(
    "samples",
    [
        moves(read=100_000.0) | memory(),
        moves() | memory() | pages(2),
        moves() | memory(free=1.5),
        moves(written=200_000.0, writes=9_000.0) | memory(),
        moves(util=60.0) | memory(),
        moves() | memory() | {f"{LDBM}:dbcachepagein": counter(1)},
        moves() | memory(free=0.0001, cache=0.0024),
        moves(),
    ],
    ids=["fills", "fits", "free", "writes", "rests", "somebody_else", "in_mb", "memory_unknown"],
)
def test_a_disk_that_reads_for_another_reason_is_left_alone(samples):
    assert "outgrown_memory" not in seen(samples)


def test_the_memory_of_the_host_stands_in_for_vmstat():
    assert "outgrown_memory" in seen(moves(), facts=replace(FACTS, ram_bytes=4 * 1024**3))
    assert "outgrown_memory" not in seen(moves(), facts=replace(FACTS, ram_bytes=64 * 1024**3))


@pytest.mark.parametrize(("most", "fits"), [(2, True), (40, False)])
def test_a_map_smaller_than_memory_always_fits(most, fits):
    database = entry("olcDatabase={2}mdb,cn=config", olcDbMaxSize=str(most << 30))
    text = slapd(database)
    configuration = kept_of(read_ldif(text.encode()))
    found = seen(moves() | memory(), configuration=configuration)
    assert ("outgrown_memory" not in found) == fits


@pytest.mark.parametrize(
    ("product", "library", "words"),
    [
        ("OpenLDAP", "mdb", "slapadd -q"),
        ("389 Directory Server", "", "nsslapd-backend-implement"),
        ("OpenDJ", "", "db-cache-percent"),
        ("", "", "free -m"),
    ],
)
def test_each_product_has_its_own_remedy(product, library, words):
    facts = replace(FACTS, product=product, db_library=library, ram_bytes=None)
    for samples in (moves() | memory(), moves()):
        found = disk.find(view(samples=samples, facts=facts, seconds=60))
        advice = {each.id: each for each in advise(found, facts)}
        if "outgrown_memory" in {finding.id for finding in found}:
            assert next(iter(advice)) == "memory-for-reads"
        steps = " ".join(map(str, advice["memory-for-reads"].steps))
        assert words in steps
        assert ("olcDbMaxSize" in steps) == (product == "OpenLDAP")


def test_a_disk_that_writes_needs_no_memory_for_reads():
    found = disk.find(view(samples=moves(written=300_000.0, writes=9_000.0), seconds=60))
    assert "293.0 MiB/s written in 9,000 requests/s" in str(only(found, "slow_device").sentence)
    assert "memory-for-reads" not in {each.id for each in advise(found, FACTS)}


def test_vmstat_without_times_says_what_memory_there_is(tmp_path):
    rows = ["Linux 6.1.0 (ldap9) \t2026-01-05 \t_x86_64_\t(2 CPU)\n"]
    vmstat = [" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"]
    for report in range(30):
        rows += [
            f"2026-01-05T10:{report // 6:02}:{report % 6 * 10:02}+0000",
            "Device  r/s  rkB/s  w/s  wkB/s  r_await  w_await  %util",
            "sdc  4000.00  250000.00  9.00  70.00  0.50  0.80  99.70",
            "",
        ]
        vmstat.append(
            " 1  3  20000  90000   3000 3600000    0    0 250000  70 9000 9900  3 9 10 78  0"
        )
    told = tell_files({"iostat.txt": "\n".join(rows), "vmstat.txt": "\n".join(vmstat)}, tmp_path)
    assert "of memory that the host has for files" in str(told.findings["outgrown_memory"].sentence)
