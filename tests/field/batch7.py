"""The seventh ten: waiting for other services, refusals that cost, herds, and a full heap."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from tests.field.batch4 import GIVES_UP, IN_STEP
from tests.field.batch5 import (
    BLAMES_AN_INDEX,
    BLOCKS,
    REFUSED,
    TOKENS,
    WRONG_PASSWORD,
)
from tests.field.batch6 import HOSTS, SUFFIX
from tests.field.case import (
    AGAIN,
    DISK,
    DS,
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
from tests.field.dialects import (
    Lines,
    Log13,
    Log389,
    LogOpenDJ,
    LogOpenDJJson,
    LogOpenLDAP,
    stamp_389,
)
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
    sasl,
    search,
    user,
)

# ---- 389 DS ----------------------------------------------------------------------------------


def write_asks_itself(folder: Path) -> Waited:
    """Within a Kerberos bind the server asks SSSD on its host, which asks the same server."""
    log = Log389("2.6.1", "ipa1.example.com", "10.80.0.2", 389)
    sim = Simulation(log, utc(2025, 7, 11, 8, 0), 1200, workers=16, seed=401)
    office(sim, network="10.80.0")
    for number in range(60):
        sim.start(2 + sim.random.uniform(0, 40), _joined_host(sim, number))
    sim.start(1, _sssd_of_the_server(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _joined_host(sim: Simulation, number: int) -> Client:
    """A host that renews its connection now and then; at two moments all of them do."""
    while True:
        sim.start(sim.now - sim.begin, _kerberos_visit(sim, number))
        rest = sim.random.expovariate(1 / 46)
        for herd in (330.0, 810.0):
            before = herd - (sim.now - sim.begin)
            if 0 < before < rest:
                rest = before + sim.random.uniform(0, 4)
        yield rest


def _kerberos_visit(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.80.1.{20 + number}")
    yield 0.002
    host = f"fqdn=node{number:02d}.example.com,{HOSTS}"
    for step in sasl(sim, connection, host, "GSSAPI"):
        if isinstance(step, Request) and not step.error:
            step.took, step.culprit = sim.about(1.7, 0.3), True
        yield step
    query = f"(&(uid={user(sim.random.randrange(4000))})(objectClass=posixAccount))"
    yield search(sim, connection, PEOPLE, query, 0.0008)
    yield 0.005
    sim.close(connection)


def _sssd_of_the_server(sim: Simulation) -> Client:
    """Groups of Windows that are in no directory: what is not there is forgotten after 10 s."""
    connection = sim.connect("10.80.0.2")
    yield 0.002
    yield from sasl(sim, connection, f"fqdn=ipa1.example.com,{HOSTS}", "GSSAPI")
    while True:
        for relative in (515, 516):
            sid = f"S-1-5-21-2943716481-1740028137-1163517280-{relative}"
            query = f"(&(ipaNTSecurityIdentifier={sid})(objectClass=ipaNTGroupAttrs))"
            yield search(sim, connection, f"cn=accounts,{SUFFIX}", query, 0.0009, entries=0)
            yield 0.01
        yield 10.0


EXTDOM = "2.16.840.1.113730.3.8.10.4.1"


def write_trusted_domain(folder: Path) -> Waited:
    """SSSD on the server cannot reach the trusted domain: each question ends after 10 s."""
    log = Log389("1.4.3.8", "ipa2.example.com", "10.80.2.2", 389)
    sim = Simulation(log, utc(2019, 9, 5, 13, 0), 1500, workers=30, seed=402)
    office(sim, network="10.80.2")
    for number in range(36):
        sim.start(2 + sim.random.uniform(0, 30), _host_of_trust(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _host_of_trust(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.80.3.{20 + number}")
    yield 0.002
    yield from sasl(sim, connection, f"fqdn=desk{number:02d}.example.com,{HOSTS}", "GSSAPI")
    while True:
        yield sim.random.expovariate(1 / 22)
        second = sim.now - sim.begin
        away = 420 < second < 780 or 1080 < second < 1290
        asked = Request(connection, "EXT", sim.about(0.03, 0.7), query=EXTDOM)
        asked.attributes = "IPA trusted domain ID mapper"
        if away and sim.random.random() < 0.7:
            asked.took, asked.error, asked.culprit = 10.0 + sim.about(0.002), 32, True
        yield asked
        query = f"(&(cn=sudo{sim.random.randrange(40)})(objectClass=ipaUserGroup))"
        yield search(sim, connection, f"cn=groups,cn=accounts,{SUFFIX}", query, 0.0008)


def write_goes_on(folder: Path) -> Waited:
    """An application does not look whether its bind was accepted, and asks all the same."""
    log = Log389("2.2.7", "ds1.example.com", "10.80.4.2")
    sim = Simulation(log, utc(2023, 3, 23, 9, 0), 1500, workers=16, seed=403)
    office(sim, network="10.80.4")
    sim.start(14, _reports(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _reports(sim: Simulation) -> Client:
    while True:
        connection = sim.connect("10.80.4.40")
        yield HANDSHAKE_S
        refused = binding(sim, connection, f"cn=reporting,ou=services,{SUFFIX}", 0.003)
        refused.error, refused.culprit = 49, True
        yield refused
        for _ in range(sim.random.randrange(18, 40)):
            # Nobody may read without a bind, so that nothing is ever returned.
            query = f"(&(objectClass=person)(employeeNumber={sim.random.randrange(9000)}))"
            asked = search(sim, connection, PEOPLE, query, 0.0012, entries=0)
            asked.culprit = True
            yield asked
            yield sim.about(0.01)
        sim.close(connection)
        yield sim.random.expovariate(1 / 6)


def write_reverted_cache(folder: Path) -> Waited:
    """A change that breaks the schema has the entry cache reverted, which takes two seconds."""
    log, errors = Log389("1.4.3.36", "ds2.example.com", "10.80.5.2"), Lines()
    sim = Simulation(log, utc(2023, 10, 5, 10, 0), 1500, workers=16, seed=404)
    office(sim, network="10.80.5", lock="backend")
    for number, every in ((25, 2.4), (26, 3.1)):
        portal = f"cn=self-service{number},ou=services,{SUFFIX}"
        sim.start(2, changes(sim, f"10.80.5.{number}", portal, every=every, lock="backend"))
    sim.start(20, _personnel_import(sim, errors))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _personnel_import(sim: Simulation, errors: Lines) -> Client:
    connection = sim.connect("10.80.5.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr-import,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 4)
        who = person(sim.random.randrange(4000))
        change = Request(connection, "MOD", sim.about(0.007), who, lock="backend")
        if sim.random.random() < 0.4:
            change.error, change.took, change.culprit = 65, sim.about(1.9, 0.15), True
        yield change
        if change.error:
            errors.add(
                sim.now,
                f"{stamp_389(sim.now)} - WARN - flush_hash - Upon BETXN callback failure, entry "
                f"cache is flushed during {change.took - 0.004:.9f}",
            )


def write_diskless(folder: Path) -> Waited:
    """Diskless machines start together, and ask again and again who one and the same user is."""
    log = Log13("1.2.11.15", "ipa3.example.com", "10.80.6.2", ten_digits=False)
    sim = Simulation(log, utc(2017, 5, 16, 2, 0), 1500, workers=30, seed=405)
    office(sim, network="10.80.6", pace=0.5)
    for number in range(150):
        for start in (310, 1030):
            sim.start(start + sim.random.uniform(0, 6), _diskless_machine(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _diskless_machine(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.81.{number // 100}.{20 + number % 100}")
    yield 0.002
    host = f"fqdn=worker{number:03d}.example.com,{HOSTS}"
    yield from sasl(sim, connection, host, "GSSAPI")
    accounts, groups = f"cn=users,cn=accounts,{SUFFIX}", f"cn=groups,cn=accounts,{SUFFIX}"
    for turn in range(28):
        if turn % 2:
            query = "(&(gidNumber=20417)(objectclass=posixGroup)(cn=*))"
            asked = search(sim, connection, groups, query, 0.14)
        else:
            query = "(&(uidNumber=20417)(objectclass=posixAccount)(uid=*))"
            asked = search(sim, connection, accounts, query, 0.012)
        asked.culprit = True
        yield asked
        yield 0.004
    yield sim.random.uniform(40, 300)
    sim.close(connection)


# ---- OpenLDAP --------------------------------------------------------------------------------


def write_gone_user(folder: Path) -> Waited:
    """A user is gone here, not there: one look-up is repeated without end, and without a use."""
    log = LogOpenLDAP("ldap6", pid=2348, old=True)
    sim = Simulation(
        log, utc(2020, 6, 8, 10, 45), 840, seed=411, first_connection=1400, first_fd=14
    )
    office(sim, network="10.82.0")
    sim.start(310, _deleted_twice(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _deleted_twice(sim: Simulation) -> Client:
    connection = sim.connect("10.82.0.15")
    yield 0.001
    yield binding(sim, connection, f"cn=nextcloud,ou=services,{SUFFIX}")
    while True:
        query = "(entryUUID=746e31c6-8186-1031-8b64-433663fd304d)"
        asked = Request(connection, "SRCH", sim.about(0.0006), PEOPLE, 2, query, "dn")
        asked.culprit = True
        yield asked
        yield sim.about(0.075, 0.2)


class _ClosesIdle(LogOpenLDAP):
    """Who does not unbind is closed by the server, after a time without requests."""

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if clean:
            super().closed(at, connection, clean)
            return
        self.line(at, f"conn={connection.number} fd={connection.fd} closed (idletimeout)")


_IDLE = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcIdleTimeout: 30
olcThreads: 16
olcTLSCertificateFile: /etc/openldap/certs/ldap7.crt
olcTLSCertificateKeyFile: /etc/openldap/certs/ldap7.key

dn: olcDatabase={{2}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{2}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 4294967296
olcDbIndex: objectClass eq
olcDbIndex: uid,mail,member,memberUid,uidNumber,gidNumber,entryUUID,entryCSN eq

"""


