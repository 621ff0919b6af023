"""The fields of a canary as a plan. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.campaign import CanaryPlan, make_canary
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.metric import PrimaryMetric

THEN = (Then.ASK, Then.KEEP_IF_BETTER, Then.REVERT)


@dataclass(frozen=True)
class CanaryForm:
    """What the plan page says; 0 is no limit."""

    profiles: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    blocks: int = 8
    window_s: float = 300.0
    settle_s: float = 5.0
    trim_s: float = 0.0
    load: str = ""
    primary: str = "slo"
    kind: str = "ALL"
    slo_ms: float = 100.0
    max_error_percent: float = 0.0
    max_p99_ms: float = 0.0
    max_lag_s: float = 0.0
    effect: float = 1.25
    baseline: str = ""
    then: Then = Then.ASK
    seed: int = 1

    def plan(self, treatment: Treatment, *, restart: bool) -> CanaryPlan:
        """Raises UsageError where it could find nothing."""
        guards = {}
        if self.max_error_percent:
            guards["error_share"] = self.max_error_percent / 100
        if self.max_p99_ms:
            guards["p99_ns"] = self.max_p99_ms * 1e6
        return make_canary(
            treatment,
            len(self.profiles),
            self.blocks,
            seed=self.seed,
            max_lag_s=self.max_lag_s or None,
            window_s=self.window_s,
            settle_s=self.settle_s,
            trim_s=self.trim_s,
            load=self.load.strip(),
            primary=str(PrimaryMetric(self.primary, self.kind)),
            slo_ns=round(self.slo_ms * 1e6),
            then=self.then,
            guards=guards,
            restart=restart,
        )
