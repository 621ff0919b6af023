"""One lab for all live tests of a run; they are skipped where it cannot be had, but not in CI.

A test that takes `server` runs twice: against the practice directory, which everybody has, and
against the lab. One that takes `lab` is about what only a real server or a real host has.

Every run has the tests on one server of each product; those marked `full` belong to the full run
alone: releases, all knobs but one of each kind, and what the practice directory shows once more.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.change import ProofResult
from ldap_workbench.model.knob import Knob
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab import record
from tests.live.lab.ds389 import Lab, missing
from tests.live.lab.host import chosen
from tests.live.lab.matrix import Server, in_tiers, names, started
from tests.live.lab.opendj import InMemory, OpenDj
from tests.live.lab.openldap import PASSWORD_VARIABLE, SLAPD, OpenLdap
from tests.live.lab.openldap import missing as missing_of_openldap
from tests.live.lab.practice_lab import PracticeLab
from tests.live.lab.sshd import STARTED
from tests.live.lab.walks import to_be_walked

_HERE = Path(__file__).parent
_LONGEST = ("test_wizard", "test_campaign", "test_experiment", "test_server_first",
            "test_hostile_links", "test_lmdb",
            "test_capture_faults", "test_opendj", "test_capture", "test_advice", "test_fleet",
            "test_practice_command", "test_server_causes", "test_offline_edits",
            "test_findings_walk", "test_tuning", "test_hostile_host", "test_logins",
            "test_replay_writes", "test_practice_causes", "test_client_causes", "test_findings",
            "test_causes", "test_versions")  # fmt: skip
"""Files that take long, the longest first: where several run at once, none waits for the last of
another. A worker at its last test has the next file already, so two short ones come after the two
that are one test each.
"""
_DIFFERS_ON_PRACTICE = (
    "test_every_operation_is_there_to_the_one",
    "test_a_window_that_is_ended_early_is_whole",
)
"""Tests that show on practice what they do not on the lab: its clock runs faster."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = missing()
    items.sort(key=_place)
    for item in items:
        if _HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.live)
        if lacking and not _on_practice(item) and not os.environ.get("CI"):
            reason = f"the lab needs packages that are not installed: {' '.join(lacking)}"
            item.add_marker(pytest.mark.skip(reason=reason))
        if not lacking and _again_on_practice(item):
            item.add_marker(pytest.mark.full)


def _place(item: pytest.Item) -> int:
    name = item.path.stem
    return _LONGEST.index(name) if name in _LONGEST else len(_LONGEST)


def _on_practice(item: pytest.Item) -> bool:
    """The practice directory needs no packages; a test with one of its own takes `practice`."""
    given = _server_of(item) == "practice"
    return given or "practice" in getattr(item, "fixturenames", ())


def _again_on_practice(item: pytest.Item) -> bool:
    """Whether it shows on practice what the same test shows on the lab, where that can be had."""
    return (
        _server_of(item) == "practice" and item.name.partition("[")[0] not in _DIFFERS_ON_PRACTICE
    )


def _server_of(item: pytest.Item) -> object:
    """Which server a test that takes `server` runs against; None for any other test."""
    called = getattr(item, "callspec", None)
    return called.params.get("running_server") if called is not None else None


