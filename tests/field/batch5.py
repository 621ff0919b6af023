"""The fifth ten: renames, clocks, limits, refused passwords, a full map, and needless readings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.field.case import (
    AGAIN,
    DISK,
    DS,
    INDEX_ADVICE,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    Batch,
    Case,
    Healthy,
)
from tests.field.dialects import Log389, LogOpenDJ, LogOpenDJJson, LogOpenLDAP, stamp_389
from tests.field.simulation import Client, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    following,
    logins,
    office,
    person,
    search,
    user,
)

SUFFIX = "dc=example,dc=com"
MAP = f"automountmapname=auto.home,cn=default,cn=automount,{SUFFIX}"
CERTIFICATES = "ou=certificateRepository,ou=ca,o=ipaca"
TOKENS = "ou=famrecords,ou=openam-session,ou=tokens,dc=cts,dc=example,dc=com"

BLAMES_AN_INDEX = (
    r"\bunindexed|\bnot indexed|without an? (\w+ )?index|missing index|index is missing|"
    r"lacks an? (\w+ )?index"
)
"""Unlike `UNINDEXED`, this does not match a sentence that says no index would help."""
BLOCKS = r"\bblock|\bbehind|\bheld up|\bholds\b|stood still|at a standstill|\bstall|waited for"
RENAMES = r"modrdn|renam|\bmov(e|es|ed|ing)\b"
ALL_OF_IT = (
    r"\ball (of )?(the|its|the \w+) (\w+ )?(entries|keys|map|users|people|accounts|groups|members)"
    r"|\b(every|all) (\w+ )?(entr(y|ies)|key|keys|users?|person|people|accounts?|groups?)\b"
    r"|whole|entire|enumerat|everybody|\d{3}[\d,.]*\s?(\w+ ){0,2}entries|large result"
)
REFUSED = (
    r"refus|reject|unwilling|fail(s|ed|ing|ure)?\b|in vain|\berr(or)?s?\b|without success|"
    r"not accepted|denied"
)


def _code(number: int, words: str) -> str:
    """Pattern of a result code as people write it, by number or in words."""
    return (
        rf"err\w*\W*{number}\b|(code|result|with|answer\w*)\W*{number}\b|\({number}\)|"
        rf"\b{number} \(|{words}"
    )


NO_SUCH = _code(32, r"no such|already (gone|deleted)|no longer exist|do(es)? not exist")
UNWILLING = _code(53, r"unwilling|refus|reject")
WRONG_PASSWORD = _code(49, r"invalid credentials|password")


# ---- 389 DS ----------------------------------------------------------------------------------


def write_moves(folder: Path) -> Waited:
    """Whole branches are moved; each entry below is rewritten, and no other change can begin."""
    log = Log389("2.6.1", "ds3.example.com", "10.60.0.2")
    sim = Simulation(log, utc(2026, 1, 15, 10, 0), 1800, workers=16, seed=201)
    office(sim, network="10.60.0", lock="backend")
    sim.start(3, _own_changes(sim))
    sim.start(240, _reorganisation(sim))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "iostat.txt").write_text(_calm_disk(sim), "utf-8")
    return sim.waited


def _own_changes(sim: Simulation) -> Client:
    """People change their own entry, each over a connection of their own."""
    while True:
        yield sim.random.expovariate(1 / 2.4)
        sim.start(sim.now - sim.begin, _own_change(sim))


def _own_change(sim: Simulation) -> Client:
    number = sim.random.randrange(4000)
    connection = sim.connect("10.60.0.25")
    yield HANDSHAKE_S
    yield binding(sim, connection, person(number), 0.0025)
    yield Request(connection, "MOD", sim.about(0.007), person(number), lock="backend")
    sim.close(connection)


def _reorganisation(sim: Simulation) -> Client:
    connection = sim.connect("10.60.0.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr-sync,ou=services,{SUFFIX}")
    for branch, took, pause in (("sales", 33.4, 410), ("field", 52.8, 470), ("labs", 26.1, 60)):
        yield Request(
            connection,
            "MODRDN",
            took,
            f"ou={branch},{PEOPLE}",
            query=f"ou={branch}",
            attributes=f"ou=former,{SUFFIX}",
            lock="backend",
            culprit=True,
        )
        yield pause


def _calm_disk(sim: Simulation) -> str:
    """Reports of `iostat -xdt 10`: a few dozen short writes a second, also during the moves."""
    columns = (
        "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   "
        "wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util"
    )
    text = "Linux 5.14.0-570.el9.x86_64 (ds3.example.com) \t01/15/26 \t_x86_64_\t(8 CPU)\n\n"
    for number in range(1, int(sim.seconds / 10)):
        moment = datetime.fromtimestamp(sim.begin + 10 * number, UTC)
        writes, wait = sim.random.uniform(18, 41), sim.random.uniform(0.3, 0.7)
        text += (
            f"{moment:%m/%d/%y %H:%M:%S}\n{columns}\n"
            f"sda              0.40      6.40     0.00   0.00    0.41    16.00  {writes:6.2f}  "
            f"{writes * 14:8.2f}     3.10  10.20    {wait:4.2f}    14.00    "
            f"{writes * wait / 1000:4.2f}   {writes * 0.06:4.2f}\n\n"
        )
    return text


def write_automounts(folder: Path) -> Waited:
    """For one home directory a host reads the whole map of them, in eight pages."""
    log = Log389("1.4.3.8", "ipa1.example.com", "10.60.1.2", 389)
    sim = Simulation(log, utc(2019, 8, 28, 9, 0), 1500, workers=24, seed=202)
    office(sim, network="10.60.1")
    for number in range(45):
        sim.start(4 + sim.random.uniform(0, 90), _mounting_host(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _mounting_host(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.61.0.{10 + number}")
    yield 0.002
    host = f"fqdn=node{number:02d}.example.com,cn=computers,cn=accounts,{SUFFIX}"
    yield binding(sim, connection, host, 0.003)
    while True:
        parent = MAP.split(",", 1)[1]
        query = "(&(automountMapName=auto.home)(objectClass=automountMap))"
        yield Request(connection, "SRCH", sim.about(0.0007), parent, 2, query, "cn", entries=1)
        for page in range(8):
            cookie = "-1" if page == 7 else "0"
            yield Request(
                connection,
                "SRCH",
                sim.about(0.058, 0.15),
                MAP,
                1,
                "(&(automountKey=*)(objectClass=automount))",
                "objectClass automountKey automountInformation",
                entries=437 if page == 7 else 1000,
                notes=f"P pr_idx=0 pr_cookie={cookie}",
                culprit=True,
            )
            yield 0.003
        yield sim.random.expovariate(1 / 85)


def write_clock(folder: Path) -> Waited:
    """The host's clock was set back by more than a day: no change gets a change number."""
    log = Log389("3.0.6", "ds1.example.com", "10.60.2.2")
    sim = Simulation(log, utc(2026, 7, 29, 8, 0), 1500, workers=16, seed=203)
    for number, name in enumerate(("mail", "portal", "intranet"), start=11):
        reader = application(
            sim,
            f"10.60.2.{number}",
            f"cn={name},ou=services,{SUFFIX}",
            every=0.9 + 0.4 * number / 10,
        )
        sim.start(0.5 * number, reader)
    sim.start(1, logins(sim, tuple(f"10.60.2.{host}" for host in range(31, 43)), every=3.5))
    errors: list[str] = []

    def refused() -> None:
        behind = 97_214 - int(sim.now - sim.begin)
        errors.append(
            f"{stamp_389(sim.now)} - ERR - _csngen_adjust_local_time - Adjustment limit exceeded; "
            f"value - {behind}, limit - 86400\n"
        )

    sim.start(2, _refused_changes(sim, "10.60.2.14", "provisioning", 6.0, refused))
    sim.start(4, _refused_changes(sim, "10.60.2.25", "self-service", 4.0, refused))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "errors").write_text(log.header + "".join(errors), "utf-8")
    return sim.waited


