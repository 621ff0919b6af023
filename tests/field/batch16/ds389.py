"""The sixteenth ten, 389 DS: user numbers, an import that starves, descriptors, a deadlock."""

from __future__ import annotations

import math
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import DISK, DS, HANGS, STANDS_OUT, THREADS, UNINDEXED, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import Client, Request, Simulation, Waited, utc
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

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"
_LDBM = "cn=ldbm database,cn=plugins,cn=config"
_INDEXED = ("objectclass", "uid", "mail", "cn", "sn", "member", "entryUUID", "aci")


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _settings(
    threads: int,
    *more: str,
    kind: str = "bdb",
    database: tuple[str, ...] = (),
    memory: int = 2147483648,
    indexes: tuple[str, ...] = _INDEXED,
) -> str:
    """What dse.ldif says of the server, its database, its one back end and the indexes there."""
    text = _entry(
        "cn=config",
        f"objectClass: nsslapdConfig\ncn: config\nnsslapd-threadnumber: {threads}",
        "nsslapd-errorlog-level: 16384",
        *more,
    )
    text += _entry(
        f"cn=config,{_LDBM}",
        f"objectClass: extensibleObject\ncn: config\nnsslapd-backend-implement: {kind}",
        *database,
    )
    text += _entry(
        f"cn=userRoot,{_LDBM}",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        f"nsslapd-cachememsize: {memory}\nnsslapd-dncachememsize: 134217728",
    )
    for name in indexes:
        text += _entry(
            f"cn={name},cn=index,cn=userRoot,{_LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            "nsIndexType: eq\nnsIndexType: pres",
        )
    return text


def _note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- whose number is this? -------------------------------------------------------------------

_HOSTS = 44


def write_user_numbers(folder: Path) -> Waited:
    """Hosts ask whose user number this is; there is no index of the numbers."""
    log, errors = Log389("1.4.4.19", "ldap01.example.com", "10.180.0.2"), Lines()
    sim = Simulation(log, utc(2022, 12, 15, 8, 20), 1500, workers=24, seed=1600)
    office(sim, network="10.180.0", pace=1.4)
    for number in range(_HOSTS):
        sim.start(1.0 + 0.7 * number, _numbers(sim, errors, f"10.180.4.{20 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(_settings(24), "utf-8")
    return sim.waited


def _numbers(sim: Simulation, errors: Lines, address: str) -> Client:
    """SSSD of one host: the owners of files and processes, whenever its cache has forgotten."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("sssd"))
    while True:
        yield sim.random.expovariate(1 / 15)
        number = sim.random.randrange(4000)
        if number % 4 == 0:
            query = f"(&(uid={user(number)})(objectClass=posixAccount))"
            yield search(sim, connection, SUFFIX, query, 0.0008)
            continue
        query = f"(&(objectClass=posixAccount)(uidNumber={3040000 + 83 * number}))"
        whose = search(sim, connection, SUFFIX, query, 1.3)
        whose.took, whose.attributes = sim.about(1.3, 0.12), "uid uidNumber gidNumber homeDirectory"
        whose.notes, whose.culprit = "A", True
        whose.entries = 0 if number % 9 == 0 else 1
        _note(
            errors,
            sim.now + 0.002,
            f'NOTICE - ldbm_back_search - Unindexed search: search base="{SUFFIX}" scope=2 '
            f'filter="{query}" conn={connection.number} op={connection.operations}',
        )
        yield whose


# ---- an import with next to no cache ---------------------------------------------------------

_BEGINS_S = 300.0
_SENT = 1000
_OFFLINE = "ERR - mtn_get_be - Warning: Operation attempted on backend in OFFLINE state : userRoot"


def write_starved_import(folder: Path) -> Waited:
    """A replica is filled anew, and what is left of the memory is no cache for its import."""
    log, errors = Log389("1.4.3.39", "ds-b.example.com", "10.181.0.2"), Lines()
    sim = Simulation(log, utc(2026, 3, 17, 18, 8), 1500, workers=16, seed=1601)
    started = sim.begin - 86_400 * 3
    for number, text in enumerate(
        (
            "INFO - main - 389-Directory/1.4.3.39 B2025.288.0000 starting up",
            "NOTICE - bdb_start_autotune - found 16266236k physical memory",
            "NOTICE - bdb_start_autotune - found 15120448k available",
            "NOTICE - bdb_start_autotune - total cache size: 13690208256 B; ",
            "INFO - slapd_daemon - slapd started.  Listening on All Interfaces port 389 for "
            "LDAP requests",
        )
    ):
        _note(errors, started + 0.3 * number, text)
    for number in range(21, 27):
        sim.start(0.4 * number, _reader(sim, errors, f"10.181.0.{number}"))
    sim.start(3, monitoring(sim, "10.181.0.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(_BEGINS_S - 0.4, _supplier(sim, "10.181.0.1"))
    sim.start(_BEGINS_S, _import(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    database = (
        "nsslapd-dbcachesize: 1610612736\nnsslapd-cache-autosize: 0",
        "nsslapd-import-cache-autosize: -1\nnsslapd-import-cachesize: 16777216",
    )
    text = _settings(16, database=database, memory=11811160064)
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _reader(sim: Simulation, errors: Lines, address: str) -> Client:
    """An application that looks people up, in vain while the back end is offline."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "")
    while True:
        yield sim.random.expovariate(1 / 2.2)
        asked = search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(4000))})", 7e-4)
        if sim.now - sim.begin > _BEGINS_S:
            asked.took, asked.entries, asked.error = sim.about(0.0002), 0, 1
            _note(errors, sim.now + 1e-4, _OFFLINE)
        yield asked


