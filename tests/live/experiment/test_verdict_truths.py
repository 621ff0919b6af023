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
from ldap_workbench.experiment.further import with_longer_wait
from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.experiment import Plan, State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.verdict import Judgement, Verdict
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
LDBM_BACKENDS = "cn=ldbm database,cn=plugins,cn=config"
LDBM = f"cn=config,{LDBM_BACKENDS}"
USERS = 2000
SLOW = "sn=Hopper,employeeNumber=1"
"""A tenth of all people have the name; the number has no index."""
KIND = "SRCH[(&(sn=?)(employeeNumber=?))]:p50"
HANG_S = 20
TEAMS, MEMBERS = 600, 1500


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


def asking(lab: Lab, parts: str, seconds: float, mode: str = "every", base: str = PEOPLE):
    """The command of a client whose searches cost what their filter says; see lab/asking.py."""
    program = str(Path(__file__).parents[1] / "lab" / "asking.py")
    return [sys.executable, program, str(lab.port), base, mode, f"{seconds:g}", parts]


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


def said(verdict: Verdict) -> str:
    return "\n".join(map(str, (verdict.sentence, *verdict.warnings)))


def experiment(target: Target, tuner: Tuner, plan: Plan, path: Path) -> Verdict:
    with SessionWriter.create(path, target.facts) as writer:
        run = ExperimentRun(target, tuner, writer, plan)
        run.run()
    assert run.verdict is not None
    return run.verdict


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
        running([asking(lab, SLOW, 0.25)] * 3),
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
    text = said(run.verdict)
    assert "In 2 windows the server did not answer cn=monitor for 10 s or longer: 0 of A" in text
    assert "No operation of B took 10 s or longer" not in text
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
    assert "2 windows were lost and their pairs measured again: 0 of A, 2 of B." in said(
        run.verdict
    )
    with Session.open(path) as session:
        left_out = [each for each in session.windows() if each.id not in run.experiment.windows]
        without = judge(session, replace(run.experiment, lost=()))
    assert {each.arm for each in left_out} == {""}
    assert without.primary.verdict == Judgement.BETTER, "the windows that are left look better"


@pytest.fixture
def teams(truth) -> str:
    """Large groups, which are dear to read into the entry cache; their suffix."""
    lab, _ = truth
    base = f"ou=groups,{SUFFIX}"
    link = lab.slapd.link()
    for number in range(TEAMS):
        members = [f"uid=user{(7 * number + k) % USERS:06d},{PEOPLE}" for k in range(MEMBERS)]
        dn = f"cn=team{number:06d},{base}"
        assert link.add(dn, ["top", "groupOfNames"], {"member": members}), link.result
    link.unbind()
    return base


def test_an_entry_cache_that_must_fill_is_waited_for(truth, teams, tmp_path):
    """Each switch empties it: a window without a wait measures how it fills."""
    lab, target = truth
    modify(lab, "cn=config", "nsslapd-enable-turbo-mode", "off")  # it logs pauses as etime
    modify(lab, LDBM, "nsslapd-cache-autosize", "0")
    modify(lab, f"cn=userRoot,{LDBM_BACKENDS}", "nsslapd-cachememsize", "512000")
    reading = asking(lab, f"cn=team#{TEAMS}", 0.04, base=teams)
    with closing(Journal()) as journal, running([reading] * 3):
        tuner = Tuner(target, journal)
        treatment = tuner.catalogue.treatment(["cachememsize=400 MiB"], target.facts)
        plan = make_plan(
            treatment,
            parse_design("pairs:8"),
            window_s=12,
            seed=5,
            settle_s=0,
            primary="p50",
            then=Then.REVERT,
        )
        filling = experiment(target, tuner, plan, tmp_path / "filling.ldapwb")
        assert filling.primary.verdict == Judgement.NOT_SETTLED, said(filling)
        course = filling.details.settling.primary
        assert course.second < 0.9 * course.first, "it grows"
        longer = with_longer_wait(plan, filling)
        assert longer.settle_s > 0
        full = experiment(target, tuner, longer, tmp_path / "full.ldapwb")
    assert full.primary.verdict == Judgement.BETTER, said(full)
    assert full.primary.ratio < filling.primary.ratio


def test_a_waiting_client_that_asks_less_is_no_improvement(truth, tmp_path):
    """Without its index each of its searches takes longer, so fewer of all operations are slow."""
    lab, target = truth
    modify(lab, "cn=config", "nsslapd-enable-turbo-mode", "off")  # it logs pauses as etime
    modify(lab, LDBM, "nsslapd-idlistscanlimit", "4000")
    plan = make_plan(
        Treatment((Setting("nsslapd-idlistscanlimit", "100"),)),
        parse_design("pairs:6"),
        window_s=8,
        seed=5,
        settle_s=0,
        primary=KIND,
        slo_ns=1_000_000,
        then=Then.REVERT,
    )
    waiting = asking(lab, SLOW, 0.05, "after")
    others = [asking(lab, f"uid=user#{USERS}", 0.01)] * 3
    with closing(Journal()) as journal, running([waiting, *others]):
        verdict = experiment(target, Tuner(target, journal), plan, tmp_path / "s.ldapwb")
    assert verdict.primary.verdict == Judgement.WORSE, said(verdict)
    assert (verdict.primary.ratio or 0) > 2
    wrong = [name for name, m in verdict.metrics.items() if m.verdict == Judgement.BETTER]
    assert not wrong, said(verdict)
