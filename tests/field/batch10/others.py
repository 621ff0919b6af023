"""The tenth ten, OpenLDAP and OpenDJ: stopped every 5 minutes, and changes that are not taken."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.batch9.others import CHANGES
from tests.field.case import DISK, INDEX_ADVICE, OPENDJ, OPENLDAP, THREADS, Case, Healthy
from tests.field.dialects import Lines, LogOpenDJ, LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
    application,
    binding,
    changes,
    logins,
    office,
    person,
    search,
    user,
)

STOPPED = (
    r"restart|start(s|ed|ing)? (again|anew)|\bstop(s|ped|ping)?\b|shut ?s? ?down|terminat|crash|"
    r"\bkill|(goes|went|was|is) down|outage|interrupt|new process"
)
EXPIRED = r"expir|ppolicy|password polic(y|ies)|pwdMaxAge|password age|passwords? .{0,20}too old"
WRITES = ("ADD", "MOD", "DEL", "MODRDN")
PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1"


def _applications(sim: Simulation, network: str) -> None:
    """Three applications that only read."""
    for number, (name, every) in enumerate(
        (("mail", 0.9), ("portal", 1.4), ("intranet", 1.8)), start=11
    ):
        dn = f"cn={name},ou=services,{SUFFIX}"
        sim.start(0.5 * number, application(sim, f"{network}.{number}", dn, every=every))


# ---- stopped by systemd ----------------------------------------------------------------------

_UNIT = "LSB: OpenLDAP standalone server (Lightweight Directory Access Protocol)"
_LIVES = ((251.0, 2.1), (300.0, 41.4), (300.0, 37.2), (300.0, 44.8), (300.0, 39.5), (184.0, 0.0))
"""How long slapd runs, and how long it is away until the supervisor starts it again."""


class _LogOfLives(LogOpenLDAP):
    """Syslog of a host on which slapd is started and stopped."""

    def __init__(self, host: str, *, pid: int) -> None:
        super().__init__(host, pid=pid, old=True)
        self._open: dict[int, Connection] = {}

    def opened(self, at: float, connection: Connection) -> None:
        super().opened(at, connection)
        self._open[connection.number] = connection

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        super().closed(at, connection, clean)
        self._open.pop(connection.number, None)

    def begins(self, at: float, pid: int) -> None:
        self._system(at, f"Starting {_UNIT}...")
        self._pid = pid
        self._open.clear()
        maintainers = "Debian OpenLDAP Maintainers <pkg-openldap-devel@lists.alioth.debian.org>"
        banner = "@(#) $OpenLDAP: slapd  (May 23 2018 04:25:19) $"
        self.line(at + 0.06, f"{banner}#012#011{maintainers}")
        self.line(at + 0.5, "slapd starting")

    def ends(self, at: float, *, in_vain: bool) -> None:
        """systemd stops slapd, because it was asked to or because the start never ended."""
        timed_out = "slapd.service: Start operation timed out. Terminating."
        self._system(at, timed_out if in_vain else f"Stopping {_UNIT}...")
        self.line(at + 0.01, "daemon: shutdown requested and initiated.")
        for connection in self._open.values():
            head = f"conn={connection.number} fd={connection.fd}"
            self.line(at + 0.02, f"{head} closed (slapd shutdown)")
        self.line(at + 0.03, "slapd shutdown: waiting for 0 operations/tasks to finish")
        self.line(at + 0.07, "slapd stopped.")
        if in_vain:
            self._system(at + 0.09, f"Failed to start {_UNIT}.")

    def _system(self, at: float, text: str) -> None:
        moment = datetime.fromtimestamp(at, UTC)
        stamp = f"{moment:%b} {moment.day:2d} {moment:%H:%M:%S}"
        self.add(at, f"{stamp} {self._host} systemd[1]: {text}")


def write_debug_options(folder: Path) -> Waited:
    """With -d slapd stays in the foreground: after 5 minutes systemd takes its start for failed."""
    log = _LogOfLives("home", pid=803)
    at, waited = utc(2019, 8, 10, 12, 6), Waited()
    for life, (seconds, away) in enumerate(_LIVES):
        if life:
            log.begins(at, 4462 + 1807 * life)
        number = 1000 if life else 48_300
        seed = 660 + life
        sim = Simulation(log, at + 0.6, seconds - 0.6, seed=seed, first_connection=number)
        office(sim, network="10.110.0", pace=1.1)
        waited.total += sim.run().total
        at += seconds
        if away:
            log.ends(at, in_vain=life > 0)
        at += away
    log.write(folder / "syslog")
    return waited


# ---- passwords are changed at a consumer -----------------------------------------------------

_CONSUMER = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: stats

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcSyncrepl: {{0}}rid=002 provider=ldap://ldap1.example.com type=refreshAndPersist
  searchbase="{SUFFIX}" bindmethod=simple binddn="cn=replicant,ou=services,{SUFFIX}"
  credentials=hidden retry="60 +" starttls=critical
olcUpdateRef: ldap://ldap1.example.com
olcDbMaxSize: 1073741824
olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq

"""
AUTHELIA, AUTHELIA_DN = "10.111.0.30", f"cn=authelia,ou=services,{SUFFIX}"


