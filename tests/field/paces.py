"""What clients do with their time: chains, pauses, arrivals in step, empty connections.

Made up, not from threads: four of each kind, of other products, sizes and periods than the batches
have, and written before the findings that name these kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.field.case import (
    DISK,
    DS,
    FOLLOWS,
    OPENDJ,
    OPENLDAP,
    THREADS,
    UNINDEXED,
    Batch,
    Case,
    Healthy,
)
from tests.field.dialects import Log389, LogOpenDJ, LogOpenDJJson, LogOpenLDAP
from tests.field.simulation import Client, Connection, Request, Simulation, Waited
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

CHAIN = rf"{FOLLOWS}|one after (another|the other)|in sequence"
PAUSES = r"the client('s| took| takes|: )|between (an|the) answer|by the client"
IN_STEP = r"same (moment|time|second)|at once|together|in step|simultaneous"
EMPTY = r"without (a|any|an) (request|operation)|no (request|operation)|nothing|only a bind"
_BEGIN = datetime(2025, 5, 6, 10, 0, tzinfo=UTC).timestamp()
_SERVICES = "ou=services,dc=example,dc=com"

_TEXT = f"{OPENDJ} text"

Fill = Callable[[Simulation], None]


def _log(product: str) -> Log389 | LogOpenLDAP | LogOpenDJ | LogOpenDJJson:
    if product == DS:
        return Log389("2.4.5", "dir.example.com", "10.70.0.2")
    if product == OPENLDAP:
        return LogOpenLDAP("dir")
    return LogOpenDJ("10.70.0.2") if product == _TEXT else LogOpenDJJson("10.70.0.2")


def _window(
    product: str, fill: Fill, *, seconds: float = 900, workers: int = 16
) -> Callable[[Path], Waited]:
    """Writes the log of an office with what `fill` adds to it."""

    def write(folder: Path) -> Waited:
        log = _log(product)
        sim = Simulation(log, _BEGIN, seconds, workers=workers, seed=7, first_connection=1000)
        office(sim, network="10.70.0", pace=0.7)
        fill(sim)
        sim.run()
        log.write(folder / "access", getattr(log, "header", ""))
        return sim.waited

    return write


def _read(connection: Connection, took: float, base: str, *, entries: int = 1) -> Request:
    return Request(connection, "SRCH", took, base, 0, "(objectClass=*)", "cn mail", entries=entries)


# ---- one request after the other -----------------------------------------------------------------


def _units_and_their_people(sim: Simulation) -> Client:
    """A list, then each of its 900 entries by its DN, once."""
    connection = sim.connect("10.70.1.5")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=hr-feed,{_SERVICES}")
    yield search(sim, connection, PEOPLE, "(departmentNumber=17)", 0.08, entries=900)
    for number in range(900):
        yield _read(connection, sim.about(0.012), person(number))
        yield sim.about(0.003)


def _a_connection_each(sim: Simulation) -> Client:
    """Three hundred look-ups, each with a connection and a bind of its own."""
    for number in range(300):
        connection = sim.connect("10.70.1.6")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=print,{_SERVICES}", 0.011)
        yield search(sim, connection, GROUPS, f"(member={person(number)})", 0.014, entries=7)
        sim.close(connection)
        yield 0.002


def _read_and_change(sim: Simulation) -> Client:
    """Provisioning: each person is read and then changed, five hundred of them."""
    connection = sim.connect("10.70.1.7")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=idm,{_SERVICES}")
    for number in range(500):
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.009)
        yield Request(connection, "MOD", sim.about(0.021), person(number), query="title")
        yield sim.about(0.002)


def _three_questions_each(sim: Simulation) -> Client:
    """For each member of each department three questions in turn; the audit runs twice."""
    connection = sim.connect("10.70.1.8")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=audit,{_SERVICES}")
    for _ in range(2):
        for department in range(30):
            wanted = f"(departmentNumber={department})"
            yield search(sim, connection, PEOPLE, wanted, 0.01, entries=9)
            for number in range(9 * department, 9 * department + 9):
                yield search(sim, connection, GROUPS, f"(member={person(number)})", 0.02)
                yield search(sim, connection, PEOPLE, f"(manager={person(number)})", 0.016)
                yield _read(connection, sim.about(0.004), f"cn=vpn,{GROUPS}")
                yield sim.about(0.007)
        yield 240.0


# ---- the client takes the time -------------------------------------------------------------------


def _pages(sim: Simulation) -> Client:
    """Pages of 500 entries, and eight seconds of other work after each."""
    for _ in range(3):
        connection = sim.connect("10.70.2.5")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=warehouse,{_SERVICES}")
        for page in range(30):
            last = page == 29
            asked = search(sim, connection, PEOPLE, "(objectClass=person)", 0.04)
            asked.entries = 210 if last else 500
            asked.notes = f"P pr_idx=0 pr_cookie={-1 if last else page}"
            yield asked
            yield sim.random.uniform(6.9, 9.2)
        sim.close(connection)


def _slow_logins(sim: Simulation, number: int) -> Client:
    """A login: who it is, three seconds of something, the password, two seconds, the groups."""
    connection = sim.connect(f"10.70.2.{60 + number % 5}")
    yield HANDSHAKE_S
    yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.001)
    yield sim.random.uniform(2.7, 3.6)
    yield binding(sim, connection, person(number), 0.004)
    yield sim.random.uniform(1.7, 2.4)
    yield search(sim, connection, GROUPS, f"(member={person(number)})", 0.001, entries=4)
    sim.close(connection)


def _every_slow_login(sim: Simulation) -> None:
    for number in range(90):
        sim.start(sim.random.uniform(5, 880), _slow_logins(sim, number))


def _work_after_each_entry(sim: Simulation) -> Client:
    """An import reads an entry in 2 ms and works two seconds on it."""
    connection = sim.connect("10.70.2.7")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=crm,{_SERVICES}")
    for number in range(380):
        yield _read(connection, sim.about(0.002), person(number))
        yield sim.random.uniform(1.6, 2.5)


def _slow_changes(sim: Simulation) -> Client:
    """A migration changes one person after the other, with a quarter of a minute between."""
    connection = sim.connect("10.70.2.8")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=migration,{_SERVICES}")
    for number in range(70):
        change = Request(connection, "MOD", sim.about(0.005), person(number), query="mailHost")
        yield change
        yield sim.random.uniform(10.5, 14.0)


# ---- in step -------------------------------------------------------------------------------------


def _cron(sim: Simulation, number: int) -> Client:
    """At every fifth minute each host asks for all users and groups, on a connection of its own."""
    for turn in range(5):
        yield 300.0 * turn + 47.0 + sim.random.uniform(0, 1.5) - (sim.now - sim.begin)
        connection = sim.connect(f"10.70.3.{10 + number}")
        yield HANDSHAKE_S
        yield search(sim, connection, PEOPLE, "(uidNumber>=1000)", 0.35, entries=800)
        yield search(sim, connection, GROUPS, "(gidNumber>=1000)", 0.12, entries=90)
        sim.close(connection)


def _all_cron(sim: Simulation) -> None:
    for number in range(60):
        sim.start(1, _cron(sim, number))


def _reconnecting(sim: Simulation, number: int, first: float) -> Client:
    """A node with one connection; it loses it at some moment and comes back at once."""
    address, dn = f"10.70.4.{10 + number}", f"cn=node{number},{_SERVICES}"
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while (rest := first - (sim.now - sim.begin)) > 0:
        yield min(rest, sim.random.expovariate(1 / 60))
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.001)
    sim.close(connection, clean=False)
    yield sim.random.uniform(0.1, 2.0)
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn, 0.12)
    yield search(sim, connection, GROUPS, f"(memberUid={user(number)})", 0.3)
    while True:
        yield sim.random.expovariate(1 / 60)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.001)


def _connections_reset(sim: Simulation) -> None:
    for number in range(110):
        sim.start(sim.random.uniform(1, 200), _reconnecting(sim, number, 600.0))


def _each_minute(sim: Simulation, number: int) -> Client:
    """At every full minute each of 45 nodes reads three lists."""
    connection = sim.connect(f"10.70.5.{10 + number}")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=mesh,{_SERVICES}")
    while True:
        yield 60.0 - (sim.now - sim.begin) % 60.0 + sim.random.uniform(0, 0.4)
        for _ in range(3):
            yield search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.09, entries=40)


def _mesh(sim: Simulation) -> None:
    for number in range(45):
        sim.start(sim.random.uniform(1, 50), _each_minute(sim, number))


def write_restart(folder: Path) -> Waited:
    """slapd starts again, and 150 clients connect and bind within two seconds."""
    first, second = LogOpenLDAP("dir", pid=811), LogOpenLDAP("dir", pid=2207)
    before = Simulation(first, _BEGIN, 400, seed=3, first_connection=1000)
    after = Simulation(second, _BEGIN + 404, 500, workers=4, seed=4)
    for sim, spread in ((before, 390.0), (after, 2.0)):
        office(sim, network="10.70.0", pace=0.7)
        for number in range(150):
            sim.start(sim.random.uniform(0.3, 0.3 + spread), _bound_again(sim, number))
        sim.run()
    first.write(folder / "slapd.1")
    second.line(_BEGIN + 403.8, "@(#) $OpenLDAP: slapd 2.5.13 (Feb  8 2025 01:56:12) $")
    second.line(_BEGIN + 404.0, "slapd starting")
    second.write(folder / "slapd.2")
    text = (folder / "slapd.1").read_text("utf-8") + (folder / "slapd.2").read_text("utf-8")
    (folder / "slapd.1").unlink()
    (folder / "slapd.2").unlink()
    (folder / "slapd.log").write_text(text, "utf-8")
    return after.waited


def _bound_again(sim: Simulation, number: int) -> Client:
    connection = sim.connect(f"10.70.6.{10 + number}")
    yield 0.004
    yield binding(sim, connection, f"cn=app{number},{_SERVICES}", 0.09)
    while True:
        yield sim.random.expovariate(1 / 90)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.001)


# ---- connections for nothing ---------------------------------------------------------------------


def _balancer(sim: Simulation, address: str) -> Client:
    while True:
        connection = sim.connect(address)
        yield 0.001
        sim.close(connection, clean=False)
        yield 2.0


def _balancers(sim: Simulation) -> None:
    for number in range(2):
        sim.start(1 + number, _balancer(sim, f"10.70.7.{3 + number}"))


def _scanner(sim: Simulation) -> Client:
    for _ in range(900):
        connection = sim.connect("10.70.8.66")
        yield 0.002
        sim.close(connection, clean=False)
        yield sim.about(0.05)


def _leaked_monitor(sim: Simulation) -> Client:
    """Binds, asks nothing and unbinds, three times a second."""
    while True:
        connection = sim.connect("10.70.8.40")
        yield HANDSHAKE_S
        yield binding(sim, connection, f"cn=check,{_SERVICES}")
        sim.close(connection)
        yield sim.about(0.3)


def _left_open(sim: Simulation) -> Client:
    """An agent connects every two seconds and never asks for anything nor closes."""
    while True:
        sim.connect("10.70.8.90")
        yield sim.about(1.4)


# ---- healthy -------------------------------------------------------------------------------------


def _busy_pool(sim: Simulation) -> Client:
    """A pooled connection: requests of many users, one at a time, at moments of their own."""
    connection = sim.connect("10.70.9.5")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=portal,{_SERVICES}")
    while True:
        yield sim.random.expovariate(1 / 0.12)
        wanted = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(wanted)})", 0.002)


def _clicks(sim: Simulation) -> Client:
    """A person with a browser of the directory: clicks, and reads what is there."""
    connection = sim.connect("10.70.9.6")
    yield HANDSHAKE_S
    yield binding(sim, connection, person(7))
    while True:
        yield sim.random.expovariate(1 / 9)
        yield _read(connection, sim.about(0.002), person(sim.random.randrange(4000)))


def _healthy(sim: Simulation) -> None:
    for number in range(4):
        sim.start(1 + number, _busy_pool(sim))
    sim.start(3, _clicks(sim))
    reader = f"cn=monitor,{_SERVICES}"
    for every, base in ((15, "cn=monitor"), (60, "cn=database,cn=monitor")):
        sim.start(2, monitoring(sim, "10.70.9.7", reader, every=every, base=base))
    for number in range(70):
        sim.start(sim.random.uniform(1, 300), _each_at_its_own(sim, number))


def _each_at_its_own(sim: Simulation, number: int) -> Client:
    """A host that asks every five minutes, at its own moment."""
    connection = sim.connect(f"10.70.10.{10 + number}")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"cn=host{number},{_SERVICES}")
    while True:
        yield search(sim, connection, GROUPS, "(objectClass=groupOfNames)", 0.002, entries=40)
        yield 300.0 + sim.random.uniform(0, 0.5)


def _case(
    name: str,
    product: str,
    cause: str,
    mechanism: str,
    names: tuple[str, ...],
    remedy: str,
    write: Callable[[Path], Waited],
    *,
    accused: tuple[str, ...] = (UNINDEXED, DISK, THREADS),
) -> Case:
    whose = OPENDJ if product == _TEXT else product
    return Case(name, cause, "", whose, cause, mechanism, names, remedy, write, accused=accused)


def _one(client: Callable[[Simulation], Client], second: float = 40.0) -> Fill:
    return lambda sim: sim.start(second, client(sim))


_ASK_ONCE = r"at once|one search|list|fewer|in parallel"
_NO_SETTING = r"no setting of the server|client"
_SPREAD = r"spread|random|offset|stagger"

BATCH = Batch(
    "paces",
    cases=(
        _case(
            "list_then_each",
            DS,
            "a list, then each of its entries, one by one",
            CHAIN,
            (r"10\.70\.1\.5\b", r"1[0-9](\.\d+)? s"),
            _ASK_ONCE,
            _window(DS, _one(_units_and_their_people)),
        ),
        _case(
            "connection_for_each",
            OPENLDAP,
            "a look-up each on a connection of its own",
            CHAIN,
            (r"10\.70\.1\.6\b", r"\d s\b"),
            _ASK_ONCE,
            _window(OPENLDAP, _one(_a_connection_each)),
        ),
        _case(
            "read_and_change",
            OPENDJ,
            "each person is read, then changed",
            CHAIN,
            (r"10\.70\.1\.7\b", r"1[0-9](\.\d+)? s"),
            _ASK_ONCE,
            _window(OPENDJ, _one(_read_and_change)),
        ),
        _case(
            "three_questions_each",
            DS,
            "three questions for each person of a list",
            CHAIN,
            (r"10\.70\.1\.8\b",),
            _ASK_ONCE,
            _window(DS, _one(_three_questions_each)),
        ),
        _case(
            "pages_and_work",
            DS,
            "the client works eight seconds after each page",
            PAUSES,
            (r"10\.70\.2\.5\b", r"\b[78](\.\d+)? s"),
            _NO_SETTING,
            _window(DS, _one(_pages)),
        ),
        _case(
            "logins_with_pauses",
            OPENLDAP,
            "logins pause between their steps",
            PAUSES,
            (r"10\.70\.2\.6\d", r"\b[23](\.\d+)? s"),
            _NO_SETTING,
            _window(OPENLDAP, _every_slow_login),
        ),
        _case(
            "work_after_each_entry",
            _TEXT,
            "an import works after each entry",
            PAUSES,
            (r"10\.70\.2\.7\b", r"\b2(\.\d+)? s|\b1\.9\d* s"),
            _NO_SETTING,
            _window(_TEXT, _one(_work_after_each_entry)),
        ),
        _case(
            "slow_changes",
            OPENLDAP,
            "a migration pauses after each change",
            PAUSES,
            (r"10\.70\.2\.8\b", r"\b1[123](\.\d+)? s"),
            _NO_SETTING,
            _window(OPENLDAP, _one(_slow_changes)),
        ),
        _case(
            "cron_of_hosts",
            DS,
            "60 hosts ask for everything at every fifth minute",
            IN_STEP,
            (r"\b60\b", r"\b5 min|300 s"),
            _SPREAD,
            _window(DS, _all_cron, workers=8, seconds=1400),
            accused=(DISK, UNINDEXED),
        ),
        _case(
            "each_full_minute",
            OPENDJ,
            "45 nodes read three lists at each full minute",
            IN_STEP,
            (r"\b45\b", r"\b1 min|\b60(\.0)? s"),
            _SPREAD,
            _window(OPENDJ, _mesh, workers=8),
            accused=(DISK, UNINDEXED),
        ),
        _case(
            "after_a_restart",
            OPENLDAP,
            "150 clients bind at once after a restart",
            IN_STEP,
            (r"\b1[45]\d\b", r"start(ed|s) again|restart"),
            _SPREAD,
            write_restart,
            accused=(DISK, UNINDEXED),
        ),
        _case(
            "connections_reset",
            DS,
            "110 nodes come back at once after a reset",
            IN_STEP,
            (r"\b1[01]\d\b", r"connect"),
            _SPREAD,
            _window(DS, _connections_reset, workers=6),
            accused=(DISK, UNINDEXED),
        ),
        _case(
            "health_checks",
            OPENLDAP,
            "two load balancers look whether the port answers",
            EMPTY,
            (r"10\.70\.7\.[34]\b", r"an hour|a minute|a second|every"),
            r"health|balancer|check",
            _window(OPENLDAP, _balancers),
        ),
        _case(
            "port_scan",
            DS,
            "900 connections from one address, for nothing",
            EMPTY,
            (r"10\.70\.8\.66\b", r"900"),
            r"scan|check|monitor",
            _window(DS, _one(_scanner)),
        ),
        _case(
            "leaked_monitor",
            _TEXT,
            "a check binds and asks nothing",
            EMPTY,
            (r"10\.70\.8\.40\b", r"an hour|a minute|a second"),
            r"check|monitor|keep|pool",
            _window(_TEXT, _one(_leaked_monitor)),
        ),
        _case(
            "never_closed",
            DS,
            "an agent opens connections and leaves them open",
            EMPTY,
            (r"10\.70\.8\.90\b", r"open"),
            r"idle|close",
            _window(DS, _one(_left_open)),
        ),
    ),
    healthy=(
        Healthy(
            "healthy_pool", "a busy pool, a person, monitors, hosts", DS, _window(DS, _healthy)
        ),
        Healthy(
            "healthy_pool_slapd", "the same in slapd's log", OPENLDAP, _window(OPENLDAP, _healthy)
        ),
        Healthy(
            "healthy_pool_opendj", "the same in whole seconds", OPENDJ, _window(_TEXT, _healthy)
        ),
    ),
)
