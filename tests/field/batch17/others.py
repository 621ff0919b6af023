"""The seventeenth ten, OpenLDAP and OpenDJ: an old CA, members, a name, a denial, idlers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.case import (
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
from tests.field.dialects import Lines, LogOpenDJ, LogOpenDJJson, LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
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

SERVICES = f"ou=services,{SUFFIX}"
IN_TURN = rf"{FOLLOWS}|in a row|in turn|in sequence|sequential|\bseries\b|\bchains?\b"
"""One search after another, each for a different thing."""
_WRITES = ("ADD", "MOD", "DEL", "MODRDN")


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


# ---- the CA that came with the image ---------------------------------------------------------

PEER = "10.211.0.3"
_RETRY_S = 60.0


class _BreaksOff(LogOpenLDAP):
    """Connections of the peer end in the handshake that follows its StartTLS."""

    def asked(self, at: float, request: Request) -> None:
        super().asked(at, request)
        if request.kind == "EXT":
            self.line(at, f"conn={request.connection.number} op={request.number} STARTTLS")

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if connection.address != PEER:
            super().closed(at, connection, clean)
            return
        head = f"conn={connection.number} fd={connection.fd}"
        self.line(at, f"{head} closed (TLS negotiation failure)")


def write_expired_ca(folder: Path) -> Waited:
    """Started again after two years, two suppliers no longer trust the certificate of the other."""
    log = _BreaksOff("ldap-a", pid=612, old=True)
    sim = Simulation(
        log, utc(2022, 1, 27, 7, 30), 1800, seed=1720, first_connection=1000, first_fd=12
    )
    log.line(sim.begin - 4, "@(#) $OpenLDAP: slapd  (Jun 24 2019 12:40:06) $")
    log.line(sim.begin - 3, "slapd starting")
    office(sim, network="10.211.0", pace=1.5)
    sim.start(4, application(sim, "10.211.0.18", f"cn=phones,{SERVICES}", every=1.1))
    sim.start(0.4, _consumer(sim, log))
    sim.start(21, _provider(sim))
    sim.run()
    log.write(folder / "slapd.log")
    certificates = "/container/service/slapd/assets/certs"
    config = _mdb(
        "olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq",
        "olcSyncrepl: {0}rid=101 provider=ldap://ldap-b.example.com "
        f'binddn="cn=admin,{SUFFIX}" bindmethod=simple credentials=hidden searchbase="{SUFFIX}" '
        'type=refreshAndPersist retry="60 +" timeout=1 starttls=critical',
        "olcMirrorMode: TRUE",
        top=(
            f"olcTLSCACertificateFile: {certificates}/ca.crt\n"
            f"olcTLSCertificateFile: {certificates}/ldap.crt\nolcServerID: 1\n"
        ),
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _consumer(sim: Simulation, log: LogOpenLDAP) -> Client:
    """What the server says of its own attempts to follow the other one."""
    while True:
        log.line(
            sim.now,
            "slap_client_connect: URI=ldap://ldap-b.example.com Error, ldap_start_tls failed (-1)",
        )
        log.line(sim.now + 2e-4, "do_syncrepl: rid=101 rc -1 retrying")
        yield _RETRY_S + sim.random.uniform(0, 0.03)


def _provider(sim: Simulation) -> Client:
    """The attempts of the other one, which sees a certificate it does not trust."""
    while True:
        connection = sim.connect(PEER)
        yield 0.0007
        yield Request(connection, "EXT", 0.0004, query="1.3.6.1.4.1.1466.20037")
        yield 0.006
        sim.close(connection, clean=False)
        yield _RETRY_S + sim.random.uniform(0, 0.03)


# ---- all members of the group of somebody who logs in ----------------------------------------

_MEMBERS = 2300
_MINE = "objectClass uid userPassword uidNumber gidNumber gecos homeDirectory loginShell cn"


def write_members_at_login(folder: Path) -> Waited:
    """At the first login on a host all members of each group of the person are read."""
    log = LogOpenLDAP("ldap3", pid=1_402, handshake_s=0.005)
    sim = Simulation(
        log, utc(2023, 10, 12, 9, 0), 1500, seed=1721, first_connection=7_310, first_fd=15
    )
    office(sim, network="10.212.0", pace=0.6)
    for number, begin in enumerate((140, 395, 610, 905, 1160)):
        sim.start(begin, _first_login(sim, f"10.212.3.{21 + number}", 37 * number + 5))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        "olcDbIndex: objectClass,uid,uidNumber,gidNumber,mail,cn,member,entryUUID,entryCSN eq"
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _first_login(sim: Simulation, address: str, number: int) -> Client:
    """SSSD of a host with an empty cache: the person, the groups, and whoever else is in them."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=sssd,{SERVICES}")
    query = f"(&(uid={user(number)})(objectclass=posixAccount)(&(uidNumber=*)(!(uidNumber=0))))"
    yield search(sim, connection, PEOPLE, query, 0.0009)
    groups = search(
        sim,
        connection,
        GROUPS,
        f"(&(member={person(number)})(objectclass=posixGroup)(cn=*))",
        0.004,
        entries=2,
    )
    groups.attributes = "objectClass cn userPassword gidNumber member modifyTimestamp"
    yield groups
    for member in range(_MEMBERS):
        who = person((member * 3 + number) % 4000)
        other = Request(connection, "SRCH", sim.about(0.0021), who, 0, "(objectclass=posixAccount)")
        other.attributes, other.entries, other.culprit = _MINE, 1, True
        yield other
        yield sim.about(0.0014)


