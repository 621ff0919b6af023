"""What to measure after a verdict that left the question open: more pairs, or with a longer wait.

To add pairs to an experiment because of what it showed would be an interim analysis that nobody
planned, and each of those costs some of the level. The further pairs are an experiment of their
own: they follow the same plan in a new order, and their verdict rests on them alone; what was seen
before is said beside it.
"""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.experiment.plan import MINIMUM_PAIRS, SIZES, order
from ldap_workbench.inference.counts.metrics import LEDGER, MATERIAL, SHARES, least_operations
from ldap_workbench.inference.significance.paired import pairs_asked_for
from ldap_workbench.inference.significance.sequential import ALPHA
from ldap_workbench.inference.verdict.wording import effect
from ldap_workbench.model.experiment import Design, Plan
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict

MOST_PAIRS = SIZES["thorough"].pairs
"""A night. Where more are needed, the verdict that follows says again what it takes."""
USUAL_PAIRS = 8
_OPEN = (Judgement.NOT_SETTLED, Judgement.INCONCLUSIVE)
"""An effect that nothing is claimed of may have been on its way as well."""


def further_plan(
    plan: Plan, verdict: Verdict, session: str, *, seed: int = 0, pairs: int | None = None
) -> Plan | None:
    """The plan of more pairs, as many as the planner asks for unless `pairs` says it.

    `session` names the file with the verdict. None where the question is answered, and where more
    pairs by this plan would not answer it: after an effect that had not settled, each of them would
    end too early again, and it is the wait that has to be longer (`with_longer_wait`).
    """
    # Neither one A and one B, a noise floor, nor what has its share of the level of a campaign.
    randomised = plan.design.kind in ("pairs", "abba")
    if not randomised or plan.changes_nothing or plan.level != ALPHA:
        return None
    wanted = _pairs_wanted(verdict)
    if wanted is None or with_longer_wait(plan, verdict) != plan:
        return None
    count = pairs or min(max(wanted, MINIMUM_PAIRS), MOST_PAIRS)
    design = Design("pairs", count)
    if plan.design.kind == "abba":
        design = Design("abba", (count + 1) // 2)
    return replace(
        plan,
        design=design,
        steps=order(design, seed),
        seed=seed,
        looks=tuple(look for look in plan.looks if look <= count),
        earlier=(*plan.earlier, _seen(verdict, session)),
    )


def _pairs_wanted(verdict: Verdict) -> int | None:
    primary, measured = verdict.primary, len(verdict.details.windows) // 2
    if verdict.why or not verdict.comparable or primary.metric not in MATERIAL:
        return None
    match primary.verdict:
        case Judgement.INCONCLUSIVE:
            return pairs_asked_for(primary.takes, primary.metric)
        case Judgement.INSUFFICIENT:
            return USUAL_PAIRS if _too_few(verdict, measured) else _for_enough(primary, measured)
    return None


def _too_few(verdict: Verdict, measured: int) -> bool:
    """Whether pairs are all that was missing: each window has the operations for the metric."""
    primary = verdict.primary
    counted = [row.n for row in verdict.details.windows]
    if primary.type != ALL or primary.metric in LEDGER or not counted:
        return measured < MINIMUM_PAIRS
    return measured < MINIMUM_PAIRS and min(counted) >= least_operations(primary.metric)


def _for_enough(primary: MetricVerdict, measured: int) -> int | None:
    """Of what is counted over all windows, stalls or slow operations, more pairs hold more."""
    if primary.metric not in (*LEDGER, *SHARES):
        return None
    least, counted = (primary.takes.parameters.get(name) for name in ("least", "held"))
    if not isinstance(least, int) or not isinstance(counted, int) or counted >= least:
        return None
    return MOST_PAIRS if counted <= 0 else -(-measured * least // counted)


def _seen(verdict: Verdict, session: str) -> Message:
    return count_of(
        "Measured before in {session}, {n} pair: {judgement}; {effect}. Not counted here: this "
        "verdict rests on its own pairs alone.",
        "Measured before in {session}, {n} pairs: {judgement}; {effect}. Not counted here: this "
        "verdict rests on its own pairs alone.",
        n=len(verdict.details.windows) // 2,
        session=session,
        judgement=Judgement(verdict.primary.verdict).opening,
        effect=effect(verdict.primary),
    )


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
