"""How much of a campaign is left, and when it will end."""

from dataclasses import replace
from datetime import datetime

import pytest

from ldap_workbench.campaign.description import ends_at, hardest, remaining_s
from ldap_workbench.campaign.plan import Limits, make_campaign, make_ladder
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.plan import duration_s
from tests.unit.campaign.acting import FREE, TRIAL, candidate

NIGHT = "01:00-05:00"


def campaign(make=make_campaign, names=("a", "b"), **changes):
    queue = [candidate(name) for name in names]
    plan = make(queue, TRIAL, FREE)
    entries = tuple(Entry(str(each.treatment)) for each in queue)
    return replace(Campaign(plan, "s", "i", "p", "c", 0, entries), **changes)


def test_an_experiment_and_the_confirmation_are_left():
    one = duration_s(campaign().plan.trial)
    both = (Entry("a=1", Fate.REVERTED), Entry("b=1", Fate.RUNNING))
    assert remaining_s(campaign(), 0.0, 1.0) == pytest.approx(3 * one)
    assert remaining_s(campaign(entries=both), 0.5, 1.0) == pytest.approx(1.5 * one)
    assert remaining_s(campaign(stage=Stage.CONFIRMING), 0.25, 2.0) == pytest.approx(0.375 * one)
    assert remaining_s(campaign(stage=Stage.DONE), 0.0, 1.0) == 0


def test_no_more_is_left_than_the_budget():
    state = campaign()
    plan = replace(state.plan, limits=Limits(100.0))
    assert remaining_s(replace(state, plan=plan), 0.0, 1.0) == 100.0


def test_later_rounds_of_a_ladder_are_counted():
    state = campaign(make_ladder, "abcd")
    pair = duration_s(state.plan.trial) / 12
    assert remaining_s(state, 0.0, 1.0) == pytest.approx(pair * (4 * 6 + 2 * 12 + 12))


def test_it_ends_in_the_allowed_hours_of_a_later_night():
    now = datetime(2026, 5, 3, 12, 0).astimezone()
    assert ends_at(3600.0, "", now).hour == 13
    end = ends_at(5 * 3600.0, NIGHT, now)
    assert (end.day, end.hour) == (5, 2)
    assert ends_at(1800.0, NIGHT, now.replace(hour=4)).hour == 4


def test_the_least_level_is_foreseen():
    assert hardest(campaign().plan).level == pytest.approx(0.025)
    assert hardest(campaign(make_ladder, "abcd").plan).level == pytest.approx(0.05)
