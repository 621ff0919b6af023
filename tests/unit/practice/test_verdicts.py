"""What the workbench would say of every scenario, against what is true."""

from dataclasses import replace

import pytest

from ldap_workbench.practice.scenario import load_scenario, scenario_names
from tests.unit.practice.trial import verdict_of

ALIKE = ("no material change", "immaterial")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", scenario_names())
def test_the_verdict_agrees_with_the_truth(name):
    scenario = load_scenario(name)
    verdict = verdict_of(scenario, seed=3)
    assert verdict.comparable, verdict.why
    for metric, expected in scenario.expected.items():
        said = verdict.metrics[metric].verdict
        assert said == expected or (expected in ALIKE and said in ALIKE), metric
    assert verdict.primary.verdict == scenario.expected[scenario.primary]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_false_verdicts_on_a_healthy_server_are_rare():
    healthy = load_scenario("healthy")
    quick = replace(healthy, workload=replace(healthy.workload, rate=150.0))
    verdicts = [verdict_of(quick, seed, window_s=60.0) for seed in range(200)]
    false = [v for v in verdicts if v.primary.verdict in ("better", "worse")]
    assert len(false) <= 14  # 7 % of 200
    material = [v for v in verdicts if v.primary.p <= 0.05]
    assert 1 <= len(material) <= 22  # the test itself is not blind: 5 % nominal
