"""`demo`: the main job, from start to end, on a directory that is simulated and says so."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.alone import needing_qt, open_window
from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.cli.console import long_work, note, say
from ldap_workbench.connect.desktop import draw_unseen, has_display
from ldap_workbench.connect.folders import free_path
from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.aftermath import insisted
from ldap_workbench.experiment.description import describe
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import reverted
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.practice.process import Practice
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

SCENARIO = "rehash"
INTRODUCTION = """\
Logins on this server are slow: its users have {SSHA512} passwords, and 389 DS hashes each of them
again with PBKDF2 when they bind. The demo measures binds with and without that, in random order.
The server is a simulation on this machine, its clock runs 30 times as fast as yours."""


def demo(
    headless: Annotated[
        bool, typer.Option("--headless", help="No window, even with a display.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Session file.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of windows.")] = 6,
    window: Annotated[
        float, typer.Option(min=1, help="Length of a window, s of the practice directory.")
    ] = 60.0,
    speed: Annotated[
        float, typer.Option(min=1, help="Seconds of the practice directory per second.")
    ] = 30.0,
) -> None:
    """Run the main job on the practice directory: capture, experiment, verdict, revert, report."""
    from ldap_workbench.report.write import write_report

    output = output or Path("demo") / "demo.ldapwb"
    output.parent.mkdir(parents=True, exist_ok=True)
    output = free_path(output)
    say(*INTRODUCTION.splitlines())
    with _home_of_its_own(), Practice.start(SCENARIO, speed=speed) as practice:
        target = _reach(practice)
        with closing(target):
            _experiment(target, practice, output, pairs, window)
    report = write_report(output, output.with_suffix(".html"))
    say(f"Session: {output}")
    say(f"Report:  {report}")
    _show(output, headless=headless or not has_display())


def _reach(practice: Practice) -> Target:
    os.environ.update(practice.environment)
    assert practice.profile.ssh is not None
    accept_fingerprint(practice.profile.ssh, practice.fingerprint)
    return connect(practice.profile, Secrets())


def _experiment(
    target: Target, practice: Practice, output: Path, pairs: int, window: float
) -> None:
    with closing(Journal()) as journal:
        tuner = Tuner(target, journal)
        plan = _plan(tuner, target, practice, pairs, window)
        for line in describe(plan, target.facts.clock_rate):
            note(line)
        with (
            SessionWriter.create(output, target.facts) as writer,
            long_work(str(insisted(plan))) as (tell, cancel),
        ):
            run = ExperimentRun(target, tuner, writer, plan, progress=tell, cancel=cancel)
            run.run()
    assert run.verdict is not None
    print_verdict(run.verdict)
    say(str(reverted(run.experiment.left_stored)))


def _plan(tuner: Tuner, target: Target, practice: Practice, pairs: int, window: float) -> Plan:
    settings = [f"{s.knob}={s.value}" for s in practice.scenario.treatment.settings]
    return make_plan(
        tuner.catalogue.treatment(settings, target.facts),
        parse_design(f"pairs:{pairs}"),
        window_s=window,
        seed=389,
        settle_s=10.0,
        primary="BIND:p50",
        then=Then.REVERT,
    )


@contextmanager
def _home_of_its_own() -> Iterator[None]:
    """The demo leaves no trace in the user's profiles, known hosts and journal."""
    before = os.environ.get("LDAP_WORKBENCH_HOME")
    with tempfile.TemporaryDirectory(prefix="ldap-workbench-demo-") as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        try:
            yield
        finally:
            del os.environ["LDAP_WORKBENCH_HOME"]
            if before is not None:
                os.environ["LDAP_WORKBENCH_HOME"] = before


def _show(output: Path, *, headless: bool) -> None:
    if not headless:
        open_window([str(output)])
        return
    draw_unseen()
    try:
        with needing_qt():
            from ldap_workbench.gui.app import screenshots
    except UsageError as error:  # the job is done, and the report written
        say(f"No screenshots. {error.what} {error.remedy}")
        return
    for picture in screenshots(output, output.with_suffix("")):
        say(f"Screenshot: {picture}")
