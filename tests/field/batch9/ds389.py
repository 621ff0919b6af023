"""The ninth ten, 389 DS: PAM, a thousand names, a slow link, a compaction, a request too big."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import Endings, read, service, sign_in, write_healthy_school
from tests.field.case import DISK, DS, HANGS, STANDS_OUT, THREADS, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    binding,
    monitoring,
    office,
    person,
    search,
    user,
)

BLAMES_A_HASH = r"password (hash|storage)|pbkdf2|iteration"


def _say(errors: Lines, at: float, text: str) -> None:
    errors.add(at, f"{stamp_389(at)} - {text}")


# ---- one question to PAM at a time -----------------------------------------------------------


_PAM = """dn: cn=config
objectClass: top
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: 30
nsslapd-errorlog-level: 16384

dn: cn=PAM Pass Through Auth,cn=plugins,cn=config
objectClass: top
objectClass: nsSlapdPlugin
objectClass: extensibleObject
objectClass: pamConfig
cn: PAM Pass Through Auth
nsslapd-pluginPath: libpam-passthru-plugin
nsslapd-pluginInitfunc: pam_passthruauth_init
nsslapd-pluginType: betxnpreoperation
nsslapd-pluginEnabled: on
nsslapd-pluginloadglobal: true
nsslapd-plugin-depends-on-type: database
nsslapd-pluginId: pam_passthruauth
pamMissingSuffix: ALLOW
pamExcludeSuffix: cn=config
pamIDMapMethod: RDN
pamIDAttr: notUsedWithRDNMethod
pamFallback: FALSE
pamSecure: TRUE
pamService: ldapserver