# ---- the name of the address, before the first word ------------------------------------------

ACCESS = "10.213.0.20"
_RESOLVER_S = 5.0


class _LateHandshake(LogOpenLDAP):
    """The handshake of one client begins only when its resolver has given up."""

    def opened(self, at: float, connection: Connection) -> None:
        if connection.address != ACCESS:
            super().opened(at, connection)
            return
        head = f"conn={connection.number} fd={connection.fd}"
        where = f"IP={connection.address}:{connection.port} (IP=0.0.0.0:636)"
        self.line(at, f"{head} ACCEPT from {where}")
        self.line(
            at + _RESOLVER_S + 0.0052,
            f"{head} TLS established tls_ssf=256 ssf=256 tls_proto=TLSv1.3 "
            "tls_cipher=TLS_AES_256_GCM_SHA384",
        )


def write_late_handshake(folder: Path) -> Waited:
    """A portal asks DNS for the name of the address before it says anything: 5 s, each time."""
    log = _LateHandshake("ldap-edge", pid=921, handshake_s=0.004)
    sim = Simulation(
        log, utc(2021, 9, 21, 8, 30), 1500, seed=1722, first_connection=30_415, first_fd=16
    )
    office(sim, network="10.213.0", pace=1.4)
    sim.start(3, _signs_on(sim))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb("olcDbIndex: objectClass,uid,mail,cn,member,entryUUID,entryCSN eq")
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _signs_on(sim: Simulation) -> Client:
    """People sign on at the portal."""
    while True:
        yield sim.random.expovariate(1 / 4)
        sim.start(sim.now - sim.begin, _sign_on(sim, sim.random.randrange(4000)))


def _sign_on(sim: Simulation, number: int) -> Client:
    """Who is it, and is this the password: a connection for each of the two."""
    for dn in (f"cn=access,{SERVICES}", person(number)):
        connection = sim.connect(ACCESS)
        yield _RESOLVER_S + 0.0064
        yield binding(sim, connection, dn, 0.0024)
        if dn.startswith("cn="):
            query = f"(&(uid={user(number)})(objectClass=inetOrgPerson))"
            yield search(sim, connection, PEOPLE, query, 0.0008)
        sim.close(connection)
        yield sim.about(0.01)


# ---- a peer that cannot be reached -----------------------------------------------------------

_BACK_S = 1260.0
_SYNCHRONIZATION = "cn=Multimaster Synchronization,cn=Synchronization Providers,cn=config"
_DOMAIN = SUFFIX.replace(",", "\\,")
_TWO_PEERS = f"""dn: cn={_DOMAIN},cn=domains,{_SYNCHRONIZATION}
objectClass: ds-cfg-replication-domain
cn: {SUFFIX}
ds-cfg-base-dn: {SUFFIX}
ds-cfg-server-id: 15265
ds-cfg-replication-server: dj1.example.com:8989
ds-cfg-replication-server: dj2.example.com:8989
ds-cfg-isolation-policy: reject-all-updates

dn: cn=replication server,{_SYNCHRONIZATION}
objectClass: ds-cfg-replication-server
cn: replication server
ds-cfg-replication-port: 8989
ds-cfg-replication-server-id: 25602
ds-cfg-replication-db-directory: changelogDb
ds-cfg-replication-server: dj1.example.com:8989
ds-cfg-replication-server: dj2.example.com:8989

"""


