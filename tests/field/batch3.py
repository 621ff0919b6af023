"""The third ten: tasks and locks inside the server, herds, replication, TLS, large groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.field.case import (
    AGAIN,
    DISK,
    DS,
    FOLLOWS,
    HANGS,
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
from tests.field.dialects import Log389, LogOpenDJ, LogOpenDJJson, LogOpenLDAP
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

SUFFIX = "dc=example,dc=com"
ACCOUNTS = f"cn=accounts,{SUFFIX}"
START_SESSION, END_SESSION = "2.16.840.1.113730.3.5.12", "2.16.840.1.113730.3.5.5"
REPLICATION = "replication-multimaster-extop"

BLOCKS = r"\bblock|\bbehind|\bheld (up|back)|\bholds\b|stood still|at a standstill|\bstall"
IN_STEP = (
    r"same (moment|time|second)|at once|together|in step|\bbursts?\b|\bherd|simultaneous|"
    r"every (15|fifteen) min|every 900 s|reconnect"
)
NOTHING_ASKED = (
    r"without (a|any|a single) (request|operation)|no (request|operation)s? (in|on|over)|"
    r"(ask|request|send)s? nothing|nothing is asked|short.lived|open(ed|s|ing)? and clos|"
    r"new connections?|opens a connection|connections? (per|a|every) (second|minute)"
)
LARGE = rf"large (entr|group|value)|many values|all (the |its )?(members|attributes)|{STANDS_OUT}"


# ---- 389 DS ----------------------------------------------------------------------------------


def write_purge(folder: Path) -> Waited:
    """The changelog is purged, and the purge and a change wait for each other: no write ends."""
    log = Log389("3.1.1", "ds1.example.com", "10.24.0.2")
    sim = Simulation(log, utc(2024, 11, 7, 9, 0), 1080, workers=16, seed=101)
    office(sim, network="10.24.0")
    sim.start(3, _self_service(sim))
    sim.at(840, partial(_stop_writes, sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _stop_writes(sim: Simulation) -> None:
    """From now on a change keeps its thread; searches and logins go on while there are threads."""
    sim.stuck, sim.stuck_kinds = SUFFIX, ("MOD", "ADD")


def _self_service(sim: Simulation) -> Client:
    csns = _csns(3)
    while True:
        yield sim.random.expovariate(1 / 9)
        sim.start(sim.now - sim.begin, _own_entry(sim, next(csns)))


def _own_entry(sim: Simulation, csn: str) -> Client:
    number = sim.random.randrange(4000)
    connection = sim.connect("10.24.0.25")
    yield HANDSHAKE_S
    yield binding(sim, connection, person(number), 0.0025)
    yield Request(connection, "MOD", sim.about(0.007), person(number), csn=csn)
    sim.close(connection)


def _csns(replica: int) -> Iterator[str]:
    """Change numbers: a second, a counter, the replica."""
    second = 0x672C8A00
    while True:
        second += 7
        yield f"{second:08x}0000{replica:04x}0000"


def write_reconnects(folder: Path) -> Waited:
    """Hosts that were enrolled together renew their connections together, every 900 seconds."""
    log = Log389("1.4.3.16", "ipa1.example.com", "10.24.1.2", 389)
    sim = Simulation(log, utc(2020, 12, 2, 10, 0), 2700, workers=16, seed=102)
    office(sim, network="10.24.1")
    for number in range(230):
        sim.start(sim.random.uniform(310.0, 313.5), _enrolled(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _enrolled(sim: Simulation, number: int) -> Client:
    address = f"10.25.{number // 200}.{number % 200 + 10}"
    host = f"fqdn=node{number:03d}.example.com,cn=computers,{ACCOUNTS}"
    while True:
        connection = sim.connect(address)
        yield 0.002
        begun = sim.now
        root = Request(connection, "SRCH", sim.about(0.004), "", 0, "(objectClass=*)")
        root.attributes, root.entries, root.culprit = "* altServer namingContexts", 1, True
        yield root
        for error in (14, 14, 0):
            step = Request(connection, "BIND", sim.about(0.085, 0.2), host, query="GSSAPI")
            step.error, step.culprit = error, True
            yield step
        rules = f"(&(objectClass=ipaHBACRule)(ipaEnabledFlag=TRUE)(memberHost={host}))"
        asked = Request(connection, "SRCH", sim.about(0.03), f"cn=hbac,{SUFFIX}", 2, rules)
        asked.attributes, asked.entries, asked.culprit = "objectClass cn memberUser", 3, True
        yield asked
        yield sim.random.uniform(60, 800)
        wanted = f"(&(uid={user(sim.random.randrange(4000))})(objectclass=posixAccount))"
        yield search(sim, connection, f"cn=users,{ACCOUNTS}", wanted, 0.0008)
        yield 900.0 + sim.random.uniform(0.0, 0.6) - (sim.now - begun)
        sim.close(connection)


def write_automember(folder: Path) -> Waited:
    """Two rebuilds of all automatic memberships, each in one transaction that others wait for."""
    log = Log389("2.2.3", "ipa2.example.com", "10.24.2.2")
    sim = Simulation(log, utc(2022, 11, 23, 13, 0), 1500, workers=16, seed=103)
    office(sim, network="10.24.2", lock="backend")
    hosts = tuple(f"10.24.2.{number}" for number in range(60, 84))
    sim.start(2, _members(sim, hosts))
    sim.start(420, _rebuild(sim, "13_07_00", 154.0))
    sim.start(900, _rebuild(sim, "13_15_00", 171.0))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _members(sim: Simulation, hosts: tuple[str, ...]) -> Client:
    """Logins that read the pages of groups which the rebuild writes."""
    while True:
        yield sim.random.expovariate(1 / 3.0)
        sim.start(sim.now - sim.begin, _group_login(sim, sim.random.choice(hosts)))


def _group_login(sim: Simulation, address: str) -> Client:
    number = sim.random.randrange(4000)
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, person(number), 0.0025)
    mine = f"(member={person(number)})"
    yield Request(
        connection, "SRCH", sim.about(0.001), GROUPS, 2, mine, "cn", entries=5, lock="backend"
    )
    yield sim.about(1.0)
    sim.close(connection)


def _rebuild(sim: Simulation, name: str, seconds: float) -> Client:
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    tasks = "cn=automember rebuild membership,cn=tasks,cn=config"
    task = f"cn=automember_rebuild_2022-11-23T{name},{tasks}"
    yield 0.01
    yield Request(connection, "ADD", 0.008, task)
    sim.hold("backend", seconds)
    end = sim.now + seconds
    while sim.now < end + 1:
        yield 1.0
        yield Request(connection, "SRCH", 0.001, task, 0, "(objectClass=*)", entries=1)
    sim.close(connection)


def write_registry(folder: Path) -> Waited:
    """A registry binds and searches once for each group of a user, with a slow password hash."""
    log = Log389("1.4.3.8", "ipa3.example.com", "10.24.3.2")
    sim = Simulation(log, utc(2020, 12, 16, 12, 0), 1500, seed=104)
    office(sim, network="10.24.3")
    sim.start(25, _registry(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _registry(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 42)
        sim.start(sim.now - sim.begin, _registry_token(sim, sim.random.randrange(24, 58)))


def _registry_token(sim: Simulation, groups: int) -> Client:
    service = f"uid=srv_harbor,cn=users,{ACCOUNTS}"
    connection = sim.connect("10.24.3.30")
    yield HANDSHAKE_S
    number = sim.random.randrange(4000)
    yield _slow_bind(sim, connection, service)
    yield search(sim, connection, f"cn=users,{ACCOUNTS}", f"(uid={user(number)})", 0.0007)
    for group in range(groups):
        yield _slow_bind(sim, connection, service)
        base = f"cn=role_{group:02d},cn=groups,{ACCOUNTS}"
        asked = search(sim, connection, base, "(&(cn=res_*)(cn=*))", 0.0008, entries=0)
        asked.attributes, asked.culprit = "cn", True
        yield asked
        yield 0.002
    sim.close(connection)


def _slow_bind(sim: Simulation, connection: Connection, dn: str) -> Request:
    bind = binding(sim, connection, dn, 0.282)
    bind.culprit = True
    return bind


def write_monopoly(folder: Path) -> Waited:
    """One supplier keeps its replication session for long; another asks for one in vain."""
    log = Log389("1.4.3.16", "ipa4.example.com", "10.24.4.2", 389)
    sim = Simulation(log, utc(2021, 4, 12, 8, 0), 2400, seed=105)
    office(sim, network="10.24.4")
    sim.start(4, _greedy_supplier(sim))
    sim.start(6, _starved_supplier(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _session(sim: Simulation, connection: Connection, oid: str) -> Request:
    return Request(connection, "EXT", sim.about(0.004), query=oid, attributes=REPLICATION)


def _greedy_supplier(sim: Simulation) -> Client:
    connection = sim.connect("10.24.4.71")
    yield 0.002
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    csns = _csns(4)
    yield _session(sim, connection, START_SESSION)
    while sim.now < sim.begin + 2130:
        yield sim.random.expovariate(1 / 0.55)
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.009), who, csn=next(csns))
    yield _session(sim, connection, END_SESSION)


def _starved_supplier(sim: Simulation) -> Client:
    """The session is refused as busy; the next attempt comes after a longer and longer pause."""
    connection = sim.connect("10.24.4.72")
    yield 0.002
    yield binding(sim, connection, "cn=replication manager,cn=config", 0.003)
    pause = 3.0
    while sim.now < sim.begin + 2135:
        yield _session(sim, connection, START_SESSION)
        yield pause
        pause = min(pause * 2, 300.0)
    csns = _csns(5)
    yield _session(sim, connection, START_SESSION)
    for _ in range(160):
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.009), who, csn=next(csns))
    yield _session(sim, connection, END_SESSION)


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_photos(folder: Path) -> Waited:
    """A page of 86 people reads each photo over a connection of its own, with TLS."""
    log = LogOpenLDAP("ldap6", handshake_s=0.021)
    sim = Simulation(
        log, utc(2020, 11, 16, 14, 0), 1500, seed=111, first_connection=1000, first_fd=12
    )
    office(sim, network="10.44.0", pace=0.7)
    sim.start(40, _white_pages(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _white_pages(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 75)
        first = sim.random.randrange(3900)
        sim.start(sim.now - sim.begin, _page_of_photos(sim, first))


def _page_of_photos(sim: Simulation, first: int) -> Client:
    for number in range(87):
        connection = sim.connect("10.44.0.19")
        yield 0.023
        bind = binding(sim, connection, "cn=whitepages,ou=services,dc=example,dc=com", 0.0009)
        bind.culprit = True
        yield bind
        if number:
            who = person(first + number)
            asked = Request(connection, "SRCH", sim.about(0.0008), who, 0, "(objectClass=*)")
            asked.attributes, asked.entries = "jpegPhoto", 1
        else:
            asked = Request(connection, "SRCH", sim.about(0.006), PEOPLE, 2, "(uid=*)")
            asked.attributes, asked.entries = "cn mail telephoneNumber", 86
        asked.culprit = True
        yield asked
        sim.close(connection)


def write_everybody(folder: Path) -> Waited:
    """A build server reads the group of all people, with its members, to check permissions."""
    log = LogOpenLDAP("ldap7")
    sim = Simulation(
        log, utc(2021, 3, 16, 9, 0), 1800, seed=112, first_connection=1000, first_fd=12
    )
    office(sim, network="10.44.1", pace=0.8)
    sim.start(35, _build_server(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _build_server(sim: Simulation) -> Client:
    classes = (
        "(|(objectclass=groupOfNames)(objectclass=groupOfUniqueNames)(objectclass=posixGroup))"
    )
    while True:
        yield sim.random.expovariate(1 / 16)
        connection = sim.connect("10.44.1.21")
        yield 0.002
        yield binding(sim, connection, "cn=jenkins,ou=services,dc=example,dc=com")
        yield search(sim, connection, SUFFIX, f"(uid={user(sim.random.randrange(4000))})", 0.001)
        took = sim.random.uniform(4.2, 5.8)
        whole = Request(connection, "SRCH", took, SUFFIX, 2, f"(&(cn=all){classes})")
        whole.entries, whole.culprit = 1, True
        yield whole
        sim.close(connection)


def write_large_group(folder: Path) -> Waited:
    """Each change of a group of 60,000 members writes the whole entry anew; all writes wait."""
    log = LogOpenLDAP("ldap8")
    sim = Simulation(
        log, utc(2022, 11, 4, 10, 0), 1500, seed=113, first_connection=1000, first_fd=12
    )
    office(sim, network="10.44.2", lock="writer")
    for number in range(3):
        sim.start(3 + number, _small_changes(sim, f"10.44.2.{50 + number}"))
    sim.start(75, _enrolment(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _small_changes(sim: Simulation, address: str) -> Client:
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, "cn=helpdesk,ou=services,dc=example,dc=com")
    while True:
        yield sim.random.expovariate(1 / 14)
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.005), who, query="mobile", lock="writer")


def _enrolment(sim: Simulation) -> Client:
    connection = sim.connect("10.44.2.61")
    yield 0.002
    yield binding(sim, connection, "cn=enrolment,ou=services,dc=example,dc=com")
    while True:
        yield sim.random.uniform(7, 13)
        took = sim.random.uniform(3.4, 4.6)
        change = Request(connection, "MOD", took, f"cn=students,{GROUPS}", query="member")
        change.lock, change.culprit = "writer", True
        yield change


# ---- OpenDJ ----------------------------------------------------------------------------------


def write_after_backup(folder: Path) -> Waited:
    """After a backup the server's administration port is connected to all the time, for nothing."""
    log = LogOpenDJJson("10.54.0.2")
    sim = Simulation(log, utc(2019, 7, 12, 10, 0), 1200, workers=24, seed=121, first_connection=10)
    office(sim, network="10.54.0", pace=0.9)
    sim.start(300, _backup_tool(sim))
    sim.start(312, _empty_connections(sim))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


