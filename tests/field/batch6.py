"""The sixth ten: late reading, TLS, size limits, members one by one, and an unreachable replica."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch4 import SILENT
from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, REFUSED
from tests.field.case import (
    DISK,
    DS,
    FOLLOWS,
    HANGS,
    INDEX_ADVICE,
    OPENDJ,
    OPENLDAP,
    STANDS_OUT,
    THREADS,
    UNINDEXED,
    Batch,
    Case,
    Healthy,
)
from tests.field.dialects import Lines, Log13, Log389, LogOpenDJ, LogOpenLDAP, stamp_389
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
    sasl,
    search,
    user,
)

SUFFIX = "dc=example,dc=com"
HOSTS = f"cn=computers,cn=accounts,{SUFFIX}"
SOCKET = "/var/run/slapd-EXAMPLE-COM.socket"

PAUSES = (
    r"\bpaus|\bgaps?\b|\bdelay|constant|between (two |the )?(steps|a result|result|requests)"
    r"|same length|\blate\b"
)
UNREACHABLE = (
    r"can(no|')t (be )?(contact|reach|connect)|unreachable|not reach|no connection|firewall|"
    r"error -1\b|unable to (acquire|reach|connect|contact)|could not (be )?(contact|reach|connect)|"
    r"connect(ion)? (fails|failed|error)"
)


# ---- 389 DS ----------------------------------------------------------------------------------


def write_late_reading(folder: Path) -> Waited:
    """Between two steps of a SASL bind the server reads the next one a quarter of a second late."""
    log = Log389("1.4.3.16", "ipa1.example.com", "10.70.0.2", 389)
    sim = Simulation(log, utc(2020, 12, 17, 10, 0), 1500, workers=16, seed=301)
    office(sim, network="10.70.0")
    for number in range(40):
        sim.start(3 + sim.random.uniform(0, 25), _kerberos_host(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _kerberos_host(sim: Simulation, number: int) -> Client:
    while True:
        sim.start(sim.now - sim.begin, _kerberos_visit(sim, number))
        yield sim.random.expovariate(1 / 38)


def _kerberos_visit(sim: Simulation, number: int) -> Client:
    host = f"fqdn=node{number:02d}.example.com,{HOSTS}"
    connection = sim.connect(f"10.70.1.{20 + number}")
    yield 0.002
    mechanism = "GSS-SPNEGO" if number % 4 == 3 else "GSSAPI"
    pauses = sim.random.choices((0, 1, 2), (6, 8, 1))[0]
    yield from sasl(sim, connection, host, mechanism, pauses)
    query = f"(&(uid={user(sim.random.randrange(4000))})(objectClass=posixAccount))"
    yield search(sim, connection, PEOPLE, query, 0.0008)
    yield 0.004
    sim.close(connection)


_CONFIGURATION = """dn: cn=config
objectClass: top
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: {threads}
nsslapd-sizelimit: 2000

dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: nsBackendInstance
cn: userRoot
nsslapd-suffix: dc=example,dc=com

"""
_INDEX = """dn: cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: nsIndex
cn: {name}
nsSystemIndex: false
{kinds}

