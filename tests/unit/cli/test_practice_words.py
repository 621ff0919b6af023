"""What `practice` proposes is the lesson: its knobs, metric, window and what to leave out."""

import shlex

import pytest

from ldap_workbench.cli.demo import _experiment_on, _how_long, campaign_on
from ldap_workbench.practice import Practice, load_scenario, scenario_names
from ldap_workbench.practice.address import Address

ADDRESS = Address(3389, 3636, 2222, "secret", "/ca.pem", "/identity", "ssh-ed25519", "AAAA", "x")


def proposed(name):
    return shlex.split(_experiment_on(Practice(load_scenario(name), 1.0, ADDRESS)))


@pytest.mark.parametrize("name", scenario_names())
def test_the_command_says_what_the_lesson_says(name):
    words, scenario = proposed(name), load_scenario(name)
    assert words[:3] == ["ldap-workbench", "experiment", f"practice-{name}"]
    assert words[words.index("--primary") + 1] == scenario.primary
    assert float(words[words.index("--window") + 1]) == scenario.window_s
    assert words.count("--set") == len(scenario.treatment.settings)
    assert "secret" not in words


def test_a_place_and_a_warm_up_are_told():
    assert "read_ahead_kb@vda=128" in proposed("read-ahead")
    words = proposed("tiny-caches")
    assert words[words.index("--trim") + 1] == "60"
    assert "--trim" not in proposed("rehash")


def test_a_queue_is_proposed_as_a_campaign():
    scenario = load_scenario("two-causes")
    words = shlex.split(campaign_on(Practice(scenario, 1.0, ADDRESS)))
    assert words[:3] == ["ldap-workbench", "campaign", "practice-two-causes"]
    assert words.count("--set") == len(scenario.queue)
    assert words[words.index("--slo-ms") + 1] == "50"


def test_a_faster_clock_is_proposed_where_it_helps():
    slow, quick = (Practice(load_scenario("rehash"), speed, ADDRESS) for speed in (1.0, 60.0))
    assert _how_long(slow) == "The experiment takes about 85 min. With --speed 30 it takes 3 min."
    assert _how_long(quick) == "The experiment takes about 85 s."
