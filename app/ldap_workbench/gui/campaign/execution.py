"""The campaign at work: its job in the server's thread, and the page that shows it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from ldap_workbench.campaign import Campaign
from ldap_workbench.figures.live import LiveFeed
from ldap_workbench.figures.running_campaign import RunningCampaign
from ldap_workbench.gui.campaign.run_page import CampaignRunPage
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import sentences
from ldap_workbench.model.progress import Progress

_BEAT_MS = 500


class CampaignExecution(QObject):
    """One at a time; `latest` stays when it has ended.

    *Signals:* begun(), ended() whatever came of it
    """

    begun = Signal()
    ended = Signal()

    def __init__(self, workbench: Workbench, page: CampaignRunPage, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._page = workbench, page
        self.latest: RunningCampaign | None = None
        self._job: Job | None = None
        self._reverts = False
        """Whether the operator has asked for the server as it was before the campaign."""
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._on_beat)
        page.pauseWanted.connect(self._on_pause)

    def at_work(self) -> bool:
        """Whether a campaign has begun and not ended."""
        return self._job is not None

    def begin(self, campaign: Campaign) -> None:
        """Run it, from where it stands to its end."""
        connection = self._workbench.connection
        assert connection is not None
        facts = connection.target.facts
        run = RunningCampaign(campaign, lambda: LiveFeed(facts.device), facts.clock_rate)
        self.latest, self._reverts = run, False
        self._job = self._ask_server(self.tr("Campaign"), run, reverts=False)
        self._page.begin(run)
        self._timer.start()
        self.begun.emit()

    def revert_all(self, campaign: Campaign) -> None:
        """End one that is not at work, with the server as it was before it."""
        run = RunningCampaign(campaign, LiveFeed)
        self.latest, self._reverts = run, True
        self._job = self._ask_server(self.tr("Reverting the campaign"), run, reverts=True)
        self._page.begin(run)
        self._page.stopping()
        self.begun.emit()

    def stop(self) -> None:
        """End it: the experiment at work and all that stayed are reverted."""
        if self._job:
            self._reverts = True
            self._page.stopping()
            self._job.cancel()

    def _ask_server(self, title: str, run: RunningCampaign, *, reverts: bool) -> Job | None:
        work = run.revert_all if reverts else run.run
        connection = self._workbench.connection
        job = self._workbench.ask_server(
            title,
            lambda c, progress, cancel: work(c.target, c.tuner, progress, cancel),
            on_done=self._on_done,
            on_failed=self._on_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_cancelled,
        )
        server = connection.profile.name if connection else ""
        self._workbench.running.begin(run, job, server, self._workbench)
        return job

    @Slot(bool)
    def _on_pause(self, wanted: bool) -> None:
        """Rest at the next pair, or go on."""
        if self.latest:
            self.latest.pause.ask(wanted)
            self._on_beat()

    @Slot()
    def _on_beat(self) -> None:
        if self.latest:
            self._page.beat(self.latest)
        self._workbench.running.look()

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._page.show_progress(progress)

    @Slot(object)
    def _on_done(self, _: Campaign) -> None:
        self._end()

    @Slot(object)
    def _on_failed(self, error: WorkbenchError) -> None:
        self._end()
        self._page.show_outcome(shown(sentences(error.what, error.safe)))
        self._workbench.fail(error)

    @Slot()
    def _on_cancelled(self) -> None:
        """The experiment at work has been reverted; what stayed before it is still there."""
        if self._reverts and self.latest and self._workbench.connection:
            title = self.tr("Reverting the campaign")
            self._job = self._ask_server(title, self.latest, reverts=True)
            return
        self._end()
        self._page.show_outcome(self.tr("The campaign was interrupted. It can be resumed."))

    def _end(self) -> None:
        self._timer.stop()
        self._on_beat()
        self._job = None
        self._workbench.running.end()
        self.ended.emit()
