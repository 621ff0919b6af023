"""The campaign of the lesson two-causes straight from the model: no LDAP, no SSH, no waiting.

    python -m tests.bench.model_campaign [--seed 3] [--pairs 10]

Queue, levels, verdicts, what is kept and the confirmation are the program's; only the windows come
from the model at once, as in tests/unit/practice/trial.py. Prints the table of
docs/practice-model.md, and ends with 1 where what is kept is not what the lesson says is best.
`tests/bench/two_causes.py` is the same through the command and a practice directory.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ldap_workbench.campaign import run as running
from ldap_workbench.campaign.description import headline
from ldap_workbench.campaign.plan import Candidate, Limits, make_campaign
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import Campaign, Entry
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.model.verdict import Judgement, Verdict
from ldap_workbench.practice.model.scenario import Scenario, load_scenario
from tests.unit.campaign.acting import Server
from tests.unit.practice.simulated import EPOCH_NS, simulate

GAP_S = 10.0


class ModelServer(Server):
    """A server whose windows come from the model; `hours` of its time have passed."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        super().__init__({})
        self._scenario, self._seed = scenario, seed
        self._now = 0.0

    @property
    def hours(self) -> float:
        """Of practice time, with the pauses between windows."""
        return self._now / 3600

    def judged(self, plan: Plan) -> Verdict:
        """The windows of a plan one after the other, from now on."""
        treated = {each.knob: each.value for each in plan.treatment.settings}
        cubes = []
        for step in plan.steps:
            knobs = self.in_force | (treated if step.arm == "B" else {})
            found = simulate(self._scenario, knobs, plan.window_s, self._seed, self._now)
            first = EPOCH_NS + int((self._now + plan.trim_s) * 1e9)
            last = EPOCH_NS + int((self._now + plan.window_s) * 1e9)
            cubes.append(Cube.from_operations(found, first, last, slo_ns=plan.slo_ns))
            self._now += plan.window_s + GAP_S
        arms = [(step.arm, step.pair) for step in plan.steps]
        return analyse(
            windows_from_cubes(cubes, arms),
            primary=plan.primary,
            seed=plan.seed,
            slo_ns=plan.slo_ns,
            level=plan.level,
        )


class ModelJob:
    """An experiment's job, by the model; keeps what is better, as the plan asks."""

    def __init__(self, path: Path, plan: Plan, **_: Any) -> None:
        self._path, self._plan = path, plan

    def run(self, server: ModelServer, *_: Any) -> Experiment:
        plan = self._plan
        verdict = server.judged(plan)
        kept = verdict.primary.verdict == Judgement.BETTER and plan.then is Then.KEEP_IF_BETTER
        groups = (server.keep(plan.treatment, str(self._path)),) if kept else ()
        state = State.KEPT if kept else State.REVERTED
        done = len(plan.steps)
        return Experiment(1, plan, state, step=done, verdict=verdict, change_groups=groups)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.model_campaign")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=10)
    asked = parser.parse_args()
    scenario = load_scenario("two-causes")
    server = ModelServer(scenario, asked.seed)
    done = campaign(server, scenario, asked.pairs, asked.seed)
    print(*table(done), "", headline(done), f"{server.hours:.1f} hours.", sep="\n")
    best = {each.knob: each.value for each in scenario.treatment.settings}
    sys.exit(server.in_force != best)


def campaign(server: ModelServer, scenario: Scenario, pairs: int, seed: int) -> Campaign:
    """The lesson's queue to its end."""
    trial = make_plan(
        Treatment(()),
        parse_design(f"pairs:{pairs}"),
        window_s=scenario.window_s,
        seed=seed,
        trim_s=float(scenario.trim),
        primary=scenario.primary,
        slo_ns=round(scenario.slo_ms * 1e6),
        then=Then.REVERT,
    )
    queue = [Candidate(each) for each in scenario.queue]
    plan = make_campaign(queue, trial, Limits(1e6))
    entries = tuple(Entry(str(each)) for each in scenario.queue)
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "c.ldapwb")
        state = Campaign(plan, "model", "model", "model", output, 0, entries)
        with (
            patch.object(running, "over_any_link", lambda _, work, **__: work()),
            patch.dict("os.environ", LDAP_WORKBENCH_HOME=folder),
        ):
            return CampaignRun(
                server,  # type: ignore[arg-type]
                server,  # type: ignore[arg-type]
                state,
                progress=no_progress,
                cancel=Cancel(),
                make_job=ModelJob,  # type: ignore[arg-type]
            ).run()


def table(done: Campaign) -> list[str]:
    """A line for each treatment, then the confirmation."""
    lines = ["| tried | ratio | interval | p | tested at | outcome |", "|" + "---|" * 6]
    return lines + [_row(each) for each in (*done.entries, done.confirmation) if each]


def _row(entry: Entry) -> str:
    found = entry.verdict
    numbers = ("", "", "")
    if found and found.ratio and found.low is not None and found.high is not None:
        numbers = (f"{found.ratio:.3g}", f"{found.low:.3g} to {found.high:.3g}", f"{found.p:.2g}")
    cells = (entry.treatment, *numbers, f"{entry.level:.3g}", entry.fate.value)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
