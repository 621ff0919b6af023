"""The first ten: certificates, a backup, renames, sudo, Samba, a leak, and applications."""

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
from tests.field.dialects import Log389, LogOpenDJ, LogOpenLDAP, stamp_389
from tests.field.simulation import Client, Inner, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    application,
    binding,
    changes,
    following,
    monitoring,
    office,
    person,
    search,
    user,
)

# ---- 389 DS ----------------------------------------------------------------------------------


def write_crl(folder: Path) -> Waited:
    """Two generations of a revocation list, each in pages that scan the whole repository."""
    log = Log389("1.4.3.16", "ipa1.example.com", "10.20.0.2")
    sim = Simulation(log, utc(2020, 4, 15, 9, 0), 2400, seed=11)
    office(sim, network="10.20.0")
    sim.start(3, _revocation_list(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _revocation_list(sim: Simulation) -> Client:
    connection = sim.connect("10.20.0.21")
    yield HANDSHAKE_S
    yield binding(sim, connection, "uid=pkidbuser,ou=people,o=ipaca")
    query = (
        "(&(|(certStatus=REVOKED)(certStatus=REVOKED_EXPIRED))"
        "(|(!(issuerName=*))(issuerName=CN=Certificate Authority,O=EXAMPLE.COM)))"
    )
    yield 340
    for _ in range(2):
        for page in range(12):
            yield Request(
                connection,
                "SRCH",
                sim.random.uniform(28, 34),
                "ou=certificateRepository,ou=ca,o=ipaca",
                1,
                query,
                "objectClass serialno notBefore notAfter revokedOn revInfo",
                entries=2000,
                notes="A",
                before=(
                    "SORT serialno",
                    f"VLV 0:1999:{page * 2000 + 1}:0 {page * 2000 + 1}:23406 (0)",
                ),
                culprit=True,
            )
            yield 0.4
        yield 700


def write_backup(folder: Path) -> Waited:
    """A backup meets a change of cn=config; both wait for each other, then everybody else."""
    log = Log389("3.1.1", "localhost.localdomain", "172.17.0.2", 3636)
    sim = Simulation(log, utc(2024, 10, 29, 10, 30), 720, workers=16, seed=12)
    office(sim, network="172.17.1", pace=1.4)
    sim.start(4, _settings(sim))
    sim.start(430, _backup(sim))
    stuck = 431.2
    sim.at(stuck, partial(_stop_all, sim))
    sim.run()
    log.write(folder / "access", log.header)
    errors = [
        f"{stamp_389(sim.begin + 430.02)} - INFO - task_backup_thread - "
        "Beginning backup of 'ldbm database'"
    ]
    errors += [
        f"{stamp_389(sim.begin + 430.05 + number / 50)} - INFO - archive_copyfile - Copying "
        f"/etc/dirsrv/slapd-localhost/schema/{name}.ldif to /data/bak/"
        f"localhost-2024_10_29_10_37_10/config_files/schema/{name}.ldif"
        for number, name in enumerate(("00core", "01core389", "02common", "05rfc2927"))
    ]
    (folder / "errors").write_text("\n".join(errors) + "\n", "utf-8")
    return sim.waited


def _stop_all(sim: Simulation) -> None:
    """From now on each request takes its thread for ever."""
    sim.stuck = ""


def _settings(sim: Simulation) -> Client:
    """The container's own script, which sets a setting again and again."""
    connection = sim.connect("", "/data/run/slapd-localhost.socket")
    while True:
        yield 0.8
        yield Request(connection, "MOD", sim.about(0.004), "cn=config", culprit=True)


def _backup(sim: Simulation) -> Client:
    connection = sim.connect("", "/data/run/slapd-localhost.socket")
    task = "cn=backup_2024-10-29T10:37:10.128,cn=backup,cn=tasks,cn=config"
    yield 0.01
    yield Request(connection, "ADD", 0.012, task)
    yield 1.2
    for _ in range(3):
        yield Request(connection, "SRCH", 0.001, task, 0, "(objectClass=*)", culprit=True)
        yield 1.0


def write_referint(folder: Path) -> Waited:
    """People who leave are moved; each move searches all groups for a part of a DN, unindexed."""
    log = Log389("2.0.10", "ds1.example.com", "10.20.3.2")
    sim = Simulation(log, utc(2021, 11, 16, 13, 0), 1500, seed=13)
    office(sim, network="10.20.3", lock="backend")
    crm = "cn=crm,ou=services,dc=example,dc=com"
    sim.start(3, changes(sim, "10.20.3.15", crm, every=2.5, lock="backend"))
    sim.start(60, _leavers(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _leavers(sim: Simulation) -> Client:
    connection = sim.connect("10.20.3.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=hr,ou=services,dc=example,dc=com")
    for number in range(26):
        who = person(100 + number)
        inside = tuple(
            Inner(
                "dc=example,dc=com",
                f"({attribute}=*{who})",
                attribute,
                sim.random.uniform(2.2, 2.6),
                entries=3 if attribute == "member" else 0,
                notes="A",
            )
            for attribute in ("member", "uniquemember", "owner", "seeAlso")
        )
        yield Request(
            connection,
            "MODRDN",
            sum(inner.took for inner in inside) + 0.012,
            who,
            query=f"uid=former-{user(100 + number)}",
            inside=inside,
            lock="backend",
            culprit=True,
        )
        yield sim.random.uniform(38, 48)


def write_sudo(folder: Path) -> Waited:
    """Hosts ask for sudo rules that changed since the beginning of time; there are none."""
    log = Log389("1.4.3.8", "ldap1.example.com", "10.20.4.2")
    sim = Simulation(log, utc(2021, 1, 29, 7, 0), 1800, seed=14)
    office(sim, network="10.20.4")
    for number in range(120):
        sim.start(5 + sim.random.uniform(0, 880), _sudo_host(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _sudo_host(sim: Simulation, number: int) -> Client:
    address, name = f"10.21.{number // 100}.{10 + number % 100}", f"node{number:03d}"
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=sssd,ou=services,dc=example,dc=com")
    hosts = "".join(
        f"(sudoHost={host})"
        for host in ("ALL", f"{name}.example.com", name, address, "10.21.0.0/16")
    )
    while True:
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(2.3, 2.9),
            "ou=SUDOers,dc=example,dc=com",
            2,
            f"(&(objectClass=sudoRole)(entryusn>=1)(|(!(sudoHost=*)){hosts}(sudoHost=+*)))",
            "objectClass cn sudoCommand sudoHost sudoUser sudoOption sudoRunAs entryusn",
            entries=0,
            culprit=True,
        )
        yield 900


_INDEX = """dn: cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: nsIndex
cn: {name}
nsSystemIndex: false
{kinds}

"""


def write_sid(folder: Path) -> Waited:
    """Samba looks SIDs up, of which only the presence is indexed."""
    log = Log389("1.4.3.16", "ipa1.example.com", "10.20.5.2")
    sim = Simulation(log, utc(2020, 9, 28, 8, 0), 1500, seed=15)
    office(sim, network="10.20.5")
    sim.start(6, _samba(sim))
    sim.run()
    log.write(folder / "access", log.header)
    indexes = (
        ("objectClass", ("eq",)),
        ("uid", ("eq", "pres", "sub")),
        ("mail", ("eq", "pres", "sub")),
        ("member", ("eq", "pres", "sub")),
        ("ipaNTSecurityIdentifier", ("pres",)),
        ("krbPrincipalName", ("eq", "sub")),
    )
    entries = (
        "dn: cn=config\nobjectClass: top\nobjectClass: nsslapdConfig\ncn: config\n"
        "nsslapd-threadnumber: 16\n\n"
        "dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config\nobjectClass: top\n"
        "objectClass: nsBackendInstance\ncn: userRoot\nnsslapd-suffix: dc=example,dc=com\n\n"
    ) + "".join(
        _INDEX.format(name=name, kinds="\n".join(f"nsIndexType: {kind}" for kind in kinds))
        for name, kinds in indexes
    )
    (folder / "dse.ldif").write_text(entries, "utf-8")
    return sim.waited


def _samba(sim: Simulation) -> Client:
    connection = sim.connect("", "/run/slapd-EXAMPLE-COM.socket")
    yield 0.01
    while True:
        sid = f"S-1-5-21-1239206940-2623335601-1323522595-{1000 + sim.random.randrange(3000)}"
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(0.9, 1.4),
            "dc=example,dc=com",
            2,
            f"(&(|(objectClass=ipaNTUserAttrs)(objectClass=ipaNTGroupAttrs))(ipaNTSecurityIdentifier={sid}))",
            "uid cn gidNumber uidNumber ipaNTSecurityIdentifier",
            notes="U",
            culprit=True,
        )
        yield sim.random.expovariate(1 / 3.4)


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_leak(folder: Path) -> Waited:
    """A web application forgets its connection whenever it knows no such user."""
    log = LogOpenLDAP("ldap1")
    sim = Simulation(
        log, utc(2026, 7, 5, 13, 0), 3600, seed=21, first_connection=58211, first_fd=981
    )
    sim.last_fd = 1023
    office(sim, network="10.40.1", pace=0.7)
    sim.start(2, _notes_application(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _notes_application(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 55)
        sim.start(sim.now - sim.begin, _notes_login(sim, unknown=sim.random.random() < 0.65))


def _notes_login(sim: Simulation, *, unknown: bool) -> Client:
    connection = sim.connect("10.40.1.23")
    yield 0.002
    yield binding(sim, connection, "cn=notes,ou=services,dc=example,dc=com")
    number = sim.random.randrange(4000)
    name = f"guest{number}@example.org" if unknown else f"{user(number)}@example.com"
    yield search(
        sim,
        connection,
        "ou=people,dc=example,dc=com",
        f"(mail={name})",
        0.0008,
        entries=int(not unknown),
    )
    if unknown:
        return  # and the connection stays
    yield binding(sim, connection, person(number))
    sim.close(connection)


def write_nextcloud(folder: Path) -> Waited:
    """A background job asks for the groups of each user, and for each of the groups."""
    log = LogOpenLDAP("ldap2")
    sim = Simulation(log, utc(2023, 4, 15, 22, 0), 900, seed=22, first_connection=1000, first_fd=12)
    office(sim, network="10.40.2", pace=0.8)
    sim.start(120, _group_job(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _group_job(sim: Simulation) -> Client:
    connection = sim.connect("10.40.2.15")
    yield 0.002
    yield binding(sim, connection, "cn=nextcloud,ou=services,dc=example,dc=com")
    groups = "(&(|(objectclass=groupOfUniqueNames))(|" + "".join(
        f"(cn=team{number})" for number in range(1, 13)
    )
    for number in range(420):
        who = person(number)
        mine = f"{groups})(uniqueMember={who}))"
        read = Request(connection, "SRCH", sim.about(0.0005, 0.2), who, 0, "(objectClass=*)")
        read.attributes, read.entries, read.culprit = "uid displayName mail", 1, True
        yield read
        took = sim.about(0.055, 0.2)
        asked = Request(connection, "SRCH", took, GROUPS, 2, mine, "cn dn", entries=8)
        asked.culprit = True
        yield asked
        for group in range(8):
            parent = f"cn=team{(number + group) % 12 + 1},{GROUPS}"
            above = f"{groups})(uniqueMember={parent}))"
            took = sim.about(0.047, 0.2)
            asked = Request(connection, "SRCH", took, GROUPS, 2, above, "cn dn")
            asked.culprit = True
            yield asked
            yield 0.002
        yield 0.03


def write_webdav(folder: Path) -> Waited:
    """A web server authenticates each file of a folder anew."""
    log = LogOpenLDAP("pigment", pid=1037)
    sim = Simulation(
        log, utc(2023, 12, 10, 11, 20), 900, seed=23, first_connection=68000, first_fd=14
    )
    office(sim, network="10.40.3", pace=0.7)
    for start in (95, 410, 700):
        sim.start(start, _folder_opened(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _folder_opened(sim: Simulation) -> Client:
    for _ in range(320):
        connection = sim.connect("10.40.3.8")
        yield 0.001
        first = binding(sim, connection, "cn=nginx,ou=services,dc=example,dc=com", 0.003)
        first.before = (f"connection_input: conn={connection.number} deferring operation: binding",)
        first.culprit = True
        yield first
        asked = search(sim, connection, "ou=people,dc=example,dc=com", f"(uid={user(77)})", 0.0006)
        asked.culprit = True
        yield asked
        login = binding(sim, connection, person(77), 0.011)
        login.culprit = True
        yield login
        sim.close(connection)
        yield 0.004


# ---- OpenDJ ----------------------------------------------------------------------------------


def write_monitor_tree(folder: Path) -> Waited:
    """The control panel reads all of cn=monitor, which asks the replicas."""
    log = LogOpenDJ("10.50.0.2")
    sim = Simulation(log, utc(2020, 4, 8, 14, 0), 1200, workers=24, seed=31, first_connection=0)
    office(sim, network="10.50.1")
    sim.start(20, _control_panel(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _control_panel(sim: Simulation) -> Client:
    manager = "cn=Directory Manager,cn=Root DNs,cn=config"
    for _ in range(10):
        connection = sim.connect("10.50.0.5", "admin")
        yield 0.03
        yield binding(sim, connection, manager, 0.004)
        for name in ("Backends", "Connection Handlers", "Synchronization Providers"):
            base = f"cn={name},cn=config"
            yield Request(
                connection, "SRCH", sim.about(0.012), base, 1, "(objectClass=*)", "ALL", entries=4
            )
        for _ in range(3):
            took = sim.random.uniform(28, 35)
            tree = Request(connection, "SRCH", took, "cn=monitor", 2, "(objectClass=*)", "*")
            tree.entries, tree.culprit = 112, True
            yield tree
            yield 2.0
        sim.close(connection, clean=False)
        yield 15


def write_whole_groups(folder: Path) -> Waited:
    """Logins read the groups of a person with all their members, hundreds of thousands."""
    log = LogOpenDJ("10.50.2.2")
    sim = Simulation(log, utc(2020, 3, 17, 9, 0), 1800, workers=24, seed=32, first_connection=100)
    office(sim, network="10.50.2", people="ou=people,o=organization")
    sim.start(100, _cluster_manager(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _cluster_manager(sim: Simulation) -> Client:
    for _ in range(14):
        number = sim.random.randrange(4000)
        who = person(number, "ou=people,o=organization")
        connection = sim.connect("10.50.2.99")
        yield HANDSHAKE_S
        yield binding(sim, connection, "cn=rancher,ou=services,o=organization")
        yield search(sim, connection, "ou=people,o=organization", f"(uid={user(number)})", 0.002)
        yield Request(
            connection,
            "SRCH",
            sim.random.uniform(52, 66),
            "o=organization",
            2,
            f"(&(member={who})(objectClass=groupOfNames))",
            "",
            entries=340,
            culprit=True,
        )
        sim.close(connection)
        yield sim.random.uniform(30, 80)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_ipa(folder: Path) -> Waited:
    """An IdM server on an ordinary morning: DNS follows changes, a replica sends its own."""
    log = Log389("2.4.5", "ipa2.example.com", "10.30.0.2")
    sim = Simulation(log, utc(2025, 3, 4, 9, 30), 1200, seed=41)
    office(sim, network="10.30.0")
    suffix = "dc=example,dc=com"
    sim.start(
        1,
        following(
            sim,
            "10.30.0.2",
            "uid=dns,ou=services," + suffix,
            "cn=dns," + suffix,
            "(|(objectClass=idnsZone)(objectClass=idnsRecord))",
        ),
    )
    sim.start(
        2,
        monitoring(
            sim, "10.30.0.9", "cn=monitor,ou=services," + suffix, every=15, base="cn=monitor"
        ),
    )
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def write_healthy_openldap(folder: Path) -> Waited:
    """A slapd with a consumer and a few applications."""
    log = LogOpenLDAP("ldap3")
    sim = Simulation(log, utc(2025, 5, 6, 10, 0), 1200, seed=42, first_connection=1000, first_fd=12)
    office(sim, network="10.30.1")
    replicator = "cn=replicator,dc=example,dc=com"
    sim.start(1, following(sim, "10.30.1.3", replicator, "dc=example,dc=com", "(objectClass=*)"))
    reader = "cn=wiki,ou=services,dc=example,dc=com"
    sim.start(4, application(sim, "10.30.1.18", reader, every=2.0))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


BATCH = Batch(
    "batch1",
    cases=(
        Case(
            "crl_generation",
            "CRL generation performs an unindexed search",
            "https://github.com/dogtagpki/pki/pull/378",
            DS,
            "the CA pages through all revoked certificates without an index for its filter",
            UNINDEXED,
            (r"certStatus|issuerName|certificateRepository", r"pkidbuser|10\.20\.0\.21"),
            r"index\W.*(certStatus|issuerName)|vlv",
            write_crl,
            share=0.99,
            accused=(DISK, THREADS),
        ),
        Case(
            "backup_hang",
            "dsconf backup create hangs",
            "https://github.com/389ds/389-ds-base/issues/6372",
            DS,
            "an online backup and a change of cn=config wait for each other's lock, then all do",
            HANGS,
            (r"backup",),
            r"upgrade|update|version|restart|stack",
            write_backup,
            accused=(DISK, THREADS, UNINDEXED),
        ),
        Case(
            "referint_substrings",
            "Referential integrity triggers useless substring internal searches",
            "https://github.com/389ds/389-ds-base/issues/5004",
            DS,
            "each rename makes referential integrity search for a part of a DN, unindexed",
            r"referential|referint",
            (r"\bmember\b", UNINDEXED + r"|substring"),
            r"referint|referential|substring|\bsub\b",
            write_referint,
            share=0.98,
            accused=(DISK, THREADS),
        ),
        Case(
            "sudo_since_one",
            "sudo: do not search by low USN value",
            "https://github.com/SSSD/sssd/issues/5483",
            DS,
            "each host's sudo refresh asks for entryusn>=1, which every entry matches",
            r"sudo|entryusn|>=",
            (r"sudo", r"entryusn|usn|SSSD"),
            r"sssd|ldap_sudo|sudo_provider|smart.refresh",
            write_sudo,
            share=0.98,
            accused=(DISK, THREADS),
        ),
        Case(
            "sid_without_equality",
            "ipaNTSecurityIdentifier was only indexed for presence",
            "https://github.com/freeipa/freeipa/pull/5157",
            DS,
            "Samba looks up ipaNTSecurityIdentifier, which has no equality index",
            UNINDEXED,
            (r"ipaNTSecurityIdentifier",),
            r"ipaNTSecurityIdentifier\W.*\beq|\beq\w*\W.*ipaNTSecurityIdentifier",
            write_sid,
            share=0.97,
            accused=(DISK, THREADS, r"index add[^\n]*objectclass"),
        ),
        Case(
            "leaked_connections",
            "LDAP login leaks one connection per login attempt",
            "https://github.com/laurent22/joplin/issues/15857",
            OPENLDAP,
            "one application never closes connections of failed logins; no descriptor is left",
            r"descriptor|too many open|leak|never close|not closed|stay open|left open",
            (r"10\.40\.1\.23",),
            r"unbind|close|idle.?timeout|descriptor|nofile",
            write_leak,
            accused=(UNINDEXED, DISK, THREADS),
        ),
        Case(
            "groups_of_each_user",
            "user_ldap sync job hammers server",
            "https://github.com/nextcloud/server/issues/15171",
            OPENLDAP,
            "one client asks for the groups of each user and of each of these groups, one by one",
            f"{FOLLOWS}|{STANDS_OUT}",
            (r"10\.40\.2\.15", r"uniqueMember"),
            r"nested|memberof|cache|less often|for the owner|fewer",
            write_nextcloud,
            share=0.97,
            accused=(DISK, THREADS),
        ),
        Case(
            "each_file_anew",
            "Authentication not cached",
            "https://github.com/sto/ngx_http_auth_pam_module/issues/29",
            OPENLDAP,
            "a web server opens a connection and binds twice for every file of a folder",
            f"{NEW_CONNECTIONS}|{AGAIN}",
            (r"10\.40\.3\.8\b",),
            r"cache|pool|keep|reuse",
            write_webdav,
            share=0.88,
            accused=(UNINDEXED, DISK, THREADS, r"conn_max_pending|olcConnMaxPending"),
        ),
        Case(
            "all_of_monitor",
            "Control panel is stuck when replication is enabled on several base DNs",
            "https://github.com/OpenIdentityPlatform/OpenDJ/issues/111",
            OPENDJ,
            "the control panel reads all of cn=monitor again and again, half a minute each",
            f"monitor|{STANDS_OUT}",
            (r"cn=monitor", r"10\.50\.0\.5\b|Directory Manager"),
            r"monitor",
            write_monitor_tree,
            share=0.98,
            accused=(INDEX_ADVICE, UNINDEXED, DISK, THREADS),
        ),
        Case(
            "groups_with_all_members",
            "Avoid getting all members of the groups",
            "https://github.com/rancher/rancher/issues/26061",
            OPENDJ,
            "logins ask for all attributes of a person's groups, members by the 100,000 with them",
            rf"attribute|large (entr|group|value)|{STANDS_OUT}",
            (r"10\.50\.2\.99|rancher", r"member", r"attribute"),
            r"all attributes|only the attributes|fewer attributes|name the attributes",
            write_whole_groups,
            share=0.98,
            accused=(INDEX_ADVICE, UNINDEXED, DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_ipa", "an ordinary morning of an IdM server", DS, write_healthy_ipa),
        Healthy("healthy_slapd", "a slapd with a consumer", OPENLDAP, write_healthy_openldap),
    ),
)
