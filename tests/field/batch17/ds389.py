"""The seventeenth ten, 389 DS: little shared memory, a refused replica, hosts, a sleeper."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import HOSTS, SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import DISK, DS, HANGS, STANDS_OUT, THREADS, UNINDEXED, Case, Healthy
from tests.field.dialects import Lines, Log13, Log389, stamp_389
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

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"
_LDBM = "cn=ldbm database,cn=plugins,cn=config"
_MANAGER = "cn=replication manager,cn=config"
_EQUAL = "nsIndexType: eq\nnsIndexType: pres"
_PARTS = f"{_EQUAL}\nnsIndexType: sub"
_INDEXED = dict.fromkeys(("objectclass", "uid", "mail", "member", "entryUUID", "aci"), _EQUAL)


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _settings(
    *more: str,
    threads: int = 16,
    database: tuple[str, ...] = (),
    indexes: dict[str, str] = _INDEXED,
) -> str:
    """What dse.ldif says of the server, its database, its one back end and the indexes there."""
    text = _entry(
        "cn=config",
        f"objectClass: nsslapdConfig\ncn: config\nnsslapd-threadnumber: {threads}",
        *more,
    )
    text += _entry(
        f"cn=config,{_LDBM}",
        "objectClass: extensibleObject\ncn: config\nnsslapd-backend-implement: bdb",
        *database,
    )
    text += _entry(
        f"cn=userRoot,{_LDBM}",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        "nsslapd-cachememsize: 2147483648\nnsslapd-dncachememsize: 134217728",
    )
    for name, kinds in indexes.items():
        text += _entry(
            f"cn={name},cn=index,cn=userRoot,{_LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            kinds,
        )
    return text


def _note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- 64 MiB of shared memory -----------------------------------------------------------------

_HOME = "/dev/shm/slapd-EXAMPLE-COM"
_ROOM, _WANTED = 67_104_768, 211_202_928
_NOT_STARTED = (
    "object plugin Roles Plugin is not started",
    "object plugin Multisupplier Replication Plugin is not started",
    "object plugin Views is not started",
    "betxnpreoperation plugin 7-bit check is not started",
    "preoperation plugin Account Usability Plugin is not started",
    "betxnpreoperation plugin Auto Membership Plugin is not started",
    "preoperation plugin deref is not started",
    "betxnpreoperation plugin Linked Attributes is not started",
    "betxnpreoperation plugin Managed Entries is not started",
)


def write_little_shared_memory(folder: Path) -> Waited:
    """A container gets a newer image: the database wants more of /dev/shm than there is."""
    log, errors = Log389("2.2.4", "ipa1.example.com", "10.200.0.2"), Lines()
    sim = Simulation(log, utc(2023, 9, 6, 8, 45), 1500, workers=16, seed=1700)
    office(sim, network="10.200.0", pace=2.1)
    sim.start(4, monitoring(sim, "10.200.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(2, following(sim, "10.200.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    sim.run()
    stopped = sim.end + 1
    for later, text in (
        (0.0, "INFO - op_thread_cleanup - slapd shutting down - signaling operation threads - op "
         "stack size 5 max work q size 3 max work q stack size 3"),
        (0.1, "INFO - slapd_daemon - slapd shutting down - closing down internal subsystems and "
         "plugins"),
        (2.2, "INFO - main - slapd stopped."),
    ):  # fmt: skip
        _note(errors, stopped + later, text)
    for attempt in range(4):
        _failed_start(errors, stopped + 95 + 41 * attempt)
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    database = (
        f"nsslapd-db-home-directory: {_HOME}",
        "nsslapd-dbcachesize: 201326592\nnsslapd-cache-autosize: 25",
    )
    (folder / "dse.ldif").write_text(_settings(database=database), "utf-8")
    return sim.waited


def _failed_start(errors: Lines, begins: float) -> None:
    """One attempt, which ends where the database makes its regions."""
    texts = [
        "INFO - main - 389-Directory/2.2.4 B2023.184.0000 starting up",
        "INFO - main - Setting the maximum file descriptor limit to: 524288",
        "NOTICE - bdb_start_autotune - found 7884328k physical memory",
        "NOTICE - bdb_start_autotune - found 6302176k available",
        "NOTICE - bdb_start_autotune - cache autosizing: db cache: 196608k",
        f"ERR - no_diskspace - No enough space left on device ({_HOME}) ({_ROOM} bytes); at least "
        f"{_WANTED} bytes space is needed for db region files",
        "ERR - ldbm_back_start - Failed to init database, err=28 No space left on device",
        "ERR - ldbm_back_start - Failed to init database, because the disk is full",
        "ERR - plugin_dependency_startall - Failed to start database plugin ldbm database",
        *(f"ERR - plugin_dependency_startall - {text}" for text in _NOT_STARTED),
    ]
    for number, text in enumerate(texts):
        _note(errors, begins + 0.04 * number, text)


# ---- a change from another supplier, taken for anybody's -------------------------------------

_START, _END = "2.16.840.1.113730.3.5.12", "2.16.840.1.113730.3.5.5"
_CHECKED = (3, 41, 67, 118)
"""Sessions whose first change is checked against the ACIs."""


def write_change_checked(folder: Path) -> Waited:
    """Of some sessions of a supplier the first change is refused, and taken in the next."""
    log, errors = Log389("1.4.3.16", "hub2.example.com", "10.201.0.2"), Lines()
    sim = Simulation(log, utc(2021, 2, 18, 17, 40), 1800, workers=16, seed=1701)
    office(sim, network="10.201.0", pace=1.5)
    sim.start(3, monitoring(sim, "10.201.0.9", service("monitor"), every=20, base="cn=monitor"))
    sim.start(1, _supplier(sim, errors, "10.201.0.1", _CHECKED))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    more = "nsslapd-errorlog-level: 262144\nnsslapd-enable-turbo-mode: on"
    text = _settings(more) + _entry(
        "cn=replica,cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config",
        f"objectClass: nsDS5Replica\ncn: replica\nnsDS5ReplicaRoot: {SUFFIX}",
        f"nsDS5ReplicaId: 2\nnsDS5ReplicaType: 3\nnsDS5Flags: 1\nnsDS5ReplicaBindDN: {_MANAGER}",
    )
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _supplier(
    sim: Simulation, errors: Lines, address: str, checked: tuple[int, ...] = ()
) -> Client:
    """Sessions of a supplier over one connection, each with the changes since the last."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, _MANAGER)
    session, serial, again = 0, 0x6028, ""
    while True:
        yield _session_step(sim, connection, _START)
        yield 0.003
        for change in range(sim.random.randrange(1, 6)):
            serial += 0 if again else 1
            who, again = again or person(sim.random.randrange(4000)), ""
            told = Request(connection, "MOD", sim.about(0.005), who, query="telephoneNumber")
            told.csn = f"602e8b{serial:06x}00010000"
            if change == 0 and session in checked:
                told.error, told.took, told.culprit = 50, sim.about(0.0006), True
                _note(
                    errors,
                    sim.now + 3e-4,
                    "DEBUG - NSACLPlugin - print_access_control_summary - "
                    f"conn={connection.number} op={connection.operations} (main): Deny write on "
                    f"entry({who}).attr(telephoneNumber) to {_MANAGER}: no aci matched the "
                    f'subject by aci(174): aciname= "Admin ACI", acidn="{SUFFIX}"',
                )
                yield told
                again = who
                break
            yield told
            yield sim.about(0.002)
        yield _session_step(sim, connection, _END)
        session += 1
        yield sim.random.uniform(3, 18)


