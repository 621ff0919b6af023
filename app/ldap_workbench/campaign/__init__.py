"""From one experiment to the answer: a queue of treatments, tried one after the other on a server.

In come a connected Target, a Tuner and a CampaignPlan. A treatment that is better stays and is the
next one's baseline; all others are reverted. In the end the settings that stayed are measured once
more, all together, against the server as it was at the start: only that is the headline, and where
it fails everything is reverted. Every state is durable before it is acted upon.

A canary is one treatment on several replicas: each has its turn beside the others, which are its
controls in the same windows.
"""

from ldap_workbench.campaign.begin import new_campaign, refuse_existing, resumable
from ldap_workbench.campaign.canary import (
    Canary,
    CanaryPlan,
    Outcome,
    Seat,
    make_canary,
    session_paths,
    stored_canaries,
    stored_canary,
)
from ldap_workbench.campaign.canary_begin import (
    Survey,
    Surveyed,
    connected_replicas,
    new_canary,
    refuse_existing_canary,
    refuse_other_servers,
    resumable_canary,
    survey,
)
from ldap_workbench.campaign.canary_description import (
    canary_restarts_ahead,
    describe_canary,
    foresee_canary,
)
from ldap_workbench.campaign.canary_run import CanaryRun
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
from ldap_workbench.campaign.side_by_side import Beside, capture_side_by_side
from ldap_workbench.campaign.state import (
    Campaign,
    Entry,
    Fate,
    Stage,
    stored_campaign,
    stored_campaigns,
)

__all__ = [
    "Beside",
    "Campaign",
    "CampaignPlan",
    "CampaignRun",
    "Canary",
    "CanaryPlan",
    "CanaryRun",
    "Candidate",
    "Entry",
    "Fate",
    "Limits",
    "Outcome",
    "Seat",
    "Stage",
    "Survey",
    "Surveyed",
    "canary_restarts_ahead",
    "capture_side_by_side",
    "connected_replicas",
    "describe",
    "describe_canary",
    "foresee_canary",
    "headline",
    "make_campaign",
    "make_canary",
    "make_ladder",
    "new_campaign",
    "new_canary",
    "refuse_existing",
    "refuse_existing_canary",
    "refuse_other_servers",
    "resumable",
    "resumable_canary",
    "session_paths",
    "stored_campaign",
    "stored_campaigns",
    "stored_canaries",
    "stored_canary",
    "survey",
]