"""


class _Pam(Simulation):
    """Passwords of people are asked for at PAM, which is called by one thread at a time."""

    def _serve(self, request: Request, client: Client) -> None:
        if request.kind == "BIND" and request.dn.endswith(PEOPLE):
            request.took, request.lock = self.about(0.34, 0.06), "pam"
            request.culprit = True
        super()._serve(request, client)


def write_pam(folder: Path) -> Waited:
    """A bind of a person takes a third of a second; many at once end one after the other."""
    log = Log389("1.4.3.28", "ds1.example.com", "10.100.0.2")
    sim = _Pam(log, utc(2022, 4, 19, 8, 0), 1500, workers=30, seed=600)
    office(sim, network="10.100.0")
    sim.start(5, _visitors(sim))
    for lesson in range(200, 1500, 240):
        for number in range(14):
            sim.start(lesson + 0.06 * number, sign_in(sim, f"10.100.0.{60 + number % 3}"))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(_PAM, "utf-8")
    return sim.waited


def _visitors(sim: Simulation) -> Client:
    while True:
        yield sim.random.expovariate(1 / 1.3)
        address = f"10.100.0.{60 + sim.random.randrange(3)}"
        sim.start(sim.now - sim.begin, sign_in(sim, address))


# ---- a thousand names in one filter ----------------------------------------------------------


_SHOWN = 512
"""So many characters of a filter are logged."""


def write_thousand_names(folder: Path) -> Waited:
    """A roster asks for all people of a board by their names, in one filter."""
    log = Log389("3.1.4", "ds2.example.com", "10.101.0.2")
    sim = Simulation(log, utc(2026, 7, 23, 10, 0), 2400, workers=16, seed=601)
    office(sim, network="10.101.0")
    for second in (12, 31):
        sim.start(second, _boards(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _boards(sim: Simulation) -> Client:
    connection = sim.connect("10.101.0.30")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("roster"))
    while True:
        yield sim.random.expovariate(1 / 7)
        names = round(sim.random.uniform(120, 1400))
        # The board of a course that is over: its people have gone.
        there = 0 if sim.random.random() < 0.15 else names
        yield _of_these_names(sim, connection, names, there)


def _of_these_names(sim: Simulation, connection: Connection, names: int, there: int) -> Request:
    """Names that are not there cost a look into the index; each entry is tested by all names."""
    first = sim.random.randrange(2600) if there else 9000 + sim.random.randrange(2600)
    terms = "".join(f"(uid={user(first + number)})" for number in range(names))
    query = f"(|{terms})"
    shown = query if len(query) <= _SHOWN else f"{query[:_SHOWN]}..."
    took = 7e-6 * names + 1.06e-6 * there * names
    asked = Request(connection, "SRCH", sim.about(took, 0.05), PEOPLE, 2, shown, "uid cn mail")
    asked.entries, asked.culprit = there, True
    return asked


# ---- a slow link -----------------------------------------------------------------------------


class _Pieces(Log389):
    """Some requests arrive in pieces: their time in the queue begins with the first one."""

    def __init__(self, version: str, host: str, server: str) -> None:
        super().__init__(version, host, server)
        self.arriving: dict[Request, float] = {}

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        super().answered(at, request, queued + self.arriving.pop(request, 0.0), worked)


def write_slow_link(folder: Path) -> Waited:
    """Photos come in from a branch office over a slow link; those of the head office do not."""
    log = _Pieces("2.5.0", "ds3.example.com", "10.102.0.2")
    sim = Simulation(log, utc(2024, 9, 16, 9, 0), 1800, workers=16, seed=602)
    office(sim, network="10.102.0")
    for number in range(4):
        sim.start(4 + 3 * number, _photos(sim, log, f"10.102.8.{20 + number}", link_s=2.4))
    for number in range(2):
        sim.start(9 + 5 * number, _photos(sim, log, f"10.102.0.{50 + number}", link_s=0.0))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _photos(sim: Simulation, log: _Pieces, address: str, *, link_s: float) -> Client:
    """A desk where people are photographed; a look-up fits into one packet, a photo does not."""
    connection = sim.connect(address)
    yield HANDSHAKE_S + link_s / 10
    yield binding(sim, connection, service("badge-office"))
    while True:
        yield sim.random.expovariate(1 / 42)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        yield sim.about(0.4)
        change = Request(connection, "MOD", sim.about(0.012), person(number), query="jpegPhoto")
        if link_s:
            arriving = sim.about(link_s, 0.5)
            yield arriving
            log.arriving[change] = arriving
            change.culprit = True
            sim.waited.total += arriving
            sim.waited.culprit += arriving
        yield change
        yield sim.about(0.2)
        yield read(sim, connection, person(number))


# ---- a compaction that was switched off ------------------------------------------------------


_COMPACTION_S = (1140.0, 1558.0)
_SWITCHED_OFF = """dn: cn=config
objectClass: top
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: 16
nsslapd-errorlog-level: 16384

dn: cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: extensibleObject
cn: bdb
nsslapd-cache-autosize: 25
nsslapd-cache-autosize-split: 25
nsslapd-db-checkpoint-interval: 60
nsslapd-db-compactdb-interval: 0
nsslapd-db-compactdb-time: 23:59
nsslapd-db-durable-transaction: on
nsslapd-db-locks: 50000
nsslapd-db-logbuf-size: 0

