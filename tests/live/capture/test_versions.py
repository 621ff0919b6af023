"""The short walk over every server of the matrix: connect, capture, a knob set and put back.

Each server is asked the same. `tests/run --servers` runs the long walks on each besides.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.experiment import State
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.matrix import Server, busy, product, root_link
from tests.live.lab.plain_reading import EDGE_S, answered, lines_of
from tests.live.lab.steps import workbench

_LIVE = {"389ds": "nsslapd-lookthroughlimit=4999", "openldap": "olcThreads=8"}


@pytest.mark.shows("connect")
def test_every_step_of_a_connection_works(release: Server) -> None:
    steps = try_profile(release.profile, Secrets())
    assert [str(step.text) for step in steps if not step.ok] == []
    with closing(connect(release.profile, Secrets())) as target:
        assert target.facts.version in release.label
        assert target.facts.access_log
        assert target.facts.backends


@pytest.mark.clock("the window has to hold so many operations of a real load")
@pytest.mark.shows("capture")
def test_a_window_has_every_operation(release: Server, tmp_path: Path) -> None:
    """Over rotations of the log, where the server rotates it."""
    path = tmp_path / "s.ldapwb"
    with closing(connect(release.profile, Secrets())) as target, busy(release):
        time.sleep(EDGE_S)
        with SessionWriter.create(path, target.facts) as writer:
            window = capture(target, writer, CapturePlan(8, name="load"))
        log = Path(str(target.facts.access_log))
        time.sleep(EDGE_S)
    with Session.open(path) as session:
        operations = session.operations(window)
        sources = {source.kind: source for source in session.sources(window.id)}
        assert isinstance(findings(session), list)
    access = sources[SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE, access.why
    assert access.lines is not None
    assert access.lines.unknown == 0
    assert sources[SourceKind.MONITOR].state is SourceState.COMPLETE
    assert sources[SourceKind.IOSTAT].state is SourceState.COMPLETE
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    lines = lines_of(log)
    inside = answered(lines, window, -EDGE_S)
    around = answered(lines, window, EDGE_S)
    assert len(inside) > 500
    assert inside <= found <= around


@pytest.mark.shows("connect")
def test_a_log_that_stays_empty_is_said(release: Server, tmp_path: Path) -> None:
    """3.1.2 takes the format JSON and writes nothing in it; what else was measured is kept."""
    if "389 DS 3.1.2" not in release.label:
        pytest.skip("it writes its log")
    config, attribute = "cn=config", "nsslapd-accesslog-log-format"
    said = f"while {attribute} is json. Set {attribute} to default on the server."
    link, path = root_link(release), tmp_path / "s.ldapwb"
    assert link.modify(config, {attribute: [(ldap3.MODIFY_REPLACE, ["json"])]})
    try:
        (bad,) = (step for step in try_profile(release.profile, Secrets()) if not step.ok)
        done = workbench("capture", release.profile.name, "-o", str(path), "--seconds", "2")
    finally:
        assert link.modify(config, {attribute: [(ldap3.MODIFY_REPLACE, ["default"])]})
        link.unbind()
    assert str(bad.name) == "access log"
    assert f"{bad.text} {bad.remedy}".endswith(said)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(session.windows()[0].id)}
    assert sources[SourceKind.ACCESS_LOG].state is SourceState.MISSING
    assert sources[SourceKind.MONITOR].state is SourceState.COMPLETE


@pytest.mark.shows("revert exact")
def test_a_live_knob_is_set_proved_and_put_back(release: Server) -> None:
    before = release.ldif_of_config()
    with (
        closing(connect(release.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        wanted = tuner.catalogue.treatment([_LIVE[product(release)]], target.facts)
        applied = tuner.apply(wanted)
        assert [proof.stored for proof in applied.proofs] == [True]
        assert release.ldif_of_config() != before
        tuner.revert(applied.group)
    assert release.ldif_of_config() == before


@pytest.mark.full
@pytest.mark.shows("experiment")
def test_an_experiment_leaves_the_server_as_it_was(release: Server, tmp_path: Path) -> None:
    """With a live knob and short windows; test_experiment_walk.py has the rest."""
    before, path = release.ldif_of_config(), tmp_path / "s.ldapwb"
    with busy(release):
        done = workbench(
            *("experiment", release.profile.name, "-o", str(path)),
            *("--set", _LIVE[product(release)]),
            *("--design", "ab", "--window", "2", "--settle", "0", "--then", "revert", "--yes"),
        )
    assert done.returncode == 0, done.stderr
    assert release.ldif_of_config() == before
    with Session.open(path) as session:
        last = session.experiments()[-1]
    assert last.state is State.REVERTED
    assert len(last.windows) == 2
