"""How much of a campaign is left at most, and when it will end by the clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ldap_workbench.campaign.plan import CampaignPlan
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.hours import Hours, parse_hours
from ldap_workbench.experiment.plan import duration_s
from ldap_workbench.model.experiment import Plan


def experiments(plan: CampaignPlan) -> list[Plan]:
    """Every experiment before the confirmation, if none is dropped."""
    if not plan.rounds:
        return [plan.experiment(candidate, 0, plan.level) for candidate in plan.candidates]
    plans, left = [], len(plan.candidates)
    for number in range(len(plan.rounds)):
        plans += [plan.experiment(plan.candidates[0], 0, plan.level, number)] * left
        left = (left + 1) // 2
    return plans


def confirmation(plan: CampaignPlan) -> Plan:
    """About what the confirmation will be."""
    restart = any(candidate.restart for candidate in plan.candidates)
    return plan.confirmation(plan.candidates[0].treatment, restart=restart)


def remaining_s(campaign: Campaign, done: float, clock_rate: float) -> float:
    """Seconds on the wall that are left at most, the waiting for allowed hours not counted.

    `done` is how much of the experiment at work is behind it, from 0 to 1.
    """
    if campaign.ended:
        return 0.0
    last = duration_s(confirmation(campaign.plan), clock_rate)
    if campaign.stage is Stage.CONFIRMING:
        return last * (1 - done)
    left = sum(_left_s(campaign, entry, done, clock_rate) for entry in campaign.entries)
    budget = campaign.plan.limits.budget_s - campaign.spent_s
    return min(left + _later_rounds_s(campaign, clock_rate) + last, max(budget, 0.0))


def ends_at(left_s: float, hours: str, now: datetime) -> datetime:
    """When so many seconds of work are done, in the allowed hours of each day."""
    allowed = parse_hours(hours)
    if allowed is None:
        return now + timedelta(seconds=left_s)
    at = now
    while left_s > 0:
        at += timedelta(seconds=replace(allowed, now=partial(_same, at)).wait_s(1.0))
        here = min(left_s, _open_s(allowed, at))
        at += timedelta(seconds=here)
        left_s -= here
    return at


def _same(at: datetime) -> datetime:
    return at


def _open_s(hours: Hours, at: datetime) -> float:
    """Seconds until the hours that hold `at` are over; a second at the least."""
    end = at.replace(hour=hours.end.hour, minute=hours.end.minute, second=0, microsecond=0)
    if end <= at:
        end += timedelta(days=1)
    return max(1.0, (end - at).total_seconds())


def _left_s(campaign: Campaign, entry: Entry, done: float, clock_rate: float) -> float:
    if not entry.open:
        return 0.0
    plan = campaign.plan.experiment(campaign.candidate(entry), 0, 1.0, entry.round)
    share = 1 - done if entry.fate is Fate.RUNNING else 1.0
    return duration_s(plan, clock_rate) * share


def _later_rounds_s(campaign: Campaign, clock_rate: float) -> float:
    """Of a ladder: the rounds that are not in the list yet."""
    begun = max(entry.round for entry in campaign.entries) + 1
    rounds = campaign.plan.rounds[begun:]
    left, seconds = len([e for e in campaign.entries if e.round == begun - 1]), 0.0
    for number, _ in enumerate(rounds, start=begun):
        left = (left + 1) // 2
        plan = campaign.plan.experiment(campaign.plan.candidates[0], 0, 1.0, number)
        seconds += left * duration_s(plan, clock_rate)
    return seconds
