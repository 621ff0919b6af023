"""The twentieth ten, OpenDJ and PingDirectory: a dead peer, a deaf client, two lossy pools."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch5 import BLAMES_AN_INDEX
from tests.field.batch6 import SUFFIX
from tests.field.batch19.opendj import backend, note, replicated
from tests.field.case import DISK, INDEX_ADVICE, OPENDJ, THREADS, Case, Healthy
from tests.field.dialects import Lines, LogOpenDJ, LogPingDirectory
from tests.field.simulation import Client, Connection, Request, Simulation, Waited, utc
from tests.field.traffic import (
    GROUPS,
    HANDSHAKE_S,
    PEOPLE,
    binding,
    changes,
    monitoring,
    office,
    person,
    search,
    user,
)

SERVICES = f"ou=services,{SUFFIX}"

# ---- a peer that nobody reaches --------------------------------------------------------------

_DEAD = "dj3.example.com/10.2.60.9:8989"
_TRIES_S = 45.0


def write_dead_peer(folder: Path) -> Waited:
    """While a server tries to reach one that is gone, others that connect to it give up."""
    log, errors = LogOpenDJ("10.2.60.2"), Lines()
    sim = Simulation(log, utc(2020, 8, 31, 9, 0), 1800, workers=24, seed=2030)
    office(sim, network="10.2.60", pace=1.3)
    sim.start(4, monitoring(sim, "10.2.60.8", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    sim.start(9, changes(sim, "10.2.60.62", f"cn=hr,{SERVICES}", every=12))
    sim.start(3, _tries_the_dead(sim, errors))
    sim.run()
    log.write(folder / "access")
    errors.write(folder / "errors")
    text = backend() + replicated(14712, "dj1.example.com", "dj2.example.com", "dj3.example.com")
    (folder / "config.ldif").write_text(text, "utf-8")
    return sim.waited


def _tries_the_dead(sim: Simulation, errors: Lines) -> Client:
    """One attempt after the other; what has come in meanwhile has already hung up."""
    while True:
        yield sim.random.uniform(0.8, 1.0) * _TRIES_S
        note(
            errors,
            sim.now,
            "category=SYNC severity=WARNING msgID=212 msg=Directory server DS(14712) timed out "
            f'while connecting to replication server {_DEAD} for domain "{SUFFIX}"',
        )
        for number, (address, port) in enumerate((("10.2.60.3", 50_112), ("10.2.60.2", 40_960))):
            note(
                errors,
                sim.now + 0.01 + 0.02 * number,
                "category=SYNC severity=INFORMATION msgID=105 msg=Replication server accepted a "
                f"connection from {address}/{address}:{port + round(sim.now) % 9000} to local "
                "address 0.0.0.0/0.0.0.0:8989 but the SSL handshake failed. This is probably "
                "benign, but may indicate a transient network outage or a misconfigured client "
                "application connecting to this replication server. The error was: Remote host "
                "closed connection during handshake",
            )
        note(
            errors,
            sim.now + 0.06,
            "category=SYNC severity=ERROR msgID=178 msg=Directory server 14711 was attempting to "
            "connect to replication server 20212 but has disconnected in handshake phase",
        )


# ---- a client that does not listen any more --------------------------------------------------

_DOWN_S, _UP_S = 610.0, 664.0
_OPENAM = "10.2.61.21"


class _Stops(LogOpenDJ):
    """The server is stopped, and its clients' connections with it."""

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if clean:
            super().closed(at, connection, clean)
            return
        self.line(at, f'DISCONNECT conn={connection.number} reason="Server Shutdown"')


