"""Clients that are the cause, on a real 389 DS: each is named with what it costs, and no other."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import ldap3
import pytest

from ldap_workbench.experiment.capture_job import statistics_logged
from ldap_workbench.figures.operations.clients import read_clients
from ldap_workbench.figures.operations.index_plan import explain
from ldap_workbench.figures.operations.view import slowest
from ldap_workbench.model.progress import no_progress
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.findings.test_advice import PEOPLE
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import capture_while, connected, found_in
from tests.live.lab.users import PASSWORD

USER = f"uid=user000007,{PEOPLE}"


@pytest.fixture(scope="module")
def lab_of_clients() -> Iterator[Lab]:
    """Its log is not buffered: these windows end quiet, and would wait for the buffer."""
    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(users=500) as lab:
        yield lab


@pytest.fixture
def target(lab_of_clients: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    with connected(lab_of_clients, monkeypatch) as made:
        yield made


def visit(lab: Lab, password: str = PASSWORD) -> None:
    """Connect, bind as one account, search, and close: what a client without a pool does."""
    server = ldap3.Server(lab.profile.ldap_url, get_info=ldap3.NONE)
    link = ldap3.Connection(server, USER, password)
    if link.bind():
        link.search(PEOPLE, "(uid=user000042)", attributes=["cn"])
    link.unbind()


def list_and_loop(lab: Lab) -> None:
    """Ten lists of ten users, and a search for each of them."""
    link = lab.slapd.link()
    for _ in range(10):
        link.search(PEOPLE, "(uid=user00000*)", attributes=["uid"])
        for found in [entry.entry_dn for entry in link.entries]:
            link.search(found, "(objectClass=person)", ldap3.BASE, attributes=["mail"])
        time.sleep(0.5)
    link.unbind()


def ask_again(lab: Lab) -> None:
    """In a shape of its own: all clients here have one address, and take turns."""
    link = lab.slapd.link()
    for _ in range(200):
        link.search(PEOPLE, "(&(uid=user000123)(objectClass=person))", attributes=["cn"])
        time.sleep(0.02)
    link.unbind()


def forget_the_password(lab: Lab) -> None:
    for _ in range(80):
        visit(lab, "wrong")
        time.sleep(0.05)


@pytest.mark.clock("clients have to send so many requests within the window")
def test_clients_are_named_for_what_they_do(lab_of_clients, target, tmp_path):
    def work() -> None:
        others = [
            threading.Thread(target=each, args=(lab_of_clients,))
            for each in (list_and_loop, ask_again, forget_the_password)
        ]
        for other in others:
            other.start()
        for _ in range(120):
            visit(lab_of_clients)
            time.sleep(0.05)  # all along the window, on a quick machine too
        for other in others:
            other.join()

    path = tmp_path / "s.ldapwb"
    capture_while(work, target, path, 6)
    found = found_in(path)
    assert {"no_pooling", "n_plus_one", "repeated_search", "failed_binds"} <= found.keys()
    assert found["no_pooling"].numbers["clients"][0]["bind_dn"].lower() == USER
    assert found["no_pooling"].cost_user_s_per_h > 0
    assert found["n_plus_one"].numbers["lists"] >= 6
    assert found["n_plus_one"].numbers["searches"] == 10 * found["n_plus_one"].numbers["lists"]
    assert found["failed_binds"].numbers["dns"][0].lower() == USER
    with Session.open(path) as session:
        rows = read_clients(session, Search(tuple(session.windows())), list(found.values())).rows
    named = next(row for row in rows if row.bind_dn.lower() == USER)
    assert "no_pooling" in named.findings
    assert named.connections > 100


@pytest.mark.clock("clients have to send so many requests within the window")
def test_a_pool_is_not_named(lab_of_clients, target, tmp_path):
    """The same searches on one connection, each for somebody else."""

    def work() -> None:
        link = lab_of_clients.slapd.link()
        for n in range(300):
            link.search(PEOPLE, f"(uid=user{n:06d})", attributes=["cn"])
            time.sleep(0.01)
        link.unbind()

    path = tmp_path / "s.ldapwb"
    capture_while(work, target, path, 3)
    causes = {"no_pooling", "n_plus_one", "repeated_search", "failed_binds", "polling", "abandon"}
    assert not causes & found_in(path).keys()


def test_statistics_are_logged_for_a_window_and_put_back(lab_of_clients, target, tmp_path):
    tuner = Tuner(target, Journal(tmp_path / "journal.sqlite"))
    before = tuner.read("nsslapd-statlog-level").value
    path = tmp_path / "s.ldapwb"

    def work() -> None:
        link = lab_of_clients.slapd.link()
        link.search(PEOPLE, "(&(objectClass=person)(uid=user000011))", attributes=["cn"])
        link.unbind()

    with statistics_logged(tuner, no_progress):
        capture_while(work, target, path, 2)
    assert tuner.read("nsslapd-statlog-level").value == before
    assert tuner.open_changes() == []
    with Session.open(path) as session:
        rows = [r for r in slowest(session, session.windows(), 50) if "uid=?" in r.fingerprint]
        plans = [explain(session, row).plan for row in rows]
    assert any(key.attribute == "uid" and key.entries == 1 for plan in plans for key in plan)
