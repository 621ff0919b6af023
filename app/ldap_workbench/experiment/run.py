"""Running an experiment: every state durable before it is acted upon, every way out a safe one."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.capture.live.source import OnLive
from ldap_workbench.experiment.aftermath import (
    IN_SESSION,
    NOT_IN_SESSION,
    Aftermath,
    kept_in_force,
)
from ldap_workbench.experiment.announcement import Announcement
from ldap_workbench.experiment.guards import (
    LAG_S,
    LostWindowError,
    UnrelatedLossError,
    crossed_in,
)
from ldap_workbench.experiment.hours import Hours, Pause
from ldap_workbench.experiment.judge import decided_early, judge
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.measuring import Measuring
from ldap_workbench.experiment.plan import check_differs, duration_s
from ldap_workbench.experiment.seat import Decision, Seat, choose
from ldap_workbench.model.errors import ExperimentError, WorkbenchError
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.link import is_broken_link
from ldap_workbench.tuning.tuner import Tuner


class ExperimentRun:
    """One experiment on one server, from plan to kept or reverted.

    `run` may be called once. Whatever ends it early (an error, a guard rail, a cancel, a fault of
    ours) puts the server back before anything else is done, and leaves state ABORTED with the
    reason; only a crash leaves it open, and then the journal and the session know where. A pair in
    which the link broke is measured again, as often as the plan says. `resume_from` goes on with a
    stored experiment; between pairs it waits for the `hours` in which the server may be measured,
    and for the end of a `pause`. `lag` watches the replicas of a plan that limits how far they may
    be behind.
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
        hours: Hours | None = None,
        pause: Pause | None = None,
        lag: LagWatch | None = None,
    ) -> None:
        self._target = target
        self._tuner = tuner
        self._writer = writer
        self._plan = plan
        self._listener = progress
        self._ending = False
        self._cancel = cancel if cancel is not None else Cancel()
        self._decide = decide or (lambda _: Then.REVERT)
        self.verdict: Verdict | None = None
        stored = resume_from or Experiment(1, plan, State.PLANNED, step=0)
        self._seat = Seat(target, tuner, writer, plan, stored, self._report_progress)
        self._record, self._arms = self._seat.record, self._seat.arms
        self._arms.cancel = self._cancel
        self._lag = lag
        if lag is not None:
            self._arms.stop, self._arms.on_purpose = lag.crossed, lag.on_purpose
        self._watch = self._seat.watch
        self._measuring = Measuring(
            target,
            writer,
            self._record,
            progress=self._report_progress,
            cancel=self._cancel,
            on_live=on_live,
        )
        self._rests = [rest for rest in (pause, hours) if rest is not None]

    @property
    def experiment(self) -> Experiment:
        """Its state now; another thread may ask."""
        return self._record.experiment

    def run(self) -> Experiment:
        """Run to the end, alone on the server.

        Raises WorkbenchError after putting the server back, CancelledError when cancelled; what it
        says of the server is true.
        """
        self._refuse_unwatched()
        self._tuner.patience_s = self._plan.patience_s
        self._tuner.restart_wait_s = self._plan.restart_wait_s
        with self._tuner.locked(), Announcement(self._target) as self._announced:
            try:
                self._check()
                self._measure_all()
                self._judge()
                self._end(self._choose())
            except BaseException as error:
                # Also a fault of ours and Ctrl-C must not leave somebody's server changed.
                raised = self._abort(error)
                if raised is error:
                    raise
                raise raised from error
        return self.experiment

    def _report_progress(self, report: Progress) -> None:
        """A listener that fails ends the experiment, and never its end."""
        try:
            self._listener(report)
        except Exception:
            if not self._ending:
                raise

    def _refuse_unwatched(self) -> None:
        """Raises ExperimentError before anything is stored, so that it can be continued."""
        if LAG_S in self._plan.guards and self._lag is None:
            raise ExperimentError(
                Message("The plan limits the lag of replicas, and no replicas are named."),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Continue it by the command, and name each other replica: ldap-workbench "
                    "experiment PROFILE -o FILE --resume --replica PROFILE."
                ),
            )

    def _check_lag(self) -> None:
        """Raises ExperimentError where a replica is too far behind before anything is done."""
        if self._lag is None:
            return
        self._lag.begin()
        if behind := self._lag.crossed():
            raise ExperimentError(
                Message("A safety limit was crossed before the next step: {what}.", what=behind),
                remedy=Message("Wait until the replicas have caught up, then start again."),
            )

    def _check(self) -> None:
        session = self._tuner.journal.left_stored({self._record.session})
        left = tuple(dict.fromkeys((*self.experiment.left_stored, *session)))
        self._record.enter(State.PLANNED, left_stored=left)
        self._record.enter(State.CHECKING)
        self._report_progress(Progress(Message("Checking the plan against the server")))
        planned = self._tuner.plan(self._plan.treatment)
        check_differs(self._plan, planned)
        self._tuner.check_automated(planned)
        self._arms.offline = any(change.offline for change in planned)
        self._measuring.check(self._tuner)

    def _measure_all(self) -> None:
        while (index := self.experiment.step) < len(self._plan.steps):
            try:
                self._step(index)
            except WorkbenchError as error:
                if not isinstance(error, LostWindowError) and not is_broken_link(error):
                    raise
                self._repeat_pair(index, error)
            else:
                if decided_early(self._record, index + 1, self._report_progress):
                    return

    def _step(self, index: int) -> None:
        self._cancel.check()
        self._rest(index)
        self._announced.check()
        self._compare(index)
        self._check_lag()
        arm = self._plan.steps[index].arm
        if self._plan.restart or not self._arms.is_in(arm):
            self._watch.end()
        self._arms.enter(arm)
        if self._plan.restart:
            self._arms.restart(self._cancel)
        self._measuring.drop_cache()
        self._watch.begin()
        window = self._seat.measure(index, self._measuring)
        self._compare(index, window)
        self._seat.count(index, window)
        self._seat.check_guards(window)
        if self._lag is not None and (behind := self._lag.crossed()):
            raise crossed_in(window, behind)

    def _rest(self, index: int) -> None:
        """Between two pairs, with the server as it was before: paused, or outside the hours.

        Where the windows are no pairs nothing rests from the first of B on, so there must be room
        for all of them.
        """
        plan, windows = self._plan, 2
        if not plan.in_pairs and plan.steps[index].arm == "B":
            windows = max(windows, len(plan.steps) - index)
        seconds = windows * duration_s(plan, self._target.facts.clock_rate) / len(plan.steps)
        for rest in self._rests:
            if not self._may_rest(index) or not rest.wait_s(seconds):
                continue
            self._watch.end()
            self._arms.leave()
            if isinstance(rest, Pause):
                rest.left = self.experiment.left_stored
            self._record.mark("paused", rest.waiting_text)
            rest.wait(seconds, self._report_progress, self._cancel)
            self._seat.reach()

    def _may_rest(self, index: int) -> bool:
        """Whether nothing is lost where the server is put back before this step."""
        steps = self._plan.steps
        return index % 2 == 0 if self._plan.in_pairs else index == 0 or steps[index - 1].arm == "A"

    def _compare(self, index: int, window: Window | None = None) -> None:
        """Whether somebody else has changed the server since we last looked.

        Between two pairs that is only said; in one, UnrelatedLossError is raised.
        """
        changes = self._watch.changed()
        if not changes:
            return
        pair = self._plan.steps[index].pair + 1
        within = window is not None or (self._plan.in_pairs and index % 2 == 1)
        said = Message(
            "Another administrator changed the server before pair {pair}: {found}.",
            pair=pair,
            found=changes,
        )
        if within:
            said = Message(
                "Another administrator changed the server in pair {pair}: {found}.",
                pair=pair,
                found=changes,
            )
        self._record.mark("foreign change", said)
        if within:
            raise UnrelatedLossError(
                said, remedy=Message("Agree on a time without changes, then start again.")
            )
        self._report_progress(Progress(said))
        self._record.enter(self.experiment.state, remarks=(*self.experiment.remarks, said))

    def _repeat_pair(self, index: int, error: WorkbenchError) -> None:
        """Put the server back over a new link and begin the pair anew.

        Raises `error` when that was done as often as the plan says.
        """
        self._cancel.check()
        if len(self.experiment.void) >= self._plan.repeats:
            if self._plan.repeats:
                error.what = sentences(
                    error.what,
                    count_of(
                        "{n} pair was measured again already.",
                        "{n} pairs were measured again already.",
                        n=self._plan.repeats,
                    ),
                )
            raise error
        with self._arms.on_purpose():
            self._arms.put_back()
            self._seat.reach()
        self._measuring.close()
        first, step = self._plan.first_of(index), self._plan.steps[index]
        said = Message("Pair {pair} is measured again: {why}", pair=step.pair + 1, why=error.what)
        if not self._plan.in_pairs:
            name = f"{step.arm}{step.pair + 1}"
            said = Message("Window {number} is measured again: {why}", number=name, why=error.what)
        self._report_progress(Progress(said))
        self._record.void(self._windows_lost_at(index), said)
        self._watch.end()
        arm = () if isinstance(error, UnrelatedLossError) else (step.arm,)
        self._record.enter(
            State.MEASURING,
            step=first,
            windows=self.experiment.windows[:first],
            void=(*self.experiment.void, said),
            lost=(*self.experiment.lost, *arm),
        )

    def _windows_lost_at(self, index: int) -> list[int]:
        """Those measured for the pair of a step, also the one that was lost itself."""
        step, others = (
            self._plan.steps[index],
            self.experiment.windows[: self._plan.first_of(index)],
        )
        arms = "AB" if self._plan.in_pairs else step.arm
        with self._record.reader() as session:
            windows = [w for w in session.windows() if w.pair == step.pair and w.arm in arms]
        return [window.id for window in windows if not window.cancelled and window.id not in others]

    def _judge(self) -> None:
        self._record.enter(State.JUDGING)
        self._report_progress(Progress(Message("Judging")))
        with self._record.reader() as session:
            self.verdict = judge(session, self.experiment)
        self._record.enter(State.DECIDING, verdict=self.verdict)

    def _choose(self) -> Then:
        assert self.verdict is not None
        return choose(self._plan.then, self.verdict, self._decide)

    def _end(self, then: Then) -> None:
        if then is Then.KEEP:
            self._arms.keep()
            self._record.enter(State.KEPT)
        else:
            self._arms.leave()
            self._record.enter(State.REVERTED)

    def _abort(self, error: BaseException) -> BaseException:
        """The server first, by the journal alone; then the session, and the words."""
        self._ending = True
        server = kept_in_force(self._plan) if self._arms.decided_to_keep else self._seat.put_back()
        self._measuring.close()
        return server.explain(error, self._note_abort(error, server))

    def _note_abort(self, error: BaseException, server: Aftermath) -> Message:
        """What is true of the session: whether it knows how the experiment ended."""
        why = Message("A defect in the workbench: {error}.", error=repr(error))
        if isinstance(error, WorkbenchError):
            why = error.what
        ended = replace(
            self.experiment,
            state=State.ABORTED,
            why=sentences(why, server.server),
            left_stored=server.left or self.experiment.left_stored,
        )
        self._record.experiment = ended  # also where it cannot be stored
        try:
            if server.changes:
                self._record.remember("reverted", server.changes)
            self._writer.put_experiment(ended)
        except Exception as second:  # noqa: BLE001 - a full disk, for one; the server comes first
            error.add_note(str(second))
            return NOT_IN_SESSION
        return IN_SESSION