def write_deaf_client(folder: Path) -> Waited:
    """An access manager comes back after a restart, and its persistent searches do not."""
    before, after, errors = _Stops("10.2.61.2"), _Stops("10.2.61.2"), Lines()
    start, waited = utc(2018, 8, 14, 10, 0), Waited()
    for log, begin, seconds in ((before, 0.0, _DOWN_S), (after, _UP_S, 1200.0)):
        sim = Simulation(
            log,
            start + begin,
            seconds,
            workers=24,
            seed=2031,
            first_connection=0 if begin else 4_300,
        )
        for number in range(4):
            sim.start(1.0 + 0.4 * number, _profiles(sim, seconds))
        if log is before:
            for number in range(2):
                sim.start(2.0 + number, _listens(sim, seconds))
        sim.start(6, _administration(sim))
        sim.run()
        waited.total += sim.waited.total
    for second, text in (
        (_DOWN_S, "category=CORE severity=NOTICE msgID=203 msg=The Directory Server has started "
         "the shutdown process. The shutdown was initiated by an instance of class "
         "org.opends.server.core.DirectoryServerShutdownHook"),
        (_DOWN_S + 2, "category=CORE severity=NOTICE msgID=370 msg=The Directory Server is now "
         "stopped"),
        (_UP_S - 1, "category=CORE severity=NOTICE msgID=135 msg=The Directory Server has started "
         "successfully"),
    ):  # fmt: skip
        note(errors, start + second, text)
    before.write(folder / "access")
    after.write(folder / "access.2")
    text = (folder / "access").read_text("utf-8") + (folder / "access.2").read_text("utf-8")
    (folder / "access").write_text(text, "utf-8")
    (folder / "access.2").unlink()
    errors.write(folder / "errors")
    (folder / "config.ldif").write_text(backend(), "utf-8")
    return waited


def _listens(sim: Simulation, seconds: float) -> Client:
    """A search that tells of changes for as long as it is open."""
    connection = sim.connect(_OPENAM)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=openam,{SERVICES}")
    # What stays open never gives the turn back.
    sim.at(seconds - 0.5, lambda: sim.close(connection, clean=False))
    yield Request(connection, "SRCH", 0.0, PEOPLE, 2, "(objectclass=*)", "1.1", detached=True)


def _profiles(sim: Simulation, seconds: float) -> Client:
    """Profiles that people look at; these connections are opened again after a restart."""
    connection = sim.connect(_OPENAM)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=openam,{SERVICES}")
    while sim.now - sim.begin < seconds - 3:
        yield sim.random.expovariate(1 / 1.5)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
    sim.close(connection, clean=False)


def _administration(sim: Simulation) -> Client:
    """Somebody changes people with another tool, which the access manager has to be told of."""
    while True:
        yield sim.random.expovariate(1 / 45)
        connection = sim.connect("10.2.61.90")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=identities,{SERVICES}")
        who = person(sim.random.randrange(4000))
        yield Request(connection, "MOD", sim.about(0.005), who, query="telephoneNumber")
        sim.close(connection)


# ---- a connection for each wrong base --------------------------------------------------------

_POLICIES = "10.2.62.21"


def write_connection_for_each_base(folder: Path) -> Waited:
    """A connection with which a base was looked for that does not exist is never used again."""
    log = LogOpenDJ("10.2.62.2")
    sim = Simulation(log, utc(2017, 11, 24, 13, 30), 1800, workers=24, seed=2032)
    office(sim, network="10.2.62", pace=1.2)
    for _ in range(2):
        sim.start(sim.random.uniform(3, 9), _policies(sim))
    sim.run()
    log.write(folder / "access")
    (folder / "config.ldif").write_text(backend(), "utf-8")
    return sim.waited


def _policies(sim: Simulation) -> Client:
    """Policies are read and updated over one connection, until a base is not there."""
    realm = f"ou=iPlanetAMPolicyService,ou=services,o=%s,ou=services,{SUFFIX}"
    while True:
        connection = sim.connect(_POLICIES)
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=openam,{SERVICES}")
        for _ in range(sim.random.randrange(2, 9)):
            base = realm % f"realm{sim.random.randrange(12)}"
            yield search(sim, connection, base, "(sunserviceID=NamedPolicy)", 0.0011, entries=14)
            yield sim.random.uniform(0.3, 4.0)
            change = f"ou=p{sim.random.randrange(90)},ou=NamedPolicy,{base}"
            yield Request(connection, "MOD", sim.about(0.004), change, query="sunKeyValue")
            yield sim.random.uniform(0.3, 2.0)
        missing = search(sim, connection, realm % f"gone{sim.random.randrange(5)}",
                         "(sunserviceID=NamedPolicy)", 0.0007, entries=0)  # fmt: skip
        missing.error, missing.culprit = 32, True
        yield missing


