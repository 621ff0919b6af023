"""A running campaign: where it is, and the experiment at work with its live strips."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.hours import Pause
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.screens.experiment.running import RunningExperiment
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner


class RunningCampaign:
    """A campaign with what its experiment at work shows; all may be looked at from another thread.

    `make_feed` makes the strips of each experiment; the server's clock runs at `clock_rate`.
    """

    def __init__(
        self, campaign: Campaign, make_feed: Callable[[], LiveFeed], clock_rate: float = 1.0
    ) -> None:
        self.campaign = campaign
        self.clock_rate = clock_rate
        self.pause = Pause()
        self.trial: RunningExperiment | None = None
        self._make_feed = make_feed

    @property
    def experiment(self) -> Experiment | None:
        """The one at work; None before the first."""
        return self.trial.experiment if self.trial else None

    @property
    def plan(self) -> Plan:
        """Of the experiment at work."""
        return self.trial.plan if self.trial else self.campaign.plan.trial

    @property
    def path(self) -> Path:
        """The session of the experiment at work."""
        return self.trial.path if self.trial else Path(self.campaign.output)

    @property
    def sessions(self) -> frozenset[str]:
        return frozenset({str(self.path)})

    def run(
        self,
        target: Target,
        tuner: Tuner,
        progress: OnProgress,
        cancel: Cancel,
        lag: LagWatch | None = None,
    ) -> Campaign:
        """Run to the end. Raises WorkbenchError, CancelledError too, as CampaignRun does."""
        return self._run(target, tuner, progress, cancel, lag).run()

    def revert_all(
        self, target: Target, tuner: Tuner, progress: OnProgress, cancel: Cancel
    ) -> Campaign:
        """End it here, with the server as it was before. Raises WorkbenchError."""
        return self._run(target, tuner, progress, cancel).revert_all()

    def _run(
        self,
        target: Target,
        tuner: Tuner,
        progress: OnProgress,
        cancel: Cancel,
        lag: LagWatch | None = None,
    ) -> CampaignRun:
        return CampaignRun(
            target,
            tuner,
            self.campaign,
            progress=progress,
            cancel=cancel,
            on_change=self._put,
            pause=self.pause,
            make_job=self._make,
            lag=lag,
        )

    def _put(self, campaign: Campaign) -> None:
        self.campaign = campaign

    def _make(self, path: Path, plan: Plan, **how: Any) -> ExperimentJob:
        # What a campaign runs decides by itself: nobody is asked.
        self.trial = RunningExperiment(
            path, plan, self._make_feed(), lambda _: Then.REVERT, self.clock_rate, **how
        )
        return cast(ExperimentJob, self.trial)
