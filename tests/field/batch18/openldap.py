"""The eighteenth ten, OpenLDAP: a delta that never ends, a slow loop, nobody found, a cut line."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX
from tests.field.batch6 import PAUSES, SUFFIX
from tests.field.case import (
    AGAIN,
    DISK,
    FOLLOWS,
    INDEX_ADVICE,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    Case,
    Healthy,
)
from tests.field.dialects import LogOpenLDAP
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

SERVICES = f"ou=services,{SUFFIX}"
IN_TURN = rf"{FOLLOWS}|in a row|in turn|in sequence|sequential|\bseries\b|\bchains?\b"
"""One search after another, each for a different thing."""
_INDEXES = "olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq"


def _mdb(*lines: str, top: str = "", after: str = "") -> str:
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


# ---- a delta that begins anew each time ------------------------------------------------------

PEER = "10.224.0.3"
_REPLICATOR = f"cn=replicator,{SUFFIX}"
_WRITES = "(&(objectClass=auditWriteObject)(reqResult=0))"
_OVERLAYS = """dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcSyncProvConfig
olcOverlay: {0}syncprov
olcSpReloadHint: TRUE

dn: olcOverlay={1}accesslog,olcDatabase={1}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcAccessLogConfig
olcOverlay: {1}accesslog
olcAccessLogDB: cn=accesslog
olcAccessLogOps: writes
olcAccessLogSuccess: TRUE

