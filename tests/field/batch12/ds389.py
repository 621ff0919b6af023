"""The twelfth ten, 389 DS: one listener, long lists, a purge, a lost group, failed ranges."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch3 import END_SESSION, START_SESSION
from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SOCKET, SUFFIX
from tests.field.batch8.ds389 import EXTENSION
from tests.field.batch9.school import read, service, sign_in
from tests.field.case import DISK, DS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    following,
    monitoring,
    office,
    person,
    sasl,
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"


def _say(errors: Lines, at: float, text: str) -> None:
    errors.add(at, f"{stamp_389(at)} - {text}")


def _entry(dn: str, *lines: str) -> str:
    """An entry of dse.ldif."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _server(threads: int, *more: str) -> str:
    level = "nsslapd-errorlog-level: 16384"
    lines = ("objectClass: nsslapdConfig", "cn: config", f"nsslapd-threadnumber: {threads}", level)
    return _entry("cn=config", *lines, *more)


def _database(*more: str) -> str:
    where = "cn=config,cn=ldbm database,cn=plugins,cn=config"
    return _entry(where, "objectClass: extensibleObject", "cn: config", *more)


def _backend(*more: str) -> str:
    """The back end of people and groups, with its caches."""
    return _entry(
        "cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
        f"objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: {SUFFIX}",
        *more,
    )


def _plugin(name: str, *more: str) -> str:
    kind = "objectClass: nsSlapdPlugin\nobjectClass: extensibleObject"
    enabled = "nsslapd-pluginEnabled: on"
    return _entry(f"cn={name},cn=plugins,cn=config", kind, f"cn: {name}", enabled, *more)


def _indexes(*names: str) -> str:
    """Indexes for equality."""
    return "".join(
        _entry(
            f"cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false\nnsIndexType: eq",
        )
        for name in ("objectclass", "uid", "mail", "cn", *names)
    )


# ---- all connections at one listener ---------------------------------------------------------

_HOSTS = 860
_LISTENERS = (
    "nsslapd-numlisteners: 4",
    "nsslapd-conntablesize: 16384",
    "nsslapd-maxdescriptors: 16384",
    "nsslapd-idletimeout: 0",
)


class _Late(Log389):
    """With the time that passed before a worker thread got a request."""

    def __init__(self, version: str, host: str, server: str) -> None:
        super().__init__(version, host, server)
        self.late: dict[Request, float] = {}

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        super().answered(at, request, queued + self.late.pop(request, 0.0), worked)


class _OneListener(Simulation):
    """The more connections are open, the later their one listener passes a request on."""

    late: dict[Request, float]
    open_now = 0

    def connect(self, address: str, local: str = "") -> Connection:
        self.open_now += 1
        return super().connect(address, local)

    def close(self, connection: Connection, *, clean: bool = True) -> None:
        self.open_now -= 1
        super().close(connection, clean=clean)

    def _serve(self, request: Request, client: Client) -> None:
        late_s = self.about(1.25 * (self.open_now / _HOSTS) ** 3 + 2e-5, 0.5)
        self.late[request] = late_s
        self.waited.total += late_s
        self.waited.culprit += late_s
        self.at(self.now - self.begin + late_s, lambda: self._pass_on(request, client))

    def _pass_on(self, request: Request, client: Client) -> None:
        super()._serve(request, client)


def write_one_listener(folder: Path) -> Waited:
    """The servers of a data centre start; the more are connected, the later all is begun."""
    log = _Late("2.2.8", "ds1.example.com", "10.140.0.2")
    sim = _OneListener(log, utc(2024, 7, 30, 6, 0), 2100, workers=24, seed=900)
    sim.late = log.late
    office(sim, network="10.140.0", pace=1.5)
    sim.start(8, monitoring(sim, "10.140.0.9", service("monitor"), every=20, base="cn=monitor"))
    for number in range(_HOSTS):
        address = f"10.140.{4 + number // 200}.{20 + number % 200}"
        sim.start(sim.random.uniform(60, 1260), _server_host(sim, address))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(
        f"{_server(24, *_LISTENERS)}{_indexes('member', 'memberOf', 'uidNumber')}", "utf-8"
    )
    return sim.waited


