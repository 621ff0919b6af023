"""A log of PingDS alone says as much as one of OpenDJ, and more of the queue.

The lines are as its logging guide describes them: no PingDS can be had here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from tests.field.case import NEW_CONNECTIONS, OPENDJ, UNINDEXED, Truth
from tests.field.dialects import LogOpenDJ, LogPingDS
from tests.field.scoring import Said, ask, judge
from tests.field.simulation import Client, Request, Simulation, utc
from tests.field.traffic import HANDSHAKE_S, PEOPLE, binding, office, person, search, user

SERVICE = "cn=portal,ou=services,dc=example,dc=com"
CLIENT = "10.61.0.77"


def unindexed(sim: Simulation) -> Client:
    """Every three seconds a search that reads everything."""
    connection = sim.connect(CLIENT)
    yield HANDSHAKE_S
    yield binding(sim, connection, SERVICE)
    while True:
        asked = search(sim, connection, PEOPLE, f"(employeeNumber={sim.random.random()})", 1.4)
        asked.notes = "A"
        yield asked
        yield 3.0


def without_pool(sim: Simulation) -> Client:
    """A connection and a bind for each look-up."""
    while True:
        connection = sim.connect(CLIENT)
        yield HANDSHAKE_S
        yield binding(sim, connection, SERVICE, 0.03)
        yield search(sim, connection, PEOPLE, f"(uid={user(sim.random.randrange(900))})", 0.002)
        sim.close(connection)
        yield 0.2


def one_by_one(sim: Simulation) -> Client:
    """A list, then each of its entries with a request of its own."""
    connection = sim.connect(CLIENT)
    yield HANDSHAKE_S
    yield binding(sim, connection, SERVICE)
    while True:
        yield search(sim, connection, PEOPLE, "(departmentNumber=17)", 0.05, entries=300)
        for number in range(300):
            yield Request(
                connection, "SRCH", 0.006, person(number), 0, "(objectClass=*)", "cn", entries=1
            )
        yield 20.0


@dataclass(frozen=True)
class Habit:
    """What a client does, what names it and what has to be in what is said of it."""

    client: Callable[[Simulation], Client]
    finding: str
    mechanism: str
    names: tuple[str, ...]
    remedy: str
    workers: int = 16


HABITS = (
    Habit(unindexed, "unindexed", UNINDEXED, ("employeeNumber", CLIENT), "create-backend-index"),
    Habit(without_pool, "no_pooling", NEW_CONNECTIONS, (CLIENT,), "pool"),
    Habit(one_by_one, "request_chain|n_plus_one", "one after|look-?ups", (CLIENT,), "list|group"),
    Habit(unindexed, "unindexed", UNINDEXED, (CLIENT,), "create-backend-index", workers=1),
)


def logged(log: LogOpenDJ | LogPingDS, habit: Habit, folder: Path) -> Path:
    """The log of an office with what this client does to it."""
    folder.mkdir()
    sim = Simulation(log, utc(2026, 11, 2, 9, 0), 240, workers=habit.workers, seed=7)
    office(sim, network="10.61.1", pace=0.7)
    sim.start(2, habit.client(sim))
    sim.run()
    return log.write(folder / "ldap-access.audit.json")


def said(log: LogOpenDJ | LogPingDS, habit: Habit, folder: Path) -> Said:
    return ask([logged(log, habit, folder)], folder)


def ids(of: Said) -> Iterator[str]:
    return (which for group in of.groups for which in group.ids)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: f"{habit.finding}-{habit.workers}")
def test_what_a_client_does_is_named_in_a_log_of_pingds(habit: Habit, tmp_path: Path) -> None:
    text, ping = (said(log("10.61.0.2"), habit, tmp_path / log.__name__) for log in _LOGS)
    truth = Truth("", "", "", OPENDJ, "", habit.mechanism, habit.names, habit.remedy)
    score = judge(truth, ping)
    assert score.place == 1, [group.title for group in ping.groups]
    assert score.remedy
    assert score.foreign == ()
    assert set(habit.finding.split("|")) & set(ids(ping))
    assert set(habit.finding.split("|")) & set(ids(text)), "OpenDJ's own log says it, too"


_LOGS = (LogOpenDJ, LogPingDS)


def test_its_queue_is_told_apart_from_work(tmp_path: Path) -> None:
    """One worker: others wait behind the search without an index; OpenDJ's log cannot say so."""
    longest: dict[str, int] = {}
    for name, log in (("opendj", LogOpenDJ), ("opendj-json", LogPingDS)):
        written = logged(log("10.61.0.2"), HABITS[-1], tmp_path / name)
        longest[name] = int(Scanner(name).feed(written.read_bytes()).wtime_ns.max())
    assert longest["opendj"] <= 0
    assert longest["opendj-json"] > 10**9
