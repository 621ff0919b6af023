"""The tenth ten, 389 DS: an index too many, an old password, five listeners, locks, slow pages."""

from __future__ import annotations

import math
from pathlib import Path

from tests.field.batch3 import END_SESSION, START_SESSION
from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SOCKET, SUFFIX
from tests.field.batch8.ds389 import EXTENSION
from tests.field.batch9.school import Endings, read, service, sign_in
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
MANAGER = "cn=replication manager,cn=config"
_SERVER = """dn: cn=config
objectClass: nsslapdConfig
cn: config
nsslapd-threadnumber: 16
nsslapd-errorlog-level: 16384
"""


def _say(errors: Lines, at: float, text: str) -> None:
    errors.add(at, f"{stamp_389(at)} - {text}")


def _escaped(suffix: str) -> str:
    """A DN as it stands within another."""
    return suffix.replace("=", "\\3D").replace(",", "\\2C")


def _index(name: str, *kinds: str) -> str:
    dn = f"cn={name},cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    types = "".join(f"nsIndexType: {kind}\n" for kind in kinds)
    return f"dn: {dn}\nobjectClass: nsIndex\ncn: {name}\nnsSystemIndex: false\n{types}\n"


# ---- an index for parts of the names of members ----------------------------------------------

EVERYBODY = f"cn=all-staff,{GROUPS}"


def write_substring_index(folder: Path) -> Waited:
    """Each leaver is taken out of a group of 24,000, whose members are indexed by their parts."""
    log = Log389("2.4.5", "ds1.example.com", "10.110.0.2")
    sim = Simulation(log, utc(2024, 12, 2, 9, 0), 2700, workers=16, seed=700)
    office(sim, network="10.110.0", lock="backend")
    sim.start(45, _leavers(sim))
    sim.start(20, _teams(sim))
    sim.run()
    log.write(folder / "access", log.header)
    indexes = "".join(_index(name, "eq") for name in ("uid", "memberOf", "objectclass"))
    indexes += "".join(_index(name, "eq", "pres", "sub") for name in ("mail", "member"))
    (folder / "dse.ldif").write_text(f"{_SERVER}\n{indexes}", "utf-8")
    return sim.waited


def _leavers(sim: Simulation) -> Client:
    connection = sim.connect("10.110.0.26")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("hr-leavers"))
    while True:
        yield sim.random.expovariate(1 / 70)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        leaves = Request(connection, "MOD", sim.about(19.5, 0.08), EVERYBODY, lock="backend")
        leaves.culprit = True
        yield leaves
        yield sim.about(0.1)
        yield Request(connection, "DEL", sim.about(0.02), person(number), lock="backend")


def _teams(sim: Simulation) -> Client:
    """People join and leave small groups, which costs nothing to speak of."""
    connection = sim.connect("10.110.0.27")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("team-rooms"))
    while True:
        yield sim.random.expovariate(1 / 25)
        group = f"cn=team{sim.random.randrange(60)},{GROUPS}"
        yield read(sim, connection, group)
        yield Request(connection, "MOD", sim.about(0.014), group, lock="backend")


# ---- the old password of a supplier ----------------------------------------------------------

PARTNERS = "o=partners"
_CHANGED_S = 610.0
_REPLICA = """
dn: cn=replica,cn={named},cn=mapping tree,cn=config
objectClass: nsds5Replica
cn: replica
nsDS5ReplicaRoot: {suffix}
nsDS5ReplicaId: 2
nsDS5ReplicaType: 3
nsDS5Flags: 1
nsDS5ReplicaBindDN: cn=replication manager,cn=config
"""


def write_old_password(folder: Path) -> Waited:
    """The password of the replication manager is new, but a supplier goes on with the old one."""
    log = Log389("2.1.1", "ds2.example.com", "10.111.0.2")
    sim = Simulation(log, utc(2022, 5, 6, 9, 0), 3600, workers=16, seed=701)
    office(sim, network="10.111.0")
    sim.start(8, monitoring(sim, "10.111.0.9", service("monitor"), every=30, base="cn=monitor"))
    for number, suffix in enumerate((SUFFIX, PARTNERS)):
        sim.start(20 + 7 * number, _agreement(sim, suffix))
    sim.start(_CHANGED_S - 0.5, _new_password(sim))
    for number in range(24):
        mistakes = 1 if number % 8 == 5 else 0
        sim.start(100 + 140 * number, sign_in(sim, f"10.111.1.{20 + number}", mistakes))
    sim.run()
    log.write(folder / "access", log.header)
    replicas = "".join(
        _REPLICA.format(suffix=suffix, named=_escaped(suffix)) for suffix in (SUFFIX, PARTNERS)
    )
    (folder / "dse.ldif").write_text(f"{_SERVER}{replicas}\n", "utf-8")
    return sim.waited


