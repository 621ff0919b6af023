"""The fifteenth ten, OpenLDAP and OpenDJ: a limit of time, updates everywhere, asked anew."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.batch14.others import IN_TURN
from tests.field.case import (
    AGAIN,
    DISK,
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
from tests.field.simulation import Client, Request, Simulation, Waited, utc
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


def _mdb(*lines: str, top: str = "") -> str:
    """Configuration of an OpenLDAP with one database."""
    return f"""dn: cn=config
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
""" + "".join(f"{line}\n" for line in (*lines, ""))


def _backend(**indexes: str) -> str:
    """Configuration of the one backend of an OpenDJ, and of its indexes."""
    backend = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
    text = f"""dn: {backend}
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: userRoot
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {SUFFIX}
ds-cfg-db-directory: db
ds-cfg-db-cache-percent: 50
ds-cfg-index-entry-limit: 4000
ds-cfg-writability-mode: enabled

"""
    for attribute, kinds in indexes.items():
        text += f"dn: ds-cfg-attribute={attribute},cn=Index,{backend}\nobjectClass: top\n"
        text += f"objectClass: ds-cfg-backend-index\nds-cfg-attribute: {attribute}\n"
        text += "".join(f"ds-cfg-index-type: {one}\n" for one in kinds.split()) + "\n"
    return text


_USUAL = (
    "olcDbIndex: objectClass,uid,cn,member,memberUid,entryUUID,entryCSN eq\n"
    "olcDbIndex: mail pres,eq"
)


# ---- ten seconds are not enough for everybody ------------------------------------------------

VAULT = "10.180.0.20"
_LIMIT_S = 10.0


def write_out_of_time(folder: Path) -> Waited:
    """A synchronisation asks for everybody in one search, and the server ends it after 10 s."""
    log = LogOpenLDAP("ldap-b", pid=977, handshake_s=0.005)
    sim = Simulation(
        log, utc(2020, 10, 7, 6, 0), 2700, seed=900, first_connection=3_310, first_fd=15
    )
    office(sim, network="10.180.0", pace=1.2)
    sim.start(48, _vault(sim))
    sim.start(200, _personnel(sim, "10.180.0.27"))
    sim.run()
    log.write(folder / "slapd.log")
    top = "olcTimeLimit: 10\nolcSizeLimit: unlimited\n"
    (folder / "cn=config.ldif").write_text(_mdb(_USUAL, top=top), "utf-8")
    return sim.waited


def _vault(sim: Simulation) -> Client:
    """All people at once, and then all groups if this went well; mostly it does not."""
    turn = 0
    while True:
        connection = sim.connect(VAULT)
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=bitwarden,{SERVICES}")
        everybody = Request(connection, "SRCH", _LIMIT_S + sim.about(0.004), PEOPLE, 2)
        everybody.query = "(&(objectClass=inetOrgPerson)(mail=*))"
        everybody.entries, everybody.error = int(sim.random.uniform(37_000, 41_800)), 3
        if turn % 7 == 2:
            everybody.took, everybody.entries = 9.6 + sim.random.uniform(0, 0.3), 42_107
            everybody.error = 0
        everybody.culprit = True
        yield everybody
        if not everybody.error:
            groups = "(objectClass=groupOfNames)"
            yield search(sim, connection, GROUPS, groups, 0.35, entries=640)
        sim.close(connection)
        turn += 1
        yield 60.0 if everybody.error else 120.0


def _personnel(sim: Simulation, address: str) -> Client:
    """The same people in pages of 500, as they should be read."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=personnel,{SERVICES}")
    for number in range(85):
        entries = 500 if number < 84 else 107
        yield search(sim, connection, PEOPLE, "(mail=*)", 0.05, entries=entries)
        yield sim.about(0.4)
    sim.close(connection)


# ---- every system writes what it has become --------------------------------------------------

_SYSTEMS = 430
_COMPUTERS = f"cn=memberserver,cn=computers,{SUFFIX}"


def write_updates_everywhere(folder: Path) -> Waited:
    """430 systems are updated in the same quarter of an hour, and each writes its own entry."""
    log = LogOpenLDAP("primary", pid=11_787)
    sim = Simulation(
        log, utc(2025, 3, 4, 9, 0), 1800, workers=16, seed=901, first_connection=5_120, first_fd=14
    )
    office(sim, network="10.181.0", pace=0.8, lock="writer")
    for number in range(_SYSTEMS):
        sim.start(420 + sim.random.uniform(0, 340), _updated(sim, number, "writer", 0.13, 10))
    sim.run()
    log.write(folder / "slapd.log")
    top = "olcThreads: 16\n"
    (folder / "cn=config.ldif").write_text(_mdb(_USUAL, top=top), "utf-8")
    return sim.waited


