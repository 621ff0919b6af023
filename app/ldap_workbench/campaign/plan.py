"""What a campaign is to try, in which order, and what it may cost.

What a campaign is to try: named by hand, from the advice of a session, or levels of one knob.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.experiment.description import length
from ldap_workbench.experiment.plan import MINIMUM_PAIRS, can_trim, duration_s, is_built, order
from ldap_workbench.experiment.tried_advice import beside_history
from ldap_workbench.model.errors import ChangeError, KnobError, UsageError
from ldap_workbench.model.experiment import Design, Plan, Then
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.tuner import Tuner

LEVELS = range(4, 7)
"""How many levels a ladder has: with fewer, a queue serves; more need a coarser ladder first."""


@dataclass(frozen=True)
class Candidate:
    """One treatment of the queue; `weight` is its part of the campaign's level."""

    treatment: Treatment
    restart: bool = False
    """It works only after a restart, so both of its arms are restarted before every window."""
    why: Message = NOTHING
    """Where it comes from; nothing where the operator named it."""
    advice: str = ""
    """Id of the advice it comes from, and of the advice it excludes."""
    excludes: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Limits:
    """What a campaign may cost, and when."""

    budget_s: float
    """On the wall, the waiting for allowed hours not counted."""
    restarts: int | None = None
    """How many restarts it may cost; None for as many as it takes."""
    hours: str = ""
    """"01:00-05:00": when it may measure and change; "" for always."""


