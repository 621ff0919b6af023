"""The eleventh ten, OpenLDAP and OpenDJ: indexes that no longer serve, and far too much at once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch2 import MANY
from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.batch9.others import CHANGES
from tests.field.batch10.others import WRITES
from tests.field.case import (
    AGAIN,
    DISK,
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
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    logins,
    monitoring,
    office,
    person,
    search,
    user,
)

LONGER = r"\bslow|\blonger\b|\bslower\b"
SLOW_DISK = r"checkpoint|slow disk|disk (is|was) (slow|busy)|faster disk|flush(es)? "
"""Unlike `DISK`, this does not match a sentence that says the disk is idle."""
NO_SUCH_INDEX = (
    r"missing index|index is missing|lacks an? (\w+ )?index|(has|have|there is) no (\w+ )?index"
)
"""Says that there is no such index, which the configuration shows to be wrong."""


def _mdb(*lines: str) -> str:
    """Configuration of a database of OpenLDAP, with more lines for it."""
    database = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: stats

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
"""
    return database + "".join(f"{line}\n" for line in lines) + "\n"


def _user_root(suffix: str, limit: int, **indexes: str) -> str:
    """Configuration of a database of OpenDJ: its limit of entries for a key, and its indexes."""
    backend = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
    text = f"""dn: {backend}
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: userRoot
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {suffix}
ds-cfg-db-directory: db
ds-cfg-db-cache-percent: 50
ds-cfg-index-entry-limit: {limit}
ds-cfg-writability-mode: enabled

"""
    for attribute, kinds in indexes.items():
        text += f"dn: ds-cfg-attribute={attribute},cn=Index,{backend}\nobjectClass: top\n"
        text += f"objectClass: ds-cfg-backend-index\nds-cfg-attribute: {attribute}\n"
        text += "".join(f"ds-cfg-index-type: {kind}\n" for kind in kinds.split()) + "\n"
    return text


# ---- aliases are followed --------------------------------------------------------------------

FOLLOWED = "aliases"
_JAVA = (("wiki", "10.126.0.51"), ("sso", "10.126.0.52"), ("sso", "10.126.0.52"))


class _LogOfAliases(LogOpenLDAP):
    """slapd 2.4, with microseconds by syslog; a request says whether aliases are followed."""

    def line(self, at: float, text: str) -> None:
        moment = datetime.fromtimestamp(round(at * 1e6) / 1e6, UTC)
        stamp = moment.isoformat(timespec="microseconds")
        self.add(at, f"{stamp} {self._host} slapd[{self._pid}]: {text}")

    def _requests(self, request: Request) -> list[str]:
        lines = super()._requests(request)
        if request.notes != FOLLOWED:
            return lines
        return [text.replace(" deref=0 ", " deref=3 ") for text in lines]


