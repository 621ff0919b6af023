"""Step 2: the queue with what became of each, and below it the experiment at work."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ldap_workbench.campaign.state import Campaign
from ldap_workbench.figures.verdict.campaign_view import AT_WORK, end_of, step_of, trial_rows
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.campaign.running import RunningCampaign
from ldap_workbench.gui.screens.experiment.run_page import RunPage
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.progress import Progress

_ROWS = 6


class CampaignRunPage(QWidget):
    """*Signals:* stopWanted(), pauseWanted(bool)."""

    stopWanted = Signal()
    pauseWanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._shown: Campaign | None = None
        self._plan: Plan | None = None
        self._where = label("", "heading", wrap=True)
        self._end = label("", "dim", wrap=True)
        name = self.tr("The queue and what became of each")
        self.table = RowsTable(name, AT_WORK, stretch=1)
        self.trial = RunPage()
        self.trial.split.setObjectName("campaign run parts")  # its size is kept by name
        self.trial.stopWanted.connect(self.stopWanted)
        self.trial.pauseWanted.connect(self.pauseWanted)
        self._lay_out()

    def begin(self, running: RunningCampaign) -> None:
        """A campaign starts, or goes on."""
        self._shown = self._plan = None
        self.trial.begin(running.plan)
        self.beat(running)

    def beat(self, running: RunningCampaign) -> None:
        """Show where it is now."""
        campaign, trial = running.campaign, running.trial
        if campaign is not self._shown:
            self._shown = campaign
            self.table.rows.set_rows(trial_rows(campaign))
            self.table.fit_height(_ROWS)
        self._where.setText(shown(step_of(campaign)))
        now = datetime.now().astimezone()
        self._end.setText(shown(end_of(campaign, running.experiment, running.clock_rate, now)))
        if trial is None:
            return
        if trial.plan is not self._plan:
            self._plan = trial.plan
            self.trial.begin(trial.plan)
        self.trial.beat(trial)

    def show_progress(self, progress: Progress) -> None:
        """What the work says."""
        self.trial.show_progress(progress)

    def stopping(self) -> None:
        """The operator has asked to stop."""
        self.trial.stopping()

    def show_outcome(self, text: str) -> None:
        """How it ended."""
        self._where.setText(text)
        self._end.clear()
        self.trial.show_outcome(text)

    def _lay_out(self) -> None:
        column(
            column(self._where, self._end, spacing=2),
            self.table,
            (self.trial, 1),
            on=self,
            margins=0,
            spacing=10,
        )
