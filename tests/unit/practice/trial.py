"""A whole experiment in a moment: windows straight from the model, judged as any other."""

from __future__ import annotations

import numpy as np
import pytest

from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.practice.model.scenario import Scenario, load_scenario, scenario_names
from tests.unit.practice.simulated import EPOCH_NS, simulate

GAP_S = 10.0
EVERY_RUN = ("healthy", "trap", "checkpoint-storms")
"""No effect, a median that hides the tail, and a cure; the night takes the others."""


def scenarios(*, without_queue: bool = False) -> list[object]:
    """Names of scenarios, as parameters of a test."""
    return [
        pytest.param(name, marks=[] if name in EVERY_RUN else [pytest.mark.full])
        for name in scenario_names()
        if not (without_queue and load_scenario(name).queue)
    ]


def verdict_of(
    scenario: Scenario, seed: int, *, pairs: int = 8, window_s: float | None = None
) -> Verdict:
    """Judge the scenario's own treatment in coin-flip pairs of windows one after the other."""
    window_s = window_s or scenario.window_s
    coin = np.random.default_rng(seed)
    treated = {setting.knob: setting.value for setting in scenario.treatment.settings}
    arms = [(arm, pair) for pair in range(pairs) for arm in ("AB" if coin.random() < 0.5 else "BA")]
    cubes = []
    for number, (arm, _) in enumerate(arms):
        start = number * (window_s + GAP_S)
        operations = simulate(scenario, treated if arm == "B" else {}, window_s, seed, start)
        begin = EPOCH_NS + int(start * 1e9)
        cubes.append(Cube.from_operations(operations, begin, begin + int(window_s * 1e9)))
    return analyse(windows_from_cubes(cubes, arms), primary=scenario.primary, seed=seed)
