"""`demo`: the main job from start to end on a private directory server of its own."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import long_work, note, say
from ldap_workbench.cli.sessions import print_verdict
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment import ExperimentRun, describe, make_plan, parse_design
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import Journal, Tuner

SETTING = "nsslapd-enable-upgrade-hash=off"
STORY = """\
Logins on this server are slow: its users have {SSHA512} passwords, and 389 DS hashes each of them
anew with PBKDF2 when they bind. The demo measures binds with and without that, in random order."""
_CHECKOUT = Path(__file__).parents[3]


def demo(
    headless: Annotated[
        bool, typer.Option(help="No window, also where there is a display.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Session file.")] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of windows.")] = 6,
    window: Annotated[float, typer.Option(min=1, help="Length of a window, s.")] = 4.0,
) -> None:
    """Run the main job on a private 389 DS: capture, experiment, verdict, revert, report."""
    output = _free(output or Path("demo") / "demo.ldapwb")
    say(STORY)
    with _lab() as lab:
        target = connect(lab.profile, Secrets())
        try:
            load = lab.drive_fresh_binds(seconds=600, windows=2 * pairs)
            _experiment(target, output, load, pairs, window)
        finally:
            target.close()
    from ldap_workbench.report import write_report

    report = output.with_suffix(".html")
    write_report(output, report)
    say(f"Session: {output}")
    say(f"Report:  {report}")
    _show(output, headless=headless or not _has_display())


def _experiment(target: Target, output: Path, load: list[str], pairs: int, window: float) -> None:
    with closing(Journal(output.with_suffix(".journal"))) as journal:
        tuner = Tuner(target, journal)
        plan = _plan(tuner, target, load, pairs, window)
        for line in describe(plan):
            note(line)
        with SessionWriter.create(output, target.facts) as writer, long_work() as (tell, cancel):
            run = ExperimentRun(target, tuner, writer, plan, progress=tell, cancel=cancel)
            run.run()
    assert run.verdict is not None
    print_verdict(run.verdict)
    say("The change was reverted: the server is as it was before.")


def _plan(tuner: Tuner, target: Target, load: list[str], pairs: int, window: float) -> Plan:
    return make_plan(
        tuner.catalogue.treatment([SETTING], target.facts),
        parse_design(f"pairs:{pairs}"),
        window_s=window,
        seed=389,
        settle_s=1.0,
        load=shlex.join(load),
        primary="BIND:p50",
        then=Then.REVERT,
    )


@contextmanager
def _lab() -> Iterator[Any]:
    """The lab of tests/live, which only a checkout has."""
    if not (_CHECKOUT / "tests" / "live" / "lab.py").is_file():
        raise UsageError(
            "The demo needs the lab of a source checkout.",
            remedy="Clone the project and run packaging/run demo.",
        )
    sys.path.insert(0, str(_CHECKOUT))
    lab = importlib.import_module("tests.live.lab").Lab()
    note("Starting a private 389 DS and sshd on loopback ...")
    lab.start(users=20_000)
    try:
        os.environ.update(lab.environment)
        yield lab
    finally:
        lab.stop()


def _free(path: Path) -> Path:
    """The path itself, or with the first number that makes a new file of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_stem(f"{path.stem}-{number}")
    return candidate


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _show(output: Path, *, headless: bool) -> None:
    from ldap_workbench.gui.app import run, screenshots

    if headless:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        for picture in screenshots(output, output.with_suffix("")):
            say(f"Screenshot: {picture}")
    else:
        run([str(output)])
