"""False verdicts on a real server: python -m tests.bench.aa_on_lab [--count 10] [--sham-restarts].

A/A experiments in a row on a 389 DS of its own, under ldclt searches: the coin, the pairs and the
windows of a real experiment, but nothing is changed in either arm, so every "better" or "worse" is
false. With --sham-restarts instead one experiment with nsslapd-threadnumber, in which the server is
restarted before every window of both arms. Prints a table for docs/verdict.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from contextlib import closing
from pathlib import Path

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured

DECIDED = ("better", "worse")


def main() -> None:
    asked = _arguments()
    ask = sham_restarts if asked.sham_restarts else noise
    with Lab().start() as lab:
        os.environ.update(lab.environment)
        with (
            closing(connect(lab.profile, Secrets())) as target,
            configured(target, nsslapd_accesslog_logbuffering="off"),
        ):
            ask(lab, target, asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.aa_on_lab")
    parser.add_argument("--count", type=int, default=10, help="experiments in a row")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--window", type=float, default=3.0, help="length of each window, s")
    parser.add_argument("--primary", default="p50")
    parser.add_argument("--seed", type=int, default=1, help="of the first coin")
    parser.add_argument("--sham-restarts", action="store_true")
    return parser.parse_args()


def noise(lab: Lab, target: Target, asked: argparse.Namespace) -> None:
    """Experiments in which nothing is changed, one line each, and how many were decided."""
    print("| experiment | primary | ratio | interval | p | secondaries decided |")
    print("|---|---|---|---|---|---|")
    false = others = 0
    for number in range(asked.count):
        verdict = experiment(lab, target, Treatment(()), asked, asked.seed + number)
        decided = [
            name
            for name, metric in verdict.metrics.items()
            if name != asked.primary and metric.verdict in DECIDED
        ]
        false += verdict.primary.verdict in DECIDED
        others += bool(decided)
        print(f"| {number + 1} {_row(verdict)} | {', '.join(decided) or 'none'} |", flush=True)
    print(f"\n{false} of {asked.count} false verdicts; {others} with a secondary decided")


def sham_restarts(lab: Lab, target: Target, asked: argparse.Namespace) -> None:
    """Another number of threads, with a restart before every window of both arms."""
    with closing(Journal()) as journal:
        catalogue = Tuner(target, journal).catalogue
        treatment = catalogue.treatment(["nsslapd-threadnumber=24"], target.facts)
    verdict = experiment(lab, target, treatment, asked, asked.seed, restart=True)
    print(verdict.sentence)
    for name, metric in verdict.metrics.items():
        print(f"| {name} | {metric.verdict} | {metric.ratio} | {metric.p} |")


def experiment(
    lab: Lab,
    target: Target,
    treatment: Treatment,
    asked: argparse.Namespace,
    seed: int,
    *,
    restart: bool = False,
) -> Verdict:
    """One experiment of randomised pairs under searches, reverted at its end."""
    plan: Plan = make_plan(
        treatment,
        parse_design(f"pairs:{asked.pairs}"),
        window_s=asked.window,
        seed=seed,
        settle_s=1.0,
        load=shlex.join(lab.drive("search", 600)),
        primary=asked.primary,
        then=Then.REVERT,
        restart=restart,
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Journal()) as journal,
        SessionWriter.create(Path(folder) / "aa.ldapwb", target.facts) as writer,
    ):
        run = ExperimentRun(target, Tuner(target, journal), writer, plan)
        run.run()
    assert run.verdict is not None
    return run.verdict


def _row(verdict: Verdict) -> str:
    found = verdict.primary
    if found.ratio is None or found.low is None or found.high is None:
        return f"| {found.metric}: {found.verdict} | - | - | {found.p:.2f}"
    interval = f"{found.low:.3f} to {found.high:.3f}"
    return f"| {found.metric}: {found.verdict} | {found.ratio:.3f} | {interval} | {found.p:.2f}"


if __name__ == "__main__":
    main()
