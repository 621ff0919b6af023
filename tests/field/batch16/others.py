"""The sixteenth ten, OpenLDAP, OpenDJ and OUD: a hasty load, a pool that pauses, counted groups."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.case import (
    AGAIN,
    DISK,
    FOLLOWS,
    INDEX_ADVICE,
    NEW_CONNECTIONS,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    Case,
    Healthy,
)
from tests.field.dialects import LogOpenDJ, LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    following,
    logins,
    monitoring,
    office,
    person,
    search,
    user,
)

SERVICES = f"ou=services,{SUFFIX}"
IN_TURN = rf"{FOLLOWS}|in a row|in turn|in sequence|sequential|\bseries\b|\bchains?\b"
"""One search after another, each for a different thing."""
_WRITER = "writer"


class _Endings(LogOpenLDAP):
    """Some connections are closed by the server, for a reason it names."""

    def __init__(self, host: str, *, pid: int) -> None:
        super().__init__(host, pid=pid)
        self.endings: dict[int, str] = {}

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        why = self.endings.pop(connection.number, "")
        if not why:
            super().closed(at, connection, clean)
            return
        self.line(at, f"conn={connection.number} fd={connection.fd} closed ({why})")


def _mdb(*lines: str, top: str = "", after: str = "") -> str:
    """Configuration of the one database of an OpenLDAP, with lines for the server itself."""
    text = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: stats
{top}
dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcRootDN: cn=admin,{SUFFIX}
olcDbMaxSize: 8589934592
"""
    return text + "".join(f"{line}\n" for line in lines) + "\n" + after


# ---- a load that does not wait for answers ---------------------------------------------------

LOADER = "10.190.0.30"
_LANES, _DONE, _DEFERRED = 8, 96, 1001


def write_hasty_load(folder: Path) -> Waited:
    """A load sends thousands of entries without waiting, and loses its connection each time."""
    log = LogOpenLDAP("ldap-main", pid=1_944)
    sim = Simulation(
        log, utc(2023, 8, 14, 13, 0), 1500, seed=1620, first_connection=3_120, first_fd=14
    )
    office(sim, network="10.190.0", pace=1.2, lock=_WRITER)
    sim.start(90, _load(sim, log))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        top="olcThreads: 16\n",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _load(sim: Simulation, log: LogOpenLDAP) -> Client:
    """The load of people of an identity server; it is tried again with those who are missing."""
    first = 0
    while True:
        connection = sim.connect(LOADER)
        yield 0.001
        yield binding(sim, connection, f"cn=loader,{SERVICES}")
        lanes = [0] * _LANES
        for lane in range(_LANES):
            sim.start(sim.now - sim.begin + 1e-4 * lane, _lane(sim, connection, first, lane, lanes))
        begun = sim.now
        for number in range(_DEFERRED):
            why = "too many executing" if number == 0 else "pending operations"
            log.line(
                begun + 0.002 + 0.0002 * number,
                f"connection_input: conn={connection.number} deferring operation: {why}",
            )
        while sum(lanes) < _DONE:
            yield 0.01
        sim.close(connection, clean=False)
        first += _DONE
        yield sim.random.uniform(58, 75)


