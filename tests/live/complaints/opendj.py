"""Complaints of administrators of OpenDJ, set up on 4.6.5."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ldap3

from tests.field.case import OPENDJ, UNINDEXED
from tests.live.complaints.complaint import CULPRIT, Complaint, Server, Stage, linked, together
from tests.live.lab.opendj import ADMIN, SUFFIX, OpenDj

USERS = 10_000
BACKEND = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
QUEUE = "cn=Work Queue,cn=config"
TEXT_LOG = "cn=File-Based Access Logger,cn=Loggers,cn=config"


def made() -> OpenDj:
    """The OpenDJ that all of them share."""
    return OpenDj(users=USERS).start()


@contextmanager
def setting(server: Server, dn: str, *, restart: bool = False, **values: str) -> Iterator[OpenDj]:
    """Attributes of cn=config ("_" is "-") with these values for a while."""
    assert isinstance(server, OpenDj)
    asked = {f"ds-cfg-{name.replace('_', '-')}": value for name, value in values.items()}
    link = server.link()
    link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=list(asked))
    attributes = link.response[0]["raw_attributes"]
    before = {name: attributes.get(name, []) for name in asked}
    changes = {name: [(ldap3.MODIFY_REPLACE, [value])] for name, value in asked.items()}
    assert link.modify(dn, changes), link.result
    link.unbind()
    if restart:
        server.start()
    try:
        yield server
    finally:
        link = server.link()
        link.modify(dn, {name: [(ldap3.MODIFY_REPLACE, old)] for name, old in before.items()})
        link.unbind()
        if restart:
            server.start()


@contextmanager
def no_index(server: Server, _: Path) -> Iterator[Stage]:
    def work() -> None:
        link = linked(server, ADMIN, server.password)
        for n in range(20):
            link.search(SUFFIX, f"(employeeNumber={n})", attributes=["cn"])
        link.unbind()

    yield Stage(server, lambda: together(work, work))


@contextmanager
def refused(server: Server, _: Path) -> Iterator[Stage]:
    def work() -> None:
        link = linked(server, f"uid=user.7,ou=People,{SUFFIX}", "password")
        for n in range(60):
            link.search(SUFFIX, f"(employeeNumber={n})", attributes=["cn"])
            assert link.result["result"] == 50, link.result
            time.sleep(0.05)
        link.unbind()

    yield Stage(server, work)


@contextmanager
def small_cache(server: Server, _: Path) -> Iterator[Stage]:
    def read() -> None:
        link, chance = linked(server), random.Random(3)
        for _ in range(1000):
            link.search(SUFFIX, f"(uid=user.{chance.randrange(USERS)})", attributes=["*"])
        link.unbind()

    with setting(server, BACKEND, restart=True, db_cache_size="1 mb"):
        yield Stage(server, lambda: together(read, read, read), 10)


@contextmanager
def short_of_workers(server: Server, _: Path) -> Iterator[Stage]:
    def list_some() -> None:
        link = linked(server)
        for n in range(60):
            link.search(SUFFIX, f"(uid=user.{n % 90 + 10}*)", attributes=["cn"])
        link.unbind()

    with setting(server, QUEUE, num_worker_threads="1"):
        yield Stage(server, lambda: together(*[list_some] * 8), 8)


@contextmanager
def log_publisher(server: Server, _: Path) -> Iterator[Stage]:
    def read() -> None:
        link = linked(server)
        for n in range(1500):
            link.search(SUFFIX, f"(uid=user.{n})", attributes=["cn"])
        link.unbind()

    with setting(server, TEXT_LOG, enabled="true", asynchronous="false"):
        yield Stage(server, lambda: together(read, read), 8)


COMPLAINTS = (
    Complaint(
        "opendj_index", "Searches by employeeNumber are slow",
        "OpenDJ administration guide, indexing", OPENDJ, "employeeNumber has no index", UNINDEXED,
        ("employeeNumber", CULPRIT), r"create-backend-index[^\n]*employeeNumber", stage=no_index,
    ),
    Complaint(
        "refused", "Insufficient access rights (50) for a search that anybody may make",
        "OpenDJ administration guide, privileges", OPENDJ,
        "a search without an index, by somebody without the privilege unindexed-search",
        r"refused|fail|err=50", ("employeeNumber",), r"unindexed-search", stage=refused,
    ),
    Complaint(
        "je_cache", "The database is read from disk again and again",
        "OpenDJ administration guide, tuning", OPENDJ, "the JE cache has 1 MB",
        r"database cache|JE cache|db-cache", ("userRoot",), r"db-cache-(percent|size)",
        stage=small_cache,
    ),
    Complaint(
        "worker_queue", "Requests wait in the work queue", "OpenDJ administration guide, tuning",
        OPENDJ, "one worker thread for eight clients",
        r"queue|wait for a (worker|thread)|worker threads", (), r"num-worker-threads",
        stage=short_of_workers,
    ),
    Complaint(
        "log_publisher", "Logging slows the server down",
        "OpenDJ administration guide, logging", OPENDJ,
        "the access log publisher writes in the thread of the request (asynchronous: false)",
        r"log (is )?not buffered|log publisher|access log", ("asynchronous",),
        r"access-log-asynchronous\W+true|asynchronous:true", stage=log_publisher,
    ),
)  # fmt: skip
