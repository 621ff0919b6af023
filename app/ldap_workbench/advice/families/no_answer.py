"""A server that did not answer the workbench within the window: stopped, stuck, or out of reach."""

from __future__ import annotations

from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind

_OF_HOST = ("psi:", "iostat:", "cpu:")
"""Series that the host still reports while the server is silent."""
_MOST = 20
_LINES = 3


def find(view: WindowView) -> list[Finding]:
    """The times without an answer, and what the host and the error log show of them."""
    monitors = [source for source in view.sources if source.kind is SourceKind.MONITOR]
    outages = sorted(span for source in monitors for span in source.outages)
    if not outages:
        return []
    silent_ns = sum(end - start for start, end in outages)
    start, end = max(outages, key=lambda span: span[1] - span[0])
    return [
        finding(
            "no_answer",
            numbers={"outages": len(outages), "silent_s": silent_ns / NS_PER_S},
            evidence=_evidence(view, outages),
            start=start,
            end=end,
            host=_stuck(monitors) or _host(view, start, end),
        )
    ]


def _stuck(monitors: list[Source]) -> Message:
    """A server that took the connection and did not answer before the window, either."""
    waited_s = max((source.details.get("no_worker_s") or 0 for source in monitors), default=0)
    if not waited_s:
        return NOTHING
    return Message(
        "It took the connection, but no free worker answered for {seconds} s.", seconds=waited_s
    )


def _host(view: WindowView, start_ns: int, end_ns: int) -> Message:
    """Whether the host was reached meanwhile: then it is the server, not the way to it."""
    names = [name for name in view.samples if name.startswith(_OF_HOST)]
    if any(((view.samples[n][0] > start_ns) & (view.samples[n][0] < end_ns)).any() for n in names):
        return Message("Its host answered meanwhile: the server itself was stopped or stuck.")
    return Message("Its host was not heard of either: the network or the host may be the cause.")


def _evidence(view: WindowView, outages: list[tuple[int, int]]) -> list[Evidence]:
    spans = [
        Evidence(
            Message("No answer from {start:time} to {end:time}.", start=start, end=end), start, end
        )
        for start, end in outages[:_MOST]
    ]
    first, last = outages[0][0] - NS_PER_S, outages[-1][1] + NS_PER_S
    lines = [line for line in view.errors if first <= line.time_ns <= last]
    return spans + [Evidence(verbatim(e.text), e.time_ns, e.time_ns) for e in lines[:_LINES]]
