"""The fifteenth ten, 389 DS: a full table, rules for sudo, handshakes in a row, a changelog."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX, BLOCKS, REFUSED
from tests.field.batch6 import SUFFIX
from tests.field.batch9.school import read, service, sign_in
from tests.field.batch14.ds389 import BLAMES_A_HASH
from tests.field.case import DISK, DS, STANDS_OUT, THREADS, UNINDEXED, Case, Healthy
from tests.field.dialects import Lines, Log389, stamp_389
from tests.field.simulation import (
    Client,
    Connection,
    Inner,
    NoDescriptorError,
    Request,
    Simulation,
    Waited,
    utc,
)
from tests.field.traffic import (
    HANDSHAKE_S,
    PEOPLE,
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

_LDBM = "cn=ldbm database,cn=plugins,cn=config"


def _entry(dn: str, *lines: str) -> str:
    """An entry of an LDIF file."""
    return "\n".join((f"dn: {dn}", "objectClass: top", *lines)) + "\n\n"


def _server(threads: int, *more: str) -> str:
    lines = ("objectClass: nsslapdConfig", "cn: config", f"nsslapd-threadnumber: {threads}")
    return _entry("cn=config", *lines, "nsslapd-errorlog-level: 16384", *more)


def _database() -> str:
    lines = ("objectClass: extensibleObject", "cn: config", "nsslapd-backend-implement: bdb")
    return _entry(f"cn=config,{_LDBM}", *lines)


def _backend(name: str, suffix: str) -> str:
    return _entry(
        f"cn={name},{_LDBM}",
        f"objectClass: nsBackendInstance\ncn: {name}\nnsslapd-suffix: {suffix}",
        "nsslapd-cachememsize: 2147483648\nnsslapd-dncachememsize: 134217728",
    )


def _indexes(backend: str, *names: str) -> str:
    """Indexes for equality and presence."""
    return "".join(
        _entry(
            f"cn={name},cn=index,cn={backend},{_LDBM}",
            f"objectClass: nsIndex\ncn: {name}\nnsSystemIndex: false",
            "nsIndexType: eq\nnsIndexType: pres",
        )
        for name in names
    )


_USUAL = ("objectclass", "uid", "mail", "cn", "sn", "member")


def _note(lines: Lines, at: float, text: str) -> None:
    """A line of the error log."""
    lines.add(at, f"{stamp_389(at)} - {text}")


# ---- no place for another connection ---------------------------------------------------------

_HOSTS = 1_340


class _Table(Log389):
    """A server that no longer listens while its table of connections is full."""

    errors: Lines
    listening = True

    def refused(self, at: float) -> None:
        if self.listening:
            text = "Not listening for new connections - too many fds open"
            _note(self.errors, at, f"ERR - setup_pr_read_pds - {text}")
        self.listening = False

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        super().closed(at, connection, clean)
        if not self.listening:
            text = "Listening for new connections again"
            _note(self.errors, at + 6e-5, f"ERR - setup_pr_read_pds - {text}")
        self.listening = True


def write_full_table(folder: Path) -> Waited:
    """1,340 hosts keep a connection each; after a while no more of them get one."""
    log = _Table("1.4.4.19", "ldap01.example.com", "10.170.0.2")
    log.errors = Lines()
    sim = Simulation(log, utc(2022, 12, 18, 17, 30), 2100, workers=24, seed=1500, last_fd=1023)
    for later, text in (
        (-4.2, "INFO - main - 389-Directory/1.4.4.19 B2022.201.0000 starting up"),
        (-4.1, "INFO - main - Setting the maximum file descriptor limit to: 16384"),
        (-1.0, "INFO - slapd_daemon - Listening on All Interfaces port 636 for LDAPS requests"),
    ):
        _note(log.errors, sim.begin + later, text)
    office(sim, network="10.170.0", pace=1.0)
    for number in range(_HOSTS):
        address = f"10.170.{4 + number // 250}.{1 + number % 250}"
        sim.start(sim.random.uniform(2, 1500), _name_service(sim, address))
    sim.run()
    log.write(folder / "access", log.header)
    log.errors.write(folder / "errors", log.header)
    server = _server(24, "nsslapd-conntablesize: 1024", "nsslapd-maxdescriptors: 16384")
    text = f"{server}{_database()}{_backend('userRoot', SUFFIX)}{_indexes('userRoot', *_USUAL)}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _name_service(sim: Simulation, address: str) -> Client:
    """A host that keeps its connection, as it should; once in a while one is started again."""
    while True:
        try:
            connection = sim.connect(address)
        except NoDescriptorError:
            yield sim.random.uniform(25, 35)
            continue
        yield HANDSHAKE_S
        yield binding(sim, connection, service("nss"))
        for _ in range(int(sim.random.expovariate(1 / 25)) + 2):
            wanted = f"(&(objectClass=posixAccount)(uid={user(sim.random.randrange(4000))}))"
            yield search(sim, connection, PEOPLE, wanted, 0.0008)
            yield sim.random.expovariate(1 / 330)
        sim.close(connection)
        yield sim.random.uniform(40, 90)


# ---- which rules of sudo are for this host ---------------------------------------------------


def write_rules_for_a_host(folder: Path) -> Waited:
    """At each login a host asks for its rules, and all 61,000 entries are read for them."""
    log = Log389("2.5.0", "ds-sle.example.com", "10.171.0.2")
    sim = Simulation(log, utc(2025, 10, 13, 7, 30), 1800, workers=16, seed=1501)
    office(sim, network="10.171.0", pace=1.2)
    for number in range(48):
        sim.start(4 + 3 * number, _sudo_host(sim, number))
    sim.run()
    log.write(folder / "access", log.header)
    indexes = _indexes("userRoot", *_USUAL[1:], "uidNumber", "gidNumber")
    text = f"{_server(16)}{_database()}{_backend('userRoot', SUFFIX)}{indexes}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _rules_of(number: int, network: str) -> str:
    names = f"(sudoHost=node{number}.example.com)(sudoHost=node{number})"
    networks = f"(sudoHost={network}.{number + 10})(sudoHost={network}.0/24)"
    shapes = r"(|(sudoHost=*\5C*)(sudoHost=*?*)(sudoHost=*\2A*)(sudoHost=*[*]*))"
    hosts = f"(!(sudoHost=*))(sudoHost=ALL){names}{networks}(sudoHost=+*){shapes}"
    return f"(&(objectClass=sudoRole)(|{hosts}))"


def _sudo_host(
    sim: Simulation, number: int, network: str = "10.171.2", *, took: float = 2.3, notes: str = "A"
) -> Client:
    """SSSD on one host: who logs in, and a quarter of a second later the rules."""
    connection = sim.connect(f"{network}.{number + 10}")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("sssd"))
    while True:
        yield sim.random.expovariate(1 / 75)
        wanted = f"(uid={user(sim.random.randrange(4000))})"
        yield search(sim, connection, SUFFIX, wanted, 0.0008)
        yield sim.about(0.25)
        rules = search(sim, connection, SUFFIX, _rules_of(number, network), took, entries=14)
        rules.attributes = "objectClass cn sudoCommand sudoHost sudoUser sudoOption sudoOrder"
        rules.notes, rules.culprit = notes, bool(notes)
        yield rules


# ---- one handshake after the other -----------------------------------------------------------


PATIENCE_S = 6.0


class _Accepting(Log389):
    """LDAPS, and plain LDAP for those in the network of the computing centre."""

    def opened(self, at: float, connection: Connection) -> None:
        kind = "" if connection.address.startswith("10.172.0.") else "SSL "
        fd = f"conn={connection.number} fd={connection.fd} slot={connection.fd}"
        self.line(at, f"{fd} {kind}connection from {connection.address} to {self._server}")

    def agreed(self, at: float, connection: Connection) -> None:
        self.line(at, f"conn={connection.number} TLS1.3 256-bit AES-GCM")


class _OneByOne(Simulation):
    """All handshakes are for one thread."""

    log: _Accepting
    ready = 0.0


def write_handshakes_in_a_row(folder: Path) -> Waited:
    """In a rush a connection with TLS takes up to 6 s, and who waits longer gives up."""
    log = _Accepting("2.2.10", "ds-customer.example.com", "10.172.0.2")
    sim = _OneByOne(log, utc(2025, 9, 22, 7, 45), 1200, workers=32, seed=1502)
    sim.log = log
    office(sim, network="10.172.0", pace=1.6)
    for begin, end, rate in ((1, 1190, 1.4), (300, 640, 5.2)):
        at = float(begin)
        while at < end:
            sim.start(at, _with_tls(sim, f"10.172.{8 + int(at * 97) % 6}.{1 + int(at * 31) % 240}"))
            at += sim.random.expovariate(rate)
    sim.run()
    log.write(folder / "access", log.header)
    server = _server(32, "nsslapd-security: on\nnsslapd-secureport: 636\nnsslapd-numlisteners: 1")
    text = f"{server}{_database()}{_backend('userRoot', SUFFIX)}{_indexes('userRoot', *_USUAL)}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _with_tls(sim: _OneByOne, address: str) -> Client:
    """Somebody logs in; an application that has no answer after 6 s begins anew, three times."""
    for _ in range(4):
        connection = sim.connect(address)
        wait = max(0.0, sim.ready - sim.now)
        gone = wait > PATIENCE_S
        wait += 0.005 if gone else sim.about(0.16, 0.1)
        sim.ready = sim.now + wait
        sim.waited.total += min(wait, PATIENCE_S)
        sim.waited.culprit += min(wait, PATIENCE_S)
        if gone:
            yield PATIENCE_S
            sim.close(connection, clean=False)
            yield sim.random.uniform(0.5, 2)
            continue
        yield wait
        sim.log.agreed(sim.now, connection)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        yield binding(sim, connection, person(number), 0.0025)
        sim.close(connection)
        return


# ---- an index that nobody filled -------------------------------------------------------------

_UNIQUE = "cb0ce98a-279a11eb-b8b0c9d4-{:08x}"


def write_index_never_filled(folder: Path) -> Waited:
    """After each change the server looks for its number in a changelog of 190,000, unindexed."""
    log, errors = Log389("2.0.1", "ipa-f33.example.com", "10.173.0.2"), Lines()
    sim = Simulation(log, utc(2020, 11, 16, 9, 0), 1800, workers=24, seed=1503)
    office(sim, network="10.173.0", pace=1.4, lock="backend")
    replica = service("dns")
    sim.start(1, following(sim, "10.173.0.8", replica, f"cn=dns,{SUFFIX}", "(objectClass=*)"))
    sim.start(2, following(sim, "10.173.0.9", replica, f"cn=dns,{SUFFIX}", "(objectClass=*)"))
    for number in range(5):
        sim.start(6 + 7 * number, _records(sim, errors, f"10.173.0.{50 + number}"))
    sim.run()
    log.write(folder / "access", log.header)
    errors.write(folder / "errors", log.header)
    plugins = "".join(
        _entry(
            f"cn={name},cn=plugins,cn=config",
            f"objectClass: nsSlapdPlugin\ncn: {name}\nnsslapd-pluginEnabled: on",
        )
        for name in ("Content Synchronization", "Retro Changelog Plugin")
    )
    backends = _backend("userRoot", SUFFIX) + _backend("changelog", "cn=changelog")
    indexes = _indexes("userRoot", *_USUAL)
    indexes += _indexes("changelog", "changenumber", "targetuniqueid")
    text = f"{_server(24)}{plugins}{_database()}{backends}{indexes}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _records(sim: Simulation, errors: Lines, address: str) -> Client:
    """A DHCP server changes the record of a host that comes or goes."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("dhcp"))
    while True:
        yield sim.random.expovariate(1 / 9)
        number = 190_412 + int(sim.now - sim.begin) * 2
        name = f"idnsname=pc{sim.random.randrange(900)},idnsname=example.com.,cn=dns,{SUFFIX}"
        unique = _UNIQUE.format(sim.random.randrange(2**32))
        query = f"(&(changenumber>={number})(targetuniqueid={unique}))"
        took = sim.about(0.82, 0.08)
        change = Request(connection, "MOD", took + sim.about(0.008), name, query="aRecord")
        change.inside = (Inner("cn=changelog", query, "changenumber", took, 1, "U"),)
        change.lock, change.culprit = "backend", True
        yield change
        _note(
            errors,
            sim.now,
            "ERR - log_result - Internal unindexed search: source (cn=server,cn=plugins,cn=config) "
            f'search base="cn=changelog" filter="{query}" etime={took:.9f} nentries=1  notes=U '
            'details="Partially Unindexed Filter"',
        )


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_branch_office(folder: Path) -> Waited:
    """Hundreds of hosts that keep their connections, rules for sudo, and a shift that begins."""
    log = Log389("2.6.1", "ds11.example.com", "10.174.0.2")
    sim = Simulation(log, utc(2025, 11, 3, 7, 0), 2100, workers=24, seed=1510)
    office(sim, network="10.174.0", pace=1.8)
    sim.start(7, monitoring(sim, "10.174.0.9", service("monitor"), every=30, base="cn=monitor"))
    sim.start(9, application(sim, "10.174.0.16", service("badges"), every=0.8))
    sim.start(12, changes(sim, "10.174.0.17", service("dhcp"), every=7))
    for number in range(420):
        sim.start(sim.random.uniform(2, 1500), _name_service(sim, f"10.174.4.{1 + number % 250}"))
    for number in range(30):
        sim.start(5 + 11 * number, _sudo_host(sim, number, "10.174.2", took=0.0016, notes=""))
    for seat in range(70):
        begin = 1150 + sim.random.uniform(0, 160)
        sim.start(begin, sign_in(sim, f"10.174.1.{20 + seat}", 1 if seat % 17 == 5 else 0))
    sim.start(800, _looks_around(sim))
    sim.run()
    log.write(folder / "access", log.header)
    server = _server(24, "nsslapd-maxdescriptors: 16384")
    indexes = _indexes("userRoot", *_USUAL, "sudoHost", "uidNumber")
    text = f"{server}{_database()}{_backend('userRoot', SUFFIX)}{indexes}"
    (folder / "dse.ldif").write_text(text, "utf-8")
    return sim.waited


