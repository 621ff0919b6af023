"""Running a campaign: one experiment after the other, then the confirmation, each durable first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ldap_workbench.campaign.ladder import best_of, next_round
from ldap_workbench.campaign.plan import CampaignPlan, Candidate, excluded_by, level_of, restarts_of
from ldap_workbench.campaign.state import CAMPAIGNS, Campaign, Entry, Fate, Stage
from ldap_workbench.experiment.aftermath import recover
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.hours import Pause, parse_hours
from ldap_workbench.experiment.in_force import read_at_end
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.plan import duration_s
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import ChangeError, ExperimentError, KnobError, SessionError
from ldap_workbench.model.experiment import Experiment, Plan, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.link import over_any_link
from ldap_workbench.tuning.tuner import Tuner

OnCampaign = Callable[[Campaign], None]
MakeJob = Callable[..., ExperimentJob]
"""Makes an experiment's job of the same arguments as ExperimentJob, for one who looks on."""


class CampaignRun:
    """One campaign on one server, from its first treatment to confirmed or reverted.

    Used from the target's thread. A cancel, a broken server or a crash leaves it where it stands:
    `run` on the stored Campaign goes on. An experiment puts the server back before it ends early;
    after a crash that is done here first, by the journal.
    """

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        campaign: Campaign,
        *,
        progress: OnProgress,
        cancel: Cancel,
        on_change: OnCampaign | None = None,
        pause: Pause | None = None,
        make_job: MakeJob | None = None,
        lag: LagWatch | None = None,
    ) -> None:
        """`lag` watches the replicas where the plan limits how far they may be behind."""
        self._target = target
        self._tuner = tuner
        self._report_progress = progress
        self._cancel = cancel
        self._on_change = on_change or (lambda _: None)
        self._hours = parse_hours(campaign.plan.limits.hours)
        self._pause = pause or Pause()
        self._make_job = make_job
        self._lag = lag
        self._rate = target.facts.clock_rate
        self.campaign = campaign

    def run(self) -> Campaign:
        """Run to the end.

        Raises WorkbenchError, CancelledError too, with the server as the journal says and the state
        durable.
        """
        with self._tuner.locked():
            self._note()
            self._recover()
            while not self.campaign.ended:
                self._cancel.check()
                _STEPS[self.campaign.stage](self)
        return self.campaign

    def revert_all(self) -> Campaign:
        """End it here: what stayed is reverted, the last first, and nothing is confirmed.

        Raises WorkbenchError, with the server as the journal says; it can be called again.
        """
        with self._tuner.locked():
            self._recover()
            self._revert_kept()
            self._end(Stage.STOPPED)
        return self.campaign

    def _try_next(self) -> None:
        index = next((i for i, entry in enumerate(self.campaign.entries) if entry.open), None)
        if index is None:
            self._end_of_queue()
            return
        entry = self.campaign.entries[index]
        candidate = self.campaign.candidate(entry)
        if entry.fate is Fate.WAITING and (why := self._not_worth_starting(entry)):
            self._put(index, fate=Fate.DROPPED, why=why)
            return
        level = self._level(index)
        plan = self._plan.experiment(candidate, index + 1, level, entry.round)
        path = _file_for(plan, entry.session, self.campaign.session_of(index))
        self._put(index, fate=Fate.RUNNING, level=level, session=str(path))
        self._put(index, **self._measure(path, plan))

    def _level(self, index: int) -> float:
        """Rounds of a ladder establish nothing, so they share no level."""
        if self._plan.rounds:
            return self._plan.level
        spent = [entry.spent for entry in self.campaign.entries[:index]]
        return level_of(index, self._plan.weights, spent, self._plan.level)

    def _end_of_queue(self) -> None:
        """Begin the next round of a ladder, else confirm what stayed or was chosen."""
        entries = self.campaign.entries
        if self._plan.rounds and not self.campaign.to_confirm:
            if following := next_round(entries, self._plan.rounds):
                self._note(entries=(*entries, *following))
                return
            if best := best_of(entries):
                self._put(entries.index(best), fate=Fate.CHOSEN)
        if self.campaign.to_confirm:
            self._note(stage=Stage.CLEARING)
        else:
            self._end(Stage.DONE)

    def _not_worth_starting(self, entry: Entry) -> Message:
        """Why a treatment is dropped before it is measured; nothing where it is not."""
        candidate = self.campaign.candidate(entry)
        if why := excluded_by(candidate, self._winners()):
            return why
        try:
            planned = self._tuner.plan(candidate.treatment)
        except KnobError as error:  # an index without room, for one: the others may be tried
            return error.what
        if not any(change.writes for change in planned):
            return Message("The server already has {it}.", it=str(candidate.treatment))
        plan = self._plan.experiment(candidate, 0, self._plan.level, entry.round)
        reserve = self._confirmation((*self._winners(), candidate))
        left_s = self._plan.limits.budget_s - self.campaign.spent_s
        if duration_s(plan, self._rate) + duration_s(reserve, self._rate) > left_s:
            return Message("The hours left do not hold it and the confirmation.")
        limit = self._plan.limits.restarts
        restarts = self.campaign.restarts + restarts_of(plan) + restarts_of(reserve)
        if limit is not None and restarts > limit:
            return Message("The restarts left do not hold it and the confirmation.")
        return NOTHING

    def _clear(self) -> None:
        self._revert_kept()
        treatment = combined(self._winners())
        entry = Entry(str(treatment), Fate.RUNNING, level=self._plan.level)
        self._note(stage=Stage.CONFIRMING, confirmation=entry)

    def _revert_kept(self) -> None:
        """Revert what stayed, the last first; what a crash had reverted already is passed over."""
        for index in reversed(self.campaign.to_confirm):
            for group in reversed(self.campaign.entries[index].groups):
                if any(c.state is ChangeState.KEPT for c in self._tuner.journal.group(group)):
                    self._revert(group)

    def _confirm(self) -> None:
        entry = self.campaign.confirmation
        assert entry is not None
        plan = self._confirmation(self._winners())
        path = _file_for(plan, entry.session, Path(self.campaign.output))
        entry = replace(entry, session=str(path))
        self._note(confirmation=entry)
        measured = self._measure(path, plan)
        self._end(Stage.DONE, confirmation=replace(entry, **measured))  # type: ignore[arg-type]

    def _measure(self, path: Path, plan: Plan) -> dict[str, object]:
        """Run an experiment, go on with the one its session holds, or take what came of it."""
        began, waited = time.monotonic(), self._waited_s
        experiment, why = _stored(path, plan), NOTHING
        if experiment is None or not experiment.state.ended:
            experiment, why = self._experiment(path, plan, experiment)
        groups = experiment.change_groups[-1:] if experiment.state is State.KEPT else ()
        changes = self._kept_changes(groups, path)
        return {
            "fate": _FATES[experiment.state],
            "why": why,
            "verdict": experiment.verdict.primary if experiment.verdict else None,
            "groups": groups,
            "change": changes[0].id if changes else 0,
            "wait_s": _wait_s(experiment),
            "took_s": time.monotonic() - began - (self._waited_s - waited),
            "restarts": restarts_of(plan),
        }

    def _kept_changes(self, groups: Sequence[str], path: Path) -> list[Change]:
        """The changes that stayed, by the journal: what a session file says of it is not enough."""
        changes = [change for group in groups for change in self._tuner.journal.group(group)]
        ours = all(c.state is ChangeState.KEPT and c.session == str(path) for c in changes)
        if groups and not (changes and ours):
            raise ChangeError(
                Message("{path} tells of a change that the journal does not know.", path=str(path)),
                safe=Message("Nothing was changed."),
                remedy=Message("Remove the file, then go on with --resume."),
            )
        return changes

    def _experiment(
        self, path: Path, plan: Plan, stored: Experiment | None
    ) -> tuple[Experiment, Message]:
        """The experiment as it ended, and why it was aborted, where its treatment is at fault."""
        self._report_progress(
            Progress(Message("Trying {treatment}", treatment=str(plan.treatment)))
        )
        # Looked up when it is called: a test puts another in its place.
        make_job = self._make_job or ExperimentJob
        job = make_job(
            path,
            plan,
            resume_from=stored,
            hours=self._hours,
            pause=self._pause,
            campaign=self.campaign.output,
            lag=self._lag,
        )
        try:
            return job.run(self._target, self._tuner, self._report_progress, self._cancel), NOTHING
        except (ExperimentError, KnobError) as error:
            # A safety limit or a disk without room, for two. What is still open ends the campaign:
            # nothing is tried on it.
            ended = job.experiment
            if ended is None or not ended.state.ended or self._tuner.open_changes():
                raise
            return ended, error.what

    def _end(self, stage: Stage, **changes: object) -> None:
        """It has ended: with what the server was left with."""
        settings = [s for candidate in self._plan.candidates for s in candidate.treatment.settings]
        now = read_at_end(self._tuner, settings, self.campaign.sessions, now_ns=time.time_ns())
        # Of all its experiments: the second may find stored what the first one's revert left.
        left = self._tuner.journal.left_stored(self.campaign.sessions)
        self._note(stage=stage, left_stored=left, in_force=now.lines, **changes)

    def _recover(self) -> None:
        name = self._target.profile.name
        recover(self._tuner, name, self.campaign.sessions, self._report_progress)

    def _revert(self, group: str) -> None:
        self._report_progress(Progress(Message("Reverting the kept changes")))
        over_any_link(
            self._target,
            lambda: self._tuner.revert(group, progress=self._report_progress),
            patience_s=self._plan.trial.patience_s,
            progress=self._report_progress,
        )

    def _confirmation(self, winners: Sequence[Candidate]) -> Plan:
        restart = any(winner.restart for winner in winners)
        wait_s = max(entry.wait_s for entry in self.campaign.entries)
        return self._plan.confirmation(combined(winners), restart=restart, wait_s=wait_s)

    def _winners(self) -> tuple[Candidate, ...]:
        entries = [self.campaign.entries[i] for i in self.campaign.to_confirm]
        return tuple(self.campaign.candidate(entry) for entry in entries)

    @property
    def _waited_s(self) -> float:
        return sum(self._pause.waits_s) + (sum(self._hours.waits_s) if self._hours else 0.0)

    @property
    def _plan(self) -> CampaignPlan:
        return self.campaign.plan

    def _put(self, index: int, **changes: object) -> None:
        entries = list(self.campaign.entries)
        entries[index] = replace(entries[index], **changes)  # type: ignore[arg-type]
        self._note(entries=tuple(entries))

    def _note(self, **changes: object) -> None:
        """Durable first, then told."""
        self.campaign = replace(self.campaign, **changes)  # type: ignore[arg-type]
        CAMPAIGNS.write(self.campaign)
        self._on_change(self.campaign)