class _LogOfPasswords(LogOpenLDAP):
    """Whose password an extended operation changes has a line of its own."""

    def _requests(self, request: Request) -> list[str]:
        lines = super()._requests(request)
        if request.query == PASSWORD_MODIFY:
            lines.append(f'PASSMOD id="{request.dn}" new')
        return lines


def write_referred_passwords(folder: Path) -> Waited:
    """A consumer refers all changes of passwords to the provider, where the client never goes."""
    log = _LogOfPasswords("ldap2", pid=744, old=True)
    sim = Simulation(
        log, utc(2022, 10, 18, 9, 0), 1800, seed=670, first_connection=30_400, first_fd=14
    )
    _applications(sim, "10.111.0")
    hosts = tuple(f"10.111.0.{number}" for number in range(41, 53))
    sim.start(1, logins(sim, hosts, every=3))
    sim.start(12, _portal(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_CONSUMER, "utf-8")
    return sim.waited


def _portal(sim: Simulation) -> Client:
    """People log in, and now and then somebody wants a new password."""
    while True:
        yield sim.random.expovariate(1 / 11)
        number = sim.random.randrange(4000)
        resets = sim.random.random() < 0.3
        sim.start(sim.now - sim.begin, _visit(sim, number, resets=resets))


def _visit(sim: Simulation, number: int, *, resets: bool) -> Client:
    for _ in range(sim.random.randrange(1, 4) if resets else 1):
        lookup = sim.connect(AUTHELIA)
        yield 0.002
        yield binding(sim, lookup, AUTHELIA_DN)
        yield search(sim, lookup, PEOPLE, f"(uid={user(number)})", 0.0006)
        sim.close(lookup)
        connection = sim.connect(AUTHELIA)
        yield 0.002
        yield binding(sim, connection, AUTHELIA_DN if resets else person(number))
        if resets:
            change = Request(connection, "EXT", sim.about(0.0005), person(number))
            change.query, change.error, change.culprit = PASSWORD_MODIFY, 10, True
            yield change
        sim.close(connection)
        yield sim.random.uniform(14, 40)


# ---- passwords that are too old --------------------------------------------------------------

_POLICY = f"""dn: cn=module{{0}},cn=config
objectClass: olcModuleList
cn: module{{0}}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {{0}}back_mdb
olcModuleLoad: {{1}}ppolicy

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcSizeLimit: 500
olcDbMaxSize: 2147483648
olcDbIndex: objectClass,uid,member,entryUUID,entryCSN eq
olcDbIndex: cn,sn,givenName,mail eq,sub

dn: olcOverlay={{0}}ppolicy,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcPPolicyConfig
olcOverlay: {{0}}ppolicy
olcPPolicyDefault: cn=default,ou=policies,{SUFFIX}
olcPPolicyHashCleartext: TRUE

"""


def _too_old(number: int, grace: int) -> tuple[str]:
    """What ppolicy says of a password that is past its time."""
    return (f"ppolicy_bind: Entry {person(number)} has an expired password: {grace} grace logins",)


def write_expired_passwords(folder: Path) -> Waited:
    """A fifth of the people have expired passwords, and the portal only says that they fail."""
    log = LogOpenLDAP("ldap5", pid=1181)
    sim = Simulation(
        log, utc(2023, 8, 7, 8, 0), 1800, seed=671, first_connection=18_700, first_fd=14
    )
    _applications(sim, "10.112.0")
    provisioning = f"cn=provisioning,ou=services,{SUFFIX}"
    sim.start(2, changes(sim, "10.112.0.14", provisioning, every=11))
    sim.start(3, _sign_ins(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_POLICY, "utf-8")
    return sim.waited


def _sign_ins(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 3.6)
        sim.start(sim.now - sim.begin, _sign_in(sim, sim.random.randrange(4000)))


def _sign_in(sim: Simulation, number: int) -> Client:
    """The portal looks the person up and binds as them; who fails tries again."""
    expired = number % 11 in (3, 7)
    for _ in range(sim.random.randrange(2, 5) if expired else 1):
        lookup = sim.connect("10.112.0.30")
        yield 0.002
        yield binding(sim, lookup, f"cn=pwmanager,ou=services,{SUFFIX}")
        yield search(sim, lookup, PEOPLE, f"(uid={user(number)})", 0.0006)
        check = sim.connect("10.112.0.30")
        yield 0.002
        bind = binding(sim, check, person(number), 0.0026)
        if expired:
            bind.error, bind.before, bind.culprit = 49, _too_old(number, 0), True
        yield bind
        sim.close(check)
        sim.close(lookup)
        yield sim.random.uniform(6, 25)


# ---- too little room on the disk -------------------------------------------------------------

_LITTLE_ROOM = f"""dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config
objectClass: ds-cfg-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: userRoot
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {SUFFIX}
ds-cfg-db-directory: db
ds-cfg-disk-low-threshold: 200 mb
ds-cfg-disk-full-threshold: 100 mb
ds-cfg-index-entry-limit: 4000

"""
_FREE_DISK = 5_368_709_120
"""Bytes that must be free for the database to take a change, unless je.freeDisk says otherwise."""


class _LogWithMessages(LogOpenDJ):
    """What is refused has its reason in the line of the result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if not request.error or not request.notes:
            super().answered(at, request, queued, worked)
            return
        result = f'result={request.error} message="{request.notes}"'
        etime = round((queued + worked) * 1000)
        self.line(at, f"{self._head(request, 'RES')} {result} etime={etime}")


class _FillingDisk(Simulation):
    """Logs and other files grow, until the database finds less room than it wants."""

    full_s = 510.0

    def _serve(self, request: Request, client: Client) -> None:
        since = self.now - self.begin - self.full_s
        if request.kind in WRITES and request.dn.endswith(SUFFIX) and since >= 0:
            missing = 4096 * (3 + int(since * 17))
            request.error, request.culprit, request.took = 80, True, self.about(0.0018)
            request.notes = (
                "com.sleepycat.je.DiskLimitException: (JE 7.5.11) Disk usage is not within "
                "je.maxDisk or je.freeDisk limits and write operations are prohibited: "
                f"maxDiskLimit=0 freeDiskLimit={_FREE_DISK:,} adjustedMaxDiskLimit=0 "
                f"maxDiskOverage=0 freeDiskShortage={missing:,} "
                f"diskFreeSpace={_FREE_DISK - missing:,} availableLogSize=-{missing:,}"
            )
        super()._serve(request, client)


def write_filling_disk(folder: Path) -> Waited:
    """Less than 5 GiB of the disk are free: from then on the database refuses each change."""
    log = _LogWithMessages("10.113.0.2")
    sim = _FillingDisk(
        log, utc(2019, 2, 28, 15, 0), 1500, workers=24, seed=672, first_connection=5100
    )
    office(sim, network="10.113.0", pace=1.4)
    desk = f"cn=helpdesk,ou=services,{SUFFIX}"
    sim.start(3, changes(sim, "10.113.0.17", desk, every=4))
    sim.run()
    log.write(folder / "access")
    (folder / "config.ldif").write_text(_LITTLE_ROOM, "utf-8")
    return sim.waited


# ---- no replication server -------------------------------------------------------------------

OPENAM = "dc=openam,dc=forgerock,dc=org"
_TOKENS = f"ou=famrecords,ou=openam-session,ou=tokens,{OPENAM}"
_SYNCHRONIZATION = "cn=Multimaster Synchronization,cn=Synchronization Providers,cn=config"
_DOMAIN = OPENAM.replace(",", "\\,")
_ISOLATED = f"""dn: cn={_DOMAIN},cn=domains,{_SYNCHRONIZATION}
objectClass: ds-cfg-replication-domain
cn: {OPENAM}
ds-cfg-base-dn: {OPENAM}
ds-cfg-server-id: 14
ds-cfg-replication-server: am1.example.com:58989
ds-cfg-isolation-policy: reject-all-updates

dn: cn=replication server,{_SYNCHRONIZATION}
objectClass: ds-cfg-replication-server
cn: replication server
ds-cfg-replication-port: 58989
ds-cfg-replication-server-id: 24
ds-cfg-replication-db-directory: changelogDb
ds-cfg-replication-server: am1.example.com:58989

"""


class _Isolated(Simulation):
    """A directory that takes no change as long as it knows no replication server."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind in WRITES and request.dn.endswith(OPENAM):
            request.error, request.culprit, request.took = 53, True, self.about(0.0006)
            request.notes = (
                f"The Replication is configured for suffix {OPENAM} but was not able to connect "
                "to any Replication Server"
            )
        super()._serve(request, client)


def write_isolated(folder: Path) -> Waited:
    """The replication server cannot read its changelog after a restart: no change is taken."""
    log, errors = _LogWithMessages("10.114.0.2", 50636), Lines()
    sim = _Isolated(log, utc(2019, 5, 7, 13, 0), 1500, workers=24, seed=673, first_connection=0)
    office(sim, network="10.114.0", people=f"ou=people,{OPENAM}")
    sim.start(2, _sessions(sim))
    moment = datetime.fromtimestamp(sim.begin - 2, UTC)
    errors.add(
        sim.begin - 2,
        f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] category=SYNC severity=ERROR msgID=11 msg=The "
        "replication server failed to start because the database /opt/opends/changelogDb could "
        "not be read",
    )
    sim.run()
    log.write(folder / "access")
    errors.write(folder / "errors")
    (folder / "config.ldif").write_text(_ISOLATED, "utf-8")
    return sim.waited


def _sessions(sim: Simulation) -> Client:
    """OpenAM wants to keep sessions, and to forget others."""
    connection = sim.connect("10.114.0.20")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    while True:
        yield sim.random.expovariate(1 / 1.6)
        token = f"coreTokenId={sim.random.getrandbits(64):016x},{_TOKENS}"
        kind = sim.random.choice(("ADD", "ADD", "DEL"))
        yield Request(connection, kind, sim.about(0.006), token)


# ---- healthy ---------------------------------------------------------------------------------


def write_reminder_day(folder: Path) -> Waited:
    """After a reminder people change passwords; an address book shows the first 20 it finds."""
    log = _LogOfPasswords("ldap6", pid=1216)
    sim = Simulation(log, utc(2024, 1, 8, 9, 0), 1500, seed=674, first_connection=7300, first_fd=14)
    office(sim, network="10.115.0", pace=0.9)
    sim.start(8, _address_book(sim))
    for turn in range(9):
        sim.start(90 + 150 * turn, _reminded(sim, 173 + 411 * turn, turn))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_POLICY, "utf-8")
    return sim.waited


