"""An experiment on every server of the matrix: proof, exact revert, kill -9 and what follows it.

Every knob of slapd that is set while it runs works at once, so it
has none that waits for a restart.
"""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path

import pytest

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.experiment import State
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.matrix import Server, loaded, product
from tests.live.lab.steps import killed_workbench, workbench
from tests.live.lab.stored_config import differences, stored_config

pytestmark = pytest.mark.full
_KNOBS = {
    "live": {
        "389ds": "nsslapd-cachememsize=300 MiB",
        "openldap": "olcThreads=8",
        "opendj": "num-worker-threads=4",
    },
    "restart": {"389ds": "nsslapd-threadnumber=24", "opendj": "db-num-cleaner-threads=3"},
}
"""Knobs with a counter that shows the value in force, by when they take effect."""
_SHORT = ("--design", "ab", "--window", "2", "--settle", "0", "--then", "revert", "--yes")


@pytest.fixture(params=list(_KNOBS))
def setting(request: pytest.FixtureRequest, release: Server) -> str:
    """KNOB=VALUE for this server."""
    found = _KNOBS[request.param].get(product(release))
    if found is None:
        pytest.skip("this server has no such knob")
    return found


def in_force(release: Server, setting: str) -> str | None:
    """What the server's own counter shows."""
    with (
        closing(connect(release.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        return tuner.read(setting.partition("=")[0]).effective


def proofs(path: Path) -> list[str]:
    """What was said of the treatment being in force: once when set, and after each restart."""
    with closing(Journal()) as journal, Session.open(path) as session:
        marks = [str(mark.text) for mark in session.marks() if mark.kind == "proof"]
        return [str(change.proof) for change in journal.changes()] + marks


@pytest.mark.shows("experiment", "revert exact")
def test_an_experiment_proves_its_change_and_takes_it_back(
    release: Server, setting: str, tmp_path: Path
) -> None:
    path, config = tmp_path / "s.ldapwb", release.ldif_of_config()
    effective, stored = in_force(release, setting), stored_config(release)
    words = ("experiment", release.profile.name, "-o", str(path), "--set", setting, *_SHORT)
    with loaded(release) as load:
        done = workbench(*words, *(["--load", *load] if load else []))
    assert done.returncode == 0, done.stderr
    assert [said for said in proofs(path) if " is in force: " in said]
    assert release.ldif_of_config() == config
    assert not differences(stored, stored_config(release))
    assert in_force(release, setting) == effective
    with Session.open(path) as session:
        last = session.experiments()[-1]
    assert last.state is State.REVERTED
    assert len(last.windows) == 2


@pytest.mark.shows("experiment", "kill -9", "revert exact")
def test_kill_9_in_the_middle_is_recovered_and_resumed(
    release: Server, setting: str, tmp_path: Path
) -> None:
    path, name = tmp_path / "s.ldapwb", release.profile.name
    config, effective = release.ldif_of_config(), in_force(release, setting)
    stored = stored_config(release)
    words = ("experiment", name, "-o", str(path), "--set", setting)
    with loaded(release) as load:
        killed = killed_workbench(
            "in the treated window", *words, *_SHORT, *(["--load", *load] if load else [])
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert release.ldif_of_config() != config
        refused = workbench(*words, "--resume")
        assert refused.returncode == 1
        assert "still open on " in refused.stderr
        undone = workbench("revert", name, "--all")
        assert undone.returncode == 0, undone.stderr
        assert release.ldif_of_config() == config
        agreed = ["--accept-load", *load] if load else []
        resumed = workbench(*words, "--resume", "--yes", *agreed)
    assert resumed.returncode == 0, resumed.stderr
    with Session.open(path) as session:
        last = session.experiments()[-1]
    assert last.state is State.REVERTED
    assert len(last.windows) == 2
    assert release.ldif_of_config() == config
    assert not differences(stored, stored_config(release))
    assert in_force(release, setting) == effective