class _WithMessages(LogOpenDJ):
    """What is refused has its reason in the line of the result."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if not request.error or not request.notes:
            super().answered(at, request, queued, worked)
            return
        result = f'result={request.error} message="{request.notes}"'
        etime = round((queued + worked) * 1000)
        self.line(at, f"{self._head(request, 'RES')} {result} etime={etime}")


class _WithoutPeer(Simulation):
    """A directory that takes no change until its replication server listens to it."""

    def _serve(self, request: Request, client: Client) -> None:
        if (
            request.kind in _WRITES
            and request.dn.endswith(SUFFIX)
            and self.now - self.begin < _BACK_S
        ):
            request.error, request.culprit, request.took = 53, True, self.about(0.0006)
            request.notes = (
                f"The Replication is configured for suffix {SUFFIX} but was not able to connect "
                "to any Replication Server"
            )
        super()._serve(request, client)


def write_unreachable_peer(folder: Path) -> Waited:
    """A server starts while the host of the other one is off, and takes no change."""
    log, errors = _WithMessages("10.214.0.2"), Lines()
    sim = _WithoutPeer(log, utc(2023, 9, 14, 9, 0), 1500, workers=24, seed=1723, first_connection=0)
    office(sim, network="10.214.0", pace=1.4)
    desk = f"cn=helpdesk,ou=services,{SUFFIX}"
    sim.start(3, changes(sim, "10.214.0.17", desk, every=5))
    sim.start(4, monitoring(sim, "10.214.0.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    sim.start(0.5, _replication(sim, errors))
    sim.run()
    log.write(folder / "access")
    errors.write(folder / "replication")
    (folder / "config.ldif").write_text(_TWO_PEERS, "utf-8")
    return sim.waited


def _replication(sim: Simulation, errors: Lines) -> Client:
    """The replication server waits for its peer, and the directory gives up waiting for it."""
    while sim.now - sim.begin < _BACK_S:
        port = 40_000 + sim.random.randrange(9000)
        _sync(
            errors,
            sim.now,
            "severity=ERROR msgID=178 msg=Directory server 15265 was attempting to connect to "
            "replication server 25602 but has disconnected in handshake phase",
        )
        _sync(
            errors,
            sim.now + 0.2,
            "severity=INFORMATION msgID=105 msg=Replication server accepted a connection from "
            f"dj1.example.com/10.214.0.2:{port} to local address 0.0.0.0/0.0.0.0:8989 but the SSL "
            "handshake failed. This is probably benign, but may indicate a transient network "
            "outage or a misconfigured client application connecting to this replication server. "
            "The error was: Remote host closed connection during handshake",
        )
        yield sim.random.uniform(8.5, 11)
    _sync(
        errors,
        sim.now,
        f"severity=NOTICE msgID=62 msg=Directory server DS(15265) has connected to replication "
        f'server RS(25602) for domain "{SUFFIX}" at 10.214.0.2:8989 with generation ID 98103311',
    )


def _sync(errors: Lines, at: float, text: str) -> None:
    """A line of the log of replication."""
    moment = datetime.fromtimestamp(at, UTC)
    errors.add(at, f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] category=SYNC {text}")


# ---- denied to one, gone for all -------------------------------------------------------------

_DENIED_S = 620.0


def write_denied_to_one(folder: Path) -> Waited:
    """An ACI that denies one person a branch hides its entries from everybody."""
    log = LogOpenDJ("10.215.0.2")
    sim = Simulation(
        log, utc(2019, 8, 2, 9, 30), 1500, workers=24, seed=1724, first_connection=8_120
    )
    office(sim, network="10.215.0", pace=1.3)
    for number, name in enumerate(("registry", "gateway", "billing", "scheduler"), start=30):
        sim.start(0.6 * number - 17, _looks_up_services(sim, f"10.215.0.{number}", name))
    sim.start(_DENIED_S - 40, _administrator(sim))
    sim.run()
    log.write(folder / "access")
    allowed = (
        '(targetattr!="userPassword||authPassword||debugsearchindex")(version 3.0; acl "Read '
        'access"; allow (read,search,compare) userdn="ldap:///all";)'
    )
    (folder / "config.ldif").write_text(
        "dn: cn=Access Control Handler,cn=config\nobjectClass: top\n"
        "objectClass: ds-cfg-access-control-handler\n"
        "objectClass: ds-cfg-dsee-compat-access-control-handler\ncn: Access Control Handler\n"
        f"ds-cfg-enabled: true\nds-cfg-global-aci: {allowed}\n\n" + _backend(),
        "utf-8",
    )
    return sim.waited


def _backend(cache: int = 50) -> str:
    """The one back end of an OpenDJ."""
    return (
        "dn: ds-cfg-backend-id=userRoot,cn=Backends,cn=config\nobjectClass: top\n"
        "objectClass: ds-cfg-backend\nobjectClass: ds-cfg-pluggable-backend\n"
        "objectClass: ds-cfg-je-backend\nds-cfg-backend-id: userRoot\nds-cfg-enabled: true\n"
        f"ds-cfg-base-dn: {SUFFIX}\nds-cfg-db-directory: db\nds-cfg-db-cache-percent: {cache}\n"
        "ds-cfg-index-entry-limit: 4000\n\n"
    )


def _looks_up_services(sim: Simulation, address: str, name: str) -> Client:
    """A service that looks up who else there is, over one connection."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn={name},{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 3.2)
        wanted = sim.random.choice(("mail", "portal", "intranet", "provisioning", "print", "vpn"))
        for query, entries in ((f"(cn={wanted})", 1), ("(objectClass=account)", 23)):
            found = search(sim, connection, SERVICES, query, 0.0012, entries=entries)
            if sim.now - sim.begin > _DENIED_S:
                found.entries, found.culprit = 0, True
            yield found
            yield sim.about(0.004)