def _server_host(sim: Simulation, address: str) -> Client:
    """A host that stays connected, and asks for somebody once in a while."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("hosts"))
    while True:
        name = user(sim.random.randrange(4000))
        yield search(sim, connection, PEOPLE, f"(&(uid={name})(objectClass=person))", 0.0007)
        yield sim.random.expovariate(1 / 110)


# ---- filters against long lists of members ---------------------------------------------------

LISTS = f"ou=lists,{GROUPS}"
ROOMS = f"ou=rooms,{GROUPS}"
_LIST_COUNT = 388
_CLASS_COUNT = 1_204
"""All groups of this kind, rooms too."""


class _Filters(Log389):
    """With what each search for the groups of a person reads in the indexes."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if request.kind == "SRCH" and "uniqueMember=" in request.query:
            member = request.query.split("uniqueMember=", 1)[1].rstrip(")")
            class_key = "objectclass key(eq)=groupofuniquenames"
            for what in (
                f"attribute={class_key} --> count {_CLASS_COUNT}",
                f"attribute=uniquemember key(eq)={member} --> count {request.entries}",
                f"duration {5.1e-5 + 4e-7 * request.entries:.9f}",
            ):
                head = f"conn={request.connection.number} op={request.number}"
                self.line(at - 2e-6, f"{head} STAT read index: {what}")
        super().answered(at, request, queued, worked)


def write_long_member_lists(folder: Path) -> Waited:
    """Which mailing lists a person is on takes 45 ms for each list, which have 9,000 members."""
    log = _Filters("1.4.3.37", "rhds2.example.com", "10.141.0.2")
    sim = Simulation(log, utc(2024, 5, 15, 9, 30), 1500, workers=16, seed=901)
    office(sim, network="10.141.0")
    sim.start(20, _lists_of_people(sim, "10.141.0.33", LISTS, 2.2, 0.045))
    sim.start(26, _lists_of_people(sim, "10.141.0.34", ROOMS, 4.0, 0.00008))
    sim.start(33, _list_pages(sim))
    sim.run()
    log.write(folder / "access", log.header)
    server = _server(16, "nsslapd-statlog-level: 1", "nsslapd-sizelimit: 5000")
    caches = _backend("nsslapd-cachememsize: 4294967296", "nsslapd-dncachememsize: 268435456")
    indexes = _indexes("uniqueMember", "member", "memberOf")
    (folder / "dse.ldif").write_text(f"{server}{caches}{indexes}", "utf-8")
    return sim.waited


def _lists_of_people(
    sim: Simulation, address: str, base: str, every: float, list_s: float
) -> Client:
    """Whoever signs in is shown their lists, over a connection of its own."""
    while True:
        yield sim.random.expovariate(1 / every)
        sim.start(sim.now - sim.begin, _lists_of_one(sim, address, base, list_s))


def _lists_of_one(sim: Simulation, address: str, base: str, list_s: float) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("lists" if base == LISTS else "rooms"))
    who = person(sim.random.randrange(4000))
    query = f"(&(objectClass=groupOfUniqueNames)(uniqueMember={who}))"
    count = sim.random.randrange(12, 74)
    asked = Request(connection, "SRCH", 0.0006 + count * sim.about(list_s, 0.06), base, 2, query)
    asked.attributes, asked.entries = "cn", count
    asked.culprit = base == LISTS
    yield asked
    sim.close(connection)


def _list_pages(sim: Simulation) -> Client:
    """The same lists by their names, which costs nothing."""
    connection = sim.connect("10.141.0.35")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("list-pages"))
    while True:
        yield sim.random.expovariate(1 / 3)
        name = f"list-{sim.random.randrange(_LIST_COUNT):04d}"
        query = f"(&(objectClass=groupOfUniqueNames)(cn={name}))"
        yield search(sim, connection, LISTS, query, 0.0009)


# ---- the changes of a removed replica are purged ---------------------------------------------