def _session_step(sim: Simulation, connection: Connection, kind: str) -> Request:
    """A session of replication begins or ends."""
    step = Request(connection, "EXT", sim.about(0.004), query=kind)
    step.attributes = "replication-multimaster-extop"
    return step


# ---- which hosts have this in their name? ----------------------------------------------------

_WORDS = ("web", "db", "mail", "build", "gpu", "edge", "lab", "kiosk")
_SHOWN = (
    "fqdn", "description", "l", "nsHostLocation", "nsHardwarePlatform", "nsOsVersion",
    "managedBy",
)  # fmt: skip


def write_hosts_by_parts(folder: Path) -> Waited:
    """`ipa host-find web` looks for the word within seven attributes, with no index for parts."""
    log = Log13("1.3.7.4", "ipa3.example.com", "10.202.0.2", ten_digits=True)
    sim = Simulation(log, utc(2017, 10, 24, 9, 10), 1500, workers=30, seed=1702)
    office(sim, network="10.202.0", pace=1.3)
    for number in range(4):
        sim.start(20 + 31 * number, _host_find(sim, f"10.202.0.{51 + number}", 5.4, 42, "U"))
    for number in range(12):
        sim.start(1 + 2.3 * number, _host_reader(sim, f"10.202.2.{20 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    indexes = _INDEXED | {"fqdn": _EQUAL, "managedby": _EQUAL, "cn": _PARTS, "krbprincipalname":
                          _EQUAL}  # fmt: skip
    (folder / "dse.ldif").write_text(_settings(threads=30, indexes=indexes), "utf-8")
    return sim.waited


def _host_find(sim: Simulation, address: str, took: float, every: float, notes: str) -> Client:
    """A framework that answers `host-find`: a connection, a bind with a ticket, the search."""
    while True:
        connection = sim.connect(address)
        yield 0.002
        for step in range(3):
            ticket = Request(connection, "BIND", sim.about(0.002), "", query="GSSAPI")
            ticket.error = 0 if step == 2 else 14
            if step == 2:
                ticket.dn = f"uid=admin,cn=users,cn=accounts,{SUFFIX}"
            yield ticket
            yield 0.001
        word = sim.random.choice(_WORDS)
        parts = "".join(f"({name}=*{word}*)" for name in _SHOWN)
        query = (
            f"(&(|{parts})(&(objectClass=ipaobject)(objectClass=nshost)(objectClass=ipahost)"
            "(objectClass=pkiuser)(objectClass=ipaservice)))"
        )
        found = Request(connection, "SRCH", sim.about(took, 0.1), HOSTS, 2, query)
        found.attributes = "fqdn description l nsHostLocation memberOf krbPrincipalName"
        found.entries, found.notes, found.culprit = 100, notes, bool(notes)
        yield found
        sim.close(connection)
        yield sim.random.expovariate(1 / every)


def _host_reader(sim: Simulation, address: str) -> Client:
    """A host that reads its own entry by its name."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("sssd"))
    while True:
        yield sim.random.expovariate(1 / 25)
        query = f"(&(objectClass=ipahost)(fqdn=web{sim.random.randrange(900)}.example.com))"
        yield search(sim, connection, HOSTS, query, 0.0009)


# ---- who sleeps with the lock in the hand ----------------------------------------------------

_LOCK = "backend"
_LIBDB = "target:/usr/lib64/dirsrv/plugins/libback-ldbm.so"
_SLAPD = "target:/usr/lib64/dirsrv/libslapd.so.0"
_LIBC = "target:/lib64/libc.so.6"
_NSPR = "target:/lib64/libnspr4.so"
_CHANGE = (
    f"ldbm_back_modify () at {_LIBDB}",
    f"op_shared_modify () at {_SLAPD}",
    f"do_modify () at {_SLAPD}",
    "connection_threadmain () at target:/usr/sbin/ns-slapd",
)
_SLEEPS = (
    f"clock_nanosleep@@GLIBC_2.17 () at {_LIBC}",
    f"nanosleep () at {_LIBC}",
    f"DS_Sleep () at {_SLAPD}",
    *_CHANGE,
)
_QUEUES = (
    f"__futex_abstimed_wait_common () at {_LIBC}",
    f"pthread_cond_wait@@GLIBC_2.3.2 () at {_LIBC}",
    f"PR_EnterMonitor () at {_NSPR}",
    f"dblayer_lock_backend () at {_LIBDB}",
    f"dblayer_txn_begin () at {_LIBDB}",
    *_CHANGE,
)
_DEFERRED = (
    f"__futex_abstimed_wait_common () at {_LIBC}",
    f"pthread_cond_wait@@GLIBC_2.3.2 () at {_LIBC}",
    f"PR_EnterMonitor () at {_NSPR}",
    f"dblayer_lock_backend () at {_LIBDB}",
    f"dblayer_txn_begin () at {_LIBDB}",
    f"ldbm_back_modify () at {_LIBDB}",
    f"op_shared_modify () at {_SLAPD}",
    f"modify_internal_pb () at {_SLAPD}",
    "memberof_add_memberof_attr () at target:/usr/lib64/dirsrv/plugins/libmemberof-plugin.so",
    "deferred_thread_func () at target:/usr/lib64/dirsrv/plugins/libmemberof-plugin.so",
)
_IDLE = (
    f"__futex_abstimed_wait_common () at {_LIBC}",
    f"pthread_cond_wait@@GLIBC_2.3.2 () at {_LIBC}",
    "connection_wait_for_new_work () at target:/usr/sbin/ns-slapd",
    "connection_threadmain () at target:/usr/sbin/ns-slapd",
)
_START_OF = (
    f"_pt_root () at {_NSPR}",
    f"start_thread () at {_LIBC}",
    f"__clone3 () at {_LIBC}",
)


def write_sleeping_writer(folder: Path) -> Waited:
    """A change that met a deadlock sleeps before it tries again, and keeps the lock of all."""
    log, errors = Log389("2.6.4", "ipa5.example.com", "10.203.0.2"), Lines()
    sim = Simulation(log, utc(2026, 4, 29, 10, 0), 1500, workers=24, seed=1703)
    office(sim, network="10.203.0", pace=1.6, lock=_LOCK)
    for number in range(9):
        sim.start(3 + 1.1 * number, _provisions(sim, f"10.203.0.{61 + number}"))
    sim.start(40, _sleeper(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    deferred = _entry(
        "cn=MemberOf Plugin,cn=plugins,cn=config",
        "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject\ncn: MemberOf Plugin",
        "nsslapd-pluginEnabled: on\nmemberofgroupattr: member\nmemberofattr: memberOf",
        "memberOfDeferredUpdate: on",
    )
    database = ("nsslapd-serial-lock: on\nnsslapd-dbcachesize: 1610612736",)
    text = _settings(threads=24, database=database) + deferred
    (folder / "dse.ldif").write_text(text, "utf-8")
    for sample in (1, 2, 3):
        (folder / f"stacks.{sample}.txt").write_text(_stacks(), "utf-8")
    return sim.waited


def _provisions(sim: Simulation, address: str) -> Client:
    """People and hosts come, change and go, several a second."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("idm"))
    while True:
        yield sim.random.expovariate(1 / 1.3)
        number = 20_000 + sim.random.randrange(9000)
        kind = sim.random.choice(("ADD", "MOD", "MOD", "DEL"))
        took = Request(connection, kind, sim.about(0.007), person(number), lock=_LOCK)
        took.query = "telephoneNumber" if kind == "MOD" else ""
        yield took


def _sleeper(sim: Simulation, errors: Lines) -> Client:
    """Large groups are changed; now and then such a change meets a deadlock, and sleeps."""
    connection = sim.connect("10.203.0.71")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("idm"))
    turn = 0
    while True:
        turn += 1
        group = f"cn=all-{turn % 7},{GROUPS}"
        joins = Request(connection, "MOD", sim.about(0.03), group, query="member", lock=_LOCK)
        if turn % 3 == 0:
            joins.took, joins.culprit = sim.random.uniform(6, 14), True
        if turn % 15 == 0:
            joins.error = 51
            _note(
                errors,
                sim.now + joins.took,
                "ERR - ldbm_back_modify - Retry count exceeded in modify",
            )
        yield joins
        yield sim.random.uniform(8, 15)