"""


def _indexes(**kinds: str) -> str:
    return "".join(
        _INDEX.format(name=name, kinds="\n".join(f"nsIndexType: {kind}" for kind in wanted.split()))
        for name, wanted in kinds.items()
    )


def write_server_names(folder: Path) -> Waited:
    """A host is looked for by its short name, which has no index, until two seconds are over."""
    log = Log13("1.3.6.1", "ipa2.example.com", "10.70.2.2", ten_digits=False)
    sim = Simulation(log, utc(2017, 6, 9, 9, 0), 1800, workers=30, seed=302)
    office(sim, network="10.70.2")
    for number in range(2):
        sim.start(20 + 9 * number, _host_management(sim))
    sim.run()
    log.write(folder / "access", log.header)
    settings = _CONFIGURATION.format(threads=30) + _indexes(
        objectclass="eq", fqdn="eq pres sub", managedby="eq pres", memberOf="eq pres sub", uid="eq"
    )
    (folder / "dse.ldif").write_text(settings, "utf-8")
    return sim.waited


def _host_management(sim: Simulation) -> Client:
    """The IPA framework: each command is a connection over the local socket."""
    classes = "".join(
        f"(objectclass={name})" for name in ("ipaobject", "nshost", "ipahost", "ipaservice")
    )
    while True:
        yield sim.random.expovariate(1 / 13)
        connection = sim.connect("", SOCKET)
        yield 0.001
        admin = f"uid=admin,cn=users,cn=accounts,{SUFFIX}"
        yield from sasl(sim, connection, admin, "GSS-SPNEGO")
        config = f"cn=ipaConfig,cn=etc,{SUFFIX}"
        yield Request(
            connection, "SRCH", sim.about(0.0008), config, 0, "(objectclass=*)", entries=1
        )
        too_long = sim.random.random() < 0.7
        took = 2.0 + sim.about(0.003) if too_long else sim.random.uniform(0.9, 1.9)
        query = f"(&(serverhostname=web{sim.random.randrange(18000):05d}){classes})"
        asked = Request(connection, "SRCH", took, HOSTS, 2, query, "distinguishedName", notes="U")
        asked.error, asked.entries, asked.culprit = 3 * too_long, int(not too_long), True
        yield asked
        sim.close(connection)


_NUMBERS = """dn: cn=Distributed Numeric Assignment Plugin,cn=plugins,cn=config
objectClass: top
objectClass: nsSlapdPlugin
objectClass: extensibleObject
cn: Distributed Numeric Assignment Plugin
nsslapd-pluginPath: libdna-plugin
nsslapd-pluginType: bepreoperation
nsslapd-pluginEnabled: on

dn: cn=uid numbers,cn=Distributed Numeric Assignment Plugin,cn=plugins,cn=config
objectClass: top
objectClass: dnaPluginConfig
cn: uid numbers
dnaType: uidNumber
dnaNextValue: 24117
dnaMaxValue: 60000
dnaMagicRegen: -1
dnaFilter: (objectclass=posixAccount)
dnaScope: dc=example,dc=com

