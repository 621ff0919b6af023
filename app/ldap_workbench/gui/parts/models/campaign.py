"""A campaign's queue: what is to be tried, and what came of each."""

from __future__ import annotations

from ldap_workbench.campaign.plan import Candidate
from ldap_workbench.figures.formats import NOT_KNOWN, amount, ratio, ratio_interval
from ldap_workbench.figures.table import Column, always
from ldap_workbench.figures.verdict.campaign_view import TrialRow
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.verdict import Judgement

QUEUE = (
    Column[Candidate](Message("Treatment"), lambda c: str(c.treatment), strong=always),
    Column[Candidate](
        Message("Needs"),
        lambda c: Message("a restart before every window") if c.restart else NOTHING,
    ),
    Column[Candidate](Message("Comes from"), lambda c: c.why or Message("you")),
)


def _good(row: TrialRow) -> bool:
    return row.primary is not None and row.primary.verdict == Judgement.BETTER


def _ratio(row: TrialRow) -> Message:
    return ratio(row.primary.ratio) if row.primary else NOT_KNOWN


def _interval(row: TrialRow) -> Message:
    return ratio_interval(row.primary.low, row.primary.high) if row.primary else NOT_KNOWN


def _p(row: TrialRow) -> Message:
    return amount(row.primary.p, ".3g") if row.primary else NOT_KNOWN


def _level(row: TrialRow) -> Message:
    return amount(row.entry.level, ".3g") if row.entry.level else NOT_KNOWN


TRIALS = (
    Column[TrialRow](Message("No."), lambda r: r.number),
    Column[TrialRow](Message("Treatment"), lambda r: r.entry.treatment, strong=_good),
    Column[TrialRow](Message("State"), lambda r: r.state, tip=lambda r: r.state),
    Column[TrialRow](Message("Verdict"), lambda r: r.verdict, strong=_good),
    Column[TrialRow](verbatim("B / A"), _ratio, number=True),
    Column[TrialRow](Message("Interval"), _interval, number=True),
    Column[TrialRow](verbatim("p"), _p, number=True),
    Column[TrialRow](Message("Tested at p ≤"), _level, number=True),
)
AT_WORK = TRIALS[:5]
"""The same without what only the end is judged by: beside it there are charts."""
