"""The twelfth ten, OpenLDAP and OpenDJ: one attribute too many, a far server, work without end."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP, PAGES
from tests.field.batch11.others import NO_SUCH_INDEX
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
from tests.field.dialects import Lines, LogOpenDJ, LogOpenLDAP
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

ENDLESS = (
    r"endless|(never|not) (end|finish|stop|terminate|complete)|without (an )?end|\bloops?\b|"
    r"in circles|start(s|ing)? over|from the (beginning|start)"
)


def _mdb(suffix: str, *lines: str, loglevel: str = "stats", after: str = "") -> str:
    """Configuration of a database of OpenLDAP, with more lines for it and entries after it."""
    database = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcLogLevel: {loglevel}

dn: olcDatabase={{2}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{2}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix:{f" {suffix}" if suffix else ""}
olcDbMaxSize: 85899345920
"""
    return database + "".join(f"{line}\n" for line in lines) + "\n" + after


def _backend(name: str, suffix: str, **indexes: str) -> str:
    """Configuration of a database of OpenDJ and its indexes."""
    backend = f"ds-cfg-backend-id={name},cn=Backends,cn=config"
    text = f"""dn: {backend}
objectClass: top
objectClass: ds-cfg-backend
objectClass: ds-cfg-pluggable-backend
objectClass: ds-cfg-je-backend
ds-cfg-backend-id: {name}
ds-cfg-enabled: true
ds-cfg-java-class: org.opends.server.backends.jeb.JEBackend
ds-cfg-base-dn: {suffix}
ds-cfg-db-directory: db
ds-cfg-db-cache-percent: 40
ds-cfg-index-entry-limit: 4000
ds-cfg-writability-mode: enabled

"""
    for attribute, kinds in indexes.items():
        one = attribute.replace("_", "-")
        text += f"dn: ds-cfg-attribute={one},cn=Index,{backend}\nobjectClass: top\n"
        text += f"objectClass: ds-cfg-backend-index\nds-cfg-attribute: {one}\n"
        text += "".join(f"ds-cfg-index-type: {kind}\n" for kind in kinds.split()) + "\n"
    return text


# ---- one attribute of four -------------------------------------------------------------------

OLD_ADDRESS = "zimbraOldMailAddress"
_MTAS = ("10.132.0.21", "10.132.0.22")
_NO_STATUS = "<= mdb_equality_candidates: (zimbraMailStatus) not indexed"
_NO_OLD_ADDRESS = f"<= mdb_equality_candidates: ({OLD_ADDRESS}) not indexed"


