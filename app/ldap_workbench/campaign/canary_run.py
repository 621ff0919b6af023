"""Running a canary: windows side by side, the treatment in turn, every state durable first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from ldap_workbench.campaign.canary import CANARIES, Canary, Outcome
from ldap_workbench.campaign.canary_judge import HARM, harm_so_far, judge_canary
from ldap_workbench.campaign.replica import Replica, at_once
from ldap_workbench.connect.desktop import kept_awake
from ldap_workbench.experiment.aftermath import IN_SESSION, Aftermath, recover
from ldap_workbench.experiment.announcement import Announcement
from ldap_workbench.experiment.guards import LostWindowError
from ldap_workbench.experiment.hours import Pause
from ldap_workbench.experiment.in_force import InForce
from ldap_workbench.experiment.lag import lags, read_csns, store_lag
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.plan import is_built_live
from ldap_workbench.experiment.seat import Decision, choose
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.errors import (
    CancelledError,
    ChangeError,
    ExperimentError,
    WorkbenchError,
)
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.window import LiveBatch, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.link import is_broken_link
from ldap_workbench.tuning.tuner import Tuner

OnLive = Callable[[int, LiveBatch], None]
"""From the threads of the sources: the number of the replica, and what came in there."""


class ReplicasPause(Pause):
    """A rest between two windows."""

    claim = Message("Paused. All replicas are as they were before.")


class CanaryRun:
    """One canary over several replicas, from its plan to kept or reverted on all of them.

    `run` may be called once, with a new canary or one that was interrupted. Whatever ends it early
    puts every replica back by its journal before anything else; only a crash leaves it open, and
    then journal and state know where. A window in which a link broke, or somebody else changed a
    server, is measured again on all replicas, as often as the plan says. Between two windows it
    waits for the end of a `pause`, with all replicas as they were before.
    """

    def __init__(
        self,
        servers: Sequence[tuple[Target, Tuner]],
        canary: Canary,
        *,
        progress: OnProgress = no_progress,
        cancel: Cancel | None = None,
        decide: Decision | None = None,
        on_change: Callable[[Canary], None] = lambda _: None,
        on_live: OnLive = lambda *_: None,
        pause: Pause | None = None,
    ) -> None:
        """`on_change` hears of every state once it is durable."""
        self._servers = servers
        self.canary = canary
        self._progress = progress
        self._cancel = cancel if cancel is not None else Cancel()
        self._decide = decide or (lambda _: Then.REVERT)
        self._on_change, self._on_live = on_change, on_live
        self._pause = pause or ReplicasPause()
        self._replicas: list[Replica] = []
        self._repeated = 0
        self._any_kept = False

    def run(self) -> Canary:
        """Run to the end, alone on every replica. Raises WorkbenchError after putting them back."""
        CANARIES.write(self.canary)
        with ExitStack() as stack:
            self._seat_all(stack)
            try:
                at_once(self._replicas, lambda replica, _: replica.check(), self._cancel)
                self._forget_unfinished()
                self._measure_all()
                self._judge()
                self._end(self._choose())
            except BaseException as error:
                raise self._abort(error) from error
        return self.canary

    def revert_all(self) -> Canary:
        """End one that was interrupted, without a verdict.

        Raises WorkbenchError where a replica is not as it was before.
        """
        with ExitStack() as stack:
            self._seat_all(stack)
            self._forget_unfinished()
            ended = self._abort(
                CancelledError(
                    Message("It was ended without a verdict."),
                    remedy=Message("Start another canary for a verdict."),
                )
            )
        if not isinstance(ended, CancelledError):
            raise ended
        return self.canary

    @property
    def replicas(self) -> tuple[Replica, ...]:
        """In the order of the seats, as soon as they are taken; another thread may ask."""
        return tuple(self._replicas)

    def _seat_all(self, stack: ExitStack) -> None:
        """Alone on every server, and nothing of ours in force."""
        stack.enter_context(kept_awake())
        for target, tuner in self._servers:
            stack.enter_context(tuner.locked())
            stack.enter_context(Announcement(target))
        self._recover()
        for number, (target, tuner) in enumerate(self._servers):
            self._replicas.append(self._seated(number, target, tuner))
            stack.callback(self._replicas[-1].close)

    def _seated(self, number: int, target: Target, tuner: Tuner) -> Replica:
        plan = self.canary.plan.of_replica(number, target.profile.server_url)
        measured = [ids[number] for ids in self.canary.windows]
        path = Path(self.canary.seats[number].session)
        return Replica(
            target,
            tuner,
            path,
            plan,
            self._progress,
            measured=measured,
            on_live=partial(self._on_live, number),
        )

    def _recover(self) -> None:
        for (target, tuner), seat in zip(self._servers, self.canary.seats, strict=True):
            recover(tuner, target.profile.name, (seat.session,), self._progress)

    def _forget_unfinished(self) -> None:
        """Windows that a crash interrupted are of no arm."""
        why = Message("An unexpected exit interrupted it.")
        for replica in self._replicas:
            replica.do(partial(replica.forget_unfinished, why)).result()

    def _measure_all(self) -> None:
        while (index := len(self.canary.windows)) < len(self.canary.plan.windows):
            try:
                windows = self._measure(index)
            except WorkbenchError as error:
                if not isinstance(error, LostWindowError) and not is_broken_link(error):
                    raise
                self._again(index, error)
                continue
            self._check(windows)
            if self._harmful():
                return

    def _measure(self, index: int) -> list[Window]:
        self._cancel.check()
        self._rest()
        _, canary = self.canary.plan.windows[index]
        self._take_turns(canary)
        self._restart()
        text = Message(
            "Window {number} of {count}: the canary is {replica}",
            number=index + 1,
            count=len(self.canary.plan.windows),
            replica=self._replicas[canary].name,
        )
        self._progress(Progress(text, index / len(self.canary.plan.windows)))
        windows = at_once(
            self._replicas, lambda replica, cancel: replica.measure(index, cancel), self._cancel
        )
        self._cancel.check()
        at_once(
            self._replicas,
            lambda replica, _: replica.measured(index, windows[self._replicas.index(replica)]),
            self._cancel,
        )
        ids = tuple(window.id for window in windows)
        self._note(windows=(*self.canary.windows, ids))
        return windows

    def _rest(self) -> None:
        """Between two windows, for as long as the operator wants."""
        if not self._pause.wanted:
            return
        for replica in self._replicas:
            replica.do(replica.arms.leave).result()
        self._pause.left = self._left_stored()
        said = self._pause.waiting_text
        at_once(
            self._replicas, lambda replica, _: replica.record.mark("paused", said), self._cancel
        )
        self._pause.wait(0.0, self._progress, self._cancel)
        at_once(self._replicas, lambda replica, _: replica.reach(), self._cancel)

    def _take_turns(self, canary: int) -> None:
        """First the last canary is reverted, then the next one changed: never two at a time."""
        for number, replica in enumerate(self._replicas):
            if number != canary:
                replica.do(partial(replica.arms.enter, "A")).result()
        chosen, limit = self._replicas[canary], self.canary.plan.max_lag_s
        chosen.arms.cancel = self._cancel
        if limit is not None and is_built_live(self.canary.plan.treatment):
            targets = {replica.name: replica.target for replica in self._replicas}
            with LagWatch(targets, limit) as watch:
                chosen.arms.stop = watch.crossed
                chosen.do(partial(chosen.arms.enter, "B")).result()
        else:
            chosen.do(partial(chosen.arms.enter, "B")).result()

    def _restart(self) -> None:
        """One after the other: clients always have a replica left."""
        if not self.canary.plan.trial.restart:
            return
        for replica in self._replicas:
            replica.do(partial(replica.arms.restart, self._cancel)).result()

    def _check(self, windows: Sequence[Window]) -> None:
        """The safety limits, on every replica: whoever suffers, all are reverted."""
        at_once(
            self._replicas,
            lambda replica, _: replica.check_guards(windows[self._replicas.index(replica)]),
            self._cancel,
        )
        self._check_lag(windows)

    def _check_lag(self, windows: Sequence[Window]) -> None:
        series = []
        for replica, window in zip(self._replicas, windows, strict=True):
            with replica.record.reader() as session:
                series.append(read_csns(session, window, replica.target))
        measured = lags(series)
        for replica, window, lag in zip(self._replicas, windows, measured, strict=True):
            store_lag(replica.writer, window, replica.target, lag)
        largest = max(measured, key=lambda lag: lag.largest_s)
        late = self._replicas[measured.index(largest)]
        seen = max(self.canary.largest_lag_s, largest.largest_s)
        self._note(largest_lag_s=seen)
        limit = self.canary.plan.max_lag_s
        if limit is not None and largest.largest_s > limit:
            raise ExperimentError(
                Message(
                    "A safety limit was crossed: {replica} was {lag:.1f} s behind the others.",
                    replica=late.name,
                    lag=largest.largest_s,
                ),
                remedy=Message("Choose a treatment that costs less, or another limit."),
            )

    def _harmful(self) -> bool:
        """After each whole block: whether to go on would only do harm."""
        done = len(self.canary.windows)
        if done % self.canary.plan.replicas or done == len(self.canary.plan.windows):
            return False
        p = harm_so_far(self.canary, self._replicas)
        self._note(harm_p=p)
        if p > HARM:
            return False
        said = Message(
            "Ended after {blocks} of {planned} blocks: the canary was worse than its controls "
            "(one-sided p = {p:.2g}).",
            blocks=self.canary.whole_blocks,
            planned=self.canary.plan.blocks,
            p=p,
        )
        self._say(said)
        self._note(remarks=(*self.canary.remarks, said))
        return True

    def _again(self, index: int, error: WorkbenchError) -> None:
        self._cancel.check()
        if self._repeated >= self.canary.plan.trial.repeats:
            raise error
        self._repeated += 1
        said = Message("Window {number} is measured again: {why}", number=index + 1, why=error.what)
        self._say(said)
        at_once(self._replicas, lambda replica, _: replica.begin_again(said), self._cancel)
        self._note(remarks=(*self.canary.remarks, said))

    def _judge(self) -> None:
        self._say(Message("Judging"))
        verdict = judge_canary(self.canary, self._replicas)
        in_force = self._in_force(lambda replica: replica.in_force_now())
        self._note(verdict=verdict, left_stored=self._left_stored(), in_force=in_force)
        for replica in self._replicas:
            replica.record.enter(State.DECIDING, verdict=verdict)

    def _choose(self) -> Then:
        verdict, then = self.canary.verdict, self.canary.plan.trial.then
        assert verdict is not None
        return choose(then, verdict, self._decide)

    def _end(self, then: Then) -> None:
        """On all replicas, one after the other."""
        keep = then is Then.KEEP
        for replica in self._replicas:
            work = replica.arms.keep if keep else replica.arms.leave
            replica.do(work).result()
            self._any_kept |= keep
        state, outcome = (State.KEPT, Outcome.KEPT) if keep else (State.REVERTED, Outcome.REVERTED)
        for replica in self._replicas:
            replica.end(state, self.canary.verdict, NOTHING)
        in_force = self._in_force(lambda replica: replica.in_force_at_end())
        self._note(outcome=outcome, left_stored=self._left_stored(), in_force=in_force)
        self._remember()

    def _remember(self) -> None:
        """Lines of history; the canary has ended, whatever becomes of them."""
        try:
            for replica in self._replicas:
                replica.remember(self.canary.began_ns, str(self.canary.output))
        except OSError as error:
            self._say(Message("The history could not be written: {why}.", why=str(error)))

    def _abort(self, error: BaseException) -> BaseException:
        """Every server first, by its journal alone; then the sessions, and the words."""
        restored = [replica.do(replica.put_back) for replica in self._replicas]
        after = [future.result() for future in restored]
        for replica in self._replicas:
            replica.end_load()
        why = (
            error.what
            if isinstance(error, WorkbenchError)
            else Message("A defect in the workbench.")
        )
        explained = _explained(error, self._replicas, after, any_kept=self._any_kept)
        try:
            for replica, aftermath in zip(self._replicas, after, strict=True):
                if aftermath.changes:
                    replica.record.remember("reverted", aftermath.changes)
                replica.end(State.ABORTED, None, sentences(why, aftermath.server))
            left = self._left_stored()
            self._note(outcome=Outcome.ABORTED, why=why, left_stored=left, in_force=())
        except Exception as second:  # noqa: BLE001 - a full disk, for one; the servers come first
            explained.add_note(str(second))
        return explained

    def _left_stored(self) -> tuple[Message, ...]:
        every = [
            (replica.name, replica.record.experiment.left_stored) for replica in self._replicas
        ]
        return _of_replicas(every)

    def _in_force(self, read: Callable[[Replica], InForce]) -> tuple[Message, ...]:
        every = [(replica, replica.do(partial(read, replica))) for replica in self._replicas]
        return _of_replicas([(replica.name, future.result().lines) for replica, future in every])

    def _say(self, text: Message) -> None:
        self._progress(Progress(text))

    def _note(self, **changes: object) -> None:
        """Durable first, then acted upon."""
        self.canary = replace(self.canary, **changes)  # type: ignore[arg-type]
        CANARIES.write(self.canary)
        self._on_change(self.canary)


def _of_replicas(left: Sequence[tuple[str, Sequence[Message]]]) -> tuple[Message, ...]:
    """What is left stored on each replica where anything is."""
    return tuple(
        Message("{replica}: {what}", replica=name, what=sentences(*said))
        for name, said in left
        if said
    )


def _explained(
    error: BaseException, replicas: Sequence[Replica], after: Sequence[Aftermath], *, any_kept: bool
) -> BaseException:
    """The error with what is true of every replica."""
    pairs = list(zip(replicas, after, strict=True))
    broken = [(replica, state) for replica, state in pairs if not state.as_before]
    left = _of_replicas([(replica.name, state.left) for replica, state in pairs])
    all_are = Message("All replicas are as they were before.")
    safe = sentences(after_reverts(left, all_are), IN_SESSION)
    if any_kept:
        safe = Message("Replicas on which the change was kept before have it; see the journal.")
    if broken:
        states = (Message("{replica}: {what}", replica=r.name, what=a.server) for r, a in broken)
        safe = sentences(*states)
    if isinstance(error, CancelledError) and broken:
        remedies = sentences(*(state.remedy for _, state in broken))
        return ChangeError(error.what, safe=safe, remedy=remedies)
    if isinstance(error, WorkbenchError):
        error.safe = safe
        error.remedy = sentences(*(state.remedy for _, state in broken), error.remedy)
    else:
        error.add_note(str(safe))
    return error