_TASK_S = 720.0
_PURGE_S = (_TASK_S + 1.4, 2500.0)
_RID = 14
_CLEAN = f"cn=clean {_RID},cn=cleanallruv,cn=tasks,cn=config"
_REPLICA = _entry(
    "cn=replica,cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config",
    f"objectClass: nsds5Replica\ncn: replica\nnsDS5ReplicaRoot: {SUFFIX}",
    "nsDS5ReplicaId: 3\nnsDS5ReplicaType: 3\nnsDS5Flags: 1",
    "nsDS5ReplicaBindDN: cn=replication manager,cn=config",
) + _entry(
    "cn=changelog,cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
    "objectClass: extensibleObject\ncn: changelog\nnsslapd-changelogmaxage: 90d",
)


def write_purged_changes(folder: Path) -> Waited:
    """For half an hour changes of a removed replica are purged, seven seconds a transaction."""
    log, errors = Log389("2.4.5", "ds3.example.com", "10.142.0.2"), Lines()
    sim = Simulation(log, utc(2024, 10, 29, 13, 30), 3000, workers=24, seed=902)
    office(sim, network="10.142.0", pace=1.4, lock="backend")
    for number, (name, every) in enumerate((("self-service", 5), ("badges", 9)), start=24):
        client = changes(sim, f"10.142.0.{number}", service(name), every=every, lock="backend")
        sim.start(0.8 * number, client)
    sim.start(15, _supplier(sim, "10.142.0.71", 40, lock="backend"))
    sim.start(_TASK_S, _cleans(sim, errors))
    sim.start(_PURGE_S[0], _purge(sim))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(f"{_server(24)}{_REPLICA}{_indexes('member')}", "utf-8")
    return sim.waited


def _task_says(errors: Lines, at: float, text: str) -> None:
    _say(errors, at, f"INFO - NSMMReplicationPlugin - CleanAllRUV Task (rid {_RID}): {text}")


def _begins_cleaning(sim: Simulation, errors: Lines) -> Client:
    """An administrator has all servers forget a replica; the task runs on its own."""
    connection = sim.connect("", SOCKET)
    yield 0.01
    yield Request(connection, "ADD", sim.about(0.008), _CLEAN)
    for step, text in enumerate(
        (
            "Initiating CleanAllRUV Task...",
            "Retrieving maxcsn...",
            f"Found maxcsn (6679d1c40003{_RID:04x}0000)",
            f"Cleaning rid ({_RID})...",
            "Waiting to process all the updates from the deleted replica...",
            "Waiting for all the replicas to be online...",
            "Waiting for all the replicas to receive all the deleted replica updates...",
            "Sending cleanAllRUV task to all the replicas...",
            "Cleaning local ruv's...",
            "Waiting for all the replicas to be cleaned...",
        )
    ):
        _task_says(errors, sim.now + 0.12 * step, text)
    yield 0.5
    sim.close(connection)


def _cleans(sim: Simulation, errors: Lines) -> Client:
    """The other servers purge as well, so that the task looks ever more rarely."""
    yield from _begins_cleaning(sim, errors)
    pause = 10.0
    yield 1.2
    while sim.now - sim.begin + pause < _PURGE_S[1]:
        where = '(agmt="cn=ds3-to-ds4" (ds4:636))'
        _task_says(errors, sim.now, f"Replica is not cleaned yet {where}")
        again = f"Replicas have not been cleaned yet, retrying in {pause:.0f} seconds"
        _task_says(errors, sim.now + 1e-3, again)
        yield pause
        pause = min(2 * pause, 320.0)
    yield max(0.0, _PURGE_S[1] + 4 - (sim.now - sim.begin))
    _task_says(errors, sim.now, "Waiting for all the replicas to finish cleaning...")
    _task_says(errors, sim.now + 0.3, f"Successfully cleaned rid({_RID})")


def _purge(sim: Simulation) -> Client:
    """A thousand changes a transaction, and hardly a pause before the next."""
    while sim.now - sim.begin < _PURGE_S[1]:
        seconds = sim.about(7.2, 0.12)
        sim.hold("backend", seconds)
        yield seconds + 0.35


