"""The thirteenth ten, OpenLDAP and OpenDJ: logins that write, that may not read, or name nobody."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.batch11.others import NO_SUCH_INDEX
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
from tests.field.dialects import Lines, LogOpenDJ, LogOpenDJJson, LogOpenLDAP
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    following,
    logins,
    monitoring,
    office,
    person,
    search,
    user,
)


def _mdb(*lines: str, before: str = "", after: str = "") -> str:
    """Configuration of a database of OpenLDAP, with entries before and after it."""
    top = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: stats

{before}dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcRootDN: cn=admin,{SUFFIX}
olcDbMaxSize: 17179869184
"""
    return top + "".join(f"{line}\n" for line in lines) + "\n" + after


def _backend(name: str, suffix: str, *lines: str, kind: str = "je", **indexes: str) -> str:
    """Configuration of a backend of OpenDJ, with its own lines, and of its indexes."""
    backend = f"ds-cfg-backend-id={name},cn=Backends,cn=config"
    package = "jeb.JEBackend" if kind == "je" else f"{kind}.Backend"
    text = f"""dn: {backend}
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-{kind}-backend
ds-cfg-backend-id: {name}
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.{package}
ds-cfg-base-dn: {suffix}
ds-cfg-index-entry-limit: 4000
ds-cfg-writability-mode: enabled
"""
    text += "".join(f"{line}\n" for line in lines) + "\n"
    for attribute, kinds in indexes.items():
        text += f"dn: ds-cfg-attribute={attribute},cn=Index,{backend}\nobjectClass: top\n"
        text += f"objectClass: ds-cfg-backend-index\nds-cfg-attribute: {attribute}\n"
        text += "".join(f"ds-cfg-index-type: {one}\n" for one in kinds.split()) + "\n"
    return text


# ---- all accounts, and then each of them -----------------------------------------------------

DESK = "10.140.0.30"
_ACCOUNTS = 2540
_STATES = (
    "pwdAccountLockedTime pwdPolicySubentry",
    "pwdChangedTime pwdPolicySubentry",
    "pwdLastSuccess createTimestamp",
    "pwdStartTime pwdEndTime",
)


def write_service_desk(folder: Path) -> Waited:
    """The lists of a help desk read all accounts, and then each of them by its DN."""
    log = LogOpenLDAP("ldap1", pid=2214, handshake_s=0.004)
    sim = Simulation(
        log, utc(2025, 2, 28, 9, 0), 1500, seed=700, first_connection=61_207, first_fd=14
    )
    office(sim, network="10.140.0", pace=0.8)
    for turn in range(7):
        sim.start(70 + 195 * turn + 17 * (turn % 3), _list_of_accounts(sim, _STATES[turn % 4]))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        "olcDbIndex: cn,sn eq,sub",
        after="dn: olcOverlay={0}ppolicy,olcDatabase={1}mdb,cn=config\n"
        "objectClass: olcOverlayConfig\nobjectClass: olcPPolicyConfig\nolcOverlay: {0}ppolicy\n"
        f"olcPPolicyDefault: cn=default,ou=policies,{SUFFIX}\n\n",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _list_of_accounts(sim: Simulation, states: str) -> Client:
    """Somebody opens the page of the locked, expired or idle accounts, of which there are few."""
    connection = sim.connect(DESK)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=servicedesk,ou=services,{SUFFIX}")
    everybody = Request(connection, "SRCH", sim.about(7.2, 0.06), PEOPLE, 2)
    everybody.query, everybody.attributes = "(objectClass=inetOrgPerson)", f"cn uid mail {states}"
    everybody.entries, everybody.culprit = _ACCOUNTS, True
    yield everybody
    for number in range(_ACCOUNTS):
        one = Request(connection, "SRCH", sim.about(0.00025), person(number), 0)
        one.query, one.attributes = "(objectClass=*)", states
        one.entries, one.culprit = 1, True
        yield one
        yield sim.about(0.00015)
    sim.close(connection)


# ---- each bind is a change -------------------------------------------------------------------

_WRITER = "writer"
_COMMIT_S = 0.083
_LAST_BIND = """dn: olcOverlay={0}lastbind,olcDatabase={1}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcLastBindConfig
olcOverlay: {0}lastbind

"""
_MODULES = """dn: cn=module{0},cn=config
objectClass: olcModuleList
cn: module{0}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {0}back_mdb
olcModuleLoad: {1}lastbind

"""