# ---- a pool that does not grow again ---------------------------------------------------------

_WEB = "10.2.63.30"
_RESET_S = 640.0
_POOL, _LEFT = 24, 5


def write_pool_that_shrinks(folder: Path) -> Waited:
    """All connections of a pool are reset; where the first new attempt fails there is no second."""
    log = LogPingDirectory("10.2.63.2")
    sim = Simulation(log, utc(2017, 4, 27, 14, 0), 1800, workers=32, seed=2033)
    office(sim, network="10.2.63", pace=1.2)
    sim.start(4, monitoring(sim, "10.2.63.9", f"cn=check,{SERVICES}", every=20, base="cn=monitor"))
    for number in range(_POOL):
        sim.start(2 + 0.1 * number, _pooled(sim, stays=number < _LEFT))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _pooled(sim: Simulation, *, stays: bool) -> Client:
    """A connection of the pool: half busy at first; who is left has all the work afterwards."""
    connection = sim.connect(_WEB)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=webapp,{SERVICES}")
    while sim.now - sim.begin < _RESET_S:
        yield min(sim.random.expovariate(1 / 1.1), 20.0)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.02)
    sim.close(connection, clean=False)
    if not stays:
        return
    yield sim.random.uniform(2.0, 4.0)
    connection = sim.connect(_WEB)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=webapp,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 0.2)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.02)


# ---- healthy ---------------------------------------------------------------------------------


def write_healthy_behind_proxies(folder: Path) -> Waited:
    """PingDirectory behind two proxies: probes, many users over few connections, free names."""
    log = LogPingDirectory("10.2.64.2")
    sim = Simulation(log, utc(2026, 10, 7, 11, 0), 1800, workers=32, seed=2040)
    office(sim, network="10.2.64", pace=1.1)
    for proxy in ("10.2.64.11", "10.2.64.12"):
        sim.start(2, monitoring(sim, proxy, f"cn=proxy,{SERVICES}", every=10, base=SUFFIX))
        for number in range(6):
            sim.start(3 + 0.7 * number, _proxied(sim, proxy))
    sim.start(40, _free_names(sim))
    sim.run()
    log.write(folder / "access")
    return sim.waited


def _proxied(sim: Simulation, proxy: str) -> Client:
    """A connection of a proxy: look-ups, reads of one entry, groups and a change now and then."""
    connection = sim.connect(proxy)
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=proxy,{SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 0.9)
        number = sim.random.randrange(4000)
        kind = sim.random.random()
        if kind < 0.6:
            yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0009)
        elif kind < 0.8:
            one = Request(connection, "SRCH", sim.about(0.0006), person(number), 0)
            one.query, one.entries = "(objectClass=*)", 1
            yield one
        elif kind < 0.97:
            mine = f"(member={person(number)})"
            yield search(sim, connection, GROUPS, mine, 0.0012, entries=4)
        else:
            yield Request(connection, "MOD", sim.about(0.004), person(number), query="mobile")


def _free_names(sim: Simulation) -> Client:
    """A registration looks whether a new name is taken; most are free, and are then added."""
    connection = sim.connect("10.2.64.40")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=registration,{SERVICES}")
    number = 70_000
    while True:
        yield sim.random.expovariate(1 / 25)
        number += 1
        taken = search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0008)
        taken.entries = int(sim.random.random() < 0.25)
        yield taken
        if not taken.entries:
            yield sim.random.uniform(3, 9)
            yield Request(connection, "ADD", sim.about(0.006), person(number))


_SERVERS_WORK = (BLAMES_AN_INDEX, INDEX_ADVICE, DISK, THREADS)

