"""The fields of a campaign as a plan. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.campaign import (
    CampaignPlan,
    Candidate,
    Limits,
    make_campaign,
    make_ladder,
)
from ldap_workbench.experiment import make_plan, parse_design, parse_looks
from ldap_workbench.experiment.hours import parse_hours
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.metric import PrimaryMetric

NO_LIMIT = -1
"""Of restarts."""


@dataclass(frozen=True)
class CampaignForm:
    """What the queue page says; a ladder's candidates are levels of one knob."""

    candidates: tuple[Candidate, ...] = ()
    ladder: bool = False
    budget_h: float = 8.0
    restarts: int = NO_LIMIT
    hours: str = ""
    pairs: int = 12
    window_s: float = 300.0
    settle_s: float = 5.0
    trim_s: float = 0.0
    looks: str = ""
    load: str = ""
    primary: str = "slo"
    kind: str = "ALL"
    slo_ms: float = 100.0
    max_error_percent: float = 0.0
    seed: int = 1

    def plan(self, clock_rate: float) -> CampaignPlan:
        """Raises UsageError where it could find nothing, or does not fit."""
        share = self.max_error_percent / 100
        trial = make_plan(
            Treatment(()),
            parse_design(f"pairs:{self.pairs}"),
            window_s=self.window_s,
            seed=self.seed,
            settle_s=self.settle_s,
            trim_s=self.trim_s,
            looks=parse_looks(self.looks),
            load=self.load.strip(),
            primary=str(PrimaryMetric(self.primary, self.kind)),
            slo_ns=round(self.slo_ms * 1e6),
            then=Then.REVERT,
            guards={"error_share": share} if share else {},
        )
        make = make_ladder if self.ladder else make_campaign
        return make(self.candidates, trial, self._limits(), clock_rate)

    def _limits(self) -> Limits:
        hours = parse_hours(self.hours)
        most = None if self.restarts == NO_LIMIT else self.restarts
        return Limits(self.budget_h * 3600, most, str(hours) if hours else "")
