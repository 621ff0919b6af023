"""An experiment as a job: what the command and the window run, into one session file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ldap_workbench.capture.live.source import OnLive
from ldap_workbench.connect.desktop import kept_awake
from ldap_workbench.experiment.history import remember_tried
from ldap_workbench.experiment.hours import Hours, Pause
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.experiment.seat import Decision
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window, by_arm
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner


class ExperimentJob:
    """One experiment into a new session file, or on with the one that is stored there.

    `experiment` may be read from another thread. `on_window` is called in the job's own thread
    after each finished window and before the next one begins, while `session` and `arms` can be
    read: whatever it does takes no processor from a window that is measured on this machine.
    """

    def __init__(
        self,
        path: Path,
        plan: Plan,
        *,
        on_live: OnLive | None = None,
        on_window: Callable[[], None] | None = None,
        decide: Decision | None = None,
        resume_from: Experiment | None = None,
        hours: Hours | None = None,
        pause: Pause | None = None,
        campaign: str = "",
        lag: LagWatch | None = None,
    ) -> None:
        self.path = path
        self.plan = plan
        self._on_live = on_live
        self._on_window = on_window
        self._decide = decide
        self._stored = resume_from
        self._hours = hours
        self._pause = pause
        self._campaign = campaign
        self.lag = lag
        self._run: ExperimentRun | None = None
        self._reported = len(resume_from.windows) if resume_from else 0
        self.session: Session | None = None
        """The file, while the experiment runs."""

    @property
    def experiment(self) -> Experiment | None:
        """Its state now; None before it began."""
        return self._run.experiment if self._run else None

    @property
    def verdict(self) -> Verdict | None:
        """What was judged; None before that."""
        return self._run.verdict if self._run else None

    def run(self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel) -> Experiment:
        """Run to kept or reverted, alone on the server.

        Raises WorkbenchError after putting the server back.
        """

        def report(step: Progress) -> None:
            progress(step)
            self._look()

        began_ns = time.time_ns()
        with (
            kept_awake(),
            tuner.locked(),
            self._open(target) as writer,
            writer.reader(follows=True) as self.session,
        ):
            self._run = ExperimentRun(
                target,
                tuner,
                writer,
                self.plan,
                progress=report,
                cancel=cancel,
                on_live=self._on_live,
                decide=self._decide,
                resume_from=self._stored,
                hours=self._hours,
                pause=self._pause,
                lag=self.lag,
            )
            try:
                return self._run.run()
            finally:
                self.session = None
                self._remember(target, tuner, began_ns, progress)

    def arms(self) -> tuple[list[Window], list[Window]]:
        """The finished windows of arm A and of arm B, while the experiment runs."""
        assert self.session is not None
        assert self.experiment is not None
        measured = set(self.experiment.windows)
        windows = [window for window in self.session.windows() if window.id in measured]
        return by_arm(windows)

    def _remember(self, target: Target, tuner: Tuner, began_ns: int, progress: OnProgress) -> None:
        """A line of history. The experiment has ended, whatever becomes of the line."""
        assert self.experiment is not None
        if not self.experiment.state.ended or self.plan.changes_nothing:
            return
        try:
            remember_tried(
                self.experiment,
                server=tuner.server,
                identity=tuner.identity,
                profile=target.profile.name,
                session=str(self.path.resolve()),
                began_ns=began_ns,
                ended_ns=time.time_ns(),
                campaign=self._campaign,
            )
        except OSError as error:
            progress(Progress(Message("The history could not be written: {why}.", why=str(error))))

    def _open(self, target: Target) -> SessionWriter:
        if self._stored:
            return SessionWriter.append(self.path)
        return SessionWriter.create(self.path, target.facts)

    def _look(self) -> None:
        done = len(self.experiment.windows) if self.experiment else 0
        if done != self._reported and self._on_window:
            self._reported = done
            self._on_window()
