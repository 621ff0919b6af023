"""The workbench on the practice directory: a capture, a treatment. Experiments: tests/live."""

import os
from contextlib import closing

import pytest

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import accept_fingerprint
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

SPEED = 15


@pytest.fixture(scope="module")
def practice():
    with Practice.start("rehash", speed=SPEED, seed=5) as practice:
        yield practice


@pytest.fixture
def target(practice, monkeypatch, tmp_path):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    for name, value in practice.environment.items():
        monkeypatch.setitem(os.environ, name, value)
    accept_fingerprint(practice.profile.ssh, practice.fingerprint)
    target = connect(practice.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def tuner(target, tmp_path):
    with (
        closing(Journal(tmp_path / "journal")) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        yield tuner


def configuration(target):
    found = target.directory.search("cn=config", scope="sub")
    return {entry.dn: dict(entry) for entry in found if "cn=monitor" not in entry.dn}


def test_a_window_is_captured_whole(practice, target, tmp_path):
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, CapturePlan(seconds=20.0))
    assert window.seconds == pytest.approx(20, abs=SPEED * 0.2)
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources()}
        operations = session.operations(window)
    for kind in (SourceKind.ACCESS_LOG, SourceKind.MONITOR, SourceKind.IOSTAT):
        assert sources[kind].state == SourceState.COMPLETE, sources[kind].why
    assert sources[SourceKind.ACCESS_LOG].lines.unknown == 0
    assert sources[SourceKind.ACCESS_LOG].details["clock_steps_back"] == 0
    clients = client_operations(operations)
    assert operations.own.any()
    # at 400 a second, with the UNBIND of each BIND not counted
    assert clients.sum() == pytest.approx(400 * window.seconds, rel=0.25)
    assert practice.unknown_commands() == []


def test_a_group_is_applied_proved_and_reverted_exactly(target, tuner):
    before = configuration(target)
    treatment = tuner.catalogue.treatment(["nsslapd-cachememsize=200 MiB"], target.facts)
    applied = tuner.apply(treatment)
    assert target.directory.search("cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config")[
        0
    ].first("maxentrycachesize") == str(200 << 20)
    assert all(result.effective is not False for result in tuner.prove(applied.group))
    assert any(result.effective for result in tuner.prove(applied.group))
    changes = tuner.revert(applied.group)
    assert {change.state for change in changes} == {ChangeState.REVERTED}
    assert configuration(target) == before