def _agreement(sim: Simulation, suffix: str) -> Client:
    """Sessions while they are let in; then ever longer pauses between the attempts."""
    pause = 3.0
    while True:
        connection = sim.connect("10.111.0.71")
        yield HANDSHAKE_S
        bind = binding(sim, connection, MANAGER, 0.003)
        refused = sim.now - sim.begin >= _CHANGED_S
        bind.error = 49 if refused else 0
        yield bind
        if refused:
            sim.close(connection)
            yield pause
            pause = min(2 * pause, 300.0)
            continue
        yield from _session(sim, connection, suffix, sim.random.randrange(2, 24))
        sim.close(connection)
        yield sim.random.expovariate(1 / 35)


def _session(sim: Simulation, connection: Connection, suffix: str, changes: int) -> Client:
    """What a supplier sends at a time."""
    for oid in (START_SESSION, END_SESSION):
        yield Request(connection, "EXT", sim.about(0.004), query=oid, attributes=EXTENSION)
        for number in range(changes if oid == START_SESSION else 0):
            who = person(sim.random.randrange(4000), f"ou=people,{suffix}")
            csn = f"{int(sim.now):08x}{number:04x}00010000"
            yield Request(connection, "MOD", sim.about(0.005), who, csn=csn)
            yield sim.about(0.02)


def _new_password(sim: Simulation) -> Client:
    connection = sim.connect("", SOCKET)
    yield 0.01
    yield Request(connection, "MOD", sim.about(0.01), MANAGER, query="userPassword")
    yield 0.02
    sim.close(connection)


# ---- five searches that stay open on one connection ------------------------------------------

_PER_CONNECTION = 5
_GIVES_UP_S = 60.0
_BRANCHES = ("hosts", "printers", "sites", "policies", "networks")


class _Listening(Simulation):
    """Who opens a search for changes goes on at once."""

    def _serve(self, request: Request, client: Client) -> None:
        super()._serve(request, client)
        if request.detached:
            self.start(self.now - self.begin + 0.004, client)


def write_listeners(folder: Path) -> Waited:
    """A gateway follows five branches over one connection, which then is not read any more."""
    log = Log389("1.4.3.16", "ds3.example.com", "10.112.0.2")
    sim = _Listening(log, utc(2021, 2, 11, 10, 0), 1800, workers=16, seed=702)
    office(sim, network="10.112.0")
    sim.start(12, _gateway(sim, "10.112.0.40", _BRANCHES))
    sim.start(16, _gateway(sim, "10.112.0.41", _BRANCHES[:3]))
    sim.run()
    log.write(folder / "access", log.header)
    limits = f"nsslapd-maxthreadsperconn: {_PER_CONNECTION}\nnsslapd-idletimeout: 0\n"
    (folder / "dse.ldif").write_text(f"{_SERVER}{limits}\n", "utf-8")
    return sim.waited


def _gateway(sim: Simulation, address: str, branches: tuple[str, ...]) -> Client:
    while True:
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield binding(sim, connection, service("gateway"))
        for branch in branches:
            base = f"ou={branch},{SUFFIX}"
            follows = Request(connection, "SRCH", math.inf, base, 2, "(objectClass=*)")
            follows.detached = True
            yield follows
        while len(branches) < _PER_CONNECTION:
            yield sim.random.expovariate(1 / 3)
            wanted = f"(uid={user(sim.random.randrange(4000))})"
            yield search(sim, connection, PEOPLE, wanted, 0.0007)
        # Its next question is never read, so that no line is written; nor is its farewell.
        sim.waited.total += _GIVES_UP_S
        sim.waited.culprit += _GIVES_UP_S
        yield _GIVES_UP_S + sim.about(4)


# ---- the locks of the database ---------------------------------------------------------------

