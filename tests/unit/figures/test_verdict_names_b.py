"""Every verdict says what B was: a new one, one of a comparison, one that an older file holds."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment.judge import judge, judge_windows
from ldap_workbench.figures.overview.session_summary import read_summary
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import verbatim
from ldap_workbench.report.trial import experiment_part
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session


@pytest.fixture
def experiment_session(tmp_path):
    return build_experiment_session(tmp_path / "e.ldapwb", seconds=5, per_second=50)


def test_the_verdict_of_an_experiment_names_its_treatment(experiment_session):
    with Session.open(experiment_session) as session:
        [experiment] = session.experiments()
        verdict = judge(session, experiment)
        nothing = judge(session, _without_change(experiment))
    assert f"B: {experiment.plan.treatment}." in str(verdict.sentence)
    assert str(verdict.explanation).count("B: ") == 1
    assert "B: the unchanged server, as A." in str(nothing.sentence)


def _without_change(experiment):
    return replace(experiment, plan=replace(experiment.plan, treatment=Treatment(())))


def test_a_comparison_names_the_windows(experiment_session):
    with Session.open(experiment_session) as session:
        windows = session.windows()
        b = [window for window in windows if window.arm == "B"]
        several = judge_windows(session, windows)
        one = judge_windows(session, [windows[0], b[0]] if windows[0].arm == "A" else windows[:2])
    said = f"B: {b[0].name} and {len(b) - 1} other windows of {experiment_session.name}."
    assert said in str(several.sentence)
    assert f"of {experiment_session.name}." in str(one.sentence)


def test_the_verdict_of_an_older_file_is_told_as_well(experiment_session):
    with Session.open(experiment_session) as session:
        [experiment] = session.experiments()
    older = replace(experiment.verdict, sentence=verbatim("Better: p50 fell."))
    older = replace(older, primary=replace(older.primary, verdict="better"))
    with SessionWriter.append(experiment_session) as writer:
        writer.put_experiment(replace(experiment, verdict=older))
    with Session.open(experiment_session) as session:
        verdict = read_summary(session).verdict
        [stored] = session.experiments()
    text = f"Better: p50 fell. B: {experiment.plan.treatment}."
    assert str(verdict.sentence) == text
    assert verdict.naming("again") == verdict
    assert str(experiment_part(stored, (), ()).verdict.sentence) == text
