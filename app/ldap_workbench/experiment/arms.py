"""The server in one arm or the other: the treatment applied, proved, reverted or kept.

The restarts of an experiment, and whether the server was started with the treatment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from ldap_workbench.experiment.guards import BuildLimits
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.change import left_stored
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.window import Mark
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.link import over_any_link
from ldap_workbench.tuning.restart import restart, wait_for_restart
from ldap_workbench.tuning.tuner import Tuner


class Arms:
    """Brings the server from one arm to the other, alike every time. Arm A is as it was before."""

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        record: Record,
        restarts: Restarts,
        progress: OnProgress,
    ) -> None:
        self._target = target
        self._tuner = tuner
        self._record = record
        self._plan = record.plan
        self._restarts = restarts
        self._report_progress = progress
        self.cancel = Cancel()
        """Ends the build of an index that is under way; what it has made is undone."""
        self.stop: Callable[[], Message] = lambda: NOTHING
        """Which limit has been crossed elsewhere, which ends such a build, too."""
        self.on_purpose: Callable[[], AbstractContextManager[None]] = nullcontext
        """Entered while the server is stopped on purpose."""
        self.offline = False
        """Whether the server is stopped to apply the treatment, and to revert it."""
        self._group: str | None = None
        """The open application of the treatment; None while the server is as it was."""
        self.decided_to_keep = False
        """Whether the operator's decision to keep the change is in the journal."""

    @property
    def treated(self) -> bool:
        """Whether the treatment is applied; another thread may ask."""
        return self._group is not None

    def is_in(self, arm: str) -> bool:
        """Whether nothing has to be applied or reverted for an arm."""
        return self._plan.changes_nothing or (arm == "B") == self.treated

    def enter(self, arm: str) -> None:
        """Apply or revert the treatment where the server is in the other arm."""
        if self.is_in(arm):
            return
        if arm == "B":
            self._apply()
        else:
            self._revert()

    def restart(self, cancel: Cancel) -> None:
        """Restart the server in the arm it is in; prove the treatment where it is applied."""
        self._record.enter(State.RESTARTING)
        with self.on_purpose():
            self._restarts.restart(cancel, with_treatment=self._group is not None)
        if self._group is not None:
            self._prove(self._group)

    def keep(self) -> None:
        """Leave the treatment in force, for good."""
        self.enter("B")
        assert self._group is not None
        changes = self._tuner.keep(self._group)
        self._group, self.decided_to_keep = None, True
        self._record.remember("kept", changes)
        if self._plan.restart:
            self._restart_at_end(with_treatment=True)

    def leave(self) -> None:
        """Take the treatment back, and restart a server that was started with it."""
        self.enter("A")
        if self._restarts.with_treatment:
            self._restart_at_end(with_treatment=False)

    def put_back(self) -> None:
        """As after a broken link: by the journal, whatever is in force. Raises WorkbenchError."""
        with self._stopping():
            changes = self._tuner.put_back(self._report_progress)
        self._group = None
        self._note_left(left_stored(changes))

    @property
    def restart_in_abort(self) -> Callable[[], None] | None:
        """What restarts a server that was started with the treatment; None where none was."""
        return self._restarts.restart_in_abort if self._restarts.with_treatment else None

    def _apply(self) -> None:
        record = self._record
        record.enter(State.APPLYING)
        self._report_progress(
            Progress(Message("Applying {treatment}", treatment=str(self._plan.treatment)))
        )
        limits = BuildLimits(
            self._target, self._plan.guards, self._report_progress, self.cancel, self.stop
        )
        treatment = self._plan.treatment
        with self._stopping():
            applied = self._tuner.apply(treatment, session=record.session, progress=limits)
        self._group = applied.group
        groups = (*record.experiment.change_groups, applied.group)
        remarks = record.experiment.remarks
        new = tuple(change.after_revert for change in applied.changes if change.after_revert)
        remarks += tuple(remark for remark in new if remark not in remarks)
        record.enter(State.APPLYING, change_groups=groups, remarks=remarks)
        self._note_left(new)
        record.remember("applied", applied.changes)

    def _revert(self) -> None:
        assert self._group is not None
        self._record.enter(State.REVERTING)
        self._report_progress(
            Progress(Message("Reverting {treatment}", treatment=str(self._plan.treatment)))
        )
        group = self._group
        with self._stopping():
            changes = over_any_link(
                self._target,
                lambda: self._tuner.revert(group, progress=self._report_progress),
                patience_s=self._plan.patience_s,
                progress=self._report_progress,
            )
        self._group = None
        self._note_left(left_stored(changes))
        self._record.remember("reverted", changes)

    def _stopping(self) -> AbstractContextManager[None]:
        return self.on_purpose() if self.offline else nullcontext()

    def _note_left(self, left: Sequence[Message]) -> None:
        """Of every application: the second finds stored what the first one's revert has left."""
        experiment = self._record.experiment
        known = experiment.left_stored
        if new := tuple(remark for remark in left if remark not in known):
            self._record.enter(experiment.state, left_stored=(*known, *new))

    def _prove(self, group: str) -> None:
        """After a restart the treatment must be in force; without that a verdict is worthless."""
        for result in self._tuner.prove(group):
            self._record.mark("proof", result.sentence)
            if result.effective is False:
                raise ExperimentError(
                    Message(
                        "The treatment is stored but not in force: {sentence}",
                        sentence=result.sentence,
                    ),
                    remedy=Message("Read the server's log for the cause, or choose another value."),
                )

    def _restart_at_end(self, *, with_treatment: bool) -> None:
        """Nothing cancels it: the server must end as the experiment says it does."""
        self._record.enter(State.RESTARTING)
        with self.on_purpose():
            self._restarts.restart(Cancel(), with_treatment=with_treatment)


class Restarts:
    """Restarts a target and marks it in the session. Used from the target's thread."""

    def __init__(
        self,
        target: Target,
        writer: SessionWriter,
        progress: OnProgress,
        *,
        with_treatment: bool,
        wait_s: float,
    ) -> None:
        self._target = target
        self._writer = writer
        self._report_progress = progress
        self._wait_s = wait_s
        self.with_treatment = with_treatment
        """Whether the server was started while the treatment was stored in it."""

    def restart(self, cancel: Cancel, *, with_treatment: bool) -> None:
        """By the profile's command, else by the operator, who is told and waited for."""
        # From now on, for a restart that fails may have been one all the same.
        self.with_treatment |= with_treatment
        if self._target.profile.restart_command:
            self._by_command(cancel)
        else:
            wait_for_restart(self._target, cancel, progress=self._report_progress)
        self.with_treatment = with_treatment
        said = Message("The experiment restarted the server.")
        self._writer.add_mark(Mark(self._target.now_ns(), "restart", said))

    def restart_in_abort(self) -> None:
        """By the profile's command only: nobody may be there to do it by hand."""
        self._by_command(Cancel())
        self.with_treatment = False

    def _by_command(self, cancel: Cancel) -> None:
        restart(self._target, progress=self._report_progress, cancel=cancel, timeout_s=self._wait_s)
