"""The share of operations that fail, judged as a share over the latency target is.

What fails is quick or slow for reasons of its own: its times say nothing beside those of answers,
so that such a verdict has no etimes of the operations it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ldap_workbench.inference.counts.metrics import FAILED, SLO, known_metric
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.gates import ERROR_LIMIT
from ldap_workbench.inference.design.load import waiting_load
from ldap_workbench.inference.design.selection import ONE_SHOT
from ldap_workbench.inference.significance.paired import TOO_FEW_OVER
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.inference.verdict.question import AUTO, CLOSED, Judged
from ldap_workbench.inference.verdict.wording import describe_design, sentence, unpaired_sentence
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import MetricVerdict, Verdict

COUNTED_NS = NS_PER_S
"""The latency target of windows that count failures: none is taken for a stall, however many."""


def analyse_failures(
    windows: Sequence[WindowCounts],
    failing: Sequence[WindowCounts],
    *,
    primary: str,
    slo_ns: int,
    resolution_ns: int,
    loop: str = AUTO,
    **how: Any,
) -> Verdict:
    """The verdict by the share that fails, with the etimes of the other types.

    `failing` are the same windows, counted with `failures` and a target of COUNTED_NS. `how` are
    further arguments of `analyse`. Raises as it does.
    """
    asked = known_metric(primary)
    seen = waiting_load(windows, of_sessions=how.get("of_sessions", False))
    how |= {"failures": True}
    times = analyse(
        windows,
        primary=str(replace(asked, metric="p50")),
        slo_ns=slo_ns,
        resolution_ns=resolution_ns,
        loop=loop,
        **how,
    )
    share = analyse(
        failing,
        primary=str(replace(asked, metric=SLO)),
        slo_ns=COUNTED_NS,
        loop=CLOSED if loop == AUTO and seen is not None and seen.explained else loop,
        **how,
    )
    first = _renamed(share.primary)
    return replace(
        share,
        primary=first,
        metrics=_only_failures(share.metrics),
        types={kind: _only_failures(judged) for kind, judged in share.types.items()}
        | _of_other_types(times, share, asked),
        sentence=share.sentence if share.why else _sentence(first, share),
        warnings=times.warnings,
        details=replace(
            share.details,
            slo_ns=slo_ns,
            windows=times.details.windows,
            ledger=times.details.ledger,
            long_stalls=times.details.long_stalls,
            shift=times.details.shift,
            clients=times.details.clients,
        ),
    )


def _renamed(metric: MetricVerdict) -> MetricVerdict:
    takes = metric.takes
    if takes.template == TOO_FEW_OVER:
        takes = Message(
            "at least {least} operations that fail; there were {held}", **takes.parameters
        )
    return replace(metric, metric=FAILED, takes=takes)


def _only_failures(judged: Judged) -> Judged:
    return {FAILED: _renamed(judged[SLO])} if SLO in judged else {}


def _of_other_types(times: Verdict, share: Verdict, asked: PrimaryMetric) -> dict[str, Judged]:
    """What the change costs the operations that are not asked about; of all there are no others.

    None of a type that itself fails more often in an arm: fast failures look like speed.
    """
    if asked.of_all:
        return {}
    return {
        kind: judged
        for kind, judged in times.types.items()
        if PrimaryMetric("", kind).operation_type != asked.operation_type
        and _fails_alike(share.types.get(kind, {}).get(SLO))
    }


def _fails_alike(failing: MetricVerdict | None) -> bool:
    if failing is None or failing.a is None or failing.b is None:
        return False
    return abs(failing.a - failing.b) <= ERROR_LIMIT


def _sentence(first: MetricVerdict, share: Verdict) -> Message:
    if share.design.partition(":")[0] == ONE_SHOT:
        return unpaired_sentence(first)
    windows = share.details.windows
    design = describe_design(share.design, len(windows) // 2, windows[0].seconds)
    return sentence(first, {}, design)
