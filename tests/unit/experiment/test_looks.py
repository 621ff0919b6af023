"""Looking early, as planned: an experiment ends at the first look that decides."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.experiment import judge
from ldap_workbench.experiment.judge import decided_early, judge_windows
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.experiment.record import Record
from ldap_workbench.inference.significance.sequential import PLANNED_LOOKS
from ldap_workbench.model.experiment import Design, Experiment, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import no_progress
from ldap_workbench.model.verdict import VerdictDetails
from ldap_workbench.session.reader import Session
from tests.sessions import build_experiment_session

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))
PLAN = make_plan(TREATMENT, Design("pairs", 24), window_s=60, seed=1, looks=PLANNED_LOOKS)


def looking(monkeypatch, word, plan=PLAN, marks=None, hope=None):
    """An experiment on no server, whose windows say `word`."""
    found = SimpleNamespace(
        primary=SimpleNamespace(verdict=word, metric="p99"), details=VerdictDetails(hope=hope)
    )
    monkeypatch.setattr(judge, "judge", lambda session, experiment: found)
    target = SimpleNamespace(now_ns=lambda: 7)
    writer = SimpleNamespace(
        path="s.ldapwb", reader=nullcontext, add_mark=(marks if marks is not None else []).append
    )
    record = Record(writer, target, Experiment(1, plan, State.MEASURING, step=0))
    return lambda done: decided_early(record, done, no_progress)


@pytest.mark.parametrize("word", ["better", "worse"])
def test_a_decision_at_a_planned_look_ends_it(monkeypatch, word):
    look = looking(monkeypatch, word)
    assert [done for done in range(1, 49) if look(done)] == [16, 24, 32, 40]


@pytest.mark.parametrize("word", ["inconclusive", "suggests better", "no material change"])
def test_without_a_decision_it_goes_on(monkeypatch, word):
    assert not any(map(looking(monkeypatch, word), range(1, 49)))


def test_the_session_tells_every_look(monkeypatch):
    marks = []
    for word, done in (("inconclusive", 16), ("better", 24)):
        looking(monkeypatch, word, marks=marks)(done)
    assert [(mark.time_ns, mark.kind) for mark in marks] == [(7, "look")] * 2
    assert str(marks[0].text) == "Interim analysis after 8 pairs: inconclusive."
    assert str(marks[1].text) == (
        "Interim analysis after 12 pairs: better. The experiment ends here; 12 pairs are not "
        "measured."
    )


@pytest.mark.parametrize(("hope", "ends"), [(0.96, True), (0.95, False), (None, False)])
def test_what_is_futile_ends_where_the_plan_says_so(monkeypatch, hope, ends):
    """An improvement of p99 by a factor of less than 1.05 does not matter."""
    plan = replace(PLAN, futility=True)
    assert looking(monkeypatch, "inconclusive", plan, hope=hope)(16) is ends
    assert not looking(monkeypatch, "inconclusive", hope=hope)(16)


def test_without_a_plan_nobody_looks(monkeypatch):
    assert not any(map(looking(monkeypatch, "better", replace(PLAN, looks=())), range(1, 49)))


def test_a_look_is_judged_at_its_share_of_the_level(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=6, seconds=5, ratio=0.5)
    with Session.open(path) as session:
        windows = session.windows()
        once = judge_windows(session, windows, primary="p50")
        early = judge_windows(session, windows, primary="p50", looks=(6, 12, 18))
        before = judge_windows(session, windows, primary="p50", looks=(8, 16))
    assert once.primary.verdict == "better"
    assert early.primary.p == once.primary.p == 2 / (2**6 - 2)
    assert early.primary.verdict == "inconclusive"
    assert before.primary.verdict == "not enough data"
