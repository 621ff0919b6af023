"""A balancer that sends more to whoever answers faster: it evens out what a canary would show."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.inference.design.load import FINE
from ldap_workbench.inference.verdict.question import Judged
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement

_NO_DIFFERENCE = (Judgement.EQUIVALENT, Judgement.IMMATERIAL)


def unless_evened_out(metrics: Judged, load: float) -> Judged:
    """The verdicts; none says *no difference* where the canary had another load than its controls.

    `load` is that of the canary over that of its controls.
    """
    if max(load, 1 / load) <= FINE:
        return metrics
    takes = Message(
        "a balancer that sends the canary as much as its controls: it had {ratio:ratio} of their "
        "load, which may even out the difference",
        ratio=load,
    )
    return {
        name: replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)
        if verdict.verdict in _NO_DIFFERENCE
        else verdict
        for name, verdict in metrics.items()
    }
