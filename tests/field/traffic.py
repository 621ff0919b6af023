"""Healthy traffic: what a directory does all day while nobody complains."""

from __future__ import annotations

import math

from tests.field.simulation import Client, Connection, Request, Simulation

PEOPLE = "ou=people,dc=example,dc=com"
GROUPS = "ou=groups,dc=example,dc=com"
_NAMES = ("adams", "baker", "chen", "diaz", "evans", "fischer", "garcia", "haas", "ito", "jones")
HANDSHAKE_S = 0.006


def user(number: int) -> str:
    """A login name."""
    return f"{_NAMES[number % len(_NAMES)]}{number}"


def person(number: int, people: str = PEOPLE) -> str:
    """The DN of a person."""
    return f"uid={user(number)},{people}"


def search(
    sim: Simulation, connection: Connection, base: str, query: str, took: float, *, entries: int = 1
) -> Request:
    """A short search below a base for two attributes."""
    return Request(connection, "SRCH", sim.about(took), base, 2, query, "cn mail", entries=entries)


def binding(sim: Simulation, connection: Connection, dn: str, took: float = 0.002) -> Request:
    """A simple bind."""
    return Request(connection, "BIND", sim.about(took, 0.1), dn)


def sasl(
    sim: Simulation, connection: Connection, dn: str, mechanism: str, pauses: int = 0
) -> Client:
    """The steps of a SASL bind, with a quarter of a second before so many of them."""
    steps = 3 if mechanism == "GSSAPI" else 2
    for step in range(steps):
        step_s = sim.about(0.003 if step == 0 else 0.0006)
        bind = Request(connection, "BIND", step_s, dn, query=mechanism)
        bind.error = 0 if step == steps - 1 else 14
        if step and step <= pauses:
            yield 0.25
        yield bind
        yield 0.0012


def application(
    sim: Simulation,
    address: str,
    dn: str,
    *,
    every: float,
    took: float = 0.0006,
    people: str = PEOPLE,
    count: int = 4000,
) -> Client:
    """An application with one pooled connection that looks people up now and then."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while True:
        yield sim.random.expovariate(1 / every)
        number = sim.random.randrange(count)
        wanted = f"(uid={user(number)})" if number % 3 else f"(mail={user(number)}@example.com)"
        yield search(sim, connection, people, wanted, took)


def logins(
    sim: Simulation, addresses: tuple[str, ...], *, every: float, people: str = PEOPLE
) -> Client:
    """Hosts on which people log in: a connection, who it is, a bind as that person, the groups."""
    while True:
        yield sim.random.expovariate(1 / every)
        address = sim.random.choice(addresses)
        sim.start(sim.now - sim.begin, _login(sim, address, sim.random.randrange(4000), people))


def _login(sim: Simulation, address: str, number: int, people: str) -> Client:
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield search(sim, connection, people, f"(uid={user(number)})", 0.0007)
    yield binding(sim, connection, person(number, people), 0.0025)
    yield sim.about(0.02)
    groups = people.replace("ou=people", "ou=groups")
    mine = f"(member={person(number, people)})"
    yield search(sim, connection, groups, mine, 0.0009, entries=5)
    yield sim.about(1.5)
    sim.close(connection)


def changes(
    sim: Simulation, address: str, dn: str, *, every: float, lock: str = "", people: str = PEOPLE
) -> Client:
    """An administration tool that changes people, a few milliseconds each."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while True:
        yield sim.random.expovariate(1 / every)
        who = person(sim.random.randrange(4000), people)
        yield Request(connection, "MOD", sim.about(0.006), who, query="telephoneNumber", lock=lock)


def monitoring(sim: Simulation, address: str, dn: str, *, every: float, base: str) -> Client:
    """A monitor that reads one entry at a steady pace over one connection."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    while True:
        yield every
        yield Request(connection, "SRCH", sim.about(0.001), base, 0, "(objectClass=*)", entries=1)


def following(sim: Simulation, address: str, dn: str, base: str, query: str) -> Client:
    """A consumer of changes: its search stays open for as long as it listens."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, dn)
    yield Request(connection, "SRCH", math.inf, base, 2, query, "* +", detached=True)


def office(
    sim: Simulation,
    *,
    network: str = "10.10.0",
    pace: float = 1.0,
    people: str = PEOPLE,
    lock: str = "",
) -> None:
    """A working day of a small organisation: mail, a portal, an intranet, logins, changes."""
    suffix = people.split(",", 1)[1]
    for number, (name, every) in enumerate(
        (("mail", 0.9), ("portal", 1.4), ("intranet", 1.8)), start=11
    ):
        dn = f"cn={name},ou=services,{suffix}"
        client = application(sim, f"{network}.{number}", dn, every=every / pace, people=people)
        sim.start(0.5 * number, client)
    hosts = tuple(f"{network}.{number}" for number in range(31, 43))
    sim.start(1.0, logins(sim, hosts, every=3.5 / pace, people=people))
    admin = f"cn=provisioning,ou=services,{suffix}"
    sim.start(
        2.0, changes(sim, f"{network}.14", admin, every=11.0 / pace, lock=lock, people=people)
    )
