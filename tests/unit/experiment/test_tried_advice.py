"""Advice knows what was tried on this server, from this user's own history alone."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.campaign import plan
from ldap_workbench.campaign.plan import advised
from ldap_workbench.cli import main
from ldap_workbench.experiment.history import history_path, remember_tried
from ldap_workbench.experiment.tried_advice import MOST, beside_history
from ldap_workbench.figures.overview.findings import findings_of, ranked
from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.report.model import report_model
from ldap_workbench.report.write import to_markdown
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.sessions import FACTS
from tests.unit.advice import material, test_settings_known
from tests.unit.experiment.test_history import ENDED, PLAN, VERDICT, WHERE

DAY = 86_400 * 10**9
HERE = replace(FACTS, identity=WHERE["identity"])
CACHE, THREADS, DISK = (
    Treatment((Setting("nsslapd-cachememsize", "9", "userRoot"),)),
    Treatment((Setting("nsslapd-threadnumber", "8"),)),
    Treatment((Setting("read_ahead_kb", "16", "vda"),)),
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))


def advice(treatment, risk="low"):
    words = dict.fromkeys(("why", "expected", "cost", "risk"), Message("x"))
    return Advice(str(treatment), Message("Try"), ("f",), treatment, **words, risk_level=risk)


QUEUE = [advice(CACHE), advice(THREADS), advice(DISK, "high")]


def tried(treatment, verdict, day=0, state=State.REVERTED, **where):
    primary = MetricVerdict("p50", verdict, ratio=1.5, low=1.2, high=1.9)
    found = replace(VERDICT, primary=primary, metrics={"p50": primary}) if verdict else None
    experiment = replace(ENDED, plan=replace(PLAN, treatment=treatment), state=state, verdict=found)
    began = {"began_ns": day * DAY, "ended_ns": day * DAY + 1}
    remember_tried(experiment, **WHERE | began | where)


def told(facts=HERE, queue=QUEUE):
    return {
        str(each.treatment): [str(m) for m in each.tried] for each in beside_history(queue, facts)
    }


def order(queue=QUEUE):
    return [each.treatment for each in beside_history(queue, HERE)]


def test_it_is_said_when_and_with_what_verdict():
    tried(CACHE, "no material change", 123)
    assert told()[str(CACHE)] == [
        "Tried on this server on 1970-05-04. No material change: p50 is ×1.5 [×1.2 to ×1.9]. "
        "It was reverted."
    ]
    assert told()[str(THREADS)] == []


def test_the_newest_is_said_first_and_only_so_many():
    for day in range(MOST + 2):
        tried(CACHE, "inconclusive", day)
    said = told()[str(CACHE)]
    assert len(said) == MOST
    assert f"1970-01-0{MOST + 2}" in said[0]


def test_one_that_was_aborted_has_no_verdict():
    tried(CACHE, "", state=State.ABORTED)
    assert told()[str(CACHE)] == ["Tried on this server on 1970-01-01. It was aborted."]


def test_another_value_of_the_knob_is_said_by_its_value_and_moves_nothing():
    other = Treatment((Setting("nsslapd-cachememsize", "5", "userRoot"),))
    tried(other, "worse")
    [said] = told()[str(CACHE)]
    assert said.startswith("nsslapd-cachememsize@userRoot=5 was tried on this server on")
    assert order()[0] == CACHE


def test_another_place_of_the_knob_is_another_treatment():
    tried(Treatment((Setting("nsslapd-cachememsize", "9", "other"),)), "worse")
    assert told()[str(CACHE)] == []


def test_what_was_worse_is_not_offered_first():
    tried(CACHE, "worse")
    assert order() == [THREADS, DISK, CACHE]
    tried(THREADS, "no material change")
    assert order() == [DISK, THREADS, CACHE]


@pytest.mark.parametrize("word", ["suggests worse", "worse"])
def test_an_undecided_later_trial_does_not_clear_it(word):
    tried(CACHE, word, 1)
    tried(CACHE, "inconclusive", 2)
    assert order()[-1] == CACHE
    tried(CACHE, "better", 3)
    assert order() == [CACHE, THREADS, DISK]


def test_only_what_was_tried_on_this_server_counts():
    tried(CACHE, "worse", identity="another")
    assert (order()[0], told()[str(CACHE)]) == (CACHE, [])


@pytest.mark.parametrize("facts", [None, replace(HERE, identity="")])
def test_of_an_unknown_server_nothing_is_said(facts):
    tried(CACHE, "worse", identity="")
    assert told(facts)[str(CACHE)] == []
    assert beside_history(QUEUE, facts) == QUEUE


def test_a_group_of_more_knobs_is_another_treatment():
    tried(Treatment((*CACHE.settings, *THREADS.settings)), "worse")
    assert told()[str(CACHE)] == []


def test_advice_without_a_setting_was_never_tried():
    steps = advice(Treatment(()))
    tried(Treatment(()), "worse")
    assert told(queue=[steps]) == {"": []}


def test_a_damaged_line_says_no_more_than_is_known():
    tried(CACHE, "worse", 1)
    line = history_path().read_text()
    another_word = line.replace('"worse"', '"splendid"')
    no_setting = another_word.replace("=9", "")
    no_number = line.replace("1.5", "NaN").replace("worse", "better").replace("1.9", "Infinity")
    history_path().write_text(no_number + no_setting + another_word)
    assert told()[str(CACHE)] == [
        "Tried on this server on 1970-01-02. Better: p50 cannot be determined. It was reverted.",
        "Tried on this server on 1970-01-02. splendid. It was reverted.",
    ]
    assert order() == [CACHE, THREADS, DISK]


def test_a_history_that_cannot_be_read_is_said_and_takes_nothing_away():
    history_path().mkdir(parents=True)
    for said in told().values():
        assert said[0].startswith("It is not known whether this was tried before")
    assert order() == [CACHE, THREADS, DISK]


@pytest.fixture
def stalls(tmp_path, monkeypatch):
    """A session of this server whose stalls back a shorter and a longer checkpoint interval."""
    monkeypatch.setattr(
        test_settings_known, "FACTS", replace(material.FACTS, identity="instance-7")
    )
    return test_settings_known.stalled(tmp_path / "s.ldapwb", "60")


def by_cli(path, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["ldap-workbench", "findings", str(path), "--json"])
    with pytest.raises(SystemExit):
        main()
    advice = json.loads(capsys.readouterr().out)["advice"]
    return [(each["id"], each["tried"]) for each in advice]


def by_window(path, *_):
    with Session.open(path) as session:
        return [
            (each.id, list(map(str, each.tried)))
            for each in ranked(findings_of(session), session, "p99.9").advice
        ]


def by_report(path, *_):
    with Session.open(path) as session:
        model = report_model(session)
    said = any(each.tried for each in model.advice)
    assert ("Tried on this server on" in to_markdown(model)) == said
    return [(each.id, list(map(str, each.tried))) for each in model.advice]


def campaign_on(plan=lambda treatment: []):
    facts = replace(material.FACTS, identity=WHERE["identity"])
    target = SimpleNamespace(facts=facts, profile=SimpleNamespace(test_server=True))
    return target, SimpleNamespace(
        catalogue=load_catalogue().of(facts),
        plan=plan,
        check_automated=lambda *_, **__: None,
        may_stop=False,
    )


def by_campaign(path, *_):
    target, tuner = campaign_on()
    return [
        (each.advice, [str(each.why).partition(". ")[2]] if ". " in str(each.why) else [])
        for each in advised(target, tuner, path)
    ]


@pytest.mark.parametrize("face", [by_cli, by_window, by_report, by_campaign])
def test_every_face_tells_it_and_offers_it_last(face, stalls, capsys, monkeypatch):
    first, *rest = face(stalls, capsys, monkeypatch)
    assert (first[0], first[1]) == ("checkpoint-shorter", [])
    tried(Treatment((Setting("nsslapd-db-checkpoint-interval", "15"),)), "worse")
    told = face(stalls, capsys, monkeypatch)
    assert [each for each, _ in told[:-1]] == [each for each, _ in rest]
    assert told[-1] == (
        "checkpoint-shorter",
        ["Tried on this server on 1970-01-01. Worse: p50 is ×1.5 [×1.2 to ×1.9]. It was reverted."],
    )


def test_what_the_server_cannot_take_now_leaves_the_other_advice(stalls):
    def plan(treatment):
        if "checkpoint-interval" in str(treatment):
            raise KnobError(Message("No room."))
        return []

    every = advised(*campaign_on(), stalls)
    left = advised(*campaign_on(plan), stalls)
    assert left == [c for c in every if "checkpoint-interval" not in str(c.treatment)]
    assert 0 < len(left) < len(every)


def test_a_campaign_from_a_session_with_nothing_to_try_says_so(stalls, monkeypatch):
    def refuse(treatment):
        raise KnobError(Message("No room."))

    with pytest.raises(UsageError, match="can try none of the advice"):
        advised(*campaign_on(refuse), stalls)
    monkeypatch.setattr(plan, "findings", lambda session: [])
    with pytest.raises(UsageError, match="there is no advice"):
        advised(*campaign_on(), stalls)


def test_a_person_reads_it(stalls, capsys, monkeypatch):
    tried(Treatment((Setting("nsslapd-db-checkpoint-interval", "15"),)), "worse")
    monkeypatch.setattr("sys.argv", ["ldap-workbench", "findings", str(stalls)])
    with pytest.raises(SystemExit):
        main()
    assert "    Tried on this server on 1970-01-01. Worse" in capsys.readouterr().out


def test_why_a_history_cannot_be_read_is_said_in_words():
    history_path().mkdir(parents=True)
    for lines in told().values():
        (line,) = lines
        assert line.endswith("history.jsonl cannot be read: Is a directory.")