class _LastBind(Simulation):
    """The time of each bind is written into the entry of who binds; one writes at a time."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "BIND" and not request.error:
            request.lock, request.culprit = _WRITER, True
        if request.lock:
            request.took += self.about(_COMMIT_S, 0.18)
        super()._serve(request, client)


def write_last_bind(folder: Path) -> Waited:
    """A map is loaded in tiles, each with a bind, and each bind writes when it was."""
    log = LogOpenLDAP("georchestra-ldap", pid=744)
    sim = _LastBind(log, utc(2023, 2, 3, 10, 0), 900, seed=701, first_connection=3_180, first_fd=12)
    office(sim, network="10.141.0", pace=0.7, lock=_WRITER)
    for number in range(14):
        for lane in range(2):
            sim.start(6 + 3.1 * number + 0.01 * lane, _map(sim, 40 + 7 * number))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        before=_MODULES,
        after=_LAST_BIND,
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _map(sim: Simulation, number: int) -> Client:
    """One of two lanes in which a desktop application gets the tiles, by HTTP basic."""
    while True:
        for _ in range(6):
            connection = sim.connect("10.141.0.20")
            yield 0.0008
            yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0006)
            yield binding(sim, connection, person(number))
            yield 0.002
            sim.close(connection)
            yield sim.about(0.15)
        yield sim.random.uniform(9, 26)


# ---- who has bound may not read --------------------------------------------------------------

LISTS = "10.142.0.25"


def write_second_search(folder: Path) -> Waited:
    """A list server looks people up again as themselves, and they may not read anything."""
    log = LogOpenLDAP("accounts", pid=1093, old=True, handshake_s=0.006)
    sim = Simulation(
        log, utc(2018, 10, 22, 8, 30), 1500, seed=702, first_connection=5_021, first_fd=11
    )
    services = f"ou=services,{SUFFIX}"
    for number, (name, every) in enumerate((("mail", 0.8), ("portal", 1.3), ("wiki", 2.0))):
        client = application(sim, f"10.142.0.{11 + number}", f"cn={name},{services}", every=every)
        sim.start(0.5 + number, client)
    writer = f"cn=provisioning,{services}"
    sim.start(2, changes(sim, "10.142.0.14", writer, every=13))
    sim.start(3, _portal(sim, f"cn=sso,{services}"))
    sim.start(4, _list_members(sim, f"cn=sympa,{services}"))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcAccess: {0}to attrs=userPassword by self write by anonymous auth by * none",
        f'olcAccess: {{1}}to * by dn.exact="{writer}" write',
        f'  by dn.children="{services}" read by * none',
        "olcDbIndex: objectClass,uid,mail,maildrop,member,entryUUID,entryCSN eq",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _portal(sim: Simulation, dn: str) -> Client:
    """Single sign-on: a lookup over its own connection, and a bind over another."""
    pooled = sim.connect("10.142.0.22")
    yield HANDSHAKE_S
    yield binding(sim, pooled, dn)
    while True:
        yield sim.random.expovariate(1 / 4)
        number = sim.random.randrange(4000)
        yield search(sim, pooled, PEOPLE, f"(uid={user(number)})", 0.0006)
        connection = sim.connect("10.142.0.22")
        yield HANDSHAKE_S
        yield binding(sim, connection, person(number))
        sim.close(connection)


def _list_members(sim: Simulation, dn: str) -> Client:
    """People come to the web pages of the lists, and try two or three times."""
    while True:
        yield sim.random.expovariate(1 / 13)
        sim.start(sim.now - sim.begin, _list_login(sim, dn, sim.random.randrange(4000)))


def _list_login(sim: Simulation, dn: str, number: int) -> Client:
    """Who is it, does the password fit, and then once more who is it, by that person."""
    query = f"(maildrop={user(number)}@example.com)"
    for _ in range(sim.random.randrange(1, 4)):
        connection = sim.connect(LISTS)
        yield HANDSHAKE_S
        yield binding(sim, connection, dn)
        yield search(sim, connection, PEOPLE, query, 0.0006)
        sim.close(connection)
        yield 0.01
        connection = sim.connect(LISTS)
        yield HANDSHAKE_S
        yield binding(sim, connection, person(number))
        again = Request(connection, "SRCH", sim.about(0.0003), PEOPLE, 2, query, "maildrop")
        again.error = 32
        yield again
        sim.close(connection)
        yield sim.random.uniform(7, 25)


# ---- threads that wait for a connection of a pool --------------------------------------------

CUSTOMERS = "dc=example,dc=pg"
_DEADLOCK_S, _GIVES_UP_S = 640, 60.0
_URL = (
    "ds-cfg-db-directory: jdbc:postgresql://10.143.0.60:5432/opendj_db?user=opendj_user"
    "&ssl=false&loginTimeout=30&socketTimeout=300&maxPoolSize=50"
)


def write_pool_deadlock(folder: Path) -> Waited:
    """Of two backends that in PostgreSQL answers no more, until no thread is left for the other."""
    log = LogOpenDJ("10.143.0.2")
    sim = Simulation(
        log, utc(2025, 7, 16, 13, 30), 1380, workers=32, seed=703, first_connection=212
    )
    office(sim, network="10.143.0", pace=1.1)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(3, monitoring(sim, "10.143.0.9", reader, every=15, base="cn=monitor"))
    people = f"ou=people,{CUSTOMERS}"
    for number, (name, base) in enumerate(
        (("shop", people), ("billing", people), ("crm", PEOPLE)), start=11
    ):
        dn, address = f"cn={name},ou=services,{CUSTOMERS}", f"10.143.1.{number}"
        sim.start(0.1 * number, application(sim, address, dn, every=1.9, took=0.004, people=base))
    for number in range(5):
        sim.start(4 + 2 * number, _customers(sim, f"10.143.1.{40 + number}", people))
    sim.at(_DEADLOCK_S, partial(setattr, sim, "stuck", CUSTOMERS))
    sim.run()
    log.write(folder / "access")
    kinds = {"uid": "equality", "mail": "equality", "member": "equality"}
    config = _backend("userRoot", SUFFIX, "ds-cfg-db-directory: db", **kinds)
    config += _backend("postgresBackend", CUSTOMERS, _URL, kind="jdbc", **kinds)
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _customers(sim: Simulation, address: str, people: str) -> Client:
    """A web server signs customers in, and after a minute without an answer it begins anew."""
    while True:
        yield sim.random.uniform(3, 12)
        number = sim.random.randrange(4000)
        connection = sim.connect(address)
        yield HANDSHAKE_S
        for asked in (
            search(sim, connection, people, f"(uid={user(number)})", 0.004),
            binding(sim, connection, person(number, people), 0.007),
        ):
            begun, asked.patience = sim.now, _GIVES_UP_S
            yield asked
            in_time = sim.now - begun < _GIVES_UP_S - 1
            if not in_time:
                break
        sim.close(connection, clean=in_time)


# ---- a login without a name ------------------------------------------------------------------

GLUU = "o=@!8A4C.51B2.7F30.9D1E!0001!77D0.2F3E,o=gluu"
_GLUU_PEOPLE = f"ou=people,{GLUU}"
OXAUTH = "10.144.0.20"
_PERSONS = 48_310


class _Everybody(Simulation):
    """Who asks for all people takes the cores for seconds, and others are slower meanwhile."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lists: list[float] = []

    def _serve(self, request: Request, client: Client) -> None:
        self.lists = [end for end in self.lists if end > self.now]
        if request.culprit:
            request.took *= max(1.0, (len(self.lists) + 1) / 2)
            self.lists.append(self.now + request.took)
        elif self.lists:
            request.took *= 3
        super()._serve(request, client)


