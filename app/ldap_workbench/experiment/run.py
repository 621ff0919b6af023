"""Running an experiment: every state durable before it is acted upon, every way out a safe one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from ldap_workbench.capture import CapturePlan, capture
from ldap_workbench.capture.window import OnLive
from ldap_workbench.experiment.aftermath import (
    IN_SESSION,
    NOT_IN_SESSION,
    Aftermath,
    kept,
    put_back,
)
from ldap_workbench.experiment.announcement import Announcement
from ldap_workbench.experiment.configuration import Watch
from ldap_workbench.experiment.guards import (
    LostWindowError,
    check_guards,
    check_sources,
    check_window,
)
from ldap_workbench.experiment.judge import judge
from ldap_workbench.experiment.load import Load
from ldap_workbench.experiment.plan import check_differs
from ldap_workbench.experiment.restarts import Restarts
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import ExperimentError, WorkbenchError
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.verdict import Judgement, Verdict
from ldap_workbench.model.window import Mark, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session import SessionWriter
from ldap_workbench.tuning import (
    PageCache,
    Tuner,
    is_broken_link,
    over_any_link,
)

Decision = Callable[[Verdict], Then]
"""Asked after the verdict when the plan says 'ask': KEEP or REVERT."""


class ExperimentRun:
    """One experiment on one server, from plan to kept or reverted.

    `run` may be called once. Whatever ends it early (an error, a guard rail, a cancel, a fault of
    ours) puts the server back before anything else is done, and leaves state ABORTED with the
    reason; only a crash leaves it open, and then the journal and the session know where. A pair in
    which the link broke is measured again, as often as the plan says. `resume_from` goes on with a
    stored experiment.
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
        self._listener = progress
        self._ending = False
        self._cancel = cancel if cancel is not None else Cancel()
        self._on_live = on_live
        self._decide = decide or (lambda _: Then.REVERT)
        self.experiment = resume_from or Experiment(1, plan, State.PLANNED, step=0)
        self.verdict: Verdict | None = None
        self._group: str | None = None
        """The open application of the treatment; None while the server is as it was."""
        with_treatment = plan.restart and self._last_arm() == "B"
        self._restarts = Restarts(target, writer, self._tell, with_treatment=with_treatment)
        self._kept = False
        self._at_end = ExitStack()
        """What runs beside a window, the load: the server is put back before it is ended."""
        self._watch = Watch(target)
        self._page_cache: PageCache | None = None
        """Of the host, where the plan drops it."""

    def run(self) -> Experiment:
        """Run to the end, alone on the server. Raises WorkbenchError after putting the server back,
        CancelledError when cancelled; what it says of the server is true."""
        self._tuner.patience_s = self._plan.patience_s
        with self._tuner.held(), Announcement(self._target) as self._announced:
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

    def _tell(self, report: Progress) -> None:
        """A listener that fails ends the experiment, and never its end."""
        try:
            self._listener(report)
        except Exception:
            if not self._ending:
                raise

    def _last_arm(self) -> str:
        return self._plan.steps[self.experiment.step - 1].arm if self.experiment.step else "A"

    def _enter(self, state: State, **changes: object) -> None:
        self.experiment = replace(self.experiment, state=state, **changes)  # type: ignore[arg-type]
        self._writer.put_experiment(self.experiment)

    def _check(self) -> None:
        self._enter(State.PLANNED)
        self._enter(State.CHECKING)
        self._tell(Progress("Checking the plan against the server"))
        check_differs(self._plan, self._tuner.plan(self._plan.treatment))
        if self._plan.cold:
            session = str(self._writer.path)
            self._page_cache = PageCache(self._target, self._tuner.journal, session=session)
            self._page_cache.check()

    def _measure_all(self) -> None:
        while (index := self.experiment.step) < len(self._plan.steps):
            try:
                self._step(index)
            except WorkbenchError as error:
                if not isinstance(error, LostWindowError) and not is_broken_link(error):
                    raise
                self._repeat_pair(index, error)
            else:
                if self._look(index + 1):
                    return

    def _step(self, index: int) -> None:
        step = self._plan.steps[index]
        self._cancel.check()
        self._announced.check()
        self._compare(index)
        self._watch.end()
        self._be_in_arm(step.arm)
        if self._plan.restart:
            self._restart()
        if self._page_cache:
            self._drop(self._page_cache)
        self._watch.begin()
        load = self._at_end.enter_context(self._load())
        self._settle()
        window = self._measure(index)
        self._cancel.check()
        ended_early = load.ended_early
        self._at_end.close()
        check_window(window, ended_early)
        with self._writer.reader() as session:
            check_sources(session, window, first=not self.experiment.windows)
        remember_settings(self._writer, self._tuner, window)
        self._compare(index, window)
        windows = (*self.experiment.windows, window.id)
        self._enter(State.MEASURING, windows=windows, step=index + 1)
        with self._writer.reader() as session:
            check_guards(session, window, self._plan.guards)

    def _compare(self, index: int, window: Window | None = None) -> None:
        """Whether somebody else has changed the server since we last looked. Between two pairs that
        is only said; in one, LostWindowError is raised."""
        found = self._watch.changed()
        if not found:
            return
        pair = self._plan.steps[index].pair + 1
        within = window is not None or index % 2 == 1
        said = f"Somebody else changed the server before pair {pair}: {found}."
        if within:
            said = f"Somebody else changed the server in pair {pair}: {found}."
        self._writer.add_mark(Mark(self._target.now_ns(), "foreign change", said))
        if within:
            raise LostWindowError(said, remedy="Agree with them on a quiet time, then start again.")
        self._tell(Progress(said))
        self._enter(self.experiment.state, remarks=(*self.experiment.remarks, said))

    def _repeat_pair(self, index: int, error: WorkbenchError) -> None:
        """Put the server back over a new link and begin the pair anew; raises `error` when that was
        done as often as the plan says."""
        self._cancel.check()
        if len(self.experiment.void) >= self._plan.repeats:
            if self._plan.repeats:
                error.what = sentences(
                    error.what, f"{self._plan.repeats} pairs were measured again already."
                )
            raise error
        self._tuner.put_back(self._tell)
        self._group = None
        over_any_link(
            self._target,
            lambda: self._target.directory.search("", attributes=("1.1",)),
            patience_s=self._plan.patience_s,
            progress=self._tell,
        )
        self._at_end.close()
        first, pair = index - index % 2, self._plan.steps[index].pair + 1
        said = f"Pair {pair} is measured again: {error.what}"
        self._tell(Progress(said))
        self._void(self.experiment.windows[first:], said)
        self._watch.end()
        self._enter(
            State.MEASURING,
            step=first,
            windows=self.experiment.windows[:first],
            void=(*self.experiment.void, said),
        )

    def _void(self, windows: tuple[int, ...], why: str) -> None:
        """Windows of a broken pair stay in the session and stand in no arm any more."""
        with self._writer.reader() as session:
            known = [w for w in session.windows() if w.id in windows]
        for window in known:
            self._writer.put_window(replace(window, arm="", pair=-1, note=why))
        self._writer.add_mark(Mark(self._target.now_ns(), "pair repeated", why))

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
        group = self._group
        changes = over_any_link(
            self._target,
            lambda: self._tuner.revert(group),
            patience_s=self._plan.patience_s,
            progress=self._tell,
        )
        self._group = None
        self._remember("reverted", changes)

    def _remember(self, kind: str, changes: list[Change]) -> None:
        for change in changes:
            self._writer.put_change(change)
        text = f"{kind}: {self._plan.treatment}"
        self._writer.add_mark(Mark(self._target.now_ns(), kind, text))

    def _restart(self) -> None:
        self._enter(State.RESTARTING)
        self._restarts.restart(self._cancel, with_treatment=self._group is not None)
        if self._group is not None:
            self._prove(self._group)

    def _prove(self, group: str) -> None:
        """After a restart the treatment must be in force; without that a verdict is worthless."""
        for result in self._tuner.prove(group):
            self._writer.add_mark(Mark(self._target.now_ns(), "proof", result.sentence))
            if result.effective is False:
                raise ExperimentError(
                    f"The treatment is stored but not in force: {result.sentence}",
                    remedy="See the server's error log for why, or choose another value.",
                )

    def _drop(self, page_cache: PageCache) -> None:
        self._tell(Progress("Dropping the page cache of the server's host"))
        page_cache.drop()
        said = "the page cache of the server's host was dropped"
        self._writer.add_mark(Mark(self._target.now_ns(), "page cache", said))

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
            changes = self._tuner.keep(self._group)
            self._group, self._kept = None, True
            self._remember("kept", changes)
            if self._plan.restart:
                self._restart_at_end(with_treatment=True)
            self._enter(State.KEPT)
        else:
            if self._group is not None:
                self._revert()
            if self._restarts.with_treatment:
                self._restart_at_end(with_treatment=False)
            self._enter(State.REVERTED)

    def _restart_at_end(self, *, with_treatment: bool) -> None:
        self._enter(State.RESTARTING)
        self._restarts.restart(Cancel(), with_treatment=with_treatment)

    def _abort(self, error: BaseException) -> BaseException:
        """The server first, by the journal alone; then the session, and the words."""
        self._ending = True
        server = kept(self._plan) if self._kept else self._put_back()
        self._at_end.close()
        return server.tell(error, self._note_abort(error, server))

    def _put_back(self) -> Aftermath:
        return put_back(
            self._tuner,
            self._plan,
            self._target.profile.name,
            progress=self._tell,
            restart=self._restarts.restart_in_abort if self._restarts.with_treatment else None,
        )

    def _note_abort(self, error: BaseException, server: Aftermath) -> str:
        """What is true of the session: whether it knows how the experiment ended."""
        why = error.what if isinstance(error, WorkbenchError) else f"a fault: {error!r}"
        ended = replace(self.experiment, state=State.ABORTED, why=f"{why} {server.server}")
        self.experiment = ended  # also where it cannot be stored
        try:
            if server.changes:
                self._remember("reverted", server.changes)
            self._writer.put_experiment(ended)
        except Exception as second:  # noqa: BLE001 - a full disk, for one; the server comes first
            error.add_note(str(second))
            return NOT_IN_SESSION
        return IN_SESSION
