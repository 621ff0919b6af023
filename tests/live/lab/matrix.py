"""The servers of the matrix, for tests that ask each of them the same."""

from __future__ import annotations

import os
import shlex
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import ldap3
import pytest

from ldap_workbench.model.errors import UsageError
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import LOCAL, MOVING, SUITES, root_of, suite_here
from tests.live.lab.opendj import InMemory, OpenDj
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.openldap import missing as missing_of_openldap
from tests.live.lab.steps import steady_load

Server = Lab | OpenLdap | OpenDj
OPENDJ = "opendj"
IN_MEMORY = "in-memory"
"""The server of the UnboundID LDAP SDK, of which only a log and a bind can be had."""
_HERE = (LOCAL, f"openldap-{LOCAL}")
_FEW, _MANY = 500, 5000
"""Up to 4,000 entries below a base OpenDJ lists by its own, and notes no search as unindexed."""
_SLOW_TO_SCAN = 10_000
"""The log of OpenLDAP 2.4 has times of whole seconds: it shows that a search takes time only where
one goes on as a second begins. Reading so many entries takes some 15 ms, and one does in each."""
_UNBUFFERED = "nsslapd-accesslog-logbuffering: off\n"
_ROTATED = "nsslapd-accesslog-maxlogsize: 2\n"


def names() -> list[str]:
    """The server this run is about; else what is installed here, and every other release."""
    chosen = os.environ.get("LDAP_WORKBENCH_LAB", "")
    if chosen not in ("", LOCAL):
        return [chosen]
    others = [n for n, suite in SUITES.items() if suite not in (suite_here(), MOVING)]
    return [*_HERE, *(others if not chosen else [])]


def names_and_opendj() -> list[str]:
    """`names`, and OpenDJ where the run is not about another server."""
    return [*names(), *([] if os.environ.get("LDAP_WORKBENCH_LAB") else [OPENDJ])]


def in_tiers(servers: list[str]) -> list[pytest.ParameterSet]:
    """As parameters: what is installed here belongs to every run, the releases to the full one."""
    return [pytest.param(n, marks=[] if n in _HERE else [pytest.mark.full]) for n in servers]


def product(server: Server) -> str:
    """The name of its catalogue."""
    if isinstance(server, OpenDj):
        return OPENDJ
    return "389ds" if isinstance(server, Lab) else "openldap"


@contextmanager
def started(name: str, users: int = 0, *, fine: bool = False) -> Iterator[Server | InMemory]:
    """One of `names`, or OpenDJ, with a log that is complete at once; skips what cannot be had.

    It has the usual number of people, or `users`. With `fine` OpenLDAP 2.4 has a log with fine
    times, too.
    """
    check(name)
    if name.startswith("389ds") or name == LOCAL:
        # 389 DS 3.1.2 ends when it rotates under load (upstream issue 6489).
        rotated = "" if name.startswith("389ds-3.1") else _ROTATED
        with Lab(name, config=_UNBUFFERED + rotated).start(users=users or 1000) as lab:
            yield lab
        return
    server = _made(name, users, fine)
    try:
        yield server.start()
    finally:
        server.stop()


def _made(name: str, users: int, fine: bool) -> OpenLdap | OpenDj | InMemory:
    if name == IN_MEMORY:
        return InMemory()
    if name == OPENDJ:
        return OpenDj(users or _MANY)
    if name == "openldap-2.4":
        return OpenLdap(users or _SLOW_TO_SCAN, version=name, syslog=fine)
    return OpenLdap(users or _FEW, version=LOCAL if name.endswith(LOCAL) else name)


def root_link(server: Server | InMemory) -> ldap3.Connection:
    """A connection of the administrator's, which no limit ends; the caller unbinds it."""
    return server.slapd.link() if isinstance(server, Lab) else server.link()


def check(name: str) -> None:
    """Skip the test where a server cannot be had; in CI that is an error."""
    lacking = missing_of_openldap() if name == f"openldap-{LOCAL}" else []
    if lacking and not os.environ.get("CI"):
        pytest.skip(f"slapd is not installed: apt-get install {' '.join(lacking)}")
    try:
        if name in SUITES:
            root_of(SUITES[name])
    except UsageError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@contextmanager
def busy(server: Server) -> Iterator[None]:
    """Clients that search for a while, 60 s at most."""
    if isinstance(server, Lab):
        with steady_load(server, "search", 60, rate=400):
            yield
        return
    with _searching(server):
        yield


@contextmanager
def loaded(server: Server) -> Iterator[list[str]]:
    """Clients that search through restarts, too. Gives the load command of an experiment, [] where
    none is needed."""
    if isinstance(server, Lab):
        yield [shlex.join(server.drive("search", 600))]
        return
    with _searching(server):
        yield []


@contextmanager
def _searching(server: OpenLdap | OpenDj) -> Iterator[None]:
    over = threading.Event()
    clients = [threading.Thread(target=server.search_until, args=(over,)) for _ in range(2)]
    with ExitStack() as stack:
        for each in clients:
            each.start()
            stack.callback(each.join)
        stack.callback(over.set)
        yield