def write_no_name(folder: Path) -> Waited:
    """Whoever presses Enter before a name is typed makes the login page ask for all people."""
    log, errors = LogOpenDJ("10.144.0.2"), Lines()
    sim = _Everybody(
        log, utc(2016, 9, 13, 8, 45), 1500, workers=24, seed=704, first_connection=1_840
    )
    office(sim, network="10.144.0", pace=1.2, people=_GLUU_PEOPLE)
    for turn in range(6):
        sim.start(2 + 0.3 * turn, _login_page(sim))
    for _ in range(4):
        sim.start(11, _hasty(sim))
    sim.run()
    log.write(folder / "access")
    errors.add(
        sim.begin - 90_000,
        "[12/Sep/2016:07:45:00 +0000] category=BACKEND severity=NOTICE msgID=513 "
        f"msg=The database backend userRoot containing {_PERSONS + 2_904} entries has started",
    )
    errors.write(folder / "errors")
    kinds = {"uid": "equality", "mail": "equality", "member": "equality", "inum": "equality"}
    config = _backend("userRoot", "o=gluu", objectClass="equality", **kinds)
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _login_page(sim: Simulation) -> Client:
    """One connection of the pool: logins of people who give their names."""
    connection = sim.connect(OXAUTH)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=oxauth,ou=services,{GLUU}")
    while True:
        yield sim.random.expovariate(1 / 9)
        name = user(sim.random.randrange(4000))
        query = f"(&(&(objectClass=top)(objectClass=gluuPerson))(uid={name}))"
        named = search(sim, connection, _GLUU_PEOPLE, query, 0.0012)
        named.attributes = "inum,uid,gluuStatus"
        yield named