def _refused_changes(
    sim: Simulation, address: str, name: str, every: float, refused: Callable[[], None]
) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn={name},ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / every)
        kind = "ADD" if sim.random.random() < 0.15 else "MOD"
        who = person(sim.random.randrange(4000) + (4000 if kind == "ADD" else 0))
        refused()
        yield Request(connection, kind, sim.about(0.0011), who, error=1, culprit=True)


_INDEX = """dn: cn={name},cn=index,cn=ipaca,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: nsIndex
cn: {name}
nsSystemIndex: false
{kinds}

"""


def write_sort(folder: Path) -> Waited:
    """A CA that cannot start: more certificates than an ID list may have are not sorted for it."""
    log = Log389("2.6.2", "pki1.example.com", "10.60.3.2")
    sim = Simulation(log, utc(2025, 8, 22, 13, 0), 1500, workers=16, seed=204)
    office(sim, network="10.60.3")
    sim.start(95, _certificate_authority(sim))
    sim.run()
    log.write(folder / "access", log.header)
    indexes = (("certStatus", ("eq", "pres")), ("serialno", ("eq", "pres")), ("notAfter", ("eq",)))
    entries = (
        "dn: cn=config\nobjectClass: top\nobjectClass: nsslapdConfig\ncn: config\n"
        "nsslapd-threadnumber: 16\nnsslapd-sizelimit: 2000\n\n"
        "dn: cn=config,cn=ldbm database,cn=plugins,cn=config\nobjectClass: top\n"
        "objectClass: extensibleObject\ncn: config\nnsslapd-idlistscanlimit: 4000\n"
        "nsslapd-lookthroughlimit: 5000\nnsslapd-backend-implement: bdb\n\n"
        "dn: cn=ipaca,cn=ldbm database,cn=plugins,cn=config\nobjectClass: top\n"
        "objectClass: nsBackendInstance\ncn: ipaca\nnsslapd-suffix: o=ipaca\n\n"
    ) + "".join(
        _INDEX.format(name=name, kinds="\n".join(f"nsIndexType: {kind}" for kind in kinds))
        for name, kinds in indexes
    )
    (folder / "dse.ldif").write_text(entries, "utf-8")
    return sim.waited