class _Aliases(Simulation):
    """For a subtree slapd goes through 600,000 aliases first, and four cores do that for all."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.notes == FOLLOWED and request.scope == 2:
            busy = sum(free > self.now for free in self._free)
            request.took = self.about(1.6, 0.07) * max(1.0, (busy + 1) / 4)
            request.culprit = True
        super()._serve(request, client)


def write_followed_aliases(folder: Path) -> Waited:
    """Two Java applications have aliases followed, as their library does unless told otherwise."""
    log = _LogOfAliases("ldap3", pid=912, old=True)
    sim = _Aliases(
        log, utc(2018, 5, 14, 9, 0), 1500, seed=680, first_connection=21_400, first_fd=14
    )
    office(sim, network="10.126.0", pace=1.2)
    for turn in range(30):
        name, address = _JAVA[turn % 3]
        sim.start(20 + 40 * turn, _java(sim, address, name))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbMaxSize: 21474836480",
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _java(sim: Simulation, address: str, name: str) -> Client:
    """One connection of a pool: who is it, and the entry again by its DN."""
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, f"cn={name},ou=services,{SUFFIX}")
    while True:
        number = sim.random.randrange(4000)
        for scope, base, query in (
            (2, PEOPLE, f"(&(objectClass=inetOrgPerson)(uid={user(number)}))"),
            (0, person(number), "(objectClass=*)"),
        ):
            asked = Request(connection, "SRCH", sim.about(0.0008), base, scope, query, "cn mail")
            asked.entries, asked.notes = 1, FOLLOWED
            yield asked
        yield sim.random.uniform(5, 13)


# ---- an index that is worn -------------------------------------------------------------------

_TENANTS = (
    ("nordwind", 212, 2.7),
    ("nordwind", 212, 2.7),
    ("ostwind", 640, 0.008),
    ("suedwind", 1204, 0.015),
    ("westwind", 2310, 0.027),
)
"""Organisations: entries of their people, and the seconds it takes to list them."""
CRM = "10.127.0.40"


def write_worn_index(folder: Path) -> Waited:
    """A key that once had more than 65,536 entries is a range since, even with few of them left."""
    log = LogOpenLDAP("ldap-prod1", pid=1433, old=True)
    sim = Simulation(
        log, utc(2019, 12, 3, 10, 0), 1800, seed=681, first_connection=66_020, first_fd=12
    )
    office(sim, network="10.127.0")
    for turn in range(6):
        sim.start(4 + 3 * turn, _crm(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbMaxSize: 8589934592",
        "olcDbIndex: objectClass eq",
        "olcDbIndex: o,uid,mail,member eq",
        "olcDbIndex: entryUUID,entryCSN eq",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _crm(sim: Simulation) -> Client:
    """Somebody looks at the people of an organisation, and then at some of them."""
    connection = sim.connect(CRM)
    yield 0.002
    yield binding(sim, connection, f"cn=crm,ou=services,{SUFFIX}")
    while True:
        yield sim.random.uniform(10, 34)
        name, entries, took = sim.random.choice(_TENANTS)
        people = Request(connection, "SRCH", sim.about(took, 0.05), SUFFIX, 2, f"(o={name})")
        people.attributes, people.entries = "cn mail telephoneNumber", entries
        people.culprit = took > 1
        yield people
        for _ in range(sim.random.randrange(3)):
            yield sim.random.uniform(2, 6)
            number = sim.random.randrange(4000)
            yield search(sim, connection, SUFFIX, f"(&(o={name})(uid={user(number)}))", 0.0009)


# ---- free pages in pieces --------------------------------------------------------------------

_MONITOR = f"""dn: cn=Database 1,cn=Databases,cn=Monitor
objectClass: monitoredObject
objectClass: olmMDBDatabase
structuralObjectClass: monitoredObject
cn: Database 1
monitoredInfo: mdb
monitorIsShadow: FALSE
namingContexts: {SUFFIX}
readOnly: FALSE
olmDbDirectory: /var/lib/ldap
olmMDBPagesMax: 2621440
olmMDBPagesUsed: 902144
olmMDBPagesFree: 761310
olmMDBReadersMax: 126
olmMDBReadersUsed: 9
olmMDBEntries: 41877
entryDN: cn=Database 1,cn=Databases,cn=Monitor
subschemaSubentry: cn=Subschema
hasSubordinates: TRUE

"""
FREE_PAGES = r"fragment|free.?list|free.{0,14}pages|pages.{0,24}\bfree|olmMDBPagesFree"


class _Fragmented(Simulation):
    """Whoever writes looks through a long list of free pages, and only one can write."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind in WRITES:
            request.took, request.lock, request.culprit = self.about(1.5, 0.4), "mdb", True
        super()._serve(request, client)