_UNIQUE = "cn=badge number uniqueness,cn=plugins,cn=config"
_THRESHOLD = (
    "DB locks threshold is reached (nsslapd-db-locks-monitoring-threshold under cn=bdb,cn=config,"
    "cn=ldbm database,cn=plugins,cn=config). Please, increase nsslapd-db-locks according to your "
    "needs."
)
_LOCKS = f"""
dn: cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config
objectClass: extensibleObject
cn: bdb
nsslapd-db-locks: 10000
nsslapd-db-locks-monitoring-enabled: on
nsslapd-db-locks-monitoring-threshold: 90

dn: {_UNIQUE}
objectClass: nsSlapdPlugin
cn: badge number uniqueness
nsslapd-pluginType: betxnpreoperation
nsslapd-pluginEnabled: on
uniqueness-attribute-name: badgeNumber
uniqueness-subtrees: {SUFFIX}

"""


class _Locks(Simulation):
    """While nearly all locks are taken, no search below the suffix goes on."""

    errors: Lines
    full = (0.0, 0.0)

    def _serve(self, request: Request, client: Client) -> None:
        below = request.kind == "SRCH" and request.dn.endswith(SUFFIX)
        if below and self.full[0] <= self.now < self.full[1]:
            request.error, request.entries, request.took = 53, 0, self.about(0.0003)
            request.culprit = True
            _say(self.errors, self.now, f"CRIT - ldbm_back_next_search_entry - {_THRESHOLD}")
        super()._serve(request, client)


def write_locks(folder: Path) -> Waited:
    """Each new person is compared with all entries in a transaction, until the locks run out."""
    log = Log389("2.0.15", "ds4.example.com", "10.113.0.2")
    sim = _Locks(log, utc(2022, 2, 14, 8, 30), 1500, workers=16, seed=703)
    sim.errors = Lines()
    office(sim, network="10.113.0", pace=4, lock="backend")
    sim.start(64, _new_staff(sim))
    sim.run()
    log.write(folder / "access", log.header)
    sim.errors.write(folder / "errors", log.header)
    indexes = "".join(_index(name, "eq") for name in ("uid", "mail", "member", "objectclass"))
    (folder / "dse.ldif").write_text(f"{_SERVER}{_LOCKS}{indexes}", "utf-8")
    return sim.waited


def _new_staff(sim: _Locks) -> Client:
    """Twelve people come; after the last one it begins again with those that are not there."""
    connection = sim.connect("10.113.0.24")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("hr-import"))
    number = 0
    while True:
        dn = person(7000 + number % 12)
        added = Request(connection, "ADD", sim.about(10.8, 0.04), dn, lock="backend")
        added.error, added.culprit = 1, True
        _say(
            sim.errors,
            sim.now + 0.004,
            f"NOTICE - ldbm_back_search - Internal unindexed search: source ({_UNIQUE}) search "
            f'base="{SUFFIX}" scope=2 filter="(badgeNumber={20480 + number % 12})" '
            f"conn={connection.number} op={connection.operations} (internal op=1 count=1)",
        )
        sim.full = (sim.now + added.took - 0.35, sim.now + added.took + 0.45)
        yield added
        number += 1
        yield sim.random.uniform(12, 40)


# ---- pages that are read too slowly ----------------------------------------------------------

_LIMIT_S = 60.0
_T2 = "Disconnect - IO Block Timeout (nsslapd-ioblocktimeout) - T2"
"""The words of the log are wrong, and were changed later: this is the limit of a paged search."""


def write_slow_pages(folder: Path) -> Waited:
    """A printer of badges works on each page of a search, whose time is over after a minute."""
    log = Endings("2.4.4", "ds5.example.com", "10.114.0.2")
    sim = Simulation(log, utc(2024, 2, 14, 13, 0), 1800, workers=16, seed=704)
    office(sim, network="10.114.0")
    sim.start(50, _badges(sim, log))
    for second in (140, 760, 1390):
        sim.start(second, _phone_list(sim))
    sim.run()
    log.write(folder / "access", log.header)
    limits = "nsslapd-ioblocktimeout: 1800000\nnsslapd-sizelimit: -1\nnsslapd-timelimit: 60\n"
    (folder / "dse.ldif").write_text(f"{_SERVER}{limits}\n", "utf-8")
    return sim.waited