def write_idle(folder: Path) -> Waited:
    """The server closes connections after 30 s without a request; hosts ask less often."""
    log = _ClosesIdle("ldap7", pid=1904, handshake_s=0.005)
    sim = Simulation(
        log, utc(2022, 2, 18, 9, 0), 900, seed=412, first_connection=88000, first_fd=14
    )
    office(sim, network="10.82.1", pace=1.5)
    for number in range(45):
        sim.start(1 + sim.random.uniform(0, 90), _host_with_pauses(sim, number))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_IDLE, "utf-8")
    return sim.waited


def _host_with_pauses(sim: Simulation, number: int) -> Client:
    while True:
        connection = sim.connect(f"10.82.2.{20 + number}")
        yield HANDSHAKE_S
        root = Request(
            connection,
            "SRCH",
            sim.about(0.001),
            "",
            0,
            "(objectClass=*)",
            "altServer namingContexts",
        )
        root.entries, root.culprit = 1, True
        yield root
        bind = binding(sim, connection, f"cn=sssd,ou=services,{SUFFIX}", 0.028)
        bind.culprit = True
        yield bind
        pause = 0.0
        while pause < 30:
            name = user(sim.random.randrange(4000))
            query = f"(&(uid={name})(objectclass=posixAccount)(uidNumber=*))"
            yield search(sim, connection, PEOPLE, query, 0.0009)
            yield search(sim, connection, GROUPS, f"(memberUid={name})", 0.0011, entries=4)
            pause = sim.random.uniform(12, 96)
            yield min(pause, 30.0)
        sim.close(connection, clean=False)
        yield pause - 30


