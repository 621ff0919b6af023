"""The ninth ten, OpenLDAP and OpenDJ: computed groups, a paused server, and TLS for everybody."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.field.batch5 import ALL_OF_IT, BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch8.others import HEAP
from tests.field.batch9.opendj import (
    write_after_the_cut,
    write_assured_replication,
    write_virtual_groups,
)
from tests.field.case import (
    DISK,
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
from tests.field.dialects import LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import HANDSHAKE_S, PEOPLE, binding, office, person, search, user

CHANGES = r"\bMODs?\b|\bADDs?\b|chang|\bwrit|modif|updat"
CONSTANT = (
    r"\bconstant|same (length|time)|at least 2(\.0\d*)? ?s|fixed (time|length|delay)|"
    r"\b2(\.0\d*)?\s?s\b|\b2[,.]?00\d(\.\d+)?\s?ms|two seconds|time-?out"
)
"""Whatever is written takes the same two seconds."""
TLS = r"\bTLS\b|StartTLS|\bLDAPS\b|encrypt|confidential"


# ---- attributes that are computed ------------------------------------------------------------

_COMPUTED = f"""dn: cn=module{{0}},cn=config
objectClass: olcModuleList
cn: module{{0}}
olcModulePath: /usr/lib/ldap
olcModuleLoad: {{0}}back_mdb
olcModuleLoad: {{1}}dynlist

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 4294967296
olcDbIndex: objectClass eq
olcDbIndex: uid,mail,member eq
olcDbIndex: entryUUID,entryCSN eq

dn: olcOverlay={{0}}dynlist,olcDatabase={{1}}mdb,cn=config
objectClass: olcOverlayConfig
objectClass: olcDynListConfig
olcOverlay: {{0}}dynlist
olcDynListAttrSet: {{0}}groupOfURLs memberURL member+memberOf@groupOfNames

"""


def write_computed_groups(folder: Path) -> Waited:
    """Whoever asks for memberOf has it computed from all groups; without it all is fast."""
    log = LogOpenLDAP("ldap3", pid=1022)
    sim = Simulation(log, utc(2024, 3, 5, 9, 0), 1800, seed=650, first_connection=1900, first_fd=14)
    office(sim, network="10.96.0", pace=1.3)
    sim.start(4, _sign_on(sim))
    sim.start(9, _wiki(sim))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_COMPUTED, "utf-8")
    return sim.waited


def _sign_on(sim: Simulation) -> Client:
    """A login: who it is, and then the same entry with its groups."""
    connection = sim.connect("10.96.0.21")
    yield 0.002
    yield binding(sim, connection, f"cn=sso,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 1.1)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0006)
        yield sim.about(0.01)
        entry = Request(connection, "SRCH", sim.about(0.38, 0.08), person(number), 0)
        entry.query, entry.attributes = "(objectClass=*)", "cn mail memberOf"
        entry.entries, entry.culprit = 1, True
        yield entry


def _wiki(sim: Simulation) -> Client:
    """Another application, which looks for the person and asks for the groups at once."""
    connection = sim.connect("10.96.0.22")
    yield 0.002
    yield binding(sim, connection, f"cn=wiki,ou=services,{SUFFIX}")
    while True:
        yield sim.random.expovariate(1 / 2.3)
        wanted = f"(uid={user(sim.random.randrange(4000))})"
        asked = Request(connection, "SRCH", sim.about(0.38, 0.08), PEOPLE, 2, wanted)
        asked.attributes, asked.entries, asked.culprit = "cn mail memberOf", 1, True
        yield asked


# ---- a pool of threads that pauses -----------------------------------------------------------


_NO_TIME_LIMITS = f"""dn: cn=config
objectClass: olcGlobal
cn: config
olcIdleTimeout: 0
olcWriteTimeout: 0
olcThreads: 16
olcLogLevel: stats

dn: olcDatabase={{1}}mdb,cn=config
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: {SUFFIX}
olcDbMaxSize: 8589934592
olcDbIndex: objectClass eq
olcDbIndex: uid,mail,member eq
olcDbIndex: departmentNumber,employeeType eq
olcDbIndex: entryUUID,entryCSN eq