def _updated(sim: Simulation, number: int, lock: str, took: float, steps: int) -> Client:
    """A system notes each step of its update in its own entry."""
    name = f"cn=srv{number:03d},{_COMPUTERS}"
    connection = sim.connect(f"10.181.{4 + number // 200}.{10 + number % 200}")
    yield 0.001
    yield binding(sim, connection, name)
    kinds = ("univentionOperatingSystemVersion", "univentionService", "description")
    for step in range(steps):
        change = Request(connection, "MOD", sim.about(took, 0.15), name, query=kinds[step % 3])
        change.lock, change.culprit = lock, bool(lock)
        yield change
        yield sim.about(2.0)
    sim.close(connection)


# ---- the level of everybody ------------------------------------------------------------------

_PERSONS = 2_140


def write_level_of_everybody(folder: Path) -> Waited:
    """For the name of one user a page gets all of them, and looks up the group of each."""
    log = LogOpenDJ("10.182.0.2")
    sim = Simulation(
        log, utc(2018, 2, 14, 8, 30), 1500, workers=24, seed=902, first_connection=58, first_fd=22
    )
    office(sim, network="10.182.0", pace=0.9)
    for number in range(6):
        sim.start(70 + 231 * number, _dashboard(sim))
    sim.run()
    log.write(folder / "access")
    config = _backend(uid="equality presence", mail="equality", member="equality", cn="equality")
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _dashboard(sim: Simulation) -> Client:
    """Somebody opens the dashboard of the network monitor."""
    connection = sim.connect("10.182.0.20")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=librenms,{SERVICES}")
    everybody = search(sim, connection, PEOPLE, "(uid=*)", 0.42, entries=_PERSONS)
    everybody.culprit = True
    yield everybody
    for number in range(_PERSONS):
        query = f"(&(cn=librenms-*)(member={person(number)}))"
        level = search(sim, connection, GROUPS, query, 0.007, entries=1 if number % 97 == 5 else 0)
        level.attributes, level.culprit = "cn", True
        yield level
        yield sim.about(0.0008)
    sim.close(connection)


# ---- the page is drawn every five seconds ----------------------------------------------------

BROKER = "10.183.0.20"
_CALLS = 11


def write_drawn_again(folder: Path) -> Waited:
    """Two pages of a message broker: all 5 s eleven times who is it, and may he do this."""
    log = LogOpenLDAP("ldap-c", pid=3_021, handshake_s=0.004)
    sim = Simulation(
        log, utc(2019, 11, 13, 15, 30), 900, seed=903, first_connection=80_412, first_fd=18
    )
    office(sim, network="10.183.0", pace=1.0)
    for number, begin in ((211, 20), (902, 275)):
        sim.start(begin, _overview(sim, number))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_mdb(_USUAL), "utf-8")
    return sim.waited


def _overview(sim: Simulation, number: int) -> Client:
    """The page of one administrator, which stays open."""
    while True:
        for call in range(_CALLS):
            sim.start(sim.now - sim.begin + 0.015 * call, _call(sim, number))
        yield 5.0


def _call(sim: Simulation, number: int) -> Client:
    """One call of the page: a connection, the password, and two questions about the person."""
    connection = sim.connect(BROKER)
    yield HANDSHAKE_S
    bind = binding(sim, connection, person(number), 0.011)
    bind.culprit = True
    yield bind
    for role in ("mq-administrators", "mq-monitoring"):
        group = f"cn={role},{GROUPS}"
        asked = Request(connection, "SRCH", sim.about(0.004), group, 0)
        asked.query, asked.attributes = f"(member={person(number)})", "1.1"
        asked.entries, asked.culprit = 1 if role == "mq-administrators" else 0, True
        yield asked
    sim.close(connection)


# ---- which of 12,400 groups ------------------------------------------------------------------

DESK = "10.184.0.25"


def write_groups_in_each_answer(folder: Path) -> Waited:
    """With isMemberOf in the answer a person takes 0.45 s, and without it a millisecond."""
    log = LogOpenDJ("10.184.0.2")
    sim = Simulation(
        log, utc(2023, 1, 16, 7, 0), 1500, workers=24, seed=904, first_connection=140, first_fd=26
    )
    office(sim, network="10.184.0", pace=1.4)
    reader = f"cn=check,{SERVICES}"
    sim.start(3, monitoring(sim, "10.184.0.9", reader, every=20, base="cn=monitor"))
    for number in range(4):
        sim.start(5 + number, _service_desk(sim, DESK))
    sim.start(8, _by_member(sim, "10.184.0.26"))
    sim.run()
    log.write(folder / "access")
    config = _backend(uid="equality", mail="equality", member="equality", cn="equality substring")
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _service_desk(sim: Simulation, address: str) -> Client:
    """A service desk shows who is calling; every fourth time it wants no groups."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=service-desk,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 3)
        number = sim.random.randrange(4000)
        who = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0012)
        who.attributes = "cn,mail,telephoneNumber"
        if sim.random.random() < 0.75:
            who.attributes += ",isMemberOf"
            who.took, who.culprit = sim.about(0.45, 0.1), True
        yield who


def _by_member(sim: Simulation, address: str) -> Client:
    """The same question put to the groups, of which the members have an index."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=wiki,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 5)
        mine = f"(member={person(sim.random.randrange(4000))})"
        asked = search(sim, connection, GROUPS, mine, 0.003, entries=11)
        asked.attributes = "cn"
        yield asked