@dataclass(frozen=True)
class CampaignPlan:
    """A queue in its order, decided before the start.

    `trial` is the plan of every experiment, without its treatment, order and level.
    """

    candidates: tuple[Candidate, ...]
    trial: Plan
    limits: Limits
    level: float = 0.05
    """How often it may find something where there is nothing, over the whole queue."""
    rounds: tuple[int, ...] = ()
    """Pairs of each round of a ladder; nothing for a queue."""

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the queue in its order."""
        return tuple(candidate.weight for candidate in self.candidates)

    def experiment(self, candidate: Candidate, number: int, level: float, round_: int = 0) -> Plan:
        """The plan of one treatment, with an order of windows of its own."""
        plan = self._with(candidate.treatment, number, restart=candidate.restart, level=level)
        if not self.rounds:
            return plan
        design = Design("pairs", self.rounds[round_])
        return replace(
            plan, design=design, steps=order(design, plan.seed), looks=(), must_last=False
        )

    def confirmation(self, treatment: Treatment, *, restart: bool, wait_s: float = 0.0) -> Plan:
        """All that stayed against the server as it was at the start: one test, no looks.

        Of a server that has settled: what each switch leaves behind for a while would be confirmed
        as well as an effect. `wait_s` is the longest wait that an experiment has asked for.
        """
        plan = self._with(treatment, 0, restart=restart, level=self.level)
        return replace(
            plan,
            looks=(),
            futility=False,
            then=Then.KEEP_IF_BETTER,
            settle_s=max(plan.settle_s, min(wait_s, plan.window_s)),
            trim_auto=plan.trim_auto or can_trim(plan.window_s, plan.trim_s, restarted=restart),
        )

    def _with(self, treatment: Treatment, number: int, *, restart: bool, level: float) -> Plan:
        seed, trial = self.trial.seed + number, self.trial
        trims = restart and can_trim(trial.window_s, trial.trim_s, restarted=True)
        return replace(
            trial,
            treatment=treatment,
            seed=seed,
            steps=order(trial.design, seed),
            restart=restart,
            trim_auto=trial.trim_auto or trims,
            level=level,
            must_last=True,
        )


def make_campaign(
    candidates: Sequence[Candidate],
    trial: Plan,
    limits: Limits,
    clock_rate: float = 1.0,
) -> CampaignPlan:
    """A campaign that can find something. Raises UsageError where it could not."""
    plan = CampaignPlan(
        tuple(candidates),
        replace(trial, then=Then.KEEP_IF_BETTER, futility=bool(trial.looks)),
        limits,
    )
    _check_queue(plan)
    _check_pairs(plan)
    _check_budget(plan, clock_rate)
    return plan


def make_ladder(
    levels: Sequence[Candidate],
    trial: Plan,
    limits: Limits,
    clock_rate: float = 1.0,
) -> CampaignPlan:
    """A ladder of levels of one knob that can find something. Raises UsageError."""
    if not LEVELS.start <= len(levels) < LEVELS.stop:
        raise UsageError(
            Message(
                "A ladder has {least} to {most} levels.", least=LEVELS.start, most=LEVELS.stop - 1
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Name them so: --ladder KNOB=4,8,16,32."),
        )
    plan = CampaignPlan(
        tuple(levels),
        replace(trial, then=Then.REVERT, looks=(), futility=False),
        limits,
        rounds=rounds_of(len(levels)),
    )
    _check_queue(plan)
    _check_pairs(plan)
    _check_budget(plan, clock_rate)
    return plan


def rounds_of(levels: int) -> tuple[int, ...]:
    """Pairs of each round: twice as many for half as many levels, until at most three are left."""
    pairs = [MINIMUM_PAIRS]
    while levels > 3:
        levels = (levels + 1) // 2
        pairs.append(2 * pairs[-1])
    return tuple(pairs)


def _check_queue(plan: CampaignPlan) -> None:
    named = [str(candidate.treatment) for candidate in plan.candidates]
    twice = sorted({treatment for treatment in named if named.count(treatment) > 1})
    if not named:
        raise UsageError(
            Message("A campaign needs treatments to try."),
            safe=Message("Nothing was changed."),
            remedy=Message("Name one or more with --set KNOB=VALUE, or add --from-advice."),
        )
    if twice:
        raise UsageError(
            Message("{treatment} is in the queue twice.", treatment=twice[0]),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave one of them out."),
        )


def _check_pairs(plan: CampaignPlan) -> None:
    """Too few pairs for the level decide nothing, whatever they measure."""
    if plan.trial.design.kind != "pairs":
        raise UsageError(
            Message("A campaign needs randomised pairs."),
            safe=Message("Nothing was changed."),
            remedy=Message("Use a design such as pairs:12."),
        )
    share = plan.level if plan.rounds else plan.level * min(plan.weights) / sum(plan.weights)
    least = max(MINIMUM_PAIRS, least_pairs(share, len(plan.trial.looks)))
    if plan.trial.design.k < least:
        raise UsageError(
            count_of(
                "With {n} treatment, {pairs} pairs of windows are too few for a verdict.",
                "With {n} treatments, {pairs} pairs of windows are too few for a verdict: each "
                "is tested at p ≤ {share:.3g}.",
                n=len(plan.candidates),
                pairs=plan.trial.design.k,
                share=share,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Use --design pairs:{least} or more, fewer interim analyses, or a shorter queue.",
                least=least,
            ),
        )


def _check_budget(plan: CampaignPlan, clock_rate: float) -> None:
    """The first treatment and the confirmation have to fit."""
    candidate = plan.candidates[0]
    first = plan.experiment(candidate, 1, plan.level)
    last = plan.confirmation(candidate.treatment, restart=candidate.restart)
    needed = duration_s(first, clock_rate) + duration_s(last, clock_rate)
    if needed > plan.limits.budget_s:
        raise UsageError(
            Message(
                "A budget of {budget} does not hold one experiment and its confirmation: "
                "they take about {needed}.",
                budget=length(plan.limits.budget_s),
                needed=length(needed),
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Allow more hours, or use shorter windows or fewer pairs."),
        )


def restarts_of(plan: Plan) -> int:
    """How often an experiment restarts the server at most: before every window, and at its end."""
    return len(plan.steps) + 1 if plan.restart else 0


def level_of(index: int, weights: Sequence[float], spent: Sequence[bool], level: float) -> float:
    """The level of the treatment at `index`; `spent` says of all before whether theirs is gone.

    The fallback procedure over a fixed queue: every treatment has its share of the level, in
    proportion to its weight. One that decides hands its share on to the next, and so does one that
    was never measured, for neither has spent it. What is spent on treatments that do nothing is
    therefore never more than the level in all, so that a campaign finds something where there is
    nothing at most that often, whatever was kept on the way.

    Source: Wiens, B. L. (2003), A fixed sequence Bonferroni procedure for testing multiple
    endpoints.
    """
    shares = [level * weight / sum(weights) for weight in weights]
    carried = 0.0
    for share, gone in zip(shares[:index], spent, strict=False):
        carried = 0.0 if gone else carried + share
    return carried + shares[index]


def least_pairs(level: float, looks: int) -> int:
    """The fewest pairs whose clearest outcome reaches a level.

    A design is drawn from all orders but the two in which every pair begins alike.
    """
    pairs = 2
    while 2 / (2**pairs - 2) > level / max(looks, 1):
        pairs += 1
    return pairs


def excluded_by(candidate: Candidate, winners: Sequence[Candidate]) -> Message:
    """Why a treatment is not tried beside those that stayed; nothing where it is.

    A knob has one value at one place, what other knobs need included; and advice says what
    excludes what.
    """
    wanted = _values(candidate)
    for winner in winners:
        for place, value in _values(winner).items():
            if wanted.get(place, value) != value:
                return Message(
                    "{winner} stayed, and the two contradict each other in {knob}.",
                    winner=str(winner.treatment),
                    knob=place[0],
                )
        if candidate.advice and candidate.advice in winner.excludes:
            return Message("{winner} stayed, which excludes it.", winner=str(winner.treatment))
    return NOTHING


def _values(candidate: Candidate) -> dict[tuple[str, str], str]:
    return {
        (setting.knob, setting.place): setting.value for setting in candidate.treatment.settings
    }


def named(target: Target, tuner: Tuner, text: str, *, asks_for_stop: bool = False) -> Candidate:
    """'KNOB=VALUE', or 'KNOB=VALUE+KNOB=VALUE' for a group.

    `asks_for_stop`: whether the server may be stopped is asked afterwards. Raises KnobError, and
    ChangeError for what cannot be tried.
    """
    treatment = tuner.catalogue.treatment(re.split(r"\+(?!=)", text), target.facts)
    return Candidate(treatment, _needs_restart(tuner, treatment, asks_for_stop=asks_for_stop))


def levels(
    target: Target, tuner: Tuner, ladder: str, *, asks_for_stop: bool = False
) -> list[Candidate]:
    """'nsslapd-threadnumber=4,8,16,32' -> a candidate for each value, in that order."""
    knob, _, values = ladder.partition("=")
    return [
        named(target, tuner, f"{knob}={value.strip()}", asks_for_stop=asks_for_stop)
        for value in values.split(",")
    ]


def advised(
    target: Target, tuner: Tuner, session: Path, *, asks_for_stop: bool = False
) -> list[Candidate]:
    """What the advice of a session can try without a person's steps, the best first.

    Indexes are switched many times in a campaign, so they are tried on test servers only.
    Advice that this server cannot take now, such as an index that the disk has no room for, is left
    out. Raises UsageError where the session is of another server, or backs nothing to try.
    """
    every = _advice(session, target)
    if not every:
        raise UsageError(
            Message("Nothing in {path} asks for a change: there is no advice.", path=str(session)),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Capture the server while it is slow, or name the changes to try yourself."
            ),
        )
    candidates = (
        _of_advice(target, tuner, advice, asks_for_stop=asks_for_stop)
        for advice in every
        if advice.treatment.settings
        and (target.profile.test_server or not is_built(advice.treatment))
    )
    queue = [candidate for candidate in candidates if candidate]
    if not queue:
        raise UsageError(
            Message(
                "A campaign can try none of the advice of {path} on this server.",
                path=str(session),
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Read the findings for what to do by hand, or name the changes to try."),
        )
    return queue


def _of_advice(
    target: Target, tuner: Tuner, advice: Advice, *, asks_for_stop: bool
) -> Candidate | None:
    try:
        treatment = tuner.catalogue.treatment(advice.treatment.settings, target.facts)
        needs_restart = _needs_restart(tuner, treatment, asks_for_stop=asks_for_stop)
    except (KnobError, ChangeError):
        return None
    return Candidate(
        treatment,
        needs_restart,
        _why(advice),
        advice=advice.id,
        excludes=advice.excludes,
    )


def _why(advice: Advice) -> Message:
    """What the advice is, and what came of it when it was tried last."""
    if not advice.tried:
        return advice.title
    return Message("{title}. {tried}", title=advice.title, tried=advice.tried[0])


def _needs_restart(tuner: Tuner, treatment: Treatment, *, asks_for_stop: bool) -> bool:
    planned = tuner.plan(treatment)
    tuner.check_automated(planned, may_stop=tuner.may_stop or asks_for_stop)
    return any(change.needs_restart for change in planned)


def _advice(path: Path, target: Target) -> Sequence[Advice]:
    with Session.open(path) as session:
        if session.facts is None or session.facts.identity != target.facts.identity:
            raise UsageError(
                Message("{path} is not a session of this server.", path=str(path)),
                safe=Message("Nothing was changed."),
                remedy=Message("Capture this server, and take the advice of that session."),
            )
        advice = advise(findings(session), session.facts, settings=settings_now(session))
        return beside_history(advice, target.facts)
