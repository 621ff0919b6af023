"""Causes set up on every server of the matrix, which a window of it must show, and no others.

One client opens a connection for each search, and searches by an
attribute without an index; the server has other clients besides.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.matrix import (
    IN_MEMORY,
    OPENDJ,
    Server,
    busy,
    in_tiers,
    names,
    root_link,
    started,
)
from tests.live.lab.opendj import InMemory
from tests.live.lab.users import SUFFIX

pytestmark = pytest.mark.clock("the finding has to show up in seconds of real load")
_CAUSES = {"no_pooling", "unindexed"}
_ADVICE = {"389": "index-filter", "openldap": "olc-index"}
"""By the first word of a server's label; there is none for OpenDJ."""
_WINDOW_S = 6.0
_ENOUGH, _PACE = 100, 50
"""Connections that a finding needs, and those that show how quickly they are made."""
Note = Callable[[str, object], None]


def servers() -> list[str]:
    """Those of the run; what Java runs comes together."""
    found = names()
    if not os.environ.get("LDAP_WORKBENCH_LAB"):
        found.append(OPENDJ)
    return [*found, IN_MEMORY] if OPENDJ in found else found


@pytest.fixture(scope="module", params=in_tiers(servers()))
def running(request: pytest.FixtureRequest) -> Iterator[Server | InMemory]:
    with started(request.param) as server:
        yield server


@pytest.fixture
def server(
    running: Server | InMemory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Server | InMemory:
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    running.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running


@contextmanager
def careless(server: Server | InMemory) -> Iterator[float]:
    """A client with a connection for each search, none of which has an index.

    Gives the seconds in which it makes more connections than a finding needs.
    """
    over, made = threading.Event(), threading.Semaphore(0)

    def search() -> None:
        while not over.is_set():
            link = root_link(server)
            link.search(SUFFIX, "(description=nobody has this)", attributes=["cn"])
            link.unbind()
            made.release()

    clients = [threading.Thread(target=search) for _ in range(3)]
    for each in clients:
        each.start()
    try:
        began = time.monotonic()
        for _ in range(_PACE):
            assert made.acquire(timeout=60)
        yield max(_WINDOW_S, 3 * _ENOUGH / _PACE * (time.monotonic() - began))
    finally:
        over.set()
        for each in clients:
            each.join()


def seen(
    server: Server | InMemory, path: Path, *, careless_client: bool
) -> tuple[dict[str, Finding], set[str]]:
    """What a window of the server shows, and the ids of what is advised for it."""
    others = nullcontext() if isinstance(server, InMemory) else busy(server)
    client = careless(server) if careless_client else nullcontext(_WINDOW_S)
    with (
        closing(connect(server.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
        SessionWriter.create(path, target.facts) as writer,
        others,
        client as seconds,
    ):
        window = capture(target, writer, CapturePlan(seconds))
        if not isinstance(server, InMemory):
            remember_settings(writer, tuner, window)
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(window.id)}
        assert sources[SourceKind.ACCESS_LOG].state is SourceState.COMPLETE
        found = findings(session)
        advice = advise(found, session.facts)
    return {each.id: each for each in found}, {each.id for each in advice}


@pytest.mark.shows("findings")
def test_a_server_without_these_causes_has_no_such_finding(
    server: Server | InMemory, tmp_path: Path
) -> None:
    found, _ = seen(server, tmp_path / "s.ldapwb", careless_client=False)
    assert not _CAUSES & found.keys()


@pytest.mark.shows("findings")
def test_the_causes_that_were_set_up_are_found(
    server: Server | InMemory, tmp_path: Path, record_property: Note
) -> None:
    found, advised = seen(server, tmp_path / "s.ldapwb", careless_client=True)
    assert found["no_pooling"].numbers["connections"] >= _ENOUGH
    if isinstance(server, InMemory):
        for column, words in server.cannot.items():
            record_property("cannot", (column, words))
        assert "unindexed" not in found, "it has no index, and says nothing of any"
        return
    assert found["unindexed"].numbers["filters"] == ["(description=?)"]
    wanted = _ADVICE.get(server.label.partition(" ")[0].lower())
    assert wanted is None or wanted in advised
