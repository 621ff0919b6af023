"""The twentieth ten, OpenLDAP: each entry again, a list sorted for each page, nobody again."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX
from tests.field.batch19.openldap import SERVICES, mdb
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
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    monitoring,
    office,
    person,
    search,
    user,
)

_INDEXES = "olcDbIndex: objectClass,uid,cn,mail,member,entryUUID,entryCSN eq"

# ---- each entry, for one attribute after the other -------------------------------------------

_PLONE = "10.2.53.20"
_PARTS = ("uid", "cn", "mail", "memberOf", "* +")


def write_each_entry_again(folder: Path) -> Waited:
    """A portal reads each entry it shows once for each attribute, and then whole."""
    log = LogOpenLDAP("ldap1", pid=812, old=False)
    sim = Simulation(log, utc(2016, 12, 1, 9, 15), 1500, seed=2010, first_connection=2_200)
    office(sim, network="10.2.53", pace=1.1)
    for number in range(3):
        sim.start(8 + 5.3 * number, _page_of_members(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _page_of_members(sim: Simulation) -> Client:
    """Somebody looks at a page with a few dozen members."""
    connection = sim.connect(_PLONE)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=plone,{SERVICES}")
    while True:
        group = sim.random.randrange(300)
        members = Request(
            connection, "SRCH", sim.about(0.001), f"cn=site{group},{GROUPS}", 0, "(objectClass=*)"
        )
        members.attributes, members.entries, members.culprit = "member", 1, True
        yield members
        for number in sim.random.sample(range(4000), sim.random.randrange(25, 60)):
            for part in _PARTS:
                one = Request(connection, "SRCH", sim.about(0.0009), person(number), 0)
                one.query, one.attributes = "(objectClass=*)", part
                one.entries, one.culprit = 1, True
                yield one
                yield sim.about(0.0011)
        yield sim.random.expovariate(1 / 45)


# ---- a list that is sorted for each page -----------------------------------------------------

_SYNC = "10.2.54.66"


def write_sorted_for_each_page(folder: Path) -> Waited:
    """200,000 people by a virtual list; the context is not sent back, so each page sorts anew."""
    log = LogOpenLDAP("primary", pid=1_733, handshake_s=0.007)
    sim = Simulation(log, utc(2026, 7, 20, 13, 40), 1800, seed=2011, first_connection=5_010)
    office(sim, network="10.2.54", pace=1.2)
    sim.start(20, _virtual_list(sim))
    sim.run()
    log.write(folder / "slapd.log")
    overlay = (
        "dn: olcOverlay={0}sssvlv,olcDatabase={1}mdb,cn=config\nobjectClass: olcOverlayConfig\n"
        "objectClass: olcSssVlvConfig\nolcOverlay: {0}sssvlv\nolcSssVlvMax: 16\n\n"
    )
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES, after=overlay), "utf-8")
    return sim.waited


def _virtual_list(sim: Simulation) -> Client:
    """All users in slices of 2,000, and after a while once more."""
    while True:
        connection = sim.connect(_SYNC)
        yield 0.01
        yield binding(sim, connection, f"cn=mirror,{SERVICES}")
        for _ in range(100):
            asked = search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", 0.0)
            asked.took, asked.entries, asked.culprit = sim.about(5.6, 0.07), 2000, True
            asked.attributes = "uid entryUUID mail"
            yield asked
            yield sim.about(0.05)
        sim.close(connection)
        yield 300.0


# ---- nobody, again and again -----------------------------------------------------------------

_NGINX = "10.2.55.7"


def write_nobody_again(folder: Path) -> Waited:
    """A web server asks its first directory at each hit for people of its second one."""
    log = LogOpenLDAP("ldap1", pid=644, old=True)
    sim = Simulation(log, utc(2018, 3, 21, 10, 5), 1500, seed=2012, first_connection=1_040)
    office(sim, network="10.2.55", pace=1.0)
    for _ in range(4):
        sim.start(sim.random.uniform(2, 9), _hits(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _hits(sim: Simulation) -> Client:
    """A worker of the web server: people it knows are cached, the eleven others are asked for."""
    connection = sim.connect(_NGINX)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=nginx,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 0.35)
        number = 5_000 + sim.random.randrange(11)
        asked = search(sim, connection, PEOPLE, f"(&(uid={user(number)})(objectClass=person))",
                       0.0008, entries=0)  # fmt: skip
        asked.attributes, asked.culprit = "1.1", True
        yield asked


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_compares(folder: Path) -> Waited:
    """Compares decide who may do what, passwords are changed by extension, one list is sorted."""
    log = LogOpenLDAP("ldap4", pid=990, handshake_s=0.004)
    sim = Simulation(log, utc(2026, 10, 6, 9, 30), 1800, seed=2020, first_connection=6_300)
    office(sim, network="10.2.56", pace=1.6)
    sim.start(3, monitoring(sim, "10.2.56.9", f"cn=check,{SERVICES}", every=30, base="cn=Monitor"))
    for number, name in enumerate(("code", "builds", "shop"), start=51):
        sim.start(0.4 * number, _compares(sim, f"10.2.56.{number}", name))
    sim.start(30, application(sim, "10.2.56.61", f"cn=badges,{SERVICES}", every=1.1))
    sim.start(45, _new_passwords(sim))
    sim.start(500, _sorted_once(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(mdb(_INDEXES), "utf-8")
    return sim.waited


def _compares(sim: Simulation, address: str, name: str) -> Client:
    """An application that asks whether somebody is a member, of many groups and people."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn={name},{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 1.2)
        group = f"cn=team{sim.random.randrange(400)},{GROUPS}"
        asked = Request(connection, "CMP", sim.about(0.0004), group, query="member")
        asked.error = 5 if sim.random.random() < 0.3 else 6
        yield asked


