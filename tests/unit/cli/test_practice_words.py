"""What `practice` proposes is the lesson: its knobs, metric, window and what to leave out."""

import shlex

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.app import app
from ldap_workbench.cli.practice import campaign_on, experiment_on
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from tests.sessions import build_experiment_session


@pytest.fixture
def run():
    """What the command prints."""

    def run(*words):
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def proposed(name):
    return shlex.split(experiment_on(load_scenario(name)))


@pytest.mark.parametrize("name", scenario_names())
def test_the_command_says_what_the_lesson_says(name):
    words, scenario = proposed(name), load_scenario(name)
    assert words[:3] == ["ldap-workbench", "experiment", f"practice-{name}"]
    assert words[words.index("--primary") + 1] == scenario.primary
    assert float(words[words.index("--window") + 1]) == scenario.window_s
    assert words.count("--set") == len(scenario.treatment.settings)


def test_a_place_and_a_warm_up_are_told():
    assert "read_ahead_kb@vda=128" in proposed("read-ahead")
    words = proposed("tiny-caches")
    assert words[words.index("--trim") + 1] == "60"
    assert "--trim" not in proposed("rehash")


def test_a_queue_is_proposed_as_a_campaign():
    scenario = load_scenario("two-causes")
    words = shlex.split(campaign_on(scenario))
    assert words[:3] == ["ldap-workbench", "campaign", "practice-two-causes"]
    assert words.count("--set") == len(scenario.queue)
    assert words[words.index("--slo-ms") + 1] == "50"


@pytest.mark.parametrize("name", scenario_names())
def test_only_the_last_hint_has_the_command(name, run):
    hints = load_scenario(name).hints
    for number, hint in enumerate(hints, start=1):
        said = run("practice", name, "--hint", str(number))
        assert str(hint) in said.replace("\n", " ")
        assert ("ldap-workbench experiment" in said) == (number == len(hints))


def test_the_last_hint_says_how_long_it_takes(run):
    said = run("practice", "rehash", "--hint", "4").splitlines()
    assert said[-1] == (
        "The experiment takes about 85 min; 3 min where the directory was started with --speed 30."
    )


def test_a_session_is_checked_against_the_goals(run, tmp_path):
    path = build_experiment_session(tmp_path / "s.ldapwb", seconds=2, per_second=10)
    said = run("practice", "slow-logins", "--check", str(path)).splitlines()
    assert said == [
        "open     Find the cause",
        "open     Show by an experiment that a remedy works",
    ]
