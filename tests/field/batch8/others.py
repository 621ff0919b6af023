"""The eighth ten, OpenLDAP and OpenDJ: lists read anew, an index, a deadlock, and round trips."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.field.batch4 import GIVES_UP
from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS
from tests.field.batch6 import SUFFIX
from tests.field.case import (
    AGAIN,
    DISK,
    FOLLOWS,
    HANGS,
    INDEX_ADVICE,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    UNINDEXED,
    Case,
    Healthy,
)
from tests.field.dialects import LogOpenDJ, LogOpenDJJson, LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    binding,
    logins,
    monitoring,
    office,
    person,
    search,
    user,
)

PAGES = r"\bpages?\b|\bpaged|\bpaging|\bvlv\b|virtual list|\bsort(s|ed|ing)?\b"
HEAP = r"\bheap\b|-Xm[sx]|garbage"
FAR_STORE = (
    r"\bjdbc|postgres|\bsql\b|(remote|external|relational|other) database|"
    r"database (server|connection)|round.?trips?|\bnetwork|\bconstant|\bfloor\b|"
    r"same (length|time)|at least \d+(\.\d+)? ?ms|fixed (time|cost|length|delay)|"
    r"whatever is asked|(all|every) (\w+ )?(operation|request|search)s?\b.{0,60}\d ?ms"
)
"""All that needs the data takes a time of its own, whatever is asked."""


# ---- OpenLDAP --------------------------------------------------------------------------------

_SORTED_LISTS = f"""dn: cn=module{{0}},cn=config
objectClass: olcModuleList
cn: module{{0}}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {{0}}back_mdb
olcModuleLoad: {{1}}syncprov
olcModuleLoad: {{2}}sssvlv

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/univention-ldap/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 2147483648
olcDbIndex: objectClass,univentionObjectType,uid,mail,member,uniqueMember eq
olcDbIndex: memberUid,uidNumber,gidNumber,entryUUID,entryCSN eq

dn: olcOverlay={{1}}sssvlv,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcSssVlvConfig
olcOverlay: {{1}}sssvlv
olcSssVlvMax: 8

"""


def write_sorted_pages(folder: Path) -> Waited:
    """A console shows a sorted list by pages, and for every page all of it is sorted anew."""
    log = LogOpenLDAP("primary", pid=1342)
    sim = Simulation(log, utc(2026, 7, 20, 9, 0), 900, seed=550, first_connection=4100, first_fd=14)
    office(sim, network="10.87.0")
    sim.start(40, _plain_list(sim))
    sim.start(160, _console(sim, pages=100, size=2000))
    sim.start(420, _console(sim, pages=212, size=50))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_SORTED_LISTS, "utf-8")
    return sim.waited


_EVERYBODY = "(univentionObjectType=users/user)"


def _plain_list(sim: Simulation) -> Client:
    """The same 200,000 entries in one search, for comparison."""
    connection = sim.connect("10.87.0.16")
    yield 0.002
    yield binding(sim, connection, f"cn=export,ou=services,{SUFFIX}")
    yield Request(connection, "SRCH", 6.1, SUFFIX, 2, _EVERYBODY, "uid", entries=200_000)
    sim.close(connection)


def _console(sim: Simulation, pages: int, size: int) -> Client:
    """Page after page, until the person gives up or has them all."""
    connection = sim.connect("10.87.0.50")
    yield 0.002
    yield binding(sim, connection, f"cn=console,ou=services,{SUFFIX}")
    for _ in range(pages):
        page = Request(connection, "SRCH", sim.about(0.94, 0.04), SUFFIX, 2, _EVERYBODY, "uid")
        page.entries, page.culprit = size, True
        yield page
        yield sim.about(0.02)
    sim.close(connection, clean=size > 50)


def write_free_number(folder: Path) -> Waited:
    """For every number tried for a new account, all people are read to see whether it is taken."""
    log = LogOpenLDAP("identity", pid=906)
    sim = Simulation(
        log, utc(2025, 6, 3, 13, 0), 1500, seed=551, first_connection=2600, first_fd=14
    )
    office(sim, network="10.87.1", pace=1.2)
    sim.start(25, _registrations(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _registrations(sim: Simulation) -> Client:
    number = 8214
    while True:
        sim.start(sim.now - sim.begin, _new_account(sim, number))
        number += 1
        yield sim.random.uniform(25, 95)


def _new_account(sim: Simulation, number: int) -> Client:
    connection = sim.connect("10.87.1.20")
    yield 0.001
    yield binding(sim, connection, f"cn=account-portal,ou=services,{SUFFIX}")
    for _ in range(sim.random.randrange(9, 38)):
        yield _whole(sim, connection, PEOPLE, 0.33, number)
        yield sim.about(0.09)
    for base, took, entries in (
        (PEOPLE, 0.33, number),
        (f"ou=user_groups,{SUFFIX}", 0.24, number),
        (f"ou=pi_groups,{SUFFIX}", 0.05, 912),
        (f"ou=org_groups,{SUFFIX}", 0.004, 31),
    ):
        yield _whole(sim, connection, base, took, entries)
    yield Request(connection, "ADD", sim.about(0.006), f"cn={user(number)},ou=user_groups,{SUFFIX}")
    yield Request(connection, "ADD", sim.about(0.007), person(number))
    sim.close(connection)


def _whole(
    sim: Simulation, connection: Connection, base: str, took: float, entries: int
) -> Request:
    listed = Request(connection, "SRCH", sim.about(took, 0.08), base, 1, "(objectClass=*)")
    listed.entries, listed.culprit = entries, True
    return listed


_FEW_INDEXES = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcThreads: 16
olcLogLevel: stats

dn: olcDatabase={{2}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{2}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 10737418240
olcDbIndex: objectClass eq,pres
olcDbIndex: ou,cn,mail,sn,givenName eq,pres,sub
olcDbIndex: member,entryUUID,entryCSN eq

"""


