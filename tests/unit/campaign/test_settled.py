"""Campaigns and canaries of servers that take time to settle."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.campaign import canary_judge
from ldap_workbench.campaign.canary_judge import judge_canary
from ldap_workbench.campaign.description import describe
from ldap_workbench.campaign.plan import make_campaign, make_ladder
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.inference.verdict.wording import judged as said
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.verdict import (
    MetricVerdict,
    Settling,
    Verdict,
    VerdictDetails,
)
from tests.unit.campaign.acting import FREE, TRIAL, Server, candidate, fates

LONG = make_plan(Treatment(()), Design("pairs", 12), window_s=300, seed=1)


def campaign(trial=LONG, **options):
    return make_campaign([candidate("a", **options)], trial, FREE)


def confirmation(plan, **how):
    tried = plan.candidates[0]
    return plan.confirmation(tried.treatment, restart=tried.restart, **how)


def test_a_confirmation_discards_the_warm_up_of_its_windows():
    plan = campaign()
    assert not plan.experiment(plan.candidates[0], 1, 0.05).trim_auto
    assert confirmation(plan).trim_auto
    assert any("needs to settle is discarded" in str(line) for line in describe(plan))


def test_a_length_that_was_named_is_discarded_there_as_well():
    named = confirmation(campaign(replace(LONG, trim_s=30.0)))
    assert (named.trim_auto, named.trim_s) == (False, 30.0)


@pytest.mark.parametrize(("window_s", "restart"), [(119, False), (239, True)])
def test_windows_too_short_for_the_rule_are_confirmed_whole(window_s, restart):
    short = campaign(replace(LONG, window_s=float(window_s)), restart=restart)
    assert not confirmation(short).trim_auto
    assert not any("needs to settle is discarded" in str(line) for line in describe(short))


def test_the_restarts_of_a_treatment_imply_that_its_warm_up_is_discarded():
    plan = campaign(restart=True)
    assert plan.experiment(plan.candidates[0], 1, 0.05).trim_auto


@pytest.mark.parametrize(("asked_for", "waited"), [(0.0, 5.0), (180.0, 180.0), (900.0, 300.0)])
def test_a_confirmation_waits_as_long_as_an_experiment_asked_for(asked_for, waited):
    """But no longer than a window: the budget was made without it."""
    assert confirmation(campaign(), wait_s=asked_for).settle_s == waited


def test_what_a_campaign_keeps_must_be_more_than_what_switches_leave_behind():
    """The rounds of a ladder only choose, in too few pairs to ask for it."""
    plan = campaign()
    assert plan.experiment(plan.candidates[0], 1, 0.05).must_last
    assert confirmation(plan).must_last
    ladder = make_ladder([candidate("t", value) for value in "1248"], LONG, FREE)
    assert not ladder.experiment(ladder.candidates[0], 1, 0.05).must_last
    assert confirmation(ladder).must_last
    assert not LONG.must_last
    for each in (plan, ladder):
        assert "what a switch leaves behind for as long as a window" in str(describe(each)[-1])


def test_what_an_experiment_asked_to_wait_is_waited_before_the_confirmation(play, monkeypatch):
    server = Server({"a=1": "not settled", "b=1": "better"})
    plans = []
    experiment = CampaignRun._experiment

    def slow(run, path, plan, stored):
        plans.append(plan)
        done, why = experiment(run, path, plan, stored)
        settling = Settling(wait_s=40.0) if str(plan.treatment) == "a=1" else None
        verdict = replace(done.verdict, details=VerdictDetails(settling=settling))
        return replace(done, verdict=verdict), why

    monkeypatch.setattr(CampaignRun, "_experiment", slow)
    done = play(server, candidate("a"), candidate("b"))
    assert fates(done) == ["reverted", "kept"]
    assert [plan.settle_s for plan in plans] == [TRIAL.settle_s, TRIAL.settle_s, 40.0]


@pytest.mark.parametrize(
    ("word", "becomes"), [("worse", "suggests worse"), ("not settled", "not settled")]
)
def test_a_canary_ended_as_harmful_is_not_called_worse_where_it_had_not_settled(
    monkeypatch, word, becomes
):
    metric = MetricVerdict("slo", word)
    sentence = said(word, Message("x"))
    found = Verdict(metric, {"slo": metric}, True, NOTHING, "crossover:2x8", sentence)
    monkeypatch.setattr(canary_judge, "_blocks", lambda *_: ([[]] * 5, 1))
    monkeypatch.setattr(canary_judge, "analyse_crossover", lambda *_: found)
    plan = SimpleNamespace(orders=[()] * 8, blocks=8, treatment=verbatim("a=1"), trial=TRIAL)
    canary = SimpleNamespace(plan=plan, remarks=())
    assert judge_canary(canary, ()).primary.verdict == becomes
