"""The fourteenth ten, OpenLDAP and OpenDJ: a table of all, groups written whole, roles in turn."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.case import (
    AGAIN,
    DISK,
    FOLLOWS,
    INDEX_ADVICE,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    Case,
    Healthy,
)
from tests.field.dialects import Lines, LogOpenDJ, LogOpenLDAP
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
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

SERVICES = f"ou=services,{SUFFIX}"
IN_TURN = rf"{FOLLOWS}|in a row|in turn|in sequence|sequential|\bseries\b|\bchains?\b"
"""One search after another, each for a different thing."""


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
olcDbMaxSize: 8589934592
"""
    return top + "".join(f"{line}\n" for line in lines) + "\n" + after


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


# ---- is the administrator in this role, and in this one --------------------------------------

CONSOLE = "10.150.0.30"
_ROLES = 310


def write_role_by_role(folder: Path) -> Waited:
    """A console asks for each of 310 roles, five times over, whether the administrator has it."""
    log = LogOpenLDAP("ldap-a", pid=20_418, handshake_s=0.005)
    sim = Simulation(
        log, utc(2022, 11, 14, 13, 30), 1500, seed=800, first_connection=14_902, first_fd=17
    )
    office(sim, network="10.150.0", pace=0.8)
    for begin in (95, 560, 1010):
        sim.start(begin, _service_providers(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq",
        "olcLimits: {0}dn.children=" + f'"{SERVICES}" size=unlimited time=60',
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _service_providers(sim: Simulation) -> Client:
    """Somebody opens the list of service providers; the page fails before it is complete."""
    connection = sim.connect(CONSOLE)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=wso2is,{SERVICES}")
    admin = f"uid=admin,{PEOPLE}"
    for number in range(5 * _ROLES):
        who = search(sim, connection, PEOPLE, "(&(objectClass=inetOrgPerson)(uid=admin))", 0.0012)
        who.attributes, who.culprit = "uid", True
        yield who
        yield sim.about(0.004)
        role = f"Application_app-{number % _ROLES:03d}"
        query = f"(&(&(objectClass=groupOfNames)(cn={role}))(member={admin}))"
        has = search(sim, connection, GROUPS, query, 0.009)
        has.attributes, has.culprit = "cn", True
        yield has
        yield sim.about(0.06)
    sim.close(connection)


# ---- a table of everybody --------------------------------------------------------------------

TABLE = "10.151.0.20"
_PERSONS, _PAGE = 100_412, 1000


def write_whole_table(folder: Path) -> Waited:
    """A page shows 15 of 100,412 people, and reads all of them whenever it is drawn."""
    log = LogOpenLDAP("openldap", pid=931, old=True)
    sim = Simulation(
        log, utc(2022, 2, 21, 8, 0), 1500, seed=801, first_connection=2_771, first_fd=13
    )
    office(sim, network="10.151.0", pace=1.0)
    sim.start(70, _table(sim, 7))
    sim.start(310, _table(sim, 6))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        "olcDbIndex: cn,givenName eq,sub",
        "olcSizeLimit: size.soft=1000 size.hard=unlimited size.pr=1000",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _table(sim: Simulation, times: int) -> Client:
    """Somebody opens the table, sorts it, turns to the next page: it is drawn anew each time."""
    for _ in range(times):
        connection = sim.connect(TABLE)
        yield 0.001
        yield binding(sim, connection, f"cn=datatable,{SERVICES}")
        left = _PERSONS
        while left > 0:
            page = Request(connection, "SRCH", sim.about(0.21, 0.08), PEOPLE, 2)
            page.query = (
                "(&(objectClass=top)(objectClass=person)(objectClass=organizationalPerson)"
                "(objectClass=inetOrgPerson))"
            )
            page.attributes = "cn givenName mail uid unudUserTypeId objectClass"
            page.entries, page.culprit = min(left, _PAGE), True
            yield page
            left -= _PAGE
            yield sim.about(0.03)
        sim.close(connection)
        yield sim.random.uniform(8, 60)


# ---- a group is written whole ----------------------------------------------------------------

ERP = "10.152.0.20"
_WRITER = "writer"
_PER_MEMBER_S = 0.046
_SIZES = {"staff": 512, "sales": 141, "accounting": 64, "intranet-users": 498}
_MEMBER_OF = """dn: olcOverlay={0}memberof,olcDatabase={1}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcMemberOfConfig
olcOverlay: {0}memberof
olcMemberOfDangling: ignore
olcMemberOfRefInt: TRUE
olcMemberOfGroupOC: groupOfNames
olcMemberOfMemberAD: member
olcMemberOfMemberOfAD: memberOf

"""
_MODULES = """dn: cn=module{0},cn=config
objectClass: olcModuleList
cn: module{0}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {0}back_mdb
olcModuleLoad: {1}memberof

"""


def write_group_whole(folder: Path) -> Waited:
    """For one new member all members are replaced, and memberOf is written for each of them."""
    log = LogOpenLDAP("annuaire", pid=612)
    sim = Simulation(
        log, utc(2023, 10, 11, 9, 15), 1500, seed=802, first_connection=7_430, first_fd=12
    )
    office(sim, network="10.152.0", pace=0.9, lock=_WRITER)
    writer = f"cn=self-service,{SERVICES}"
    sim.start(5, changes(sim, "10.152.0.15", writer, every=16, lock=_WRITER))
    groups = ("staff", "sales", "intranet-users", "accounting", "staff", "intranet-users", "sales")
    for number in range(14):
        begin = 55 + 101 * number + 13 * (number % 4)
        sim.start(begin, _membership(sim, groups[number % 7], number))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,member,memberOf,entryUUID,entryCSN eq",
        before=_MODULES,
        after=_MEMBER_OF,
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _membership(sim: Simulation, group: str, number: int) -> Client:
    """A person is put into a group, or taken out of it, in the pages of the ERP."""
    connection = sim.connect(ERP)
    yield 0.001
    yield binding(sim, connection, f"cn=dolibarr,{SERVICES}")
    yield search(sim, connection, PEOPLE, f"(uid={user(900 + number)})", 0.0006)
    dn = f"cn={group},{GROUPS}"
    whole = Request(connection, "MOD", sim.about(_SIZES[group] * _PER_MEMBER_S, 0.08), dn)
    whole.query, whole.lock, whole.culprit = "objectClass cn description member", _WRITER, True
    yield whole
    sim.close(connection)


# ---- groups that nobody needs to look into ---------------------------------------------------

TACACS = ("10.153.0.31", "10.153.0.32")


def write_each_group(folder: Path) -> Waited:
    """Each login at a switch reads all groups of the person, one by one, for groups above them."""
    log = LogOpenDJ("10.153.0.2")
    sim = Simulation(log, utc(2024, 10, 22, 7, 20), 1500, workers=24, seed=803, first_connection=96)
    office(sim, network="10.153.0", pace=0.9)
    reader = f"cn=check,{SERVICES}"
    sim.start(3, monitoring(sim, "10.153.0.9", reader, every=20, base="cn=monitor"))
    for number, address in enumerate(TACACS):
        sim.start(6 + number, _switches(sim, address))
    sim.run()
    log.write(folder / "access")
    config = _backend(uid="equality", mail="equality", cn="equality substring", member="equality")
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _switches(sim: Simulation, address: str) -> Client:
    """Administrators and scripts log in at switches, each for a few commands."""
    while True:
        yield sim.random.expovariate(1 / 14)
        sim.start(sim.now - sim.begin, _switch_login(sim, address, sim.random.randrange(40)))


def _switch_login(sim: Simulation, address: str, number: int) -> Client:
    """Who is it, in which groups, in which groups are these, and does the password fit."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=tacacs,{SERVICES}")
    query = f"(&(objectClass=person)(uid={user(number)}))"
    who = search(sim, connection, SUFFIX, query, 0.018)
    who.attributes, who.culprit = "isMemberOf,shadowExpire,uidNumber,gidNumber", True
    yield who
    for place in range(30 + 7 * number % 53):
        group = f"cn=net-{(number * 17 + place * 5) % 311:03d},{GROUPS}"
        above = Request(connection, "SRCH", sim.about(0.014), group, 0)
        above.query, above.attributes = "(objectClass=*)", "isMemberOf"
        above.entries, above.culprit = 1, True
        yield above
        yield sim.about(0.0012)
    yield binding(sim, connection, person(number), 0.0025)
    sim.close(connection)


# ---- changes that cannot be read -------------------------------------------------------------

_NOT_IMPLEMENTED = (
    "An unexpected error was encountered while processing a search in one of the Directory "
    "Server backends: RuntimeException(Not implemented)"
)


class _WithMessages(LogOpenDJ):
    """What is refused has a message in its result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if not request.error or not request.notes:
            super().answered(at, request, queued, worked)
            return
        etime = round((queued + worked) * 1000)
        self.line(
            at,
            f"{self._head(request, 'RES')} result={request.error} "
            f'message="{request.notes}" nentries=0 etime={etime}',
        )


def write_changelog_unread(folder: Path) -> Waited:
    """Since an upgrade the identity management cannot read the changelog; another client can."""
    log, errors = _WithMessages("10.154.0.2"), Lines()
    sim = Simulation(log, utc(2026, 7, 14, 7, 0), 1500, workers=24, seed=804, first_connection=31)
    office(sim, network="10.154.0", pace=1.2)
    sim.start(4, _identities(sim, "10.154.0.40"))
    sim.start(9, _export(sim, "10.154.0.41"))
    sim.run()
    log.write(folder / "access")
    errors.add(
        sim.begin - 41_000,
        "[13/Jul/2026:19:36:40 +0000] category=CORE severity=NOTICE msgID=135 "
        "msg=The Directory Server has started successfully",
    )
    errors.add(
        sim.begin - 41_010,
        "[13/Jul/2026:19:36:30 +0000] category=CORE severity=NOTICE msgID=134 "
        "msg=OpenDJ Server 5.1.1 (build 20260623101512, revision number "
        "a2f7c4d19e6b5c308d70f1124d3b8a96c5e0417b) starting up",
    )
    errors.write(folder / "errors")
    config = _backend(uid="equality", mail="equality", member="equality")
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _identities(sim: Simulation, address: str) -> Client:
    """Every ten seconds: how far is the changelog, and what is new; this twice in vain."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=openidm,{SERVICES}")
    while True:
        root = Request(connection, "SRCH", sim.about(0.001), "", 0, "(objectClass=*)")
        root.attributes, root.entries = "changelog,firstChangeNumber,lastChangeNumber", 1
        yield root
        for _ in range(2):
            new = Request(connection, "SRCH", sim.about(0.0012), "cn=changelog", 1)
            new.query = "(&(changeNumber>=48211)(changeNumber<=48311))"
            new.attributes = "changeNumber,targetDN,changeType,changes,newRdn,deleteOldRdn"
            new.error, new.notes = 80, _NOT_IMPLEMENTED
            yield new
            yield 0.05
        yield 10


def _export(sim: Simulation, address: str) -> Client:
    """A script of the personnel department, which has no aliases followed."""
    last = 48_296
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=personnel,{SERVICES}")
        query = f"(changeNumber>={last})"
        some = sim.random.randrange(9)
        new = search(sim, connection, "cn=changelog", query, 0.003, entries=some)
        new.scope, new.attributes = 1, "changeNumber,targetDN,changes"
        yield new
        last += some
        sim.close(connection)
        yield 60


# ---- healthy ---------------------------------------------------------------------------------


def write_checked_by_balancer(folder: Path) -> Waited:
    """A busy morning behind a load balancer, which opens connections and says nothing on them."""
    log = LogOpenLDAP("ldap-3", pid=1_406)
    sim = Simulation(
        log, utc(2025, 5, 6, 7, 50), 1500, seed=805, first_connection=511_207, first_fd=19
    )
    office(sim, network="10.155.0", pace=1.6)
    hosts = tuple(f"10.155.1.{number}" for number in range(20, 50))
    sim.start(2, logins(sim, hosts, every=1.8))
    replicator = f"cn=replicator,{SERVICES}"
    sim.start(1, following(sim, "10.155.0.3", replicator, SUFFIX, "(objectClass=*)"))
    sim.start(6, application(sim, "10.155.0.18", f"cn=phones,{SERVICES}", every=0.7))
    for number in (4, 5):
        sim.start(0.4 * number, _balancer(sim, f"10.155.0.{number}"))
    sim.start(620, _address_book(sim))
    for turn in range(8):
        sim.start(45 + 170 * turn, _mistyped(sim, f"10.155.1.{60 + turn}"))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,mail,member,entryUUID,entryCSN eq",
        "olcDbIndex: uid,cn,sn eq,sub",
        after="dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config\n"
        "objectClass: olcOverlayConfig\nobjectClass: olcSyncProvConfig\n"
        "olcOverlay: {0}syncprov\nolcSpCheckpoint: 100 10\nolcSpSessionlog: 1000\n\n",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _balancer(sim: Simulation, address: str) -> Client:
    """Is the port open? A connection every ten seconds, closed without a word."""
    while True:
        connection = sim.connect(address)
        yield 0.0006
        sim.close(connection, clean=False)
        yield 10


def _address_book(sim: Simulation) -> Client:
    """The telephone system gets names by their beginnings, a few hundred at a time."""
    connection = sim.connect("10.155.0.61")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=directory,{SERVICES}")
    for number in range(10):
        beginning = user(number).removesuffix(str(number))
        yield search(sim, connection, PEOPLE, f"(uid={beginning}*)", 0.022, entries=400)
        yield sim.about(0.5)
    sim.close(connection)


def _mistyped(sim: Simulation, address: str) -> Client:
    """A wrong password, and then the right one."""
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
        "role_by_role",
        "Listing service providers slow with OpenLDAP roles (2022)",
        "https://github.com/wso2/product-is/issues/15168",
        OPENLDAP,
        "to list service providers, a console asks for each of 310 application roles, again and "
        "again, who the administrator is and whether the role has them: 3,100 searches a page",
        rf"{IN_TURN}|{AGAIN}|\broles?\b|{STANDS_OUT}",
        (
            r"10\.150\.0\.30|cn=wso2is|Application_app|groupOfNames",
            rf"{IN_TURN}|{AGAIN}|(each|every|310|all) (\w+ )?roles?",
        ),
        r"(one|single) (search|request|query)|fewer|cach|\bonce\b|batch|together|memberOf|"
        r"all (\w+ )?(roles|groups)|instead of|remember",
        write_role_by_role,
        share=0.92,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "table_of_everybody",
        "How to load all Ldap Users and make the load faster? (2022)",
        "https://github.com/DirectoryTree/LdapRecord-Laravel/issues/397",
        OPENLDAP,
        "a web page with a table of people reads all 100,412 of them, in 101 pages of up to a "
        "thousand, each time it is drawn, sorted or turned over: 21 s",
        rf"{ALL_OF_IT}|{AGAIN}|{FOLLOWS}|\bpage[sd]?\b|large|{STANDS_OUT}",
        (
            r"10\.151\.0\.20|cn=datatable|unudUserTypeId|organizationalPerson",
            rf"{ALL_OF_IT}|\b100[,. ]?\d{{3}}\b|\b1,?000 (\w+ )?(entries|people|results)|"
            r"\bpages (of|with)|paged|page (by|after) page",
        ),
        r"\bfilter|narrow|\bonce\b|cach|size.?limit|olcLimits|fewer|only (the|those|who|what)|"
        r"\bcopy\b|(own|local) database|synchroni[sz]",
        write_whole_table,
        share=0.98,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "group_written_whole",
        "SetInGroup / RemoveFromGroup can be slow with Ldap (2023)",
        "https://github.com/Dolibarr/dolibarr/issues/26182",
        OPENLDAP,
        "for one person more or less an ERP replaces all members of a group, and the overlay "
        "memberof writes into each member's entry: 3 to 25 s, and other changes wait",
        rf"\bMODs?\b|chang|\bwrit|modif|updat|memberOf|{BLOCKS}|{STANDS_OUT}",
        (
            r"10\.152\.0\.20|dolibarr|cn=(staff|sales|intranet-users)|\bgroups?\b",
            r"\bmember(s|of|ship|ships)?\b",
        ),
        r"memberof|dynlist|(single|one|new) (value|member)|only (the|what|who)|\breplac|"
        r"fewer|smaller|split|differences?|add(s|ing)? (and|or) (delet|remov)",
        write_group_whole,
        share=0.98,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, THREADS),
    ),
    Case(
        "groups_looked_into",
        "Ldapmavis-mt - nested groups 0 - reduce LDAP lookups (2024)",
        "https://github.com/MarcJHuber/event-driven-servers/issues/122",
        OPENDJ,
        "at each login a TACACS+ server reads each of the person's 30 to 82 groups, one after the "
        "other, 15 ms each, to see which groups these are in, though none is nested",
        rf"{IN_TURN}|{AGAIN}|{STANDS_OUT}",
        (
            r"10\.153\.0\.3[12]|cn=tacacs|cn=net-",
            rf"{IN_TURN}|(each|every|all) (\w+ ){{0,3}}groups?|\bgroups (of|one)\b",
        ),
        r"(one|single) (search|request|query)|fewer|cach|\bonce\b|batch|together|nest|depth|"
        r"instead of|recurs|remember",
        write_each_group,
        share=0.97,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "changelog_unread",
        "Searching cn=changelog fails with RuntimeException(Not implemented) when aliases are "
        "dereferenced (2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/737",
        OPENDJ,
        "every search of cn=changelog by the identity management, which has aliases followed, ends "
        "with error 80, RuntimeException(Not implemented): it learns of no change",
        rf"{REFUSED}|\b80\b|not implemented|exception",
        (
            r"cn=changelog|change ?log|changeNumber",
            r"\b80\b|not implemented|RuntimeException|unexpected error|internal error",
        ),
        r"\bderef|alias|upgrade|update the server|newer (version|release)|a (fix|patch)\b|\b737\b|"
        r"\bbug\b|defect|\bsupport\b|5\.1\.[2-9]",
        write_changelog_unread,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP, r"wrong passwords?"),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_behind_balancer",
        "a busy morning, checks of a load balancer, an address book and mistyped passwords",
        OPENLDAP,
        write_checked_by_balancer,
    ),
)