def write_sign_ins(folder: Path) -> Waited:
    """Monday, eight o'clock: an application writes the time of each sign-in into the directory."""
    log = LogOpenLDAP("ldap8", pid=977)
    sim = Simulation(
        log, utc(2026, 7, 13, 8, 0), 660, workers=16, seed=413, first_connection=300, first_fd=14
    )
    office(sim, network="10.82.3", lock="writer")
    portal = changes(
        sim, "10.82.3.25", f"cn=self-service,ou=services,{SUFFIX}", every=4.0, lock="writer"
    )
    sim.start(2, portal)
    sim.start(1, _sign_ins(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _sign_ins(sim: Simulation) -> Client:
    pools: list[list[Connection]] = []
    for name in ("graph", "idp"):
        pool = [sim.connect("10.82.3.30") for _ in range(12)]
        yield 0.002
        for connection in pool:
            yield binding(sim, connection, f"cn={name},ou=opencloud,{SUFFIX}")
        pools.append(pool)
    while True:
        rate = 0.8 + 15.5 * math.exp(-(((sim.now - sim.begin - 330) / 95) ** 2))
        yield sim.random.expovariate(rate)
        graph, idp = (sim.random.choice(pool) for pool in pools)
        sim.start(sim.now - sim.begin, _sign_in(sim, graph, idp))


def _sign_in(sim: Simulation, graph: Connection, idp: Connection) -> Client:
    number = sim.random.randrange(4000)
    yield search(sim, idp, PEOPLE, f"(uid={user(number)})", 0.0008)
    yield sim.about(0.3)
    written = Request(graph, "MOD", sim.about(0.064, 0.2), person(number), lock="writer")
    written.query, written.culprit = "oCLastSignInTimestamp", True
    yield written


# ---- OpenDJ ----------------------------------------------------------------------------------


class _OneHeap(Simulation):
    """While memory is collected no thread goes on, whatever it does."""

    def _serve(self, request: Request, client: Client) -> None:
        request.lock = "heap"
        super()._serve(request, client)


JANS = "ou=people,o=jans"


def write_full_heap(folder: Path) -> Waited:
    """The heap is too small: pauses grow, then threads end one by one and nothing is answered."""
    log, errors = LogOpenDJ("10.83.0.2"), LogOpenDJ("10.83.0.2")
    sim = _OneHeap(log, utc(2020, 11, 26, 10, 0), 1500, workers=24, seed=421, first_connection=90)
    office(sim, network="10.83.0", people=JANS, pace=2.0)
    for number, name in enumerate(("auth-server", "scim", "fido2"), start=21):
        dn = f"cn={name},ou=services,o=jans"
        client = application(sim, f"10.83.0.{number}", dn, every=0.5, people=JANS)
        sim.start(0.3 * number, client)
    second, pause = 520.0, 1.4
    while second < 1330:
        sim.at(second, partial(sim.hold, "heap", pause))
        second += pause + max(12.0, 95 - 9 * pause)
        pause *= 1.17
    sim.at(1362, partial(setattr, sim, "stuck", ""))
    for thread, after in enumerate((0.4, 1.1, 1.2, 2.9, 3.0, 4.7, 6.3, 6.4, 9.8, 12.2)):
        errors.line(
            sim.begin + 1362 + after,
            f"category=CORE severity=ERROR msgID=108 msg=Worker Thread {thread * 7 % 24} "
            "encountered an uncaught exception while processing operation null: "
            "OutOfMemoryError: Java heap space ()",
        )
    sim.run()
    log.write(folder / "access")
    errors.write(folder / "errors")
    return sim.waited


def write_device_codes(folder: Path) -> Waited:
    """Whether the code for a device is taken is looked up without an index; the client gives up."""
    log = LogOpenDJJson("10.83.1.2")
    sim = Simulation(log, utc(2022, 4, 11, 14, 0), 1500, workers=16, seed=422, first_connection=70)
    office(sim, network="10.83.1", pace=1.4)
    dn = "uid=openam_cts,ou=admins,dc=cts,dc=example,dc=com"
    sim.start(5, monitoring(sim, "10.83.1.51", dn, every=5, base=TOKENS))
    sim.start(45, _device_flow(sim, dn))
    sim.run()
    log.write(folder / "ldap-access.audit.json")
    return sim.waited


def _device_flow(sim: Simulation, dn: str) -> Client:
    connection = sim.connect("10.83.1.51")
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while True:
        code = "".join(sim.random.choices("BCDFGHJKLMNPQRSTVWXZ", k=8))
        query = f"(&(coreTokenType=OAUTH)(coreTokenString12={code}))"
        asked = Request(connection, "SRCH", sim.random.uniform(11.5, 19), TOKENS, 2, query, "*")
        asked.patience, asked.culprit = 10.0, True
        yield asked
        yield sim.random.expovariate(1 / 9)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_peak(folder: Path) -> Waited:
    """A busy login server at nine o'clock: thousands of people on 60 hosts, all well served."""
    log = Log389("2.5.2", "ds9.example.com", "10.84.0.2")
    sim = Simulation(log, utc(2025, 3, 3, 9, 0), 480, workers=24, seed=431)
    office(sim, network="10.84.0", pace=2.5)
    hosts = tuple(f"10.84.1.{number}" for number in range(20, 80))
    sim.start(1, logins(sim, hosts, every=0.2))
    reader = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(5, monitoring(sim, "10.84.0.9", reader, every=30, base="cn=monitor"))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def write_healthy_night(folder: Path) -> Waited:
    """At night a batch changes what is new of people, at its leisure: nobody waits for it."""
    log = LogOpenLDAP("ldap9", pid=1022)
    sim = Simulation(log, utc(2025, 3, 4, 2, 0), 1800, seed=432, first_connection=5200, first_fd=14)
    office(sim, network="10.84.2", pace=0.7, lock="writer")
    sim.start(300, _nightly_batch(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _nightly_batch(sim: Simulation) -> Client:
    connection = sim.connect("10.84.2.16")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr-batch,ou=services,{SUFFIX}")
    for _ in range(850):
        who = person(sim.random.randrange(4000))
        change = Request(connection, "MOD", sim.about(0.004), who, lock="writer")
        change.query = "departmentNumber title"
        yield change
        yield sim.random.expovariate(1 / 0.9)
    sim.close(connection)


BATCH = Batch(
    "batch7",
    cases=(
        Case(
            "bind_asks_itself",
            "Issue an ERROR if 389 or dirsrv is configured in SSSD -> pac -> allowed_uids (2025)",
            "https://github.com/freeipa/freeipa-healthcheck/issues/362",
            DS,
            "the last step of each GSSAPI bind waits 1.7 s for SSSD, which asks the same server",
            rf"\bbinds?\b|SASL|GSSAPI|log ?ins?\b|{STANDS_OUT}",
            (
                r"GSSAPI|SASL|Kerberos",
                r"\b1\.[4-9]\d*\s?s\b|\b2(\.\d+)?\s?s\b|\b1,[4-9]\d\d(\.\d+)?\s?ms|\d ?%|slow|"
                r"\bqueue",
            ),
            r"\bsssd\b|\bPAC\b|allowed_uids|Kerberos|\bKDC\b|outside|other service|keep|reuse|pool",
            write_asks_itself,
            share=0.95,
            accused=(BLAMES_AN_INDEX, DISK, r"password (hash|storage)|pbkdf2|iteration"),
        ),
        Case(
            "trusted_domain_away",
            "extdom plugin should not return error (32)/'No such object' (2019)",
            "https://github.com/freeipa/freeipa/pull/3624",
            DS,
            "SSSD cannot ask the trusted domain: extended requests end after 10.0 s, with err=32",
            rf"\bEXT\b|extended|extdom|trust|constant|time-?out|{STANDS_OUT}",
            (
                r"\bEXT\b|extended|extdom|3\.8\.10\.4|trusted domain",
                r"\b10(\.0\d*)?\s?s\b|\b10,0\d\d(\.\d+)?\s?ms|constant|time-?out|same length",
            ),
            r"\bsssd\b|active directory|\bAD\b|trust|domain controller|extdom|outside|"
            r"other service",
            write_trusted_domain,
            share=0.99,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "goes_on_after_refusal",
            "RFE - Add config parameter to close client connections on failed BIND (2023)",
            "https://github.com/389ds/389-ds-base/issues/5707",
            DS,
            "an application ignores that its bind is refused, and asks 30 times all the same",
            rf"{WRONG_PASSWORD}|{REFUSED}|all the same|nonetheless|goes on|{STANDS_OUT}",
            (
                WRONG_PASSWORD,
                r"10\.80\.4\.40|cn=reporting",
                r"all the same|nonetheless|goes on|even so|anonymous|ignor|without (a )?bind|empty|"
                r"\b0 entries|no entr|nothing|search",
            ),
            r"close-on-failed-bind|password|credentials|return code|result of|ignor|stop",
            write_goes_on,
            share=0.64,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "refused_changes_cost",
            "Reversion of the entry cache should be limited to BETXN plugin failures (2023)",
            "https://github.com/389ds/389-ds-base/issues/5944",
            DS,
            "a refused change takes 1.9 s to revert the entry cache, and other changes wait for it",
            rf"{REFUSED}|{BLOCKS}|entry cache|BETXN|{STANDS_OUT}",
            (
                r"err\w*\W*65\b|\b65 \(|object ?class|refus|reject|fail|entry cache|BETXN|in vain",
                r"10\.80\.5\.16|hr-import|entry cache|BETXN",
                r"\bMODs?\b|chang|modif|writ|update",
            ),
            r"upgrade|newer version|5944|schema|object ?class|in vain|valid|correct (its|the)",
            write_reverted_cache,
            share=0.97,
            accused=(BLAMES_AN_INDEX, DISK, THREADS, r"nsslapd-cachememsize"),
        ),
        Case(
            "diskless_herd",
            "Troubleshooting Red Hat Identity Management scaling issues with SystemTap",
            "https://www.redhat.com/zh/blog/"
            "troubleshooting-red-hat-identity-management-scaling-issues-systemtap",
            DS,
            "150 diskless machines start together, and ask 28 times who one and the same user is",
            rf"{IN_STEP}|{AGAIN}|{STANDS_OUT}",
            (
                r"[ug]idNumber|posixGroup|posixAccount|node|worker\d|10\.81\.",
                rf"{IN_STEP}|{AGAIN}|\b1[45]\d\b (\w+ )?(clients|hosts|addresses|machines)",
            ),
            r"\bcach(e|es|ed|ing)\b|\bnscd\b|\bsssd\b|spread|stagger|random|offset|turns|"
            r"less often|at different",
            write_diskless,
            share=0.95,
            accused=(BLAMES_AN_INDEX, DISK),
        ),
        Case(
            "gone_user_for_ever",
            "Infinite search on ldap if user does not exists in ldap (2020)",
            "https://github.com/nextcloud/server/issues/21301",
            OPENLDAP,
            "one client repeats one look-up of a deleted user without end, and nothing is returned",
            rf"{AGAIN}|in a (row|loop)|\bloop|endless|empty|no(thing| entr)|{STANDS_OUT}",
            (r"entryUUID", r"10\.82\.0\.15|nextcloud"),
            r"nextcloud|mapping|\bcach(e|es|ed|ing)\b|remember|\bloop|stop|no longer|deleted|gone",
            write_gone_user,
            share=0.61,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "idle_after_30_s",
            "LDAP: Add an idle connection timeout (2022)",
            "https://github.com/SSSD/sssd/pull/6003",
            OPENLDAP,
            "slapd closes connections after 30 s without a request; 45 hosts connect anew",
            r"idle|time-?out|new connection|connects? (again|anew)|reconnect|binds? again",
            (
                r"\bidle|idle.?time",
                r"clos|new connection|connects? (again|anew)|reconnect|\b30(\.0)?\s?s\b",
            ),
            r"olcIdleTimeout|idle_timeout|idle.?time|ldap_connection",
            write_idle,
            share=0.73,
            accused=(BLAMES_AN_INDEX, DISK, THREADS),
        ),
        Case(
            "sign_ins_are_written",
            "Disable the per-sign-in LDAP write of oCLastSignInTimestamp (2026)",
            "https://github.com/opencloud-eu/opencloud/issues/3133",
            OPENLDAP,
            "an application writes the time of each sign-in: at the peak all wait for these writes",
            rf"\bMODs?\b|chang|\bwrit|log ?ins?\b|sign.?in|{BLOCKS}|{STANDS_OUT}",
            (
                r"oCLastSignInTimestamp|10\.82\.3\.30|cn=graph|opencloud",
                r"\bMODs?\b|chang|\bwrit|modif",
            ),
            r"log ?in|sign.?in|timestamp|last ?(login|bind)|switch(ed)? off|disable|"
            r"less often|fewer (writes|changes|MODs)",
            write_sign_ins,
            share=0.68,
            accused=(BLAMES_AN_INDEX, INDEX_ADVICE, r"checkpoint", THREADS),
        ),
        Case(
            "full_heap",
            "OpenDJ memory issue after CE install (2020)",
            "https://github.com/JanssenProject/jans/issues/468",
            OPENDJ,
            "the Java heap is too small: ever longer pauses, then OutOfMemoryError and no answers",
            rf"heap|memory|garbage|\bGC\b|collect|{HANGS}|{BLOCKS}|pause|no answer",
            (r"\bheap|OutOfMemory|out of memory|garbage|\bGC\b",),
            r"\bheap|-Xm[sx]|java\.properties|java-args|more memory|larger",
            write_full_heap,
            accused=(UNINDEXED, INDEX_ADVICE, DISK, THREADS),
        ),
        Case(
            "device_codes",
            "OAuth Device Flow code generation LDAP search performance (2022)",
            "https://github.com/OpenIdentityPlatform/OpenAM/issues/482",
            OPENDJ,
            "whether a code is taken is looked up without an index; the client gives up after 10 s",
            rf"{UNINDEXED}|{GIVES_UP}|empty|{STANDS_OUT}",
            (r"coreToken", rf"{UNINDEXED}|\bindex|{GIVES_UP}|1\d(\.\d+)?\s?s\b"),
            INDEX_ADVICE,
            write_device_codes,
            share=0.99,
            accused=(DISK, THREADS),
        ),
    ),
    healthy=(
        Healthy("healthy_peak", "a busy login server at its peak", DS, write_healthy_peak),
        Healthy("healthy_night", "a nightly batch hurts nobody", OPENLDAP, write_healthy_night),
    ),
)
