"""The eighth ten, 389 DS: maps built anew, 8,000 questions, binds and updates that never end."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.field.batch3 import END_SESSION, START_SESSION
from tests.field.batch4 import GIVES_UP
from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SOCKET, SUFFIX
from tests.field.case import (
    AGAIN,
    DISK,
    DS,
    FOLLOWS,
    HANGS,
    NEW_CONNECTIONS,
    STANDS_OUT,
    THREADS,
    Case,
    Healthy,
)
from tests.field.dialects import Lines, Log13, Log389, stamp_389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    monitoring,
    office,
    person,
    sasl,
    search,
)

USERS, IPA_GROUPS = f"cn=users,cn=accounts,{SUFFIX}", f"cn=groups,cn=accounts,{SUFFIX}"
CONFIG = f"cn=ipaconfig,cn=etc,{SUFFIX}"


def _say(errors: Lines, at: float, text: str) -> None:
    errors.add(at, f"{stamp_389(at)} - {text}")


def _read(sim: Simulation, connection: Connection, dn: str, *, entries: int = 1) -> Request:
    """One entry by its DN."""
    read = Request(connection, "SRCH", sim.about(0.0006), dn, 0, "(objectClass=*)")
    read.entries, read.error = entries, 0 if entries else 32
    return read


# ---- the maps of a NIS server are built anew -------------------------------------------------


_NIS = f"""dn: cn=config
objectClass: top
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: 16
nsslapd-errorlog-level: 16384

dn: cn=NIS Server,cn=plugins,cn=config
objectClass: top
objectClass: nsSlapdPlugin
objectClass: extensibleObject
cn: NIS Server
nsslapd-pluginPath: /usr/lib64/dirsrv/plugins/nisserver-plugin.so
nsslapd-pluginInitfunc: nis_plugin_init
nsslapd-pluginType: object
nsslapd-pluginbetxn: on
nsslapd-pluginEnabled: on
nsslapd-pluginId: nis-plugin
nis-tcp-wrappers-name: nis-server

dn: nis-domain=example.com+nis-map=group.byname,cn=NIS Server,cn=plugins,cn=config
objectClass: top
objectClass: extensibleObject
nis-domain: example.com
nis-map: group.byname
nis-base: cn=groups,cn=accounts,{SUFFIX}
nis-secure: no

dn: nis-domain=example.com+nis-map=group.bygid,cn=NIS Server,cn=plugins,cn=config
objectClass: top
objectClass: extensibleObject
nis-domain: example.com
nis-map: group.bygid
nis-base: cn=groups,cn=accounts,{SUFFIX}
nis-secure: no

"""


def write_nis_maps(folder: Path) -> Waited:
    """A new user joins a group of 2,100, for which a plug-in builds its maps of groups anew."""
    log = Log389("2.2.4", "ipa1.example.com", "10.90.0.2", 389)
    sim = Simulation(log, utc(2023, 6, 1, 9, 0), 2700, workers=16, seed=500)
    office(sim, network="10.90.0", lock="backend")
    for number, every in ((25, 5.0), (26, 7.0)):
        dn = f"cn=self-service{number},ou=services,{SUFFIX}"
        sim.start(2, changes(sim, f"10.90.0.{number}", dn, every=every, lock="backend"))
    sim.start(40, _new_users(sim))
    sim.start(15, _other_groups(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(_NIS, "utf-8")
    return sim.waited


def _new_users(sim: Simulation) -> Client:
    """What `ipa user-add` asks for, from the server's own web service."""
    number = 5200
    while True:
        yield sim.random.expovariate(1 / 105)
        number += 1
        dn, group = person(number, USERS), f"cn=ipausers,{IPA_GROUPS}"
        connection = sim.connect("10.90.0.2")
        yield 0.002
        yield from sasl(sim, connection, f"uid=helpdesk,{USERS}", "GSSAPI")
        yield _read(sim, connection, CONFIG)
        yield _read(sim, connection, dn, entries=0)
        yield Request(connection, "ADD", sim.about(0.9, 0.1), dn, lock="backend")
        joins = Request(connection, "MOD", sim.about(30.4, 0.05), group, lock="backend")
        joins.culprit = True
        yield joins
        yield _read(sim, connection, dn)
        sim.close(connection)


