"""Whatever breaks off an experiment on a real server, the server is put back first.

A full disk, a lost answer, a cut line, a signal, a closed terminal, somebody else at work.
"""

from __future__ import annotations

import os
import pty
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import SessionError, WorkbenchError
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning import journal as journal_module
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.faults.proxy import Proxy
from tests.live.lab.steps import configured, workbench

INTERVAL = "nsslapd-db-checkpoint-interval=15"
MEASURING_B = "(arm B): Measuring"


@pytest.fixture
def before(lab, target):
    """The configuration the test must leave; each window is complete at once."""
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        config = lab.ldif_of_config()
        yield config
        assert lab.ldif_of_config() == config


@pytest.fixture
def profile(lab):
    ProfileStore().add(lab.profile)
    return lab.profile


@contextmanager
def disk(folder, megabytes):
    """A small disk of its own on `folder`."""
    folder.mkdir(exist_ok=True)
    argv = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(folder)]
    if os.geteuid() or subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    with (folder / "filler").open("wb", buffering=0) as file:
        piece = 1 << 20
        while piece:
            try:
                file.write(bytes(piece))
            except OSError:
                piece //= 2


def run(target, journal, path, progress=lambda _: None, **options):
    """The experiment as run, and what it raised."""
    tuner = Tuner(target, journal)
    treatment = tuner.catalogue.treatment([INTERVAL], target.facts)
    how = {"window_s": 1, "seed": 1, "settle_s": 0, "then": Then.REVERT} | options
    plan = make_plan(treatment, parse_design(how.pop("design", "ab")), **how)
    writer = SessionWriter.create(path, target.facts)
    run = ExperimentRun(target, tuner, writer, plan, progress=progress)
    try:
        run.run()
    except WorkbenchError as error:
        return run.experiment, error
    finally:
        with closing_as_it_may(writer):
            tuner.close()
    return run.experiment, None


@contextmanager
def closing_as_it_may(writer):
    """A writer whose disk is full cannot even be closed well."""
    try:
        yield
    finally:
        with suppress(SessionError):
            writer.close()


def once(when, do):
    """A listener that does something the first time the text comes."""
    done = []

    def tell(report):
        if when in str(report.text) and not done:
            done.append(report)
            do()

    return tell


# A full disk


@pytest.mark.full  # one disk for both is full in every run, its own in seeds of faults
def test_a_full_disk_of_the_session_leaves_the_server_as_it_was(target, before, tmp_path):
    with disk(tmp_path / "small", 24) as small, closing(Journal()) as journal:
        filled = once(MEASURING_B, lambda: fill(small))
        ended, error = run(target, journal, small / "s.ldapwb", filled)
        assert {change.state for change in journal.changes()} == {ChangeState.REVERTED}
    assert isinstance(error, SessionError)
    assert str(error.safe) == (
        "The server is as it was before. The session could not be written to its end; what was "
        "written before stays readable."
    )
    assert ended.state is State.ABORTED


@pytest.mark.parametrize(
    "room",
    [
        # One disk for both has it in every run, and the campaign of faults.
        pytest.param(True, marks=pytest.mark.full),
        False,
    ],
)
def test_a_full_disk_of_the_journal_leaves_the_server_as_it_was(
    target, before, tmp_path, monkeypatch, room
):
    """With the room taken beforehand the revert is noted; without it happens all the same."""
    if not room:
        monkeypatch.setattr(journal_module, "take_room", lambda *_: None)
    with disk(tmp_path / "small", 24) as small:
        with closing(Journal(small / "journal.sqlite")) as journal:
            filled = once(MEASURING_B, lambda: fill(small))
            ended, error = run(target, journal, tmp_path / "s.ldapwb", filled)
            states = {change.state for change in journal.changes()}
        if room:
            assert (ended.state, error) == (State.REVERTED, None)
            assert states == {ChangeState.REVERTED}
        else:
            assert error is not None
            assert "the journal could not be written and still lists" in str(error.safe)
            assert "Make room on the disk" in str(error.remedy)
            assert ended.state is State.ABORTED


