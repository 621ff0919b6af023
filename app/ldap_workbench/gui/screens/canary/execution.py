"""The canary at work: its job with links of its own, its question to the operator, its page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing

from PySide6.QtCore import Slot

from ldap_workbench.campaign.canary import Canary
from ldap_workbench.campaign.canary_begin import (
    Connect,
    Servers,
    connected_replicas,
    refuse_other_servers,
)
from ldap_workbench.campaign.canary_report import write_report
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.screens.canary.running import RunningCanary
from ldap_workbench.gui.workbench.execution import DecidableExecution, Work, agree_to_url
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.servers.target import Target, connect

KEY = "canary"
"""Under which its jobs run, one after the other."""


def connecting(workbench: Workbench) -> Connect:
    """Connects to the server of a profile, with a link of its own; to be called in a worker."""

    def to(name: str) -> AbstractContextManager[Target]:
        profile = workbench.profiles.get(name)
        return closing(connect(profile, workbench.secrets))

    return to


class CanaryExecution(DecidableExecution):
    """One canary at a time, which may wait for an answer to its verdict."""

    latest: RunningCanary | None
    _question_kind = "canary"

    def begin(self, canary: Canary, *, offline: bool, goes_on: bool = False) -> None:
        """Run it, from where it stands to its end; `goes_on` where it was begun earlier."""
        run = RunningCanary(canary, self._ask)
        work = self._on_replicas(run.run, canary, offline=offline, earlier=goes_on)
        self._begin(self.tr("Canary"), run, work)

    def revert_all(self, canary: Canary) -> None:
        """End one that was interrupted, with every replica as it was before it."""
        run = RunningCanary(canary, self._ask)
        work = self._on_replicas(run.revert_all, canary, offline=True, earlier=True)
        self._begin(self.tr("Reverting the canary"), run, work)
        self._page.stopping()

    def _on_replicas(
        self,
        do: Callable[[Servers, OnProgress, Cancel], Canary],
        canary: Canary,
        *,
        offline: bool,
        earlier: bool,
    ) -> Work:
        """With every replica connected; the report is beside the session when it has ended.

        Begun `earlier`, it goes on where the replicas are still the servers of then.
        """
        bench = self._workbench
        names = [seat.profile for seat in canary.seats]

        def work(progress: OnProgress, cancel: Cancel) -> Canary:
            progress(Progress(Message("Connecting to {names:list}", names=tuple(names))))
            journal = bench.journal.file()
            with connected_replicas(names, connecting(bench), journal, offline=offline) as servers:
                if earlier:
                    refuse_other_servers(canary, servers)
                    for _, tuner in servers:
                        agree_to_url(tuner, bench.prompts)
                done = do(servers, progress, cancel)
            write_report(done, done.output.with_suffix(".md"))
            return done

        return work

    def _start(self, title: str, work: Work, **listeners: Callable[..., None]) -> Job:
        return self._workbench.runner.start(KEY, title, work, kind=type(self).__name__, **listeners)

    def _server(self) -> str:
        assert self.latest is not None
        return ", ".join(seat.profile for seat in self.latest.canary.seats)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        claim = Message("The canary was stopped; all replicas are as they were before.")
        left = self.latest.canary.left_stored if self.latest else ()
        stopped = shown(after_reverts(left, claim, Message("The canary was stopped.")))
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)