def _new_passwords(sim: Simulation) -> Client:
    """People choose a new password now and then."""
    while True:
        yield sim.random.expovariate(1 / 70)
        number = sim.random.randrange(4000)
        connection = sim.connect(f"10.2.56.{70 + number % 9}")
        yield HANDSHAKE_S
        yield binding(sim, connection, person(number), 0.003)
        yield Request(connection, "EXT", sim.about(0.006), query="1.3.6.1.4.1.4203.1.11.1")
        sim.close(connection)


def _sorted_once(sim: Simulation) -> Client:
    """An administrator opens a sorted list of one department."""
    connection = sim.connect("10.2.56.90")
    yield HANDSHAKE_S
    yield binding(sim, connection, person(17), 0.003)
    for _ in range(3):
        yield search(sim, connection, PEOPLE, "(departmentNumber=12)", 0.006, entries=40)
        yield sim.random.uniform(8, 20)
    sim.close(connection)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "each_entry_again",
        "Plugin creates insane amount of LDAP queries (2016)",
        "https://github.com/collective/pas.plugins.ldap/issues/30",
        OPENLDAP,
        "a portal reads each entry of a page five times, for other attributes each time, one "
        "after the other: 200 searches for a page of 40 members",
        rf"{FOLLOWS}|{AGAIN}|same entr|one after the other|times (each|in a row)",
        (
            r"10\.2\.53\.20\b|cn=plone",
            r"same (entry|entries|DN|person|people)|attributes|\btimes\b|again|"
            r"look-?ups?|one after",
        ),
        r"\bcache|at once|one (search|request)|fewer|all attributes|in parallel|together",
        write_each_entry_again,
        share=0.8,
        accused=_SERVERS_WORK,
    ),
    Case(
        "sorted_for_each_page",
        "fix(vlv): include contextID in subsequent VLV requests (2026)",
        "https://github.com/python-ldap/python-ldap/pull/618",
        OPENLDAP,
        "a client reads 200,000 people by a virtual list and does not send the context back: slapd "
        "sorts all of them anew for each page of 2,000, 5.6 s a page",
        rf"{STANDS_OUT}|{AGAIN}|{ALL_OF_IT}|\bsort|\bVLV\b|virtual list|\bpage",
        (
            r"10\.2\.54\.66\b|cn=mirror",
            r"\bsort|\bVLV\b|virtual list|\bpages?\b|2[,. ]?000|same (search|request|question)|"
            r"again",
        ),
        r"\bpaged|\bVLV\b|virtual list|sssvlv|without sort|changed since|only what|syncrepl|"
        r"less often|interval",
        write_sorted_for_each_page,
        share=0.99,
        accused=_SERVERS_WORK,
    ),
    Case(
        "nobody_again",
        "auth caching doesnt fully work with multiple ldap (2018)",
        "https://github.com/kvspb/nginx-auth-ldap/issues/201",
        OPENLDAP,
        "a web server with two directories asks the first one at each hit for the eleven people "
        "who are only in the second: its cache does not remember that nobody was found",
        rf"{AGAIN}|nobody|no(t an?)? entr|nothing|not found|empty|in vain",
        (
            r"10\.2\.55\.7\b|cn=nginx",
            r"nobody|no entr(y|ies)|nothing|not found|empty|in vain|\b0 entries|none\b|without an? "
            r"(entry|answer|result)",
        ),
        r"\bcache|remember|order|negative|first",
        write_nobody_again,
        accused=_SERVERS_WORK,
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_compares",
        "compares decide who may do what, passwords are changed by extension, a list is sorted",
        OPENLDAP,
        write_healthy_compares,
    ),
)
