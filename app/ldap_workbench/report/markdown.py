"""A report as Markdown: the same words and numbers without the charts, for a ticket or a wiki."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ldap_workbench.figures import formats
from ldap_workbench.figures.verdict.ledger import ledger_rows
from ldap_workbench.figures.verdict.view import metrics_of
from ldap_workbench.report import tables
from ldap_workbench.report.parts import GroupPart, ReportModel
from ldap_workbench.report.summary import where_the_time_went
from ldap_workbench.report.text import fence, markdown, short
from ldap_workbench.resources import resource


def to_markdown(model: ReportModel) -> str:
    """The whole document, in CommonMark with GitHub's tables."""
    template = _environment().get_template("report.md.j2")
    text = template.render(
        model=model,
        groups=[_group(group) for group in model.groups],
        times=where_the_time_went(model),
        changes=tables.change_rows(model.changes),
        findings=tables.finding_rows(model.findings),
        advice=tables.advice_rows(model.advice),
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - Markdown: every text goes through `line` or `fence`
        loader=FileSystemLoader(resource("report")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"line": _line, "fence": fence, "clock": formats.clock}
    return environment


def _line(value: object) -> str:
    text = formats.DASH if value in (None, "") else str(value)
    return markdown(short(text, 600))


def _group(group: GroupPart) -> dict[str, object]:
    experiment = group.experiment
    verdict = experiment.verdict if experiment else None
    plan = tables.plan_facts(experiment) if experiment else []
    return {
        "part": group,
        "verdict": tables.verdict_words(verdict) if verdict else None,
        "plan": plan,
        "metrics": tables.metric_rows(metrics_of(verdict)) if verdict else [],
        "interval": tables.interval_heading(verdict),
        "ledger": ledger_rows(experiment.ledger) if experiment else None,
        "arm_tails": tables.arm_tails(group),
        "slowest": tables.slowest_rows(group.slowest),
        "sources": tables.source_totals(group),
        "window_sources": tables.source_rows(group),
        "window_tails": tables.window_tails(group),
        "host": tables.host_rows(group),
        "client": tables.client_rows(group),
        "stacks": tables.stack_rows(group),
        "probes": tables.probe_rows(group),
    }