def _stacks() -> str:
    """All threads while one sleeps: the others wait for the lock, or for work."""
    threads = (_SLEEPS, *(_QUEUES for _ in range(9)), _DEFERRED, *(_IDLE for _ in range(14)))
    return "\n".join(_stack(number, frames) for number, frames in enumerate(threads, 2))


def _stack(number: int, frames: tuple[str, ...]) -> str:
    lwp, thread = 41_220 + number, 0xB1A56C0 + number * 0x801000
    lines = [f'Thread {number} (Thread 0x7f31{thread:08x} (LWP {lwp}) "ns-slapd"):']
    for depth, frame in enumerate((*frames, *_START_OF)):
        lines.append(f"#{depth:<3d}0x00007f35{0x22081332 - depth * 0x131D0:08x} in {frame}")
    return "\n".join(lines) + "\n"


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_tuesday(folder: Path) -> Waited:
    """A supplier brings its changes, hosts are looked for with an index, people come at nine."""
    log, errors = Log389("2.5.2", "ds7.example.com", "10.204.0.2"), Lines()
    sim = Simulation(log, utc(2025, 10, 7, 8, 50), 1800, workers=24, seed=1710)
    office(sim, network="10.204.0", pace=2.2)
    sim.start(5, monitoring(sim, "10.204.0.9", service("monitor"), every=15, base="cn=monitor"))
    sim.start(1, _supplier(sim, errors, "10.204.0.1"))
    sim.start(2, following(sim, "10.204.0.8", service("dns"), "cn=dns," + SUFFIX, "(cn=*)"))
    for number, name in enumerate(("wiki", "vpn", "tickets"), start=51):
        sim.start(0.3 * number, application(sim, f"10.204.0.{number}", service(name), every=0.8))
    for number in range(10):
        sim.start(1 + 2.3 * number, _host_reader(sim, f"10.204.2.{20 + number}"))
    sim.start(20, changes(sim, "10.204.0.62", service("self-service"), every=15))
    sim.start(400, _names(sim, "10.204.0.63"))
    for seat in range(60):
        begin = 500 + sim.random.uniform(0, 500)
        sim.start(begin, sign_in(sim, f"10.204.1.{20 + seat}", 1 if seat % 19 == 4 else 0))
    sim.run()
    _note(errors, sim.begin - 86_400 * 9, "INFO - main - 389-Directory/2.5.2 B2024.208.0000 "
          "starting up")  # fmt: skip
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    database = (f"nsslapd-db-home-directory: {_HOME}\nnsslapd-dbcachesize: 1610612736",)
    indexes = _INDEXED | {"fqdn": _PARTS, "cn": _PARTS, "uidNumber": _EQUAL}
    text = _settings(threads=24, database=database, indexes=indexes)
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _names(sim: Simulation, address: str) -> Client:
    """Somebody looks for hosts by a part of their names, and reads some of what was found."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("inventory"))
    for turn in range(40):
        word = sim.random.choice(_WORDS)
        query = f"(&(objectClass=ipahost)(fqdn=*{word}*))"
        yield search(sim, connection, HOSTS, query, 0.006, entries=90)
        yield sim.random.uniform(2, 9)
        number = turn * 7 % 900
        yield read(sim, connection, f"fqdn={word}{number}.example.com,{HOSTS}")
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        yield sim.random.uniform(6, 20)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "little_shared_memory",
        "No enough space left on device (/dev/shm (2023)",
        "https://github.com/389ds/389-ds-base/issues/5949",
        DS,
        "in a container /dev/shm has 64 MiB; the database keeps its regions there "
        "(nsslapd-db-home-directory) and wants 211 MB: the server does not come up again",
        r"\bspace\b|/dev/shm|shared memory|\broom\b|\bfull\b|(not|never|fail\w* to|cannot|could "
        rf"not) (be )?(start|come up)|start(s|ed)? again|restart|{REFUSED}",
        (
            r"/dev/shm|shared memory|db-home|home directory|region",
            r"\bspace\b|\broom\b|\bfull\b|too (small|little)|not enough|\bbytes\b|\bMi?B\b",
        ),
        r"shm-size|/dev/shm|shared memory|nsslapd-db-home-directory|tmpfs|smaller cache|"
        r"dbcachesize|more (room|space)",
        write_little_shared_memory,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH, r"descriptor"),
    ),
    Case(
        "change_checked_for_rights",
        "replicated operation sometime checks ACI (2021)",
        "https://github.com/389ds/389-ds-base/issues/4764",
        DS,
        "now and then the first change of a session of replication is not marked as replicated (a "
        "race) and so checked against the ACIs: refused with 50, and taken in the next session",
        rf"\bcode 50\b|err(or)?[= ]+50\b|result 50\b|insufficient|\baccess\b|{REFUSED}",
        (
            r"replication manager|replicat|supplier|10\.201\.0\.1\b",
            r"\b50\b|insufficient|access|denied|deny|refus",
        ),
        r"upgrade|newer (version|release)|update the server|4764|turbo|fixed in|again by itself|"
        r"retr(y|ies|ied)|defect|bug",
        write_change_checked,
        accused=(
            BLAMES_AN_INDEX,
            DISK,
            THREADS,
            BLAMES_A_HASH,
            r"\b(grant|add|write|give)\b.{0,40}\b(aci|rights?)\b",
        ),
    ),
    Case(
        "hosts_by_parts",
        "[Backport][ipa-4-6] Add indexing to improve host-find performance (2017)",
        "https://github.com/freeipa/freeipa/pull/1245",
        DS,
        "host-find looks for a word within seven attributes of hosts, of which none has an index "
        "for parts (sub): each such search goes through all hosts, 5.4 s",
        rf"{UNINDEXED}|\bindex|\bsubstring|{STANDS_OUT}",
        (r"fqdn|nsHostLocation|nsHardwarePlatform|nsOsVersion|description",),
        r"(index|sub\b).{0,160}(fqdn|description|nsHostLocation|nsOsVersion)|"
        r"(fqdn|description|nsHostLocation|nsOsVersion).{0,160}(index|\bsub\b)|backend index|"
        r"nsIndexType",
        write_hosts_by_parts,
        share=0.99,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "sleeps_with_the_lock",
        "Freeze under heavy write load with BDB backend (2026)",
        "https://github.com/389ds/389-ds-base/issues/7462",
        DS,
        "a change that met a deadlock sleeps before it tries again and keeps the lock that lets "
        "one change at a time into the back end: all other changes wait, up to 14 s",
        rf"dead-?lock|{BLOCKS}|{HANGS}|\block|sleep|serial|wait(s|ing|ed)? (for|on|behind)|"
        r"at (a|one) time|dblayer_lock_backend",
        (
            r"\bMODs?\b|modif|\bchanges?\b|\bwrit(e|es|ers?|ing)\b|ldbm_back_modify",
            r"\block|sleep|serial|DS_Sleep|dblayer_lock_backend|dead-?lock|\bbehind\b|blocks?",
        ),
        r"upgrade|newer (version|release)|7462|serial-lock|\blmdb\b|\bmdb\b|memberOfDeferredUpdate|"
        r"fewer (changes|writers)|(smaller|split).{0,40}(change|group)|one (after|at a)|spread|"
        r"off.?peak|another time",
        write_sleeping_writer,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_tuesday",
        "a supplier brings changes, hosts are looked for by parts of names, people come at nine",
        DS,
        write_healthy_tuesday,
    ),
)
