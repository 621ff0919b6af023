"""A campaign as tables show it: what was tried, what became of it, what it did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ldap_workbench.campaign.description import ends_at, remaining_s
from ldap_workbench.campaign.ladder import Rung
from ldap_workbench.campaign.plan import Candidate
from ldap_workbench.campaign.state import Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.description import length
from ldap_workbench.figures.formats import NOT_KNOWN, amount, ratio, ratio_interval
from ldap_workbench.figures.table import Column, always, quantity
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import format_time
from ldap_workbench.model.verdict import Judgement, MetricVerdict

FATES = {
    Fate.WAITING: Message("waiting"),
    Fate.RUNNING: Message("running"),
    Fate.KEPT: Message("kept"),
    Fate.REVERTED: Message("reverted"),
    Fate.ABORTED: Message("aborted"),
    Fate.CHOSEN: Message("chosen"),
    Fate.DROPPED: Message("dropped"),
}
_STOPPED = {
    Fate.WAITING: Message("not tried"),
    Fate.RUNNING: Message("stopped and reverted"),
    Fate.KEPT: Message("kept, then reverted"),
}
_STAGES = {
    Stage.TRYING: Message("not finished: can be resumed"),
    Stage.CLEARING: Message("not finished: can be resumed"),
    Stage.CONFIRMING: Message("not finished: can be resumed"),
    Stage.STOPPED: Message("stopped and reverted"),
}


@dataclass(frozen=True)
class TrialRow:
    """One experiment of a campaign; the confirmation is the last."""

    number: Message
    entry: Entry
    stopped: bool = False
    """Whether the campaign was stopped: nothing waits, runs or stays any more."""

    @property
    def state(self) -> Message:
        """What became of it, with the reason where there is one."""
        fate = FATES[self.entry.fate]
        if self.stopped:
            fate = _STOPPED.get(self.entry.fate, fate)
        if not self.entry.why:
            return fate
        return Message("{fate}: {why}", fate=fate, why=self.entry.why)

    @property
    def verdict(self) -> Message:
        """Nothing before it is judged."""
        return Judgement.named(self.entry.verdict.verdict) if self.entry.verdict else NOTHING

    @property
    def primary(self) -> MetricVerdict | None:
        """The verdict on the primary metric."""
        return self.entry.verdict


def trial_rows(campaign: Campaign) -> list[TrialRow]:
    """The queue in its order, then the confirmation."""
    stopped = campaign.stage is Stage.STOPPED
    rows = [
        TrialRow(Message("{n}", n=number), entry, stopped)
        for number, entry in enumerate(campaign.entries, start=1)
    ]
    if campaign.confirmation:
        rows.append(TrialRow(Message("Confirmation"), campaign.confirmation, stopped))
    return rows


def title_of(campaign: Campaign) -> Message:
    """When it began, where, and how it ended: a line of a list of campaigns."""
    stage = _STAGES.get(campaign.stage)
    if stage is None:
        stage = Message("confirmed and kept") if campaign.confirmed else Message("nothing kept")
    return Message(
        "{began} · {profile} · {told}",
        began=format_time(campaign.began_ns)[:16],
        profile=campaign.profile,
        told=stage,
    )


def step_of(campaign: Campaign) -> Message:
    """Which of its experiments is at work."""
    if campaign.stage is Stage.CLEARING:
        return Message("Reverting the kept changes, to confirm them together")
    if campaign.stage is Stage.CONFIRMING:
        return Message("Confirming the kept changes together, on fresh windows")
    ended = sum(not entry.open for entry in campaign.entries)
    return Message(
        "Experiment {n} of {of}; {kept} kept so far",
        n=min(ended + 1, len(campaign.entries)),
        of=len(campaign.entries),
        kept=len(campaign.to_confirm),
    )


def end_of(
    campaign: Campaign, experiment: Experiment | None, clock_rate: float, now: datetime
) -> Message:
    """When it will have ended if nothing is dropped, by the clock of this machine."""
    done = len(experiment.windows) / len(experiment.plan.steps) if experiment else 0.0
    left = remaining_s(campaign, min(done, 1.0), clock_rate)
    end = ends_at(left, campaign.plan.limits.hours, now)
    return Message(
        "About {left} left if nothing is dropped; ends at about {day} {time} (local time).",
        left=length(left),
        day=f"{end:%Y-%m-%d}",
        time=f"{end:%H:%M}",
    )


QUEUE = (
    Column[Candidate](Message("Change"), lambda c: str(c.treatment), strong=always),
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
    Column[TrialRow](Message("Change"), lambda r: r.entry.treatment, strong=_good),
    Column[TrialRow](Message("State"), lambda r: r.state, tip=lambda r: r.state),
    Column[TrialRow](Message("Verdict"), lambda r: r.verdict, strong=_good),
    Column[TrialRow](verbatim("B / A"), _ratio, number=True),
    Column[TrialRow](Message("Interval"), _interval, number=True),
    Column[TrialRow](verbatim("p"), _p, number=True),
    Column[TrialRow](Message("Tested at p ≤"), _level, number=True),
)
AT_WORK = TRIALS[:5]
"""The same without what only the end is judged by: beside it there are charts."""
LEVELS: tuple[Column[Rung], ...] = (
    Column[Rung](Message("Level"), lambda r: r.treatment),
    quantity(verbatim("B / A"), lambda r: r.ratio, ratio),
    Column[Rung](Message("Interval"), lambda r: ratio_interval(r.low, r.high), number=True),
)
"""The levels of a ladder, each as its last round saw it."""
