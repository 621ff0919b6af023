"""A campaign told to a change board: what was tried, what it did, what is kept, how to undo it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ldap_workbench.campaign.description import describe
from ldap_workbench.campaign.ladder import no_level, not_ranked, rungs, shape
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.history import Tried
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.units import format_time
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.model.visible import one_line

_HEADINGS = ("Treatment", "Verdict", "Ratio B/A, interval", "p", "Tested at", "Outcome")


def headline(campaign: Campaign) -> Message:
    """The one result of a campaign: what the confirmation on fresh windows found."""
    confirmation, server = campaign.confirmation, after_reverts(campaign.left_stored)
    if not campaign.ended:
        return Message("The campaign has not ended.")
    if campaign.stage is Stage.STOPPED:
        return sentences(Message("The campaign was stopped."), server)
    unranked = not_ranked(campaign.entries) if campaign.plan.rounds else NOTHING
    if confirmation is None:
        nothing = Message("Nothing in the queue was better.")
        if campaign.plan.rounds:
            nothing = no_level(campaign.entries)
        return sentences(nothing, unranked, server)
    verdict = confirmation.verdict
    if confirmation.fate is not Fate.KEPT or verdict is None or verdict.ratio is None:
        not_confirmed = Message(
            "What stayed was not confirmed on fresh windows: {verdict}. Everything was reverted.",
            verdict=Judgement.named(verdict.verdict) if verdict else confirmation.why,
        )
        return sentences(not_confirmed, unranked, server)
    confirmed = Message(
        "Confirmed on fresh windows: {treatment}, {metric} {ratio}. It is kept.",
        treatment=confirmation.treatment,
        metric=verdict.metric,
        ratio=ratio_of(verdict),
    )
    return sentences(confirmed, unranked) if unranked else confirmed


def ratio_of(verdict: MetricVerdict | Tried | None) -> Message:
    """B against A with its interval, as far as both are known."""
    if verdict is None or verdict.ratio is None:
        return NOTHING
    if verdict.low is None or verdict.high is None:
        return Message("{ratio:ratio}", ratio=verdict.ratio)
    return Message(
        "{ratio:ratio} ({low:ratio} to {high:ratio})",
        ratio=verdict.ratio,
        low=verdict.low,
        high=verdict.high,
    )


def to_markdown(campaign: Campaign) -> str:
    """The page, in English. Names from the server or a file stand in it as text."""
    lines = ["# Tuning campaign", "", text(str(headline(campaign))), ""]
    lines += [
        f"- Server: {text(campaign.server)}",
        f"- Began: {format_time(campaign.began_ns)} UTC",
        f"- Metric: {text(campaign.plan.trial.primary)}",
        "",
        "## What was tried",
        "",
        *table(_HEADINGS, [_row(entry) for entry in campaign.entries]),
    ]
    if campaign.plan.rounds:
        lines += ["", "## Levels", "", *_ladder(campaign)]
    if campaign.confirmation:
        lines += ["", "## Confirmation", "", *table(_HEADINGS, [_row(campaign.confirmation)])]
    lines += ["", "## Keeping and undoing", "", *_undo(campaign)]
    lines += ["", "## How it was decided", ""]
    lines += [f"- {text(str(line))}" for line in describe(campaign.plan)]
    return "\n".join(lines) + "\n"


def _ladder(campaign: Campaign) -> list[str]:
    """The levels in their order, each with the interval of its last round."""
    levels = rungs(campaign)
    rows = [
        [
            level.treatment,
            str(Message("{ratio:ratio}", ratio=level.ratio)),
            str(Message("{low:ratio} to {high:ratio}", low=level.low, high=level.high)),
        ]
        for level in levels
    ]
    seen = str(shape(levels))
    return [*table(("Level", "Ratio B/A", "Interval"), rows), *(["", text(seen)] if seen else [])]


def _undo(campaign: Campaign) -> list[str]:
    if not campaign.confirmed:
        return ["Nothing is kept: there is nothing to undo."]
    assert campaign.confirmation is not None
    confirmation = campaign.confirmation
    return [
        f"Kept: {text(confirmation.treatment)}. To undo it exactly:",
        "",
        f"    ldap-workbench revert {shlex.quote(campaign.profile)} {confirmation.change}",
        "",
        "The same as LDIF, to make and to undo it by other tools:",
        "",
        f"    ldap-workbench export {shlex.quote(one_line(confirmation.session))} --ldif DIR",
    ]


def _row(entry: Entry) -> list[str]:
    verdict = entry.verdict
    return [
        entry.treatment,
        verdict.verdict if verdict else "",
        str(ratio_of(verdict)),
        f"{verdict.p:.3g}" if verdict else "",
        f"{entry.level:.3g}" if entry.level else "",
        f"{entry.fate.value}: {entry.why}" if entry.why else entry.fate.value,
    ]


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table of Markdown."""
    lines = [f"| {' | '.join(headings)} |", "|" + "---|" * len(headings)]
    return lines + [f"| {' | '.join(text(cell) for cell in row)} |" for row in rows]


def text(cell: str) -> str:
    """As text of Markdown: nothing in it begins a cell, a link or HTML."""
    shown = one_line(cell)
    for sign in "\\|<>[]*_`":
        shown = shown.replace(sign, "\\" + sign)
    return shown