def _administrator(sim: Simulation) -> Client:
    """Somebody looks at the branch, and denies it to a person."""
    connection = sim.connect("10.215.0.60")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    for _ in range(2):
        look = Request(connection, "SRCH", sim.about(0.0011), SERVICES, 0, "(objectClass=*)")
        look.attributes, look.entries = "aci", 1
        yield look
        yield 19.9
    yield Request(connection, "MOD", sim.about(0.006), SERVICES, query="aci")
    yield 4.0
    sim.close(connection)


# ---- a limit that nobody reads ---------------------------------------------------------------

RUNNERS = tuple(f"10.216.4.{number}" for number in range(20, 26))
_LIMIT = "10 minutes"


def write_never_disconnected(folder: Path) -> Waited:
    """Jobs leave their connections open, and the limit for idle ones ends none of them."""
    log = LogOpenDJ("10.216.0.2")
    sim = Simulation(log, utc(2026, 7, 4, 8, 0), 1800, workers=24, seed=1725, first_connection=210)
    office(sim, network="10.216.0", pace=1.1)
    reader = f"cn=check,{SERVICES}"
    sim.start(3, monitoring(sim, "10.216.0.9", reader, every=20, base="cn=monitor"))
    sim.start(2, _jobs(sim))
    sim.run()
    log.write(folder / "access")
    (folder / "config.ldif").write_text(
        "dn: cn=config\nobjectClass: top\nobjectClass: ds-cfg-root-config\ncn: config\n"
        f"ds-cfg-size-limit: 1000\nds-cfg-idle-time-limit: {_LIMIT}\n"
        "ds-cfg-max-allowed-client-connections: 0\n\n" + _backend(),
        "utf-8",
    )
    return sim.waited


def _jobs(sim: Simulation) -> Client:
    """A build server begins one job after the other on six hosts."""
    while True:
        yield sim.random.expovariate(1 / 1.1)
        sim.start(sim.now - sim.begin, _job(sim, sim.random.choice(RUNNERS)))