def _supplier(sim: Simulation, address: str, every: float, *, lock: str = "") -> Client:
    """What another server has to send, a session now and then."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    while True:
        yield Request(connection, "EXT", 0.004, query=START_SESSION, attributes=EXTENSION)
        for number in range(sim.random.randrange(2, 12)):
            csn = f"{int(sim.now):08x}{number:04x}00040000"
            who = person(sim.random.randrange(4000))
            yield Request(connection, "MOD", sim.about(0.005), who, csn=csn, lock=lock)
        yield Request(connection, "EXT", 0.004, query=END_SESSION, attributes=EXTENSION)
        yield sim.random.expovariate(1 / every)


# ---- a large group that the cache loses ------------------------------------------------------

STAFF = f"cn=all-staff,{GROUPS}"
_CACHE = 134_217_728
_MONITOR = "cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
_CACHE_STATE = f"""dn: {_MONITOR}
objectClass: top
objectClass: extensibleObject
cn: monitor
database: ldbm database
readonly: 0
entrycachehits: 4118206
entrycachetries: 8930417
entrycachehitratio: 46
currententrycachesize: 134209816
maxentrycachesize: {_CACHE}
currententrycachecount: 18344
maxentrycachecount: -1
dncachehits: 7714025
dncachetries: 7758311
dncachehitratio: 99
currentdncachesize: 9120744
maxdncachesize: 67108864
currentdncachecount: 61207
maxdncachecount: -1