def _other_groups(sim: Simulation) -> Client:
    """Somebody fills smaller groups, by a change for a person."""
    connection = sim.connect("10.90.0.17")
    yield 0.002
    yield from sasl(sim, connection, f"uid=teamlead,{USERS}", "GSSAPI")
    while True:
        yield sim.random.expovariate(1 / 50)
        group = f"cn=project{sim.random.randrange(30)},{IPA_GROUPS}"
        yield _read(sim, connection, group)
        yield Request(connection, "MOD", sim.about(0.16), group, lock="backend")


# ---- users times mailboxes -------------------------------------------------------------------


_MAILBOXES = (
    *("support", "sales", "billing", "press", "events", "jobs", "privacy", "abuse", "office"),
    *("returns", "partners", "training", "security", "travel", "facilities", "library"),
    *("legal", "shipping", "research", "alumni"),
)


def write_mailboxes(folder: Path) -> Waited:
    """A help desk asks for its 400 users, one by one, whether they are in any of 20 groups."""
    log = Log389("2.6.3", "ds1.example.com", "10.91.0.2")
    sim = Simulation(log, utc(2026, 4, 11, 10, 0), 1500, workers=16, seed=501)
    office(sim, network="10.91.0")
    for second in (130, 910):
        sim.start(second, _permissions(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _permissions(sim: Simulation) -> Client:
    connection = sim.connect("10.91.0.30")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=freescout,ou=services,{SUFFIX}")
    for mailbox in _MAILBOXES:
        query = f"(memberOf=cn=mailbox-{mailbox},{GROUPS})"
        for number in range(400):
            asked = Request(connection, "SRCH", sim.about(0.0011), person(number), 2, query)
            asked.entries = 1 if sim.random.random() < 0.06 else 0
            asked.culprit = True
            yield asked
            yield sim.about(0.03, 0.2)
    sim.close(connection)


# ---- binds without an answer -----------------------------------------------------------------


PARTNERS = "ou=people,o=partners"
_IMPORT_S = (420.0, 938.0)


def write_unanswered_binds(folder: Path) -> Waited:
    """While the database of the partners is filled, their binds end without any answer."""
    log, errors = Log389("1.4.4.17", "ds2.example.com", "10.92.0.2"), Lines()
    sim = Simulation(log, utc(2022, 1, 12, 12, 30), 1500, workers=16, seed=502)
    office(sim, network="10.92.0")
    sim.start(3, _partners(sim))
    sim.start(_IMPORT_S[0] - 0.2, _import_task(sim))
    _progress(sim, errors)
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _partners(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 3.2)
        sim.start(sim.now - sim.begin, _partner(sim, sim.random.randrange(900)))


def _partner(sim: Simulation, number: int) -> Client:
    """A login at a portal, which knows where the entry of a partner is."""
    connection = sim.connect("10.92.0.60")
    yield HANDSHAKE_S
    bind = binding(sim, connection, person(number, PARTNERS), 0.003)
    second = sim.now - sim.begin
    if _IMPORT_S[0] <= second < _IMPORT_S[1]:
        # The thread goes on to other work at once; only the answer is never sent.
        bind.detached = True
        sim.waited.total += 30.0
        sim.waited.culprit += 30.0
        sim.at(second + 30.0, partial(sim.close, connection, clean=False))
    yield bind
    yield sim.about(0.01)
    yield _read(sim, connection, person(number, PARTNERS))
    yield sim.about(0.4)
    sim.close(connection)


def _import_task(sim: Simulation) -> Client:
    """The administrator's tool begins the import, and looks every second how far it is."""
    connection = sim.connect("", SOCKET)
    task = "cn=import_2022-01-12T12:37:00.083172,cn=import,cn=tasks,cn=config"
    yield 0.01
    yield Request(connection, "ADD", 0.014, task)
    while sim.now < sim.begin + _IMPORT_S[1] + 2:
        yield 1.0
        yield _read(sim, connection, task)
    sim.close(connection)


def _progress(sim: Simulation, errors: Lines) -> None:
    first, last = (sim.begin + second for second in _IMPORT_S)
    where, rate = "import partners:", 418.0
    _say(errors, first, f"INFO - bdb_import_main - {where} Beginning import job...")
    _say(
        errors,
        first + 0.3,
        f'INFO - bdb_import_producer - {where} Processing file "/var/lib/dirsrv/partners.ldif"',
    )
    for second in range(20, int(last - first), 20):
        entries = round(rate * second)
        _say(
            errors,
            first + second,
            f"INFO - bdb_import_monitor_threads - {where} Processed {entries} entries -- average "
            f"rate {rate:.1f}/sec, recent rate {rate:.1f}/sec, hit ratio 100%",
        )
    took = round(last - first)
    _say(
        errors,
        last,
        f"INFO - bdb_public_bdb_import_main - {where} Import complete.  Processed "
        f"{round(rate * took)} entries in {took} seconds. ({rate:.2f} entries/sec)",
    )


# ---- a total update that is abandoned --------------------------------------------------------


NEW_ENTRY, EXTENSION = "2.16.840.1.113730.3.5.6", "replication-multisupplier-extop"
_REPLICA = "NSMMReplicationPlugin - multisupplier_be_state_change - Replica dc=example,dc=com is"


class _Consumer(Simulation):
    """While it has no data of its own, a consumer sends its clients to the supplier."""

    offline = False

    def _serve(self, request: Request, client: Client) -> None:
        if self.offline and request.kind != "EXT" and request.dn.endswith(SUFFIX):
            request.error, request.entries, request.took = 10, 0, self.about(0.0003)
        super()._serve(request, client)


def write_total_update(folder: Path) -> Waited:
    """The supplier gives up a total update when it is asked to wait, and begins all over again.

    The lines are those of https://github.com/389ds/389-ds-base/issues/6551.
    """
    log, errors = Log389("2.5.2", "consumer2.example.com", "10.93.0.2"), Lines()
    sim = _Consumer(log, utc(2025, 1, 28, 9, 0), 1800, workers=16, seed=503)
    office(sim, network="10.93.0")
    for second in (310, 655, 1040):
        sim.start(second, _total_update(sim, errors, 250, busy=True))
    sim.start(1432, _total_update(sim, errors, 6214, busy=False))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _extended(sim: Simulation, connection: Connection, oid: str, took: float) -> Request:
    return Request(connection, "EXT", sim.about(took), query=oid, attributes=EXTENSION)


def _total_update(sim: _Consumer, errors: Lines, entries: int, *, busy: bool) -> Client:
    connection = sim.connect("10.93.0.71")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    yield Request(
        connection, "SRCH", sim.about(0.0006), "", 0, "(objectClass=*)", "supportedControl"
    )
    began = sim.now
    if not sim.offline:
        _say(errors, began, f"NOTICE - {_REPLICA} going offline; disabling replication")
    _say(
        errors,
        began + 0.02,
        "INFO - bdb_instance_start - Import is running with nsslapd-db-private-import-mem on; No "
        "other process is allowed to access the database",
    )
    sim.offline = True
    yield _extended(sim, connection, START_SESSION, 0.03)
    for number in range(1, entries + 1):
        entry = _extended(sim, connection, NEW_ENTRY, 0.0009 if busy else 0.0055)
        entry.error = 51 if busy and number == entries else 0
        yield entry
    if not busy:
        yield _extended(sim, connection, END_SESSION, 0.6)
        sim.offline = False
    sim.close(connection)
    _after_update(errors, sim.now, entries, round(sim.now - began), busy=busy)


def _after_update(errors: Lines, at: float, entries: int, took: int, *, busy: bool) -> None:
    main = "bdb_public_bdb_import_main - import userroot:"
    if busy:
        _say(errors, at + 0.01, "ERR - factory_destructor - ERROR bulk import abandoned")
        _say(
            errors,
            at + 0.4,
            "ERR - bdb_import_run_pass - import userroot: Thread monitoring returned: -23",
        )
        _say(errors, at + 0.9, f"INFO - {main} Closing files...")
        _say(errors, at + 1.0, f"ERR - {main} Import failed.")
        return
    rate = entries / took
    _say(
        errors,
        at + 0.1,
        f"INFO - {main} Import complete.  Processed {entries} entries in {took} seconds. "
        f"({rate:.2f} entries/sec)",
    )
    _say(errors, at + 0.2, f"NOTICE - {_REPLICA} coming online; enabling replication")


# ---- a call for a change ---------------------------------------------------------------------


def write_user_sync(folder: Path) -> Waited:
    """People of a cloud are added by four calls a person, with a connection and a bind a call."""
    log = Log13("1.3.10.2", "ipaserver0.example.com", "10.94.0.2", ten_digits=True)
    sim = Simulation(log, utc(2021, 1, 13, 15, 0), 1200, workers=24, seed=504)
    office(sim, network="10.94.0", pace=0.8, lock="backend")
    sim.start(70, _synchronisation(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _synchronisation(sim: Simulation) -> Client:
    number = 10_000
    while True:
        number += 1
        dn = person(number, USERS)
        admins, workers = f"cn=cdp-admins,{IPA_GROUPS}", f"cn=cdp-users-{number % 9},{IPA_GROUPS}"
        for kind, entry, took in (
            ("ADD", dn, 0.11),
            ("MOD", dn, 0.04),
            ("MOD", workers, 0.13),
            ("MOD", admins, 0.09),
        ):
            yield from _call(sim, kind, entry, took)
            yield sim.about(0.19, 0.2)


def _call(sim: Simulation, kind: str, entry: str, took: float) -> Client:
    """A command of the web service, which looks around before and after its change."""
    connection = sim.connect("", SOCKET)
    yield 0.001
    for step in sasl(sim, connection, f"uid=usersync,{USERS}", "GSSAPI"):
        if isinstance(step, Request):
            step.culprit = True
        yield step
    requests = [
        _read(sim, connection, CONFIG),
        _read(sim, connection, entry, entries=0 if kind == "ADD" else 1),
        Request(connection, kind, sim.about(took, 0.2), entry, lock="backend"),
    ]
    if kind == "ADD":
        group = f"cn=ipausers,{IPA_GROUPS}"
        requests.append(Request(connection, "MOD", sim.about(0.08, 0.2), group, lock="backend"))
    requests.append(_read(sim, connection, entry))
    for request in requests:
        request.culprit = True
        yield request
        yield 0.002
    sim.close(connection)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_backup(folder: Path) -> Waited:
    """At night a backup runs, a supplier brings what it has, and a report reads everybody once."""
    log, errors = Log389("2.6.1", "ds7.example.com", "10.95.0.2"), Lines()
    sim = Simulation(log, utc(2025, 11, 4, 2, 0), 1800, workers=16, seed=510)
    office(sim, network="10.95.0", pace=0.5)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.95.0.9", reader, every=60, base="cn=monitor"))
    sim.start(300, _backup(sim, errors))
    sim.start(640, _report(sim))
    for second in (95, 1010):
        sim.start(second, _supplier(sim))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _backup(sim: Simulation, errors: Lines) -> Client:
    connection = sim.connect("", SOCKET)
    task = "cn=backup_2025-11-04T02:05:00.014215,cn=backup,cn=tasks,cn=config"
    yield 0.01
    yield Request(connection, "ADD", 0.012, task)
    _say(errors, sim.now, "INFO - task_backup_thread - Beginning backup of 'ldbm database'")
    for _ in range(48):
        yield 1.0
        yield _read(sim, connection, task)
    _say(errors, sim.now, "INFO - task_backup_thread - Backup finished.")
    sim.close(connection)


def _report(sim: Simulation) -> Client:
    connection = sim.connect("10.95.0.18")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=report,ou=services,{SUFFIX}")
    yield search(sim, connection, PEOPLE, "(objectClass=posixAccount)", 0.9, entries=3912)
    yield search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.08, entries=211)
    sim.close(connection)


def _supplier(sim: Simulation) -> Client:
    """A session of replication with some hundreds of changes."""
    connection = sim.connect("10.95.0.71")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    yield _extended(sim, connection, START_SESSION, 0.004)
    for number in range(420):
        csn = f"{int(sim.now):08x}{number:04x}00040000"
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.004), who, csn=csn)
        yield sim.about(0.03)
    yield _extended(sim, connection, END_SESSION, 0.004)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "nis_maps_rebuilt",
        "nis server: limit group.byname and group.bygid maps to POSIX groups (2023)",
        "https://github.com/freeipa/freeipa/pull/6867",
        DS,
        "each new user changes the group ipausers, for which the NIS plug-in builds its maps anew: "
        "30 s, and all other changes wait",
        rf"\bMODs?\b|chang|\bwrit|\bNIS\b|{BLOCKS}|{STANDS_OUT}",
        (r"ipausers|\bNIS\b|nisserver", r"\bMODs?\b|chang|modif|writ|update"),
        r"\bNIS\b|slapi-nis|nisserver|compat|plug-?ins?\b",
        write_nis_maps,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS),
    ),
    Case(
        "users_times_mailboxes",
        "[ldap] Mailbox permissions filter is very inefficient (2026)",
        "https://github.com/freescout-help-desk/freescout/issues/5330",
        DS,
        "a help desk asks 8,000 times whether one user is in one group: 400 users, 20 groups",
        rf"{FOLLOWS}|{AGAIN}|empty|no(thing| entr)|in vain|{STANDS_OUT}",
        (r"10\.91\.0\.30|freescout", r"memberOf|mailbox"),
        r"one (search|request|question|filter|go)|once|single|bulk|batch|together|fewer|in one|"
        r"list|\bmember\b|\bcach(e|es|ed|ing)\b|remember",
        write_mailboxes,
        share=0.80,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, r"nsIndexType"),
    ),
    Case(
        "binds_without_answer",
        "During a bind, if the target entry is not reachable the operation may complete without "
        "sending result (2022)",
        "https://github.com/389ds/389-ds-base/issues/5105",
        DS,
        "while a database is imported, binds of its people are never answered; all else is fast",
        rf"{HANGS}|{GIVES_UP}|without any answer",
        (r"\bbinds?\b|log ?ins?\b", r"o=partners|10\.92\.0\.60|\bimport"),
        r"upgrade|newer version|fixed in|5105|quiet|at night|off-?line|stack|\bgdb\b",
        write_unanswered_binds,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, r"password (hash|storage)|pbkdf2|iteration"),
    ),
    Case(
        "total_update_gives_up",
        "During a online total init if the supplier receives a LDAP_BUSY it should retry (2025)",
        "https://github.com/389ds/389-ds-base/issues/7055",
        DS,
        "the consumer is busy for a moment (51), so that the supplier abandons the total update, "
        "three times; meanwhile all clients are referred elsewhere (10)",
        rf"replica|supplier|total (update|init)|initiali[sz]|referral|bulk import|{REFUSED}",
        (
            r"\bbusy\b|\b51\b|abandon|bulk import|import failed|total (update|init)|initiali[sz]",
            r"10\.93\.0\.71|replica|supplier|3\.5\.6",
        ),
        r"flow.?control|upgrade|newer version|fixed in|7055|\bLDIF\b|off-?line|initiali[sz]|"
        r"retry|try again",
        write_total_update,
        accused=(BLAMES_AN_INDEX, THREADS, r"password (hash|storage)|pbkdf2|iteration"),
    ),
    Case(
        "call_for_a_change",
        "CB-10143 User sync takes a significant amount of time (2021)",
        "https://github.com/hortonworks/cloudbreak/pull/9786",
        DS,
        "people are added one by one by four calls, and a call is a connection, a bind, a change",
        rf"{FOLLOWS}|{NEW_CONNECTIONS}|one after|\bMODs?\b|\bADDs?\b|chang|{STANDS_OUT}",
        (
            r"usersync|\blocal\b|socket",
            rf"{FOLLOWS}|{NEW_CONNECTIONS}|GSSAPI|SASL|\bMODs?\b|\bADDs?\b|chang|modif|writ",
        ),
        r"batch|bulk|together|one connection|keep|reuse|pool|fewer|at once|in one",
        write_user_sync,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_backup",
        "a night with a backup, a supplier that catches up, and a report",
        DS,
        write_healthy_backup,
    ),
)