def write_free_pages(folder: Path) -> Waited:
    """Five of six used pages are free, in pieces: every change lasts seconds, and reads do not."""
    log = LogOpenLDAP("primary5", pid=2018)
    sim = _Fragmented(
        log, utc(2025, 2, 11, 9, 0), 1500, seed=682, first_connection=14_900, first_fd=16
    )
    office(sim, network="10.128.0", pace=1.2)
    desk = f"cn=console,ou=services,{SUFFIX}"
    sim.start(6, changes(sim, "10.128.0.18", desk, every=5))
    sim.start(9, _new_passwords(sim))
    sim.start(610, _school_year(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbMaxSize: 10737418240",
        "olcDbIndex: objectClass,univentionObjectType,uid,mail,member,uniqueMember eq",
        "olcDbIndex: memberUid,uidNumber,gidNumber,entryUUID,entryCSN eq",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    (folder / "monitor.ldif").write_text(_MONITOR, "utf-8")
    (folder / "iostat.txt").write_text(_idle_disk(sim), "utf-8")
    return sim.waited


def _new_passwords(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 14)
        sim.start(sim.now - sim.begin, _new_password(sim, sim.random.randrange(4000)))


def _new_password(sim: Simulation, number: int) -> Client:
    connection = sim.connect("10.128.0.22")
    yield 0.002
    yield binding(sim, connection, person(number))
    yield Request(connection, "MOD", 0.006, person(number), query="userPassword")
    sim.close(connection)


def _school_year(sim: Simulation) -> Client:
    """An import of classes, a change after the other."""
    connection = sim.connect("10.128.0.21")
    yield 0.002
    yield binding(sim, connection, f"cn=school-import,ou=services,{SUFFIX}")
    for number in range(70):
        group = f"cn=class-{number:02d},ou=groups,{SUFFIX}"
        yield Request(connection, "MOD", 0.006, group, query="uniqueMember memberUid")
        yield sim.about(0.05)
    sim.close(connection)


def _idle_disk(sim: Simulation) -> str:
    """Reports of `iostat -xdt 10`: a few short writes a second."""
    columns = (
        "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   "
        "wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util"
    )
    text = "Linux 6.1.0-30-amd64 (primary5) \t02/11/25 \t_x86_64_\t(8 CPU)\n\n"
    for number in range(1, int(sim.seconds / 10)):
        moment = datetime.fromtimestamp(sim.begin + 10 * number, UTC)
        writes, wait = sim.random.uniform(6, 19), sim.random.uniform(0.2, 0.6)
        text += (
            f"{moment:%m/%d/%y %H:%M:%S}\n{columns}\n"
            f"vda              0.10      0.80     0.00   0.00    0.35     8.00  {writes:6.2f}  "
            f"{writes * 9:8.2f}     1.20   8.40    {wait:4.2f}     9.00    "
            f"{writes * wait / 1000:4.2f}   {writes * 0.05:4.2f}\n\n"
        )
    return text


# ---- no key left in any index ----------------------------------------------------------------

_REFUSAL = "You do not have sufficient privileges to perform an unindexed search"
INTRANET = "10.129.0.13"


class _LogOfRefusals(LogOpenDJ):
    """An unindexed search that is refused has the reason in the line of its result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if request.error != 50:
            super().answered(at, request, queued, worked)
            return
        result = f'result=50 message="{_REFUSAL}" nentries=0 unindexed'
        etime = round((queued + worked) * 1000)
        self.line(at, f"{self._head(request, 'RES')} {result} etime={etime}")


class _NoKeys(Simulation):
    """No index has a usable key: who may search without is slow, who may not is refused."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "SRCH" and request.scope and request.dn.endswith(SUFFIX):
            if request.connection.address == INTRANET:
                request.error, request.entries = 50, 0
            else:
                busy = sum(free > self.now for free in self._free)
                request.took = self.about(0.7, 0.12) * max(1.0, (busy + 1) / 8)
                request.culprit = True
            request.notes = "unindexed"
        super()._serve(request, client)


def write_unlimited_keys(folder: Path) -> Waited:
    """All indexes were rebuilt under a limit of 0, which was taken for none instead of no limit."""
    log, errors = _LogOfRefusals("10.129.0.2"), Lines()
    sim = _NoKeys(
        log, utc(2026, 9, 17, 8, 0), 900, workers=24, seed=683, first_connection=310, first_fd=20
    )
    office(sim, network="10.129.0")
    hosts = tuple(f"10.129.1.{number}" for number in range(20, 60))
    sim.start(5, logins(sim, hosts, every=1.3))
    sim.run()
    rebuilt_at = sim.begin - 3 * 3600
    moment = datetime.fromtimestamp(rebuilt_at, UTC)
    errors.add(
        rebuilt_at,
        f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] category=BACKEND severity=NOTICE msgID=542 "
        "msg=Rebuild of index(es) uid.caseIgnoreMatch, mail.caseIgnoreIA5Match, "
        "member.distinguishedNameMatch started with 141208 total entries to process",
    )
    log.write(folder / "access")
    errors.write(folder / "errors")
    kinds = {"uid": "equality", "mail": "equality", "member": "equality"}
    (folder / "config.ldif").write_text(_user_root(SUFFIX, 0, **kinds), "utf-8")
    return sim.waited


# ---- all that has expired, at once -----------------------------------------------------------

GLUU = "o=@!1C5D.6C2A.7A52.7E5D!0001!F3B2.0E7A,o=gluu"
_SESSIONS, _CLIENTS = f"ou=session,{GLUU}", f"ou=clients,{GLUU}"
OXAUTH, MANAGER = "10.130.0.20", "cn=Directory Manager"


class _Loaded(Simulation):
    """While somebody loads all there is, everything else takes three times as long."""

    until = 0.0

    def _serve(self, request: Request, client: Client) -> None:
        if request.culprit and request.kind == "SRCH":
            self.until = self.now + request.took
        elif self.now < self.until:
            request.took *= 3
        super()._serve(request, client)


def write_clean_up(folder: Path) -> Waited:
    """A timer loads all expired sessions and tokens at once, deletes some, and begins again."""
    log = LogOpenDJ("10.130.0.2")
    sim = _Loaded(
        log, utc(2016, 12, 29, 14, 0), 1800, workers=24, seed=684, first_connection=18, first_fd=30
    )
    office(sim, network="10.130.0", people=f"ou=people,{GLUU}")
    for turn in range(3):
        sim.start(2 + turn, _oxauth(sim))
    sim.start(21, _cleaner(sim))
    sim.run()
    log.write(folder / "access")
    config = _user_root(
        "o=gluu",
        4000,
        uid="equality",
        mail="equality",
        member="equality",
        oxAuthTokenCode="equality",
        oxLastAccessTime="equality ordering",
        oxAuthExpiration="equality ordering",
    )
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _session(sim: Simulation) -> str:
    return f"uniqueIdentifier={sim.random.getrandbits(128):032x},{_SESSIONS}"


def _oxauth(sim: Simulation) -> Client:
    """Sessions begin and are used, and tokens are looked up."""
    connection = sim.connect(OXAUTH)
    yield HANDSHAKE_S
    yield binding(sim, connection, MANAGER)
    while True:
        yield sim.random.expovariate(1 / 1.2)
        kind = sim.random.choice(("ADD", "MOD", "SRCH", "SRCH", "SRCH"))
        if kind == "SRCH":
            token = f"(oxAuthTokenCode={sim.random.getrandbits(128):032x})"
            yield search(sim, connection, _CLIENTS, token, 0.0008)
        else:
            written = Request(connection, kind, sim.about(0.006), _session(sim))
            written.query = "oxLastAccessTime" if kind == "MOD" else ""
            yield written


def _cleaner(sim: Simulation) -> Client:
    """What has expired is read as a whole, and a run ends long before all of it is deleted."""
    connection = sim.connect(OXAUTH)
    yield HANDSHAKE_S
    yield binding(sim, connection, MANAGER)
    sessions, tokens = 98_412, 71_038
    while True:
        yield _expired(sim, connection, _SESSIONS, "oxAuthSessionId", sessions)
        yield sim.about(3)
        yield _expired(sim, connection, _CLIENTS, "oxAuthToken", tokens)
        yield sim.about(2)
        for _ in range(420):
            yield Request(connection, "DEL", sim.about(0.011), _session(sim), culprit=True)
            yield sim.about(0.004)
        sessions -= 420 - sim.random.randrange(150, 380)
        tokens += sim.random.randrange(90, 240)
        yield 60.0


def _expired(
    sim: Simulation, connection: Connection, base: str, kind: str, entries: int
) -> Request:
    attribute = "oxLastAccessTime" if kind == "oxAuthSessionId" else "oxAuthExpiration"
    moment = datetime.fromtimestamp(sim.now, UTC)
    query = f"(&(objectClass={kind})({attribute}<={moment:%Y%m%d%H%M%S}.000Z))"
    everything = Request(connection, "SRCH", sim.about(entries * 2.45e-4, 0.05), base, 2, query)
    everything.entries, everything.culprit = entries, True
    return everything


# ---- healthy ---------------------------------------------------------------------------------


def write_enrolment_day(folder: Path) -> Waited:
    """New students are added, visitors have unknown badges, and somebody exports all people."""
    log = LogOpenDJJson("10.131.0.2")
    sim = Simulation(
        log, utc(2025, 9, 1, 8, 30), 1500, workers=24, seed=685, first_connection=52_000
    )
    office(sim, network="10.131.0", pace=1.3)
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(4, monitoring(sim, "10.131.0.9", reader, every=20, base="cn=monitor"))
    library = f"cn=library,ou=services,{SUFFIX}"
    sim.start(7, application(sim, "10.131.0.26", library, every=2.4))
    sim.start(40, _gate(sim))
    sim.start(150, _enrolment(sim))
    sim.start(820, _export(sim))
    for turn in range(6):
        sim.start(120 + 200 * turn, _mistyped(sim, f"10.131.0.{60 + turn}"))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    kinds = {"uid": "equality", "mail": "equality", "member": "equality", "carLicense": "equality"}
    (folder / "config.ldif").write_text(_user_root(SUFFIX, 4000, **kinds), "utf-8")
    return sim.waited


def _gate(sim: Simulation) -> Client:
    """A gate looks up the numbers of badges; those of visitors are not in the directory."""
    connection = sim.connect("10.131.0.33")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=gate,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 7)
        badge = f"(carLicense={sim.random.randrange(100_000, 999_999)})"
        asked = search(sim, connection, PEOPLE, badge, 0.0007)
        asked.entries = 0 if sim.random.random() < 0.12 else 1
        yield asked