_run = record.Run()
_SERVERS = (Lab, OpenLdap, OpenDj, InMemory)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _run.add(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = record.wanted()
    if path and not hasattr(session.config, "workerinput"):
        _run.note(path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A lab's folder goes with the lab: what its sshd has to say of a failure is shown with it."""
    report = yield
    if report.failed and _HERE in item.path.parents:
        logs = ((server, server.latest_log()) for server in STARTED)
        report.sections += [(f"sshd of {server.user}", log) for server, log in logs if log]
    return report


def pytest_runtest_teardown(item: pytest.Item) -> None:
    if time.time() > float(os.environ.get(record.UNTIL, "inf")):
        item.session.shouldstop = "out of time"


Tried = Callable[[Knob, ProofResult], None]


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Tried:
    """Records a knob that was set, read back and put back, and whether a counter proved it."""

    def note(knob: Knob, proof: ProofResult) -> None:
        shown = "proved" if proof.effective else "stored"
        record_property("knob", (record.key_of(knob), shown))

    return note


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Note what the test shows, and of which server."""
    labs = [each for each in item.funcargs.values() if isinstance(each, _SERVERS)]
    item.user_properties += [("server", lab.label) for lab in labs[:1]]
    for shows in item.iter_markers("shows"):
        item.user_properties += [("shows", column) for column in shows.args]


@pytest.fixture(scope="session")
def running_lab() -> Iterator[Lab]:
    if not chosen("389ds"):
        pytest.skip("this run is about another product")
    lab = Lab().start()
    yield lab
    lab.stop()


@pytest.fixture
def lab(running_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    """The lab, with its passwords in the environment and a home of the test's own."""
    for name, value in running_lab.environment.items():
        monkeypatch.setenv(name, value)
    running_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running_lab


@pytest.fixture(scope="session")
def running_practice() -> Iterator[PracticeLab]:
    practice = PracticeLab()
    yield practice
    practice.stop()


@pytest.fixture(scope="module", params=["practice", "lab"])
def running_server(request: pytest.FixtureRequest) -> Lab | PracticeLab:
    """Each of the two; only those a run asks for are started."""
    server: Lab | PracticeLab = request.getfixturevalue(f"running_{request.param}")
    return server


@pytest.fixture
def server(
    running_server: Lab | PracticeLab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Lab | PracticeLab:
    """As `lab`, for a test that holds on the practice directory, too."""
    for name, value in running_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    running_server.trust(tmp_path / "home")
    return running_server


@pytest.fixture
def served(server: Lab | PracticeLab) -> Iterator[Target]:
    """The server, connected with all rights."""
    target = connect(server.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def target(lab: Lab) -> Iterator[Target]:
    """The lab, connected with all rights."""
    target = connect(lab.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def tuner(target: Target) -> Iterator[Tuner]:
    """Changes the test's own `target`, with a journal in the test's own home."""
    journal = Journal()
    tuner = Tuner(target, journal, to_be_walked(target.facts))
    yield tuner
    tuner.close()
    journal.close()


@pytest.fixture(scope="session")
def running_slapd() -> Iterator[OpenLdap]:
    if not chosen("openldap"):
        pytest.skip("this run is about another product")
    lacking = missing_of_openldap()
    if lacking and not os.environ.get("CI"):
        pytest.skip(
            f"{SLAPD} and ldap-utils are not installed: apt-get install {' '.join(lacking)}"
        )
    lab = OpenLdap()
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture
def slapd(running_slapd: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> OpenLdap:
    """An OpenLDAP with its password in the environment and a home of the test's own.

    Some settings crash slapd: the test that did so fails, and the next one gets it started again.
    """
    running_slapd.revive()
    monkeypatch.setenv(PASSWORD_VARIABLE, running_slapd.password)
    running_slapd.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running_slapd


@pytest.fixture(scope="module", params=in_tiers(names()))
def running_release(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as running:
        yield running


@pytest.fixture
def release(running_release: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """Each server of the matrix in turn, with its passwords in the environment.

    Its profile is in a home of the test's own.
    """
    for name, value in running_release.environment.items():
        monkeypatch.setenv(name, value)
    running_release.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    ProfileStore().add(running_release.profile)
    return running_release


@pytest.fixture
def searching(slapd: OpenLdap) -> Iterator[None]:
    """Two clients of it that search all the time."""
    over = threading.Event()
    clients = [threading.Thread(target=slapd.search_until, args=(over,)) for _ in range(2)]
    for each in clients:
        each.start()
    yield
    over.set()
    for each in clients:
        each.join()