class _WithoutUid(Simulation):
    """Whoever looks for a login name has all entries tested, and four cores do that for all."""

    def _serve(self, request: Request, client: Client) -> None:
        if "(uid=" in request.query:
            busy = sum(free > self.now for free in self._free)
            request.took = self.about(1.0, 0.08) * max(1.0, (busy + 1) / 4)
            request.before = ("<= mdb_equality_candidates: (uid) not indexed",)
            request.culprit = True
        super()._serve(request, client)


def write_load_test(folder: Path) -> Waited:
    """More and more people log in, uid has no index: with twenty of them all threads are busy."""
    log = LogOpenLDAP("ldap-cnx", pid=2217, old=True)
    sim = _WithoutUid(
        log, utc(2020, 12, 17, 10, 0), 1260, seed=552, first_connection=1000, first_fd=12
    )
    office(sim, network="10.87.2", pace=0.7)
    for number in range(32):
        sim.start(30 + 35 * number, _virtual_user(sim, f"10.87.2.{21 + number % 2}"))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_FEW_INDEXES, "utf-8")
    return sim.waited


def _virtual_user(sim: Simulation, address: str) -> Client:
    """Logs in again and again; a login fails where its first look-up takes five seconds."""
    pooled = sim.connect(address)
    yield 0.002
    yield binding(sim, pooled, f"cn=websphere,ou=services,{SUFFIX}")
    while True:
        number, begun = sim.random.randrange(4000), sim.now
        asked = search(sim, pooled, PEOPLE, _inet(number), 0.001)
        asked.patience = 5.0
        yield asked
        if sim.now - begun < asked.patience - 0.001:
            check = sim.connect(address)
            yield 0.002
            yield binding(sim, check, person(number))
            sim.close(check)
            yield search(sim, pooled, PEOPLE, _inet(number), 0.001)
            yield search(sim, pooled, GROUPS, f"(member={person(number)})", 0.001, entries=4)
        yield sim.random.uniform(4, 9)


def _inet(number: int) -> str:
    return f"(&(objectClass=inetOrgPerson)(uid={user(number)}))"


# ---- OpenDJ ----------------------------------------------------------------------------------

_DEADLOCK_S = 722.3


