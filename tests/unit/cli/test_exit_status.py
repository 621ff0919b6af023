"""The exit status of a verdict is in the JSON of campaigns and canaries."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.campaign.canary import Canary
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.cli import campaign, canary
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.session.codec import from_json

WRITTEN = Path(__file__).parents[1] / "packaging" / "from_november_28"
WORSE = MetricVerdict("p50", "worse")


@pytest.fixture
def ended_campaign():
    done = from_json(Campaign, (WRITTEN / "campaigns.json").read_text("utf-8"))
    return replace(done, confirmation=replace(done.entries[0], verdict=WORSE))


@pytest.fixture
def ended_canary():
    done = from_json(Canary, (WRITTEN / "canaries.json").read_text("utf-8"))
    verdict = Verdict(WORSE, {"p50": WORSE}, True, NOTHING, "canary", NOTHING)
    return replace(done, verdict=verdict)


def test_of_a_campaign_it_is_that_of_the_confirmation(ended_campaign, capsys):
    campaign._print_end(ended_campaign, Path("report.html"), json=True)
    assert json.loads(capsys.readouterr().out)["exit_status"] == 10
    campaign._print_end(replace(ended_campaign, confirmation=None), Path("r.html"), json=True)
    assert json.loads(capsys.readouterr().out)["exit_status"] == 21


def test_of_a_canary_it_is_that_of_the_joint_verdict(ended_canary, capsys):
    canary._print_end(ended_canary, Path("report.html"), json=True)
    assert json.loads(capsys.readouterr().out)["exit_status"] == 10