def _job(sim: Simulation, address: str) -> Client:
    """Who has started me? Then the connection is forgotten."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=runner,{SERVICES}")
    who = search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(4000))})", 0.0008)
    who.culprit = True
    yield who


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_thursday(folder: Path) -> Waited:
    """A busy morning: rights are changed, services look each other up, jobs close theirs."""
    log = LogOpenDJJson("10.217.0.2")
    sim = Simulation(
        log, utc(2024, 6, 13, 8, 0), 1500, workers=24, seed=1726, first_connection=52_100
    )
    office(sim, network="10.217.0", pace=1.8)
    hosts = tuple(f"10.217.1.{number}" for number in range(20, 60))
    sim.start(2, logins(sim, hosts, every=2.2))
    reader = f"cn=check,{SERVICES}"
    sim.start(3, monitoring(sim, "10.217.0.9", reader, every=15, base="cn=monitor"))
    sim.start(6, application(sim, "10.217.0.18", f"cn=phones,{SERVICES}", every=0.6))
    for number, name in enumerate(("registry", "gateway"), start=30):
        sim.start(0.6 * number - 17, _services_stay(sim, f"10.217.0.{number}", name))
    sim.start(5, _tidy_jobs(sim))
    sim.start(700, _rights(sim))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    (folder / "config.ldif").write_text(
        "dn: cn=config\nobjectClass: top\nobjectClass: ds-cfg-root-config\ncn: config\n"
        f"ds-cfg-size-limit: 1000\nds-cfg-idle-time-limit: {_LIMIT}\n\n" + _backend(),
        "utf-8",
    )
    return sim.waited


def _services_stay(sim: Simulation, address: str, name: str) -> Client:
    """A service looks others up; some of them there are not."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn={name},{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 4)
        number = sim.random.randrange(30)
        entries = 0 if number % 11 == 3 else 1
        yield search(sim, connection, SERVICES, f"(cn=app{number})", 0.0011, entries=entries)


def _tidy_jobs(sim: Simulation) -> Client:
    """Jobs that ask who has started them, and close their connection."""
    while True:
        yield sim.random.expovariate(1 / 6)
        connection = sim.connect(f"10.217.4.{20 + sim.random.randrange(6)}")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=runner,{SERVICES}")
        query = f"(uid={user(sim.random.randrange(4000))})"
        yield search(sim, connection, PEOPLE, query, 0.0008)
        sim.close(connection)


