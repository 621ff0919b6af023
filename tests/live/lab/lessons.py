"""Lessons of the practice directory taken by a test: over real LDAP and SSH, time running fast."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.progress import OnProgress, no_progress
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import config_through
from tests.live.lab.practice_lab import as_manager


@dataclass(frozen=True)
class Lesson:
    """A practice directory with one scenario, and the workbench connected to it."""

    practice: Practice
    target: Target

    def treatment(self, *settings: str) -> Treatment:
        """The treatment of these words, else the scenario's own."""
        own = [f"{each.knob}={each.value}" for each in self.practice.scenario.treatment.settings]
        return load_catalogue().of(self.target.facts).treatment(settings or own, self.target.facts)

    def plan(self, design: str, window_s: float, *settings: str, **options: Any) -> Plan:
        """As the command makes one: a change that waits for a restart restarts both arms."""
        treatment = self.treatment(*settings)
        with closing(Journal()) as journal:
            planned = Tuner(self.target, journal).plan(treatment)
        restart = any(change.needs_restart for change in planned)
        defaults = {"primary": self.practice.scenario.primary, "then": Then.REVERT}
        return make_plan(
            treatment,
            parse_design(design),
            window_s=window_s,
            seed=1,
            restart=restart,
            **defaults | options,
        )

    def configuration(self) -> str:
        """All of cn=config but what counts or goes with the time."""
        url = self.practice.profile.ldap_url
        return config_through(as_manager(url, self.practice.address.password))

    def run(self, plan: Plan, path: Path, progress: OnProgress = no_progress) -> ExperimentRun:
        """One whole experiment into a new session."""
        with (
            closing(Journal()) as journal,
            closing(Tuner(self.target, journal)) as tuner,
            SessionWriter.create(path, self.target.facts) as writer,
        ):
            run = ExperimentRun(self.target, tuner, writer, plan, progress=progress)
            run.run()
        return run


@contextmanager
def lesson(
    scenario: str,
    speed: float,
    home: Path,
    *,
    seed: int = 3,
    settings: Mapping[str, str] | None = None,
    mended: bool = False,
) -> Iterator[Lesson]:
    """Start the scenario and connect, with a LDAP_WORKBENCH_HOME of the test's own."""
    with (
        Practice.start(
            scenario, speed=speed, seed=seed, settings=settings, mended=mended
        ) as practice,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setitem(os.environ, "LDAP_WORKBENCH_HOME", str(home))
        for name, value in practice.environment.items():
            patch.setitem(os.environ, name, value)
        assert practice.profile.ssh is not None
        accept_fingerprint(practice.profile.ssh, practice.fingerprint)
        with closing(connect(practice.profile, Secrets())) as target:
            yield Lesson(practice, target)
