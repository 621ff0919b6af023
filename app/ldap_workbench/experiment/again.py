"""The plan of an experiment that is measured again because it had not settled."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.verdict import Judgement, Verdict


def with_longer_wait(plan: Plan, verdict: Verdict | None) -> Plan:
    """The plan with the wait and the trim that its verdict asks for; as it is where none does."""
    settling = verdict.details.settling if verdict else None
    if verdict is None or verdict.primary.verdict != Judgement.NOT_SETTLED:
        return plan
    if settling is None or settling.wait_s is None:
        return plan
    trim_s = plan.trim_s if plan.trim_auto else max(plan.trim_s, settling.trim_s or 0.0)
    return replace(plan, settle_s=max(plan.settle_s, settling.wait_s), trim_s=trim_s)
