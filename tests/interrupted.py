"""What a killed experiment, campaign, canary and edit leave, written by the program as it is now.

    .venv/bin/python -m tests.interrupted FOLDER

Each is a process of its own on servers that are acted (tests/unit/experiment/acting.py), and gets
SIGKILL in a window with its change in force; the edit of dse.ldif gets it with the server stopped.
FOLDER then has the journal, the states and the session of the experiment.
`tests/unit/packaging/from_november_28` was made so. Make another at each release, and leave those
of earlier ones as they are.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.campaign.canary import make_canary, new_canary, survey
from ldap_workbench.campaign.canary_run import CanaryRun
from ldap_workbench.campaign.plan import Limits, make_campaign, named
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import new_campaign
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.servers.entry import identity_of_389ds
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.experiment.acting import LIMIT_5000, Server, Stage, stage_in
from tests.unit.tuning.fakes import CONFIG
from tests.unit.tuning.test_offline import START, StoppedTarget

SESSIONS = "/srv/ldap-workbench"
"""Where the sessions are said to be; whoever reads the data puts a folder of their own there."""
_BEFORE_IT = 3
"""Windows that an experiment and a campaign have when they are killed: something to go on with."""


def server_named(name: str) -> Server:
    """ds1 to ds4: the experiment was on ds1, the campaign on ds2, the canary on ds3 and ds4."""
    server = Server()
    made = {"createTimestamp": (f"2026110108000{name[-1]}Z",)}
    host = {"nsslapd-localhost": (f"{name}.example.com",), "nsslapd-port": ("389",)}
    server.directory.entries[""] = made
    server.directory.entries[CONFIG] |= host
    server.directory.url = f"ldap://{name}.example.com"
    server.profile = replace(server.profile, name=name, ldap_url=server.directory.url)
    identity = identity_of_389ds(Entry("", made), Entry(CONFIG, host))
    server.facts = replace(server.facts, profile=name, identity=identity)
    return server


def main(folder: Path) -> None:
    """Write the data into a new folder."""
    with tempfile.TemporaryDirectory() as home:
        for kind in _KILLED:
            words = [sys.executable, "-m", "tests.interrupted", kind, home]
            assert subprocess.run(words, check=False).returncode == -signal.SIGKILL, kind
        _keep(Path(home).resolve(), folder)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dies_treated(stage: Stage, servers: Sequence[Server], after: int) -> None:
    def happens() -> None:
        if any(server.treated for server in servers):
            _die()

    stage.windows.during = dict.fromkeys(range(after + 1, 100), happens)


def _experiment(stage: Stage) -> None:
    stage.server, stage.path = server_named("ds1"), stage.folder / "experiment.ldapwb"
    stage.tuner = Tuner(stage.server, stage.journal)
    _dies_treated(stage, [stage.server], _BEFORE_IT)
    stage.run(stage.plan(design="pairs:6"))


def _campaign(stage: Stage) -> None:
    server = server_named("ds2")
    tuner = Tuner(server, stage.journal)
    _dies_treated(stage, [server], _BEFORE_IT)
    trial = replace(stage.plan(design="pairs:6"), treatment=Treatment(()))
    plan = make_campaign([named(server, tuner, LIMIT_5000)], trial, Limits(budget_s=1e6), 1.0)
    state = new_campaign(plan, server, tuner, stage.folder / "campaign.ldapwb")
    CampaignRun(server, tuner, state, progress=no_progress, cancel=Cancel()).run()


def _canary(stage: Stage) -> None:
    servers = [server_named(name) for name in ("ds3", "ds4")]
    replicas = [(server, Tuner(server, stage.journal)) for server in servers]
    _dies_treated(stage, servers, 0)
    found = survey(replicas, [LIMIT_5000])
    trial = stage.plan()
    options = {"window_s": trial.window_s, "seed": 1, "settle_s": 0.0, "primary": "p50"}
    plan = make_canary(found.treatment, len(servers), 6, restart=False, then=trial.then, **options)
    CanaryRun(replicas, new_canary(plan, found, stage.folder / "canary.ldapwb")).run()


def _edit(stage: Stage) -> None:
    target = StoppedTarget()
    run = target.host.run

    def dies(argv: Sequence[str], **how: object) -> object:
        if " ".join(argv) == START:
            _die()
        return run(argv, **how)

    target.host.run = dies
    tuner = Tuner(target, stage.journal)
    tuner.may_stop = True
    tuner.apply(tuner.catalogue.treatment(["db-durable-transaction=off"], target.facts))


_KILLED: dict[str, Callable[[Stage], None]] = {
    "experiment": _experiment,
    "campaign": _campaign,
    "canary": _canary,
    "edit": _edit,
}


def _keep(home: Path, folder: Path) -> None:
    """Copy what a later program has to read, with the folder of the sessions renamed."""
    folder.mkdir()
    journal, renamed = folder / "journal.sqlite", (str(home), SESSIONS)
    with closing(sqlite3.connect(home / "state" / "journal.sqlite")) as written:
        written.execute("VACUUM INTO ?", (str(journal),))
    with closing(sqlite3.connect(journal)) as copy, copy:
        copy.execute("UPDATE change SET session = replace(session, ?, ?)", renamed)
    for kind in ("campaigns", "canaries"):
        (state,) = (home / "state" / kind).glob("*.json")
        (folder / f"{kind}.json").write_text(state.read_text("utf-8").replace(*renamed), "utf-8")
    for session in home.glob("experiment.ldapwb*"):
        packed = zstandard.ZstdCompressor(19).compress(session.read_bytes())
        (folder / f"{session.name}.zst").write_bytes(packed)


if __name__ == "__main__":
    if sys.argv[1] in _KILLED:
        _KILLED[sys.argv[1]](stage_in(Path(sys.argv[2]), pytest.MonkeyPatch(), ExitStack()))
    else:
        main(Path(sys.argv[1]))