def _certificate_authority(sim: Simulation) -> Client:
    """Starts again and again; after the refusal it gives up."""
    while True:
        connection = sim.connect("10.60.3.21")
        yield HANDSHAKE_S
        yield binding(sim, connection, "uid=pkidbuser,ou=people,o=ipaca")
        for base in ("ou=ranges,o=ipaca", "ou=certificateProfiles,ou=ca,o=ipaca", CERTIFICATES):
            query = "(objectClass=*)"
            yield Request(connection, "SRCH", sim.about(0.001), base, 0, query, entries=1)
            yield 0.05
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(0.02, 0.03),
            CERTIFICATES,
            1,
            "(certStatus=*)",
            "serialno",
            error=53,
            notes="U,P pr_idx=0 pr_cookie=-1",
            before=("SORT serialno (*)",),
            culprit=True,
        )
        sim.close(connection)
        yield sim.random.uniform(58, 66)


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_schema(folder: Path) -> Waited:
    """A calendar server reads the whole schema over each connection, two for each request."""
    log = LogOpenLDAP("ldap4")
    sim = Simulation(
        log, utc(2025, 5, 26, 9, 0), 900, seed=211, first_connection=41000, first_fd=14
    )
    office(sim, network="10.62.1", pace=0.8)
    for number in range(22):
        sim.start(3 + sim.random.uniform(0, 60), _calendar(sim, 100 + number))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _calendar(sim: Simulation, number: int) -> Client:
    while True:
        for _ in range(2):
            sim.start(sim.now - sim.begin, _calendar_request(sim, number))
            yield sim.about(0.4)
        yield sim.about(60, 0.1)


