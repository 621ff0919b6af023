"""The fields of a campaign as a plan."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.campaign.plan import CampaignPlan, Candidate, Limits, make_campaign, make_ladder
from ldap_workbench.experiment.hours import parse_hours
from ldap_workbench.experiment.plan import make_plan, parse_design, parse_looks
from ldap_workbench.figures.forms.experiment import MeasurementForm, lag_limit
from ldap_workbench.model import plan_fields
from ldap_workbench.model.knob import Treatment

NO_LIMIT = -1
"""Of restarts."""


@dataclass(frozen=True)
class CampaignForm(MeasurementForm):
    """What the queue page says; a ladder's candidates are levels of one knob."""

    candidates: tuple[Candidate, ...] = ()
    ladder: bool = False
    budget_h: float = 8.0
    restarts: int = NO_LIMIT
    hours: str = ""
    pairs: int = 12
    looks: str = ""
    max_lag_s: float = plan_fields.LAG.default
    replicas: tuple[str, ...] = ()
    """Profiles of the others, by which the lag is known; no plan has them."""

    def plan(self, clock_rate: float) -> CampaignPlan:
        """Raises UsageError where it could find nothing, or does not fit."""
        options = self.options()
        options["guards"] |= lag_limit(self.max_lag_s, self.replicas)
        trial = make_plan(
            Treatment(()),
            parse_design(f"pairs:{self.pairs}"),
            looks=parse_looks(self.looks),
            **options,
        )
        make = make_ladder if self.ladder else make_campaign
        return make(self.candidates, trial, self._limits(), clock_rate)

    def _limits(self) -> Limits:
        hours = parse_hours(self.hours)
        most = None if self.restarts == NO_LIMIT else self.restarts
        return Limits(self.budget_h * 3600, most, str(hours) if hours else "")