def _page(sim: Simulation, connection: Connection, *, last: bool = False) -> Request:
    asked = search(sim, connection, PEOPLE, "(objectClass=inetOrgPerson)", 0.011, entries=200)
    asked.notes = f"P pr_idx=0 pr_cookie={-1 if last else 0}"
    return asked


def _badges(sim: Simulation, log: Endings) -> Client:
    while True:
        connection = sim.connect("10.114.0.28")
        yield HANDSHAKE_S
        yield binding(sim, connection, service("badge-printer"))
        ends = sim.now + _LIMIT_S
        work = 0.0
        while sim.now + work < ends:
            yield work
            yield _page(sim, connection)
            work = sim.about(7.5, 0.2)
        yield max(0.0, ends - sim.now)
        log.endings[connection.number] = _T2
        sim.close(connection, clean=False)
        yield sim.random.uniform(18, 40)


def _phone_list(sim: Simulation) -> Client:
    """The same pages, read one after the other."""
    connection = sim.connect("10.114.0.29")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("phone-list"))
    for number in range(20):
        yield _page(sim, connection, last=number == 19)
        yield sim.about(0.05)
    sim.close(connection)


# ---- healthy ---------------------------------------------------------------------------------

_ROTATED_S = 1080.0
AGREEMENT = f"cn=ds6-to-ds9,cn=replica,cn={_escaped(SUFFIX)},cn=mapping tree,cn=config"
_NAMED = 'agmt="cn=ds6-to-ds9" (ds9:636)'


def write_healthy_new_replica(folder: Path) -> Waited:
    """A replica is filled, a shift begins, and the log goes on in a new file."""
    log, errors = Log389("2.5.2", "ds6.example.com", "10.115.0.2"), Lines()
    sim = Simulation(log, utc(2025, 10, 7, 13, 30), 1800, workers=16, seed=710)
    office(sim, network="10.115.0", pace=1.3)
    sim.start(8, monitoring(sim, "10.115.0.9", service("monitor"), every=60, base="cn=monitor"))
    sim.start(210, _fills_replica(sim, errors))
    for second in (95, 700, 1480):
        sim.start(second, _supplier(sim))
    for seat in range(60):
        begin = 1500 + sim.random.uniform(0, 25)
        sim.start(begin, sign_in(sim, f"10.115.1.{20 + seat}", 1 if seat % 15 == 4 else 0))
    sim.run()
    _rotate(log.write(folder / "access", log.header), log.header, sim.begin + _ROTATED_S)
    errors.write(folder / "errors", log.header)
    return sim.waited


def _rotate(path: Path, header: str, at: float) -> None:
    """What was before goes into a file with a date, as the server does it."""
    lines = path.read_text("utf-8").removeprefix(header).splitlines(keepends=True)
    before = sum(line < stamp_389(at) for line in lines)
    old = path.with_name("access.20251007-133000")
    old.write_text(header + "".join(lines[:before]), "utf-8")
    path.write_text(header + "".join(lines[before:]), "utf-8")


def _fills_replica(sim: Simulation, errors: Lines) -> Client:
    """An administrator begins a total update, and looks every two seconds whether it is done."""
    connection = sim.connect("", SOCKET)
    yield 0.01
    yield Request(connection, "MOD", sim.about(0.01), AGREEMENT, query="nsds5BeginReplicaRefresh")
    where = "INFO - NSMMReplicationPlugin - repl5_tot_run -"
    _say(errors, sim.now, f'{where} Beginning total update of replica "{_NAMED}".')
    for _ in range(35):
        yield 2.0
        yield read(sim, connection, AGREEMENT)
    done = f'{where} Finished total update of replica "{_NAMED}". Sent 4418 entries.'
    _say(errors, sim.now - 0.7, done)
    sim.close(connection)


def _supplier(sim: Simulation) -> Client:
    connection = sim.connect("10.115.0.71")
    yield HANDSHAKE_S
    yield binding(sim, connection, MANAGER, 0.003)
    yield from _session(sim, connection, SUFFIX, 260)
    sim.close(connection)