def _calendar_request(sim: Simulation, number: int) -> Client:
    for dn, took in (
        (f"cn=radicale,ou=services,{SUFFIX}", 0.003),
        (person(number), 0.006),
    ):
        connection = sim.connect("10.62.1.40")
        yield 0.001
        yield binding(sim, connection, dn, took)
        for base, query, read_s in (
            ("", "(objectClass=*)", 0.001),
            ("cn=Subschema", "(objectClass=subschema)", 0.062),
        ):
            asked = Request(connection, "SRCH", sim.about(read_s, 0.2), base, 0, query, "* +")
            asked.entries, asked.culprit = 1, True
            yield asked
        if dn.startswith("cn="):
            yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        sim.close(connection)


def write_app_passwords(folder: Path) -> Waited:
    """Passwords of applications are no passwords of the directory; they are tried all the same."""
    log = LogOpenLDAP("wghoch4", pid=912, old=True)
    sim = Simulation(
        log, utc(2018, 1, 6, 14, 0), 1200, seed=212, first_connection=1800, first_fd=14
    )
    office(sim, network="10.62.2", pace=0.7)
    for number in range(9):
        sim.start(2 + sim.random.uniform(0, 30), _file_sync(sim, 300 + number))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _file_sync(sim: Simulation, number: int) -> Client:
    while True:
        for _ in range(3):
            sim.start(sim.now - sim.begin, _file_request(sim, number))
            yield sim.about(0.3)
        yield sim.about(30, 0.05)


def _file_request(sim: Simulation, number: int) -> Client:
    connection = sim.connect("10.62.2.15")
    yield 0.001
    yield binding(sim, connection, f"cn=owncloud,ou=services,{SUFFIX}")
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
    second = sim.connect("10.62.2.15")
    yield 0.001
    wrong = binding(sim, second, person(number), 0.004)
    wrong.error, wrong.culprit = 49, True
    yield wrong
    sim.close(second)
    sim.close(connection)


_MAP_FULL = "MDB_MAP_FULL: Environment mapsize limit reached"
_DATABASE = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcThreads: 16

dn: olcDatabase={{2}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{2}}mdb
olcDbDirectory: /bitnami/openldap/data
olcSuffix: {SUFFIX}
olcRootDN: cn=admin,{SUFFIX}
olcDbMaxSize: 10485760
olcDbCheckpoint: 512 30
olcDbIndex: objectClass eq,pres
olcDbIndex: ou,cn,mail,sn,givenName eq,pres,sub
olcDbIndex: uid,member,entryUUID,entryCSN eq

