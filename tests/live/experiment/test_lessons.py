"""Every lesson of the practice directory, end to end over LDAP and SSH: the verdict is the truth.

The windows are shorter than a lesson advises, and the time runs fast: what is shown is that the
whole loop (load, log, capture, change, restart, verdict, revert) carries the known effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ldap_workbench.experiment.index_proof import would_serve
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.practice.goals import goals
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from ldap_workbench.session.reader import Session
from tests.live.lab.lessons import lesson


@dataclass(frozen=True)
class Trial:
    """How a lesson is taken; seconds are practice seconds."""

    speed: float
    window_s: float
    pairs: int = 6
    options: dict[str, Any] = field(default_factory=dict)


TRIALS = {
    "checkpoint-storms": Trial(80, 75, pairs=7),
    "healthy": Trial(40, 30),
    "read-ahead": Trial(40, 20),
    "referint-trains": Trial(80, 100),
    "rehash": Trial(20, 10, pairs=14, options={"looks": (7, 14)}),
    "slow-group-changes": Trial(60, 80),
    "slow-logins": Trial(40, 20),
    "slow-pages": Trial(30, 30),
    "slow-portal": Trial(40, 40),
    "tiny-caches": Trial(80, 140, options={"trim_auto": True, "settle_s": 20}),
    "too-many-threads": Trial(40, 20),
    "trap": Trial(80, 75, pairs=7),
}
ALIKE = {"no material change", "too small to matter"}
OPEN = {"inconclusive", "not enough data", "not settled"}


@pytest.fixture(params=TRIALS)
def practice(request, tmp_path):
    trial = TRIALS[request.param]
    with lesson(request.param, trial.speed, tmp_path / "home") as taken:
        yield taken


def test_every_lesson_is_taken():
    """One with a queue is a campaign's: tests/bench/two_causes.py takes it."""
    assert sorted(TRIALS) == [name for name in scenario_names() if not load_scenario(name).queue]


@pytest.mark.full  # test_campaign.py has the lesson `rehash` in every run
@pytest.mark.clock("the verdict is of a short experiment at many times the speed")
def test_the_verdict_is_the_truth(practice, tmp_path):
    """Few short windows leave some runs open: such a run is made once more, a wrong one is not."""
    scenario, before = practice.practice.scenario, practice.configuration()
    trial, path = TRIALS[scenario.name], tmp_path / "1.ldapwb"
    plan = practice.plan(f"pairs:{trial.pairs}", trial.window_s, **trial.options)
    run = practice.run(plan, path)
    if not run.verdict.comparable or run.verdict.primary.verdict in OPEN:
        path = tmp_path / "2.ldapwb"
        run = practice.run(replace(plan, seed=2), path)
    assert run.experiment.state is State.REVERTED
    assert practice.configuration() == before
    assert practice.practice.unknown_commands() == []
    told_truly(run.verdict, scenario)
    with Session.open(path) as session:
        windows = [session.window(number) for number in run.experiment.windows]
        assert session.facts.simulated
        marks = session.marks()
    if plan.looks:
        ended_by_a_look(run, marks)
    if plan.trim_auto:
        cut_alike(run.verdict, windows)
    if scenario.name == "too-many-threads":
        assert [mark.kind for mark in marks].count("restart") >= len(windows)  # in both arms


def told_truly(verdict, scenario):
    """The primary metric is decided as the scenario demands and has about its true size."""
    assert verdict.comparable, verdict.why
    assert agrees(verdict.primary.verdict, scenario.expected[scenario.primary]), verdict.sentence
    true = scenario.ratios[scenario.primary]
    assert abs(math.log(verdict.primary.ratio / true)) < math.log(2.5), verdict.sentence
    for metric, truth in scenario.expected.items():
        said = verdict.metrics[metric].verdict
        assert said in OPEN or agrees(said, truth), f"{metric}: {said}, and it is {truth}"
    if scenario.name == "trap":
        assert verdict.metrics["p50"].verdict == "better"


def agrees(said, truth):
    return said == truth or {said, truth} <= ALIKE


def ended_by_a_look(run, marks):
    """A big effect needs no more than the first look, and the session says so."""
    first = run.experiment.plan.looks[0]
    assert len(run.experiment.windows) == 2 * first < len(run.experiment.plan.steps)
    assert run.verdict.primary.n_pairs == first
    (look,) = [str(mark.text) for mark in marks if mark.kind == "look"]
    assert look.startswith(f"Interim analysis after {first} pairs: better. The experiment ends")


def cut_alike(verdict, windows):
    """What the warm-up rule finds is cut from every window, so that all keep as much."""
    cut = verdict.details.trimmed_s
    assert cut >= 60
    whole = {(window.arm, window.pair): window.seconds for window in windows}
    rows = verdict.details.windows
    assert len(rows) == len(windows)
    for row in rows:
        assert row.seconds + cut == pytest.approx(whole[row.arm, row.pair], abs=1.5)


@pytest.mark.full  # test_indexes.py tries one on a real server in every run
@pytest.mark.clock("the verdict is of a short experiment at many times the speed")
def test_a_missing_index_is_tried_and_judged_by_its_kind_of_search(tmp_path):
    """What the last hint of the lesson says; kept, the index stays, and the log proves its use."""
    with lesson("slow-portal", 40, tmp_path / "home") as taken:
        primary = "SRCH[(employeenumber=?)]:p50"
        plan = taken.plan("pairs:6", 30, primary=primary, then=Then.KEEP)
        run = taken.run(plan, tmp_path / "s.ldapwb")
        assert run.experiment.state is State.KEPT
        assert run.verdict.primary.verdict == "better", run.verdict.sentence
        assert run.verdict.primary.ratio < 0.1
        assert any("Mechanism verified" in str(text) for text in run.verdict.warnings)
        assert "cn=employeeNumber,cn=index,cn=userRoot" in taken.configuration()
        with Session.open(tmp_path / "s.ldapwb") as session:
            assert "could serve: " in str(would_serve(session, plan.treatment)[0])
            asked = goals(taken.practice.scenario, {"unindexed"}, session.experiments())
        assert all(goal.reached for goal in asked)