CASES: tuple[Case, ...] = (
    Case(
        "members_indexed_by_parts",
        "MOD on a large static group takes too long if substring index is present (2024)",
        "https://github.com/389ds/389-ds-base/issues/6436",
        DS,
        "member has a substring index: taking one of 24,000 out of a group lasts 20 s, and all "
        "other changes wait",
        rf"\bMODs?\b|chang|\bwrit|large (\w+ )?group|substring|{BLOCKS}|{STANDS_OUT}",
        (r"all-staff", r"substring|nsIndexType: sub|\bsub\b index"),
        r"(remov|delet|drop|without|no|take).{0,60}(substring|\bsub\b)|"
        r"(substring|\bsub\b).{0,60}(remov|delet|drop|not need)",
        write_substring_index,
        share=0.98,
        accused=(BLAMES_AN_INDEX, DISK, THREADS),
    ),
    Case(
        "supplier_with_old_password",
        "Replication broken until server restart after password change (2022)",
        "https://github.com/389ds/389-ds-base/issues/5284",
        DS,
        "since the password of the replication manager was changed, the supplier's binds with the "
        "old one are refused (49): replication stands still",
        rf"replica|supplier|\bbinds?\b|log ?ins?\b|password|credential|{REFUSED}",
        (r"10\.111\.0\.71|replication manager", r"\b49\b|credential|password"),
        r"nsds5ReplicaCredentials|agreement|restart|(new|same|right|current|old) password|"
        r"password (of|in|at)|upgrade|newer version|5284",
        write_old_password,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"brute|guess|attack"),
    ),
    Case(
        "five_persistent_searches",
        "Log message with psearch hits max threads per connection (2021)",
        "https://github.com/389ds/389-ds-base/issues/4615",
        DS,
        "five persistent searches use up what nsslapd-maxthreadsperconn allows one connection: "
        "the gateway's next question is never read, and a minute later it begins again",
        rf"persistent|psearch|maxthreadsperconn|(threads|operations|requests|searches) "
        rf"(per|of (a|one|each)|on (a|one|each)) connection|{HANGS}",
        (
            r"10\.112\.0\.40|cn=gateway",
            r"persistent|psearch|follow(s|ing)? changes",
            r"maxthreadsperconn|(per|of (a|one|each)|on (a|one|each|the same)) connection",
        ),
        r"maxthreadsperconn|(own|separate|another|second|different) connection|"
        r"connection of (its|their) own|fewer (persistent|searches)|one (persistent )?search",
        write_listeners,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH, r"firewall|idle.?time-?out"),
    ),
    Case(
        "locks_run_out",
        "RFE - Monitor the current DB locks ( nsslapd-db-current-locks ) (2021)",
        "https://github.com/389ds/389-ds-base/issues/4623",
        DS,
        "for each new person the uniqueness plug-in searches all entries without an index in a "
        "transaction; the locks of the database run out, and all searches are refused (53)",
        rf"db.?locks|(database|page|BDB) locks|locks? (threshold|table|of the database)|"
        rf"\block(s)? (are|run|ran|were|used)|uniqueness|internal|unindexed|{REFUSED}",
        (
            r"db.?locks|(database|page|BDB) locks|locks? (threshold|table|of the database)",
            r"badgeNumber|uniqueness",
        ),
        r"\bindex\b|nsslapd-db-locks|more locks",
        write_locks,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "pages_over_the_time_limit",
        "Improve connection timeout error logging (2024)",
        "https://github.com/389ds/389-ds-base/issues/6096",
        DS,
        "a client works on each page before it asks for the next: after 60 s the paged search is "
        "over its time limit, and the server closes the connection, with T2 as its reason",
        r"time.?limit|paged|\bpages?\b",
        (
            r"10\.114\.0\.28|badge-printer",
            r"paged|\bpages?\b",
            r"time.?limit|\b60(\.0)?\s?s|(a|one) minute",
        ),
        r"time.?limit|(all|the) pages (first|at once|faster)|read\w* (all|everything|it all)|"
        r"larger pages|upgrade|newer version|\bT3\b|6096",
        write_slow_pages,
        accused=(
            BLAMES_AN_INDEX,
            DISK,
            THREADS,
            r"(rais|increas|longer|higher).{0,40}ioblocktimeout|"
            r"ioblocktimeout.{0,60}(rais|increas|too (short|low|small))",
            r"network|firewall|(not|n't|stop\w*) read",
        ),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_new_replica",
        "a replica is filled, a supplier catches up, a shift begins, and the log is rotated",
        DS,
        write_healthy_new_replica,
    ),
)