"""


def write_numbers(folder: Path) -> Waited:
    """Entries that get their number from a plug-in take 8 s; those that bring one do not."""
    log = Log389("2.4.6", "ds1.example.com", "10.70.3.2")
    sim = Simulation(log, utc(2026, 2, 6, 10, 0), 1800, workers=16, seed=303)
    office(sim, network="10.70.3")
    sim.start(30, _new_people(sim, "10.70.3.16", "onboarding", 21, 8.0))
    sim.start(12, _new_people(sim, "10.70.3.17", "migration", 9, 0.009))
    sim.run()
    log.write(folder / "access", log.header)
    settings = _CONFIGURATION.format(threads=16) + _NUMBERS
    settings += _indexes(objectclass="eq", uid="eq", uidNumber="eq", member="eq")
    (folder / "dse.ldif").write_text(settings, "utf-8")
    return sim.waited


def _new_people(sim: Simulation, address: str, name: str, every: float, took: float) -> Client:
    """A tool that adds one person over a connection each."""
    number = 5000 if took > 1 else 7000
    while True:
        yield sim.random.expovariate(1 / every)
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn={name},ou=services,{SUFFIX}")
        number += 1
        entry = Request(connection, "ADD", sim.about(took, 0.02 if took > 1 else 0.2))
        entry.dn, entry.culprit = person(number), took > 1
        yield entry
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        sim.close(connection)


def write_no_way_to_replica(folder: Path) -> Waited:
    """A firewall before the new replica: the supplier cannot reach it to fill it."""
    log = Log389("1.4.3.28", "ipa1.example.com", "10.70.4.2", 389)
    sim = Simulation(log, utc(2022, 2, 8, 14, 0), 2400, workers=24, seed=304)
    office(sim, network="10.70.4")
    errors = Lines()
    for second in (180, 770, 1490):
        sim.start(second, _replica_installation(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _replica_installation(sim: Simulation, errors: Lines) -> Client:
    """The new replica has the supplier begin, and looks every second how far it is."""
    connection = sim.connect("10.70.4.83")
    yield 0.002
    yield from sasl(sim, connection, f"uid=admin,cn=users,cn=accounts,{SUFFIX}", "GSSAPI")
    tree = f"cn={SUFFIX.replace('=', '%3D').replace(',', '%2C')},cn=mapping tree,cn=config"
    agreement = f"cn=meToipa-replica2.example.com,cn=replica,{tree}"
    yield Request(connection, "ADD", sim.about(0.01), agreement)
    yield Request(connection, "MOD", sim.about(0.008), agreement)
    server = 'agmt="cn=meToipa-replica2.example.com" (ipa-replica2:389)'
    errors.add(
        sim.now,
        f"{stamp_389(sim.now)} - ERR - NSMMReplicationPlugin - bind_and_check_pwp - {server} - "
        "Replication bind with GSSAPI auth failed: LDAP error -1 (Can't contact LDAP server) ()",
    )
    for retry in range(1, 14):
        errors.add(
            sim.now + 0.13,
            f"{stamp_389(sim.now + 0.13)} - WARN - NSMMReplicationPlugin - repl5_tot_run - Unable "
            f"to acquire replica for total update, error: -1, retrying in {retry} seconds.",
        )
        for _ in range(retry):
            yield 1.0
            yield Request(
                connection, "SRCH", sim.about(0.0009), agreement, 0, "(objectclass=*)", entries=1
            )
    sim.close(connection)


def write_host_group(folder: Path) -> Waited:
    """A host group is filled with hundreds of hosts, each by a change of its own."""
    log = Log13("1.3.7.5", "ipa3.example.com", "10.70.5.2", ten_digits=True)
    sim = Simulation(log, utc(2018, 8, 17, 9, 0), 1800, workers=30, seed=305)
    office(sim, network="10.70.5", lock="backend")
    for second, hosts in ((120, 318), (470, 318), (905, 404), (1330, 404)):
        sim.start(second, _filled_group(sim, hosts))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _filled_group(sim: Simulation, hosts: int) -> Client:
    connection = sim.connect("", SOCKET)
    yield 0.001
    yield from sasl(sim, connection, f"uid=ansible,cn=users,cn=accounts,{SUFFIX}", "GSS-SPNEGO")
    group = f"cn=servers,cn=hostgroups,cn=accounts,{SUFFIX}"
    for number in range(hosts):
        host = f"fqdn=srv{number:03d}.example.com,{HOSTS}"
        looked = Request(connection, "SRCH", sim.about(0.0008), host, 0, "(objectclass=*)")
        looked.entries, looked.culprit = 1, True
        yield looked
        took = sim.about(0.07 + number * 0.00012, 0.12)
        change = Request(connection, "MOD", took, group, query="member", lock="backend")
        change.culprit = True
        yield change
        yield 0.003
    yield Request(connection, "SRCH", sim.about(0.03), group, 0, "(objectclass=*)", entries=1)
    sim.close(connection)


# ---- OpenLDAP --------------------------------------------------------------------------------

PENDING = 1000


def write_members_at_once(folder: Path) -> Waited:
    """For one user a host asks for each member of all the groups, without waiting for answers."""
    log = LogOpenLDAP("ldap1", pid=2214)
    sim = Simulation(
        log, utc(2025, 7, 22, 9, 0), 1200, seed=311, first_connection=1400, first_fd=14
    )
    office(sim, network="10.72.0")
    for second, host, members in ((140, 71, 2380), (510, 74, 2740), (960, 72, 1930)):
        sim.start(second, _user_and_all_members(sim, log, f"10.72.0.{host}", members))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _user_and_all_members(sim: Simulation, log: LogOpenLDAP, address: str, members: int) -> Client:
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, f"cn=sssd,ou=services,{SUFFIX}")
    number = sim.random.randrange(4000)
    yield search(
        sim, connection, PEOPLE, f"(&(uid={user(number)})(objectclass=posixAccount))", 0.001
    )
    mine = f"(&(member={person(number)})(objectClass=posixGroup)(cn=*)(gidNumber=*))"
    yield search(sim, connection, GROUPS, mine, 0.02, entries=31)
    begun = sim.now
    for index in range(members):
        asked = Request(connection, "SRCH", sim.about(0.0024, 0.2), person(index), 0)
        asked.query = "(&(objectclass=posixAccount)(uid=*)(uidNumber=*)(gidNumber=*))"
        asked.attributes = "objectClass uid uidNumber gidNumber gecos homeDirectory loginShell"
        asked.entries, asked.number = 1, connection.operations
        connection.operations += 1
        # The server reads no further while so many are pending: the rest waits at the client.
        arrived = max(begun + index * 0.0002, sim.now - PENDING * 0.0024)
        if index % 2:
            log.line(
                arrived,
                f"connection_input: conn={connection.number} deferring operation: "
                "pending operations",
            )
        queued = sim.now - arrived
        log.asked(sim.now, asked)
        yield asked.took
        log.answered(sim.now, asked, queued, asked.took)
        sim.waited.total += queued + asked.took
        sim.waited.culprit += queued + asked.took


FOREIGNER = "10.73.0.217"


class _RefusesHandshakes(LogOpenLDAP):
    """Connections of one client fail in the handshake."""

    def opened(self, at: float, connection: Connection) -> None:
        if connection.address != FOREIGNER:
            super().opened(at, connection)
            return
        where = f"IP={connection.address}:{connection.port} (IP=0.0.0.0:636)"
        self.line(at, f"conn={connection.number} fd={connection.fd} ACCEPT from {where}")

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if connection.address != FOREIGNER:
            super().closed(at, connection, clean)
            return
        head = f"conn={connection.number} fd={connection.fd}"
        self.line(at, f"{head} closed (TLS negotiation failure)")


_CIPHERS = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcThreads: 16
olcTLSCertificateFile: /etc/acme/openldap/fullchain.pem
olcTLSCertificateKeyFile: /etc/acme/openldap/privkey.pem
olcTLSCACertificateFile: /etc/ssl/certs/ca-certificates.crt
olcTLSCipherSuite: NORMAL:!CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305
olcSecurity: tls=1 ssf=128

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 1073741824
olcDbIndex: objectClass eq
olcDbIndex: uid,mail,member,entryUUID,entryCSN eq

"""


