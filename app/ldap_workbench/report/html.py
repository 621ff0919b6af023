"""A report as one self-contained HTML file: no script, nothing fetched, charts inline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ldap_workbench.figures import formats
from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.verdict.pairs import PairsPart
from ldap_workbench.figures.verdict.view import metrics_of
from ldap_workbench.model.message import Message
from ldap_workbench.model.visible import printable
from ldap_workbench.model.window import Mark
from ldap_workbench.report import tables
from ldap_workbench.report.charts import (
    beyond_chart,
    bucket_chart,
    shift_chart,
    slower_chart,
    tails_chart,
)
from ldap_workbench.report.pair_charts import ladder_chart, pairs_chart
from ldap_workbench.report.parts import GroupPart, ReportModel
from ldap_workbench.report.strip_charts import strips_chart
from ldap_workbench.report.summary import experiment_summaries, where_the_time_went, worst_findings
from ldap_workbench.report.text import short
from ldap_workbench.resources import resource


def to_html(model: ReportModel, *, for_print: bool = False) -> str:
    """The whole document.

    `for_print` takes a style that readers of a part of HTML only (Qt's rich text) understand.
    """
    style = resource("report/print.css" if for_print else "report/report.css")
    template = environment().get_template("report.html.j2")
    return template.render(
        model=model,
        for_print=for_print,
        summaries=[
            {"told": summary, "picture": _svg(summary.picture)}
            for summary in experiment_summaries(model)
        ],
        times=where_the_time_went(model),
        worst=worst_findings(model),
        groups=[_group(group, model.marks) for group in model.groups],
        changes=tables.change_rows(model.changes),
        findings=tables.finding_rows(model.findings),
        advice=tables.advice_rows(model.advice),
        style=Markup(style.read_text("utf-8")),  # noqa: S704 - our own file
    )


@cache
def environment() -> Environment:
    """Of all HTML templates: whatever is put in is escaped, and shows what cannot be seen."""
    made = Environment(
        loader=FileSystemLoader(resource("report")),
        autoescape=True,
        finalize=_harmless,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["short"] = short
    made.filters["clock"] = formats.clock
    return made


def _harmless(value: object) -> object:
    """What every expression of the template goes through before it is escaped."""
    if value is None:
        return formats.DASH
    if isinstance(value, Message):
        value = str(value)
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value)
    return value


def _group(group: GroupPart, marks: Sequence[Mark]) -> dict[str, Any]:
    experiment = group.experiment
    verdict = experiment.verdict if experiment else None
    pairs = experiment.pairs if experiment else ()
    rows = tables.group_tables(group)
    for probe, picture in zip(rows["probes"], group.probes, strict=True):
        probe |= {"buckets": _svg(bucket_chart(picture)), "beyond": _svg(beyond_chart(picture))}
    return {
        **rows,
        "pair_charts": [_pairs(part, index == 0) for index, part in enumerate(pairs)],
        "ladder": _svg(ladder_chart(metrics_of(verdict) if verdict else [])),
        **_tail_charts(group),
        "strips_chart": _svg(strips_chart(group, marks)),
    }


def _pairs(part: PairsPart, first: bool) -> dict[str, Any]:
    name = str(metric_name(part.metric, part.type))
    text = "One row per pair: this is all the test sees. Where B is left of A, B is better."
    return {
        "svg": _svg(pairs_chart(part)),
        "title": f"Pair by pair: {name}.",
        "text": text if first else "",
    }


def _tail_charts(group: GroupPart) -> dict[str, Any]:
    pooled = [arm.curve for arm in group.arms]
    windows = [part.curve for part in group.windows] if len(group.windows) > 1 else []
    shift = group.experiment.shift if group.experiment else None
    of_type = _svg(tails_chart(group.type_curves, (), group.slo_ns))
    title = f"The same for {group.primary_type}, on which the verdict rests."
    return {
        "type_charts": [{"svg": of_type, "title": title}] if group.type_curves else [],
        "tails_chart": _svg(tails_chart(pooled, windows, group.slo_ns)),
        "slower_chart": _svg(slower_chart([arm.shape for arm in group.arms], group.slo_ns)),
        "shift_chart": _svg(shift_chart(shift) if shift else ""),
    }


def _svg(text: str) -> Markup:
    # Sheet escapes every word and attribute itself.
    return Markup(text)  # noqa: S704
