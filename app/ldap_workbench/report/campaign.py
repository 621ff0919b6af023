"""A campaign as a page for a change board: what was tried, what it did, what is kept, how to undo.

HTML without script or anything fetched, or the variant that Qt prints. Names from a server and
texts of a file stand in it as text.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from ldap_workbench.campaign.description import describe
from ldap_workbench.campaign.ladder import rungs, shape
from ldap_workbench.campaign.report import headline, to_markdown
from ldap_workbench.campaign.state import Campaign, Stage
from ldap_workbench.experiment.description import length
from ldap_workbench.figures.formats import amount, ratio, ratio_interval
from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.verdict.campaign_view import TrialRow, trial_rows
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.metric import PrimaryMetric
from ldap_workbench.model.units import format_time
from ldap_workbench.report.change_scripts import ansible_files, dsconf_files, ldif_files
from ldap_workbench.report.html import environment
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
            rows=[_cells(trial) for trial in trial_rows(campaign)],
            levels=[
                (level.treatment, ratio(level.ratio), _between(level.low, level.high))
                for level in levels
            ],
            shape=shape(levels) if levels else NOTHING,
            decided=describe(campaign.plan),
            undo=_undo(campaign),
            scripts=_scripts(campaign),
        )
    )


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


def _cells(row: TrialRow) -> tuple[Message | str, ...]:
    primary = row.primary
    return (
        row.number,
        row.entry.treatment,
        row.state,
        row.verdict,
        ratio(primary.ratio) if primary else NOTHING,
        _between(primary.low, primary.high) if primary else NOTHING,
        amount(primary.p, ".3g") if primary else NOTHING,
        amount(row.entry.level, ".3g") if row.entry.level else NOTHING,
    )


def _undo(campaign: Campaign) -> str:
    """The command, as it is typed; '' where nothing is kept."""
    if not campaign.confirmed or campaign.confirmation is None:
        return ""
    words = ["ldap-workbench", "revert", campaign.profile, str(campaign.confirmation.change)]
    return shlex.join(words)


def _between(low: float | None, high: float | None) -> Message:
    return ratio_interval(low, high)


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
