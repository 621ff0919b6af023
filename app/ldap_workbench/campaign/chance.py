"""What the experiments of a campaign can find, judged by windows without a change."""

from __future__ import annotations

from ldap_workbench.campaign.levels import level_of
from ldap_workbench.campaign.plan import CampaignPlan
from ldap_workbench.experiment.foresight import Foresight
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session


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
