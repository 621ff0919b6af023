"""A campaign whose experiments end as a test says."""

import pytest

from ldap_workbench.campaign import run as running
from ldap_workbench.campaign.plan import make_campaign
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import Campaign, Entry
from ldap_workbench.model.errors import ExperimentError, KnobError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, no_progress
from tests.unit.campaign.acting import FREE, TRIAL, Killed, judged


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Run a queue on a server whose experiments end as `verdicts` say, a word for each treatment;
    'guard' is a safety limit, 'full' a disk without room for an index."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(running, "over_any_link", lambda target, work, **_: work())
    ended = {}

    def on(server, *candidates, limits=FREE, campaign=None, make=make_campaign):
        class Job:
            def __init__(self, path, plan, **_):
                self.path, self.plan, self.experiment = path, plan, None

            def run(self, *_):
                name = str(self.plan.treatment)
                server.told.append((name, round(self.plan.level, 4)))
                server.pairs.append((name, self.plan.design.k))
                if name in server.dies_before:
                    server.dies_before.discard(name)
                    raise Killed
                word = server.verdicts.get(name, "inconclusive")
                self.experiment = judged(self.plan, word, server, self.path)
                self.path.touch()
                ended[self.path] = self.experiment
                if word == "guard":
                    raise ExperimentError(Message("The p99 is over its limit."), safe=NOTHING)
                if word == "full":
                    raise KnobError(Message("The disk is full."), safe=NOTHING)
                return self.experiment

        monkeypatch.setattr(running, "ExperimentJob", Job)
        monkeypatch.setattr(
            running, "_stored", lambda path, plan: ended.get(path) if path.exists() else None
        )
        plan = make(candidates, TRIAL, limits)
        start = campaign or Campaign(
            plan, "ldap://a:389", "i", "lab", str(tmp_path / "c.ldapwb"), 5,
            tuple(Entry(str(each.treatment)) for each in candidates),
        )  # fmt: skip
        run = CampaignRun(server, server, start, progress=no_progress, cancel=Cancel())
        return run.run()

    on.output = tmp_path / "c.ldapwb"
    return on
