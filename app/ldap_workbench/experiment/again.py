"""The plan of an experiment that is measured again because it had not settled."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.verdict import Judgement, Verdict

_OPEN = (Judgement.NOT_SETTLED, Judgement.INCONCLUSIVE)
"""An effect that nothing is claimed of may have been on its way as well."""


def longer_wait(verdict: Verdict) -> tuple[float, float] | None:
    """Seconds to wait after each change and to discard; None unless it had not settled."""
    settling = verdict.details.settling
    if verdict.primary.verdict not in _OPEN or settling is None:
        return None
    return None if settling.wait_s is None else (settling.wait_s, settling.trim_s or 0.0)


def with_longer_wait(plan: Plan, verdict: Verdict | None) -> Plan:
    """The plan with the wait and the trim that its verdict asks for; as it is where none does."""
    asked = longer_wait(verdict) if verdict else None
    if asked is None:
        return plan
    wait_s, trim_s = asked
    return replace(
        plan,
        settle_s=max(plan.settle_s, wait_s),
        trim_s=plan.trim_s if plan.trim_auto else max(plan.trim_s, trim_s),
    )
