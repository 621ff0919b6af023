"""A name that leads to another server in the middle of it all: two practice directories behind one.

The port of a proxy stands for the name: what it leads to moves, and the link of before is cut.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

import pytest

from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import AnotherServerError
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.profile import Profile
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.faults.proxy import Proxy
from tests.live.lab.ds389 import config_through
from tests.live.lab.practice_lab import as_manager

INTERVAL = "nsslapd-db-checkpoint-interval"
SPEED = 20.0


@dataclass
class Name:
    """One name, and the server that it leads to now."""

    line: Proxy
    leads_to: Practice
    other: Practice
    host: Practice
    """Whose host it is that SSH reaches: that name stays where it was."""

    @property
    def profile(self) -> Profile:
        return replace(
            self.host.profile,
            name="behind-a-name",
            ldap_url=f"ldap://127.0.0.1:{self.line.port}",
            starttls=False,
            ca_file=None,
        )

    def password(self, _: Profile) -> str:
        """Both are servers of one house; these two have a password each."""
        return self.leads_to.address.password

    def move(self) -> None:
        self.leads_to, self.other = self.other, self.leads_to
        self.line.target = self.leads_to.address.ldap_port
        self.line.cut()

    def connect(self) -> Target:
        secrets = Secrets()
        secrets.password = self.password  # type: ignore[method-assign]
        return connect(self.profile, secrets)


def configuration(practice: Practice) -> str:
    url = practice.profile.ldap_url
    return config_through(as_manager(url, practice.address.password))


@pytest.fixture
def name(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(Practice.start("rehash", speed=SPEED, seed=seed)) for seed in (1, 2)
        )
        for variable, password in first.environment.items():
            monkeypatch.setenv(variable, password)
        accept_fingerprint(first.profile.ssh, first.fingerprint)
        line = stack.enter_context(Proxy(first.address.ldap_port))
        yield Name(line, first, second, first)


@pytest.fixture
def journal(name):
    with closing(Journal()) as journal:
        yield journal


def test_an_experiment_whose_name_moves_writes_nothing_more(name, journal, tmp_path):
    first, second = name.leads_to, name.other
    as_it_was = configuration(second)
    in_force = []

    def move(report):
        if "(arm B): Measuring" in str(report.text) and not in_force:
            in_force.append(configuration(first))
            name.move()

    treatment = Treatment((Setting(INTERVAL, "15"),))
    plan = replace(
        make_plan(treatment, parse_design("ab"), window_s=5 * SPEED, seed=1),
        settle_s=0,
        then=Then.KEEP,
        patience_s=20,
    )
    path = tmp_path / "s.ldapwb"
    with (
        closing(name.connect()) as target,
        closing(Tuner(target, journal)) as tuner,
        SessionWriter.create(path, target.facts) as writer,
    ):
        run = ExperimentRun(target, tuner, writer, plan, progress=move)
        with pytest.raises(AnotherServerError) as ended:
            run.run()
    assert in_force, "it moved with the change in force"
    assert f"{INTERVAL}=15 may still be in force" in str(ended.value)
    assert configuration(second) == as_it_was
    assert configuration(first) == in_force[0]
    (change,) = journal.changes(open_only=True)
    assert change.state is ChangeState.APPLIED
    with Session.open(path) as session:
        (stored,) = session.experiments()
    assert stored.state is State.ABORTED
    assert "leads to another server now" in str(stored.why)


def test_revert_by_a_name_that_has_moved_leaves_the_change_open(name, journal):
    first, second = name.leads_to, name.other
    before, as_it_was = configuration(first), configuration(second)
    with closing(name.connect()) as target, closing(Tuner(target, journal)) as tuner:
        tuner.apply(Treatment((Setting(INTERVAL, "15"),)))
    name.move()
    with (
        closing(name.connect()) as target,
        closing(Tuner(target, journal)) as tuner,
        pytest.raises(AnotherServerError),
    ):
        tuner.recover()
    assert configuration(second) == as_it_was
    assert [each.state for each in journal.changes()] == [ChangeState.APPLIED]
    name.move()
    with closing(name.connect()) as target, closing(Tuner(target, journal)) as tuner:
        assert [each.state for each in tuner.recover()] == [ChangeState.REVERTED]
    assert configuration(first) == before
