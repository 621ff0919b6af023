"""A healthy morning of a school's 389 DS, and what the cases of this batch share with it."""

from __future__ import annotations

from pathlib import Path

from tests.field.batch6 import SUFFIX
from tests.field.dialects import Log389
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

_IDLE_S = 900.0


class Endings(Log389):
    """An access log in which some connections end for a reason of the server's own."""

    def __init__(self, version: str, host: str, server: str) -> None:
        super().__init__(version, host, server)
        self.endings: dict[int, str] = {}

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        why = self.endings.pop(connection.number, "")
        if not why:
            super().closed(at, connection, clean)
            return
        self.line(at, f"conn={connection.number} op=-1 fd={connection.fd} {why}")


def service(name: str) -> str:
    """Who an application binds as."""
    return f"cn={name},ou=services,{SUFFIX}"


def read(sim: Simulation, connection: Connection, dn: str) -> Request:
    """One entry by its DN."""
    asked = Request(connection, "SRCH", sim.about(0.0006), dn, 0, "(objectClass=*)")
    asked.entries = 1
    return asked


def sign_in(sim: Simulation, address: str, mistakes: int = 0) -> Client:
    """A person comes in, perhaps after a wrong password."""
    number = sim.random.randrange(4000)
    for attempt in range(mistakes + 1):
        connection = sim.connect(address)
        yield HANDSHAKE_S
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
        bind = binding(sim, connection, person(number), 0.0025)
        bind.error = 49 if attempt < mistakes else 0
        yield bind
        if not bind.error:
            yield sim.about(0.04)
            mine = f"(member={person(number)})"
            yield search(sim, connection, GROUPS, mine, 0.0009, entries=5)
        sim.close(connection)
        yield sim.random.uniform(5, 12)


def write_healthy_school(folder: Path) -> Waited:
    """Lessons begin, an application is restarted, idle connections end, somebody looks around."""
    log = Endings("2.4.5", "ds6.example.com", "10.105.0.2")
    sim = Simulation(log, utc(2025, 9, 15, 7, 50), 1800, workers=16, seed=610)
    office(sim, network="10.105.0", pace=1.2)
    sim.start(8, monitoring(sim, "10.105.0.9", service("monitor"), every=30, base="cn=monitor"))
    for lesson in (600, 1320):
        for seat in range(28):
            second = lesson + sim.random.uniform(0, 15)
            mistakes = 1 if seat % 7 == 3 else 0
            sim.start(second, sign_in(sim, f"10.105.1.{20 + seat}", mistakes))
    for number in range(4):
        sim.start(20 + 70 * number, _forgotten(sim, log, f"10.105.0.{50 + number}"))
    for number in range(6):
        sim.start(15 + number, _restarted_pool(sim, number))
    sim.start(960, _phone_book(sim))
    sim.start(1105, _looks_around(sim))
    sim.start(410, _new_pupils(sim))
    sim.run()
    log.write(folder / "access", log.header)
    return sim.waited


def _forgotten(sim: Simulation, log: Endings, address: str) -> Client:
    """A tool that a person leaves open, until the server closes the idle connection."""
    connection = sim.connect(address)
    yield HANDSHAKE_S
    yield binding(sim, connection, service("address-tool"))
    for _ in range(3):
        yield sim.random.uniform(4, 20)
        number = sim.random.randrange(4000)
        yield search(sim, connection, PEOPLE, f"(uid={user(number)})", 0.0007)
    yield _IDLE_S
    log.endings[connection.number] = "Disconnect - Idle Timeout (nsslapd-idletimeout) - T1"
    sim.close(connection, clean=False)


def _restarted_pool(sim: Simulation, number: int) -> Client:
    """A connection of a pool whose application is restarted once, without a farewell."""
    until = sim.begin + 754.0 + 0.003 * number
    for _ in range(2):
        connection = sim.connect("10.105.0.22")
        yield HANDSHAKE_S
        yield binding(sim, connection, service("timetable"))
        while sim.now < until:
            pause = sim.random.expovariate(1 / 6)
            yield min(pause, max(0.0, until - sim.now) + 0.001)
            wanted = f"(uid={user(sim.random.randrange(4000))})"
            yield search(sim, connection, PEOPLE, wanted, 0.0007)
        sim.close(connection, clean=False)
        until = sim.end
        yield 9.0


def _phone_book(sim: Simulation) -> Client:
    """Everybody, once a morning, by pages."""
    connection = sim.connect("10.105.0.24")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("phone-book"))
    for page in range(8):
        query = "(objectClass=inetOrgPerson)"
        asked = search(sim, connection, PEOPLE, query, 0.021, entries=412 if page == 7 else 500)
        asked.notes = f"P pr_idx=0 pr_cookie={-1 if page == 7 else 0}"
        yield asked
        yield sim.about(0.06)
    sim.close(connection)


def _looks_around(sim: Simulation) -> Client:
    """An administrator, who once looks for a word in all descriptions."""
    connection = sim.connect("10.105.0.23")
    yield HANDSHAKE_S
    yield binding(sim, connection, f"uid=admin,ou=people,{SUFFIX}")
    for number in (71, 902, 18):
        yield read(sim, connection, person(number))
        yield sim.random.uniform(6, 15)
    gone = read(sim, connection, person(4711))
    gone.entries, gone.error = 0, 32
    yield gone
    yield sim.random.uniform(6, 15)
    words = Request(connection, "SRCH", 1.2, SUFFIX, 2, "(description=*projector*)", "cn")
    words.entries, words.notes = 3, "A"
    yield words
    yield 50.0
    sim.close(connection)


def _new_pupils(sim: Simulation) -> Client:
    connection = sim.connect("10.105.0.14")
    yield HANDSHAKE_S
    yield binding(sim, connection, service("provisioning"))
    for number in range(5000, 5024):
        yield Request(connection, "ADD", sim.about(0.012), person(number))
        yield sim.about(0.05)
    sim.close(connection)