def test_one_full_disk_for_both_leaves_the_server_and_the_journal_true(target, before, tmp_path):
    with disk(tmp_path / "small", 24) as small:
        with closing(Journal(small / "journal.sqlite")) as journal:
            filled = once(MEASURING_B, lambda: fill(small))
            _, error = run(target, journal, small / "s.ldapwb", filled)
        with closing(Journal(small / "journal.sqlite")) as journal:
            assert {change.state for change in journal.changes()} == {ChangeState.REVERTED}
    assert isinstance(error, SessionError)
    assert str(error.safe).startswith("The server is as it was before. The session could not")


# A line that is cut


@pytest.fixture
def line(lab):
    with Proxy(lab.port) as proxy:
        yield proxy


@pytest.fixture
def far_target(lab, line, before):
    """The server, over a line that can be cut."""
    url = f"ldap://127.0.0.1:{line.port}"
    with closing(connect(replace(lab.profile, ldap_url=url), Secrets())) as target:
        yield target
        line.heal()


@pytest.mark.full  # a seed of the faults in every run; test_run_lost_windows.py has what is said
def test_an_answer_that_is_lost_is_looked_for_and_the_pair_measured_again(
    far_target, line, tmp_path
):
    """The server has the value and we do not know: the modify is the write that holds a 15."""

    def lose():
        line.swallow_answer(b"\x04\x0215")
        threading.Thread(target=lambda: line.answer_swallowed.wait(60) and line.cut()).start()

    with closing(Journal()) as journal:
        path = tmp_path / "s.ldapwb"
        ended, error = run(far_target, journal, path, once("Applying", lose))
        assert error is None
        assert [c.state for c in journal.changes()] == [ChangeState.REVERTED] * 2
    assert ended.state is State.REVERTED
    assert len(ended.windows) == 2
    (said,) = map(str, ended.void)
    assert said.startswith("Pair 1 is measured again: The link broke while")
    assert said in map(str, ended.verdict.warnings)
    with Session.open(path) as session:
        arms = [window.arm for window in session.windows()]
    assert sorted(arms) == ["", "A", "B"], "the first A stands in no arm any more"


@pytest.mark.full  # test_run_lost_windows.py cuts it in every run, seeds of faults a real one
def test_a_cut_while_the_server_is_put_back_is_outlived(far_target, line, tmp_path):
    with closing(Journal()) as journal:
        cut = once("Reverting", line.cut)
        ended, error = run(far_target, journal, tmp_path / "s.ldapwb", cut)
        assert [c.state for c in journal.changes()] == [ChangeState.REVERTED]
    assert (ended.state, error) == (State.REVERTED, None)


def test_a_line_that_stays_cut_is_waited_for_and_then_said(far_target, line, lab, tmp_path):
    with closing(Journal()) as journal:
        cut = once(MEASURING_B, lambda: line.cut(refuse=True))
        ended, error = run(far_target, journal, tmp_path / "s.ldapwb", cut, patience_s=2)
        (change,) = journal.open_changes(far_target.profile.ldap_url)
        assert "is still in force is not known" in str(error.safe)
        assert "did not answer for 2 s. The journal keeps the change open." in str(error.safe)
        assert "ldap-workbench revert lab --all" in str(error.remedy)
        assert ended.state is State.ABORTED
        # by another way to the same instance it is known, too, and put back
        with closing(connect(lab.profile, Secrets())) as near:
            tuner = Tuner(near, journal)
            assert tuner.open_changes() == [change]
            assert [each.state for each in tuner.put_back()] == [ChangeState.REVERTED]


# Signals


def experiment_words(profile, path, *more, window="5"):
    return [
        *(sys.executable, "-m", "ldap_workbench", "experiment", profile.name, "-o", str(path)),
        *("--set", INTERVAL, "--design", "ab", "--window", window, "--settle", "0"),
        *("--then", "keep", "--yes", *more),
    ]


HANGUP = pytest.param(signal.SIGHUP, marks=pytest.mark.full)
"""Handled as SIGTERM is, which the window gets in every run."""
TERMINATE = pytest.param(signal.SIGTERM, marks=pytest.mark.full)
"""Handled as SIGINT is; the window gets it in every run."""


