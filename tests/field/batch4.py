"""The fourth ten: password hashes, time-outs, logs, leaks, a lack of memory, stuck handshakes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from tests.field.case import (
    AGAIN,
    DISK,
    DS,
    FOLLOWS,
    INDEX_ADVICE,
    NEW_CONNECTIONS,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    UNINDEXED,
    Batch,
    Case,
    Healthy,
)
from tests.field.dialects import Lines, Log389, LogOpenDJ, LogOpenDJJson, LogOpenLDAP, stamp_389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    following,
    monitoring,
    office,
    person,
    search,
    user,
)

SUFFIX = "dc=example,dc=com"

IN_STEP = (
    r"same (moment|time|second)|at once|together|in step|\bbursts?\b|\bherd|simultaneous|"
    r"after (a|each|every) change"
)
GIVES_UP = (
    r"gives? up|gave up|time-?out|constant|abandon|hang(s)? up|do(es)? not wait|"
    r"clos(es|ed) (its|the|their) connections? before|before (the|an|its) (answer|result)"
)
LEAK = r"leak|never close|not closed|stay open|left open|descriptor|too many open"
SILENT = (
    r"without (a|any|a single) (request|operation)|no (request|operation)s? (in|on|over)|"
    r"(ask|request|send)s? nothing|nothing is asked|handshake|fell silent|"
    r"stopped asking|never asked"
)
MANY = r"all entries|entries (a|per|in each|each)|\d entries|too many"


# ---- 389 DS ----------------------------------------------------------------------------------


def write_rounds(folder: Path) -> Waited:
    """Since an update each password costs 100,000 rounds of its hash, on a slow machine."""
    log = Log389("2.6.1", "ds1.example.com", "10.26.0.2")
    sim = Simulation(log, utc(2025, 2, 25, 8, 0), 1200, workers=16, seed=201)
    office(sim, network="10.26.0")
    sim.start(4, _morning(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _morning(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 0.55)
        sim.start(sim.now - sim.begin, _hashed_login(sim, sim.random.randrange(60, 90)))


def _hashed_login(sim: Simulation, host: int) -> Client:
    number = sim.random.randrange(4000)
    connection = sim.connect(f"10.26.0.{host}")
    yield HANDSHAKE_S
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
    checked = binding(sim, connection, person(number), 0.46)
    checked.culprit = True
    yield checked
    yield search(sim, connection, GROUPS, f"(member={person(number)})", 0.0009, entries=5)
    sim.close(connection)


_WORKER = (
    "__lll_lock_wait () at /lib64/libc.so.6",
    "__pthread_mutex_cond_lock () at /lib64/libc.so.6",
    "pthread_cond_timedwait@@GLIBC_2.3.2 () at /lib64/libc.so.6",
    "safe_cond_wait (cond=cond@entry=0x55b828cc14b0, mutex=mutex@entry=0x55b828cc1488) at "
    "ldap/servers/slapd/back-ldbm/db-mdb/mdb_import_threads.c:103",
    "rdncache_wait4older_slots (slot=<optimized out>, cache=<optimized out>) at "
    "ldap/servers/slapd/back-ldbm/db-mdb/mdb_rdncache.c:297",
    "rdncache_add_elem (cache=0x55b828cc1480) at "
    "ldap/servers/slapd/back-ldbm/db-mdb/mdb_rdncache.c:345",
    "dbmdb_import_worker (param=<optimized out>) at "
    "ldap/servers/slapd/back-ldbm/db-mdb/mdb_import_threads.c:2666",
)
_WRITER = (
    "fdatasync () at /lib64/libc.so.6",
    "mdb_env_sync () at /lib64/liblmdb.so.0.0.0",
    "mdb_txn_commit () at /lib64/liblmdb.so.0.0.0",
    "dbmdb_import_writer (param=0x55b828cb7cd0) at "
    "ldap/servers/slapd/back-ldbm/db-mdb/mdb_import_threads.c:3288",
)
_IDLE_WORKER = (
    "__futex_abstimed_wait_common () at /lib64/libc.so.6",
    "pthread_cond_wait@@GLIBC_2.3.2 () at /lib64/libc.so.6",
    "connection_wait_for_new_work (pb=0x7f0150000b70) at ldap/servers/slapd/connection.c:1003",
    "connection_threadmain (arg=<optimized out>) at ldap/servers/slapd/connection.c:1694",
)
_OUTERMOST = (
    "_pt_root () at /lib64/libnspr4.so",
    "start_thread () at /lib64/libc.so.6",
    "clone3 () at /lib64/libc.so.6",
)


def write_import(folder: Path) -> Waited:
    """The threads of an import wait for a cache of names, each for those before it."""
    log = Log389("2.1.3", "ds2.example.com", "10.26.1.2")
    sim = Simulation(log, utc(2022, 8, 9, 9, 20), 2400, workers=24, seed=202)
    office(sim, network="10.26.1", pace=0.8)
    sim.start(20, _import_task(sim))
    sim.run()
    log.write(folder / "access", log.header)
    errors = Lines()
    entries = 158_140
    for second in range(12, 2400, 20):
        entries += round(20 * sim.random.uniform(9.4, 11.3))
        average = entries / (13_600 + second)
        errors.add(
            sim.begin + second,
            f"{stamp_389(sim.begin + second)} - INFO - dbmdb_import_monitor_threads - import "
            f"userroot: Processed {entries} entries -- average rate {average:.1f}/sec, recent rate "
            f"{sim.random.uniform(9.4, 11.3):.1f}/sec, ",
        )
    errors.write(folder / "errors")
    for sample in range(1, 4):
        (folder / f"stacks.{sample}.txt").write_text(_stacks(syncing=sample == 2), "utf-8")
    return sim.waited


def _stacks(*, syncing: bool) -> str:
    writer = _WRITER if syncing else (*_IDLE_WORKER[:2], _WRITER[-1])
    threads = [writer, *[_WORKER] * 23, *[_IDLE_WORKER] * 24]
    return "\n".join(_stack(number, frames) for number, frames in enumerate(reversed(threads), 2))


def _stack(number: int, frames: tuple[str, ...]) -> str:
    lwp = 2355433 + number
    thread = 0x59BE640 + number * 0x801000
    lines = [f'Thread {number} (Thread 0x7f01{thread:08x} (LWP {lwp}) "ns-slapd"):']
    for depth, frame in enumerate((*frames, *_OUTERMOST)):
        lines.append(
            f"#{depth}  0x00007f06{0xEB373AF0 - depth * 0x151D0 - number * 64:08x} in {frame}"
        )
    return "\n".join(lines) + "\n"


def _import_task(sim: Simulation) -> Client:
    """The tool that began the import hours ago still asks for it."""
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    task = "cn=import_2022-08-09T05:34:08.604412,cn=import,cn=tasks,cn=config"
    yield 0.01
    while True:
        yield 2.0
        yield Request(connection, "SRCH", 0.001, task, 0, "(objectClass=*)", entries=1)


def write_impatient(folder: Path) -> Waited:
    """A cluster asks for groups, which takes 6 to 9 s, and does not wait longer than 5 s."""
    log = Log389("1.4.3.16", "ds3.example.com", "10.26.2.2")
    sim = Simulation(log, utc(2020, 8, 27, 8, 0), 1800, workers=24, seed=203)
    office(sim, network="10.26.2")
    sim.start(30, _cluster_logins(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _cluster_logins(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 21)
        sim.start(sim.now - sim.begin, _cluster_login(sim, 71 + sim.random.randrange(3)))


def _cluster_login(sim: Simulation, node: int) -> Client:
    number = sim.random.randrange(4000)
    classes = "".join(
        f"(objectclass={name})"
        for name in ("groupOfNames", "groupOfUniqueNames", "group", "posixGroup")
    )
    members = "".join(
        f"({name}={person(number)})" for name in ("uniqueMember", "member", "memberUid")
    )
    for _ in range(3):
        connection = sim.connect(f"10.26.2.{node}")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=elastic,ou=services,{SUFFIX}")
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
        took = sim.random.uniform(6.1, 9.2) if sim.random.random() < 0.8 else 4.4
        asked = Request(connection, "SRCH", took, SUFFIX, 2, f"(&(|{classes})(|{members}))")
        asked.attributes, asked.entries, asked.culprit = "1.1", 12, True
        asked.patience = 5.0 + sim.about(0.002)
        asked_at = sim.now
        yield asked
        gave_up = sim.now - asked_at > 5.0
        sim.close(connection)
        if not gave_up:
            return
        yield sim.random.uniform(1, 4)


def write_debugging(folder: Path) -> Waited:
    """A debug level of the error log was set for an investigation and stays; all is slower."""
    log = Log389("2.0.10", "ds4.example.com", "10.26.3.2")
    errors = Lines()
    sim = Simulation(_Debugged(log, errors), utc(2021, 11, 24, 9, 0), 1200, workers=16, seed=204)
    sim.start(420, _set_log_level(sim))
    hosts = tuple(f"10.26.3.{number}" for number in range(60, 80))
    for number in range(6):
        dn = f"cn=service{number},ou=services,{SUFFIX}"
        sim.start(1 + number, _slowed_application(sim, f"10.26.3.{11 + number}", dn))
    sim.start(2, _slowed_logins(sim, hosts))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors")
    return sim.waited


class _Debugged:
    """The access log, and beside it an error log with the summary of each access decision."""

    def __init__(self, log: Log389, errors: Lines) -> None:
        self._log, self._errors = log, errors
        self._since = 0.0

    def opened(self, at: float, connection: Connection) -> None:
        self._log.opened(at, connection)

    def asked(self, at: float, request: Request) -> None:
        self._log.asked(at, request)
        if request.dn == "cn=config":
            self._since = at

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        self._log.answered(at, request, queued, worked)
        if not self._since or request.kind != "SRCH" or not request.entries:
            return
        who = request.connection.bind_dn.lower()
        for number, attribute in enumerate(("objectClass", "uid", "cn", "mail")):
            when = at - worked + (number + 1) * worked / 5
            self._errors.add(
                when,
                f"{stamp_389(when)} - DEBUG - NSACLPlugin - print_access_control_summary - "
                f"conn={request.connection.number} op={request.number} (main): Allow read on "
                f"entry({request.dn}).attr({attribute}) to {who}: allowed by aci({21 + number}): "
                f'aciname= "Read access to people", acidn="{PEOPLE}"',
            )

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        self._log.closed(at, connection, clean)

    def refused(self, at: float) -> None:
        """A connection that could not be accepted."""


def _set_log_level(sim: Simulation) -> Client:
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    yield 0.01
    yield Request(connection, "MOD", 0.009, "cn=config")
    sim.close(connection)


def _slowness(sim: Simulation) -> float:
    """By how much everything takes longer now."""
    return 85.0 if sim.now > sim.begin + 420 else 1.0


def _slowed_logins(sim: Simulation, hosts: tuple[str, ...]) -> Client:
    while True:
        yield sim.random.expovariate(1 / 5.0)
        sim.start(sim.now - sim.begin, _slowed_login(sim, sim.random.choice(hosts)))


def _slowed_login(sim: Simulation, address: str) -> Client:
    number = sim.random.randrange(4000)
    connection = sim.connect(address)
    yield HANDSHAKE_S
    slow = _slowness(sim)
    calls = (
        search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007 * slow),
        binding(sim, connection, person(number), 0.0025 + 0.0003 * slow),
        search(sim, connection, GROUPS, f"(member={person(number)})", 0.0009 * slow, entries=5),
    )
    for call in calls:
        call.culprit = slow > 1
        yield call
    sim.close(connection)


def _slowed_application(sim: Simulation, address: str, dn: str) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while True:
        yield sim.random.expovariate(1 / 1.4)
        slow = _slowness(sim)
        number = sim.random.randrange(4000)
        wanted = f"(uid={user(number)})" if number % 3 else f"(mail={user(number)}@example.com)"
        asked = search(sim, connection, PEOPLE, wanted, 0.0007 * slow)
        asked.culprit = slow > 1
        yield asked


def write_kept_connections(folder: Path) -> Waited:
    """A registry opens a connection for each request of its users and lets go of none."""
    log = Log389("1.4.3.8", "ds5.example.com", "10.26.4.2")
    sim = Simulation(log, utc(2020, 3, 31, 13, 0), 3000, seed=205, first_fd=92)
    office(sim, network="10.26.4", pace=0.6)
    sim.start(6, _registry(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _registry(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 7.5)
        sim.start(sim.now - sim.begin, _kept_connection(sim))


def _kept_connection(sim: Simulation) -> Client:
    connection = sim.connect("10.26.4.25")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=harbor,ou=services,{SUFFIX}")
    number = sim.random.randrange(4000)
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
    yield binding(sim, connection, person(number))


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_group_caches(folder: Path) -> Waited:
    """After each change of a group, all servers read all groups and people to renew a cache."""
    log = LogOpenLDAP("master")
    sim = Simulation(
        log,
        utc(2019, 2, 20, 10, 0),
        2100,
        workers=16,
        seed=211,
        first_connection=1000,
        first_fd=12,
    )
    office(sim, network="10.46.0")
    for second in (214, 590, 1055, 1322, 1730):
        sim.start(second, _group_change(sim))
        for number in range(26):
            delay = sim.random.uniform(15.0, 15.8)
            sim.start(second + delay, _group_cache(sim, f"10.47.0.{10 + number}", number))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _group_change(sim: Simulation) -> Client:
    connection = sim.connect("10.46.0.14")
    yield 0.002
    yield binding(sim, connection, f"cn=admin,{SUFFIX}")
    changed = f"cn=project{sim.random.randrange(40)},{GROUPS}"
    yield Request(connection, "MOD", sim.about(0.007), changed, query="uniqueMember")
    sim.close(connection)


def _group_cache(sim: Simulation, address: str, number: int) -> Client:
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, f"cn=member{number},cn=computers,{SUFFIX}", 0.004)
    for query, attributes, entries, took in (
        ("(objectClass=univentionGroup)", "uniqueMember cn gidNumber", 1840, 3.1),
        ("(|(objectClass=posixAccount)(objectClass=univentionHost))", "1.1", 9120, 5.4),
    ):
        asked = Request(connection, "SRCH", sim.about(took, 0.15), SUFFIX, 2, query, attributes)
        asked.entries, asked.culprit = entries, True
        yield asked
    sim.close(connection)


def write_restore(folder: Path) -> Waited:
    """A restore reads the disk without a pause: the database does not fit into 3 GB of memory."""
    rng = random.Random(212)
    begin = datetime(2024, 2, 8, 10, 0, tzinfo=UTC)
    iostat = ["Linux 5.15.0-94-generic (ldap10) \t02/08/2024 \t_x86_64_\t(4 CPU)\n"]
    vmstat = [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    ]
    for report in range(300):
        moment = begin + timedelta(seconds=5 * report)
        rate = rng.uniform(468_000, 531_000)
        reads, writes = rate / rng.uniform(58, 66), rng.uniform(14, 33)
        iostat += [f"{moment:%m/%d/%Y %I:%M:%S %p}", *_iostat_report(rng, reads, rate, writes), ""]
        vmstat.append(
            f" 1  3 {rng.randrange(398_000, 402_000):6d} {rng.randrange(61_000, 88_000):6d} "
            f"{rng.randrange(900, 1900):6d} {rng.randrange(2_588_000, 2_640_000):6d} "
            f"{rng.randrange(0, 90):4d} {rng.randrange(0, 60):4d} {round(rate):5d} "
            f"{rng.randrange(90, 140):5d} {rng.randrange(9000, 12000):4d} "
            f"{rng.randrange(16000, 21000):4d}  3 11 14 72  0"
        )
    (folder / "iostat.txt").write_text("\n".join(iostat) + "\n", "utf-8")
    (folder / "vmstat.txt").write_text("\n".join(vmstat) + "\n", "utf-8")
    return Waited()


_IOSTAT = (
    *("r/s", "rkB/s", "rrqm/s", "%rrqm", "r_await", "rareq-sz"),
    *("w/s", "wkB/s", "wrqm/s", "%wrqm", "w_await", "wareq-sz"),
    *("d/s", "dkB/s", "drqm/s", "%drqm", "d_await", "dareq-sz"),
    *("f/s", "f_await", "aqu-sz", "%util"),
)


def _iostat_report(rng: random.Random, reads: float, rate: float, writes: float) -> list[str]:
    heading = "Device       " + "".join(f" {name:>9}" for name in _IOSTAT)
    data = [
        *(reads, rate, 0.0, 0.0, rng.uniform(0.42, 0.55), rate / reads),
        *(writes, writes * 4.1, 1.0, 4.0, rng.uniform(0.5, 0.9), 4.1),
        *(0.0,) * 6,
        *(0.0, 0.0, reads * 0.48 / 1000, rng.uniform(99.1, 100.0)),
    ]
    system = [*(0.2, 3.1, 0.0, 0.0, 0.6, 15.5), *(2.4, 21.0, 1.6, 40.0, 0.8, 8.8)]
    system += [*(0.0,) * 6, *(0.6, 0.7, 0.01, 0.5)]
    rows = (("sda", system), ("sdb", data))
    return [
        heading,
        *(f"{name:<13}" + "".join(f" {value:>9.2f}" for value in row) for name, row in rows),
    ]


def write_collector(folder: Path) -> Waited:
    """A collector of build results logs in anew for each of its calls to the build server."""
    log = LogOpenLDAP("ldap11")
    sim = Simulation(
        log, utc(2017, 3, 6, 14, 0), 1200, seed=213, first_connection=1000, first_fd=12
    )
    office(sim, network="10.46.2", pace=0.6)
    sim.start(200, _collector(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _collector(sim: Simulation) -> Client:
    service, account = f"cn=jenkins,ou=services,{SUFFIX}", f"uid=hygieia,{PEOPLE}"
    while sim.now < sim.begin + 1080:
        connection = sim.connect("10.46.2.21")
        yield 0.002
        calls = (
            binding(sim, connection, service, 0.003),
            search(sim, connection, SUFFIX, "(uid=hygieia)", 0.0009),
            binding(sim, connection, account, 0.012),
            search(sim, connection, GROUPS, f"(member={account})", 0.0012, entries=3),
        )
        for call in calls:
            call.culprit = True
            yield call
        sim.close(connection)
        yield sim.about(0.45)


# ---- OpenDJ ----------------------------------------------------------------------------------


def write_handshakes(folder: Path) -> Waited:
    """A host connects and never goes on with TLS; each time a selector thread waits for ever."""
    log = LogOpenDJ("10.56.0.2")
    sim = Simulation(log, utc(2020, 10, 29, 9, 0), 2100, workers=24, seed=221, first_connection=40)
    for number in range(24):
        client = partial(_pooled, sim, f"10.56.0.{11 + number}", number)
        sim.start(1 + 0.7 * number, client())
    stuck = [700, 905, 1120, 1390]
    for second in stuck:
        sim.start(second, _half_open(sim))
    sim.start(3, _walk_ins(sim, stuck))
    sim.run()
    log.write(folder / "access")
    return sim.waited


_SELECTORS = 8


def _pooled(sim: Simulation, address: str, number: int) -> Client:
    """An application whose connection falls to one of the selectors, and with it falls silent."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=app{number},ou=services,{SUFFIX}")
    dies = {0: 700.1, 3: 905.1, 5: 1120.1, 6: 1390.1}.get(number % _SELECTORS, 1e9)
    while sim.now < sim.begin + dies:
        yield sim.random.expovariate(1 / 3.0)
        wanted = f"(uid={user(sim.random.randrange(4000))})"
        yield search(sim, connection, PEOPLE, wanted, 0.0012)