def _lane(
    sim: Simulation, connection: Connection, first: int, lane: int, lanes: list[int]
) -> Client:
    """One of the threads that slapd lets work for the connection; writers work in turn."""
    for place in range(_DONE // _LANES):
        number = 20_000 + first + place * _LANES + lane
        new = Request(connection, "ADD", sim.about(0.0024, 0.1), person(number), lock=_WRITER)
        yield new
        lanes[lane] += 1


# ---- a pool that pauses ----------------------------------------------------------------------

PRIVACY = "10.191.0.25"
_LOOP_S = 10.0


def write_pausing_pool(folder: Path) -> Waited:
    """For each login a server is tried, then nothing happens for 10 s, then all is fast."""
    log = LogOpenLDAP("ldap2", pid=733, handshake_s=0.004)
    sim = Simulation(
        log, utc(2021, 3, 11, 8, 10), 1500, seed=1621, first_connection=9_840, first_fd=13
    )
    office(sim, network="10.191.0", pace=1.3)
    sim.start(4, _tokens(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb("olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq")
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _tokens(sim: Simulation) -> Client:
    """People show a token and their password."""
    while True:
        yield sim.random.expovariate(1 / 8)
        sim.start(sim.now - sim.begin, _token(sim, sim.random.randrange(4000)))


def _token(sim: Simulation, number: int) -> Client:
    """Who is it, with the name of the service, and then the password; a pool for each of them."""
    for dn in (f"cn=privacyidea,{SERVICES}", person(number)):
        tried = sim.connect(PRIVACY)
        yield 0.0008
        sim.close(tried, clean=False)
        yield _LOOP_S + sim.random.uniform(0.001, 0.012)
        connection = sim.connect(PRIVACY)
        yield HANDSHAKE_S
        yield binding(sim, connection, dn, 0.0024)
        if dn.startswith("cn="):
            query = f"(&(uid={user(number)})(objectClass=inetOrgPerson))"
            yield search(sim, connection, PEOPLE, query, 0.0007)
        sim.close(connection)
        yield sim.about(0.02)


# ---- members that nobody wants counted -------------------------------------------------------

CLOUD = "10.192.0.20"
_GROUPS = 1100


def write_counted_groups(folder: Path) -> Waited:
    """A page with a list of 1,100 groups asks six questions for each of them."""
    log = LogOpenLDAP("ldap-cloud", pid=2_207, handshake_s=0.005)
    sim = Simulation(
        log, utc(2022, 6, 13, 9, 0), 1200, seed=1622, first_connection=21_004, first_fd=18
    )
    office(sim, network="10.192.0", pace=0.6)
    for begin in (160, 640):
        sim.start(begin, _settings_page(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,cn,member,memberOf,entryUUID,entryCSN eq",
        "olcSizeLimit: unlimited",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _settings_page(sim: Simulation) -> Client:
    """An administrator opens the folders of groups; how many are in each group is not shown."""
    connection = sim.connect(CLOUD)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=nextcloud,{SERVICES}")
    every = search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.03, entries=_GROUPS)
    every.attributes, every.culprit = "cn dn", True
    yield every
    for number in range(_GROUPS):
        group = f"cn=team-{number:04d},{GROUPS}"
        for attribute in ("entryUUID", "cn", "member", "objectClass"):
            about = Request(connection, "SRCH", sim.about(0.0016), group, 0, "(objectClass=*)")
            about.attributes, about.entries, about.culprit = attribute, 1, True
            yield about
            yield sim.about(0.0009)
        for attribute in ("dn", "uid"):
            query = f"(&(objectClass=inetOrgPerson)(memberOf={group}))"
            inside = search(sim, connection, PEOPLE, query, 0.0065)
            inside.attributes, inside.entries = attribute, 3 + number * 7 % 31
            inside.culprit = True
            yield inside
            yield sim.about(0.0009)
    sim.close(connection)


# ---- closed while nobody asked ---------------------------------------------------------------

POLICY = "10.193.0.25"
_IDLE_S = 60.0


def write_closed_when_idle(folder: Path) -> Waited:
    """A policy service keeps its connections for later, and slapd closes them after a minute."""
    log = _Endings("ldap-mx", pid=811)
    sim = Simulation(log, utc(2018, 6, 7, 12, 20), 1500, seed=1623, first_connection=1_450)
    office(sim, network="10.193.0", pace=1.3)
    for number in range(14):
        sim.start(5 + 9.0 * number, _policy(sim, log))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq",
        top=f"olcIdleTimeout: {_IDLE_S:.0f}\n",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _policy(sim: Simulation, log: _Endings) -> Client:
    """A worker: after its start it looks people up; later it binds anew, but cannot ask."""
    fresh = True
    while True:
        connection = sim.connect(POLICY)
        yield 0.001
        yield binding(sim, connection, f"cn=mtpolicyd,{SERVICES}")
        if fresh:
            for _ in range(sim.random.randrange(2, 6)):
                query = f"(&(objectClass=inetOrgPerson)(uid={user(sim.random.randrange(4000))}))"
                yield search(sim, connection, PEOPLE, query, 0.0007)
                yield sim.random.uniform(0.5, 12)
        yield _IDLE_S + sim.random.uniform(0.0, 0.9)
        log.endings[connection.number] = "idletimeout"
        sim.close(connection, clean=False)
        yield sim.random.uniform(3, 45)
        # Somebody starts the service again now and then.
        fresh = sim.random.random() < 0.12


# ---- the first thousand of a branch ----------------------------------------------------------

EXPORT = "10.194.0.20"
_LIMIT = 1000
_TOO_MANY = f"This search operation has sent the maximum of {_LIMIT} entries to the client"


class _WithMessages(LogOpenDJ):
    """What ends early has a message in its result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if not request.error or not request.notes:
            super().answered(at, request, queued, worked)
            return
        etime = round((queued + worked) * 1000)
        self.line(
            at,
            f"{self._head(request, 'RES')} result={request.error} "
            f'message="{request.notes}" nentries={request.entries} etime={etime}',
        )


def write_first_thousand(folder: Path) -> Waited:
    """An export of a branch ends at 1,000 entries, since it binds with the name of another."""
    log = _WithMessages("10.194.0.2")
    sim = Simulation(
        log, utc(2017, 11, 29, 9, 35), 1500, workers=24, seed=1624, first_connection=212
    )
    office(sim, network="10.194.0", pace=1.4)
    reader = f"cn=check,{SERVICES}"
    sim.start(3, monitoring(sim, "10.194.0.9", reader, every=20, base="cn=monitor"))
    for attempt in range(5):
        sim.start(130 + 265 * attempt, _export(sim))
    sim.run()
    log.write(folder / "access")
    (folder / "config.ldif").write_text(_limits(), "utf-8")
    return sim.waited


def _export(sim: Simulation) -> Client:
    """The tool of an upgrade writes down branch after branch."""
    bind_dn = "cn=directory manager,o=gluu"
    for base, scope, entries, error in (
        ("ou=appliances,o=gluu", 2, 3, 0),
        ("ou=clients,o=gluu", 2, 214, 0),
        ("ou=attributes,o=gluu", 1, 118, 0),
        ("o=site", 1, _LIMIT, 4),
    ):
        connection = sim.connect(EXPORT)
        yield HANDSHAKE_S
        yield binding(sim, connection, bind_dn, 0.003)
        branch = Request(connection, "SRCH", sim.about(0.0004 * entries + 0.002), base, scope)
        branch.query, branch.entries = "(objectClass=*)", entries
        branch.error, branch.notes = error, _TOO_MANY if error else ""
        yield branch
        sim.close(connection)
        yield sim.about(0.8)


def _limits() -> str:
    """The limit of all, the one name that has none, and the two back ends."""
    text = f"""dn: cn=config
objectClass: top
objectClass: ds-cfg-root-config
cn: config
ds-cfg-size-limit: {_LIMIT}
ds-cfg-time-limit: 60 seconds
ds-cfg-lookthrough-limit: 5000

dn: cn=Directory Manager,cn=Root DNs,cn=config
objectClass: top
objectClass: person
objectClass: ds-cfg-root-dn-user
cn: Directory Manager
ds-cfg-alternate-bind-dn: cn=directory manager,o=site
ds-rlim-size-limit: 0
ds-rlim-time-limit: 0
ds-rlim-lookthrough-limit: 0

"""
    for name, base in (("userRoot", "o=gluu"), ("site", "o=site")):
        text += f"""dn: ds-cfg-backend-id={name},cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: {name}
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {base}
ds-cfg-db-directory: db
ds-cfg-db-cache-percent: 30
ds-cfg-index-entry-limit: 4000

"""
    return text


# ---- one name, nine times --------------------------------------------------------------------

_TIMES = 9
_CONTEXT = f"cn=OracleContext,{SUFFIX}"


def write_name_again(folder: Path) -> Waited:
    """For one connect to a database a client resolves its name nine times."""
    log = LogOpenDJ("10.195.0.2")
    sim = Simulation(
        log, utc(2017, 3, 21, 10, 0), 1200, workers=24, seed=1625, first_connection=40_310
    )
    office(sim, network="10.195.0", pace=0.7)
    sim.start(2, _connects(sim))
    sim.start(5, _old_clients(sim))
    sim.run()
    log.write(folder / "access")
    backend = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
    (folder / "config.ldif").write_text(
        f"dn: {backend}\nobjectClass: top\nobjectClass: ds-cfg-backend\n"
        "objectClass: ds-cfg-pluggable-backend\nobjectClass: ds-cfg-je-backend\n"
        f"ds-cfg-backend-id: userRoot\nds-cfg-enabled: true\nds-cfg-base-dn: {SUFFIX}\n"
        "ds-cfg-db-directory: db\nds-cfg-db-cache-percent: 50\n\n",
        "utf-8",
    )
    return sim.waited


def _connects(sim: Simulation) -> Client:
    """Batch jobs of ten hosts, each with a short connection to a database."""
    while True:
        yield sim.random.expovariate(1 / 1.8)
        address = f"10.195.3.{20 + sim.random.randrange(10)}"
        name = f"cn=DB{sim.random.randrange(14):02d},{_CONTEXT}"
        sim.start(sim.now - sim.begin, _resolve(sim, address, name, _TIMES))


def _old_clients(sim: Simulation) -> Client:
    """Two hosts with a client of an older release, which asks once."""
    while True:
        yield sim.random.expovariate(1 / 9)
        address = f"10.195.3.{40 + sim.random.randrange(2)}"
        name = f"cn=DB{sim.random.randrange(14):02d},{_CONTEXT}"
        sim.start(sim.now - sim.begin, _resolve(sim, address, name, 1))


def _resolve(sim: Simulation, address: str, name: str, times: int) -> Client:
    for _ in range(times):
        connection = sim.connect(address)
        yield HANDSHAKE_S
        anonymous = binding(sim, connection, "", 0.002)
        anonymous.culprit = times > 1
        yield anonymous
        net = Request(connection, "SRCH", sim.about(0.004), name, 0, "(objectclass=*)")
        net.attributes = "objectclass,orclNetDescString,orclNetDescName,orclVersion"
        net.entries, net.culprit = 1, times > 1
        yield net
        sim.close(connection)
        yield sim.about(0.003)


# ---- healthy ---------------------------------------------------------------------------------


def write_busy_mailing(folder: Path) -> Waited:
    """A busy morning: desktops that fall asleep, an address book, a short export by pages."""
    log = _Endings("ldap-4", pid=1_512)
    sim = Simulation(
        log, utc(2024, 4, 9, 7, 55), 1500, seed=1626, first_connection=88_240, first_fd=17
    )
    office(sim, network="10.196.0", pace=1.9)
    hosts = tuple(f"10.196.1.{number}" for number in range(20, 60))
    sim.start(2, logins(sim, hosts, every=2.0))
    replicator = f"cn=replicator,{SERVICES}"
    sim.start(1, following(sim, "10.196.0.3", replicator, SUFFIX, "(objectClass=*)"))
    sim.start(6, application(sim, "10.196.0.18", f"cn=phones,{SERVICES}", every=0.6))
    for number in range(9):
        begin = 30 + 61 * number + sim.random.uniform(0, 25)
        sim.start(begin, _desktop(sim, log, f"10.196.2.{20 + number}"))
    sim.start(700, _by_pages(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,mail,member,entryUUID,entryCSN eq",
        "olcDbIndex: uid,cn,sn eq,sub",
        "olcSizeLimit: size.soft=500 size.hard=unlimited",
        top="olcIdleTimeout: 600\n",
        after="dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config\n"
        "objectClass: olcOverlayConfig\nobjectClass: olcSyncProvConfig\n"
        "olcOverlay: {0}syncprov\nolcSpCheckpoint: 100 10\nolcSpSessionlog: 1000\n\n",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _desktop(sim: Simulation, log: _Endings, address: str) -> Client:
    """Somebody writes a few letters, looks people up, and goes for a coffee."""
    connection = sim.connect(address)
    yield 0.004
    yield binding(sim, connection, person(sim.random.randrange(4000)))
    for _ in range(sim.random.randrange(3, 9)):
        beginning = user(sim.random.randrange(10)).rstrip("0123456789")
        yield search(sim, connection, PEOPLE, f"(uid={beginning}*)", 0.006, entries=12)
        yield sim.random.uniform(6, 40)
    yield 600.2
    log.endings[connection.number] = "idletimeout"
    sim.close(connection, clean=False)


def _by_pages(sim: Simulation) -> Client:
    """The personnel department takes 2,900 people once a morning, 500 at a time."""
    connection = sim.connect("10.196.0.61")
    yield 0.002
    yield binding(sim, connection, f"cn=personnel,{SERVICES}")
    for left in range(2900, 0, -500):
        page = search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", 0.021)
        page.attributes, page.entries = "uid cn mail employeeNumber", min(left, 500)
        yield page
        yield sim.about(0.04)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "load_without_waiting",
        "SERVER_DOWN exception raised during batch operations (2023)",
        "https://github.com/python-ldap/python-ldap/issues/516",
        OPENLDAP,
        "a load of people sends all its ADDs at once without waiting for answers: when more than "
        "1,000 of them are pending on the connection, slapd closes it, after 96 entries each time",
        r"pending|deferr|pipelin|outstanding|asynchron|without waiting|at once|too many|"
        r"clos(e|es|ed|ing)\b|lost|cut off|breaks? off|dropp|disconnect",
        (
            r"10\.190\.0\.30|cn=loader|pending operations|conn_?max_?pending",
            r"pending|deferr|pipelin|outstanding|asynchron|without waiting|too many executing|"
            r"in flight",
        ),
        r"conn_?max_?pending|olcConnMaxPending|wait(s|ing)? for|await|smaller (batch|portion|lot)|"
        r"fewer|one (after|at a|by)|at a time|limit|in portions|batches of|less at once|synchron",
        write_hasty_load,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "pool_that_pauses",
        "reduce the time ldap3 waits between each round (2021)",
        "https://github.com/privacyidea/privacyidea/issues/2662",
        OPENLDAP,
        "at each login a token server opens a connection, closes it without a word, and waits 10 s "
        "by a setting of its pool before it connects to ask: slapd answers within 3 ms",
        r"\bpaus|\bidle\b|client'?s? (waits|side|own|work|time)|\b10(\.\d+)? ?s\b|ten seconds|"
        r"(no|without|ask\w*( for)?|for) (any |a )?(request|operation|nothing|word)|"
        r"\bempty|between",
        (
            r"10\.191\.0\.25|privacyidea",
            r"\b10(\.\d+)? ?s\b|ten seconds|\bpaus|\bidle\b|\bthink|between|gap|of its own|"
            r"own time|without a (word|request)|for nothing|asks? (for )?nothing",
        ),
        r"time-?out|\bpool|client|application|no setting of the server|keep.{0,20}open|reuse|"
        r"check|privacyidea",
        write_pausing_pool,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "groups_counted",
        "Speedup querying group info (2022)",
        "https://github.com/nextcloud/groupfolders/pull/2024",
        OPENLDAP,
        "to show a list of groups, a cloud asks six questions for each of 1,100 groups, who is in "
        "it among them, though it shows no members: 6,601 searches in a row a page",
        rf"{IN_TURN}|{AGAIN}|{STANDS_OUT}",
        (
            r"10\.192\.0\.20|nextcloud|cn=team-",
            rf"{IN_TURN}|{AGAIN}|(each|every|all|1[,. ]?100) (\w+ ){{0,3}}groups?|"
            r"6[,. ]?[56]\d\d|13[,. ]?[0-9]\d\d",
        ),
        r"(one|single) (search|request|query)|fewer|cach|\bonce\b|batch|together|memberOf|"
        r"all (\w+ )?groups|instead of|remember|not (ask|count)|without (counting|members)|in one",
        write_counted_groups,
        share=0.95,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "closed_when_idle",
        "broken pipe (2018)",
        "https://github.com/benningm/mtpolicyd/issues/27",
        OPENLDAP,
        "slapd closes connections that were idle for 60 s (olcIdleTimeout); a policy service keeps "
        "its own longer and asks on closed ones: it binds anew, but its searches never arrive",
        r"\bidle|time-?out|clos(e|es|ed|ing)\b|binds?\b.{0,40}(nothing|no (search|request))|"
        r"(nothing|no (search|request)).{0,40}bind|for nothing|asks? (for )?nothing|\bempty",
        (
            r"10\.193\.0\.25|mtpolicyd",
            r"\bidle|olcIdleTimeout|\b60(\.\d+)? ?s\b|a minute|1 min",
        ),
        r"idle.?time-?out|reconnect|keep.?alive|renew|connect(s|ing)? (anew|again)|"
        r"(before|sooner|shorter).{0,60}(clos|time)|longer|health|test.{0,30}connection|\bpool",
        write_closed_when_idle,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "first_thousand_only",
        "'o=site' backup of export3031.py is throwing Size Limit Exceeded (2017)",
        "https://github.com/GluuFederation/community-edition-setup/issues/377",
        OPENDJ,
        "an export of o=site binds as the directory manager of another branch, to whom the size "
        "limit of 1,000 entries applies: each try ends with result 4 after 1,000 entries",
        rf"size.?limit|\blimit|\bcode 4\b|result 4\b|1[,. ]?000|{REFUSED}|incomplete|truncat|cut",
        (
            r"o=site|10\.194\.0\.20|directory manager,o=gluu",
            r"size.?limit|1[,. ]?000|limit of|maximum of|more entries|incomplete|truncat",
        ),
        r"size.?limit|rlim|page[sd]?\b|paging|(another|other|right|different) (account|user|DN|"
        r"name|bind)|directory manager|narrow|smaller|export-ldif|fewer",
        write_first_thousand,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP, r"wrong passwords?"),
    ),
    Case(
        "name_resolved_nine_times",
        "OUD: Oracle generates more and more LDAP lookups with every release (2017)",
        "https://blog.dbi-services.com/oud-oracle-unified-directory-11-1-2-3-oracle-generates-"
        "more-and-more-ldap-lookups-with-every-release/",
        OPENDJ,
        "for each connect to a database, clients of a newer release read the same name nine times, "
        "each time over a new connection with a bind, where one would do",
        rf"{AGAIN}|{NEW_CONNECTIONS}|{FOLLOWS}|\bsame\b|\bnine\b|\d times|in a row|{STANDS_OUT}",
        (
            r"OracleContext|orclNet|10\.195\.3\.",
            rf"{AGAIN}|{NEW_CONNECTIONS}|\bsame\b|\bnine\b|\b9\b|in a row",
        ),
        r"cach|\bonce\b|tnsnames|reus|keep.{0,20}open|\bpool|fewer|upgrade|patch|remember|"
        r"(one|single) (search|request|query|connection)|newer (version|release)|older (client|"
        r"release)",
        write_name_again,
        share=0.9,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_asleep_desktops",
        "a busy morning, desktops closed when idle, a short export by pages, an address book",
        OPENLDAP,
        write_busy_mailing,
    ),
)