"""


class _LostGroup(Simulation):
    """A group of 30,000 is loaded again whenever the members of others have filled the cache."""

    loaded = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "MOD" and request.dn.endswith(GROUPS):
            self.loaded = 0.0
        elif request.kind == "SRCH" and request.dn == STAFF:
            if not self.loaded:
                self.loaded = self.now + self.about(4.3, 0.08)
            if self.now < self.loaded:
                request.took, request.culprit = self.loaded - self.now, True
        super()._serve(request, client)


def write_lost_group(folder: Path) -> Waited:
    """After each change of a group the first who reads the group of all waits for four seconds."""
    log = Log389("2.6.1", "ds4.example.com", "10.143.0.2")
    sim = _LostGroup(log, utc(2025, 5, 14, 9, 0), 2700, workers=16, seed=903)
    office(sim, network="10.143.0")
    for number, (name, every) in enumerate((("vpn", 3.2), ("wiki", 4.1), ("print", 5.5)), start=41):
        sim.start(0.7 * number, _asks_for_staff(sim, f"10.143.0.{number}", name, every))
    sim.start(50, _team_changes(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "monitor.ldif").write_text(_CACHE_STATE, "utf-8")
    caches = _backend(f"nsslapd-cachememsize: {_CACHE}", "nsslapd-dncachememsize: 67108864")
    member_of = _plugin(
        "MemberOf Plugin",
        "nsslapd-pluginType: betxnpostoperation",
        "memberofgroupattr: member\nmemberofattr: memberOf\nmemberofskipnested: off",
    )
    limits = _database("nsslapd-cache-autosize: 0", "nsslapd-dbcachesize: 536870912")
    indexes = _indexes("member", "memberOf")
    (folder / "dse.ldif").write_text(f"{_server(16)}{member_of}{limits}{caches}{indexes}", "utf-8")
    return sim.waited


def _asks_for_staff(sim: Simulation, address: str, name: str, every: float) -> Client:
    """For each person who comes: the person, then what the group of all allows."""
    while True:
        yield sim.random.expovariate(1 / every)
        sim.start(sim.now - sim.begin, _staff_once(sim, address, name))


def _staff_once(sim: Simulation, address: str, name: str) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service(name))
    number = sim.random.randrange(4000)
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
    team = f"cn=team{sim.random.randrange(60)},{GROUPS}"
    for group in (STAFF, team):
        asked = Request(connection, "SRCH", sim.about(0.0009), group, 0, "(objectClass=*)")
        asked.attributes, asked.entries = "cn description", 1
        yield asked
    sim.close(connection)


def _team_changes(sim: Simulation) -> Client:
    connection = sim.connect("10.143.0.26")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("teams"))
    while True:
        group = f"cn=department{sim.random.randrange(14)},{GROUPS}"
        yield read(sim, connection, group)
        yield Request(connection, "MOD", sim.about(0.42, 0.15), group)
        yield sim.random.uniform(35, 95)


# ---- ranges that meet a change ---------------------------------------------------------------

_IMPORT_S = (480.0, 1500.0)
_CONFLICT = -12795
_USN = _plugin("USN", "nsslapd-pluginType: object") + _database(
    "nsslapd-backend-implement: bdb", "nsslapd-lookthroughlimit: 100000"
)


class _Ranges(Simulation):
    """Where many changes are made, a range of an index often meets one, and is given up."""

    errors: Lines

    def _serve(self, request: Request, client: Client) -> None:
        ranged = request.kind == "SRCH" and "entryUSN>=" in request.query
        rush = _IMPORT_S[0] <= self.now - self.begin < _IMPORT_S[1]
        if ranged and self.random.random() < (0.46 if rush else 0.006):
            request.error, request.entries, request.took = 1, 0, self.about(0.0009)
            request.culprit = True
            for later, text in (
                (
                    request.took - 1e-4,
                    "idl_new_range_fetch - Failed to build range candidate list on entryusn "
                    f"index. Error is {_CONFLICT}",
                ),
                (request.took - 5e-5, f"build_candidate_list - Database error {_CONFLICT}"),
            ):
                _say(self.errors, self.now + later, f"ERR - {text}")
        super()._serve(request, client)


def write_failed_ranges(folder: Path) -> Waited:
    """While accounts are brought up to date, every other search for what is new fails."""
    log = Log389("2.8.0", "ipa1.example.com", "10.144.0.2")
    sim = _Ranges(log, utc(2026, 7, 27, 10, 0), 1800, workers=32, seed=904)
    sim.errors = Lines()
    office(sim, network="10.144.0", pace=1.5)
    for number in range(110):
        address = f"10.144.3.{20 + number}"
        sim.start(sim.random.uniform(2, 90), _refreshing_host(sim, address, number))
    for number in range(4):
        sim.start(_IMPORT_S[0] + number, _account_updates(sim, f"10.144.0.{24 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    sim.errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(f"{_server(32)}{_USN}{_indexes('entryusn')}", "utf-8")
    return sim.waited


def _refreshing_host(sim: Simulation, address: str, number: int) -> Client:
    """SSSD, which asks for what is new since it last asked, and for people who log in."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    host = f"fqdn=host{number}.example.com,cn=computers,cn=accounts,{SUFFIX}"
    yield from sasl(sim, connection, host, "GSSAPI")
    while True:
        since = 2_190_400 + int((sim.now - sim.begin) * 1.7)
        for base, kind in ((f"ou=sudoers,{SUFFIX}", "sudoRole"), (PEOPLE, "posixAccount")):
            query = f"(&(objectClass={kind})(entryUSN>={since}))"
            yield search(sim, connection, base, query, 0.0021, entries=sim.random.randrange(4))
        yield sim.random.uniform(15, 40)
        name = user(sim.random.randrange(4000))
        yield search(sim, connection, PEOPLE, f"(&(uid={name})(objectClass=posixAccount))", 8e-4)
        yield sim.random.uniform(15, 40)