def _rights(sim: Simulation) -> Client:
    """An administrator allows a branch to one more service."""
    connection = sim.connect("10.217.0.60")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    look = Request(connection, "SRCH", sim.about(0.0011), SERVICES, 0, "(objectClass=*)")
    look.attributes, look.entries = "aci", 1
    yield look
    yield 31.0
    yield Request(connection, "MOD", sim.about(0.006), SERVICES, query="aci")
    yield 5.0
    sim.close(connection)


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "expired_with_the_image",
        "warn if default-ca expired at the start up log (2022)",
        "https://github.com/osixia/container-openldap/issues/609",
        OPENLDAP,
        "the CA that came with the image has expired: since their start two suppliers end the "
        "handshake after StartTLS each time, and nothing is replicated, every 60 s anew",
        r"\bTLS\b|certificate|handshake|negotiation|replicat|syncrepl|follow|consumer|supplier|"
        r"provider",
        (
            r"ldap-b|10\.211\.0\.3\b|rid=?101|rid 101",
            r"\bTLS\b|certificate|handshake|StartTLS|negotiation",
        ),
        r"certificate|\bCA\b|expire|renew|\btrust|openssl|validity",
        write_expired_ca,
        accused=_SERVERS_WORK,
    ),
    Case(
        "members_at_first_login",
        "Querying a user + group queries all users in the group (2023)",
        "https://github.com/SSSD/sssd/issues/6982",
        OPENLDAP,
        "at the first login on a host SSSD reads all 2,300 members of the groups of the person, "
        "one by one by their DNs: the login waits 9 s, and slapd answers within 2 ms",
        rf"{IN_TURN}|{STANDS_OUT}|by (its|their|the) DNs?|each (of|member|person|entry)",
        (
            r"10\.212\.3\.2\d|posixAccount|cn=sssd",
            rf"{IN_TURN}|2[,. ]?30\d|11[,. ]?5\d\d|each (member|person|entry|of)|members?\b",
        ),
        r"ignore_group_members|(one|single) (search|request|query)|fewer|cach|\bonce\b|at once|"
        r"together|batch|instead of|in one|nesting|deref|memberOf|enumerat",
        write_members_at_login,
        share=0.9,
        accused=_SERVERS_WORK,
    ),
    Case(
        "name_before_the_handshake",
        "DNS Reverse Lookups Creating Significant Performance Issues (2020)",
        "https://github.com/OpenLiberty/open-liberty/issues/14063",
        OPENLDAP,
        "before each handshake a portal asks DNS for the name of the address of the server over "
        "IPv6 and waits 5 s for no answer: the server waits for the client, and answers in 2 ms",
        r"handshake|\bTLS\b|\bpaus|client'?s? (waits|side|own|work|time)|by the client|"
        r"\b5(\.\d+)? ?s\b|five seconds|before (it|its|the|a) |nothing|\bidle\b",
        (
            r"10\.213\.0\.20\b|cn=access",
            r"\b5(\.\d+)? ?s\b|five seconds|\b5[,.]0\d\d|5 ?000 ms",
        ),
        r"\bDNS\b|name (resolution|service)|resolv|reverse|/etc/hosts|client|pool|keep.{0,20}open|"
        r"reuse|no setting of the server|network",
        write_late_handshake,
        accused=_SERVERS_WORK,
    ),
    Case(
        "read_only_without_a_peer",
        "DS starts in read-only mode when a different server is unreachable (2023)",
        "https://github.com/WrenSecurity/wrends/issues/85",
        OPENDJ,
        "started while its peer cannot be reached, the replication server waits so long for it "
        "that its own directory gives up in the handshake: no change is taken (53) for 21 min",
        rf"\bcode 53\b|result 53\b|{REFUSED}|replication|read.?only|no change|handshake",
        (
            r"replication server|replicat",
            r"connect|handshake|reach|\bpeer|isolat|dj2",
        ),
        r"reach|\bpeer|\bdj2\b|network|firewall|connection-timeout|isolation-policy|"
        r"(start|bring).{0,40}(other|up|first)|remove.{0,60}(server|replica)|upgrade|"
        r"replication server.{0,60}(run|start|answer|connect|listen)|connect(s|ed)? to",
        write_unreachable_peer,
        accused=(*_SERVERS_WORK, HEAP, r"wrong passwords?"),
    ),
    Case(
        "denied_to_one_hidden_from_all",
        'No data (ldapserch result is empty) while entry-Based ACIs is defined with only "deny" '
        "permission (2019)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/84",
        OPENDJ,
        "since an ACI at ou=services denies the branch to one person, all other searches there "
        "find nothing (result 0, no entries), where they found 1 or 23 before",
        r"no(thing| entr(y|ies)| results?)|\bempty|\b0 entries|without (an )?(entry|entries|"
        r"results?)|(find|found|finds) no|\baci\b|access control|\brights?\b|hidden|in vain",
        (
            r"ou=services",
            r"no(thing| entr(y|ies))|\bempty|\b0 entries|find|found|no longer|since|before|after",
        ),
        r"\baci\b|access control|\brights?\b|\ballow|\bdeny|denied|permission|MOD(IFY)? .{0,40}"
        r"ou=services|(undo|take back|revert).{0,40}change",
        write_denied_to_one,
        accused=(*_SERVERS_WORK, HEAP),
    ),
    Case(
        "limit_that_ends_nothing",
        "Global idle-time-limit setting has no effect: idle connections are never disconnected "
        "(2026)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/697",
        OPENDJ,
        "jobs on six hosts ask one thing and leave their connections open, 1,600 in half an hour; "
        "the idle-time-limit of 10 min has no effect (a defect), so that none is ended",
        r"\bopen\b|never clos|not closed|left|leak|\bidle\b|connections? (pile|grow|add|stay|"
        r"remain|accumul)|more and more",
        (
            r"10\.216\.4\.2\d|cn=runner|six|\b6 (hosts|addresses|clients)",
            r"\bopen\b|never clos|not closed|leak|\bidle\b|accumul|grow|stay|remain",
        ),
        r"\bidle|\bclos|pool|ds-rlim|upgrade|newer version|reus|leak",
        write_never_disconnected,
        accused=(*_SERVERS_WORK, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_busy_thursday",
        "a busy morning, rights are changed, services look each other up, jobs close what they "
        "open",
        OPENDJ,
        write_healthy_thursday,
    ),
)
