"""Experiments with a known truth from the simulator beside the checkout, judged by the product."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.verdict.analyse import analyse
from tests.window_counts import windows_from_counts

BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "verdict" / "simulator.py"


@lru_cache(maxsize=1)
def simulator() -> Any:
    """The simulator as a module. Raises FileNotFoundError where it is not there."""
    path = Path(os.environ.get("LDAP_WORKBENCH_SIMULATOR", BESIDE))
    if not path.is_file():
        raise FileNotFoundError(f"there is no simulator of windows at {path}")
    spec = importlib.util.spec_from_file_location("window_simulator", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Case:
    """One kind of experiment: what is simulated, how often, what is primary."""

    scenario: str
    effect: str
    design: str
    window_min: float
    n: int
    b_load: float = 1.0
    b_srch: float = 0.0
    primary: str = "slo"

    @property
    def minutes(self) -> float:
        """Measured minutes per arm."""
        kind, _, k = self.design.partition(":")
        return self.window_min * (int(k) if kind == "pairs" else 2 * int(k) if k else 1)

    @property
    def key(self) -> str:
        drift = f" load x{self.b_load:g}" if self.b_load != 1 else ""
        drift += f" SRCH {self.b_srch:.0%}" if self.b_srch else ""
        return f"{self.scenario} {self.effect} {self.design} x {self.window_min:g} min{drift}"


def windows(case: Case, seed: int) -> list[WindowCounts]:
    """The windows of one experiment, as the product takes them."""
    made = simulator()
    env = replace(made.SCENARIOS[case.scenario], b_load=case.b_load, b_srch=case.b_srch)
    simulated = made.experiment(
        seed, case.scenario, case.effect, case.design, case.minutes, env=env
    )
    return windows_from_counts(simulated, np.exp(made.LOGEDGES), made.TYPES)


def outcome(case: Case, seed: int) -> dict[str, Any]:
    """What the product says of one experiment: per metric its word, p and ratio."""
    verdict = analyse(windows(case, seed), primary=case.primary, seed=seed)
    return {
        "primary": verdict.primary.verdict,
        "metrics": {
            name: [m.verdict, round(m.p, 6), m.ratio and round(m.ratio, 6)]
            for name, m in verdict.metrics.items()
        },
    }
