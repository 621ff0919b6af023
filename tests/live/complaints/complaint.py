"""A complaint of an administrator: how it is set up on a real server, and what names it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import ldap3
import pytest
from ldap3.core.exceptions import LDAPException

from tests.field.case import Truth
from tests.field.scoring import Score, judge, said_of
from tests.live.lab.opendj import OpenDj
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.steps import capture_while, connected

Server = OpenLdap | OpenDj
Work = Callable[[], None]
CULPRIT, OFFICE = "127.0.0.77", "127.0.0.10"
"""Addresses of this host: of the client that is the cause, and of one that does nothing wrong."""


@dataclass(frozen=True)
class Stage:
    """A server on which something is wrong, and what happens on it in a window."""

    server: Server
    work: Work
    seconds: float = 6.0


@dataclass(frozen=True)
class Complaint(Truth):
    """One complaint; `stage` makes it of a server that may be shared, with a folder for files."""

    stage: Callable[[Server, Path], AbstractContextManager[Stage]] = field(repr=False)


def score(complaint: Complaint, server: Server, folder: Path) -> Score:
    """Set it up, capture a window as the workbench does, and judge what is said of it."""
    session = folder / f"{complaint.name}.ldapwb"
    with (
        complaint.stage(server, folder) as stage,
        pytest.MonkeyPatch.context() as environment,
        connected(stage.server, environment) as target,
        at_work(stage.server),
    ):
        capture_while(stage.work, target, session, stage.seconds)
    return judge(complaint, said_of(session))


def linked(
    server: Server, dn: str | None = None, password: str = "", *, address: str = CULPRIT
) -> ldap3.Connection:
    """A client's connection from an address of its own; the caller unbinds it."""
    place = ldap3.Server("127.0.0.1", server.port, get_info=ldap3.NONE, connect_timeout=5)
    return ldap3.Connection(
        place,
        dn,
        password or None,
        auto_bind=True,
        check_names=False,
        receive_timeout=60,
        source_address=address,
    )


@contextmanager
def at_work(server: Server) -> Iterator[None]:
    """One application looks people up by an index, some 20 times a second, on one connection."""
    over = threading.Event()
    base, name = ("dc=example,dc=com", "user.{}" if isinstance(server, OpenDj) else "user{:06d}")

    def ask() -> None:
        number = 0
        while not over.is_set():
            try:
                link = linked(server, address=OFFICE)
                while not over.wait(0.05):
                    link.search(base, f"(uid={name.format(number % 200)})", attributes=["cn"])
                    number += 1
                link.unbind()
            except (LDAPException, OSError):
                over.wait(0.2)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield
        finally:
            over.set()
        asking.result(60)


def together(*works: Work) -> None:
    """Several clients at once; what one raises is raised at the end."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work) for work in works]:
            running.result(300)


def row(result: Score) -> str:
    """One complaint in the table of docs/benchmarks.md."""
    truth = result.case
    named = "not named"
    if result.place is not None:
        named = f"{result.place}. *{result.said.groups[result.place - 1].title}*"
    wrong = "; ".join([*result.accusations, *result.foreign])
    cells = [truth.name, truth.product, truth.cause, named, "yes" if result.remedy else "no", wrong]
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| complaint | server | what was set up | named | remedy | said wrongly |\n"
    "|---|---|---|---|---|---|"
)
