"""The fields of a canary as a plan."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.campaign.canary import CanaryPlan, make_canary
from ldap_workbench.figures.forms.experiment import MeasurementForm
from ldap_workbench.model import plan_fields
from ldap_workbench.model.knob import Setting, Treatment


@dataclass(frozen=True)
class CanaryForm(MeasurementForm):
    """What the plan page says; a lag of 0 is no limit."""

    profiles: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    blocks: int = plan_fields.BLOCKS.default
    max_lag_s: float = plan_fields.LAG.default
    effect: float = 1.25
    baseline: str = ""

    def plan(self, treatment: Treatment, *, restart: bool) -> CanaryPlan:
        """Raises UsageError where it could find nothing."""
        return make_canary(
            treatment,
            len(self.profiles),
            self.blocks,
            max_lag_s=self.max_lag_s or None,
            restart=restart,
            **self.options(),
        )
