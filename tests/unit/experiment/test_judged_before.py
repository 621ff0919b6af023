"""A verdict of earlier rules: judged again, with a note where its word changes."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.cli import main
from ldap_workbench.experiment.judge import judge, judge_chosen, verdict_of_today
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.verdict import RULES
from ldap_workbench.report.html import to_html
from ldap_workbench.report.model import report_model
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session

FROM_0_1 = Path(__file__).parents[1] / "packaging" / "from_0_1" / "experiment.ldapwb.zst"
NOTE = (
    "Judged better by ldap-workbench 0.1.0 when it was measured; by today's rules: not settled. "
    "Data needed: a longer wait after each change"
)


@pytest.fixture
def better_then(tmp_path: Path) -> Path:
    """What an earlier version called better, and what today is not settled."""
    path = tmp_path / "before.ldapwb"
    packed = FROM_0_1.read_bytes()
    path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
    return path


def rewrite(path, **changed):
    """The stored verdict as an earlier version may have left it."""
    with SessionWriter.append(path) as writer:
        with writer.reader() as session:
            [experiment] = session.experiments()
        primary = replace(experiment.verdict.primary, verdict=changed.pop("word", "better"))
        verdict = replace(experiment.verdict, primary=primary, **changed)
        writer.put_experiment(replace(experiment, verdict=verdict))
    return path


def test_a_verdict_of_earlier_rules_is_that_of_today_with_a_note_of_what_it_was(better_then):
    with Session.open(better_then) as session:
        [experiment] = session.experiments()
        verdict = verdict_of_today(session, experiment)
    assert experiment.verdict.rules < RULES
    assert verdict.primary.verdict == "not settled"
    assert str(verdict.warnings[0]).startswith(NOTE)


def test_compare_says_it_too_and_so_does_its_json(better_then, monkeypatch, capsys):
    with Session.open(better_then) as session:
        windows = session.windows()
        verdict = judge_chosen(session, windows)
        arms = [",".join(w.name for w in windows if w.arm == arm) for arm in "AB"]
    assert str(verdict.warnings[0]).startswith(NOTE)
    words = ["compare", str(better_then), "--a", arms[0], "--b", arms[1]]
    for more in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", ["ldap-workbench", *words, *more])
        with pytest.raises(SystemExit):
            main()
    said = capsys.readouterr()
    assert "Judged better by ldap-workbench 0.1.0" in " ".join(said.err.split())
    assert NOTE in json.dumps(json.loads(said.out[said.out.index("{") :])["warnings"])


def test_the_report_says_it_too(better_then):
    with Session.open(better_then) as session:
        page = to_html(report_model(session))
    assert "Not settled" in page
    assert "when it was measured; by today" in page


def test_where_the_word_is_the_same_the_verdict_is_the_stored_one(tmp_path):
    path = rewrite(build_experiment_session(tmp_path / "e.ldapwb", seconds=5), rules=0)
    with Session.open(path) as session:
        [experiment] = session.experiments()
        assert judge(session, experiment).primary.verdict == "better"
        verdict = verdict_of_today(session, experiment)
        chosen = judge_chosen(session, session.windows())
    assert verdict == experiment.verdict
    assert not any("when it was measured" in str(line) for line in chosen.warnings)


def test_what_todays_rules_judged_is_not_judged_again(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", seconds=5)
    with Session.open(path) as session:
        [experiment] = session.experiments()
    assert experiment.verdict.rules == RULES
    assert verdict_of_today(None, experiment) == experiment.verdict


@pytest.mark.parametrize("reason", ["replicas", "window of each arm"])
def test_what_cannot_be_judged_again_says_so_and_stays(tmp_path, reason):
    path = rewrite(build_experiment_session(tmp_path / "e.ldapwb", seconds=5), rules=0)
    with Session.open(path) as session:
        [experiment] = session.experiments()
        if reason == "replicas":
            plan = replace(experiment.plan, design=Design("canary", 6))
            experiment = replace(experiment, plan=plan)
        else:
            experiment = replace(experiment, windows=())
        verdict = verdict_of_today(session, experiment)
    assert verdict.primary.verdict == "better"
    note = str(verdict.warnings[0])
    assert "It cannot be judged again: " in note
    assert reason in note