def _half_open(sim: Simulation) -> Client:
    sim.connect("10.56.0.66")
    yield 1e9


def _walk_ins(sim: Simulation, stuck: list[int]) -> Client:
    while True:
        yield sim.random.expovariate(1 / 2.2)
        dead = sum(sim.now > sim.begin + second for second in stuck) / _SELECTORS
        sim.start(sim.now - sim.begin, _walk_in(sim, heard=sim.random.random() >= dead))


def _walk_in(sim: Simulation, *, heard: bool) -> Client:
    connection = sim.connect(f"10.57.0.{10 + sim.random.randrange(120)}")
    yield HANDSHAKE_S
    if not heard:
        return  # its handshake is never read, and nobody closes it
    number = sim.random.randrange(4000)
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0012)
    yield binding(sim, connection, person(number), 0.003)
    sim.close(connection)


def write_old_metrics(folder: Path) -> Waited:
    """An administration page reads the statistics of a year, which nobody ever deleted."""
    log = LogOpenDJ("10.56.1.2")
    sim = Simulation(
        log, utc(2022, 12, 13, 13, 0), 2100, workers=24, seed=222, first_connection=53000
    )
    office(sim, network="10.56.1", people="ou=people,o=gluu")
    sim.start(60, _administrators(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _administrators(sim: Simulation) -> Client:
    connection = sim.connect("10.56.1.50")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=directory manager", 0.003)
    while True:
        yield from _statistics(sim, connection)
        yield sim.random.uniform(90, 200)


def _statistics(sim: Simulation, connection: Connection) -> Iterator[Request | float]:
    for kind in ("user_authentication_success", "user_authentication_failure"):
        for month in range(1, 13):
            yield Request(
                connection,
                "SRCH",
                sim.random.uniform(1.0, 2.0),
                f"ou=2022{month:02d},ou=oxauth,ou=statistic,o=metric",
                2,
                "(&(&(objectClass=oxMetric))(&(oxApplicationType=oxauth)"
                f"(oxMetricType={kind})(oxStartDate>=20211213132854.392Z)"
                "(oxEndDate<=20221213132854.392Z)))",
                "uniqueIdentifier,oxStartDate,oxEndDate,oxMetricType,oxData",
                entries=sim.random.randrange(2600, 2980),
                culprit=True,
            )
            yield 0.01


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_supplier(folder: Path) -> Waited:
    """A supplier whose two partners take turns."""
    log = Log389("2.7.0", "ds9.example.com", "10.36.0.2")
    sim = Simulation(log, utc(2025, 11, 12, 10, 0), 1800, seed=231)
    office(sim, network="10.36.0", pace=1.2)
    for number in range(2):
        sim.start(3 + 2 * number, _polite_supplier(sim, f"10.36.0.{71 + number}", 4 + number))
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.36.0.9", reader, every=30, base="cn=monitor"))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _polite_supplier(sim: Simulation, address: str, replica: int) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    second = 0x69145B00
    while True:
        yield sim.random.uniform(3, 9)
        yield _session(sim, connection, "2.16.840.1.113730.3.5.12")
        for counter in range(sim.random.randrange(1, 5)):
            who = person(sim.random.randrange(4000))
            csn = f"{second:08x}{counter:04x}{replica:04x}0000"
            yield Request(connection, "MOD", sim.about(0.007), who, csn=csn)
        yield sim.random.uniform(0.4, 1.2)
        yield _session(sim, connection, "2.16.840.1.113730.3.5.5")
        second += 7


def _session(sim: Simulation, connection: Connection, oid: str) -> Request:
    name = "replication-multisupplier-extop"
    return Request(connection, "EXT", sim.about(0.003), query=oid, attributes=name)


def write_healthy_audit(folder: Path) -> Waited:
    """An OpenDJ with a JSON log below a few applications and an access manager."""
    log = LogOpenDJJson("10.36.1.2")
    sim = Simulation(log, utc(2025, 6, 3, 14, 0), 1200, workers=24, seed=232, first_connection=5)
    office(sim, network="10.36.1", pace=1.2)
    manager = f"uid=openam,ou=services,{SUFFIX}"
    sim.start(1, following(sim, "10.36.1.50", manager, f"ou=services,{SUFFIX}", "(objectClass=*)"))
    sim.start(2, application(sim, "10.36.1.50", manager, every=0.9, took=0.0012))
    sim.start(3, changes(sim, "10.36.1.50", manager, every=6.0))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


BATCH = Batch(
    "batch4",
    cases=(
        Case(
            "hash_rounds",
            "Replication init fails: binds take longer with DEFAULT_PBKDF2_ROUNDS 100_000",
            "https://github.com/389ds/389-ds-base/issues/6632",
            DS,
            "each bind of a person costs half a second: the rounds of the password hash",
            r"\bbinds?\b|password|\bhash",
            (r"pbkdf2|\bhash|rounds|iterations|password.?storage", r"\bbind"),
            r"pbkdf2|rounds|iterations|passwordStorageScheme|storage scheme|hash",
            write_rounds,
            share=0.99,
            accused=(DISK, UNINDEXED, THREADS),
        ),
        Case(
            "import_waits_for_names",
            "LMDB import is very slow",
            "https://github.com/389ds/389-ds-base/issues/5408",
            DS,
            "the threads of an import wait for its cache of names, not for the disk",
            r"import|rdncache|\block\b|wait(s|ing)? (for|at|in|on)",
            (r"rdncache", r"import"),
            r"upgrade|newer version|offline|ldif2db|import",
            write_import,
            accused=(DISK, UNINDEXED, THREADS),
        ),
        Case(
            "five_seconds_only",
            "LDAP realm client side response timeout setting",
            "https://github.com/elastic/elasticsearch/issues/46028",
            DS,
            "a cluster gives up its group search after 5.0 s, and asks again; it takes 6 to 9 s",
            GIVES_UP,
            (
                r"10\.26\.2\.7[123]|cn=elastic",
                r"\b5(\.0\d*)? ?s\b|\b5 seconds|five seconds|5[, ]?000 ?ms",
            ),
            r"time-?out|longer|narrow|owner|client",
            write_impatient,
            share=0.99,
            accused=(DISK, UNINDEXED, THREADS),
        ),
        Case(
            "debug_level_left_on",
            "Remove useless, noisy, performance degrading debug logs",
            "https://github.com/389ds/389-ds-base/issues/5025",
            DS,
            "a debug level of the error log is on; since then everything takes far longer",
            r"error.?log|log.?level|debug|verbose",
            (r"errorlog-level|error.?log.?level|\bdebug\b|log level|verbose",),
            r"errorlog-level|log level|error log",
            write_debugging,
            share=0.99,
            accused=(UNINDEXED, THREADS, r"checkpoint"),
        ),
        Case(
            "connections_kept",
            "ldap ddos",
            "https://github.com/goharbor/harbor/issues/1480",
            DS,
            "a registry opens a connection for each request and never closes one",
            LEAK,
            (r"10\.26\.4\.25\b",),
            r"unbind|close|idle.?timeout|owner|pool",
            write_kept_connections,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "caches_of_groups",
            "Problem: CPU of UCS Server Spikes Very Frequently",
            "https://help.univention.com/t/problem-cpu-of-ucs-server-spikes-very-frequently/11233",
            OPENLDAP,
            "after each change of a group 26 servers read all groups and people at once",
            f"{IN_STEP}|{MANY}|{STANDS_OUT}",
            (r"univentionGroup|posixAccount", r"10\.47\.0\.|cn=member|\b26\b|cn=computers"),
            r"less often|interval|spread|random|cache|owner|fewer|schedule|replica",
            write_group_caches,
            share=0.82,
            accused=(UNINDEXED, DISK, THREADS, INDEX_ADVICE),
        ),
        Case(
            "restore_without_memory",
            "Provide a fastrestore option to slapd-cli",
            "https://github.com/ltb-project/slapd-cli/issues/69",
            OPENLDAP,
            "the database does not fit into 3 GB of memory: 500 MB/s are read, little is written",
            r"memory|\bRAM\b|page cache",
            (r"\breads?\b|\breading\b", r"sdb|disk|device"),
            r"memory|\bRAM\b",
            write_restore,
            accused=(r"checkpoint|flush(es)? ", UNINDEXED, THREADS),
        ),
        Case(
            "login_for_each_call",
            "Jenkins cron issue: insane amount of requests to the production LDAP server",
            "https://github.com/hygieia/hygieia/issues/1187",
            OPENLDAP,
            "a build server checks the password of one account for each call of a collector",
            f"{NEW_CONNECTIONS}|{AGAIN}",
            (r"10\.46\.2\.21\b|uid=hygieia|cn=jenkins",),
            r"cache|token|key|pool|keep|reuse|once",
            write_collector,
            share=0.93,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "handshake_without_end",
            "TLS handshake unlimited timeout?",
            "https://github.com/OpenIdentityPlatform/OpenDJ/issues/146",
            OPENDJ,
            "a host opens connections and never goes on; each blocks a selector and its clients",
            SILENT,
            (r"10\.56\.0\.66\b|handshake|silent|stopped",),
            r"handshake|time-?out|upgrade|newer version|jstack|stack",
            write_handshakes,
            accused=(UNINDEXED, INDEX_ADVICE, DISK, THREADS),
        ),
        Case(
            "metrics_never_purged",
            "Long startup times due to metrics LDAP queries",
            "https://github.com/GluuFederation/oxTrust/issues/2281",
            OPENDJ,
            "a page reads the statistics of each month one by one; old ones are never deleted",
            f"{FOLLOWS}|{MANY}|{STANDS_OUT}",
            (r"oxMetric|o=metric", r"10\.56\.1\.50|directory manager"),
            r"purge|delete|clean|fewer|narrow|limit|owner|less",
            write_old_metrics,
            share=0.99,
            accused=(UNINDEXED, INDEX_ADVICE, DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_supplier", "suppliers that take turns", DS, write_healthy_supplier),
        Healthy("healthy_audit", "an OpenDJ with a JSON log", OPENDJ, write_healthy_audit),
    ),
)