def _enrolment(sim: Simulation) -> Client:
    """A list of new students; a few of them were here before, and are changed instead."""
    connection = sim.connect("10.131.0.28")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=enrolment,ou=services,{SUFFIX}")
    for number in range(5200, 5420):
        error = 68 if number % 71 == 0 else 0
        yield Request(connection, "ADD", sim.about(0.007), person(number), error=error)
        if error:
            yield Request(connection, "MOD", sim.about(0.006), person(number), query="description")
        yield sim.random.uniform(1.2, 3.8)
    sim.close(connection)


def _export(sim: Simulation) -> Client:
    connection = sim.connect("10.131.0.29")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=timetable,ou=services,{SUFFIX}")
    students = Request(connection, "SRCH", 1.9, PEOPLE, 1, "(objectClass=person)", "cn mail uid")
    students.entries = 4220
    yield students
    sim.close(connection)


def _mistyped(sim: Simulation, address: str) -> Client:
    """A wrong password and then the right one."""
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
        "aliases_followed",
        "back-mdb and alias dereferencing (2018)",
        "https://www.openldap.org/lists/openldap-technical/201805/msg00065.html",
        OPENLDAP,
        "two applications have aliases followed (deref=3): among 600,000 aliases any search of a "
        "subtree takes seconds instead of a millisecond",
        rf"alias|deref|{LONGER}|{STANDS_OUT}",
        (r"alias|deref",),
        r"deref\w*.{0,40}(never|\boff\b|\b0\b)|derefAliases|never (be )?(deref|follow)|"
        r"(not|stop|without|no longer) (be )?(deref|follow|resolv)|(fewer|remove|no) alias|"
        r"upgrade|newer version",
        write_followed_aliases,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "index_is_a_range",
        "(ITS#9136) mdb index degradation failure (2019)",
        "https://www.openldap.org/lists/openldap-bugs/201912/msg00013.html",
        OPENLDAP,
        "more than 65,536 entries once had o=nordwind, and its key in the index is a range since: "
        "212 entries take 2.7 s, and 2,310 of another organisation 27 ms",
        rf"\brange|candidate|degrad|\bIDL\b|65,?53\d|nordwind|\bo=|{LONGER}|{ALL_OF_IT}|"
        rf"{STANDS_OUT}",
        (
            r"nordwind|\bo=|\bo\b.{0,20}(index|attribute)|attribute o\b",
            r"\brange|candidate|degrad|\bIDL\b|65,?53\d|\bworn\b|(al)?though .{0,60}index|"
            r"despite .{0,40}index|(is|are) indexed|has an (\w+ )?index|"
            r"index\w*\b.{0,60}(no longer|hardly|useless|do(es)? not (help|narrow|select|serve))|"
            r"(only|just) (for )?(one|this|a single) value|other values? (are|take)|"
            r"one value (alone|is|takes|costs)",
        ),
        r"slapadd|slapcat|reload|(new|fresh) (database|mdb)|from scratch|re-?import|\bdump|"
        r"idlexp|upgrade|newer version",
        write_worn_index,
        share=0.97,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "free_pages_in_pieces",
        "Problem: LMDB fragmentation slows down LDAP modifications (2025)",
        "https://help.univention.com/t/problem-lmdb-fragmentation-slows-down-ldap-modifications/"
        "24105",
        OPENLDAP,
        "761,310 of 902,144 used pages are free, in pieces: every change looks through their list "
        "for 1.5 s, one after another",
        rf"{CHANGES}|{FREE_PAGES}|{BLOCKS}|{STANDS_OUT}",
        (CHANGES, FREE_PAGES),
        r"mdb_copy|compact|defrag|slapcat|slapadd|reload|\bdump|rtxnsize",
        write_free_pages,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, SLOW_DISK, THREADS),
    ),
    Case(
        "limit_of_zero",
        "Give no key up on import or rebuild under an index-entry-limit of 0 (2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/pull/1060",
        OPENDJ,
        "the indexes were rebuilt under an index-entry-limit of 0, which left no key usable: all "
        "searches are unindexed, and slow or refused (50)",
        rf"{UNINDEXED}|entry.?limit|{REFUSED}|{LONGER}|{STANDS_OUT}",
        (
            r"\buid\b|\bmail\b|\bmember\b",
            r"entry.?limit|limit.{0,15}\b0\b|rebuil[dt]|re-?import|degraded|undefined|"
            r"(al)?though .{0,60}index|despite .{0,40}index|has an (\w+ )?index|"
            r"index\w*\b.{0,40}(exist|defin|configur|declar)",
        ),
        r"entry.?limit|rebuil|re-?import|backendstat|verify-index|upgrade|newer version",
        write_unlimited_keys,
        share=0.99,
        accused=(r"create-backend-index", NO_SUCH_INDEX, DISK, THREADS, HEAP),
    ),
    Case(
        "all_that_expired",
        "CleanUp timer should loads all expired entries using searchLimit =100 (2016)",
        "https://github.com/GluuFederation/oxAuth/issues/419",
        OPENDJ,
        "a clean-up loads all of 98,000 expired sessions and 71,000 tokens at once, 41 s, deletes "
        "420 of them, and a minute later loads them all again",
        rf"{ALL_OF_IT}|{MANY}|{AGAIN}|large|expir|{STANDS_OUT}",
        (
            r"ou=session|oxAuthSessionId|oxLastAccessTime|ou=clients|oxAuthToken\b|"
            r"oxAuthExpiration",
            rf"{ALL_OF_IT}|{MANY}|{AGAIN}|\b(98|97|96|71|72|73)[,.]?\d{{3}}\b",
        ),
        r"portions?\b|chunk|batch|\bpaged?\b|size.?limit|searchLimit|at a time|fewer entries|"
        r"less often|smaller|narrow|only (the|what|as many)|upgrade|newer version",
        write_clean_up,
        share=0.95,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_enrolment_day",
        "new students, unknown badges, mistyped passwords and one export hurt nobody",
        OPENDJ,
        write_enrolment_day,
    ),
)
