"""Lessons that begin with a complaint: the workbench's own findings name the cause, and its end."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ldap_workbench.advice.families.find import findings, group_findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.finding import Finding
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.lessons import lesson

SPEED = 20.0
SECONDS = 60.0
"""Practice seconds of a window."""
LESSONS = [name for name in scenario_names() if load_scenario(name).finding]
LIKE_OTHERS = ("slow-group-changes", "slow-logins", "slow-portal")
"""What ends their cause is a change of a knob, as in `rehash`, or a remedy, as in `slow-pages`."""


def captured(path: Path, name: str, *, mended: bool) -> tuple[list[Finding], set[str]]:
    """What a window of a lesson shows, before its cause is ended or after, and what is advised."""
    scenario = load_scenario(name)
    by_remedy = bool(scenario.remedy.workload)
    settings = {each.knob: each.value for each in scenario.treatment.settings}
    changed = settings if mended and not by_remedy else None
    with (
        lesson(name, SPEED, path / "home", settings=changed, mended=mended and by_remedy) as taken,
        closing(Journal()) as journal,
        closing(Tuner(taken.target, journal)) as tuner,
        SessionWriter.create(path / "s.ldapwb", taken.target.facts) as writer,
    ):
        window = capture(taken.target, writer, CapturePlan(SECONDS))
        remember_settings(writer, tuner, window)
        assert taken.practice.unknown_commands() == []
    with Session.open(path / "s.ldapwb") as session:
        found = findings(session)
        advised = {str(each.treatment) for each in advise(found, session.facts)}
    return found, advised


@pytest.mark.clock("the finding has to show up in a load at twenty times the speed")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.full] if name in LIKE_OTHERS else [])
        for name in LESSONS
    ],
)
def test_the_cause_is_named_first_and_gone_after_the_remedy(name: str, tmp_path: Path) -> None:
    scenario = load_scenario(name)
    found, advised = captured(tmp_path / "before", name, mended=False)
    lead = group_findings(found)[0]
    assert scenario.finding in {each.id for each in lead.findings}, str(lead.lead.sentence)
    (named,) = [each for each in found if each.id == scenario.finding]
    if scenario.remedy.workload:
        assert named.owner_steps
    elif named.id != "login_writes":  # advised by hand
        assert str(scenario.treatment) in advised
    after, _ = captured(tmp_path / "after", name, mended=True)
    assert scenario.finding not in {each.id for each in after}