@pytest.mark.parametrize("number", [TERMINATE, HANGUP, signal.SIGINT])
def test_a_signal_in_the_treated_window_puts_the_server_back(
    profile, before, lab, tmp_path, number
):
    """A second one is answered, and interrupts nothing."""
    argv = experiment_words(profile, tmp_path / "s.ldapwb")
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        said = []
        for text in process.stderr:
            said.append(text)
            if MEASURING_B in text:
                assert lab.ldif_of_config() != before
                process.send_signal(number)
            if "Stopping cleanly" in text:
                process.send_signal(number)
    told = "".join(said)
    assert process.returncode == 1, told
    assert "The server is put back first" in told
    assert "The server is as it was before. What was measured so far is in the session." in told
    assert "Traceback" not in told
    with closing(Journal()) as journal:
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]
    with Session.open(tmp_path / "s.ldapwb") as session:
        assert session.experiments()[0].state is State.ABORTED


@pytest.mark.full  # it is a signal, as above
def test_a_terminal_that_is_closed_is_no_reason_to_leave_the_change(profile, before, lab, tmp_path):
    argv = experiment_words(profile, tmp_path / "s.ldapwb")
    process, terminal = pty.fork()
    if process == 0:
        os.execve(argv[0], argv, dict(os.environ))
    seen = b""
    while MEASURING_B.encode() not in seen:
        seen += os.read(terminal, 4096)
    assert lab.ldif_of_config() != before
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) != 0
    with closing(Journal()) as journal:
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]


def test_a_load_on_the_host_dies_with_a_workbench_that_is_killed(profile, before, lab, tmp_path):
    """Also the children of a wrapper."""
    beats = lab.sshd.folder.parent / f"beats-{os.getpid()}"
    beats.touch()
    beats.chmod(0o666)
    beat = f"while :; do echo x >> {beats}; sleep 0.05; done"
    wrapper = shlex.join(["sh", "-c", f"({beat}) & ({beat}); wait"])
    path = tmp_path / "s.ldapwb"
    argv = experiment_words(profile, path, "--load", wrapper, "--load-on-host", window="20")
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        for text in process.stderr:
            if "(arm A): Measuring" in text:
                process.kill()
    assert beats.stat().st_size
    deadline = time.monotonic() + 60
    while grows(beats):
        assert time.monotonic() < deadline


def grows(path):
    size = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size > size


# Somebody else


def test_two_names_of_one_server_are_one_server(lab, target, profile, before, tmp_path):
    """Also while arm A is measured, when nothing is changed."""
    other = replace(lab.profile, name="other", ldap_url=f"ldap://localhost:{lab.port}")
    ProfileStore().add(other)
    refused = []

    def look():
        words = experiment_words(other, tmp_path / "2.ldapwb")[3:]
        refused.append(workbench(*words))

    with closing(Journal()) as journal:
        ended, error = run(target, journal, tmp_path / "s.ldapwb", once("(arm A): Measuring", look))
    assert (ended.state, error) == (State.REVERTED, None)
    assert refused[0].returncode == 1
    assert "Another workbench is running on" in refused[0].stderr
    assert not (tmp_path / "2.ldapwb").exists()


def test_a_change_of_somebody_else_voids_the_pair_and_is_said(target, lab, before, tmp_path):
    with closing(connect(lab.profile, Secrets())) as somebody:
        sizelimit = somebody.directory.search("cn=config", attributes=["nsslapd-sizelimit"])
        now = sizelimit[0].values("nsslapd-sizelimit")

        def meddle():
            somebody.directory.replace("cn=config", "nsslapd-sizelimit", ("777",), expected=now)

        try:
            with closing(Journal()) as journal:
                ended, error = run(
                    target, journal, tmp_path / "s.ldapwb", once(MEASURING_B, meddle)
                )
        finally:
            somebody.directory.replace("cn=config", "nsslapd-sizelimit", now, expected=("777",))
    assert (ended.state, error) == (State.REVERTED, None)
    (said,) = map(str, ended.void)
    assert (
        "Another administrator changed the server in pair 1: nsslapd-sizelimit of cn=config" in said
    )
    assert "now 777" in said
    assert said in map(str, ended.verdict.warnings)


@pytest.mark.full  # that it voids a pair is in every run, as is a plan without repeats left
def test_a_change_of_somebody_else_again_and_again_ends_it(target, lab, before, tmp_path):
    with closing(connect(lab.profile, Secrets())) as somebody:
        entry = somebody.directory.search("cn=config", attributes=["nsslapd-sizelimit"])
        values = [entry[0].values("nsslapd-sizelimit")]

        def meddle(report):
            if "Measuring, 1 s left" in str(report.text):
                values.append((str(1000 + len(values)),))
                somebody.directory.replace(
                    "cn=config", "nsslapd-sizelimit", values[-1], expected=values[-2]
                )

        try:
            with closing(Journal()) as journal:
                ended, error = run(target, journal, tmp_path / "s.ldapwb", meddle, repeats=1)
        finally:
            somebody.directory.replace(
                "cn=config", "nsslapd-sizelimit", values[0], expected=values[-1]
            )
    assert ended.state is State.ABORTED
    assert "Another administrator changed the server in pair 1" in str(error.what)
    assert "1 pair was measured again already" in str(error.what)
    assert str(error.safe).startswith("The server is as it was before.")