def _backup_tool(sim: Simulation) -> Client:
    connection = sim.connect("127.0.0.1", "admin")
    yield 0.03
    yield binding(sim, connection, "cn=Directory Manager,cn=Root DNs,cn=config", 0.004)
    task = "ds-task-id=20190712100500412,cn=Scheduled Tasks,cn=Tasks"
    yield Request(connection, "ADD", 0.012, task)
    for _ in range(6):
        yield 2.0
        yield Request(connection, "SRCH", 0.002, task, 0, "(objectclass=ds-task)", "ALL", entries=1)
    sim.close(connection)


def _empty_connections(sim: Simulation) -> Client:
    while True:
        connection = sim.connect("127.0.0.1", "admin")
        yield sim.about(0.004)
        sim.close(connection, clean=False)
        yield sim.about(0.12)


def write_tickets(folder: Path) -> Waited:
    """Each use of a permission looks its ticket up, an attribute without an index."""
    log = LogOpenDJ("10.54.1.2")
    sim = Simulation(
        log, utc(2018, 7, 25, 10, 0), 1800, workers=24, seed=122, first_connection=9800
    )
    people = "ou=people,o=@!DDD5.370D.8547.FFD9!0001!A1C9.92C1,o=gluu"
    office(sim, network="10.54.1", people=people, pace=0.8)
    for number in range(4):
        sim.start(12 + 3 * number, _permissions(sim, people.split(",", 1)[1]))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _permissions(sim: Simulation, organization: str) -> Client:
    connection = sim.connect("10.54.1.20")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=directory manager,o=gluu", 0.003)
    while True:
        yield sim.random.expovariate(1 / 55)
        digits = "".join(sim.random.choice("0123456789abcdef") for _ in range(12))
        ticket = f"e751fab1-420b-4e18-ace8-{digits}"
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(5.6, 6.7),
            f"ou=clients,{organization}",
            2,
            f"(&(&(objectClass=top)(objectClass=oxUmaResourcePermission))(&(oxTicket={ticket})))",
            "oxAttributes,oxConfigurationCode,oxAuthExpiration,oxResourceSetId,oxStatus,oxTicket",
            entries=1,
            notes="unindexed",
            culprit=True,
        )


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_realm(folder: Path) -> Waited:
    """An IdM server whose hosts renew their connections at moments of their own."""
    log = Log389("2.6.1", "ipa9.example.com", "10.34.0.2", 389)
    sim = Simulation(log, utc(2025, 9, 16, 9, 0), 1800, seed=131)
    office(sim, network="10.34.0", pace=1.1)
    for number in range(90):
        sim.start(sim.random.uniform(1, 899), _quiet_host(sim, number))
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.34.0.9", reader, every=30, base="cn=monitor"))
    query = "(|(objectClass=idnsZone)(objectClass=idnsRecord))"
    dns = f"krbprincipalname=DNS/ipa9.example.com@EXAMPLE.COM,cn=services,{ACCOUNTS}"
    sim.start(1, following(sim, "10.34.0.2", dns, f"cn=dns,{SUFFIX}", query))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _quiet_host(sim: Simulation, number: int) -> Client:
    host = f"fqdn=node{number:03d}.example.com,cn=computers,{ACCOUNTS}"
    while True:
        connection = sim.connect(f"10.35.0.{number + 10}")
        yield 0.002
        for error in (14, 14, 0):
            step = Request(connection, "BIND", sim.about(0.004, 0.2), host, query="GSSAPI")
            step.error = error
            yield step
            yield sim.about(0.002)
        for _ in range(3):
            wanted = f"(&(uid={user(sim.random.randrange(4000))})(objectclass=posixAccount))"
            yield search(sim, connection, f"cn=users,{ACCOUNTS}", wanted, 0.0008)
            yield sim.random.uniform(200, 330)
        sim.close(connection)