"""


def write_full_map(folder: Path) -> Waited:
    """The database has reached the size it may have: from then on each change is refused."""
    log = LogOpenLDAP("openldap-0", pid=1)
    sim = Simulation(
        log, utc(2023, 3, 28, 15, 0), 900, seed=213, first_connection=1000, first_fd=12
    )
    for number, name in enumerate(("mail", "portal", "intranet"), start=11):
        reader = application(sim, f"10.62.3.{number}", f"cn={name},ou=services,{SUFFIX}", every=1.2)
        sim.start(0.5 * number, reader)
    sim.start(1, logins(sim, tuple(f"10.62.3.{host}" for host in range(31, 40)), every=4.0))
    sim.start(5, _changes_until_full(sim))
    sim.start(60, _loading(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_DATABASE, "utf-8")
    return sim.waited


_FULL_AT_S = 380


def _changes_until_full(sim: Simulation) -> Client:
    connection = sim.connect("10.62.3.14")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=provisioning,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 7)
        who = person(sim.random.randrange(4000))
        change = Request(connection, "MOD", sim.about(0.005), who, query="description")
        if sim.now - sim.begin > _FULL_AT_S:
            change.error, change.notes, change.culprit = 80, "entry update failed", True
            change.before = (f'mdb_id2entry_put: mdb_put failed: {_MAP_FULL}(-30792) "{who}"',)
        yield change


def _loading(sim: Simulation) -> Client:
    connection = sim.connect("10.62.3.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=admin,{SUFFIX}")
    for number in range(2400):
        entry = Request(connection, "ADD", sim.about(0.006, 0.2), person(5000 + number))
        if sim.now - sim.begin > _FULL_AT_S:
            entry.error, entry.notes, entry.culprit = 80, "index generation failed", True
            entry.before = (f"mdb_idl_insert_keys: c_put id failed: {_MAP_FULL} (-30792)",)
        yield entry
        yield sim.about(0.3)


def write_all_groups(folder: Path) -> Waited:
    """Who is in none of the groups of an application makes it read all the groups there are."""
    log = LogOpenLDAP("ldap5", pid=733)
    sim = Simulation(
        log, utc(2026, 7, 26, 10, 0), 1200, seed=214, first_connection=7000, first_fd=14
    )
    office(sim, network="10.62.4")
    sim.start(6, _imaging_server(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _imaging_server(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 11)
        sim.start(sim.now - sim.begin, _imaging_login(sim, sim.random.random() < 0.25))


def _imaging_login(sim: Simulation, is_member: bool) -> Client:
    number = sim.random.randrange(4000)
    who = person(number)
    connection = sim.connect("10.62.4.30")
    yield 0.001
    yield binding(sim, connection, f"cn=fog,ou=services,{SUFFIX}")
    yield search(sim, connection, PEOPLE, f"(&(objectClass=person)(uid={user(number)}))", 0.0008)
    names = "".join(f"(cn={name})" for name in ("all-staff", "all-techs", "lab-1", "lab-4"))
    mine = f"(&(|{names})(|(member={who})(member={user(number)})))"
    yield search(sim, connection, GROUPS, mine, 0.0015, entries=int(is_member))
    if not is_member:
        took = sim.random.uniform(1.5, 2.1)
        whole = Request(connection, "SRCH", took, GROUPS, 2, "(member=*)", "cn member")
        whole.entries, whole.culprit = 3412, True
        yield whole
    sim.close(connection)


# ---- OpenDJ ----------------------------------------------------------------------------------


def write_since_1970(folder: Path) -> Waited:
    """What changed since 1970 is asked for every five minutes: everything did."""
    log = LogOpenDJJson("10.63.0.2")
    sim = Simulation(log, utc(2026, 2, 16, 9, 0), 1800, workers=24, seed=221, first_connection=50)
    office(sim, network="10.63.0")
    sim.start(140, _changed_users(sim))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


def _changed_users(sim: Simulation) -> Client:
    query = (
        "(&(|(createTimestamp>=19700101000000.0Z)(modifyTimestamp>=19700101000000.0Z))"
        "(objectclass=inetOrgPerson)(objectclass=organizationalPerson))"
    )
    while True:
        begun = sim.now
        connection = sim.connect("10.63.0.50")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=keycloak,ou=services,{SUFFIX}")
        for page in range(23):
            took = sim.random.uniform(0.5, 0.75)
            asked = Request(connection, "SRCH", took, PEOPLE, 2, query)
            asked.attributes = "uid mail sn cn createTimestamp modifyTimestamp entryUUID"
            asked.entries, asked.culprit = 618 if page == 22 else 1000, True
            yield asked
            yield sim.random.uniform(1.6, 2.6)
        sim.close(connection)
        yield 300 - (sim.now - begun)


def write_reapers(folder: Path) -> Waited:
    """Four servers look for expired tokens at the same time, and delete the same ones."""
    log = LogOpenDJ("10.63.1.2")
    sim = Simulation(log, utc(2025, 9, 2, 9, 0), 900, workers=24, seed=222, first_connection=300)
    _token_store(sim, "10.63.1", reapers=4, scan_s=0.42)
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _token_store(sim: Simulation, network: str, *, reapers: int, scan_s: float) -> None:
    """Access managers that add, read and change tokens; some of them delete the expired ones."""
    expired: dict[str, float] = {}
    for number in range(4):
        sim.start(0.5 + number, _access_manager(sim, f"{network}.{11 + number}", expired))
    for number in range(reapers):
        reaper = _reaper(sim, f"{network}.{11 + number}", expired, scan_s, culprit=reapers > 1)
        sim.start(20 + number * 0.04, reaper)


def _access_manager(sim: Simulation, address: str, expired: dict[str, float]) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "uid=openam_cts,ou=admins,dc=cts,dc=example,dc=com")
    while True:
        yield sim.random.expovariate(1 / 1.7)
        token = f"coreTokenId={sim.random.getrandbits(62)},{TOKENS}"
        yield Request(connection, "ADD", sim.about(0.004), token)
        expired[token] = sim.now + 60
        yield sim.about(0.05)
        asked = Request(connection, "SRCH", sim.about(0.0006), token, 0, "(objectClass=*)")
        asked.entries = 1
        yield asked
        yield Request(connection, "MOD", sim.about(0.004), token)


def _reaper(
    sim: Simulation, address: str, tokens: dict[str, float], scan_s: float, *, culprit: bool
) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "uid=openam_cts,ou=admins,dc=cts,dc=example,dc=com")
    while True:
        begun = sim.now
        moment = datetime.fromtimestamp(begun, UTC)
        query = f"(coreTokenExpirationDate<={moment:%Y%m%d%H%M%S}.000Z)"
        took = sim.about(scan_s, 0.1)
        asked = Request(connection, "SRCH", took, TOKENS, 2, query, "coreTokenId")
        seen = [token for token, until in tokens.items() if until <= begun]
        asked.entries, asked.culprit = len(seen), culprit
        yield asked
        for token in seen:
            exists = tokens.pop(token, None) is not None
            delete = Request(connection, "DEL", sim.about(0.006 if exists else 0.0009), token)
            delete.error, delete.culprit = 0 if exists else 32, culprit
            yield delete
        yield 30 - (sim.now - begun)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_sync(folder: Path) -> Waited:
    """A 389 DS of which an application asks what changed since last time; replication listens."""
    log = Log389("2.5.3", "ds7.example.com", "10.64.0.2")
    sim = Simulation(log, utc(2025, 11, 4, 9, 0), 1800, seed=231)
    office(sim, network="10.64.0", pace=1.3)
    sim.start(1, following(sim, "10.64.0.3", f"cn=sync,{SUFFIX}", SUFFIX, "(objectClass=*)"))
    sim.start(30, _changed_since(sim))
    sim.start(9, application(sim, "10.64.0.19", f"cn=wiki,ou=services,{SUFFIX}", every=2.2))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _changed_since(sim: Simulation) -> Client:
    connection = sim.connect("10.64.0.50")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=keycloak,ou=services,{SUFFIX}")
    while True:
        moment = datetime.fromtimestamp(sim.now - 600, UTC)
        query = f"(&(objectClass=inetOrgPerson)(modifyTimestamp>={moment:%Y%m%d%H%M%S}Z))"
        changed = 20 + sim.random.randrange(60)
        yield search(sim, connection, PEOPLE, query, 0.004, entries=changed)
        yield 600


def write_healthy_tokens(folder: Path) -> Waited:
    """An OpenDJ with the tokens of access managers, of which one deletes the expired ones."""
    log = LogOpenDJJson("10.64.1.2")
    sim = Simulation(log, utc(2025, 9, 9, 9, 0), 900, workers=24, seed=232, first_connection=300)
    _token_store(sim, "10.64.1", reapers=1, scan_s=0.004)
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


BATCH = Batch(
    "batch5",
    cases=(
        Case(
            "branches_moved",
            "MODRDN may hit performance issue when moving subtree (2026)",
            "https://github.com/389ds/389-ds-base/issues/7190",
            DS,
            "a move of a whole branch rewrites all entries below it, and other changes wait for it",
            f"{RENAMES}|{BLOCKS}|{STANDS_OUT}",
            (RENAMES, r"ou=(sales|field|labs|former)|10\.60\.0\.16|hr-sync"),
            r"quiet|off.peak|maintenance window|at night|outside|smaller|in parts|in portions|"
            r"few(er)? entries|one (entry|person|by one)|batch|dsEntryDN|7190|upgrade|update",
            write_moves,
            share=0.84,
            accused=(DISK, THREADS, BLAMES_AN_INDEX),
        ),
        Case(
            "map_for_one_key",
            "autofs: do not enumerate when only single entry is requested (2019)",
            "https://github.com/SSSD/sssd/pull/875",
            DS,
            "for one home directory each host reads the whole automount map of 7,437 keys",
            rf"automount|autofs|enumerat|whole|entire|{ALL_OF_IT}|{STANDS_OUT}|{AGAIN}",
            (
                r"automount",
                ALL_OF_IT,
                r"sssd|autofs|\b\d+ (clients|hosts|addresses|connections)|10\.61\.0\.\d|node\d\d",
            ),
            r"sssd|autofs|only the (key|entry|entries)|one key|by its key|name the key|"
            r"fewer entries|cache|narrow|longer|less often",
            write_automounts,
            share=0.98,
            accused=(INDEX_ADVICE, BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "clock_set_back",
            "CSN time-skew limit: a clock that was set back refuses all writes (2026)",
            "https://github.com/389ds/389-ds-base/issues/7677",
            DS,
            "the clock was set back by over a day: no change number, so each change fails",
            rf"clock|time.?skew|\bcsn|change number|{REFUSED}",
            (
                r"clock|time.?skew|\bcsn|csngen|change number|adjust(ment|ing)? (limit|of time)|"
                r"limit exceeded",
                r"write|chang|modif|\bMODs?\b|\bADDs?\b|update",
            ),
            r"ignore-time-skew|clock|chrony|\bntp|time.?skew|the time",
            write_clock,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "sort_refused",
            "CA Server fails to restart: PagedList search fails due to LDAP limits (2025)",
            "https://github.com/dogtagpki/pki/issues/5171",
            DS,
            "a sorted search for certificates exceeds the ID list limit and is refused: error 53",
            rf"{REFUSED}|\bsort|scan ?limit|id ?list",
            (
                r"certificateRepository|certStatus|serialno",
                UNWILLING,
                r"\bsort|scan ?limit|id ?list",
            ),
            r"idlistscanlimit|\bvlv\b|virtual list|without (the )?sort|sort control",
            write_sort,
            accused=(r"index add[^\n]*certStatus", DISK, THREADS),
        ),
        Case(
            "schema_at_each_login",
            "ldap auth will grab the whole schema needlessly, every time (2025)",
            "https://github.com/Kozea/Radicale/issues/1789",
            OPENLDAP,
            "a calendar server reads the whole schema over each of its short connections",
            rf"schema|{STANDS_OUT}|{AGAIN}",
            (r"schema", r"10\.62\.1\.40|radicale"),
            r"get_info|schema|cache|\bonce\b|keep|pool|reuse",
            write_schema,
            share=0.90,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "app_passwords_refused",
            "LDAP + App passwords causes failed login attempts on the LDAP server (2018)",
            "https://github.com/owncloud/user_ldap/issues/167",
            OPENLDAP,
            "one application tries passwords the directory does not know: 100 % of them fail",
            rf"{WRONG_PASSWORD}|{REFUSED}",
            (
                WRONG_PASSWORD,
                r"\bbind|log ?in|sign.?in|authenticat",
                r"10\.62\.2\.15|owncloud",
            ),
            r"app(lication)?.?password|token|"
            r"(stored|saved|old|wrong|new|right|correct|their|the) password|"
            r"lock(ed|s|out)|throttl|credentials",
            write_app_passwords,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "map_is_full",
            "MDB_MAP_FULL: Environment mapsize limit reached (2023)",
            "https://github.com/bitnami/containers/issues/28630",
            OPENLDAP,
            "the database has reached its maximum size of 10 MiB: each change fails since",
            rf"\bfull\b|map ?size|max(imum)? ?size|olcDbMaxSize|no (more )?(space|room)|{REFUSED}",
            (
                r"MDB_MAP_FULL|map.?(is )?full|map ?size|olcDbMaxSize|max(imum)? ?size|"
                r"database (is|was|has become) full|(limit|end) of its size|(size|its) limit",
                r"write|chang|\badd|modif|update|import|stor(e|ed|ing)",
            ),
            r"olcDbMaxSize|\bmaxsize|larger|raise|grow",
            write_full_map,
            accused=(BLAMES_AN_INDEX, r"checkpoint|slow disk", THREADS),
        ),
        Case(
            "all_groups_for_nothing",
            "LDAP: every no-match login enumerates the entire group tree (2026)",
            "https://github.com/FOGProject/fogproject/issues/891",
            OPENLDAP,
            "logins of people in no group of an application make it read all 3,412 groups",
            rf"\(member=\*\)|presence|{ALL_OF_IT}|{STANDS_OUT}",
            (r"member=\*|member=\?|presence|ou=groups|groups", ALL_OF_IT, r"10\.62\.4\.30|\bfog\b"),
            r"\bfog\b|fallback|narrow|fewer|only the (groups|attributes|entries)|name the group|"
            r"instead of|more exact|specific|member=(the )?DN|cache|page",
            write_all_groups,
            share=0.96,
            accused=(INDEX_ADVICE, BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "since_1970",
            "Periodic Changed User Sync not respecting last updated timestamp (2026)",
            "https://github.com/keycloak/keycloak/issues/46367",
            OPENDJ,
            "what changed since 1970 is asked for every 5 minutes, so that all users are read",
            rf"1970|Timestamp|>=|{ALL_OF_IT}|{STANDS_OUT}|{AGAIN}",
            (
                r"1970|Timestamp",
                rf"{ALL_OF_IT}|{AGAIN}",
                r"10\.63\.0\.50|keycloak",
            ),
            r"keycloak|last ?sync|since (the )?last|what (has )?changed|less often|increment|"
            r"longer (period|interval)|upgrade|update|later (date|time)",
            write_since_1970,
            share=0.94,
            accused=(INDEX_ADVICE, BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "reapers_compete",
            "TTL plugin: reapers of all servers compete and send duplicate deletes (2025)",
            "https://github.com/WrenSecurity/wrends/issues/92",
            OPENDJ,
            "four servers look for the same expired tokens and delete them: 3 of 4 deletes fail",
            rf"delet|{NO_SUCH}|coreToken|duplicate|same (entr|token)|{REFUSED}",
            (
                r"delet|\bDELs?\b",
                rf"{NO_SUCH}|same (entr|token)|duplicate|twice|compet",
                r"10\.63\.1\.1[1-4]|openam_cts|coreToken|famrecords|\b(4|four) (clients|servers)",
            ),
            r"reaper|only one|one (instance|of (them|the)|client|server|address)|single|\bttl\b|"
            r"take turns|clean.?up|stagger",
            write_reapers,
            share=0.79,
            accused=(INDEX_ADVICE, BLAMES_AN_INDEX, DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_sync", "changes since last time", DS, write_healthy_sync),
        Healthy(
            "healthy_tokens", "tokens, and one that deletes them", OPENDJ, write_healthy_tokens
        ),
    ),
)