def test_what_is_in_force_already_is_refused_before_the_first_window(profile, before, tmp_path):
    path = tmp_path / "s.ldapwb"
    words = ("--set", "nsslapd-db-checkpoint-interval=60", "--design", "ab", "--then", "revert")
    done = workbench("experiment", profile.name, "-o", str(path), *words)
    assert done.returncode == 1
    assert "already has nsslapd-db-checkpoint-interval=60: both arms would be" in done.stderr
    assert "Choose another value" in done.stderr
    assert not path.exists()


# The window

WINDOW = """
import faulthandler, os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
faulthandler.dump_traceback_later(100)  # what it waits for when it comes to nothing
from pathlib import Path
from PySide6.QtCore import QTimer
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.gui import app as gui
from ldap_workbench.gui.screens.experiment.agreement import Agreement
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.model.knob import Treatment
from ldap_workbench.tuning.catalogue import parse_setting

name, path, setting = sys.argv[1:]
Agreement.ask = lambda *_: True
asked, windows = [], []
make_window = MainWindow.__init__

def remember(self, *args, **options):
    # Asked of the application, it might be one whose screens are being made.
    make_window(self, *args, **options)
    self.completed.connect(lambda: windows.append(self))

MainWindow.__init__ = remember

def drive():
    if not windows:
        return
    window = windows[0]
    screen = window.experiment
    if "connect" not in asked:
        asked.append("connect")
        window.workbench.failed.connect(lambda *what: print(*what, file=sys.stderr, flush=True))
        window.workbench.connect_to(ProfileStore().get(name))
    elif window.workbench.connection and "try" not in asked:
        asked.append("try")
        screen.add_setting(parse_setting(setting))
    elif screen.change.planned and "start" not in asked:
        asked.append("start")
        treatment = screen.change.planned.treatment
        plan = make_plan(treatment, parse_design("ab"), window_s=5, seed=1, settle_s=0)
        screen.design.plan, screen.design.path = (lambda: plan), (lambda: Path(path))
        screen.start()

app = gui.application()
timer = QTimer()
timer.timeout.connect(drive)
timer.start(100)
sys.exit(gui.run([]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, HANGUP])
def test_a_signal_to_the_window_puts_the_server_back(profile, before, lab, tmp_path, number):
    argv = [sys.executable, "-c", WINDOW, profile.name, str(tmp_path / "s.ldapwb"), INTERVAL]
    output = tmp_path / "stderr"
    with output.open("w") as file, subprocess.Popen(argv, stderr=file) as process:
        try:
            deadline = time.monotonic() + 120
            while lab.ldif_of_config() == before:
                assert process.poll() is None, output.read_text()
                assert time.monotonic() < deadline, output.read_text()
                time.sleep(0.3)
            process.send_signal(number)
            process.wait(60)
        finally:
            process.kill()
    said = output.read_text()
    assert process.returncode == 1, said
    assert "The server is as it was before." in said
    with closing(Journal()) as journal:
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]


def test_another_laptop_is_told_that_an_experiment_is_at_work(
    lab, target, profile, before, tmp_path, monkeypatch
):
    """It knows nothing of our lock; the mark on the host tells it."""
    refused = []

    def look():
        with monkeypatch.context() as laptop:
            laptop.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "laptop"))
            lab.trust(tmp_path / "laptop")
            ProfileStore().add(lab.profile)
            refused.append(workbench(*experiment_words(profile, tmp_path / "2.ldapwb")[3:]))

    with closing(Journal()) as journal:
        ended, error = run(target, journal, tmp_path / "s.ldapwb", once("(arm A): Measuring", look))
    assert (ended.state, error) == (State.REVERTED, None)
    assert refused[0].returncode == 1
    assert "Another workbench is running on this server: login" in refused[0].stderr
