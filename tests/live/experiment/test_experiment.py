"""The main job by the command, on practice and on a real server, left exactly as it was."""

from __future__ import annotations

import json
import shlex
import signal
from contextlib import closing
from dataclasses import replace

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import State
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured, killed_workbench, named_load, workbench

INTERVAL = "nsslapd-db-checkpoint-interval=15"


@pytest.fixture
def unbuffered(served):
    """Each window is complete at once, so that an experiment takes seconds."""
    with configured(served, nsslapd_accesslog_logbuffering="off"):
        yield


@pytest.fixture
def profile(server, unbuffered):
    ProfileStore().add(server.profile)
    return server.profile


@pytest.fixture
def crowded_lab(monkeypatch, tmp_path):
    """A lab with enough users that no two windows bind the same ones: a rehash is for good."""
    with Lab().start(users=20_000) as lab:
        for name, value in lab.environment.items():
            monkeypatch.setenv(name, value)
        ProfileStore().add(lab.profile)
        target = connect(lab.profile, Secrets())
        with closing(target), configured(target, nsslapd_accesslog_logbuffering="off"):
            yield lab


def experiment(name, path, *words, window="1", settle="0"):
    return workbench(
        *("experiment", name, "-o", str(path), "--window", window, "--settle", settle, "--yes"),
        *words,
    )