def _hasty(sim: Simulation) -> Client:
    """People who press Enter too early, of whom some try again at once."""
    connection = sim.connect(OXAUTH)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=oxauth,ou=services,{GLUU}")
    while True:
        yield sim.random.expovariate(1 / 80)
        for _ in range(1 + (sim.random.random() < 0.35)):
            everybody = Request(connection, "SRCH", sim.about(7.6, 0.08), _GLUU_PEOPLE, 2)
            everybody.query = "(&(objectClass=top)(objectClass=gluuPerson))"
            everybody.attributes = "inum,uid,gluuStatus"
            everybody.entries, everybody.notes = _PERSONS, "unindexed"
            everybody.culprit = True
            yield everybody
            yield 1.5


# ---- healthy ---------------------------------------------------------------------------------


def write_new_term(folder: Path) -> Waited:
    """The first day of a term: new people, lists by name, mistyped passwords, a consumer."""
    log = LogOpenDJJson("10.145.0.2")
    sim = Simulation(
        log, utc(2024, 9, 2, 7, 45), 1500, workers=24, seed=705, first_connection=88_410
    )
    office(sim, network="10.145.0", pace=1.5)
    hosts = tuple(f"10.145.1.{number}" for number in range(20, 60))
    sim.start(2, logins(sim, hosts, every=1.6))
    services = f"ou=services,{SUFFIX}"
    sim.start(1, following(sim, "10.145.0.3", f"cn=portal-cache,{services}", PEOPLE, "(uid=*)"))
    sim.start(5, monitoring(sim, "10.145.0.9", f"cn=check,{services}", every=15, base="cn=monitor"))
    sim.start(240, _enrolment(sim))
    sim.start(800, _library(sim))
    for turn in range(9):
        sim.start(60 + 150 * turn, _forgetful(sim, f"10.145.1.{70 + turn}"))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    config = _backend(
        "userRoot",
        SUFFIX,
        "ds-cfg-db-directory: db",
        "ds-cfg-db-cache-percent: 50",
        uid="equality presence substring",
        mail="equality",
        member="equality",
        objectClass="equality",
    )
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _enrolment(sim: Simulation) -> Client:
    """Sixty new people, one every few seconds."""
    connection = sim.connect("10.145.0.14")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=provisioning,ou=services,{SUFFIX}")
    for number in range(60):
        yield Request(connection, "ADD", sim.about(0.009), person(5000 + number))
        yield sim.random.uniform(2, 7)
    sim.close(connection)


def _library(sim: Simulation) -> Client:
    """The library reads who there is, by the beginnings of their names."""
    connection = sim.connect("10.145.0.61")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=library,ou=services,{SUFFIX}")
    for number in range(10):
        beginning = user(number).removesuffix(str(number))
        yield search(sim, connection, PEOPLE, f"(uid={beginning}*)", 0.035, entries=400)
        yield sim.about(0.4)
    sim.close(connection, clean=False)


