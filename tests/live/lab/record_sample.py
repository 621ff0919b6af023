"""Record the sample session that ships with the workbench, on the real lab.

    python -m tests.live.lab.record_sample resources/samples/389ds-rehash-on-bind.ldapwb.zst
    python -m tests.live.lab.record_sample resources/samples/389ds-rehash-on-bind.ldapwb.zst --judge

Takes about two minutes and writes a new file; the paths in it are those of the lab's own folder.
With --judge the windows stay as recorded, and their verdict is reached again, in today's words.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import zstandard

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Progress
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured

PAIRS, WINDOW_S, SETTLE_S = 6, 6.0, 1.0
USERS = 20_000


def plan_of(tuner: Tuner, target: Target) -> Plan:
    """Binds with and without the rehash, in coin-flip pairs."""
    return make_plan(
        tuner.catalogue.treatment(["nsslapd-enable-upgrade-hash=off"], target.facts),
        parse_design(f"pairs:{PAIRS}"),
        window_s=WINDOW_S,
        seed=1,
        settle_s=SETTLE_S,
        primary="BIND:p50",
        then=Then.REVERT,
        load="./fresh-binds",
    )


def tell(report: Progress) -> None:
    sys.stderr.write(f"{report.text}\n")


def record(lab: Lab, output: Path) -> str:
    """Run the experiment; gives the verdict's sentence."""
    # Every bind has users of its own: a rehash is for good. Two threads keep the file small.
    lab.drive_fresh_binds(600, windows=2 * PAIRS, threads=2)
    target = connect(replace(lab.profile, name="sample-of-our-own-lab"), Secrets())
    # The build of the lab's kernel says nothing to anybody else.
    facts = replace(target.facts, kernel=".".join(target.facts.kernel.split(".")[:2]))
    with (
        closing(target),
        configured(target, nsslapd_accesslog_logbuffering="off"),
        closing(Journal()) as journal,
        SessionWriter.create(output, facts) as writer,
    ):
        tuner = Tuner(target, journal)
        run = ExperimentRun(target, tuner, writer, plan_of(tuner, target), progress=tell)
        run.run()
    assert run.verdict is not None
    return str(run.verdict.sentence)


def judge_again(sample: Path) -> str:
    """Put the verdict of today in place of the one in a sample; gives its sentence."""
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / sample.stem
        copy.write_bytes(zstandard.decompress(sample.read_bytes()))
        with SessionWriter.append(copy) as writer:
            session = writer.reader()
            (experiment,) = session.experiments()
            verdict = judge(session, experiment)
            writer.put_experiment(replace(experiment, verdict=verdict))
        sample.write_bytes(zstandard.compress(copy.read_bytes(), 19))
    return str(verdict.sentence)


def main(words: list[str]) -> None:
    """Record into the file named, which must not be there."""
    output = Path(words[0]).absolute()
    if "--judge" in words:
        sys.stdout.write(judge_again(output) + "\n")
        return
    if output.exists():
        raise UsageError(
            Message("{output} is already there.", output=str(output)),
            remedy=Message("Remove it first."),
        )
    with Lab().start(users=USERS) as lab:
        os.environ.update(lab.environment)
        os.chdir(lab.folder)  # the load and the session's name are noted in the session
        session = Path(output.stem)
        sys.stdout.write(record(lab, session) + "\n")
        output.write_bytes(zstandard.compress(session.read_bytes(), 19))
        os.chdir("/")


if __name__ == "__main__":
    main(sys.argv[1:])