_STEPS: dict[Stage, Callable[[CampaignRun], None]] = {
    Stage.TRYING: CampaignRun._try_next,
    Stage.CLEARING: CampaignRun._clear,
    Stage.CONFIRMING: CampaignRun._confirm,
}


_FATES = {
    State.KEPT: Fate.KEPT,
    State.REVERTED: Fate.REVERTED,
    State.ABORTED: Fate.ABORTED,
}


def _wait_s(experiment: Experiment) -> float:
    """What its verdict asks to wait after each change; 0 where it asks for nothing."""
    settling = experiment.verdict.details.settling if experiment.verdict else None
    return (settling and settling.wait_s) or 0.0


def combined(candidates: Sequence[Candidate]) -> Treatment:
    """All settings as one group, in their order, each once."""
    settings: dict[tuple[str, str], Setting] = {}
    for candidate in candidates:
        for setting in candidate.treatment.settings:
            settings[setting.knob, setting.place] = setting
    return Treatment(tuple(settings.values()))


def _file_for(plan: Plan, present: str, path: Path) -> Path:
    """Where an experiment is written.

    Its own file where that goes on or says what came of it, else a new one beside what is there. Of
    an aborted one nothing is taken over.
    """
    stored = _stored(Path(present), plan) if present else None
    if stored and stored.state is not State.ABORTED:
        return Path(present)
    number, unused = 2, path
    while unused.exists():
        unused = path.with_name(f"{path.stem}-again-{number}{path.suffix}")
        number += 1
    return unused


def _stored(path: Path, plan: Plan) -> Experiment | None:
    """The experiment in a session where it has exactly this plan.

    What a file says else is a stranger's. None where there is none, or the file cannot be read.
    """
    if not path.exists():
        return None
    try:
        with Session.open(path) as session:
            experiments = session.experiments()
    except SessionError:
        return None
    return experiments[-1] if experiments and experiments[-1].plan == plan else None
