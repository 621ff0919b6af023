"""What a killed program left is put back, or gone on with, by the program of today."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.campaign.canary import CANARIES, Outcome
from ldap_workbench.campaign.canary_run import CanaryRun
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import CAMPAIGNS
from ldap_workbench.campaign.state import Stage as CampaignStage
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import AnotherServerError, ChangeError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.servers.target import same_clock
from ldap_workbench.tuning import offline
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.revive import interrupted, revive
from ldap_workbench.tuning.tuner import Tuner
from tests.interrupted import SESSIONS, server_named
from tests.unit.experiment.acting import LIMIT, Server, Stage, stage_in
from tests.unit.tuning.fakes import LDBM, Clock
from tests.unit.tuning.test_offline import DSE, PATH, StoppedTarget

WRITTEN = Path(__file__).parent / "from_november_28"
"""Made by tests/interrupted.py of the commit that added it: an experiment, a campaign, a canary and
an edit of dse.ldif, each killed with its change in force, the last one with the server stopped."""
BEFORE, IN_FORCE = "4000", "5000"
TREATED = {"ds1": "experiment", "ds2": "campaign-01", "ds3": "canary"}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """The folder of the user whose commands were killed, and the server of the experiment."""
    with ExitStack() as stack:
        monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
        lay_out(tmp_path)
        stage = stage_in(tmp_path, monkeypatch, stack)
        stage.path, stage.server = tmp_path / "experiment.ldapwb", left("ds1")
        stage.tuner = Tuner(stage.server, stage.journal)
        yield stage


def lay_out(folder: Path) -> None:
    """Put the data where the program looks for it, with the sessions in this folder."""
    moved = (SESSIONS, str(folder))
    (folder / "state").mkdir()
    journal = shutil.copy(WRITTEN / "journal.sqlite", folder / "state")
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute("UPDATE change SET session = replace(session, ?, ?)", moved)
    states = {
        "campaigns": CAMPAIGNS.path(folder / "campaign.ldapwb"),
        "canaries": CANARIES.path(folder / "canary.ldapwb"),
    }
    for kind, path in states.items():
        path.parent.mkdir()
        path.write_text((WRITTEN / f"{kind}.json").read_text("utf-8").replace(*moved), "utf-8")
    for packed in WRITTEN.glob("*.zst"):
        data = zstandard.ZstdDecompressor().stream_reader(packed.read_bytes()).read()
        (folder / packed.stem).write_bytes(data)


def left(name: str) -> Server:
    """A server as the kill left it."""
    server = server_named(name)
    server.clock = same_clock()
    if name in TREATED:
        server.directory.entries[LDBM][LIMIT] = (IN_FORCE,)
    return server


@pytest.mark.parametrize("name", TREATED)
def test_what_was_in_force_is_put_back(stage: Stage, name: str) -> None:
    server = left(name)
    with closing(Tuner(server, stage.journal)) as tuner:
        [change] = tuner.open_changes()
        assert (change.state, change.got) == (ChangeState.APPLIED, (IN_FORCE,))
        assert change.session == str(stage.folder / f"{TREATED[name]}.ldapwb")
        [reverted] = tuner.recover()
        assert reverted.state is ChangeState.REVERTED
        assert server.limit == BEFORE
        assert tuner.open_changes() == []


def test_another_server_by_the_same_name_is_not_written_to(stage: Stage) -> None:
    server = left("ds1")
    server.directory.entries[""] = {"createTimestamp": ("20200101000000Z",)}
    with closing(Tuner(server, stage.journal)) as tuner, pytest.raises(AnotherServerError):
        tuner.recover()
    assert server.limit == IN_FORCE
    assert len(stage.tuner.open_changes()) == 1


def test_the_experiment_goes_on_to_its_end(stage: Stage) -> None:
    stored = stage.stored()
    assert (stored.state.ended, stored.step) == (False, 3)
    stage.tuner.recover()
    done = stage.run(resume_from=stored)
    assert (done.state, done.step) == (State.REVERTED, len(stored.plan.steps))
    assert set(done.windows) > set(stored.windows[:2])
    assert done.verdict is not None
    assert stage.server.limit == BEFORE


def campaign_run(stage: Stage, server: Server) -> CampaignRun:
    [campaign], unread = CAMPAIGNS.all()
    assert unread == 0
    tuner = Tuner(server, stage.journal)
    return CampaignRun(server, tuner, campaign, progress=no_progress, cancel=Cancel())


def test_the_campaign_is_ended_with_all_as_before(stage: Stage) -> None:
    server = left("ds2")
    assert campaign_run(stage, server).revert_all().stage is CampaignStage.STOPPED
    assert server.limit == BEFORE


def test_the_campaign_goes_on_to_its_end(stage: Stage) -> None:
    server = left("ds2")
    done = campaign_run(stage, server).run()
    assert done.stage is CampaignStage.DONE
    assert [entry.fate.value for entry in done.entries] == ["reverted"]
    assert server.limit == BEFORE


def canary_run(stage: Stage, servers: list[Server]) -> CanaryRun:
    [canary], unread = CANARIES.all()
    assert unread == 0
    return CanaryRun([(server, Tuner(server, stage.journal)) for server in servers], canary)


def test_the_canary_is_ended_with_all_as_before(stage: Stage) -> None:
    servers = [left("ds3"), left("ds4")]
    assert canary_run(stage, servers).revert_all().outcome is Outcome.ABORTED
    assert [server.limit for server in servers] == [BEFORE, BEFORE]


def test_the_canary_goes_on_to_its_end(stage: Stage) -> None:
    servers = [left("ds3"), left("ds4")]
    done = canary_run(stage, servers).run()
    assert done.outcome is Outcome.REVERTED
    assert len(done.windows) == len(done.plan.windows)
    assert [server.limit for server in servers] == [BEFORE, BEFORE]


def test_a_server_that_was_stopped_for_an_edit_runs_with_the_file_of_before(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "time", Clock(1000.0))
    target = StoppedTarget()
    url, host = target.directory.url, target.host
    [(change, edit)] = interrupted(stage.journal, url)
    assert (change.state, edit.path) == (ChangeState.INTENDED, PATH)
    host.files[PATH] = DSE.replace("transaction: on", "transaction: off")
    host.files[f"{PATH}.before-{change.group}"] = DSE
    target.down = True
    revive(url, host, stage.journal, target.reconnect)
    assert not target.down
    assert host.files[PATH] == DSE
    with closing(Tuner(target, stage.journal)) as tuner:
        tuner.may_stop = True
        [closed] = tuner.recover()
    assert closed.state is ChangeState.REVERTED


def test_a_program_that_knows_an_older_journal_only_refuses_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldap_workbench.tuning.journal.VERSION", 4)
    with pytest.raises(ChangeError, match="newer workbench"):
        Journal()