# ---- a connection for every device that comes by ---------------------------------------------

RADIUS = ("10.185.0.30", "10.185.0.31")


def write_never_kept(folder: Path) -> Waited:
    """For each device in the wireless network a connection is opened, and closed thereafter."""
    log = LogOpenLDAP("ldap-d", pid=1_544, handshake_s=0.005)
    sim = Simulation(
        log, utc(2020, 2, 12, 8, 0), 1200, seed=905, first_connection=40_871, first_fd=16
    )
    office(sim, network="10.185.0", pace=0.8)
    for number, address in enumerate(RADIUS):
        sim.start(2 + number, _access_points(sim, address))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_mdb(_USUAL), "utf-8")
    return sim.waited


def _access_points(sim: Simulation, address: str) -> Client:
    """Devices come and roam; for each of them the pool takes a new connection."""
    while True:
        yield sim.random.expovariate(1.1)
        sim.start(sim.now - sim.begin, _device(sim, address, sim.random.randrange(4000)))


def _device(sim: Simulation, address: str, number: int) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    own = binding(sim, connection, f"cn=radius,{SERVICES}", 0.03)
    own.culprit = True
    yield own
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.002)
    sim.close(connection)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_patch_day(folder: Path) -> Waited:
    """Forty systems are updated one after the other, an export is read, a page stays open."""
    log = LogOpenLDAP("ldap-4", pid=2_240)
    sim = Simulation(
        log, utc(2025, 6, 10, 8, 0), 1800, seed=906, first_connection=212_019, first_fd=19
    )
    office(sim, network="10.186.0", pace=1.5)
    hosts = tuple(f"10.186.1.{number}" for number in range(20, 50))
    sim.start(2, logins(sim, hosts, every=2.2))
    replicator = f"cn=replicator,{SERVICES}"
    sim.start(1, following(sim, "10.186.0.3", replicator, SUFFIX, "(objectClass=*)"))
    sim.start(6, application(sim, "10.186.0.18", f"cn=radius,{SERVICES}", every=0.5))
    sim.start(340, _personnel(sim, "10.186.0.27"))
    for number in range(40):
        sim.start(120 + 35 * number, _updated(sim, number, "", 0.007, 4))
    for turn in range(6):
        sim.start(60 + 240 * turn, _mistyped(sim, f"10.186.1.{70 + turn}"))
    sim.run()
    log.write(folder / "slapd.log")
    top = "olcThreads: 16\nolcTimeLimit: 3600\n"
    (folder / "cn=config.ldif").write_text(_mdb(_USUAL, top=top), "utf-8")
    return sim.waited


def _mistyped(sim: Simulation, address: str) -> Client:
    """A wrong password, and then the right one."""
    number = sim.random.randrange(4000)
    for error in (49, 0):
        connection = sim.connect(address)
        yield 0.001
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error = error
        yield bind
        sim.close(connection)
        yield sim.random.uniform(6, 15)


_OUT_OF_TIME = r"time.?limit|\berr(or)?\W{0,4}3\b|\bresult\W{0,3}3\b|limit (of|on|for) (the )?time"