"""


class _LogWithPauses(LogOpenLDAP):
    """While its threads pause, slapd neither accepts a connection nor reads a request."""

    def __init__(self, host: str, *, pid: int) -> None:
        super().__init__(host, pid=pid)
        self._pauses: list[tuple[float, float]] = []

    def pause(self, begin: float, until: float) -> None:
        self._pauses.append((begin, until))

    def opened(self, at: float, connection: Connection) -> None:
        super().opened(self._noticed(at), connection)

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        # What a client sends meanwhile is read at the end: its time in the queue begins there.
        taken = at - worked
        super().answered(at, request, taken - self._noticed(taken - queued), worked)

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        noticed = self._noticed(at)
        # What was closed meanwhile is noticed first, so that its descriptor is free again.
        super().closed(noticed - 0.003 if noticed > at else at, connection, clean)

    def _noticed(self, at: float) -> float:
        for begin, until in self._pauses:
            if begin < at < until - 0.01:
                return until - 0.003 + 0.002 * (at - begin) / (until - begin)
        return at


class _OnePool(Simulation):
    """A change of the configuration waits for all that works, and all else waits for it."""

    reader: Connection | None = None
    """Connection of a client that no longer reads the answer to its search."""

    def stop(self, log: _LogWithPauses, seconds: float) -> None:
        until = self.now + seconds
        self.hold("pool", seconds)
        log.pause(self.now, until)
        self._free = [max(free, until) for free in self._free]
        if self.reader is not None:
            lost = partial(self.close, self.reader, clean=False)
            self.at(until - self.begin - 0.007, lost)
            self.reader = None


def write_paused_pool(folder: Path) -> Waited:
    """A change of cn=config waits for a client that does not read; nobody is served meanwhile."""
    log = _LogWithPauses("ldap1", pid=1290)
    sim = _OnePool(log, utc(2023, 5, 9, 10, 0), 1500, seed=651, first_connection=5200, first_fd=14)
    office(sim, network="10.97.0", pace=2.0)
    sim.start(150, _settings(sim, log, "olcLimits", 0.0))
    sim.start(395, _report(sim))
    sim.start(430, _settings(sim, log, "olcDbIndex", 96.2))
    sim.start(960, _report(sim))
    sim.start(1010, _settings(sim, log, "olcDbIndex", 58.4))
    sim.start(1280, _settings(sim, log, "olcDbIndex", 0.0))
    sim.run()
    log.write(folder / "slapd.log")
    (folder / "cn=config.ldif").write_text(_NO_TIME_LIMITS, "utf-8")
    return sim.waited


def _settings(sim: _OnePool, log: _LogWithPauses, attribute: str, paused_s: float) -> Client:
    """An administrator changes a setting of the database."""
    connection = sim.connect("10.97.0.5")
    yield 0.002
    yield binding(sim, connection, "cn=admin,cn=config")
    yield 6.0
    if paused_s:
        sim.at(sim.now - sim.begin + 0.001, partial(sim.stop, log, paused_s))
    change = Request(connection, "MOD", 0.004, "olcDatabase={1}mdb,cn=config", query=attribute)
    if paused_s:
        change.took, change.culprit = paused_s - 0.004, True
    yield change
    yield 2.0
    sim.close(connection)


def _report(sim: _OnePool) -> Client:
    """A report asks for everything, and then does not read what comes."""
    connection = sim.connect("10.97.0.61")
    yield 0.002
    yield binding(sim, connection, f"cn=report,ou=services,{SUFFIX}")
    sim.reader = connection
    everything = Request(connection, "SRCH", 0.0, SUFFIX, 2, "(objectClass=person)", "* +")
    everything.detached = True
    yield everything


# ---- TLS for everybody -----------------------------------------------------------------------


NGINX, NGINX_DN = "10.98.0.30", f"cn=nginx,ou=services,{SUFFIX}"


class _LogWithTls(LogOpenLDAP):
    """All clients but one use LDAPS; a bind that is refused has one line only."""

    def opened(self, at: float, connection: Connection) -> None:
        if connection.address != NGINX:
            super().opened(at, connection)
            return
        where = f"IP={connection.address}:{connection.port} (IP=0.0.0.0:389)"
        self.line(at, f"conn={connection.number} fd={connection.fd} ACCEPT from {where}")

    def _requests(self, request: Request) -> list[str]:
        lines = super()._requests(request)
        if request.connection.address != NGINX:
            return lines
        plain = [line.replace("ssf=256", "ssf=0") for line in lines]
        return plain[:1] if request.error == 13 else plain


class _Secured(Simulation):
    """A server that from some moment on wants TLS."""

    required = False


def write_tls_required(folder: Path) -> Waited:
    """Since olcSecurity asks for TLS, all binds of the one client without it are refused."""
    log = _LogWithTls("ldap2", pid=1593, old=True, handshake_s=0.004)
    sim = _Secured(log, utc(2017, 4, 10, 13, 0), 1500, seed=652, first_connection=101_000)
    office(sim, network="10.98.0")
    sim.start(2, _visitors(sim))
    sim.start(480, _hardening(sim))
    sim.run()
    log.write(folder / "slapd.log")
    return sim.waited


def _hardening(sim: _Secured) -> Client:
    connection = sim.connect("10.98.0.5")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=admin,cn=config")
    yield 4.0
    yield Request(connection, "MOD", 0.005, "cn=config", query="olcSecurity")
    sim.required = True
    yield 3.0
    sim.close(connection)


def _visitors(sim: _Secured) -> Client:
    while True:
        yield sim.random.expovariate(1 / 2.4)
        sim.start(sim.now - sim.begin, _page(sim, sim.random.randrange(300)))


def _page(sim: _Secured, number: int) -> Client:
    """A web server checks the password for all parts of a page; a person tries again in vain."""
    parts = sim.random.randrange(1, 4) if sim.required else sim.random.randrange(3, 8)
    for _ in range(parts):
        connection = sim.connect(NGINX)
        yield 0.001
        bind = binding(sim, connection, NGINX_DN, 0.0018)
        if sim.required:
            bind.took, bind.error, bind.culprit = sim.about(0.0002), 13, True
            bind.notes = "TLS confidentiality required"
        yield bind
        if not bind.error:
            yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0006)
            yield binding(sim, connection, person(number), 0.0024)
        sim.close(connection)
        yield sim.about(4.0 if bind.error else 0.08)


CASES: tuple[Case, ...] = (
    Case(
        "computed_member_of",
        "memberOf will be soon deprecated (2021)",
        "https://github.com/ltb-project/slapd-cli/issues/42",
        OPENLDAP,
        "the overlay dynlist computes memberOf for each search that asks for it: 380 ms, not 1",
        rf"memberOf|dynlist|dynamic|comput|attribute|{STANDS_OUT}",
        (
            r"memberOf|dynlist",
            r"10\.96\.0\.2[12]|cn=sso|cn=wiki|dynlist|attribut",
        ),
        r"dynlist|dynamic|memberof overlay|overlay memberof|slapo-memberof|autogroup|nestgroup|"
        r"without memberOf|(only|fewer|which|name the|not need(ed)?) (\w+ ){0,2}attributes|"
        r"(not|less often|only) (ask|request)",
        write_computed_groups,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS),
    ),
    Case(
        "paused_by_a_setting",
        "(ITS#6276) paused pool can deadlock if writers are waiting (2009)",
        "https://www.openldap.org/lists/openldap-bugs/200908/msg00204.html",
        OPENLDAP,
        "a change of cn=config waits for a client that does not read, and all others wait for it: "
        "96 s and 58 s",
        rf"{HANGS}|{BLOCKS}|\bpaus|silen|still\b|cn=config|{CHANGES}|{STANDS_OUT}",
        (r"cn=config|olcDatabase|olcDbIndex|(change|setting)s? of the configuration",),
        r"write.?time-?out|quiet|off.?(peak|hours)|outside|maintenance|at night|"
        r"(client|report)s? (that|which) (do(es)? not|no longer) read|slow (client|reader)|"
        r"upgrade|newer version|fixed in|\bstacks?\b|\bgdb\b",
        write_paused_pool,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS),
    ),
    Case(
        "tls_required",
        "TLS confidentiality required (2017)",
        "https://github.com/kvspb/nginx-auth-ldap/issues/175",
        OPENLDAP,
        "since olcSecurity asks for TLS, all binds of a web server without it end with error 13",
        rf"{REFUSED}|err\w*\W*13\b|\b13 \(|{TLS}",
        (
            rf"err\w*\W*13\b|\(13\)|\b13 \(|(code|result|with)\W*13\b|{TLS}",
            r"10\.98\.0\.30|cn=nginx",
        ),
        r"StartTLS|\bLDAPS\b|(use|over|with|want|without) TLS|encrypt|olcSecurity|port 636|"
        r"TLS (first|on|in|for)\b",
        write_tls_required,
        accused=(
            BLAMES_AN_INDEX,
            INDEX_ADVICE,
            DISK,
            THREADS,
            r"wrong passwords?|invalid credentials",
        ),
    ),
    Case(
        "virtual_member_of",
        "Using ismemberof in search query taking long time to get the results (2025)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/525",
        OPENDJ,
        "the members of two groups are looked for by isMemberOf, which no index can serve: 7 min",
        rf"isMemberOf|virtual|comput|{UNINDEXED}|{ALL_OF_IT}|{STANDS_OUT}",
        (
            r"isMemberOf",
            rf"10\.99\.0\.44|cn=synergy|virtual|{UNINDEXED}",
        ),
        r"virtual|read\w* (the|each|both|its|these) (\w+ )?group|group entr|of the groups?\b|"
        r"ask(s|ing)? the group|groups? (itself|themselves)|upgrade|newer version",
        write_virtual_groups,
        share=0.99,
        accused=(INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
    Case(
        "assured_replication",
        "Assured Replication: slower, potentially waiting for a timeout (OpenDJ 4, admin guide)",
        "https://raw.githubusercontent.com/wiki/OpenIdentityPlatform/OpenDJ/docbkx/webhelp/"
        "admin-guide/repl-assured.html",
        OPENDJ,
        "each change waits 2.0 s for another server to acknowledge it, which it never does in time",
        rf"assured|replica|acknowledg|{CONSTANT}|{CHANGES}|{STANDS_OUT}",
        (CHANGES, rf"assured|replica|acknowledg|{CONSTANT}"),
        r"assured|replica|acknowledg|(the|an) other server|peer",
        write_assured_replication,
        share=0.99,
        accused=(BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS, HEAP),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_after_the_cut",
        "hosts come back after a power cut, a backup, leavers and a curious administrator",
        OPENDJ,
        write_after_the_cut,
    ),
)
