"""The canary at work: its job with links of its own, its question to the operator, its page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing

from PySide6.QtCore import QObject, Slot

from ldap_workbench.campaign import Canary, connected_replicas
from ldap_workbench.campaign.canary_begin import Connect, Servers
from ldap_workbench.campaign.canary_report import write_report
from ldap_workbench.figures.running_canary import RunningCanary
from ldap_workbench.gui.canary.run_page import CanaryRunPage
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.execution import Execution, Work
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.target import Target, connect

KEY = "canary"
"""Under which its jobs run, one after the other."""


def connecting(workbench: Workbench) -> Connect:
    """Connects to the server of a profile, with a link of its own; to be called in a worker."""

    def to(name: str) -> AbstractContextManager[Target]:
        profile = workbench.profiles.get(name)
        return closing(connect(profile, workbench.secrets))

    return to


class CanaryExecution(Execution):
    """One canary at a time, which may wait for an answer to its verdict."""

    latest: RunningCanary | None
    _page: CanaryRunPage

    def __init__(self, workbench: Workbench, page: CanaryRunPage, parent: QObject) -> None:
        super().__init__(workbench, page, parent)
        self._question: Question | None = None

    def begin(self, canary: Canary, *, offline: bool) -> None:
        """Run it, from where it stands to its end."""
        run = RunningCanary(canary, self._ask)
        self._begin(self.tr("Canary"), run, self._on_replicas(run.run, canary, offline=offline))

    def revert_all(self, canary: Canary) -> None:
        """End one that was interrupted, with every replica as it was before it."""
        run = RunningCanary(canary, self._ask)
        work = self._on_replicas(run.revert_all, canary, offline=True)
        self._begin(self.tr("Reverting the canary"), run, work)
        self._page.stopping()

    def stop(self) -> None:
        """End the run; all replicas are reverted."""
        super().stop()
        self.answer(Then.REVERT)

    def waits(self) -> bool:
        """Whether the run waits for an answer to its verdict."""
        return self._question is not None

    def wait_for(self, question: Question) -> Canary:
        """The run waits for an answer to its verdict."""
        assert self.latest is not None
        self._question = question
        if self._job:
            self._job.progressed.emit(Progress(Message("Waiting for your decision")))
        return self.latest.canary

    def answer(self, then: Then) -> bool:
        """Let a run that waits go on; False where none does."""
        question, self._question = self._question, None
        if question:
            question.answer(then)
        return question is not None

    def _ask(self, verdict: Verdict) -> Then | None:
        """In the worker."""
        answer: Then | None = self._workbench.prompts.ask("canary", verdict)
        return answer

    def _on_replicas(
        self, do: Callable[[Servers, OnProgress, Cancel], Canary], canary: Canary, *, offline: bool
    ) -> Work:
        """With every replica connected; the report is beside the session when it has ended."""
        bench = self._workbench
        names = [seat.profile for seat in canary.seats]

        def work(progress: OnProgress, cancel: Cancel) -> Canary:
            progress(Progress(Message("Connecting to {names:list}", names=tuple(names))))
            journal = bench.journal.file()
            with connected_replicas(names, connecting(bench), journal, offline=offline) as servers:
                done = do(servers, progress, cancel)
            write_report(done, done.output.with_suffix(".md"))
            return done

        return work

    def _start(self, title: str, work: Work, **listeners: Callable[..., None]) -> Job:
        return self._workbench.runner.start(KEY, title, work, **listeners)

    def _server(self) -> str:
        assert self.latest is not None
        return ", ".join(seat.profile for seat in self.latest.canary.seats)

    def _show_begun(self) -> None:
        assert self.latest is not None
        self._page.begin(self.latest)

    def _show_beat(self) -> None:
        assert self.latest is not None
        self._page.beat(self.latest)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        stopped = self.tr("The canary was stopped; all replicas are as they were before.")
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)

    def _end(self) -> None:
        self._question = None
        super()._end()