def _forgetful(sim: Simulation, address: str) -> Client:
    """One or two wrong passwords, and then the right one."""
    number = sim.random.randrange(4000)
    for error in (49, 0) if number % 2 else (49, 49, 0):
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
        "accounts_one_by_one",
        "Optimize the ldap search accounts request (2025)",
        "https://github.com/ltb-project/service-desk/issues/214",
        OPENLDAP,
        "each list of a help desk reads all 2,540 accounts, 7 s, and then each of them again by "
        "its DN, to keep the few that are locked or expired",
        rf"{ALL_OF_IT}|{FOLLOWS}|{AGAIN}|large|{STANDS_OUT}",
        (
            r"10\.140\.0\.30|cn=servicedesk|inetOrgPerson",
            rf"{ALL_OF_IT}|{FOLLOWS}|\b2,?540\b|large result",
        ),
        r"\bfilter|narrow|\bonce\b|(one|single|unique) (search|request|query)|fewer|cach|paged?\b|"
        r"pages\b|size.?limit|olcLimits|only (the|those|who|what)",
        write_service_desk,
        share=0.93,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "binds_are_changes",
        "Display last user connection & account creation date from OpenLDAP attributes (2023)",
        "https://github.com/georchestra/georchestra/pull/3889",
        OPENLDAP,
        "the overlay lastbind, without a precision, writes the time of each bind into the entry, "
        "and a map with a bind for each tile makes all wait for one writer, 85 ms each",
        rf"\bbinds?\b|log ?-?ins?\b|authenticat|last.?bind|authTimestamp|{BLOCKS}|one writer|"
        rf"\bwrit|{STANDS_OUT}",
        (
            r"\bbinds?\b|log ?-?ins?\b|authenticat",
            r"last.?bind|authTimestamp|last (login|success)|\bwrit|one (at a time|by one|after "
            r"(the other|another))|\bserial|\block(s|ed)?\b|commit",
        ),
        r"last.?bind|authTimestamp|precision|fewer binds|pool|cach|re-?us|keep the connection",
        write_last_bind,
        share=0.98,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, THREADS, r"pbkdf2|argon2|iteration"),
    ),
    Case(
        "second_search_refused",
        "LDAP authentication requires the second search operation with user DN (2018)",
        "https://github.com/sympa-community/sympa/issues/453",
        OPENLDAP,
        "after a good bind a list server searches as that person, to whom the access rules show "
        "nothing: each of these searches ends with error 32, and the login fails",
        rf"{REFUSED}|err\w*\W*32\b|\b32 \(|no ?such ?object|access|\bacls?\b|permission|"
        r"(find|found|see|read)\w* nothing|nothing (is |was )?found|does not exist",
        (
            r"err\w*\W*32\b|\(32\)|\b32 \(|(code|result|with)\W*32\b|no ?such ?object|olcAccess|"
            r"access (rule|control|right)|\bacls?\b|permission|may not (read|see)",
            r"10\.142\.0\.25|sympa|maildrop",
        ),
        r"olcAccess|access (rule|control|right)|\bacls?\b|permission|read access|(may|to) read|"
        r"by self|service account|search base|the base",
        write_second_search,
        accused=(
            BLAMES_AN_INDEX,
            INDEX_ADVICE,
            DISK,
            THREADS,
            r"wrong passwords?|brute.?force|attack",
        ),
    ),
    Case(
        "deadlock_of_a_pool",
        "OpenDJ 4.9.4 and PostgreSQL backend, getConnection deadlock (2025)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/529",
        OPENDJ,
        "all that needs the backend in PostgreSQL (dc=example,dc=pg) waits for ever for a "
        "connection to that database, until no worker thread is left for anything else",
        rf"{HANGS}|{BLOCKS}|deadlock|never (end|finish)|\bstuck\b|silen|still open|no more answers",
        (
            r"dc=pg\b|postgres|\bjdbc|(remote|external|relational|other) database|"
            r"database (server|connection)|connection pool",
            rf"{HANGS}|deadlock|never (end|finish)|\bstuck\b|wait|thread|worker|silen|still open",
        ),
        r"upgrade|update the server|newer version|4\.10|restart|jstack|thread dump|\bstacks?\b|"
        r"connection pool|postgres|\bjdbc|database (server|connection)|529",
        write_pool_deadlock,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, THREADS, HEAP),
    ),
    Case(
        "login_without_a_name",
        "On authentication don't allow to search user when user_name is empty (2016)",
        "https://github.com/GluuFederation/oxAuth/issues/327",
        OPENDJ,
        "where somebody sends the login page without a name, the filter names nobody, and the "
        "server reads all 48,310 people for 8 s",
        rf"{ALL_OF_IT}|{UNINDEXED}|large|empty|name(s)? nobody|without a (user ?)?name|"
        rf"{STANDS_OUT}",
        (
            r"gluuPerson|10\.144\.0\.20|cn=oxauth",
            rf"{ALL_OF_IT}|48,?310|empty|nobody|without a (user ?)?name|matches (all|every)|"
            r"only (the )?objectClass|large result|too many entries",
        ),
        r"\bfilter|narrow|empty|(user ?)?name|size.?limit|look-?through|fewer|paged?\b|pages\b",
        write_no_name,
        share=0.98,
        accused=(r"create-backend-index", NO_SUCH_INDEX, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_new_term",
        "new people, lists by name, a consumer and mistyped passwords on the first day of a term",
        OPENDJ,
        write_new_term,
    ),
)
