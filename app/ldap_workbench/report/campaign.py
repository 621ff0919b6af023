"""A campaign or a canary as a page for a change board: what was tried, what is kept, how to undo.

Markdown, or HTML without script or anything fetched, or the variant that Qt prints. Names from a
server and texts of a file stand in it as text.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from ldap_workbench.campaign.canary import Canary, Outcome
from ldap_workbench.campaign.canary_description import describe_canary, outcome_of
from ldap_workbench.campaign.description import describe, headline
from ldap_workbench.campaign.ladder import rungs, shape
from ldap_workbench.campaign.state import Campaign, Stage
from ldap_workbench.connect.folders import write_beside
from ldap_workbench.experiment.description import length
from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.table import texts
from ldap_workbench.figures.verdict.campaign_view import LEVELS, TRIALS, trial_rows
from ldap_workbench.figures.verdict.canary_view import AGREEMENTS, SEATS, TURNS, turns_of
from ldap_workbench.figures.verdict.view import COLUMNS as METRICS
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import format_time
from ldap_workbench.model.visible import one_line
from ldap_workbench.report.change_scripts import ansible_files, dsconf_files, ldif_files
from ldap_workbench.report.html import environment
from ldap_workbench.report.text import bullets, markdown, paragraphs, table_markdown
from ldap_workbench.report.write import RenderPdf, write_page
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session


def campaign_html(campaign: Campaign, *, for_print: bool = False) -> str:
    """The whole document; the change in it is read from the session of the confirmation."""
    style = resource("report/print.css" if for_print else "report/report.css")
    levels = rungs(campaign) if campaign.plan.rounds else []
    return (
        environment()
        .get_template("campaign.html.j2")
        .render(
            campaign=campaign,
            for_print=for_print,
            style=Markup(style.read_text("utf-8")),  # noqa: S704 - our own file
            headline=headline(campaign),
            tone="better" if campaign.confirmed else "",
            facts=_facts(campaign),
            trial_columns=TRIALS,
            trials=trial_rows(campaign),
            level_columns=LEVELS,
            levels=levels,
            shape=shape(levels) if levels else NOTHING,
            decided=describe(campaign.plan),
            undo=_undo(campaign),
            scripts=_scripts(campaign),
        )
    )


def to_markdown(campaign: Campaign) -> str:
    """The page as Markdown, in English."""
    levels = rungs(campaign) if campaign.plan.rounds else []
    parts = [
        "# Tuning campaign",
        markdown(str(headline(campaign))),
        bullets(f"{name}: {value}" for name, value in _facts(campaign)),
        "## What was tried",
        table_markdown(texts(TRIALS, trial_rows(campaign))),
    ]
    if campaign.plan.rounds:
        parts += ["## Levels", table_markdown(texts(LEVELS, levels)), markdown(str(shape(levels)))]
    parts.append("## Keeping and undoing")
    if campaign.confirmed and campaign.confirmation is not None:
        session = shlex.quote(one_line(campaign.confirmation.session))
        parts += [
            f"Kept: {markdown(campaign.confirmation.treatment)}. To undo it exactly:",
            f"    {_undo(campaign)}",
            "The same as LDIF, to make and to undo it by other tools:",
            f"    ldap-workbench export {session} --ldif DIR",
        ]
    else:
        parts.append("Nothing is kept: there is nothing to undo.")
    parts += ["## How it was decided", bullets(describe(campaign.plan))]
    return paragraphs(parts)


def canary_markdown(canary: Canary) -> str:
    """A canary for a change board, as Markdown: whose turn it was when, what it did, what is kept.

    In English.
    """
    names = [seat.profile for seat in canary.seats]
    verdict = canary.verdict
    facts = [f"Began: {format_time(canary.began_ns)}"]
    if canary.why:
        facts.append(f"Reason: {canary.why}")
    facts.append(f"Longest replication lag seen: {canary.largest_lag_s:.1f} s")
    parts = [
        "# Canary on replicas",
        markdown(str(verdict.sentence)) if verdict else "",
        markdown(str(outcome_of(canary))),
        bullets(facts),
        "## Replicas",
        table_markdown(texts(SEATS, canary.seats)),
    ]
    agreements = [(seat.profile, one) for seat in canary.seats for one in seat.agreements]
    if agreements:
        parts += ["## Replication before the start", table_markdown(texts(AGREEMENTS, agreements))]
    if verdict:
        parts += ["## Metrics", table_markdown(texts(METRICS, list(verdict.metrics.values())))]
    parts += ["## Turns", table_markdown(texts(TURNS, turns_of(canary)))]
    parts += ["## Undo", *_undo_on_replicas(canary)]
    noticed = (*verdict.dropped, *verdict.warnings) if verdict else ()
    parts += ["## How it was decided", bullets([*describe_canary(canary.plan, names), *noticed])]
    return paragraphs(parts)


def _undo_on_replicas(canary: Canary) -> list[str]:
    if canary.outcome is not Outcome.KEPT:
        return ["Nothing is kept: there is nothing to undo."]
    treatment = markdown(str(canary.plan.treatment))
    lines = [f"Kept: {treatment}. To undo it, find its number, then revert:"]
    for seat in canary.seats:
        profile = shlex.quote(seat.profile)
        lines.append(
            f"    ldap-workbench journal {profile}\n    ldap-workbench revert {profile} ID"
        )
    return lines


def write_canary_report(canary: Canary, path: Path) -> None:
    """Write the page as a file, whole or not at all. Raises SessionError."""
    write_beside(path, canary_markdown(canary))


def write_campaign_report(campaign: Campaign, out: Path, render_pdf: RenderPdf | None) -> Path:
    """Write OUT.html, OUT.md or OUT.pdf. Raises UsageError, SessionError."""
    return write_page(
        out,
        markdown=lambda: to_markdown(campaign),
        html=lambda for_print: campaign_html(campaign, for_print=for_print),
        render_pdf=render_pdf,
    )


def _facts(campaign: Campaign) -> list[tuple[str, Message | str]]:
    primary = PrimaryMetric.parse(campaign.plan.trial.primary)
    return [
        ("Server", campaign.server),
        ("Profile", campaign.profile),
        ("Began", f"{format_time(campaign.began_ns)[:19]} UTC"),
        ("Measured for", length(campaign.spent_s)),
        ("Judged by", metric_name(primary.metric, primary.type)),
    ]


def _undo(campaign: Campaign) -> str:
    """The command, as it is typed; '' where nothing is kept."""
    if not campaign.confirmed or campaign.confirmation is None:
        return ""
    words = ["ldap-workbench", "revert", campaign.profile, str(campaign.confirmation.change)]
    return shlex.join(words)


def _scripts(campaign: Campaign) -> Sequence[tuple[str, str]]:
    """The change in the words of other tools, by file name; nothing where nothing is kept."""
    confirmation = campaign.confirmation
    if not campaign.confirmed or confirmation is None or campaign.stage is not Stage.DONE:
        return []
    try:
        with Session.open(confirmation.session) as session:
            files = ldif_files(session) | dsconf_files(session) | ansible_files(session)
    except WorkbenchError as error:
        return [(confirmation.session, str(error.explanation))]
    return list(files.items())