def _account_updates(sim: Simulation, address: str) -> Client:
    """One of four processes that write what has changed in the staff office."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("staff-office"))
    while sim.now - sim.begin < _IMPORT_S[1]:
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.012), who, lock="backend")
        yield sim.about(0.2)
    sim.close(connection)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_cleaned(folder: Path) -> Waited:
    """A replica is forgotten in a moment, hosts ask for what is new, a large group is read."""
    log, errors = Log389("3.0.6", "ds6.example.com", "10.145.0.2"), Lines()
    sim = Simulation(log, utc(2026, 3, 3, 8, 10), 2400, workers=16, seed=910)
    office(sim, network="10.145.0", pace=1.8)
    sim.start(8, monitoring(sim, "10.145.0.9", service("monitor"), every=30, base="cn=monitor"))
    names = f"cn=dns,{SUFFIX}"
    sim.start(5, following(sim, "10.145.0.8", service("named"), names, "(objectClass=idnsZone)"))
    for number in range(30):
        address = f"10.145.2.{20 + number}"
        sim.start(sim.random.uniform(2, 60), _refreshing_host(sim, address, number))
    sim.start(15, _supplier(sim, "10.145.0.71", 60))
    sim.start(840, _cleans_at_once(sim, errors))
    sim.start(300, _group_export(sim))
    sim.start(1330, _too_many(sim))
    for seat in range(55):
        begin = 1200 + sim.random.uniform(0, 50)
        sim.start(begin, sign_in(sim, f"10.145.1.{20 + seat}", 1 if seat % 18 == 7 else 0))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    indexes = _indexes("member", "memberOf", "entryusn", "uidNumber")
    (folder / "dse.ldif").write_text(f"{_server(16)}{_REPLICA}{indexes}", "utf-8")
    return sim.waited


def _cleans_at_once(sim: Simulation, errors: Lines) -> Client:
    """A replica that is gone had made few changes, so that there is little to do."""
    yield from _begins_cleaning(sim, errors)
    yield 1.3
    _task_says(errors, sim.now, "Waiting for all the replicas to finish cleaning...")
    _task_says(errors, sim.now + 0.2, f"Successfully cleaned rid({_RID})")


def _group_export(sim: Simulation) -> Client:
    """Twice an hour the members of the largest group, for the mail gateway."""
    connection = sim.connect("10.145.0.22")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("mail-gateway"))
    while True:
        group = Request(connection, "SRCH", sim.about(0.06), STAFF, 0, "(objectClass=*)")
        group.attributes, group.entries = "member", 1
        yield group
        yield 1800.0


def _too_many(sim: Simulation) -> Client:
    """A person at a console asks for more than is given at a time, and then for less."""
    connection = sim.connect("10.145.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"uid=admin,ou=people,{SUFFIX}")
    broad = search(sim, connection, PEOPLE, "(objectClass=person)", 0.19, entries=2000)
    broad.error = 4
    yield broad
    for number in (12, 2071, 804):
        yield sim.random.uniform(8, 20)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "one_listener_for_all",
        "high wtimes on high connection load (2024)",
        "https://github.com/389ds/389-ds-base/issues/6284",
        DS,
        "860 open connections are all served by the first of four listeners: requests wait a "
        "second and more before a worker gets them (wtime), while nearly all workers are idle",
        r"\bwtime|\bqueue|before (a|any|the|it|they|its|their|work)\b|picked up|listener|dispatch|"
        r"(threads?|workers?) .{0,30}\b(free|idle)\b|\b(free|idle) (\w+ )?(thread|worker)",
        (
            r"(threads?|workers?) .{0,40}\b(free|idle)\b|\b(free|idle) (\w+ )?(thread|worker)|"
            r"listener|(hardly|barely|not|never|few|at most|only).{0,40}\bbusy|no lack of|"
            r"enough (\w+ )?(threads|workers)|threads (would|do|will) not|"
            r"not .{0,40}(starv|lack|short|too few|for want)",
            r"listener|many (open )?connections|\d{3} (\w+ )?connections|open connections|"
            r"connections? (table|handling|count|load|list|code)|connections (are |were )?open|"
            r"(number|count) of (\w+ )?connections|more connections",
        ),
        r"listener|conntablesize|maxdescriptors|upgrade|newer version|fixed in|"
        r"(fewer|clos\w+|less|reduc\w+|limit) .{0,40}connections|idle.?time-?out|628[45]",
        write_one_listener,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "long_lists_of_members",
        "RFE: improve the performance of evaluation of filter component when tested against a "
        "large valueset (like group members) (2024)",
        "https://github.com/389ds/389-ds-base/issues/6172",
        DS,
        "which lists a person is on is answered by the index at once, but then the filter is "
        "compared with the 9,000 members of each list: 45 ms a list, 0.5 to 3.3 s a search",
        rf"uniqueMember|\bgroups?\b|\blists?\b|\bfilters?\b|member|{STANDS_OUT}",
        (
            r"uniqueMember|ou=lists|10\.141\.0\.33|cn=lists",
            r"large (\w+ )?(group|entr|value|list|member)|many (members|values)|"
            r"(thousands|number) of (members|values)|long (\w+ )?(list|member)|value ?set|"
            r"compar|evaluat|filter.?test|"
            r"(test|check|match)(s|es|ed|ing)? (against|again|each|every)|"
            r"(not|n't) (in|by|the|for want of|for lack of).{0,12}\bindex|after the index|"
            r"(ms|milliseconds?|time|cost) (for|per|an?|of) (each |every )?"
            r"(group|entry|list|result|candidate)",
        ),
        r"memberOf|smaller (groups|lists)|sorted|filter-match|upgrade|newer version|fixed in|"
        r"(split|fewer members)|bypass|6172",
        write_long_member_lists,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"--attr \"?uniqueMember\b"),
    ),
    Case(
        "changelog_of_a_removed_replica",
        "Adjust cleanAllRUV max per txn and interval limits (2024)",
        "https://github.com/389ds/389-ds-base/issues/6390",
        DS,
        "a CleanAllRUV task purges the changes of a removed replica from the changelog for half "
        "an hour, in transactions of 7 s, and all changes wait for each",
        rf"clean.?all.?RUV|\bRUVs?\b|replica|changelog|change log|purg|{BLOCKS}|\bMODs?\b|"
        rf"chang|\bwrit|{STANDS_OUT}",
        (
            r"clean.?all.?RUV|\bRUVs?\b|\brid ?\(?14|replica (ID )?14|purg",
            r"chang|\bwrit|\bMODs?\b|modif|updat|transaction",
        ),
        r"clean.?all.?RUV|changelog|change log|purg|trim|quiet|at night|off.?hours|outside|"
        r"maintenance|upgrade|newer version|abort|6390",
        write_purged_changes,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "group_lost_from_the_cache",
        "Improve entry cache LRU to limit large group evictions (2025)",
        "https://github.com/389ds/389-ds-base/issues/6784",
        DS,
        "whenever memberOf has gone through the members of another group, the full entry cache has "
        "lost the group of all: the next to read it wait 4.3 s until it is loaded, else 1 ms",
        rf"\bcach|evict|load(s|ed|ing)? (it )?(again|anew)|re-?load|re-?read|all-staff|"
        rf"large (\w+ )?(group|entr)|same (entry|search|request|read)|{STANDS_OUT}",
        (
            r"all-staff|large (\w+ )?(group|entr)",
            r"\bcach(e|es|ed|ing)\b|evict|cachememsize|entry ?cache",
        ),
        r"cachememsize|entry ?cache|cache-autosize|pinned|(larger|bigger|enlarge|more).{0,30}cache|"
        r"cache.{0,40}(larger|bigger|enlarge|rais|more)|upgrade|newer version|6784",
        write_lost_group,
        share=0.93,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "ranges_that_meet_a_change",
        "BDB range searches intermittently fail with err=1 under write load (2026)",
        "https://github.com/389ds/389-ds-base/issues/7670",
        DS,
        "while many changes are made, range searches (entryUSN>=N) meet their locks in BDB, are "
        "not tried again, and fail with error 1: hosts learn late of what is new",
        rf"\brange|entryusn|database error|{_CONFLICT}|deadlock|conflict|operations ?error|"
        rf"{REFUSED}",
        (
            r"entryusn|\branges?\b|>=",
            rf"{_CONFLICT}|deadlock|\blocks?\b|conflict|contention|not (re-?tried|tried again)|"
            r"\bretr(y|ied)|(concurrent|write|many|under|while|during|by) .{0,30}"
            r"(\bwrit|chang|\bMODs?\b|modif|updat|load)",
        ),
        r"upgrade|newer version|update (to|of) |fixed in|7670|LMDB|\bmdb\b|\bretr(y|ied)|"
        r"(fewer|slower|spread|pace|batch|smaller).{0,40}(\bwrit|chang|\bMODs?\b)|"
        r"(\bwrit|chang|\bMODs?\b).{0,40}(fewer|slower|slowly|spread|pace|batch|smaller)",
        write_failed_ranges,
        accused=(
            BLAMES_AN_INDEX,
            DISK,
            THREADS,
            BLAMES_A_HASH,
            r"index reindex|db2index|corrupt",
        ),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_cleaned",
        "a replica is forgotten, hosts ask for what is new, a large group is read, a limit is met",
        DS,
        write_healthy_cleaned,
    ),
)
