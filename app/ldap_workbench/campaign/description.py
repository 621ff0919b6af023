"""A campaign in sentences.

Before it starts: what is tried, how long it takes, how sure it is, what may happen. Afterwards: its
result.

How much of a campaign is left at most, and when it will end by the clock.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ldap_workbench.campaign.ladder import no_level, not_ranked
from ldap_workbench.campaign.plan import CampaignPlan, Candidate, level_of, restarts_of
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.description import ends_early, length
from ldap_workbench.experiment.foresight import Foresight
from ldap_workbench.experiment.hours import Hours, parse_hours
from ldap_workbench.experiment.plan import RESTART_S, duration_s
from ldap_workbench.inference.counts.warmup import FLOOR_S
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.session.reader import Session


def describe(plan: CampaignPlan, clock_rate: float = 1.0) -> list[Message]:
    """The queue, a sentence each, then what it costs at most and what it can say."""
    if plan.rounds:
        return _describe_ladder(plan, clock_rate)
    lines = [
        _queued(number, candidate, level_of(number - 1, plan.weights, _NONE_DECIDES, plan.level))
        for number, candidate in enumerate(plan.candidates, start=1)
    ]
    lines += _cost(plan, clock_rate)
    lines += [
        Message(
            "Over the whole queue, at most {level:percent} of such campaigns find an effect "
            "where there is none: each treatment has its share, and passes it on where it "
            "decides.",
            level=plan.level,
        ),
        Message(
            "A treatment that is better is kept and becomes the baseline of the next; all others "
            "are reverted."
        ),
        Message(
            "At the end all kept changes are measured once more, together, against the server as "
            "it is now. Only that is the result; if it is not better, everything is reverted."
        ),
        *_settled(plan),
    ]
    return lines


def _describe_ladder(plan: CampaignPlan, clock_rate: float) -> list[Message]:
    levels = tuple(
        Message("{treatment}", treatment=str(candidate.treatment)) for candidate in plan.candidates
    )
    pairs = tuple(count_of("{n} pair", "{n} pairs", n=n) for n in plan.rounds)
    return [
        Message("Levels: {levels}", levels=levels),
        Message("Each level is measured against the server as it is now, and reverted."),
        Message(
            "Pairs of windows for each level: {pairs}. The better half of each round goes on to "
            "the next.",
            pairs=pairs,
        ),
        *_cost(plan, clock_rate),
        Message(
            "The rounds only choose a level. It is then measured once more, on fresh windows; only "
            "that is the result, at p ≤ {level:.3g}. If it is not better, it is reverted.",
            level=plan.level,
        ),
        *_settled(plan),
    ]


def _settled(plan: CampaignPlan) -> list[Message]:
    """What is done so that nothing a switch leaves behind is taken for an effect."""
    lasts = Message(
        "An improvement that may be no more than what a switch leaves behind for as long as a "
        "window is not settled, and reverted."
    )
    if plan.trial.trim_auto or not confirmation(plan).trim_auto:
        return [lasts]
    return [
        Message(
            "From its windows the time that the server needs to settle is discarded, the same from "
            "all: {least:g} s or more.",
            least=FLOOR_S,
        ),
        lasts,
    ]


_NONE_DECIDES = (True,) * 1000
"""The least each treatment is tested at."""


def _queued(number: int, candidate: Candidate, level: float) -> Message:
    line = Message(
        "Experiment {number}: {treatment}, tested at p ≤ {level:.3g}",
        number=number,
        treatment=str(candidate.treatment),
        level=level,
    )
    if not candidate.why:
        return line
    return Message("{line} ({why})", line=line, why=candidate.why)


def _cost(plan: CampaignPlan, clock_rate: float) -> list[Message]:
    tried = experiments(plan)
    every = [*tried, confirmation(plan)]
    seconds = sum(duration_s(experiment, clock_rate) for experiment in every)
    restarts = sum(map(restarts_of, every))
    most = plan.limits.restarts
    fits = seconds <= plan.limits.budget_s and (most is None or restarts <= most)
    dropped = Message("Not all of it fits: what does not is dropped, the last first.")
    lines = [
        count_of(
            "{n} experiment and a confirmation, about {length} at most; the budget is {budget}.",
            "{n} experiments and a confirmation, about {length} at most; the budget is {budget}.",
            n=len(tried),
            length=length(seconds),
            budget=length(plan.limits.budget_s),
        ),
        _restarts(restarts, clock_rate),
        NOTHING if fits else dropped,
    ]
    if plan.limits.hours:
        lines.append(
            Message(
                "It measures and changes only from {hours}, by the clock of this machine; between "
                "two pairs it waits, with the server as it was.",
                hours=plan.limits.hours,
            )
        )
    lines.append(ends_early(plan.trial))
    return [line for line in lines if line]


def _restarts(restarts: int, clock_rate: float) -> Message:
    if not restarts:
        return NOTHING
    return Message(
        "The server is restarted {restarts} times at most, about {down} without service in all.",
        restarts=restarts,
        down=length(restarts * RESTART_S / clock_rate),
    )


def hardest(plan: CampaignPlan) -> Plan:
    """The experiment of a queue with the least level: what it finds, all others find."""
    if plan.rounds:
        return plan.confirmation(plan.candidates[0].treatment, restart=plan.candidates[0].restart)
    spent = (True,) * len(plan.candidates)
    levels = [level_of(i, plan.weights, spent, plan.level) for i in range(len(plan.candidates))]
    least = min(levels)
    return plan.experiment(plan.candidates[levels.index(least)], 0, least)


def chance(session: Session, plan: CampaignPlan) -> list[Message]:
    """Sentences on what each treatment has to do to be found, at its share of the level."""
    trial = hardest(plan)
    at = Message("Each is tested at p ≤ {level:.3g} or more.", level=trial.level)
    return [at, *Foresight(session).sentences(trial)]


def headline(campaign: Campaign) -> Message:
    """The one result of a campaign: what the confirmation on fresh windows found."""
    confirmation, server = campaign.confirmation, after_reverts(campaign.left_stored)
    if not campaign.ended:
        return Message("The campaign has not ended.")
    if campaign.stage is Stage.STOPPED:
        return sentences(Message("The campaign was stopped."), server)
    unranked = not_ranked(campaign.entries) if campaign.plan.rounds else NOTHING
    if confirmation is None:
        nothing = Message("Nothing in the queue was better.")
        if campaign.plan.rounds:
            nothing = no_level(campaign.entries)
        return sentences(nothing, unranked, server)
    verdict = confirmation.verdict
    if confirmation.fate is not Fate.KEPT or verdict is None or verdict.ratio is None:
        not_confirmed = Message(
            "What stayed was not confirmed on fresh windows: {verdict}. Everything was reverted.",
            verdict=Judgement.named(verdict.verdict) if verdict else confirmation.why,
        )
        return sentences(not_confirmed, unranked, server)
    confirmed = Message(
        "Confirmed on fresh windows: {treatment}, {metric} {ratio}. It is kept.",
        treatment=confirmation.treatment,
        metric=verdict.metric,
        ratio=_with_interval(verdict),
    )
    return sentences(confirmed, unranked) if unranked else confirmed


def _with_interval(verdict: MetricVerdict) -> Message:
    """B against A with its interval, as far as both are known."""
    if verdict.low is None or verdict.high is None:
        return Message("{ratio:ratio}", ratio=verdict.ratio)
    return Message(
        "{ratio:ratio} ({low:ratio} to {high:ratio})",
        ratio=verdict.ratio,
        low=verdict.low,
        high=verdict.high,
    )


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
