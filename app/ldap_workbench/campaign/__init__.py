"""From one experiment to the answer: a queue of treatments, tried one after the other on a server.

In come a connected Target, a Tuner and a CampaignPlan. A treatment that is better stays and is the
next one's baseline; all others are reverted. In the end the settings that stayed are measured once
more, all together, against the server as it was at the start: only that is the headline, and where
it fails everything is reverted. Every state is durable before it is acted upon.
"""

from ldap_workbench.campaign.description import describe
from ldap_workbench.campaign.plan import (
    CampaignPlan,
    Candidate,
    Limits,
    make_campaign,
    make_ladder,
)
from ldap_workbench.campaign.report import headline
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage, stored_campaign

__all__ = [
    "Campaign",
    "CampaignPlan",
    "CampaignRun",
    "Candidate",
    "Entry",
    "Fate",
    "Limits",
    "Stage",
    "describe",
    "headline",
    "make_campaign",
    "make_ladder",
    "stored_campaign",
]