def _supplier(sim: Simulation, address: str) -> Client:
    """Sends the first thousand entries, and then waits for the replica to take one more."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config")
    start = Request(connection, "EXT", 0.012, query="2.16.840.1.113730.3.5.12")
    start.attributes = "replication-multisupplier-extop"
    yield start
    yield 0.35
    for number in range(_SENT + 1):
        took = math.inf if number == _SENT else sim.about(0.0004)
        entry = Request(connection, "EXT", took, query="2.16.840.1.113730.3.5.6")
        entry.attributes = "Netscape Replication Total Update Entry"
        yield entry


def _import(sim: Simulation, errors: Lines) -> Client:
    """What the import says of itself, every 20 s."""
    for later, text in (
        (0.0, f"NOTICE - NSMMReplicationPlugin - multisupplier_be_state_change - Replica {SUFFIX} "
         "is going offline; disabling replication"),
        (0.2, "INFO - check_and_set_import_cache - Import allocates 2048KB import cache."),
        (0.3, "INFO - bdb_instance_start - Import is running with nsslapd-db-private-import-mem "
         "on; No other process is allowed to access the database"),
    ):  # fmt: skip
        _note(errors, sim.now + later, text)
    began = sim.now
    while True:
        yield 20.06
        average = 1 / (sim.now - began)
        _note(
            errors,
            sim.now,
            f"INFO - import_monitor_threads - import userRoot: Processed 1 entries -- average "
            f"rate {average:.1f}/sec, recent rate 0.0/sec, hit ratio 0%",
        )


# ---- all descriptors are reserved ------------------------------------------------------------

_NOT_ENOUGH = (
    "ERR - slapd_daemon - Not enough descriptors to accept any connections. This may be because "
    "the maxdescriptors configuration directive is too small, the hard limit on descriptors is too "
    "small (see limit(1)), or the reservedescriptors configuration directive is too large. Try "
    "increasing the number of descriptors available to the slapd process. The current value is "
    "16384. 16384 descriptors are currently reserved for internal slapd use, so the total number of"
    " descriptors available to the process must be greater than 16384."
)


def write_all_reserved(folder: Path) -> Waited:
    """After a change of settings the server is started again, and again, and does not come up."""
    log, errors = Log389("2.3.6", "cloud20.example.com", "10.182.0.2"), Lines()
    sim = Simulation(log, utc(2023, 12, 12, 12, 35), 1450, workers=16, seed=1602)
    office(sim, network="10.182.0", pace=2.2)
    sim.start(4, monitoring(sim, "10.182.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(900, _administrator(sim))
    sim.run()
    stopped = sim.end + 2
    for later, text in (
        (0.0, "INFO - op_thread_cleanup - slapd shutting down - signaling operation threads - op "
         "stack size 3 max work q size 4 max work q stack size 4"),
        (0.1, "INFO - slapd_daemon - slapd shutting down - closing down internal subsystems and "
         "plugins"),
        (1.9, "INFO - bdb_pre_close - Waiting for 5 database threads to stop"),
        (2.4, "INFO - main - slapd stopped."),
    ):  # fmt: skip
        _note(errors, stopped + later, text)
    for attempt in range(5):
        begins = stopped + 4 + 62 * attempt
        _note(errors, begins, "INFO - main - 389-Directory/2.3.6 B2023.285.0000 starting up")
        _note(errors, begins + 0.02, "INFO - main - Setting the maximum file descriptor limit to: "
              "32768")  # fmt: skip
        _note(errors, begins + 1.1, _NOT_ENOUGH)
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    limits = "nsslapd-maxdescriptors: 32768\nnsslapd-reservedescriptors: 16384"
    (folder / "dse.ldif").write_text(_settings(16, limits), "utf-8")
    return sim.waited


def _administrator(sim: Simulation) -> Client:
    """Raises the limits, which takes effect with the next start."""
    connection = sim.connect("", "/run/slapd-cloud20.socket")
    yield 0.01
    yield read(sim, connection, "cn=config")
    yield 25.0
    for name in ("nsslapd-maxdescriptors", "nsslapd-reservedescriptors"):
        yield Request(connection, "MOD", sim.about(0.012), "cn=config", query=name)
        yield 8.0
    sim.close(connection)


# ---- trimming and a change wait for each other -----------------------------------------------

_DEADLOCK_S = 1203.0
_LMDB = "target:/lib64/liblmdb.so.0.0.0"
_LDBM_LIB = "target:/usr/lib64/dirsrv/plugins/libback-ldbm.so"
_RETRO = "target:/usr/lib64/dirsrv/plugins/libretrocl-plugin.so"
_SLAPD = "target:/usr/lib64/dirsrv/libslapd.so.0"
_BEGINS = (
    "__pthread_mutex_lock_full () at target:/lib64/libc.so.6",
    f"mdb_txn_renew0 () at {_LMDB}",
    f"mdb_txn_begin () at {_LMDB}",
    f"dbmdb_start_txn () at {_LDBM_LIB}",
    f"dbmdb_txn_begin () at {_LDBM_LIB}",
)
_CHANGE = (
    f"ldbm_back_modify () at {_LDBM_LIB}",
    f"op_shared_modify () at {_SLAPD}",
    f"do_modify () at {_SLAPD}",
    "connection_threadmain () at target:/usr/sbin/ns-slapd",
)
_TRIMMING = (
    *_BEGINS,
    f"ldbm_back_delete () at {_LDBM_LIB}",
    f"op_shared_delete () at {_SLAPD}",
    f"delete_internal_pb () at {_SLAPD}",
    f"delete_changerecord () at {_RETRO}",
    f"changelog_trim_thread_fn () at {_RETRO}",
)
_RECORDING = (
    "pthread_mutex_lock@@GLIBC_2.2.5 () at target:/lib64/libc.so.6",
    "PR_EnterMonitor () at target:/lib64/libnspr4.so",
    f"cache_lock_entry () at {_LDBM_LIB}",
    f"find_entry_internal () at {_LDBM_LIB}",
    f"ldbm_back_add () at {_LDBM_LIB}",
    f"op_shared_add () at {_SLAPD}",
    f"add_internal_pb () at {_SLAPD}",
    f"write_replog_db () at {_RETRO}",
    f"retrocl_postob () at {_RETRO}",
    f"plugin_call_func () at {_SLAPD}",
    *_CHANGE,
)
_THREAD = (
    "_pt_root () at target:/lib64/libnspr4.so",
    "start_thread () at target:/lib64/libc.so.6",
    "__clone3 () at target:/lib64/libc.so.6",
)


class _Deadlock(Simulation):
    """From one moment on no change comes to an end, and each keeps its thread."""

    def _is_stuck(self, request: Request) -> bool:
        return request.kind == "MOD" and self.now - self.begin > _DEADLOCK_S


def write_trimming_deadlock(folder: Path) -> Waited:
    """Every five minutes the retro changelog is trimmed; once, no change comes back from it."""
    log, errors = Log389("3.1.1", "ipa2.example.com", "10.183.0.2"), Lines()
    sim = _Deadlock(log, utc(2025, 3, 3, 13, 40), 1800, workers=16, seed=1603)
    office(sim, network="10.183.0", pace=1.6)
    sim.start(2, following(sim, "10.183.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    for number in range(5):
        sim.start(3 + 1.7 * number, _tickets(sim))
    sim.run()
    _note(
        errors,
        sim.begin - 86_400 * 6,
        "INFO - main - 389-Directory/3.1.1 B2024.234.0000 starting up",
    )
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    retro = _entry(
        "cn=Retro Changelog Plugin,cn=plugins,cn=config",
        "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: Retro Changelog Plugin",
        "nsslapd-pluginEnabled: on\nnsslapd-changelogmaxage: 2d",
        "nsslapd-changelog-trim-interval: 300\nnsslapd-attribute: nsuniqueid:targetUniqueId",
    )
    size = ("nsslapd-mdb-max-size: 21474836480",)
    text = _settings(16, kind="mdb", database=size) + retro
    (folder / "dse.ldif").write_text(text, "utf-8")
    for sample in (1, 2, 3):
        (folder / f"stacks.{sample}.txt").write_text(_stacks(), "utf-8")
    return sim.waited


def _tickets(sim: Simulation) -> Client:
    """The Kerberos service: who is it, and when did they log in; it waits half a minute."""
    while True:
        connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
        yield 0.002
        for _ in range(40):
            yield sim.random.expovariate(1 / 9)
            who = person(sim.random.randrange(4000))
            query = f"(&(objectClass=krbPrincipalAux)({who.split(',', 1)[0]}))"
            yield search(sim, connection, SUFFIX, query, 0.0009)
            took = Request(connection, "MOD", sim.about(0.008), who, patience=30.0)
            took.query, took.culprit = "krbLastSuccessfulAuth", True
            yield took
        sim.close(connection)


def _stacks() -> str:
    """All threads in one moment: those of trimming and recording, and all that wait for them."""
    waiting = (*_BEGINS, *_CHANGE)
    threads = (_TRIMMING, _RECORDING, *(waiting for _ in range(15)))
    return "\n".join(_stack(number, frames) for number, frames in enumerate(threads, 2))


def _stack(number: int, frames: tuple[str, ...]) -> str:
    lwp, thread = 3980784 + number, 0xC2B56C0 + number * 0x801000
    lines = [f'Thread {number} (Thread 0x7f68{thread:08x} (LWP {lwp}) "ns-slapd"):']
    for depth, frame in enumerate((*frames, *_THREAD)):
        lines.append(f"#{depth:<3d}0x00007f6d{0x14081332 - depth * 0x121D0:08x} in {frame}")
    return "\n".join(lines) + "\n"


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_monday(folder: Path) -> Waited:
    """A busy Monday: a small suffix is imported, a list is worked through, DNS listens."""
    log, errors = Log389("2.5.2", "ds4.example.com", "10.184.0.2"), Lines()
    sim = Simulation(log, utc(2025, 9, 1, 7, 45), 2100, workers=24, seed=1610)
    office(sim, network="10.184.0", pace=2.4)
    sim.start(5, monitoring(sim, "10.184.0.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(2, following(sim, "10.184.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    for number, name in enumerate(("wiki", "vpn", "crm"), start=51):
        sim.start(0.3 * number, application(sim, f"10.184.0.{number}", service(name), every=0.9))
    sim.start(240, _rooms(sim, errors))
    sim.start(700, _cards(sim, "10.184.0.61"))
    sim.start(20, changes(sim, "10.184.0.62", service("self-service"), every=14))
    for seat in range(70):
        begin = 860 + sim.random.uniform(0, 400)
        sim.start(begin, sign_in(sim, f"10.184.1.{20 + seat}", 1 if seat % 23 == 5 else 0))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    limits = "nsslapd-maxdescriptors: 65535\nnsslapd-reservedescriptors: 64"
    names = (*_INDEXED, "uidNumber", "gidNumber", "memberUid", "memberOf")
    database = ("nsslapd-import-cache-autosize: -1\nnsslapd-import-cachesize: 16777216",)
    text = _settings(24, limits, database=database, memory=3221225472, indexes=names)
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _rooms(sim: Simulation, errors: Lines) -> Client:
    """The rooms of the house, 812 entries of a suffix of their own, come from a file each week."""
    connection = sim.connect("10.184.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    task = "cn=import_2025-09-01T07:49:00,cn=import,cn=tasks,cn=config"
    yield Request(connection, "ADD", sim.about(0.003), task)
    for later, text in (
        (0.1, "INFO - check_and_set_import_cache - Import allocates 4194304KB import cache."),
        (0.2, "INFO - bdb_import_main - import rooms: Beginning import job..."),
        (1.3, "INFO - bdb_import_main - import rooms: Import complete.  Processed 812 entries in 1 "
         "seconds. (812.00 entries/sec)"),
    ):  # fmt: skip
        _note(errors, sim.now + later, text)
    for _ in range(3):
        yield 1.0
        yield read(sim, connection, task)
    sim.close(connection)


def _cards(sim: Simulation, address: str) -> Client:
    """The cards of 240 new people: each is looked up and written, at the pace of the printer."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("cards"))
    for number in range(240):
        query = f"(&(objectClass=posixAccount)(uidNumber={20000 + number}))"
        yield search(sim, connection, PEOPLE, query, 0.0008)
        card = Request(connection, "MOD", sim.about(0.006), person(number), query="employeeNumber")
        yield card
        if number % 40 == 0:
            yield search(sim, connection, GROUPS, "(cn=new-people)", 0.001)
        yield sim.random.uniform(2.5, 4.5)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "numbers_without_index",
        "Heavy CPU load on the 389DS instance (2022)",
        "https://github.com/389ds/389-ds-base/issues/5568",
        DS,
        "SSSD of 44 hosts asks whose uidNumber this is, for which there is no index: each such "
        "search goes through all entries of the suffix, 1.3 s",
        rf"{UNINDEXED}|\bindex|{STANDS_OUT}",
        (r"uidNumber",),
        r"index.{0,120}uidNumber|uidNumber.{0,120}index|backend index add|nsIndexType",
        write_user_numbers,
        share=0.99,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "import_without_cache",
        "auto-tuning import cache stalls at entry 1, 0% hit ratio (2026)",
        "https://github.com/389ds/389-ds-base/issues/7399",
        DS,
        "a total update fills the replica with an import whose size of cache is tuned by itself: "
        "2 MB are left for it, and it stands still at entry 1 while the back end is offline",
        r"import|total (update|init)|initiali[sz]|offline|re-?filled|"
        r"(stands?|stood|stuck|stall)\w* (still |at )",
        (
            r"import|total (update|init)|initiali[sz]",
            r"\b1 entr(y|ies)|one entry|first entry|\b0(\.[01])? ?(entries)? ?(/|per|a) ?s|"
            r"\brates?\b|no progress|hit ratio|stands? still|stood still|\bstall|\bstuck|"
            r"no further|import cache|\bslow",
        ),
        r"import.?cache|cachememsize|entry cache|less cache|smaller cache|more (memory|RAM)|"
        r"\bmemory\b|autosiz|ldif2db|off-?line import|import.{0,30}(server|it) (is )?stopped",
        write_starved_import,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "descriptors_all_reserved",
        "389 ds ignores nsslapd-maxdescriptors (2023)",
        "https://github.com/389ds/389-ds-base/issues/6010",
        DS,
        "nsslapd-reservedescriptors is 16384, as many as the server takes connections for: none is "
        "left, and it stops after each start",
        rf"descriptor|(not|never|fail\w* to|cannot|could not) (be )?(start|come up)|"
        rf"start(s|ed)? again|restart|{REFUSED}",
        (
            r"descriptor",
            r"reserv|16[,. ]?384|not enough|too (few|small|large|many)",
        ),
        r"reserv\w*.{0,60}(low|few|small|less|reduc|default|64|8192|below)|"
        r"(low|few|small|less|reduc|default|below).{0,60}reserv|nsslapd-reservedescriptors|"
        r"LimitNOFILE|(more|raise|higher).{0,30}descriptors|upgrade|newer version|6010",
        write_all_reserved,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "trimming_in_deadlock",
        "Deadlock between retro changelog trimming and update of retroCL (2025)",
        "https://github.com/389ds/389-ds-base/issues/6652",
        DS,
        "the thread that trims the retro changelog waits for the write transaction of a change, "
        "and the change for an entry the trimming has locked: no change ends, until all threads "
        "wait and nobody is answered",
        rf"dead-?lock|{HANGS}|{BLOCKS}|wait(s|ing)? (for|on) (each other|a lock|one another)|"
        r"\bMODs?\b|no change|changes? (never|do(es)? not)|all (\w+ )?threads|mdb_txn_begin",
        (
            r"retro ?(changelog|cl)|retrocl|trim",
            r"dead-?lock|\block|wait|unanswered|never|hang|stuck",
        ),
        r"(trim|maxage|max-age|retro).{0,80}(off|disabl|without|longer|remov|switch|turn|less)|"
        r"(off|disabl|without|longer|remov|switch|turn|less).{0,60}(trim|maxage|retro)|"
        r"nsslapd-changelogmaxage|restart|upgrade|newer version|6652|\bbdb\b|content sync",
        write_trimming_deadlock,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_monday",
        "a small import, cards written one by one, a listener, people at eight",
        DS,
        write_healthy_monday,
    ),
)