CASES: tuple[Case, ...] = (
    Case(
        "dead_peer",
        "Connection issues towards one RS may prevent others from working properly (2020)",
        "https://github.com/OpenIdentityPlatform/OpenDJ/issues/143",
        OPENDJ,
        "a replication server spends its time on attempts to reach a peer that is gone (dj3); "
        "those who connect to it meanwhile hang up before their TLS handshake, so that nothing is "
        "replicated with the healthy peers either",
        r"replicat|handshake|\bpeer\b",
        (
            r"10\.2\.60\.9\b|dj3",
            r"timed? ?out|unreachable|(not|never|nobody) (be )?reach|cannot (be )?(reach|connect)|"
            r"not answer|\bdown\b|handshake",
        ),
        r"\b(remove|disable|reject|take)\b|network|firewall|route|reach|upgrade",
        write_dead_peer,
        accused=(*_SERVERS_WORK, r"certificates? (has|have|is|are) (expired|not trusted|unknown)"),
    ),
    Case(
        "deaf_client",
        "Persistent search does not recover (2018)",
        "https://github.com/openam-jp/openam/issues/14",
        OPENDJ,
        "after the directory was restarted an access manager opens its other connections again and "
        "not its two persistent searches (a defect): it is not told of changes any more",
        r"no longer|\bstopp?ed\b|\bceased|any ?more|since (the )?(re)?start|(is|are) gone|gone "
        r"since|not (seen|asked|opened|come|listen\w*) (again|since|back)|did not come back|"
        r"persistent",
        (
            r"10\.2\.61\.21\b|cn=openam",
            r"persistent|listen|follow|told of|stay(s|ed)? open|never ends?|without (an? )?(end|"
            r"result|answer)",
        ),
        r"restart|start (it|them|the client|the application)|upgrade|newer|reconnect|client",
        write_deaf_client,
        accused=_SERVERS_WORK,
    ),
    Case(
        "connection_for_each_base",
        "LDAP connection leak during policy update (2017)",
        "https://github.com/WrenSecurity/wrenam/issues/6",
        OPENDJ,
        "an access manager loses a connection each time it looks below a base that does not "
        "exist (32): they stay open, 180 in half an hour, and are never used again (a defect)",
        r"(never|not) (closed?|used|returned)|left open|stay(s|ed)? open|\bleak|\bidle\b|"
        r"pil(e|ing) up|without a request|open connections|connections? (that )?(are|were|stay)",
        (
            r"10\.2\.62\.21\b|cn=openam",
            r"\b32\b|no such|(does|do) not exist|fail|after (an?|its|their|the) (error|failed)",
        ),
        r"\bclose|idle-time-limit|idle time|\bpool|upgrade|return",
        write_connection_for_each_base,
        accused=_SERVERS_WORK,
    ),
    Case(
        "pool_that_shrinks",
        "Connections are not replaced if reconnect fails after connection reset (2017)",
        "https://github.com/pingidentity/ldapsdk/issues/28",
        OPENDJ,
        "all 24 connections of a pool are reset; five come back, and the others are never opened "
        "again (a defect of its library): from then on five connections do the work of 24",
        r"fewer connections|connections? (was|were|are) (lost|not|never)|not (re-?)?opened|"
        r"did not come back|no longer|\bpool|of (its|the|their) connections|\b19\b|reset|at once|"
        r"at the same (time|moment)",
        (
            r"10\.2\.63\.30\b|cn=webapp",
            r"\b(24|19)\b",
            r"\b5\b|\b19\b|did not come back|never (re-?)?opened|not (re-?)?opened",
        ),
        r"\bpool|upgrade|newer|re-?connect|restart|replace|client",
        write_pool_that_shrinks,
        accused=_SERVERS_WORK,
    ),
)

HEALTHY: tuple[Healthy, ...] = (
    Healthy(
        "healthy_behind_proxies",
        "PingDirectory behind two proxies, and a registration that looks for free names",
        OPENDJ,
        write_healthy_behind_proxies,
    ),
)