def write_failed_handshakes(folder: Path) -> Waited:
    """One client and the server agree on no cipher: none of its connections gets further."""
    log = _RefusesHandshakes("ldap", pid=1757597, handshake_s=0.005)
    sim = Simulation(
        log, utc(2023, 12, 1, 20, 0), 1500, seed=312, first_connection=1000, first_fd=14
    )
    office(sim, network="10.73.0", pace=0.9)
    sim.start(40, _federation(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_CIPHERS, "utf-8")
    return sim.waited


def _federation(sim: Simulation) -> Client:
    while True:
        for _ in range(2):
            connection = sim.connect(FOREIGNER)
            yield sim.about(0.006)
            sim.close(connection, clean=False)
            yield sim.about(0.03)
        yield sim.random.expovariate(1 / 8)


class _Compose(LogOpenLDAP):
    """Debug output of slapd 2.4, as docker-compose prints it."""

    def line(self, at: float, text: str) -> None:
        self.add(at, f"openldap        | {int(round(at * 1e6) / 1e6):08x} {text}")


def write_same_for_all(folder: Path) -> Waited:
    """The filter of a login names no user: it finds all of them, and one is too many."""
    log = _Compose("", old=True)
    sim = Simulation(
        log, utc(2019, 7, 3, 6, 30), 1500, seed=313, first_connection=1001, first_fd=12
    )
    office(sim, network="10.73.1", pace=0.8)
    sim.start(25, _portal_logins(sim))
    sim.run()
    log.write(folder / "openldap.log")
    return sim.waited


def _portal_logins(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 7)
        sim.start(sim.now - sim.begin, _portal_login(sim))


def _portal_login(sim: Simulation) -> Client:
    connection = sim.connect("10.73.1.40")
    yield 0.001
    yield binding(sim, connection, f"cn=authelia,ou=services,{SUFFIX}")
    query = f"(memberOf=cn=authelia_users,{GROUPS})"
    asked = Request(connection, "SRCH", sim.about(0.004), PEOPLE, 2, query, "dn", entries=1)
    asked.error, asked.culprit = 4, True
    yield asked
    yield 0.01
    sim.close(connection)


# ---- OpenDJ ----------------------------------------------------------------------------------


class _StartTLS(LogOpenDJ):
    """One client begins without TLS and asks for it."""

    def opened(self, at: float, connection: Connection) -> None:
        if connection.address != "10.74.0.50":
            super().opened(at, connection)
            return
        where = f"from={connection.address}:{connection.port} to=10.74.0.2:1389"
        self.line(at, f"CONNECT conn={connection.number} {where} protocol=LDAP")


def write_start_tls(folder: Path) -> Waited:
    """Most connections that ask for TLS later fall silent; those over LDAPS are as always."""
    log = _StartTLS("10.74.0.2")
    sim = Simulation(log, utc(2023, 8, 9, 10, 0), 1800, workers=24, seed=321, first_connection=600)
    office(sim, network="10.74.0")
    sim.start(33, _console(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _console(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 9)
        sim.start(sim.now - sim.begin, _console_search(sim, works=sim.random.random() < 0.35))


def _console_search(sim: Simulation, *, works: bool) -> Client:
    connection = sim.connect("10.74.0.50")
    yield 0.001
    begin = Request(connection, "EXT", 0.001, query="1.3.6.1.4.1.1466.20037")
    begin.attributes = "StartTLS"
    yield begin
    if not works:
        yield 60.0
        sim.close(connection, clean=False)
        return
    yield 0.011
    yield binding(sim, connection, f"cn=keycloak,ou=services,{SUFFIX}")
    number = sim.random.randrange(4000)
    query = f"(&(uid={user(number)})(objectclass=inetOrgPerson))"
    yield search(sim, connection, PEOPLE, query, 0.0012)
    yield 0.005
    sim.close(connection)


GLUU = "ou=people,o=gluu"


def write_broad_search(folder: Path) -> Waited:
    """Two letters in the search of a console find hundreds of thousands; it crashes on them."""
    log = LogOpenDJ("10.74.1.2")
    sim = Simulation(log, utc(2021, 4, 30, 9, 0), 2400, workers=24, seed=322, first_connection=40)
    for number, name in enumerate(("oxauth", "passport", "scim"), start=11):
        dn = f"cn={name},ou=services,o=gluu"
        client = application(sim, f"10.74.1.{number}", dn, every=0.9, people=GLUU)
        sim.start(0.5 * number, client)
    sim.start(2, changes(sim, "10.74.1.11", "cn=oxauth,o=gluu", every=5.0, people=GLUU))
    sim.start(20, _identity_console(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _identity_console(sim: Simulation) -> Client:
    wanted = ("uid", "mail", "displayName", "givenName", "sn", "inum")
    for text, entries, took in (
        ("an", 218_340, 96.0),
        ("an", 218_340, 101.0),
        ("er", 187_904, 83.0),
        ("2018", 301_127, 131.0),
    ):
        connection = sim.connect("10.74.1.60")
        yield HANDSHAKE_S
        yield binding(sim, connection, "cn=oxtrust,o=gluu")
        for _ in range(40):
            yield sim.random.expovariate(1 / 2.5)
            yield search(sim, connection, GLUU, f"(uid={user(sim.random.randrange(4000))})", 0.001)
        parts = "".join(f"({name}=*{text}*)" for name in wanted)
        broad = Request(connection, "SRCH", took, GLUU, 2, f"(&(objectClass=gluuPerson)(|{parts}))")
        broad.attributes, broad.entries, broad.culprit = "inum,uid,mail,displayName", entries, True
        yield broad
        yield 4.0
        sim.close(connection, clean=False)
        yield 95.0  # the console starts anew


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_kerberos(folder: Path) -> Waited:
    """A busy 389 DS of FreeIPA: hosts with Kerberos, a DNS server, a monitor."""
    log = Log389("2.6.1", "ipa9.example.com", "10.75.0.2", 389)
    sim = Simulation(log, utc(2025, 10, 14, 9, 0), 1500, workers=24, seed=331)
    office(sim, network="10.75.0", pace=2.5)
    for number in range(40):
        sim.start(3 + sim.random.uniform(0, 25), _quick_host(sim, number))
    query = "(objectClass=idnsZone)"
    sim.start(1, following(sim, "10.75.0.3", f"cn=dns,{SUFFIX}", f"cn=dns,{SUFFIX}", query))
    reader = f"uid=monitor,cn=sysaccounts,cn=etc,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.75.0.9", reader, every=60, base="cn=monitor"))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _quick_host(sim: Simulation, number: int) -> Client:
    host = f"fqdn=node{number:02d}.example.com,{HOSTS}"
    connection = sim.connect(f"10.75.1.{20 + number}")
    yield 0.002
    yield from sasl(sim, connection, host, "GSSAPI")
    while True:
        yield sim.random.expovariate(1 / 15)
        query = f"(&(uid={user(sim.random.randrange(4000))})(objectClass=posixAccount))"
        yield search(sim, connection, PEOPLE, query, 0.0008)


def write_healthy_probes(folder: Path) -> Waited:
    """A slapd in a cluster, which load balancers and probes connect to every few seconds.

    As in https://github.com/osixia/container-openldap/issues/542: no fault, only lines.
    """
    log = LogOpenLDAP("ldap-0", pid=1)
    sim = Simulation(log, utc(2024, 3, 4, 9, 0), 1200, seed=332, first_connection=2585, first_fd=13)
    office(sim, network="100.98.117", pace=2.0)
    for number in range(4):
        sim.start(0.7 * number, _probe(sim, f"100.96.{18 + number}.1"))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _probe(sim: Simulation, address: str) -> Client:
    while True:
        connection = sim.connect(address)
        yield 0.0004
        sim.close(connection, clean=False)
        yield 10.0


BATCH = Batch(
    "batch6",
    cases=(
        Case(
            "quarter_second_late",
            "SASL GSSAPI & GSS-SPNEGO performance issue (2020)",
            "https://github.com/389ds/389-ds-base/issues/4506",
            DS,
            "in 6 of 10 SASL binds 0.25 s pass between two steps, sometimes twice",
            PAUSES,
            (
                r"GSSAPI|SPNEGO|SASL|\bbinds?\b",
                r"0\.2[5-6]\d*\s?s|\b2[5-6]\d(\.\d+)?\s?ms|quarter",
            ),
            r"upgrade|newer version|turbo|network|keep|reuse|pool",
            write_late_reading,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "hosts_by_server_name",
            "Create indexes for 'serverhostname' attribute (2017)",
            "https://github.com/freeipa/freeipa/pull/864",
            DS,
            "the short name of a host has no index: its searches run into the time limit of 2 s",
            rf"{UNINDEXED}|index is missing|time ?limit|{STANDS_OUT}",
            (r"serverhostname", rf"{UNINDEXED}|\bindex"),
            r"index add[^\n]*serverhostname|index[^\n]*serverhostname|serverhostname[^\n]*index",
            write_server_names,
            share=0.98,
            accused=(DISK, THREADS, r"index add[^\n]*(objectclass|fqdn)"),
        ),
        Case(
            "numbers_from_a_plugin",
            "Slow single user ldif import with DNA plugin enabled on 2.x versions (2026)",
            "https://github.com/389ds/389-ds-base/issues/7229",
            DS,
            "each ADD that gets its uidNumber from the DNA plug-in takes 8 s, other ADDs 9 ms",
            rf"\bADDs?\b|\badd(s|ed|ing)\b|\bDNA\b|numeric assign|plug-?in|constant|{STANDS_OUT}",
            (
                r"\bADDs?\b|\badd(s|ed|ing)\b|new entries",
                r"10\.70\.3\.16|cn=onboarding|\bDNA\b|numeric assignment",
            ),
            r"\bDNA\b|numeric assignment|uidNumber|plug-?in",
            write_numbers,
            share=0.98,
            accused=(DISK, THREADS),
        ),
        Case(
            "no_way_to_the_replica",
            "Firewall update needed for replication to work (2022)",
            "https://github.com/freeipa/ansible-freeipa/issues/768",
            DS,
            "the supplier cannot connect to a new replica, so that it is never initialised",
            rf"replica|agreement|{UNREACHABLE}",
            (r"ipa-replica2|meToipa|agreement|repl5_tot|total update", UNREACHABLE),
            r"firewall|\bports?\b|network|reachable|can be reached|\broute|\bDNS\b|resolve",
            write_no_way_to_replica,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "host_group_one_by_one",
            "ipa_hostgroup times out when creating a hostgroup with more than 300 servers (2018)",
            "https://github.com/ansible/ansible/issues/44304",
            DS,
            "a host group gets its 318 to 404 hosts by a change each, 70 to 120 ms, one by one",
            rf"{FOLLOWS}|\bMODs?\b|chang|group|\bin a row\b|memberOf|{STANDS_OUT}",
            (r"hostgroups?|cn=servers", r"\bMODs?\b|chang|modif|write|update"),
            r"time-?out|in one (change|request|operation|MOD)|several (members|values)|together|"
            r"batch|memberOf|fewer (changes|MODs|writes)|at once|in parts|all (the )?members",
            write_host_group,
            share=0.96,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "all_members_at_once",
            "SSSD sends an asynchronous search for every member of every group (2025)",
            "https://github.com/SSSD/sssd/issues/8047",
            OPENLDAP,
            "for one user SSSD asks for thousands of members at once; slapd defers them",
            rf"{FOLLOWS}|looks? up|deferr|pending|at once|in parallel|each member|{STANDS_OUT}",
            (
                r"10\.72\.0\.7[124]|cn=sssd|\b3 (clients|connections|hosts)",
                r"deferr|pending|member|posixAccount|uidNumber=\*|2[,.]?\d{3} (searches|requests)|"
                r"ou=people",
            ),
            r"ignore_group_members|conn_?max_?pending|\bsssd\b|fewer|nesting|batch",
            write_members_at_once,
            share=0.99,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "failed_handshakes",
            "LDAP federation fails with TLS error (2023)",
            "https://github.com/goauthentik/authentik/issues/7756",
            OPENLDAP,
            "one client never gets through the TLS handshake: it and slapd share no cipher",
            rf"\bTLS\b|handshake|negotiat|{SILENT}|{REFUSED}",
            (r"\bTLS\b|handshake|negotiat", r"10\.73\.0\.217"),
            r"cipher|TLS (version|protocol)|protocol version|certificate|olcTLS|s_client",
            write_failed_handshakes,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "same_filter_for_all",
            "LDAP and Error: Size Limit Exceeded with users_filter (2019)",
            "https://github.com/authelia/authelia/issues/379",
            OPENLDAP,
            "the filter of a login does not name the user: all match, and each search ends err=4",
            rf"err\w*\W*4\b|size ?limit|limit|{REFUSED}",
            (r"err\w*\W*4\b|\b4 \(|size ?limit|limit exceeded", r"memberOf|10\.73\.1\.40|authelia"),
            r"narrow|more (exact|specific)|(in|change|mend|correct|check|the) "
            r"(its |the |their )?filter|user ?name|placeholder|own (size )?limit",
            write_same_for_all,
            accused=(BLAMES_AN_INDEX, DISK, THREADS, r"olcSizeLimit|olcLimits"),
        ),
        Case(
            "silent_after_starttls",
            "keycloak+opendj: searches get stuck with TLS, not with LDAPS (2023)",
            "https://github.com/keycloak/keycloak/issues/22351",
            OPENDJ,
            "two of three connections of one client fall silent after StartTLS; LDAPS is well",
            rf"{SILENT}|{HANGS}|{PAUSES}|StartTLS|(fall|go)s? silent|"
            r"no (further |more )?(answer|request)",
            (r"StartTLS|1466\.20037|\bTLS\b|handshake|silent", r"10\.74\.0\.50"),
            r"\bLDAPS\b|upgrade|newer version|time-?out|jstack|certificate",
            write_start_tls,
            accused=(UNINDEXED, INDEX_ADVICE, DISK, THREADS),
        ),
        Case(
            "two_letters",
            "oxTrust crashes when a search with a broad criteria is executed (2021)",
            "https://github.com/GluuFederation/oxTrust/issues/2061",
            OPENDJ,
            "a console looks for two letters anywhere in six attributes and gets 200,000 entries",
            rf"{ALL_OF_IT}|substring|\*an\*|entries|{STANDS_OUT}",
            (
                rf"{ALL_OF_IT}|\d{{3}},\d{{3}}|substring",
                r"gluuPerson|10\.74\.1\.60|cn=oxtrust",
            ),
            r"\bpage|size ?limit|narrow|fewer entries|more (letters|exact|specific)|at least \d",
            write_broad_search,
            share=0.98,
            accused=(INDEX_ADVICE, DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_kerberos", "a busy server of FreeIPA", DS, write_healthy_kerberos),
        Healthy("healthy_probes", "probes that only connect", OPENLDAP, write_healthy_probes),
    ),
)