def write_old_addresses(folder: Path) -> Waited:
    """Since an upgrade the lookup of an alias asks for old addresses, which have no index."""
    log = LogOpenLDAP("zldap1", pid=3127, old=True)
    sim = Simulation(
        log,
        utc(2018, 11, 22, 10, 0),
        1500,
        workers=8,
        seed=690,
        first_connection=8_411,
        first_fd=18,
    )
    office(sim, network="10.132.0", pace=0.9)
    for turn in range(8):
        sim.start(3 + 2 * turn, _proxymap(sim, _MTAS[turn % 2]))
    sim.run()
    log.write(folder / "zimbra.log")
    config = _mdb(
        "",
        "olcDbCheckpoint: 0 0",
        "olcDbIndex: objectClass eq",
        "olcDbIndex: zimbraId eq",
        "olcDbIndex: zimbraMailDeliveryAddress eq,sub",
        "olcDbIndex: zimbraMailAlias eq,sub",
        "olcDbIndex: zimbraMailCatchAllAddress eq,sub",
        "olcDbIndex: zimbraMailForwardingAddress eq",
        "olcDbIndex: zimbraDomainName eq,sub",
        "olcDbIndex: uid pres,eq",
        "olcDbIndex: mail pres,eq,sub",
        "olcDbIndex: member eq",
        "olcDbIndex: entryUUID,entryCSN eq",
        loglevel="49408",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _proxymap(sim: Simulation, address: str) -> Client:
    """A process of the mail server looks for a mailbox, and then for what has such an alias."""
    connection = sim.connect(address)
    yield 0.002
    yield binding(sim, connection, "uid=zmpostfix,cn=appaccts,cn=zimbra")
    while True:
        yield sim.random.expovariate(1 / 4.5)
        mail = f"{user(sim.random.randrange(4000))}@example.com"
        mailbox = f"(&(zimbraMailDeliveryAddress={mail})(zimbraMailStatus=enabled))"
        asked = search(sim, connection, "", mailbox, 0.0006)
        asked.attributes, asked.before = "zimbraMailDeliveryAddress", (_NO_STATUS,)
        yield asked
        names = ("zimbraMailDeliveryAddress", "zimbraMailAlias", OLD_ADDRESS)
        legs = "".join(f"({name}={mail})" for name in (*names, "zimbraMailCatchAllAddress"))
        alias = Request(connection, "SRCH", sim.about(2.9, 0.12), "", 2)
        alias.query = f"(&(|{legs})(zimbraMailStatus=enabled))"
        alias.attributes = "zimbraMailDeliveryAddress zimbraMailForwardingAddress"
        alias.before, alias.entries, alias.culprit = (_NO_OLD_ADDRESS, _NO_STATUS), 1, True
        yield alias


# ---- passwords that are elsewhere ------------------------------------------------------------

_REMOTE = """dn: olcOverlay={0}remoteauth,olcDatabase={2}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcRemoteAuthCfg
olcOverlay: {0}remoteauth
olcRemoteAuthTLS: starttls=no
olcRemoteAuthMapping: example file:///etc/ldap/domain-controllers
olcRemoteAuthDNAttribute: seeAlso
olcRemoteAuthDomainAttribute: associatedDomain
olcRemoteAuthDefaultDomain: example
olcRemoteAuthStore: FALSE
olcRemoteAuthRetryCount: 1

"""
ELSEWHERE = (
    r"remote.?auth|pass.?through|active directory|domain controller|\bconstant|"
    r"same (length|duration)|fixed (time|length|delay)|at least 5(\.0\d*)? ?s|"
    r"\b5(\.0\d*)?\s?s\b|\b5[,.]?0\d\d(\.\d+)?\s?ms|five seconds|"
    r"(remote|upstream|external) (server|director)|(other|another|second) directory|elsewhere"
)
"""Somebody else is asked, or all such binds take the same five seconds."""
_NUMBER = re.compile(r"uid=\D+(\d+),")


class _Delegated(Simulation):
    """Three of five people have their passwords elsewhere; the first server there is gone."""

    def _serve(self, request: Request, client: Client) -> None:
        number = _NUMBER.match(request.dn) if request.kind == "BIND" else None
        if number and int(number[1]) % 5 < 3:
            request.took, request.culprit = 5.005 + self.about(0.014), True
            if self.random.random() < 0.05:
                request.took += 5.005
                request.error, request.notes = 1, "remoteauth_bind operations error"
        super()._serve(request, client)


def write_unreachable(folder: Path) -> Waited:
    """Binds wait five seconds for a domain controller that is gone before the next is asked."""
    log = LogOpenLDAP("auth2", pid=951, handshake_s=0.005)
    sim = _Delegated(
        log, utc(2024, 9, 13, 8, 15), 1800, seed=691, first_connection=31_870, first_fd=13
    )
    office(sim, network="10.133.0")
    hosts = tuple(f"10.133.1.{number}" for number in range(10, 74))
    sim.start(2, logins(sim, hosts, every=0.9))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        SUFFIX,
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        after=_REMOTE,
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


# ---- too many candidates ---------------------------------------------------------------------

ESUP = "10.134.0.30"


class _LogOfContainer(LogOpenLDAP):
    """What slapd 2.4 with -d stats prints in a container: seconds since 1970, hexadecimal."""

    def line(self, at: float, text: str) -> None:
        self.add(at, f"{int(at):08x} {text}")


def write_unchecked(folder: Path) -> Waited:
    """Beginnings of uid have no index, so that all entries are candidates, and more are refused."""
    log = _LogOfContainer("ldap", old=True)
    sim = Simulation(log, utc(2020, 6, 11, 9, 30), 1500, seed=692, first_connection=1_420)
    office(sim, network="10.134.0", pace=1.3)
    for turn in range(4):
        sim.start(5 + 9 * turn, _signature(sim))
    sim.start(8, _white_pages(sim))
    sim.run()
    log.write(folder / "docker-slapd.log")
    config = _mdb(
        SUFFIX,
        "olcSizeLimit: size.soft=500 size.hard=soft size.unchecked=20000",
        "olcDbIndex: objectClass,member,entryUUID,entryCSN eq",
        "olcDbIndex: uid eq",
        "olcDbIndex: mail,cn,displayName,sn eq,sub",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _signature(sim: Simulation) -> Client:
    """Somebody types who shall sign, and letter by letter the application looks for proposals."""
    connection = sim.connect(ESUP)
    yield 0.002
    yield binding(sim, connection, f"cn=esup-signature,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 22)
        name = user(sim.random.randrange(4000))
        for letters in range(3, min(len(name), 6) + 1):
            typed = name[:letters]
            legs = "".join(f"({one}={typed}*)" for one in ("displayName", "cn", "uid", "mail"))
            proposals = search(sim, connection, PEOPLE, "", 0.0019, entries=0)
            proposals.query = f"(&(objectClass=person)(|{legs}))"
            proposals.before = ("<= mdb_substring_candidates: (uid) not indexed",)
            proposals.error = 11
            yield proposals
            yield sim.random.uniform(0.2, 0.9)
        yield search(sim, connection, PEOPLE, f"(uid={name})", 0.0007)


def _white_pages(sim: Simulation) -> Client:
    """Another application looks for beginnings of names too, and those have an index."""
    connection = sim.connect("10.134.0.33")
    yield 0.002
    yield binding(sim, connection, f"cn=annuaire,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 9)
        typed = user(sim.random.randrange(4000))[:5]
        query = f"(&(objectClass=person)(|(cn={typed}*)(displayName={typed}*)))"
        people = sim.random.randrange(1, 40)
        yield search(sim, connection, PEOPLE, query, 0.004, entries=people)


# ---- pages in a circle -----------------------------------------------------------------------

COMPANY = "o=company"
_PAGE, _FIRST_BACKEND, _SECOND_BACKEND = 500, 28_104, 9_377
_PAGED = "1.2.840.113556.1.4.319"


class _LogOfControls(LogOpenDJ):
    """An access log with the controls of requests and results."""

    def asked(self, at: float, request: Request) -> None:
        if request.notes != _PAGED:
            super().asked(at, request)
            return
        self.line(
            at,
            f'{self._head(request, "REQ")} base="{request.dn}" scope=sub '
            f'filter="{request.query}" attrs="{request.attributes}" requestControls={_PAGED}',
        )

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        if request.notes != _PAGED:
            super().answered(at, request, queued, worked)
            return
        self.line(
            at,
            f"{self._head(request, 'RES')} result=0 nentries={request.entries} "
            f"responseControls={_PAGED} etime={round((queued + worked) * 1000)}",
        )


class _Circles(Simulation):
    """Pages are read by several at once, and four cores do that for all."""

    circles = 0

    def _serve(self, request: Request, client: Client) -> None:
        request.took *= max(1.0, 0.5 + self.circles / 2)
        super()._serve(request, client)


def write_circles(folder: Path) -> Waited:
    """After the last page of the first of two backends the cookie leads back to its first page."""
    log, errors = _LogOfControls("10.135.0.2"), Lines()
    sim = _Circles(
        log, utc(2022, 8, 17, 13, 0), 1500, workers=16, seed=693, first_connection=902, first_fd=40
    )
    office(sim, network="10.135.0", people=f"ou=people,dc=es,{COMPANY}")
    for turn in range(5):
        sim.start(35 + 300 * turn, _synchronisation(sim))
    sim.run()
    started = sim.begin - 26 * 3600
    moment = datetime.fromtimestamp(started, UTC)
    for name, entries in (("userRoot", _FIRST_BACKEND), ("userRoot2", _SECOND_BACKEND)):
        errors.add(
            started,
            f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] category=BACKEND severity=NOTICE msgID=513 "
            f"msg=The database backend {name} containing {entries} entries has started",
        )
    log.write(folder / "access")
    errors.write(folder / "errors")
    kinds = {"uid": "equality", "mail": "equality", "member": "equality", "objectClass": "equality"}
    config = _backend("userRoot", COMPANY, **kinds)
    config += _backend("userRoot2", f"dc=eus,{COMPANY}", **kinds)
    (folder / "config.ldif").write_text(config, "utf-8")
    return sim.waited


def _synchronisation(sim: _Circles) -> Client:
    """A run of a timer every five minutes: all people in pages, and it never sees the last one."""
    connection = sim.connect("10.135.0.44")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=portal-sync,ou=services,dc=es,{COMPANY}")
    sim.circles += 1
    while True:
        left = _FIRST_BACKEND
        while left > 0:
            page = Request(connection, "SRCH", sim.about(0.21, 0.1), COMPANY, 2)
            page.query, page.attributes = "(objectClass=inetOrgPerson)", "uid,cn,mail,entryUUID"
            page.entries, page.notes, page.culprit = min(left, _PAGE), _PAGED, True
            yield page
            left -= _PAGE
            yield sim.about(0.03)


# ---- changes that may be missing -------------------------------------------------------------

_SCANNED_S = 41.0
_ACCESS_LOG = """dn: cn=File-Based Access Logger,cn=Loggers,cn=config
objectClass: top
objectClass: ds-cfg-log-publisher
objectClass: ds-cfg-access-log-publisher
objectClass: ds-cfg-file-based-access-log-publisher
cn: File-Based Access Logger
ds-cfg-enabled: true
ds-cfg-log-file: logs/access
ds-cfg-suppress-internal-operations: false
ds-cfg-suppress-synchronization-operations: false

"""


class _LogOfTheInside(LogOpenDJ):
    """An access log with the operations of the server itself, which have negative connections."""

    def line(self, at: float, text: str) -> None:
        if " conn=-" in text:
            text = re.sub(r"( msgID=\d+)", r"\1 type=internal", text, count=1)
        super().line(at, text)


class _Recovering(Simulation):
    """All entries pass through the cache, so that what users need is no longer there."""

    def _serve(self, request: Request, client: Client) -> None:
        if not request.culprit:
            request.took *= 12 if self.random.random() < 0.93 else 300
        super()._serve(request, client)


def write_recovery(folder: Path) -> Waited:
    """A replica looks for changes of ten seconds by a range, which no index bounds at both ends."""
    log, errors = _LogOfTheInside("10.136.0.2", port=636), Lines()
    sim = _Recovering(
        log, utc(2026, 6, 30, 9, 0), 1500, workers=16, seed=694, first_connection=77, first_fd=50
    )
    office(sim, network="10.136.0", pace=1.4)
    sim.start(1, _missing_changes(sim))
    sim.run()
    connected = sim.begin - 2 * 3600
    moment = datetime.fromtimestamp(connected, UTC)
    errors.add(
        connected,
        f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] category=SYNC severity=NOTICE msgID=62 "
        f"msg=Directory server DS(21507) has connected to replication server RS(8101) for domain "
        f'"{SUFFIX}" at 10.136.0.3:8989 with generation ID 184467215',
    )
    log.write(folder / "access")
    errors.write(folder / "errors")
    config = _backend(
        "userRoot",
        SUFFIX,
        uid="equality",
        mail="equality",
        member="equality",
        entryUUID="equality",
        ds_sync_hist="ordering",
    )
    (folder / "config.ldif").write_text(config + _ACCESS_LOG, "utf-8")
    return sim.waited


def _missing_changes(sim: Simulation) -> Client:
    """Ten seconds of changes in forty seconds of work, so that the present is never reached."""
    connection = Connection(-6, 0, "", 0, operations=812)
    since = sim.begin - 5 * 3600
    while True:
        lower, upper = (f"{round(at * 1000):016x}5403" for at in (since, since + 10))
        changed = Request(connection, "SRCH", sim.about(_SCANNED_S, 0.05), SUFFIX, 2)
        changed.query = (
            f"(&(ds-sync-hist>=dummy:{lower}00000000)(ds-sync-hist<=dummy:{upper}ffffffff))"
        )
        changed.attributes, changed.notes = "ds-sync-hist,entryuuid,*", "unindexed"
        changed.entries, changed.culprit = sim.random.randrange(2), True
        yield changed
        since += 10
        yield 0.004


# ---- healthy ---------------------------------------------------------------------------------


def write_first_monday(folder: Path) -> Waited:
    """A busy Monday with a consumer, health checks, mistyped passwords, and a list for the post."""
    log = LogOpenLDAP("ldap4", pid=1602, handshake_s=0.004)
    sim = Simulation(
        log, utc(2025, 10, 6, 8, 0), 1500, seed=695, first_connection=120_344, first_fd=15
    )
    office(sim, network="10.137.0", pace=1.6)
    hosts = tuple(f"10.137.1.{number}" for number in range(20, 52))
    sim.start(2, logins(sim, hosts, every=1.8))
    replicator = f"cn=replicator,ou=services,{SUFFIX}"
    sim.start(1, following(sim, "10.137.0.3", replicator, SUFFIX, "(objectClass=*)"))
    monitor = f"cn=monitor,ou=services,{SUFFIX}"
    sim.start(4, monitoring(sim, "10.137.0.9", monitor, every=30, base="cn=Monitor"))
    sim.start(9, application(sim, "10.137.0.27", f"cn=print,ou=services,{SUFFIX}", every=2.1))
    sim.start(6, _balancer(sim))
    sim.start(420, _team(sim))
    sim.start(900, _post(sim))
    for turn in range(7):
        sim.start(90 + 180 * turn, _mistyped(sim, f"10.137.1.{60 + turn}"))
    sim.run()
    log.write(folder / "slapd.log")
    config = _mdb(
        SUFFIX,
        "olcDbIndex: objectClass,uid,mail,member,entryUUID,entryCSN eq",
        "olcDbIndex: cn,sn eq,sub",
    )
    (folder / "cn=config.ldif").write_text(config, "utf-8")
    return sim.waited


def _balancer(sim: Simulation) -> Client:
    """A load balancer asks every 20 s whether anybody is at home."""
    while True:
        connection = sim.connect("10.137.0.5")
        yield HANDSHAKE_S
        yield Request(connection, "SRCH", sim.about(0.0003), "", 0, "(objectClass=*)", "1.1", 1)
        sim.close(connection)
        yield 20.0


def _team(sim: Simulation) -> Client:
    """A department gets a new team, a member after the other."""
    connection = sim.connect("10.137.0.14")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=provisioning,ou=services,{SUFFIX}")
    team = f"cn=team-north,{GROUPS}"
    yield Request(connection, "ADD", sim.about(0.008), team)
    for _ in range(14):
        yield sim.random.uniform(4, 12)
        yield Request(connection, "MOD", sim.about(0.007), team, query="member")
    sim.close(connection)


def _post(sim: Simulation) -> Client:
    """Labels for a letter to all."""
    connection = sim.connect("10.137.0.61")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=post,ou=services,{SUFFIX}")
    labels = Request(connection, "SRCH", 0.9, PEOPLE, 1, "(objectClass=person)", "cn postalAddress")
    labels.entries = 4000
    yield labels
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
        yield sim.random.uniform(5, 14)


CASES: tuple[Case, ...] = (
    Case(
        "old_addresses",
        "ZBUG-730: New filter within LDAP is causing performance issues (2018)",
        "https://github.com/Zimbra/zm-build/pull/136",
        OPENLDAP,
        "the lookup of a mail alias also asks for zimbraOldMailAddress, which has no index: one "
        "such part of an OR makes all entries candidates, 3 s",
        rf"{UNINDEXED}|{OLD_ADDRESS}|candidate|{STANDS_OUT}",
        (OLD_ADDRESS, rf"{UNINDEXED}|\bindex"),
        rf"{INDEX_ADVICE}|slapindex|index\w* .{{0,40}}{OLD_ADDRESS}|{OLD_ADDRESS}.{{0,40}} index",
        write_old_addresses,
        share=0.99,
        accused=(DISK, THREADS, r"olcDbIndex:? [^\n]*zimbraMailStatus"),
    ),
    Case(
        "passwords_elsewhere",
        "OpenLDAP authentication acts very slow when Active Directory is unreachable (2024)",
        "https://go-mk-websites.co.uk/post/open-ldap-authentication-acts-very-slow-when-active",
        OPENLDAP,
        "the passwords of three in five people are checked by Active Directory (remoteauth), and "
        "their binds wait 5 s for an unreachable domain controller before the next is asked",
        rf"\bbinds?\b|password|log ?-?ins?\b|authenticat|{ELSEWHERE}|{STANDS_OUT}",
        (ELSEWHERE, r"\bbinds?\b|log ?-?ins?\b|authenticat"),
        r"remote.?auth|active directory|domain controller|pass.?through|(other|another|remote|"
        r"external|upstream) (server|director)|network.?time-?out|unreachable|reachab|firewall",
        write_unreachable,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, r"pbkdf2|argon2|iteration"),
    ),
    Case(
        "too_many_candidates",
        "ldap searches: do not subinitial search uid (2020)",
        "https://github.com/EsupPortail/esup-signature/pull/2",
        OPENLDAP,
        "one application looks for beginnings of uid, which have no index: more candidates than "
        "size.unchecked allows, and all of these searches are refused (11)",
        rf"{REFUSED}|limit|unchecked|{UNINDEXED}|\b11\b",
        (
            r"limit|unchecked|err\w*\W*11\b|\(11\)|\b11 \(|(code|result|with)\W*11\b",
            r"\buid\b|10\.134\.0\.30|esup",
        ),
        rf"{INDEX_ADVICE}|unchecked|olcLimits|olcSizeLimit|substring|\bsub\b|subinitial|equality|"
        r"without uid|exact|narrow",
        write_unchecked,
        accused=(DISK, THREADS, r"wrong passwords?|brute.?force|attack"),
    ),
    Case(
        "pages_in_a_circle",
        "Search error (paged search below two backends enters a loop) (2022)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/250",
        OPENDJ,
        "above two backends the cookie of a paged search leads back to the first page, so that "
        "the runs of one client never end, and every five minutes there is one more",
        rf"{PAGES}|{AGAIN}|{ENDLESS}|{STANDS_OUT}",
        (
            r"10\.135\.0\.44|cn=portal-sync|inetOrgPerson",
            rf"{PAGES}|{AGAIN}|{ENDLESS}|cookie|1\.4\.319",
        ),
        r"cookie|\bpaged?\b|\bpages\b|\bpaging|(one|single|each|either|other|every) backend|"
        r"dc=eus|narrower base|search base|upgrade|newer version|last (run|page)|overlap|"
        r"(wait|until).{0,40}(end|finish|complete)",
        write_circles,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "missing_changes",
        "Add support for bounded range query to use ordering index (2026)",
        "https://github.com/WrenSecurity/wrends/pull/142",
        OPENDJ,
        "replication looks for missing changes by ranges of ds-sync-hist, ten seconds of them at "
        "a time: the ordering index gives up on each half, and all entries are read for 41 s, "
        "again and again",
        rf"{UNINDEXED}|ds-sync-hist|replicat|synchroni[sz]|{AGAIN}|{STANDS_OUT}",
        (
            r"ds-sync-hist|replicat|missing changes",
            rf"{UNINDEXED}|\brange|>=|entry.?limit|candidate|{AGAIN}|all (the )?entries|whole|"
            r"one after (the other|another)|in a row|without (a )?pause",
        ),
        r"replicat|re-?initiali[sz]|dsreplication|ds-sync-hist|histor|purge|entry.?limit|"
        r"upgrade|newer version",
        write_recovery,
        share=0.88,
        accused=(r"create-backend-index", NO_SUCH_INDEX, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_first_monday",
        "health checks, a consumer, mistyped passwords and labels for a letter hurt nobody",
        OPENLDAP,
        write_first_monday,
    ),
)