def _address_book(sim: Simulation) -> Client:
    """Suggests names while somebody writes a mail; it asks for 20 at most, and often gets them."""
    connection = sim.connect("10.115.0.24")
    yield 0.002
    yield binding(sim, connection, f"cn=webmail,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 16)
        letters = user(sim.random.randrange(4000))[:4]
        names = f"(|(cn={letters}*)(sn={letters}*)(mail={letters}*))"
        found = search(sim, connection, PEOPLE, names, 0.004)
        found.entries = sim.random.choice((3, 7, 20, 11))
        found.error = 4 if found.entries == 20 else 0
        yield found


def _reminded(sim: Simulation, number: int, turn: int) -> Client:
    """Somebody logs in, some on their last days of grace, and chooses a new password."""
    address = f"10.115.0.{60 + turn}"
    for wrong in (True, False) if turn in (2, 6) else (False,):
        connection = sim.connect(address)
        yield 0.002
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error = 49 if wrong else 0
        if turn in (1, 5) and not wrong:
            bind.before = _too_old(number, 3)
        yield bind
        if wrong:
            sim.close(connection)
            yield sim.random.uniform(6, 14)
    for short in (True, False) if turn in (3, 4) else (False,):
        yield sim.random.uniform(9, 30)
        change = Request(connection, "EXT", sim.about(0.009), person(number))
        change.query, change.error = PASSWORD_MODIFY, 19 if short else 0
        yield change
    sim.close(connection, clean=turn != 7)


NOT_SLOW = (BLAMES_AN_INDEX, INDEX_ADVICE, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "stopped_by_systemd",
        "Slapd failed to restart in debug mode (2019)",
        "https://github.com/progmaticltd/homebox/issues/202",
        OPENLDAP,
        "with -d slapd stays in the foreground, so that systemd takes the start for failed and "
        "stops it after 5 minutes, again and again",
        STOPPED,
        (
            r"\b5 min|five min|\b300(\.\d+)? ?s|\b(four|five|[3-9]) (times|(re)?starts|stops)|"
            r"again and again|every (\d|five|few)|repeatedly|systemd|start\w* timed out",
        ),
        r"systemd|unit file|service (manager|file|unit)|journal|(option|with|without) -d\b|debug|"
        r"foreground|Timeout(Start)?Sec|(who|what) (stop|start)|watchdog|supervis|who or what",
        write_debug_options,
        accused=(*NOT_SLOW, DISK),
    ),
    Case(
        "passwords_at_a_consumer",
        "Password Reset not functional (LDAP referral) (2022)",
        "https://github.com/authelia/authelia/issues/4199",
        OPENLDAP,
        "a portal changes passwords at a read-only consumer, which refers it to the provider (10)",
        rf"referr|consumer|replica|read-?only|shadow|provider|{REFUSED}|err\w*\W*10\b|\b10 \(",
        (
            r"referr|err\w*\W*10\b|\(10\)|\b10 \(|(code|result|with)\W*10\b",
            r"10\.111\.0\.30|authelia|password",
        ),
        r"provider|supplier|primary|master|referral|updateref|\bchain|follow|other server|"
        r"server that takes|writable",
        write_referred_passwords,
        accused=(*NOT_SLOW, DISK, r"wrong passwords?|invalid credentials"),
    ),
    Case(
        "passwords_expired",
        "Support for password expiration (2020)",
        "https://github.com/authelia/authelia/issues/1284",
        OPENLDAP,
        "a fifth of the people cannot log in (49), since the password policy says theirs expired",
        EXPIRED,
        (EXPIRED, r"\bbinds?\b|log ?ins?\b|sign.?ins?\b|\b49\b"),
        r"pwdMaxAge|grace|new passwords?|reset|renew|password polic|ppolicy|pwdExpireWarning|warn|"
        r"chang\w* (the|their|its|a|these|expired)? ?(\w+ )?passwords?|passwords? .{0,20}chang",
        write_expired_passwords,
        accused=(*NOT_SLOW, DISK, r"wrong passwords?|\bguess|brute.?force|attack"),
    ),
    Case(
        "too_little_room",
        "The database environment could not be opened: com.sleepycat.je.DiskLimitException (2019)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/53",
        OPENDJ,
        "less than 5 GiB of the disk are free, and the database refuses each change (80)",
        rf"\bdisk|\bspace\b|\bfull\b|DiskLimit|freeDisk|{REFUSED}",
        (
            r"DiskLimit|freeDisk|free (disk|space)|disk (space|usage|limit)|(space|room) (on|left)|"
            r"full disk|disk.{0,20}\b(full|free|space|room)\b",
            CHANGES,
        ),
        r"\bspace|\broom\b|larger disk|disk usage|freeDisk|(free|clear|delete|move).{0,30}disk",
        write_filling_disk,
        accused=(*NOT_SLOW, HEAP, r"checkpoint|slow disk"),
    ),
    Case(
        "no_replication_server",
        "Unable to change settings due to changelogDb issue of embedded DJ (2019)",
        "https://github.com/openam-jp/openam/issues/81",
        OPENDJ,
        "the replication server cannot read its changelog after a restart, so that the directory "
        "finds none and refuses each change (53)",
        rf"replica|changelog|isolat|unwilling|\b53\b|{REFUSED}",
        (r"replica|changelog|isolat", CHANGES),
        r"replica|changelog|isolation.?policy",
        write_isolated,
        accused=(*NOT_SLOW, DISK, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_reminder_day",
        "people change passwords after a reminder, and an address book wants 20 names at most",
        OPENLDAP,
        write_reminder_day,
    ),
)
