"""The second ten: a reindex, a CA, clusters, user searches, IP services, and more applications."""

from __future__ import annotations

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
from tests.field.dialects import Log389, LogOpenDJ, LogOpenDJJson, LogOpenLDAP, stamp_389
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

MANY = r"all (entries|certificates|users|people)|entries (a|per|in each|each)|\d entries|too many"
"""Searches that return far more than anybody needs."""


# ---- 389 DS ----------------------------------------------------------------------------------


def write_reindex(folder: Path) -> Waited:
    """A list's index is rebuilt; the thread that does it waits for a lock it has itself."""
    log = Log389("2.0.7", "ds2.example.com", "10.22.0.2")
    sim = Simulation(log, utc(2021, 8, 30, 15, 0), 1200, workers=24, seed=51)
    office(sim, network="10.22.0")
    reader = "cn=nagios,ou=services,dc=example,dc=com"
    sim.start(2, monitoring(sim, "10.22.0.9", reader, every=20, base="cn=monitor"))
    sim.start(660, _reindex(sim))
    sim.at(662.5, partial(_stop_people, sim))
    sim.run()
    log.write(folder / "access", log.header)
    begin = stamp_389(sim.begin + 661.1)
    (folder / "errors").write_text(
        f"{begin} - INFO - bdb_db2index - userroot: Indexing VLV: by_MCC\n",
        "utf-8",
    )
    return sim.waited


def _stop_people(sim: Simulation) -> None:
    """From now on a request below the suffix keeps its thread; cn=monitor and cn=config answer."""
    sim.stuck = "dc=example,dc=com"


def _reindex(sim: Simulation) -> Client:
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    task = "cn=vlv_reindex_2021-08-30T15:11:00.412,cn=index,cn=tasks,cn=config"
    yield 0.01
    yield Request(connection, "ADD", 0.02, task)
    while True:
        yield 1.0
        yield Request(connection, "SRCH", 0.001, task, 0, "(objectClass=*)", entries=1)


