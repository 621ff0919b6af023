"""The nineteenth ten, OpenLDAP: a pool that is none, an empty provider, everyone with mail."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.case import (
    AGAIN,
    DISK,
    INDEX_ADVICE,
    NEW_CONNECTIONS,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    UNINDEXED,
    Case,
    Healthy,
)
from tests.field.dialects import LogOpenLDAP
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

SERVICES = f"ou=services,{SUFFIX}"
_INDEXES = "olcDbIndex: objectClass,uid,cn,member,entryUUID,entryCSN eq"


def mdb(*lines: str, top: str = "", after: str = "") -> str:
    """Configuration of the one database of an OpenLDAP, with lines for the server itself."""
    text = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: stats sync
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


# ---- a pool that is none ---------------------------------------------------------------------

_KEYCLOAK = "10.245.0.20"


def write_pool_that_is_none(folder: Path) -> Waited:
    """For each person on a page of an administration console a connection with TLS of its own."""
    log = LogOpenLDAP("ldap3", pid=1_402, handshake_s=0.031)
    sim = Simulation(
        log, utc(2024, 12, 10, 9, 30), 1500, seed=1920, first_connection=8_100, first_fd=16
    )
    office(sim, network="10.245.0", pace=0.9)
    sim.start(12, _pages_of_users(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _pages_of_users(sim: Simulation) -> Client:
    """Now and then somebody turns over a page of 100 people."""
    while True:
        first = sim.random.randrange(3900)
        for number in range(first, first + 100):
            connection = sim.connect(_KEYCLOAK)
            yield 0.034
            bind = binding(sim, connection, f"cn=keycloak,{SERVICES}", 0.0018)
            bind.culprit = True
            yield bind
            yield 0.0009
            wanted = f"(&(uid={user(number)})(objectclass=inetOrgPerson)(objectclass=person))"
            asked = search(sim, connection, PEOPLE, wanted, 0.0008)
            asked.attributes, asked.culprit = "uid cn sn mail createTimestamp modifyTimestamp", True
            yield asked
            yield 0.0006
            sim.close(connection)
            yield sim.about(0.003)
        yield sim.random.expovariate(1 / 22)


# ---- a provider without an entry -------------------------------------------------------------


def write_provider_is_empty(folder: Path) -> Waited:
    """A new server of three has nothing: its peers look for the base and find none (32)."""
    log = LogOpenLDAP("openldap-1", pid=1, handshake_s=0.006)
    sim = Simulation(
        log, utc(2024, 12, 4, 22, 10), 1500, seed=1921, first_connection=1_000, first_fd=12
    )
    for number, peer in enumerate(("10.246.0.3", "10.246.0.5")):
        sim.start(5 + 13 * number, _consumer(sim, log, peer))
    for rid in (101, 103):
        sim.start(rid - 90, _own_consumer(sim, log, rid))
    sim.start(2, _probe(sim))
    sim.start(8, _administration(sim))
    sim.run()
    log.write(folder / "slapd.log")
    consumers = [
        f"olcSyncrepl: {{{place}}}rid=10{place + 1} "
        f"provider=ldaps://openldap-{place}.openldap:1636 "
        f'binddn="cn=admin,{SUFFIX}" bindmethod=simple credentials=hidden searchbase="{SUFFIX}" '
        'type=refreshAndPersist interval=00:00:00:10 retry="60 +" timeout=1 tls_reqcert=never'
        for place in range(3)
    ]
    sync = (
        "dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config\nobjectClass: olcOverlayConfig\n"
        "objectClass: olcSyncProvConfig\nolcOverlay: {0}syncprov\nolcSpCheckpoint: 100 10\n\n"
    )
    text = mdb(_INDEXES, *consumers, "olcMultiProvider: TRUE", top="olcServerID: 2\n", after=sync)
    (folder / "cn=config.ldif").write_text(text, "utf-8")
    return sim.waited


def _consumer(sim: Simulation, log: LogOpenLDAP, peer: str) -> Client:
    """A peer wants everything, and there is no base to begin with."""
    while True:
        connection = sim.connect(peer)
        yield 0.008
        yield binding(sim, connection, f"cn=admin,{SUFFIX}", 0.0003)
        yield 0.0008
        log.line(sim.now + 1.6e-4, "findbase failed! 32")
        everything = Request(connection, "SRCH", 0.0004, SUFFIX, 2, "(objectClass=*)", "* +")
        everything.error, everything.culprit = 32, True
        yield everything
        yield 0.001
        sim.close(connection)
        yield 60.0 + sim.random.uniform(0, 0.1)


def _own_consumer(sim: Simulation, log: LogOpenLDAP, rid: int) -> Client:
    """What the server says of its own attempts: its peers have nothing either."""
    while True:
        log.line(sim.now, f"do_syncrep2: rid={rid} LDAP_RES_SEARCH_RESULT (32) No such object")
        log.line(sim.now + 2e-4, f"do_syncrep2: rid={rid} (32) No such object")
        log.line(sim.now + 9e-4, f"do_syncrepl: rid={rid} rc -101 retrying")
        yield 60.0 + sim.random.uniform(0, 0.1)


def _probe(sim: Simulation) -> Client:
    """What looks whether the container is alive."""
    while True:
        connection = sim.connect("10.246.0.1")
        yield 0.008
        root = Request(connection, "SRCH", 0.0002, "", 0, "(objectClass=*)", "namingContexts")
        root.entries = 1
        yield root
        sim.close(connection)
        yield 10.0


def _administration(sim: Simulation) -> Client:
    """Somebody looks at it with a browser of directories, which shows nothing."""
    for _ in range(6):
        connection = sim.connect("10.246.0.90")
        yield 0.008
        yield binding(sim, connection, f"cn=admin,{SUFFIX}", 0.0003)
        for scope in (0, 1):
            asked = Request(connection, "SRCH", 0.0003, SUFFIX, scope, "(objectClass=*)")
            asked.error = 32
            yield asked
        sim.close(connection)
        yield sim.random.uniform(90, 260)


# ---- everyone with a mail address ------------------------------------------------------------

_CATALOGUE = "10.247.0.30"


class _NotIndexed(LogOpenLDAP):
    """What slapd of 2.4 says of parts of a filter that have no index."""

    def asked(self, at: float, request: Request) -> None:
        if request.culprit:
            attribute = "mail" if "mail=" in request.query else "cn"
            request.before = (f"<= mdb_substring_candidates: ({attribute}) not indexed",)
        super().asked(at, request)


def write_everyone_with_mail(folder: Path) -> Waited:
    """Each half minute a catalogue fetches everyone with a mail address, and some groups."""
    log = _NotIndexed("georchestra-ldap", pid=27, old=True)
    sim = Simulation(
        log, utc(2015, 1, 15, 10, 50), 1800, seed=1922, first_connection=1_003, first_fd=14
    )
    office(sim, network="10.247.0", pace=1.0)
    sim.start(9, _fetches(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _fetches(sim: Simulation) -> Client:
    """All users and the groups whose names begin so, over one connection."""
    connection = sim.connect(_CATALOGUE)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=geonetwork,{SERVICES}")
    while True:
        for base, query, took, entries in (
            (PEOPLE, "(&(objectClass=*)(mail=*@*)(givenName=*))", 6.4, 11_730),
            (GROUPS, "(&(objectClass=groupOfNames)(cn=el_*))", 1.2, 0),
        ):
            asked = Request(connection, "SRCH", sim.about(took, 0.08), base, 1, query)
            asked.entries, asked.culprit = entries, True
            yield asked
            yield 0.004
        yield 30.0


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_thursday(folder: Path) -> Waited:
    """A replica follows the changes, a console keeps its connections, a list is read by pages."""
    log = LogOpenLDAP("ldap9", pid=1_088, handshake_s=0.005)
    sim = Simulation(
        log, utc(2026, 6, 11, 9, 5), 1800, seed=1930, first_connection=7_700, first_fd=17
    )
    office(sim, network="10.248.0", pace=2.1)
    sim.start(3, monitoring(sim, "10.248.0.9", f"cn=check,{SERVICES}", every=15, base="cn=Monitor"))
    sim.start(1, following(sim, "10.248.0.3", f"cn=replicator,{SUFFIX}", SUFFIX, "(objectClass=*)"))
    for number, name in enumerate(("wiki", "vpn", "code"), start=51):
        sim.start(0.3 * number, application(sim, f"10.248.0.{number}", f"cn={name},{SERVICES}",
                                            every=0.9))  # fmt: skip
    for _ in range(4):
        sim.start(sim.random.uniform(2, 30), _kept(sim))
    sim.start(20, changes(sim, "10.248.0.62", f"cn=self-service,{SERVICES}", every=14))
    sim.start(700, _directory_of_people(sim))
    sim.run()
    log.write(folder / "slapd.log")
    sync = (
        "dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config\nobjectClass: olcOverlayConfig\n"
        "objectClass: olcSyncProvConfig\nolcOverlay: {0}syncprov\nolcSpCheckpoint: 100 10\n\n"
    )
    config = mdb(_INDEXES, "olcDbIndex: mail eq", top="olcServerID: 1\n", after=sync)
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _kept(sim: Simulation) -> Client:
    """A connection of a console that is used all day, for whoever is shown."""
    connection = sim.connect("10.248.0.20")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=keycloak,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 4)
        number = sim.random.randrange(4000)
        wanted = f"(&(uid={user(number)})(objectclass=inetOrgPerson))"
        yield search(sim, connection, PEOPLE, wanted, 0.0008)
        if number % 3 == 0:
            yield 0.01
            yield search(sim, connection, GROUPS, f"(member={person(number)})", 0.001, entries=4)


def _directory_of_people(sim: Simulation) -> Client:
    """All people once a morning, by pages."""
    connection = sim.connect("10.248.0.63")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=telephone-book,{SERVICES}")
    for _ in range(9):
        yield search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", 0.016, entries=500)
        yield sim.about(0.08)
    sim.close(connection)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "pool_that_is_none",
        "LDAP connection pool setting com.sun.jndi.ldap.connect.pool.protocol has no effect (2024)",
        "https://github.com/keycloak/keycloak/issues/35762",
        OPENLDAP,
        "the pool of a console is not used: for each of the 100 people on a page it opens a "
        "connection with TLS (34 ms), binds and asks one question, 5 s a page",
        rf"{NEW_CONNECTIONS}|handshake|connections? for",
        (r"10\.245\.0\.20\b|cn=keycloak", r"connection|pool|handshake|\bbinds?\b"),
        r"\bpool|keep|re-?us|one connection|persistent|upgrade|com\.sun\.jndi",
        write_pool_that_is_none,
        accused=_SERVERS_WORK,
    ),
    Case(
        "provider_is_empty",
        "findbase failed! 32 (2024)",
        "https://github.com/jp-gouin/helm-openldap/issues/221",
        OPENLDAP,
        "the database of the provider has no base entry: what its consumers ask for ends with 32 "
        "(no such object), they try again each minute, and nothing is replicated",
        r"syncrepl|replicat|no such object|findbase|refresh|consumer|provider|\b(err=)?32\b|"
        r"base (entry )?(is|does|that)|\bempty\b",
        (
            r"rid=?10[13]|rid 10[13]|10\.246\.0\.[35]\b|cn=admin",
            r"no such object|\b32\b|findbase|\bbase\b|\bempty\b",
        ),
        r"slapadd|slapcat|\bload|base entry|initial|import|\bacl|access|restor|exist|seed|suffix",
        write_provider_is_empty,
        accused=_SERVERS_WORK,
    ),
    Case(
        "everyone_with_mail",
        "ldap - indexes (2015)",
        "https://github.com/georchestra/georchestra/issues/881",
        OPENLDAP,
        "each half minute a catalogue fetches all 11,730 people by (mail=*@*) and the groups whose "
        "names begin with el_; neither mail nor cn has an index for parts: 7.6 s each time",
        rf"{UNINDEXED}|{AGAIN}|{ALL_OF_IT}|{STANDS_OUT}|substring",
        (
            r"10\.247\.0\.30\b|cn=geonetwork|mail=|\bmail\b",
            r"index|every|\b30 s|again|11[,. ]?730|entries|\bparts?\b|substring",
        ),
        r"olcDbIndex|slapindex|\bsub\b|less often|interval|cache|narrow|filter|fewer",
        write_everyone_with_mail,
        share=0.97,
        accused=(DISK, THREADS),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_thursday",
        "a replica follows, a console keeps its connections, a list is read by pages",
        OPENLDAP,
        write_healthy_thursday,
    ),
)
