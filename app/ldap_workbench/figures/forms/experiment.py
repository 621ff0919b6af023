"""The stepper's fields as a plan.

The fields of a campaign as a plan. The fields of a canary as a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldap_workbench.campaign.canary import CanaryPlan, make_canary
from ldap_workbench.campaign.plan import CampaignPlan, Candidate, Limits, make_campaign, make_ladder
from ldap_workbench.experiment.description import describe
from ldap_workbench.experiment.guards import LAG_S
from ldap_workbench.experiment.hours import parse_hours
from ldap_workbench.experiment.plan import SIZES, make_plan, parse_design, parse_looks
from ldap_workbench.figures.names import METRICS
from ldap_workbench.model import plan_fields
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Design, Plan, Then
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message, verbatim

DESIGNS = {
    "pairs": Message("Pairs in random order"),
    "abba": Message("Fixed balanced order (A B B A)"),
    "ab": Message("A, then B, with one switch (indicative only)"),
}
PRIMARIES = {"slo": METRICS["slo"]} | METRICS
"""The metrics a verdict can rest on, the usual one first."""
KINDS = {"ALL": Message("All client operations")} | {
    kind: verbatim(kind) for kind in ("SRCH", "BIND", "MOD", "ADD", "DEL", "MODRDN", "CMP")
}
THEN = {
    Then.ASK: Message("Ask me"),
    Then.KEEP_IF_BETTER: Message("Keep it if it is better, else revert"),
    Then.REVERT: Message("Always revert it"),
}


@dataclass(frozen=True)
class MeasurementForm:
    """What every plan has: of an experiment, a campaign or a canary. A limit of 0 is none.

    `kind` is the operation type the primary metric looks at.
    """

    window_s: float = SIZES["standard"].window_s
    settle_s: float = plan_fields.SETTLE.default
    trim_s: float = plan_fields.TRIM.default
    load: str = ""
    primary: str = "slo"
    kind: str = "ALL"
    slo_ms: float = plan_fields.SLO.default
    max_error_percent: float = 0.0
    max_p99_ms: float = plan_fields.P99.default
    then: Then = Then.ASK
    seed: int = 1

    def options(self) -> dict[str, Any]:
        """The fields of a Plan that it fills."""
        guards = {
            "error_share": self.max_error_percent / 100,
            "p99_ns": self.max_p99_ms * plan_fields.NS_PER_MS,
        }
        return {
            "window_s": self.window_s,
            "seed": self.seed,
            "settle_s": self.settle_s,
            "trim_s": self.trim_s,
            "load": self.load.strip(),
            "primary": str(PrimaryMetric(self.primary, self.kind)),
            "slo_ns": round(self.slo_ms * plan_fields.NS_PER_MS),
            "then": self.then,
            "guards": {name: limit for name, limit in guards.items() if limit > 0},
        }


def lag_limit(max_lag_s: float, replicas: Sequence[str]) -> dict[str, float]:
    """The limit of the lag for a plan; none for 0. Raises UsageError for one without a replica."""
    if bool(max_lag_s) != bool(replicas):
        raise UsageError(
            Message("A limit of the lag needs a replica, and a replica needs a limit."),
            remedy=Message("Name the profiles of the other replicas, or set no limit."),
        )
    return {LAG_S: max(max_lag_s, plan_fields.LEAST_LAG_S)} if max_lag_s else {}


@dataclass(frozen=True)
class ExperimentForm(MeasurementForm):
    """What the design page says."""

    design: str = "pairs"
    pairs: int = SIZES["standard"].pairs
    trim_auto: bool = False
    looks: str = ""
    load_on_host: bool = False
    cold: bool = False
    max_repeats: int = plan_fields.REPEATS.default
    reconnect_s: float = plan_fields.PATIENCE.default
    restart_s: float = plan_fields.RESTART_WAIT.default
    max_lag_s: float = plan_fields.LAG.default
    replicas: tuple[str, ...] = ()
    """Profiles of the others, by which the lag is known; no plan has them."""

    @classmethod
    def of(cls, plan: Plan) -> ExperimentForm:
        """The form that makes a plan like this one."""
        blocks = 2 if plan.design.kind == "abba" else 1
        return cls(
            design=plan.design.kind,
            pairs=plan.design.k * blocks,
            window_s=plan.window_s,
            settle_s=plan.settle_s,
            trim_s=plan.trim_s,
            trim_auto=plan.trim_auto,
            looks=", ".join(map(str, plan.looks)),
            load=plan.load,
            load_on_host=plan.load_on_host,
            cold=plan.cold,
            primary=plan.primary_metric.metric,
            kind=plan.primary_metric.type,
            slo_ms=plan.slo_ns / plan_fields.NS_PER_MS,
            max_error_percent=100 * plan.guards.get("error_share", 0.0),
            max_p99_ms=plan.guards.get("p99_ns", 0.0) / plan_fields.NS_PER_MS,
            max_repeats=plan.repeats,
            reconnect_s=plan.patience_s,
            restart_s=plan.restart_wait_s,
            max_lag_s=plan.guards.get(LAG_S, 0.0),
            then=plan.then,
            seed=plan.seed,
        )

    def plan(self, treatment: Treatment, *, restart: bool) -> Plan:
        """The plan with its order drawn. Raises UsageError."""
        options = self.options()
        if self.trim_auto:
            options["trim_s"] = 0.0
        options["guards"] |= lag_limit(self.max_lag_s, self.replicas)
        return make_plan(
            treatment,
            self._design(),
            trim_auto=self.trim_auto,
            looks=parse_looks(self.looks),
            load_on_host=self.load_on_host,
            cold=self.cold,
            repeats=self.max_repeats,
            patience_s=self.reconnect_s,
            restart_wait_s=self.restart_s,
            restart=restart,
            **options,
        )

    def sized(self, name: str) -> ExperimentForm:
        """The same in another size, a key of SIZES."""
        size = SIZES[name]
        return replace(self, design="pairs", pairs=size.pairs, window_s=size.window_s, looks="")

    def size(self) -> str:
        """The size it has; '' where it is none of them."""
        return next((name for name in SIZES if self.sized(name) == self), "")

    def _design(self) -> Design:
        blocks = max(1, self.pairs // 2)
        return Design(self.design, blocks if self.design == "abba" else self.pairs)


def sentences(plan: Plan, clock_rate: float = 1.0) -> list[Message]:
    """What to read before saying yes, without the treatment: the page shows it elsewhere."""
    lines = describe(plan, clock_rate)
    return lines if plan.changes_nothing else lines[1:]


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
