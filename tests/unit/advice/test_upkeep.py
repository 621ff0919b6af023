"""Housekeeping of the server in the error log, and limits that are nearly reached."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.tasks import tasks_in
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import caches, pressure, support_files, upkeep
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import DATABASE, T0, Log, at, only, view
from tests.unit.cases.published import tell_files

COMPACTION = (
    "NOTICE - bdb_compact - Compacting databases ...",
    "NOTICE - bdb_compact - Compacting databases finished.",
)


def lines(*told):
    """Lines of an error log: (second, text)."""
    return tuple(ErrorLine(T0 + round(s * NS_PER_S), text) for s, text in told)


def compacted(etime):
    """A compaction from second 300 to 330 of ten minutes, and operations of a length in it."""
    log = Log().background(600, rate=5)
    for n in range(30):
        log.add("SRCH", 300 + n, etime, filter="(uid=?)")
    return view(log, errors=lines((300, COMPACTION[0]), (330, COMPACTION[1])))


def test_a_compaction_that_stops_operations():
    found = upkeep.find(compacted(2.0))
    told = only(found, "compaction")
    assert told.numbers["length_ns"] == 30 * NS_PER_S
    assert told.user_ns == pytest.approx(30 * 2e9, rel=0.01)
    assert "compaction of the database" in str(only(found, "server_tasks").sentence)


def test_a_compaction_that_nobody_notices_is_only_noted():
    assert [each.id for each in upkeep.find(compacted(0.001))] == ["server_tasks"]
    assert upkeep.find(view(Log().background(600))) == []


TASKS = {
    "export": ("Beginning export of 'userRoot'", "Export finished."),
    "backup": ("Beginning backup of 'ldbm database'", "Backup finished."),
    "import": ("import userRoot: Beginning import job...", "import userRoot: Import complete."),
    "index": ("userRoot: Indexing attribute: mail", "userRoot: Finished indexing."),
    "compaction": COMPACTION,
}


@pytest.mark.parametrize("kind", TASKS)
def test_work_of_the_server_has_a_beginning_and_an_end(kind):
    begins, ends = TASKS[kind]
    told = [(10, begins), (12, begins), (15, "something else"), (20, ends), (30, begins)]
    found = tasks_in(told, 99)
    assert [(task.kind, task.start_ns, task.end_ns) for task in found] == [
        (kind, 10, 20),
        (kind, 30, 99),
    ]
    assert [task.ended for task in found] == [True, False]


def locks(current, most=60, configured=10_000):
    names = ("current-locks", "max-locks", "configured-locks")
    values = (current, most, configured)
    series = zip(names, values, strict=True)
    return {f"{DATABASE}:nsslapd-db-{name}": at([value] * 5) for name, value in series}


def test_locks_that_run_out():
    found = only(caches.find_lmdb(view(samples=locks(9_000, 9_100))), "db_locks")
    assert found.numbers["locks"] == 9_100
    assert caches.find_lmdb(view(samples=locks(5_000, 7_900))) == []
    said = lines((5, "ERR - libdb - BDB2055 Lock table is out of available lock entries"))
    none_left = only(caches.find_lmdb(view(errors=said, samples=locks(7, 90))), "db_locks")
    assert "BDB2055" in str(none_left.sentence)
    assert none_left.numbers["most"] == 10_000, "what the advice is made of"


def slapd(free, write_s):
    entry = "cn=database 1,cn=databases,cn=monitor"
    log = Log()
    for n in range(30):
        log.add("MOD", n, write_s)
    samples = {f"{entry}:olmmdbpagesfree": at([free]), f"{entry}:olmmdbpagesused": at([200_000])}
    return view(log, samples=samples)


def test_a_long_free_list_with_slow_writes():
    assert only(caches.find_lmdb(slapd(90_000, 0.05)), "lmdb_free_list").confidence == "low"
    assert caches.find_lmdb(slapd(90_000, 0.005)) == []
    assert caches.find_lmdb(slapd(40_000, 0.05)) == []
    long = slapd(90_000, 0.05)
    apart = replace(long, samples={}, monitor_apart=long.samples)
    assert only(caches.find_lmdb(apart), "lmdb_free_list").evidence, (
        "a reading without a time of its own"
    )


def test_time_that_the_hypervisor_takes():
    stolen = {"vmstat:st": at([0, 0, 20, 20, 20, 20])}
    assert only(pressure.find(view(samples=stolen)), "cpu_stolen").numbers["most"] == 20
    little = {"vmstat:st": at([0, 0, 6, 6, 2, 2])}
    assert pressure.find(view(samples=little)) == []
    assert pressure.find(view(samples={"vmstat:st": at([30, 30])})) == []


def test_a_server_that_says_its_cache_is_below_its_database():
    text = (
        "WARN - bdb_start - userRoot: entry cache size 512000 B is less than db size 9871360 B; "
        "We recommend to increase the entry cache size nsslapd-cachememsize."
    )
    found = only(
        support_files.find(view(errors=lines((1, text), (2, text)))), "cache_below_database"
    )
    assert str(found.sentence).startswith(
        "userRoot: entry cache size 512000 B is less than db size 9871360 B."
    )


def waited(idle=50, **shares):
    """Pressure of each second in percent: half of them at twice the share, half at none."""
    samples = {
        f"psi:{name.replace('_', ':')}": at([200 * share, 0.0] * 5)
        for name, share in shares.items()
    }
    return view(samples=samples | {"vmstat:id": at([idle] * 10)})


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (waited(cpu_some=0.7), "for processors"),
        (waited(io_full=0.4), "for the disk, all of them at once 40 % of the time"),
        (waited(memory_full=0.06), "for memory"),
    ],
)
def test_a_host_that_waits(samples, said):
    assert said in str(only(pressure.find(samples), "host_pressure").sentence)


@pytest.mark.parametrize(
    "samples",
    [
        waited(cpu_some=0.7, idle=5),  # all processors are busy: that is seen elsewhere
        waited(cpu_some=0.5, io_full=0.2, memory_full=0.02),
        waited(cpu_full=0.9, io_some=0.9, memory_some=0.9),
    ],
)
def test_a_host_that_hardly_waits(samples):
    assert pressure.find(samples) == []


def test_a_reading_without_a_time_counts_beside_a_log(tmp_path):
    """As somebody brings both: a log of slapd, and one search of cn=monitor."""
    lines = []
    for n in range(40):
        head = f"6955b9{n:02x}.00000000 0x7f conn=1000 op={n}"
        lines += [f'{head} MOD dn="uid=u{n},dc=example,dc=com"', f"{head} MOD attr=sn",
                  f"{head} RESULT tag=103 err=0 qtime=0.000010 etime=1.500000 text="]  # fmt: skip
    monitor = (
        "dn: cn=Database 1,cn=Databases,cn=Monitor\nobjectClass: olmMDBDatabase\n"
        "cn: Database 1\nolmMDBPagesUsed: 902144\nolmMDBPagesFree: 761310\n"
    )
    files = {"slapd.log": "\n".join(lines) + "\n", "monitor.ldif": monitor}
    assert "lmdb_free_list" in tell_files(files, tmp_path).findings
