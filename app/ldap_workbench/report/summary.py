"""Page one of a report: what the change did, in one line and one picture, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.advice.families.find import group_findings
from ldap_workbench.figures.overview.findings import FIRST_SHOWN, cost_of
from ldap_workbench.figures.verdict.view import ArmBar, BeforeAfter, before_after
from ldap_workbench.inference.verdict.headline import headline
from ldap_workbench.model.finding import Finding
from ldap_workbench.report import words
from ldap_workbench.report.parts import ExperimentPart, ReportModel, SettingPart
from ldap_workbench.report.svg import Sheet

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 760, 150, 170, 52, 24
_TOP, _FOOT = 14, 26
_WINDOWS = 3
"""Windows whose time is accounted for on page one; `ldap-workbench account` has all."""


@dataclass(frozen=True)
class ExperimentSummary:
    """One experiment in brief, for a reader who stops there."""

    headline: str
    tone: str
    picture: str
    settings: tuple[SettingPart, ...]
    state: str


def experiment_summaries(model: ReportModel) -> list[ExperimentSummary]:
    """One for each experiment that changed something."""
    parts = (group.experiment for group in model.groups)
    return [_of(part) for part in parts if part and not part.experiment.plan.changes_nothing]


def worst_findings(model: ReportModel) -> list[str]:
    """What costs most, for a session that tested nothing."""
    groups = group_findings(model.findings)[:FIRST_SHOWN]
    return [" ".join(filter(None, (f"{group.lead.title}.", _cost(group.lead)))) for group in groups]


def where_the_time_went(model: ReportModel) -> list[str]:
    """What users waited in the first windows, what explains it, and what was not judged.

    For a session that tested nothing: of an experiment the verdict comes first.
    """
    if experiment_summaries(model):
        return []
    return [
        f"{summary.window.name}: {' '.join(map(str, summary.sentences()))}"
        for summary in model.times[:_WINDOWS]
    ]


def _cost(finding: Finding) -> str:
    return str(cost_of(finding)) if finding.cost_s_per_h is not None else ""


def _of(part: ExperimentPart) -> ExperimentSummary:
    if (verdict := part.verdict) is None:
        nothing = "The session holds no verdict for this experiment."
        return ExperimentSummary(nothing, "open", "", part.settings, part.state)
    bars = before_after(verdict)
    return ExperimentSummary(
        str(headline(verdict.primary)),
        words.tone(verdict.primary.verdict),
        before_after_chart(bars) if bars else "",
        part.settings,
        part.state,
    )


def before_after_chart(bars: BeforeAfter) -> str:
    """Two bars from zero with their values, the interval of B, and the single windows as dots."""
    sheet = Sheet(_WIDTH, _TOP + 2 * _ROW + _FOOT, _says(bars))
    longest = max(bar.highest for bar in bars.bars)
    scale = (_WIDTH - _LEFT - _RIGHT) / longest
    for row, bar in enumerate(bars.bars):
        _draw(sheet, bar, _TOP + row * _ROW, scale)
    sheet.line((_LEFT, _TOP - 6), (_LEFT, _TOP + 2 * _ROW - 6), "axis")
    sheet.legend(_LEFT, sheet.height - 8, _legend(bars))
    return sheet.svg()


def _draw(sheet: Sheet, bar: ArmBar, y: float, scale: float) -> None:
    sheet.word((_LEFT - 10, y + _BAR / 2 + 4), str(bar.label), anchor="end")
    sheet.box(_LEFT, y, bar.value * scale, _BAR, f"bar-{bar.arm.lower()}")
    for value in bar.windows:
        sheet.dot((_LEFT + value * scale, y + _BAR + 8), "faint", size=2.2)
    end = _LEFT + bar.value * scale
    if bar.low is not None and bar.high is not None:
        low, high, middle = _LEFT + bar.low * scale, _LEFT + bar.high * scale, y + _BAR / 2
        sheet.line((low, middle), (high, middle), "interval")
        for x in (low, high):
            sheet.line((x, middle - 6), (x, middle + 6), "interval")
        end = max(end, high)
    sheet.word((end + 8, y + _BAR / 2 + 4), str(bar.text), look="strong")


def _legend(bars: BeforeAfter) -> Sequence[tuple[str, str]]:
    entries = []
    if bars.b.low is not None:
        entries.append(("interval", "95 % interval of B against A"))
    if any(bar.windows for bar in bars.bars):
        entries.append(("thin-n", "dots: single windows"))
    return entries


def _says(bars: BeforeAfter) -> str:
    return f"{bars.metric}: {bars.a.text} before, {bars.b.text} after the change."
