"""What is said of a real server that fails in windows of B: a hang, an outage.

The same truths are simulated in tests/bench/acceptance, thousands of times. What the log of a real
server shows of them is not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import connected, freeze, modify
from tests.live.lab.users import SUFFIX

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(1800),
    pytest.mark.clock("verdicts of short experiments in real time"),
]

PEOPLE = f"ou=people,{SUFFIX}"
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
USERS = 2000
SLOW = "sn=Hopper,employeeNumber=1"
"""A tenth of all people have the name; the number has no index."""
HANG_S = 20


@pytest.fixture(scope="module")
def plain_lab() -> Iterator[Lab]:
    """A server of the tests' own, which writes its log at once."""
    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(USERS) as lab:
        yield lab


@pytest.fixture
def truth(
    plain_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[tuple[Lab, Target]]:
    with connected(plain_lab, monkeypatch) as target:
        monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
        plain_lab.trust(tmp_path / "home")
        ProfileStore().add(plain_lab.profile)
        yield plain_lab, target


@contextmanager
def running(commands: Sequence[Sequence[str]]) -> Iterator[None]:
    """Clients that ask until the end."""
    processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for command in commands]
    try:
        yield
        assert all(process.poll() is None for process in processes), "a client ended early"
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(60)


def asking(lab: Lab, every_s: float) -> list[str]:
    """One client whose searches cost as much as their list of candidates; see lab/asking.py."""
    program = str(Path(__file__).parents[1] / "lab" / "asking.py")
    return [sys.executable, program, str(lab.port), PEOPLE, "every", f"{every_s:g}", SLOW]


class Failing:
    """Does something to the server in chosen windows of B, from a second after they begin."""

    def __init__(self, fail: Callable[[], None], which: Sequence[int]) -> None:
        """`which`: of the windows of B that are measured, counted from 0, repeated ones too."""
        self._fail = fail
        self._which = which
        self._begun: list[str] = []
        self._threads: list[threading.Thread] = []
        self._measuring = False
        self.failures: list[BaseException] = []

    def listen(self, report: Progress) -> None:
        said = str(report.text)
        was, self._measuring = self._measuring, "Measuring" in said
        if was or not self._measuring or "(arm B)" not in said:
            return
        if len(self._begun) in self._which:
            self._threads.append(threading.Thread(target=self._run))
            self._threads[-1].start()
        self._begun.append(said)

    def _run(self) -> None:
        time.sleep(1)
        try:
            self._fail()
        except BaseException as error:  # noqa: BLE001 - raised in the test
            self.failures.append(error)

    def end(self) -> None:
        for thread in self._threads:
            thread.join(120)
        assert not self.failures, self.failures
        assert len(self._threads) == len(self._which)


def measured(lab: Lab, target: Target, path: Path, window_s: float, failing: Failing):
    """An experiment whose change makes searches quick, on a server that fails in B."""
    modify(lab, LDBM, "nsslapd-idlistscanlimit", "100")
    treatment = Treatment((Setting("nsslapd-idlistscanlimit", "4000"),))
    plan = make_plan(
        treatment,
        parse_design("pairs:6"),
        window_s=window_s,
        seed=5,
        settle_s=0,
        primary="p50",
        slo_ns=5_000_000_000,
        then=Then.KEEP_IF_BETTER,
    )
    with (
        closing(Journal()) as journal,
        SessionWriter.create(path, target.facts) as writer,
        running([asking(lab, 0.25)] * 3),
    ):
        run = ExperimentRun(target, Tuner(target, journal), writer, plan, progress=failing.listen)
        try:
            run.run()
        finally:
            failing.end()
        assert not journal.open_changes(lab.profile.ldap_url)
    return run


def test_a_hang_is_data(truth, tmp_path):
    """What is asked meanwhile is read afterwards: the log of a server that hung looks quick."""
    lab, target = truth

    def hang() -> None:
        freeze(lab.slapd.pid)
        time.sleep(HANG_S)
        os.kill(lab.slapd.pid, signal.SIGCONT)

    run = measured(lab, target, tmp_path / "s.ldapwb", HANG_S + 5, Failing(hang, [1, 3]))
    assert run.experiment.lost == ()
    assert len(run.experiment.windows) == 12
    assert run.verdict.details.hung == ("B", "B")
    assert run.verdict.details.long_stalls.n_b == 2
    said = " ".join(map(str, run.verdict.warnings))
    assert "In 2 windows the server did not answer cn=monitor for 10 s or longer: 0 of A" in said
    assert "No operation of B took 10 s or longer" not in said
    wrong = [name for name, m in run.verdict.metrics.items() if m.verdict == Judgement.BETTER]
    assert not wrong, run.verdict.sentence
    assert run.experiment.state is State.REVERTED, "keep-if-better does not keep it"


def test_windows_of_a_server_that_went_down_are_lost_and_listed(truth, tmp_path):
    lab, target = truth

    def go_down() -> None:
        lab.stop_server()
        time.sleep(HANG_S)
        lab.start_server()

    path = tmp_path / "s.ldapwb"
    run = measured(lab, target, path, 8, Failing(go_down, [1, 3]))
    assert run.experiment.lost == ("B", "B")
    assert run.verdict.primary.verdict != Judgement.BETTER, run.verdict.sentence
    assert run.experiment.state is State.REVERTED, "keep-if-better does not keep it"
    said = [str(warning) for warning in run.verdict.warnings]
    assert "2 windows were lost and their pairs measured again: 0 of A, 2 of B." in said
    with Session.open(path) as session:
        left_out = [each for each in session.windows() if each.id not in run.experiment.windows]
        without = judge(session, replace(run.experiment, lost=()))
    assert {each.arm for each in left_out} == {""}
    assert without.primary.verdict == Judgement.BETTER, "the windows that are left look better"