def write_healthy_ldaps(folder: Path) -> Waited:
    """A slapd with TLS for everybody; some people mistype their password."""
    log = LogOpenLDAP("ldap9", handshake_s=0.004)
    sim = Simulation(log, utc(2024, 9, 3, 8, 0), 1500, seed=132, first_connection=1000, first_fd=12)
    office(sim, network="10.34.1", pace=1.2)
    hosts = tuple(f"10.34.1.{number}" for number in range(60, 90))
    sim.start(1, logins(sim, hosts, every=4.0))
    sim.start(3, _mistyped(sim))
    sim.start(4, application(sim, "10.34.1.17", "cn=wiki,ou=services,dc=example,dc=com", every=2.5))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _mistyped(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 80)
        connection = sim.connect(f"10.34.1.{60 + sim.random.randrange(30)}")
        yield HANDSHAKE_S
        wrong = binding(sim, connection, person(sim.random.randrange(4000)), 0.0025)
        wrong.error = 49
        yield wrong
        sim.close(connection)


BATCH = Batch(
    "batch3",
    cases=(
        Case(
            "changelog_purge",
            "Deadlock when trying to write an update to the changelog during purging",
            "https://github.com/389ds/389-ds-base/issues/6396",
            DS,
            "the purge of the changelog and a change wait for each other: no write is answered",
            HANGS,
            (r"\bMOD\b|\bmodif(y|ies|ications?)\b|\bwrites?\b",),
            r"upgrade|newer version|fixed in|stack|\bgdb\b",
            write_purge,
            accused=(DISK, THREADS, UNINDEXED),
        ),
        Case(
            "reconnect_in_step",
            "Add randomness to ldap connection timeout",
            "https://github.com/SSSD/sssd/pull/951",
            DS,
            "230 hosts enrolled together renew their connections in the same seconds, each 900 s",
            IN_STEP,
            (r"10\.25\.|fqdn=|hosts|SSSD|GSSAPI", r"\b900 s|\b15 min|fifteen|every|period|regular"),
            r"random|offset|spread|ldap_connection_expire|stagger",
            write_reconnects,
            share=0.98,
            accused=(DISK, UNINDEXED),
        ),
        Case(
            "automember_rebuild",
            "automember plugin improvements",
            "https://github.com/389ds/389-ds-base/issues/5547",
            DS,
            "a rebuild of all automatic memberships in one transaction, which everybody waits for",
            BLOCKS,
            (r"automember",),
            r"automember|outside|off.?hours|maintenance|quiet|night|scope|upgrade|newer version",
            write_automember,
            share=0.99,
            accused=(DISK, THREADS, UNINDEXED),
        ),
        Case(
            "bind_for_each_group",
            "LDAP authentication delay",
            "https://github.com/goharbor/harbor/issues/13780",
            DS,
            "a registry binds and reads once for each group of a user, 0.28 s each, one by one",
            f"{FOLLOWS}|{NEW_CONNECTIONS}|{STANDS_OUT}",
            (r"10\.24\.3\.30|srv_harbor", r"\bbind"),
            r"cache|once|pool|keep|reuse|memberof|for the owner|owner|hash|iterations",
            write_registry,
            share=0.98,
            accused=(DISK, UNINDEXED, THREADS),
        ),
        Case(
            "replica_monopolised",
            "Add nsds5ReplicaReleaseTimeout to replica config",
            "https://github.com/freeipa/freeipa/pull/1800",
            DS,
            "one supplier's session lasts 35 minutes; the other supplier asks for one in vain",
            r"replica|supplier",
            (
                r"10\.24\.4\.7[12]",
                r"monopol|starv|in vain|busy (replica|consumer)|replica (is )?busy|"
                r"one supplier|turned away|refused",
            ),
            r"release.?timeout|nsds5ReplicaReleaseTimeout",
            write_monopoly,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "tls_for_each_photo",
            "slow performance on ldap with ssl",
            "https://github.com/ltb-project/white-pages/issues/99",
            OPENLDAP,
            "a page of 86 people makes 87 connections with TLS, one for each photo",
            f"{NEW_CONNECTIONS}|{FOLLOWS}",
            (r"10\.44\.0\.19\b",),
            r"pool|keep|reuse|one connection|persistent|cache",
            write_photos,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "group_of_everybody",
            "Hotfix: fix LDAP settings (requests are HUGE)",
            "https://github.com/jenkins-infra/kubernetes-management/pull/968",
            OPENLDAP,
            "a build server reads the group of everybody with all members to check permissions",
            f"{LARGE}|{AGAIN}",
            (r"10\.44\.1\.21\b|cn=jenkins", r"cn=(all|\?)"),
            r"attribute|cache|narrow|fewer|owner",
            write_everybody,
            share=0.98,
            accused=(UNINDEXED, DISK, THREADS, INDEX_ADVICE),
        ),
        Case(
            "large_group_rewritten",
            "Solving slow write performance",
            "https://kb.symas.com/solving-slow-write-performance.html",
            OPENLDAP,
            "each change of a group with 60,000 members rewrites the entry, and other writes wait",
            f"{BLOCKS}|{LARGE}",
            (r"cn=students", r"\bmember\b|\bgroup"),
            r"multi.?val|sort.?vals|olcMultival",
            write_large_group,
            share=0.99,
            accused=(UNINDEXED, THREADS, r"checkpoint"),
        ),
        Case(
            "connections_for_nothing",
            "100% CPU after bin/backup execution",
            "https://github.com/OpenIdentityPlatform/OpenDJ/issues/78",
            OPENDJ,
            "since a backup, connections to the administration port open and close for nothing",
            NOTHING_ASKED,
            (r"127\.0\.0\.1\b",),
            r"TLS|Java|upgrade|newer version|pool|keep|reuse|owner",
            write_after_backup,
            accused=(UNINDEXED, INDEX_ADVICE, DISK, THREADS),
        ),
        Case(
            "ticket_without_index",
            "Create index for oxUmaResourcePermission & oxTicket",
            "https://github.com/GluuFederation/community-edition-setup/issues/467",
            OPENDJ,
            "each permission is looked up by oxTicket, which has no index",
            UNINDEXED,
            (r"oxTicket",),
            r"(create-backend-index|rebuild-index)[^\n]*oxTicket|oxTicket[^\n]*equality",
            write_tickets,
            share=0.99,
            accused=(DISK, THREADS, r"create-backend-index[^\n]*objectclass"),
        ),
    ),
    healthy=(
        Healthy("healthy_realm", "hosts at moments of their own", DS, write_healthy_realm),
        Healthy("healthy_ldaps", "a slapd with TLS for everybody", OPENLDAP, write_healthy_ldaps),
    ),
)
