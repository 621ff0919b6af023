"""Running an experiment: every state durable before it is acted upon, every way out a safe one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture import CapturePlan, capture
from ldap_workbench.capture.window import OnLive
from ldap_workbench.experiment.guards import check_guards, check_window
from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.load import Load
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import ConnectError, ExperimentError, WorkbenchError
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.verdict import Judgement, Verdict
from ldap_workbench.model.window import Mark, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import Tuner, restart, wait_for_restart

Decision = Callable[[Verdict], Then]
"""Asked after the verdict when the plan says 'ask': KEEP or REVERT."""


class ExperimentRun:
    """One experiment on one server, from plan to kept or reverted.

    `run` may be called once. Whatever ends it early (an error, a guard rail, a cancel) reverts the
    treatment and leaves state ABORTED with the reason; only a crash leaves it open, and then the
    journal and the session know where. `resume_from` goes on with a stored experiment.
    """

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        writer: SessionWriter,
        plan: Plan,
        *,
        progress: OnProgress = no_progress,
        cancel: Cancel | None = None,
        on_live: OnLive | None = None,
        decide: Decision | None = None,
        resume_from: Experiment | None = None,
    ) -> None:
        self._target = target
        self._tuner = tuner
        self._writer = writer
        self._plan = plan
        self._tell = progress
        self._cancel = cancel if cancel is not None else Cancel()
        self._on_live = on_live
        self._decide = decide or (lambda _: Then.REVERT)
        self.experiment = resume_from or Experiment(1, plan, State.PLANNED, step=0)
        self.verdict: Verdict | None = None
        self._group: str | None = None
        """The open application of the treatment; None while the server is as it was."""

    def run(self) -> Experiment:
        """Run to the end. Raises WorkbenchError after reverting, CancelledError when cancelled."""
        try:
            self._check()
            for index in range(self.experiment.step, len(self._plan.steps)):
                self._step(index)
                if self._look(index + 1):
                    break
            self._judge()
            self._end(self._choose())
        except Exception as error:
            # Also a fault of ours must not leave somebody's server changed.
            self._abort(error)
            raise
        return self.experiment

    def _enter(self, state: State, **changes: object) -> None:
        self.experiment = replace(self.experiment, state=state, **changes)  # type: ignore[arg-type]
        self._writer.put_experiment(self.experiment)

    def _check(self) -> None:
        self._enter(State.PLANNED)
        self._enter(State.CHECKING)
        self._tell(Progress("Checking the plan against the server"))
        self._tuner.plan(self._plan.treatment)

    def _step(self, index: int) -> None:
        step = self._plan.steps[index]
        self._cancel.check()
        self._be_in_arm(step.arm)
        if self._plan.restart:
            self._restart()
        with self._load() as load:
            self._settle()
            window = self._measure(index)
            self._cancel.check()
            remember_settings(self._writer, self._tuner, window)
            check_window(window, load.ended_early)
        windows = (*self.experiment.windows, window.id)
        self._enter(State.MEASURING, windows=windows, step=index + 1)
        with self._writer.reader() as session:
            check_guards(session, window, self._plan.guards)

    def _be_in_arm(self, arm: str) -> None:
        if self._plan.changes_nothing:
            return
        if arm == "B" and self._group is None:
            self._apply()
        elif arm == "A" and self._group is not None:
            self._revert()

    def _apply(self) -> None:
        self._enter(State.APPLYING)
        self._tell(Progress(f"Applying {self._plan.treatment}"))
        applied = self._tuner.apply(self._plan.treatment, session=str(self._writer.path))
        self._group = applied.group
        groups = (*self.experiment.change_groups, applied.group)
        self._enter(State.APPLYING, change_groups=groups)
        self._remember("applied", applied.changes)

    def _revert(self) -> None:
        assert self._group is not None
        self._enter(State.REVERTING)
        self._tell(Progress(f"Reverting {self._plan.treatment}"))
        changes = self._tuner.revert(self._group)
        self._group = None
        self._remember("reverted", changes)

    def _remember(self, kind: str, changes: list[Change]) -> None:
        for change in changes:
            self._writer.put_change(change)
        text = f"{kind}: {self._plan.treatment}"
        self._writer.add_mark(Mark(self._target.now_ns(), kind, text))

    def _restart(self) -> None:
        self._enter(State.RESTARTING)
        self._restart_now(self._cancel)
        if self._group is not None:
            self._prove(self._group)

    def _restart_now(self, cancel: Cancel) -> None:
        """By the profile's command, else by the operator, who is told and waited for."""
        if self._target.profile.restart_command:
            restart(self._target, progress=self._tell, cancel=cancel)
        else:
            wait_for_restart(self._target, cancel, progress=self._tell)
        self._writer.add_mark(Mark(self._target.now_ns(), "restart", "restarted by the experiment"))

    def _prove(self, group: str) -> None:
        """After a restart the treatment must be in force; without that a verdict is worthless."""
        for result in self._tuner.prove(group):
            self._writer.add_mark(Mark(self._target.now_ns(), "proof", result.sentence))
            if result.effective is False:
                raise ExperimentError(
                    f"The treatment is stored but not in force: {result.sentence}",
                    safe="It is being reverted.",
                )

    def _settle(self) -> None:
        self._enter(State.SETTLING)
        seconds = self._plan.settle_s / self._target.facts.clock_rate
        self._tell(Progress(f"Settling for {self._plan.settle_s:g} s"))
        self._cancel.wait(seconds)
        self._cancel.check()

    def _load(self) -> Load:
        seconds = self._plan.settle_s + self._plan.window_s + 120
        shell = self._target.another_shell() if self._plan.load_on_host else None
        return Load(self._plan.load, seconds, shell)

    def _measure(self, index: int) -> Window:
        self._enter(State.MEASURING)
        step, count = self._plan.steps[index], len(self._plan.steps)
        name = f"{step.arm}{step.pair + 1}"
        plan = CapturePlan(self._plan.window_s, name=name, arm=step.arm, pair=step.pair)

        def tell(report: Progress) -> None:
            share = (index + (report.fraction or 0.0)) / count
            text = f"Window {index + 1} of {count} (arm {step.arm}): {report.text}"
            self._tell(replace(report, text=text, fraction=share))

        return capture(
            self._target,
            self._writer,
            plan,
            progress=tell,
            cancel=self._cancel,
            on_live=self._on_live,
        )

    def _judge(self) -> None:
        self._enter(State.JUDGING)
        self._tell(Progress("Judging"))
        with self._writer.reader() as session:
            self.verdict = judge(session, self.experiment)
        self._enter(State.DECIDING, verdict=self.verdict.to_json())

    def _look(self, done: int) -> bool:
        """At a planned look: whether what is known so far decides, so that no more is measured."""
        pairs, half = divmod(done, 2)
        if half or pairs not in self._plan.looks or done == len(self._plan.steps):
            return False
        self._tell(Progress(f"Looking as planned, after {pairs} pairs"))
        with self._writer.reader() as session:
            found = judge(session, self.experiment).primary.verdict
        decided = found in (Judgement.BETTER, Judgement.WORSE)
        said = f"looked as planned after {pairs} pairs: {found}"
        if decided:
            left = len(self._plan.steps) // 2 - pairs
            said += f"; that ends the experiment, {left} pairs are not measured"
        self._tell(Progress(said[0].upper() + said[1:]))
        self._writer.add_mark(Mark(self._target.now_ns(), "look", said))
        return decided

    def _choose(self) -> Then:
        assert self.verdict is not None
        then = self._plan.then
        if then is Then.KEEP_IF_BETTER:
            better = self.verdict.primary.verdict == Judgement.BETTER
            return Then.KEEP if better else Then.REVERT
        return self._decide(self.verdict) if then is Then.ASK else then

    def _end(self, then: Then) -> None:
        if then is Then.KEEP:
            self._be_in_arm("B")
            assert self._group is not None
            self._remember("kept", self._tuner.keep(self._group))
            self._group = None
            self._restart_if_needed()
            self._enter(State.KEPT)
        else:
            self._leave_as_it_was()
            self._enter(State.REVERTED)

    def _leave_as_it_was(self) -> None:
        last = self._plan.steps[self.experiment.step - 1].arm if self.experiment.step else "A"
        if self._group is not None:
            self._revert()
            self._restart_if_needed()
        elif last == "B":
            self._restart_if_needed()

    def _leave_as_it_was_over_any_link(self) -> None:
        """A server that broke down and was started again has broken our link, too."""
        try:
            self._leave_as_it_was()
        except ConnectError:
            self._target.reconnect()
            self._leave_as_it_was()

    def _restart_if_needed(self) -> None:
        if self._plan.restart:
            self._enter(State.RESTARTING)
            self._restart_now(Cancel())

    def _abort(self, error: Exception) -> None:
        """Leave the server as it was; if even that fails the journal keeps the change open."""
        self._tell(Progress("Ending the experiment, the server is left as it was"))
        try:
            self._leave_as_it_was_over_any_link()
        except WorkbenchError as second:
            still_open = (
                f"The change could not be reverted either: {second.what} It stays open in the "
                "journal: run ldap-workbench revert when the server answers again."
            )
            if isinstance(error, WorkbenchError):
                error.safe = still_open
            else:
                error.add_note(still_open)
        why = error.what if isinstance(error, WorkbenchError) else f"a fault: {error!r}"
        try:
            self._enter(State.ABORTED, why=why)
        except WorkbenchError as third:
            # A full disk is told by the error that is already on its way up.
            error.add_note(str(third))