def write_group_deadlock(folder: Path) -> Waited:
    """Changes of nested groups wait for each other for ever, and soon all threads behind them."""
    log = LogOpenDJ("10.87.4.2")
    sim = Simulation(log, utc(2025, 8, 20, 9, 0), 1140, seed=553, first_connection=60)
    office(sim, network="10.87.4", pace=1.1)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(3, monitoring(sim, "10.87.4.9", reader, every=10, base="cn=monitor"))
    for second in (120, 420, 720, 1020):
        for number in range(6):
            sim.start(second + 0.01 * number, _group_sync(sim))
    sim.at(_DEADLOCK_S, partial(setattr, sim, "stuck", GROUPS))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _group_sync(sim: Simulation) -> Client:
    """One of six threads that add people to groups, and groups to the group of the staff."""
    connection = sim.connect("10.87.4.18")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=idm-sync,ou=services,{SUFFIX}")
    for turn in range(90):
        name = "staff" if turn % 3 == 0 else f"dept-{sim.random.randrange(24):02d}"
        group = f"cn={name},{GROUPS}"
        yield Request(connection, "MOD", sim.about(0.009), group, query="member")
        yield sim.about(0.03)
    sim.close(connection)


_RDBMS = f"""dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-jdbc-backend
ds-cfg-backend-id: userRoot
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jdbc.Backend
ds-cfg-base-dn: {SUFFIX}
ds-cfg-db-directory: jdbc:postgresql://pg.dc2.example.com:5432/opendj?user=opendj
ds-cfg-index-entry-limit: 4000
ds-cfg-writability-mode: enabled

dn: ds-cfg-attribute=uid,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: uid
ds-cfg-index-type: equality

dn: ds-cfg-attribute=mail,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: mail
ds-cfg-index-type: equality

dn: ds-cfg-attribute=member,cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: top
objectClass: ds-cfg-backend-index
ds-cfg-attribute: member
ds-cfg-index-type: equality

"""