CASES: tuple[Case, ...] = (
    Case(
        "out_of_time",
        "An error has occured: Time Limit Exceeded (2020)",
        "https://github.com/bitwarden/directory-connector/issues/69",
        OPENLDAP,
        "a synchronisation reads all 42,107 people in one search without pages; it takes a little "
        "longer than the server's time limit of 10 s and mostly ends with error 3",
        rf"{_OUT_OF_TIME}|{REFUSED}|{ALL_OF_IT}|large|{STANDS_OUT}",
        (r"10\.180\.0\.20|bitwarden|inetOrgPerson", _OUT_OF_TIME),
        r"\bpag(e|ed|ing|es)\b|time.?limit|olcLimits|narrow|smaller|fewer|"
        r"only (the|those|who|what)",
        write_out_of_time,
        share=0.95,
        accused=(DISK, THREADS, r"wrong passwords?"),
    ),
    Case(
        "updates_everywhere",
        "Q&A: What causes persistent high load on UCS LDAP and how can you optimize it (2025)",
        "https://help.univention.com/t/"
        "qa-what-causes-persistent-high-load-on-ucs-ldap-and-how-can-you-optimize-it/24454",
        OPENLDAP,
        "430 systems are updated at once and write ten changes each into their own entries: more "
        "than one writer can do, all threads wait for it, and simple searches wait for a thread",
        rf"\bMODs?\b|chang|\bwrit|modif|updat|{BLOCKS}|threads?\b|queue|{STANDS_OUT}",
        (
            r"cn=computers|memberserver|cn=srv|univention|\bsystems?\b|\bcomputers?\b|"
            r"\d{3} (\w+ )?(clients|hosts|addresses|connections|entries|users)",
            r"\bMODs?\b|chang|\bwrit|modif|updat",
        ),
        r"spread|stagger|batch|fewer|\breplica|consumer|other server|threads|defrag|compact|"
        r"faster|NVMe|\bSSD|quiet|night|less often|at a time|nosync|one after|limit (the )?number|"
        r"group(ed|ing)? (the )?changes",
        write_updates_everywhere,
        share=0.85,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE),
    ),
    Case(
        "drawn_again_and_again",
        "ldap auth looping (2019)",
        "https://github.com/docker-library/rabbitmq/issues/379",
        OPENLDAP,
        "the page of a message broker is drawn anew every 5 s with eleven calls, and for each of "
        "them the same administrator is bound and looked up on a connection of its own",
        rf"{AGAIN}|{NEW_CONNECTIONS}|\bbinds?\b|{IN_TURN}|at once|together|in step|{STANDS_OUT}",
        (
            r"10\.183\.0\.20|cn=mq-|mq-admin",
            rf"{AGAIN}|{NEW_CONNECTIONS}|\bevery\b|\bsame\b|\b5(\.0)? s\b",
        ),
        r"cach|\bpool|less often|refresh|interval|reuse|keep|remember|\bonce\b|longer|fewer",
        write_drawn_again,
        share=0.96,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "level_of_everybody",
        "Improve LDAP filter in the getUserlist() function (2018)",
        "https://github.com/librenms/librenms/pull/8253",
        OPENDJ,
        "for each page a network monitor gets all 2,140 users and looks up the groups of each of "
        "them, one after the other, though one user is wanted: 16 s",
        rf"{IN_TURN}|{AGAIN}|{ALL_OF_IT}|{STANDS_OUT}",
        (
            r"10\.182\.0\.20|librenms",
            rf"{IN_TURN}|{ALL_OF_IT}|{AGAIN}|\b2[,. ]?140\b",
        ),
        r"(one|single) (search|request|query)|fewer|cach|\bonce\b|batch|together|instead of|"
        r"\bfilter|only (the|those|who|what)|narrow|in parallel|list|remember",
        write_level_of_everybody,
        share=0.96,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "groups_in_each_answer",
        "Best practice for managing groups in DS (2023)",
        "https://backstage.forgerock.com/knowledge/kb/article/a88239268",
        OPENDJ,
        "a service desk has isMemberOf returned for each person: the server goes through all "
        "12,400 groups for it, 0.45 s, while the same search without it takes a millisecond",
        rf"isMemberOf|virtual|attribute|memberships?|{STANDS_OUT}",
        (
            r"isMemberOf|is member of",
            r"10\.184\.0\.25|service-desk|\battributes?\b|virtual|comput|returned|asks? for|"
            r"in the answer",
        ),
        r"isMemberOf|member=|fewer attributes|only (the )?attributes|entry cache|fewer groups|"
        r"dynamic groups?",
        write_groups_in_each_answer,
        share=0.98,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "never_kept",
        "auth time (2020)",
        "https://github.com/hacor/unifi-freeradius-ldap/issues/7",
        OPENLDAP,
        "the pool of two RADIUS servers closes each connection after one use (uses = 0): every "
        "device waits for a new connection and a bind of the service before it is looked up",
        rf"{NEW_CONNECTIONS}|\bbinds?\b|\bconnections?\b|{STANDS_OUT}",
        (r"10\.185\.0\.3[01]|cn=radius", NEW_CONNECTIONS),
        r"\bpool|reuse|keep|persistent|\buses\b|fewer (new )?connections|lifetime|stay open|"
        r"leave .{0,20}open",
        write_never_kept,
        share=0.9,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_patch_day",
        "systems that are updated one after the other, an export by pages, mistyped passwords",
        OPENLDAP,
        write_healthy_patch_day,
    ),
)