"""


def write_delta_begins_anew(folder: Path) -> Waited:
    """The entry both suppliers bind as was made on each of them: neither ever gets past it."""
    log = LogOpenLDAP("ldap-m1", pid=903, old=True)
    sim = Simulation(
        log, utc(2018, 11, 16, 9, 20), 1800, seed=1820, first_connection=2_000, first_fd=14
    )
    office(sim, network="10.224.0", pace=1.5)
    sim.start(4, application(sim, "10.224.0.18", f"cn=phones,{SERVICES}", every=1.1))
    sim.start(2, _own_consumer(sim, log))
    sim.start(17, _their_consumer(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        _INDEXES,
        "olcSyncrepl: {0}rid=002 provider=ldap://ldap-m2.example.com "
        f'binddn="{_REPLICATOR}" bindmethod=simple credentials=hidden searchbase="{SUFFIX}" '
        f'logbase="cn=accesslog" logfilter="{_WRITES}" syncdata=accesslog '
        'type=refreshAndPersist retry="30 +" timeout=3',
        "olcMirrorMode: TRUE",
        top="olcServerID: 1\n",
        after=_OVERLAYS,
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _own_consumer(sim: Simulation, log: LogOpenLDAP) -> Client:
    """What the server says of its own attempts to follow the other one."""
    while True:
        log.line(sim.now, f"syncrepl_message_to_op: rid=002 be_add {_REPLICATOR} (68)")
        log.line(sim.now + 2e-4, "do_syncrep2: rid=002 delta-sync lost sync, switching to REFRESH")
        yield 6.4
        log.line(sim.now, "do_syncrep2: rid=002 LDAP_RES_INTERMEDIATE - REFRESH_DELETE")
        log.line(sim.now + 1e-3, "do_syncrepl: rid=002 rc 68 retrying")
        yield 30.0 + sim.random.uniform(0, 0.4)


def _their_consumer(sim: Simulation) -> Client:
    """The other one: the log of changes, then everything, and once more from the beginning."""
    while True:
        connection = sim.connect(PEER)
        yield 0.0008
        yield binding(sim, connection, _REPLICATOR, 0.0012)
        log = Request(connection, "SRCH", 0.004, "cn=accesslog", 2, _WRITES)
        log.attributes, log.entries = "reqDN reqType reqMod reqNewRDN reqOld entryCSN", 1
        yield log
        sim.close(connection)
        yield 0.001
        connection = sim.connect(PEER)
        yield 0.0008
        yield binding(sim, connection, _REPLICATOR, 0.0012)
        everything = Request(connection, "SRCH", sim.about(6.1, 0.05), SUFFIX, 2)
        everything.query, everything.attributes = "(objectClass=*)", "* +"
        everything.entries, everything.culprit = 8_214, True
        yield everything
        yield 0.003
        sim.close(connection)
        yield 30.0 + sim.random.uniform(0, 0.4)


# ---- a loop through everybody, for everybody -------------------------------------------------

GLPI = "10.225.0.25"
_USERS, _PAGE = 4_300, 100
_LOOP_S = 0.112


def write_loop_through_everybody(folder: Path) -> Waited:
    """A synchronisation goes through its list of all users again for each of them."""
    log = LogOpenLDAP("ldap4", pid=1_511, handshake_s=0.005)
    sim = Simulation(
        log, utc(2026, 8, 17, 6, 0), 1500, seed=1821, first_connection=9_310, first_fd=15
    )
    office(sim, network="10.225.0", pace=0.9)
    sim.start(210, _synchronises(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_mdb(_INDEXES), "utf-8")
    return sim.waited


def _synchronises(sim: Simulation) -> Client:
    """All users by pages, and then each of them, with 0.1 s of the client's own before each."""
    connection = sim.connect(GLPI)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=glpi,{SERVICES}")
    for _ in range(_USERS // _PAGE):
        page = search(sim, connection, PEOPLE, "(&(objectClass=inetOrgPerson)(uid=*))", 0.004,
                      entries=_PAGE)  # fmt: skip
        page.attributes = "uid modifyTimestamp"
        yield page
        yield sim.about(0.012)
    for number in range(_USERS):
        yield sim.about(_LOOP_S, 0.08)
        one = search(sim, connection, PEOPLE, f"(uid={user(number % 4000)})", 0.0007)
        one.attributes = "uid"
        yield one
        yield sim.about(0.0015)
        whole = Request(connection, "SRCH", sim.about(0.0006), person(number % 4000), 0)
        whole.query, whole.entries = "(objectClass=*)", 1
        yield whole
    sim.close(connection)


# ---- a question for each project, and nobody is found ----------------------------------------

GROK = "10.226.0.30"
_PROJECTS = 160


def write_nobody_found_again(folder: Path) -> Waited:
    """A page asks once for each project whether a person is there, who is not."""
    log = LogOpenLDAP("ldap6", pid=744, handshake_s=0.004)
    sim = Simulation(
        log, utc(2022, 1, 3, 15, 40), 1500, seed=1822, first_connection=20_118, first_fd=18
    )
    office(sim, network="10.226.0", pace=0.9)
    sim.start(3, _index_pages(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_mdb(_INDEXES), "utf-8")
    return sim.waited


def _index_pages(sim: Simulation) -> Client:
    """People open the first page, some of them from outside the directory."""
    while True:
        yield sim.random.expovariate(1 / 19)
        sim.start(sim.now - sim.begin, _index_page(sim, sim.random.randrange(4000)))


def _index_page(sim: Simulation, number: int) -> Client:
    """Somebody who is there is asked for once, and somebody who is not for each project."""
    stranger = number % 3 > 0
    who = f"guest{number % 5}" if stranger else user(number)
    connection = sim.connect(GROK)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=opengrok,{SERVICES}")
    for _ in range(_PROJECTS if stranger else 1):
        query = f"(&(objectclass=person)(mail={who}@example.com)(uid={who}))"
        asked = search(sim, connection, PEOPLE, query, 0.017, entries=0 if stranger else 1)
        asked.attributes, asked.culprit = "uid mail", stranger
        yield asked
        yield sim.about(0.002)
    yield sim.about(0.5)
    sim.close(connection)


# ---- the balancer cuts what is idle ----------------------------------------------------------

BALANCER = "10.227.0.5"
_POOL = 10
_IDLE_S = 300.0
_STARTS = (4.0, 690.0, 1310.0)


def write_balancer_cuts_idle(folder: Path) -> Waited:
    """A load balancer ends idle connections to the server, and keeps those to the client."""
    log = LogOpenLDAP("ldap-node1", pid=2_030, handshake_s=0.005)
    sim = Simulation(
        log, utc(2018, 2, 28, 7, 10), 1900, seed=1823, first_connection=61_007, first_fd=19
    )
    office(sim, network="10.227.0", pace=1.2)
    for begin in _STARTS:
        for number in range(_POOL):
            sim.start(begin + 0.04 * number, _of_the_pool(sim, begin))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(_INDEXES, top="olcIdleTimeout: 0\n")
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _of_the_pool(sim: Simulation, begin: float) -> Client:
    """A connection of the pool: used for a while after the start, then idle, then cut."""
    connection = sim.connect(BALANCER)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=elastic,{SERVICES}")
    until = begin + sim.random.uniform(45, 110)
    while sim.now - sim.begin < until:
        yield sim.random.expovariate(1 / 4)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
        yield 0.002
        mine = f"(member={person(number)})"
        yield search(sim, connection, GROUPS, mine, 0.001, entries=4)
    yield _IDLE_S + sim.random.uniform(0.0, 0.02)
    sim.close(connection, clean=False)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_wednesday(folder: Path) -> Waited:
    """A replica follows the changes, a pool is used all day, pages are read, people change."""
    log = LogOpenLDAP("ldap8", pid=1_233, handshake_s=0.004)
    sim = Simulation(
        log, utc(2026, 5, 6, 9, 10), 1800, seed=1830, first_connection=5_200, first_fd=17
    )
    office(sim, network="10.228.0", pace=2.2)
    sim.start(3, monitoring(sim, "10.228.0.9", f"cn=check,{SERVICES}", every=15, base="cn=Monitor"))
    sim.start(1, following(sim, "10.228.0.3", _REPLICATOR, "cn=accesslog", _WRITES))
    for number, name in enumerate(("wiki", "vpn", "code"), start=51):
        sim.start(0.3 * number, application(sim, f"10.228.0.{number}", f"cn={name},{SERVICES}",
                                            every=0.9))  # fmt: skip
    for _ in range(6):
        sim.start(sim.random.uniform(2, 30), _used_all_day(sim))
    sim.start(20, changes(sim, "10.228.0.62", f"cn=self-service,{SERVICES}", every=13))
    sim.start(800, _address_book(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(_INDEXES, "olcDbIndex: uidNumber eq", top="olcServerID: 1\n", after=_OVERLAYS)
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _used_all_day(sim: Simulation) -> Client:
    """A connection of a pool that is never idle for long."""
    connection: Connection = sim.connect("10.228.0.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=portal2,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 5)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(mail={user(number)}@example.com)", 0.0008)
        if number % 4 == 0:
            yield 0.01
            mine = f"(member={person(number)})"
            yield search(sim, connection, GROUPS, mine, 0.001, entries=4)


def _address_book(sim: Simulation) -> Client:
    """All people once a morning, by pages."""
    connection = sim.connect("10.228.0.63")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=address-book,{SERVICES}")
    for _ in range(9):
        page = search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", 0.016, entries=500)
        yield page
        yield sim.about(0.07)
    sim.close(connection)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "delta_begins_anew",
        "Infinite delta-MMR (accesslog) synchronization (syncrepl drawback) (2018)",
        "https://github.com/erthink/ReOpenLDAP/issues/166",
        OPENLDAP,
        "the entry two suppliers bind as was made on each of them: delta-syncrepl fails on it "
        "with 68 (already exists), falls back to reading everything (8,214 entries, 6 s), and "
        "begins anew after 30 s, without an end, in both directions",
        rf"syncrepl|replicat|\brefresh|delta|consumer|supplier|provider|{ALL_OF_IT}|{AGAIN}",
        (
            r"rid=?002|rid 002|10\.224\.0\.3\b|cn=replicator",
            rf"refresh|already exists|\b68\b|everything|8[,. ]?214|{ALL_OF_IT}",
        ),
        r"already exists|cn=replicator|upgrade|newer (version|release)|slapadd|slapcat|"
        r"(reload|re-?initiali[sz]|remov|delet|outside|exclud)\w*.{0,60}(replica|entry|database|"
        r"data|scope)|same entryUUID|lost sync",
        write_delta_begins_anew,
        accused=_SERVERS_WORK,
    ),
    Case(
        "loop_through_everybody",
        "The `glpi:ldap:synchronize_users` is very slow with large LDAP directories (2026)",
        "https://github.com/glpi-project/glpi/issues/25166",
        OPENLDAP,
        "for each of 4,300 users the client goes through its list of all users (0.11 s of its own "
        "work, quadratic in all) before it asks for the next: 8 min, of which slapd works 6 s",
        rf"the client('s| took| takes| works|: )|between (an|the|its) (answer|result)|by the "
        rf"client|{PAUSES}|{IN_TURN}",
        (
            r"10\.225\.0\.25\b|cn=glpi",
            r"client|\b0[.,]1\d* ?s|\b11\d([.,]\d+)? ?ms|\bpaus|between",
        ),
        r"client|no setting of the server|in parallel|one search|fewer|upgrade|batch|list",
        write_loop_through_everybody,
        accused=_SERVERS_WORK,
    ),
    Case(
        "nobody_found_again",
        "negative cache in LdapUserPlugin (2022)",
        "https://github.com/oracle/opengrok/issues/3859",
        OPENLDAP,
        "for a person who is not in the directory a page asks once for each of 160 projects, the "
        "same search each time and in vain: what is not found is not kept by the client",
        rf"{AGAIN}|{IN_TURN}|{STANDS_OUT}|no(thing| entr(y|ies)| results?)|in vain|\bempty",
        (
            r"10\.226\.0\.30\b|cn=opengrok",
            r"same|again|repeat|identical|no(thing| entr(y|ies)| results?)|in vain|\bempty|"
            r"0 entries|find nothing|without (an )?(entry|entries|results?)",
        ),
        r"cach|\bonce\b|keep|remember|fewer|reuse|not ask|no setting of the server|client",
        write_nobody_found_again,
        share=0.97,
        accused=_SERVERS_WORK,
    ),
    Case(
        "balancer_cuts_idle",
        "LDAP auth connection issues after idle time (2018)",
        "https://github.com/sscarduzio/elasticsearch-readonlyrest-plugin/issues/319",
        OPENLDAP,
        "a load balancer ends each connection to slapd after 300 s without a request, and not "
        "the one to the client, whose requests then go nowhere until it is started again",
        r"\bidle|\blost\b|\bcut\b|drop|without (an )?unbind|ended|(are|is|were) closed|unclean|"
        r"disconnect|silent",
        (
            r"10\.227\.0\.5\b|cn=elastic",
            r"\b300([.,]\d+)? ?s|\b5(\.0)? ?min|five minutes|300 seconds|\bidle",
        ),
        r"keep-?alive|\bidle|balancer|firewall|pool|time-?out|between",
        write_balancer_cuts_idle,
        accused=(*_SERVERS_WORK, r"olcIdleTimeout (closes|ends|cuts)"),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_wednesday",
        "a replica follows, a pool is used all day, an address book is read, people change",
        OPENLDAP,
        write_healthy_wednesday,
    ),
)