class _FarDatabase(Simulation):
    """Whatever is asked below the suffix takes exchanges with a database 8.5 ms away."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.dn.endswith(SUFFIX):
            # A connection is validated before each use, and a reading is rolled back after it.
            trips = {"BIND": 3, "MOD": 7}.get(request.kind, 3)
            if request.kind == "SRCH" and request.scope:
                trips += request.entries
            request.took += sum(self.random.gauss(0.0085, 0.0002) for _ in range(trips))
            request.culprit = True
        super()._serve(request, client)


def write_round_trips(folder: Path) -> Waited:
    """Data lie in a database of another data centre: all that is asked waits for the network."""
    log = LogOpenDJJson("10.87.5.2")
    sim = _FarDatabase(log, utc(2026, 8, 19, 10, 0), 1500, seed=554, first_connection=200)
    office(sim, network="10.87.5", pace=2.5)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.87.5.9", reader, every=15, base="cn=monitor"))
    for number in (11, 12, 13):
        dn = f"cn=heartbeat{number},ou=services,{SUFFIX}"
        sim.start(number, monitoring(sim, f"10.87.5.{number}", dn, every=10, base=""))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    (folder / "config.ldif").write_text(_RDBMS, "utf-8")
    return sim.waited


# ---- healthy ---------------------------------------------------------------------------------


def write_early_shift(folder: Path) -> Waited:
    """An export of everything, one slow search by hand, forgotten passwords, and a rush at six."""
    log = LogOpenLDAP("ldap10", pid=1108)
    sim = Simulation(
        log, utc(2025, 10, 13, 5, 40), 1500, seed=555, first_connection=9000, first_fd=14
    )
    office(sim, network="10.87.6", pace=0.8)
    sim.start(240, _nightly_export(sim))
    sim.start(705, _browsing(sim))
    hosts = tuple(f"10.87.7.{number}" for number in range(20, 90))
    sim.start(1130, logins(sim, hosts, every=0.8))
    for number in range(6):
        sim.start(1140 + 50 * number, _forgotten_password(sim, f"10.87.7.{20 + 9 * number}"))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _nightly_export(sim: Simulation) -> Client:
    connection = sim.connect("10.87.6.16")
    yield 0.002
    yield binding(sim, connection, f"cn=backup,ou=services,{SUFFIX}")
    yield Request(connection, "SRCH", 26.4, SUFFIX, 2, "(objectClass=*)", "* +", entries=41_206)
    sim.close(connection)


def _browsing(sim: Simulation) -> Client:
    """An administrator looks around, and once for a word in all descriptions."""
    connection = sim.connect("10.87.6.40")
    yield 0.002
    yield binding(sim, connection, f"cn=admin,{SUFFIX}")
    for number in (12, 407, 31):
        yield Request(
            connection, "SRCH", 0.001, person(number), 0, "(objectClass=*)", "*", entries=1
        )
        yield sim.random.uniform(5, 14)
    words = Request(connection, "SRCH", 2.3, SUFFIX, 2, "(description=*plotter*)", "cn")
    words.entries = 6
    words.before = ("<= mdb_substring_candidates: (description) not indexed",)
    yield words
    yield 40.0
    sim.close(connection)


def _forgotten_password(sim: Simulation, address: str) -> Client:
    number = sim.random.randrange(4000)
    for error in (49, 0):
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error = error
        yield bind
        sim.close(connection)
        yield sim.random.uniform(6, 15)


CASES: tuple[Case, ...] = (
    Case(
        "sorted_for_every_page",
        "fix(vlv): include contextID in subsequent VLV requests (2026)",
        "https://github.com/python-ldap/python-ldap/pull/618",
        OPENLDAP,
        "a console pages through 200,000 sorted people, and for every page all are sorted anew",
        rf"{PAGES}|{AGAIN}|{FOLLOWS}|{STANDS_OUT}",
        (
            r"10\.87\.0\.50|cn=console|univentionObjectType",
            rf"{PAGES}|{AGAIN}|in a row|one after",
        ),
        r"contextID|\bvlv\b|virtual list|sssvlv|paged results|\bpages?\b|\bsort|one search|"
        r"all at once|\bonce\b|\bcach|remember|reuse",
        write_sorted_pages,
        share=0.97,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "list_for_every_number",
        "check for uid gid conflicts across entire LDAP tree (2025)",
        "https://github.com/UnityHPC/account-portal/pull/248",
        OPENLDAP,
        "to find a free number for a new account, all 8,000 people are read for every number tried",
        rf"{ALL_OF_IT}|{AGAIN}|{FOLLOWS}|large|{STANDS_OUT}",
        (
            r"10\.87\.1\.20|cn=account-portal",
            rf"{ALL_OF_IT}|{AGAIN}|\b8,?[0-9]\d\d\b|objectClass=\*",
        ),
        r"\bonce\b|fewer|filter|narrow|\bcach(e|es|ed|ing)\b|remember|reuse|attributes|less often|"
        r"one search|only (the|what)|counter|next free",
        write_free_number,
        share=0.97,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "load_test_without_index",
        "Openldap indices (2020)",
        "https://github.com/HCL-TECH-SOFTWARE/connections-automation/pull/12",
        OPENLDAP,
        "uid has no index: from 20 people on, logins fail because all threads search all entries",
        rf"{UNINDEXED}|{GIVES_UP}|{STANDS_OUT}",
        (r"\buid\b", rf"{UNINDEXED}|\bindex"),
        INDEX_ADVICE,
        write_load_test,
        share=0.93,
        accused=(DISK, THREADS),
    ),
    Case(
        "groups_in_deadlock",
        "OpenDJ 4.9.4 and deadlock for nested groups (2025)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/545",
        OPENDJ,
        "changes of nested groups wait for each other for ever, then all that needs a group",
        rf"{HANGS}|{BLOCKS}|deadlock|never (end|finish)|\bstuck\b",
        (r"\bgroups?\b", r"\bMODs?\b|modif|chang|writ|updat|thread|worker"),
        r"upgrade|update the server|newer version|restart|jstack|thread dump|\bstacks?\b|545",
        write_group_deadlock,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "round_trips_to_the_data",
        "JDBC backend validates the pooled connection on every borrow, costing a database round "
        "trip per operation (2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/879",
        OPENDJ,
        "all data lie in a database 8.5 ms away: three round trips or more for whatever is asked",
        rf"{FAR_STORE}|{STANDS_OUT}",
        (FAR_STORE,),
        r"\bjdbc|postgres|\bdatabase|round.?trips?|\bnetwork|near(er)?\b|closer|same (site|data "
        r"cent|host)|upgrade|newer version|local",
        write_round_trips,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_early_shift",
        "an export, one slow search by hand and a rush at six hurt nobody",
        OPENLDAP,
        write_early_shift,
    ),
)