"""


class _Compacted(Simulation):
    """Whoever needs a page that was moved waits until the whole database is compacted."""

    def _serve(self, request: Request, client: Client) -> None:
        compacting = _COMPACTION_S[0] <= self.now - self.begin < _COMPACTION_S[1]
        if compacting and request.dn.endswith(SUFFIX):
            needed = request.kind == "MOD" or self.random.random() < 0.3
            request.lock = "pages" if needed else request.lock
        super()._serve(request, client)


def write_compaction(folder: Path) -> Waited:
    """At a minute to midnight the database is compacted, though the interval is 0.

    See https://github.com/389ds/389-ds-base/issues/7510.
    """
    log, errors = Log389("2.7.0", "ds4.example.com", "10.103.0.2"), Lines()
    sim = _Compacted(log, utc(2026, 5, 20, 23, 40), 1800, workers=16, seed=603)
    office(sim, network="10.103.0", pace=0.7)
    sim.start(5, monitoring(sim, "10.103.0.9", service("monitor"), every=10, base="cn=monitor"))
    first, last = _COMPACTION_S
    sim.at(first, partial(sim.hold, "pages", last - first))
    _restarted(errors, sim.begin - 4212.0)
    _compacted(errors, sim.begin + first, sim.begin + last)
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    (folder / "dse.ldif").write_text(_SWITCHED_OFF, "utf-8")
    return sim.waited


def _restarted(errors: Lines, at: float) -> None:
    _say(errors, at, "INFO - main - 389-Directory/2.7.0 B2024.103.0000 starting up")
    _say(
        errors,
        at + 2.1,
        "INFO - slapd_daemon - slapd started.  Listening on All Interfaces port 389 for LDAP "
        "requests",
    )
    _say(
        errors,
        at + 2.1001,
        "INFO - slapd_daemon - Listening on All Interfaces port 636 for LDAPS requests",
    )


def _compacted(errors: Lines, first: float, last: float) -> None:
    _say(errors, first, "NOTICE - bdb_do_compact - Compacting databases ...")
    _say(errors, first + 0.001, "NOTICE - bdb_do_compact - Compacting DB start: userRoot")
    _say(
        errors,
        last - 0.002,
        "NOTICE - bdb_db_compact_one_db - compactdb: compact userRoot - 48211 pages freed",
    )
    _say(errors, last, "NOTICE - bdb_do_compact - Compacting databases finished.")


# ---- a request that is too big ---------------------------------------------------------------


_LIMITS = """dn: cn=config
objectClass: top
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: 16
nsslapd-maxdescriptors: 8192
nsslapd-idletimeout: 0
nsslapd-ioblocktimeout: 10000
nsslapd-maxbersize: 2097152
nsslapd-sizelimit: 2000
nsslapd-timelimit: 3600