def write_certificates(folder: Path) -> Waited:
    """To show the certificates of one user, all certificates of the CA are read."""
    log = Log389("1.4.3.8", "ipa1.example.com", "10.22.1.2")
    sim = Simulation(log, utc(2019, 4, 3, 10, 0), 2400, seed=52)
    office(sim, network="10.22.1")
    sim.start(4, _certificates(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _certificates(sim: Simulation) -> Client:
    connection = sim.connect("10.22.1.21")
    yield HANDSHAKE_S
    yield binding(sim, connection, "uid=pkidbuser,ou=people,o=ipaca")
    while True:
        yield sim.random.uniform(70, 210)
        took = sim.random.uniform(18, 24)
        base = "ou=certificateRepository,ou=ca,o=ipaca"
        whole = Request(connection, "SRCH", took, base, 1, "(certStatus=*)", entries=38412)
        whole.culprit = True
        yield whole


def write_cluster(folder: Path) -> Waited:
    """Each node of a cluster synchronises all users every five minutes on its own."""
    log = Log389("2.5.2", "ds3.example.com", "10.22.2.2")
    sim = Simulation(log, utc(2025, 6, 17, 11, 0), 1800, seed=53)
    office(sim, network="10.22.2")
    for node in range(11):
        sim.start(sim.random.uniform(5, 290), _node(sim, f"10.60.0.{11 + node}"))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _node(sim: Simulation, address: str) -> Client:
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, "cn=keycloak,ou=services,dc=example,dc=com")
        begun = sim.now
        for page in range(8):
            last = page == 7
            notes = f"P pr_idx=0 pr_cookie={-1 if last else page}"
            yield Request(
                connection,
                "SRCH",
                sim.random.uniform(0.28, 0.42),
                PEOPLE,
                1,
                "(&(objectclass=inetOrgPerson)(objectclass=organizationalPerson))",
                "uid modifyTimestamp mail cn createTimestamp sn",
                entries=640 if last else 1000,
                notes=notes,
                culprit=True,
            )
            yield sim.random.uniform(1.0, 1.6)
        sim.close(connection)
        yield 300 - (sim.now - begun)


def write_user_find(folder: Path) -> Waited:
    """A synchronisation finds each of its users by a part of any of seven attributes."""
    log = Log389("1.4.3.16", "ipa2.example.com", "10.22.3.2")
    sim = Simulation(log, utc(2021, 7, 9, 20, 0), 1200, seed=54)
    office(sim, network="10.22.3")
    sim.start(150, _user_find(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _user_find(sim: Simulation) -> Client:
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    yield 0.01
    attributes = ("uid", "givenName", "sn", "telephoneNumber", "ou", "title", "mail")
    for number in range(560):
        name = user(number)
        terms = "".join(f"({attribute}=*{name}*)" for attribute in attributes)
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(0.9, 1.4),
            "cn=users,cn=accounts,dc=example,dc=com",
            1,
            f"(&(objectClass=posixaccount)(|{terms}))",
            "uid givenName sn homeDirectory mail memberOf nsAccountLock",
            entries=1,
            culprit=True,
        )
        yield 0.3


def write_services(folder: Path) -> Waited:
    """Hosts look up network services, of which the directory has none, below all accounts."""
    log = Log389("1.4.3.16", "ipa3.example.com", "10.22.4.2")
    sim = Simulation(log, utc(2018, 12, 7, 9, 0), 1500, seed=55)
    office(sim, network="10.22.4")
    for number in range(60):
        sim.start(5 + sim.random.uniform(0, 240), _service_host(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _service_host(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.23.0.{20 + number}")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"fqdn=node{number}.example.com,cn=computers,{GROUPS}")
    while True:
        port = sim.random.choice((22, 80, 443, 5432, 8080, 9100))
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(1.3, 1.9),
            "cn=accounts,dc=example,dc=com",
            2,
            f"(&(ipServicePort={port})(ipServiceProtocol=tcp)(objectClass=ipService))",
            "objectClass cn ipServicePort ipServiceProtocol entryusn",
            notes="U",
            culprit=True,
        )
        yield sim.random.expovariate(1 / 180)


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_rebinds(folder: Path) -> Waited:
    """A web application binds again before each search, with a hash that is slow on purpose."""
    log = LogOpenLDAP("ldap4")
    sim = Simulation(log, utc(2023, 1, 17, 9, 0), 1200, seed=61, first_connection=1000, first_fd=12)
    office(sim, network="10.42.0", pace=0.8)
    sim.start(20, _people_pages(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _people_pages(sim: Simulation) -> Client:
    manager = "cn=admin,dc=example,dc=com"
    connection = sim.connect("10.42.0.25")
    yield 0.002
    for _ in range(22):
        for _ in range(60):
            again = binding(sim, connection, manager, 0.046)
            again.culprit = True
            yield again
            asked = f"(uid={user(sim.random.randrange(4000))})"
            yield search(sim, connection, PEOPLE, asked, 0.0006)
            yield 0.004
        yield sim.random.uniform(30, 60)


def write_slow_client(folder: Path) -> Waited:
    """A synchronisation of two hours: the directory answers in milliseconds, the client works."""
    log = LogOpenLDAP("ldap5")
    sim = Simulation(
        log, utc(2024, 3, 27, 14, 0), 2400, seed=62, first_connection=1000, first_fd=12
    )
    office(sim, network="10.42.1", pace=0.6)
    sim.start(30, _one_page_after_another(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _one_page_after_another(sim: Simulation) -> Client:
    connection = sim.connect("10.42.1.44")
    yield 0.002
    yield binding(sim, connection, "cn=authentik,ou=services,dc=example,dc=com")
    while True:
        page = Request(connection, "SRCH", sim.about(0.009, 0.15), PEOPLE, 2)
        page.query, page.attributes = "(objectClass=inetOrgPerson)", "* +"
        page.entries = 50
        yield page
        yield sim.random.uniform(36, 41)


def write_completion(folder: Path) -> Waited:
    """Address completion of a webmail: a part of a name in four attributes, none indexed for it."""
    log = LogOpenLDAP("mail", pid=13351, old=True)
    sim = Simulation(
        log, utc(2018, 3, 13, 19, 0), 1800, seed=63, first_connection=1000, first_fd=12
    )
    office(sim, network="10.42.2", pace=0.7)
    for number in range(6):
        sim.start(30 + 20 * number, _completion(sim, f"10.42.2.{60 + number % 2}"))
    sim.run()
    log.write(folder / "syslog")
    return sim.waited


def _completion(sim: Simulation, address: str) -> Client:
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, "cn=sogo,ou=services,dc=example,dc=com")
    attributes = ("cn", "givenName", "sn", "mail")
    while True:
        yield sim.random.expovariate(1 / 26)
        begun = user(sim.random.randrange(4000))
        for letters in (2, 3, 4):
            terms = "".join(f"({attribute}=*{begun[:letters]}*)" for attribute in attributes)
            yield Request(
                connection,
                "SRCH",
                sim.random.uniform(1.6, 2.7),
                PEOPLE,
                2,
                f"(|{terms})",
                "cn givenName sn mail",
                entries=sim.random.randrange(3, 60),
                before=tuple(
                    f"<= mdb_substring_candidates: ({attribute}) not indexed"
                    for attribute in attributes
                ),
                culprit=True,
            )
            yield 0.2


# ---- OpenDJ ----------------------------------------------------------------------------------


def write_members(folder: Path) -> Waited:
    """The page of a group's members reads the group, then each of its members twice."""
    log = LogOpenDJ("10.52.0.2")
    sim = Simulation(log, utc(2024, 7, 31, 13, 0), 1500, workers=24, seed=71, first_connection=10)
    office(sim, network="10.52.0", pace=0.8)
    sim.start(90, _member_page(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _member_page(sim: Simulation) -> Client:
    connection = sim.connect("10.52.0.77")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=keycloak,ou=services,dc=example,dc=com")
    for _ in range(4):
        group = f"cn=group0000,{GROUPS}"
        yield Request(
            connection, "SRCH", 0.012, group, 0, "(objectclass=*)", "cn,member", entries=1
        )
        for number in range(480):
            yield _member(sim, connection, person(number), 0, "(objectclass=*)")
            one = f"(&(uid={user(number)})(objectclass=inetOrgPerson))"
            yield _member(sim, connection, PEOPLE, 1, one)
            yield 0.004
        yield 180


def _member(sim: Simulation, connection: Connection, base: str, scope: int, query: str) -> Request:
    wanted = "uid,cn,sn,mail,employeeNumber,modifyTimestamp,createTimestamp"
    asked = Request(connection, "SRCH", sim.about(0.022, 0.2), base, scope, query, wanted)
    asked.entries, asked.culprit = 1, True
    return asked


def write_first_letters(folder: Path) -> Waited:
    """A portal searches after each letter, and the first letter fits thousands of people."""
    log = LogOpenDJJson("10.52.1.2")
    sim = Simulation(log, utc(2017, 6, 22, 10, 0), 1800, workers=24, seed=72, first_connection=10)
    office(sim, network="10.52.1", pace=1.1)
    for number in range(3):
        sim.start(40 + 13 * number, _letters(sim))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


def _letters(sim: Simulation) -> Client:
    connection = sim.connect("10.52.1.90")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=gravitee,ou=services,dc=example,dc=com")
    while True:
        yield sim.random.expovariate(1 / 45)
        name = user(sim.random.randrange(4000))
        for letters, took, entries in ((1, 3.4, 9200), (2, 1.1, 2300), (3, 0.16, 310)):
            begun = name[:letters]
            yield Request(
                connection,
                "SRCH",
                sim.about(took, 0.1),
                PEOPLE,
                2,
                f"(&(objectClass=person)(|(cn={begun}*)(uid={begun}*)))",
                "uid cn mail",
                entries=entries,
                culprit=True,
            )
            yield 0.25


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_hosts(folder: Path) -> Waited:
    """A directory of many quiet hosts: logins spread over the minutes, one dashboard."""
    log = Log389("3.0.4", "ds9.example.com", "10.32.0.2")
    sim = Simulation(log, utc(2025, 10, 8, 8, 30), 1500, seed=81)
    office(sim, network="10.32.0", pace=1.2)
    hosts = tuple(f"10.33.{number // 200}.{number % 200 + 10}" for number in range(260))
    sim.start(1, logins(sim, hosts, every=2.4))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def write_healthy_opendj(folder: Path) -> Waited:
    """An OpenDJ below an access manager, which listens to changes and reads its own tokens."""
    log = LogOpenDJ("10.32.1.2")
    sim = Simulation(log, utc(2025, 2, 11, 15, 0), 1500, workers=24, seed=82, first_connection=5)
    office(sim, network="10.32.1")
    manager = "uid=openam,ou=services,dc=example,dc=com"
    listening = "(objectClass=sunService)"
    sim.start(1, following(sim, "10.32.1.50", manager, "ou=services,dc=example,dc=com", listening))
    sim.start(2, application(sim, "10.32.1.50", manager, every=0.8, took=0.0012))
    sim.run()
    log.write(folder / "access")
    return sim.waited


BATCH = Batch(
    "batch2",
    cases=(
        Case(
            "reindex_hang",
            "bdb lock deadlock while reindexing a VLV index",
            "https://github.com/389ds/389-ds-base/issues/4889",
            DS,
            "the rebuild of a VLV index waits for its own lock, and all requests behind it",
            HANGS,
            (r"reindex|index task|cn=index,cn=tasks|vlv",),
            r"upgrade|update|version|restart|stack",
            write_reindex,
            accused=(DISK, THREADS, UNINDEXED),
        ),
        Case(
            "all_certificates",
            "ipa cert-find --users was slow with many certificates",
            "https://github.com/freeipa/freeipa/pull/2990",
            DS,
            "for the certificates of one user the CA reads all 38,412 of them",
            f"{MANY}|{STANDS_OUT}|most of the time|all attributes",
            (r"certStatus|certificateRepository", r"pkidbuser|10\.22\.1\.21", r"38[,.]?412|38 ?k"),
            r"narrow|fewer|ask for less|limit|for the owner|page",
            write_certificates,
            share=0.98,
            accused=(DISK, THREADS, UNINDEXED),
        ),
        Case(
            "every_node_syncs",
            "LDAP sync happens once a node, not once a cluster",
            "https://github.com/keycloak/keycloak/issues/40563",
            DS,
            "eleven nodes read all users every five minutes, each on its own",
            f"{AGAIN}|every (5|five)|{MANY}|{STANDS_OUT}|most of the time",
            (r"10\.60\.0\.|keycloak", r"inetOrgPerson"),
            r"less often|interval|period|one of them|once|changed|for the owner",
            write_cluster,
            share=0.97,
            accused=(DISK, THREADS, INDEX_ADVICE),
        ),
        Case(
            "find_instead_of_show",
            "user-find instead of user-show for a single user",
            "https://github.com/hortonworks/cloudbreak/pull/11034",
            DS,
            "each user is looked for by a part of any of seven attributes, one after the other",
            rf"substring|part of|wildcard|\*|terms|{FOLLOWS}|{STANDS_OUT}|most of the time",
            (r"posixaccount", r"givenname|telephonenumber", r"local|socket|Directory Manager"),
            r"exact|equality|\(uid=|read the entry|base|narrow|for the owner|client",
            write_user_find,
            share=0.98,
            accused=(DISK, THREADS),
        ),
        Case(
            "ip_services",
            "Subtree searches for IP services in large installations",
            "https://github.com/freeipa/freeipa/pull/2661",
            DS,
            "hosts look up ipServicePort, which has no index, below all accounts",
            UNINDEXED,
            (r"ipServicePort",),
            r"ipServicePort\W.*\beq|\beq\w*\W.*ipServicePort|--attr ipServicePort",
            write_services,
            share=0.99,
            accused=(DISK, THREADS, r"index add[^\n]*objectclass"),
        ),
        Case(
            "bind_before_each_search",
            "ensure_connection binds before every query",
            "https://github.com/django-ldapdb/django-ldapdb/issues/187",
            OPENLDAP,
            "one application binds again before each of its searches",
            NEW_CONNECTIONS,
            (r"10\.42\.0\.25|cn=admin,dc=example", r"bind"),
            r"keep|once|pool|stay|reuse|bound|cache",
            write_rebinds,
            share=0.95,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "client_takes_the_time",
            "LDAP user sync is really slow, with every resource idle",
            "https://github.com/goauthentik/authentik/issues/9046",
            OPENLDAP,
            "the directory answers each page in 9 ms; the client works 38 s before the next",
            r"client|between|pause|gap|idle|think",
            (r"10\.42\.1\.44|authentik", r"\b3[6-9](\.\d+)? ?s|\b4[01](\.\d+)? ?s"),
            r"client|not the (server|directory)|owner",
            write_slow_client,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "parts_of_names",
            "Add LDAP indexes",
            "https://github.com/progmaticltd/homebox/issues/5",
            OPENLDAP,
            "address completion asks for parts of cn, givenName, sn, mail; no substring index",
            UNINDEXED,
            (r"givenName", r"\bmail\b", r"sub"),
            r"(givenName|mail|\bcn|\bsn)\b[^\n]*\bsub",
            write_completion,
            share=0.98,
            accused=(DISK, THREADS),
        ),
        Case(
            "each_member_of_a_group",
            "The console takes very long to display group members",
            "https://github.com/keycloak/keycloak/issues/31786",
            OPENDJ,
            "one client reads a group and then each of its members, one after the other",
            f"{FOLLOWS}|{STANDS_OUT}",
            (r"10\.52\.0\.77",),
            r"one search|list|memberof|at once|for the owner|owner|cache",
            write_members,
            share=0.96,
            accused=(DISK, THREADS, INDEX_ADVICE),
        ),
        Case(
            "first_letters",
            "Performance issue when searching for users",
            "https://github.com/gravitee-io/issues/issues/654",
            OPENDJ,
            "a portal searches after each letter typed; the first one fits thousands of entries",
            f"{MANY}|prefix|short|first letter|{STANDS_OUT}|most of the time",
            (r"10\.52\.1\.90|gravitee", r"cn=", r"entries"),
            r"limit|fewer|letters|longer|narrow|for the owner|owner",
            write_first_letters,
            share=0.97,
            accused=(UNINDEXED, DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_hosts", "many quiet hosts", DS, write_healthy_hosts),
        Healthy("healthy_opendj", "an access manager's OpenDJ", OPENDJ, write_healthy_opendj),
    ),
)