def _looks_around(sim: Simulation) -> Client:
    """An administrator reads a few entries of the configuration and of the people."""
    connection = sim.connect("10.174.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, "cn=Directory Manager")
    for dn in ("cn=config", f"cn=config,{_LDBM}", service("dhcp"), person(17), person(18)):
        yield read(sim, connection, dn)
        yield sim.random.uniform(4, 25)
    sim.close(connection)


_FULL = (
    r"descriptor|\bfds?\b|too many|connection table|conn-?table|\bslots?\b|not listening|"
    r"(no|any) (more|new|further) connections?|limit (of|on|for) (\w+ )?connections?"
)

CASES: tuple[Case, ...] = (
    Case(
        "full_table_of_connections",
        "Cant connect to LDAP Server - Connection Refused (2022)",
        "https://github.com/389ds/389-ds-base/issues/5576",
        DS,
        "1,340 hosts keep a connection each, and the table of connections has room for 1,024 "
        "(nsslapd-conntablesize): from then on the server does not listen until one is closed",
        rf"{_FULL}|{REFUSED}|\bconnections?\b",
        (_FULL, r"\bconnections?\b"),
        r"conntable|connection table|descriptor|LimitNOFILE|ulimit|idle.?time|fewer connections|"
        r"(more|other|second) (server|replica)|upgrade|newer version",
        write_full_table,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "rules_for_a_host",
        "Default indexes for SSSD (2025)",
        "https://github.com/389ds/389-ds-base/issues/7044",
        DS,
        "at each login SSSD looks for the rules of sudo for its host; neither sudoHost nor "
        "objectClass has an index, and all entries are read for it, 2.3 s",
        rf"{UNINDEXED}|sudo|{STANDS_OUT}",
        (r"sudoHost|sudoRole|sudo rules", UNINDEXED),
        r"sudoHost.{0,160}index|index.{0,160}sudoHost|objectClass.{0,160}index|"
        r"index.{0,160}objectClass|sudo_search_base|ou=sudoers|narrower base",
        write_rules_for_a_host,
        share=0.99,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "handshakes_in_a_row",
        "Performance issues with LDAPS / StartTLS accept (2025)",
        "https://github.com/389ds/389-ds-base/issues/7020",
        DS,
        "connections with TLS are accepted one at a time, 0.16 s each: in a rush a client waits "
        "for seconds before its first request, and those that wait 6 s give up and begin again",
        r"\bTLS\b|\bSSL\b|LDAPS|handshake|new connections?|without (a|any) (request|operation)|"
        r"accept",
        (
            r"\bTLS\b|\bSSL\b|LDAPS|handshake|accept(s|ed|ing)?\b",
            r"\bslow|\blate\b|delay|\bwait|\bgave up|gives? up|time-?out|\bqueue|backlog|"
            r"one (at a time|by one|after (another|the other))|\b\d+(\.\d+)? s\b|seconds|"
            r"without (a|any) (request|operation)|no (request|operation)",
        ),
        r"upgrade|newer version|7020|reuse|\bpool|persistent|keep (a |the |their |its )?connection|"
        r"fewer (new )?connections|listener|spread|session|resum|(load.)?balanc|more servers|"
        r"certificate|key (size|length)|\bRSA\b|ECDSA",
        write_handshakes_in_a_row,
        share=0.99,
        accused=(BLAMES_AN_INDEX, DISK, THREADS, BLAMES_A_HASH),
    ),
    Case(
        "index_never_filled",
        "Internal unindexed searches in syncrepl (2020)",
        "https://github.com/389ds/389-ds-base/issues/4443",
        DS,
        "for each change in the DNS the server itself looks into the retro changelog, 0.8 s: its "
        "indexes are configured but out of use until they are rebuilt, and other changes wait",
        rf"{UNINDEXED}|change ?log|internal|{BLOCKS}|\bMODs?\b|{STANDS_OUT}",
        (r"change ?log|changenumber|targetuniqueid", UNINDEXED),
        r"re-?index|rebuild|db2index|index.{0,160}(changenumber|targetuniqueid|change ?log)|"
        r"(changenumber|targetuniqueid|change ?log).{0,160}index|trim|maxage|upgrade|"
        r"newer version|4443",
        write_index_never_filled,
        share=0.99,
        accused=(DISK, THREADS, BLAMES_A_HASH),
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_branch_office",
        "hundreds of hosts that keep their connections, rules for sudo, and a shift that begins",
        DS,
        write_healthy_branch_office,
    ),
)