"""
_TOO_BIG = "closed error 34 (Numerical result out of range) - B2"
"""The number is what the library of the protocol says of a length above the limit."""


def write_too_big(folder: Path) -> Waited:
    """All 31,000 members of a group are sent in one change, which the server does not even read."""
    log = Endings("1.4.4.19", "ds5.example.com", "10.104.0.2")
    sim = Simulation(log, utc(2023, 5, 8, 13, 0), 1800, workers=16, seed=604)
    office(sim, network="10.104.0")
    sim.start(33, _group_sync(sim, log))
    sim.run()
    log.write(folder / "access", log.header)
    (folder / "dse.ldif").write_text(_LIMITS, "utf-8")
    return sim.waited


def _group_sync(sim: Simulation, log: Endings) -> Client:
    """Three small groups are written, and the large one breaks the run off; then all again."""
    while True:
        connection = sim.connect("10.104.0.25")
        yield HANDSHAKE_S
        yield binding(sim, connection, service("group-sync"))
        for name in ("staff", "guests", "lecturers"):
            group = f"cn={name},{GROUPS}"
            yield read(sim, connection, group)
            yield Request(connection, "MOD", sim.about(0.02), group, query="member")
            yield sim.about(0.05)
        yield read(sim, connection, f"cn=students,{GROUPS}")
        yield sim.about(0.6)
        log.endings[connection.number] = _TOO_BIG
        sim.close(connection, clean=False)
        yield sim.random.uniform(28, 34)


CASES: tuple[Case, ...] = (
    Case(
        "pam_one_at_a_time",
        "Serialization of pam_passthrough causing high etimes (2022)",
        "https://github.com/389ds/389-ds-base/issues/5271",
        DS,
        "passwords of people are asked for at PAM, 0.34 s each and one at a time: binds wait",
        rf"\bbinds?\b|log ?ins?\b|\bPAM\b|pass.?through|serial|{BLOCKS}|{STANDS_OUT}",
        (
            r"\bbinds?\b|\bPAM\b|pass.?through",
            r"\bPAM\b|pass.?through|serial|(one|each|done) (at a time|after|by one)|in turn|"
            r"(each|one an)other|\bbehind\b|\block|plug-?in|constant|0\.3\d*\s?s|"
            r"\b3\d\d(\.\d+)?\s?ms",
        ),
        r"\bPAM\b|thread.?safe|pass.?through|upgrade|newer version|5271",
        write_pam,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "thousand_names",
        "Per-entry filter test is O(candidates x branches) for large equality OR filters (2026)",
        "https://github.com/389ds/389-ds-base/issues/7664",
        DS,
        "a roster asks for up to 1,400 people by their names in one filter: twice the names, four "
        "times the time",
        rf"\bterms?\b|\bbranch(es)?\b|many (values|names|parts|alternatives)|alternatives|"
        rf"(long|large|wide|huge|big)(er)? (\w+ )?(filter|list)|{STANDS_OUT}",
        (
            r"10\.101\.0\.30|cn=roster",
            r"\buid\b",
            r"\(\||\bterms?\b|\bbranch|values|names|alternatives|long",
        ),
        r"split|smaller|shorter|fewer|in parts|batch|chunk|at most|upgrade|newer version|"
        r"or-filter-lookup|memberOf|one attribute|7664|6275",
        write_thousand_names,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, r"nsIndexType"),
    ),
    Case(
        "photos_over_a_slow_link",
        "high wtime may not be related to worker starvation (2024)",
        "https://github.com/389ds/389-ds-base/issues/6326",
        DS,
        "changes of a branch office arrive in pieces over a slow link: wtime is high while "
        "threads are free",
        rf"network|\blink\b|slow (client|line|sender|connection)|arriv|in pieces|"
        rf"\bsen(d|t|ds|ding) .{{0,30}}(slow|late)|slow\w* .{{0,30}}\bsen(d|t|ds|ding)\b|"
        rf"read(s|ing)? (the|a|its|their|these) (\w+ )?requests?|{STANDS_OUT}",
        (
            r"10\.102\.8\.",
            r"wtime|queue|network|\blink\b|arriv|\bsen[dt]|read(ing)? (the|a) request|"
            r"before (a|the) (worker|thread|operation)|slow (client|line)",
        ),
        r"network|\blink\b|\bline\b|\bMTU\b|packet|bandwidth|retransmi|wqtime|smaller|"
        r"not the (server|worker|thread)|for the owner|nearer",
        write_slow_link,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, r"too few (worker )?threads"),
    ),
    Case(
        "compaction_switched_off",
        "Regression in 2.7.0: compactdb-interval=0 fails to disable database compaction after "
        "instance restart (2026)",
        "https://github.com/389ds/389-ds-base/issues/7510",
        DS,
        "at 23:59 the database is compacted though the interval is 0: all stand still for 7 min",
        rf"compact|{BLOCKS}|{HANGS}",
        (r"compact",),
        r"compact(db)?-(interval|time)|quiet|at night|off-?peak|off.?hours|maintenance|upgrade|"
        r"newer version|fixed in|7510|7728|(large|long)\w* interval|another time",
        write_compaction,
        share=0.99,
        accused=(BLAMES_AN_INDEX, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "request_too_big",
        "nsslapd-maxbersize attribute getting full repeatedly and cannot increase it more (2023)",
        "https://github.com/389ds/389-ds-base/issues/5759",
        DS,
        "a client sends a group of 31,000 in one change above nsslapd-maxbersize: the server "
        "closes the connection (B2), and the client begins again every half minute",
        r"\bB2\b|\bBER\b|maxbersize|too (big|large|long)|larger than|"
        r"(large|big|long) (request|change|message|element)|size of (a |the )?(request|message)",
        (
            r"10\.104\.0\.25|cn=group-sync",
            r"\bB2\b|\bBER\b|maxbersize|too (big|large|long)",
        ),
        r"maxbersize|smaller|in parts|split|several (changes|requests|MODs)|difference|"
        r"only (the |those )?(changed|new)|fewer (values|members)",
        write_too_big,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"idle.?time-?out|firewall"),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_school",
        "lessons begin, an application restarts and idle connections end",
        DS,
        write_healthy_school,
    ),
)
