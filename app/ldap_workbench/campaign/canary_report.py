"""A canary told to a change board: who was the canary when, what it did, what is in force now."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from ldap_workbench.campaign.canary import Canary, Outcome
from ldap_workbench.campaign.canary_description import describe_canary
from ldap_workbench.campaign.report import ratio_of, table, text
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_time
from ldap_workbench.servers.replication import Agreement

_OUTCOMES = {
    Outcome.RUNNING: Message("The canary has not ended."),
    Outcome.KEPT: Message("The change is in force on all replicas."),
    Outcome.REVERTED: Message("The change was reverted: all replicas are as they were before."),
    Outcome.ABORTED: Message("The canary was aborted; what is in force is in the journal."),
}


def outcome_of(canary: Canary) -> Message:
    """What is in force now."""
    if canary.outcome is Outcome.REVERTED:
        reverted = Message("The change was reverted on all replicas.")
        return after_reverts(canary.left_stored, _OUTCOMES[canary.outcome], reverted)
    return _OUTCOMES[canary.outcome]


def write_report(canary: Canary, path: Path) -> None:
    """The page as a file, whole or not at all. Raises SessionError."""
    write_beside(path, to_markdown(canary))


def to_markdown(canary: Canary) -> str:
    """The page, in English."""
    names = [seat.profile for seat in canary.seats]
    verdict = canary.verdict
    lines = ["# Canary on replicas", ""]
    if verdict:
        lines += [text(str(verdict.sentence)), ""]
    lines += [text(str(outcome_of(canary))), "", f"- Began: {format_time(canary.began_ns)}"]
    if canary.why:
        lines += [f"- Reason: {text(str(canary.why))}"]
    lines += [f"- Longest replication lag seen: {canary.largest_lag_s:.1f} s"]
    seats = [[seat.profile, seat.server, seat.session] for seat in canary.seats]
    lines += ["", "## Replicas", "", *table(("Profile", "Server", "Session"), seats)]
    rows = [
        _arrow(seat.profile, agreement) for seat in canary.seats for agreement in seat.agreements
    ]
    if rows:
        headings = ("Replica", "Agreement", "Other server", "Suffix", "Status")
        lines += ["", "## Replication before the start", "", *table(headings, rows)]
    if verdict:
        lines += ["", "## Metrics", "", *_metrics(canary)]
    lines += ["", "## Turns", "", *table(("Window", "Block", "Canary"), _turns(canary, names))]
    lines += ["", "## Undo", "", *_undo(canary)]
    lines += ["", "## How it was decided", ""]
    lines += [f"- {text(str(line))}" for line in describe_canary(canary.plan, names)]
    if verdict:
        noticed = (*verdict.dropped, *verdict.warnings)
        lines += [f"- {text(str(line))}" for line in noticed]
    return "\n".join(lines) + "\n"


def _arrow(profile: str, agreement: Agreement) -> list[str]:
    to = "to" if agreement.outgoing else "from"
    status = agreement.status if agreement.enabled else "disabled"
    return [profile, agreement.name, f"{to} {agreement.address}", agreement.suffix, status]


def _metrics(canary: Canary) -> list[str]:
    assert canary.verdict is not None
    rows = [
        [
            name,
            metric.verdict,
            str(ratio_of(metric)),
            f"{metric.p_adjusted:.3g}" if metric.n_pairs else "",
        ]
        for name, metric in canary.verdict.metrics.items()
    ]
    return table(("Metric", "Verdict", "Ratio canary/controls, interval", "p"), rows)


def _turns(canary: Canary, names: Sequence[str]) -> list[list[str]]:
    done = canary.plan.windows[: len(canary.windows)]
    return [[str(i + 1), str(b + 1), names[replica]] for i, (b, replica) in enumerate(done)]


def _undo(canary: Canary) -> list[str]:
    if canary.outcome is not Outcome.KEPT:
        return ["Nothing is kept: there is nothing to undo."]
    said = [f"Kept: {text(str(canary.plan.treatment))}. To undo it, find its number, then revert:"]
    for seat in canary.seats:
        profile = shlex.quote(seat.profile)
        said += [
            "",
            f"    ldap-workbench journal {profile}",
            f"    ldap-workbench revert {profile} ID",
        ]
    return said
