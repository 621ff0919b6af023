"""The server is held back by the limit of its group, or by what one thread does alone."""

from __future__ import annotations

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import Series
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message

THROTTLED = "cgroup:cpu:throttled"
_THREAD, _TOP = "thread:", ":top"


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return throttled(view) + single_thread(view)


def throttled(view: WindowView) -> list[Finding]:
    """The kernel holds the server's group back at its processor limit."""
    limit, values = limits("cpu_throttled"), view.samples.get(THROTTLED)
    share = _mean(values)
    if share is None or share < limit["percent"]:
        return []
    allowed = series.last(view.samples.get("cgroup:cpu:limit"))
    used = _mean(view.samples.get("cgroup:cpu:used"))
    numbers = {"throttled_percent": round(share, 1), "limit_cpus": allowed, "used_cpus": used}
    return [
        finding(
            "cpu_throttled",
            numbers=numbers,
            evidence=[view.evidence(_on_average(share), THROTTLED)],
            share=share / 100,
            allowed=_allowed(allowed),
        )
    ]


def _allowed(cpus: float | None) -> Message:
    if cpus is None:
        return Message("a limit of a group above it")
    return Message("a limit of {cpus:g} processors", cpus=cpus)


def single_thread(view: WindowView) -> list[Finding]:
    """One thread has a processor for itself while others idle: what it does has no room to grow."""
    limit = limits("single_thread")
    idle = _mean(series.cpu_idle(view.samples))
    cores = view.facts.cores if view.facts else None
    if idle is None or idle < limit["idle_percent"] or not cores or cores < limit["cores"]:
        return []
    findings = []
    for name in view.samples:
        if not (name.startswith(_THREAD) and name.endswith(_TOP)):
            continue
        _, values = view.samples[name]
        if not len(values) or (values >= limit["percent"]).mean() < limit["share_of_time"]:
            continue
        role, busy = name[len(_THREAD) : -len(_TOP)], float(values.mean())
        numbers = {"thread": role, "busy_percent": round(busy, 1), "idle_percent": round(idle, 1)}
        findings.append(
            finding(
                "single_thread",
                numbers=numbers,
                evidence=[view.evidence(_on_average(busy), name)],
                role=role,
                busy=busy / 100,
                idle=idle / 100,
            )
        )
    return findings


def _mean(values: Series | None) -> float | None:
    return series.mean(values) if values is not None and len(values[1]) else None


def _on_average(percent: float) -> Message:
    return Message("{share:percent} of the time on average.", share=percent / 100)
