"""The campaign at work: its job in the server's thread, and the page that shows it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Slot

from ldap_workbench.campaign.begin import resumable
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.screens.campaign.running import RunningCampaign
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.execution import Execution, Work
from ldap_workbench.gui.workbench.same_server import agree_to_url
from ldap_workbench.model.progress import Cancel, OnProgress


class CampaignExecution(Execution):
    """One campaign at a time, run to its end or reverted."""

    latest: RunningCampaign | None
    _reverts = False
    """Whether the operator has asked for the server as it was before the campaign."""

    def begin(self, campaign: Campaign) -> None:
        """Run it, from where it stands to its end."""
        connection = self._workbench.connection
        assert connection is not None
        facts = connection.target.facts
        run = RunningCampaign(campaign, lambda: LiveFeed(facts.device), facts.clock_rate)
        self._reverts = False
        self._begin(
            self.tr("Campaign"),
            run,
            lambda c, progress, cancel: run.run(c.target, c.tuner, progress, cancel),
        )

    def revert_all(self, campaign: Campaign) -> None:
        """End one that is not at work, with the server as it was before it."""
        self._reverts = True
        title, run, revert = self._reverting(RunningCampaign(campaign, LiveFeed))
        prompts = self._workbench.prompts

        def work(connection: Connection, progress: OnProgress, cancel: Cancel) -> Campaign:
            resumable(Path(campaign.output), connection.tuner)
            agree_to_url(connection.tuner, prompts)
            reverted: Campaign = revert(connection, progress, cancel)
            return reverted

        self._begin(title, run, work)
        self._page.stopping()

    def stop(self) -> None:
        """End it: the experiment at work and all that stayed are reverted."""
        if self._job:
            self._reverts = True
            super().stop()

    def _reverting(self, run: RunningCampaign) -> tuple[str, RunningCampaign, Work]:
        return (
            self.tr("Reverting the campaign"),
            run,
            lambda c, progress, cancel: run.revert_all(c.target, c.tuner, progress, cancel),
        )

    @Slot()
    def _on_cancelled(self) -> None:
        """The experiment at work has been reverted; what stayed before it is still there."""
        if self._reverts and self.latest and self._workbench.connection:
            self._ask_server(*self._reverting(self.latest))
            return
        self._end()
        self._page.show_outcome(self.tr("The campaign was interrupted. It can be resumed."))