@pytest.mark.full  # a verdict of pairs is in every run on practice, one of a switch here
@pytest.mark.clock("the verdict is of a short experiment in real time")
def test_upgrade_hash_off_is_better_for_binds_and_reverted_exactly(crowded_lab, tmp_path):
    """Lab only: what a real PBKDF2 costs real users; on practice it is one of the lessons."""
    path = tmp_path / "s.ldapwb"
    before = crowded_lab.ldif_of_config()
    load = shlex.join(crowded_lab.drive_fresh_binds(600, windows=12))
    done = experiment(
        "lab",
        path,
        *("--set", "nsslapd-enable-upgrade-hash=off", "--design", "pairs:6", "--seed", "1"),
        *("--load", load, "--primary", "BIND:p50", "--then", "revert", "--json"),
        window="2",
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["state"] == "reverted"
    primary = said["verdict"]["primary"]
    assert (primary["verdict"], primary["type"], primary["metric"]) == ("better", "BIND", "p50")
    assert primary["high"] < 1
    assert crowded_lab.ldif_of_config() == before
    with closing(Journal()) as journal:
        assert {c.state for c in journal.changes()} == {ChangeState.REVERTED}


@pytest.mark.full  # test_tuning.py changes the group and proves it in every run
def test_the_entry_cache_is_changed_as_a_group_with_its_proof(server, profile, tmp_path):
    before = server.ldif_of_config()
    done = experiment(
        profile.name,
        tmp_path / "s.ldapwb",
        *("--set", "nsslapd-cachememsize=200 MiB", "--design", "ab", "--then", "revert"),
    )
    assert done.returncode == 0, done.stderr
    with closing(Journal()) as journal:
        changes = journal.changes()
    assert [c.knob for c in changes] == ["nsslapd-cache-autosize", "nsslapd-cachememsize"]
    assert len({c.group for c in changes}) == 1
    assert "maxentrycachesize" in str(changes[1].proof).lower()
    assert server.ldif_of_config() == before


def test_threads_work_after_a_restart_in_both_arms(server, profile, tmp_path):
    path = tmp_path / "s.ldapwb"
    before = server.ldif_of_config()
    done = experiment(
        profile.name, path, "--set", "nsslapd-threadnumber=24", "--design", "ab", "--then", "revert"
    )
    assert done.returncode == 0, done.stderr
    with Session.open(path) as session:
        restarts = [mark for mark in session.marks() if mark.kind == "restart"]
        proofs = [str(mark.text) for mark in session.marks() if mark.kind == "proof"]
    assert len(restarts) == 3  # before A, before B, and after the revert
    assert any("24" in text for text in proofs)
    assert server.ldif_of_config() == before


def crashed_and_undone(server, profile, path, moment):
    """A workbench that died at a moment of its experiment: refused, reverted, the file readable."""
    before = server.ldif_of_config()
    words = ("experiment", profile.name, "-o", str(path), "--set", INTERVAL)
    words += ("--design", "ab", "--window", "1", "--settle", "0", "--then", "revert", "--yes")
    killed = killed_workbench(moment, *words)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with closing(Journal()) as journal:
        assert journal.open_changes(profile.ldap_url)
    other = path.with_name("2.ldapwb")
    refused = experiment(profile.name, other, "--set", "nsslapd-threadnumber=24")
    assert refused.returncode == 1
    assert "open change" in refused.stderr
    undone = workbench("revert", profile.name, "--all")
    assert undone.returncode == 0, undone.stderr
    assert server.ldif_of_config() == before
    with closing(Journal()) as journal:
        assert not journal.open_changes(profile.ldap_url)
    with Session.open(path) as session:
        assert not session.experiments()[0].state.ended


@pytest.mark.full  # in the treated window: below; the campaign of faults draws from all of them
@pytest.mark.parametrize(
    "moment", ["before the write", "after the write", "before the revert", "after the revert"]
)
def test_a_crash_at_any_moment_is_found_and_undone(server, profile, tmp_path, moment):
    crashed_and_undone(server, profile, tmp_path / "s.ldapwb", moment)


def test_a_crashed_experiment_is_undone_and_goes_on_where_it_was(server, profile, tmp_path):
    path = tmp_path / "s.ldapwb"
    crashed_and_undone(server, profile, path, "in the treated window")
    go_on = ("experiment", profile.name, "-o", str(path), "--resume")
    refused = workbench(*go_on)
    assert refused.returncode == 2, "nobody has agreed to the plan in the file"
    assert f"--set {INTERVAL}" in refused.stderr
    done = workbench(*go_on, "--set", INTERVAL, "--yes")
    assert done.returncode == 0, done.stderr
    with Session.open(path) as session:
        last = session.experiments()[0]
    assert last.state is State.REVERTED
    assert len(last.windows) == 2


def test_a_fault_of_our_own_leaves_the_server_as_it_was(server, profile, served, tmp_path):
    """Whatever goes wrong in the treated window, the treatment is taken back."""
    before = server.ldif_of_config()

    def stumble(report):
        if "arm B" in str(report.text) and "Measuring" in str(report.text):
            raise RuntimeError("a fault of our own")

    with (
        closing(Journal()) as journal,
        SessionWriter.create(tmp_path / "s.ldapwb", served.facts) as writer,
    ):
        tuner = Tuner(served, journal)
        treatment = tuner.catalogue.treatment([INTERVAL], served.facts)
        plan = make_plan(treatment, parse_design("ab"), window_s=1, seed=1, settle_s=0)
        run = ExperimentRun(served, tuner, writer, plan, progress=stumble)
        with pytest.raises(RuntimeError, match="our own"):
            run.run()
        assert not journal.open_changes(profile.ldap_url)
    assert run.experiment.state is State.ABORTED
    assert "our own" in str(run.experiment.why)
    assert server.ldif_of_config() == before


WRONG = [
    (("--set", "nsslapd-db-durable-transactions=off"), 1, "durable"),
    ((), 2, "--set"),
    # tests/unit/tuning and tests/unit/cli refuse the same words in every run.
    *(
        pytest.param(*wrong, marks=pytest.mark.full)
        for wrong in (
            (("--set", "nsslapd-threadnumber=0"), 1, "threadnumber"),
            (("--set", "no-such-knob=1"), 1, "no-such-knob"),
            (("--design", "latin:4", "--set", "nsslapd-threadnumber=24"), 2, "design"),
        )
    ),
]


@pytest.mark.parametrize(("words", "status", "said"), WRONG)
def test_what_cannot_be_is_said_before_anything_is_changed(
    server, profile, tmp_path, words, status, said
):
    before = server.ldif_of_config()
    done = experiment(profile.name, tmp_path / "s.ldapwb", *words, "--then", "revert")
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert server.ldif_of_config() == before


def test_a_wrong_password_is_said(server, profile, tmp_path, monkeypatch):
    with monkeypatch.context() as wrong:
        wrong.setenv(profile.password_env, "wrong")
        done = workbench(
            "capture", profile.name, "-o", str(tmp_path / "s.ldapwb"), "--seconds", "1"
        )
    assert done.returncode == 1
    assert "password" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_sudo_leaves_the_log_out_and_says_so(server, profile, tmp_path):
    if not profile.sudo:
        pytest.skip("the lab runs as one user: its logs are readable without sudo")
    ProfileStore().add(replace(profile, sudo=False))
    done = workbench(
        "capture", profile.name, "-o", str(tmp_path / "s.ldapwb"), "--seconds", "2", "--json"
    )
    assert done.returncode == 1, "a source that was wanted is missing"
    access = next(s for s in json.loads(done.stdout)["sources"] if s["kind"] == "access log")
    assert access["state"] in ("failed", "missing")
    assert "sudo" in access["why"]


def test_a_session_tells_the_same_offline_and_holds_no_secret(
    server, profile, tmp_path, monkeypatch
):
    path = tmp_path / "s.ldapwb"
    done = experiment(
        profile.name,
        path,
        *("--set", "nsslapd-enable-upgrade-hash=off", "--design", "ab", "--then", "revert"),
        *("--load", named_load(server.drive_steadily("bind", 600), monkeypatch)),
    )
    assert done.returncode == 0, done.stderr
    online = workbench("tails", str(path), "--json").stdout
    server.stop_server()
    try:
        assert json.loads(online)
        assert workbench("tails", str(path), "--json").stdout == online
        report = workbench("report", str(path), "-o", str(tmp_path / "r.html"))
        assert report.returncode == 0, report.stderr
    finally:
        server.start_server()
    secrets = [secret for secret in (server.password, server.login_password) if secret]
    key = server.identity.read_text()
    for file in [*tmp_path.glob("s.ldapwb*"), tmp_path / "r.html"]:
        content = file.read_bytes()
        assert not [secret for secret in secrets if secret.encode() in content]
        assert key.splitlines()[1].encode() not in content
