"""Campaign: several treatments one after the other, what stayed confirmed as a whole.

The screen, and the campaign at work: its job in the server's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction

from ldap_workbench.campaign.description import describe
from ldap_workbench.campaign.state import CAMPAIGNS, Campaign, new_campaign, resumable
from ldap_workbench.experiment.guards import LAG_S
from ldap_workbench.experiment.lag_watch import watch_replicas
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.campaign.queue_page import QueuePage
from ldap_workbench.gui.screens.campaign.result_page import ResultPage
from ldap_workbench.gui.screens.campaign.run_page import CampaignRunPage
from ldap_workbench.gui.screens.campaign.running import RunningCampaign
from ldap_workbench.gui.screens.report.pdf import print_pdf
from ldap_workbench.gui.screens.series.screen import PLAN, RESULT, RUN, SeriesScreen
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.execution import (
    Execution,
    Work,
    agree_to_url,
    connecting,
)
from ldap_workbench.gui.workbench.places import TABS
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.tuning.plan import PlannedChange

_Write = Callable[[], list[Path]]


class CampaignExecution(Execution):
    """One campaign at a time, run to its end or reverted."""

    latest: RunningCampaign | None
    _reverts = False
    """Whether the operator has asked for the server as it was before the campaign."""

    def begin(self, campaign: Campaign, replicas: Sequence[str] = ()) -> None:
        """Run it, from where it stands to its end; `replicas` are profiles where it limits lag."""
        connection = self._workbench.connection
        assert connection is not None
        facts = connection.target.facts
        run = RunningCampaign(campaign, lambda: LiveFeed(facts.device), facts.clock_rate)
        self._reverts = False
        limit, connect = campaign.plan.trial.guards.get(LAG_S), connecting(self._workbench)

        def work(c: Connection, progress: OnProgress, cancel: Cancel) -> Campaign:
            with watch_replicas(c.target, replicas, limit, connect) as lag:
                return run.run(c.target, c.tuner, progress, cancel, lag)

        self._begin(self.tr("Campaign"), run, work)

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


@dataclass(frozen=True)
class _Asked:
    """What is to be agreed to: a campaign, and everything it may write on the server."""

    campaign: Campaign
    changes: tuple[PlannedChange, ...]


class CampaignScreen(SeriesScreen):
    """A campaign from its queue to what was confirmed; goes on while you look elsewhere."""

    name = "campaign"
    execution: CampaignExecution

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.set_subtitle(
            self.tr("Several changes, one after the other; those that help are confirmed together")
        )
        self.queue = QueuePage(workbench)
        self.run = CampaignRunPage()
        self.result = ResultPage()
        self.splits = (self.run.trial.split,)
        self.execution = CampaignExecution(workbench, self.run, self)
        empty = self.empty_state(actions)
        titles = (self.tr("Queue"), self.tr("Run"), self.tr("Result"))
        self._add_pages(titles, self.queue, self.run, self.result, empty)
        self.result.changeWanted.connect(self._on_change)
        self.queue.queue.ladder.toggled.connect(self._show_heading)
        self.result.which.currentIndexChanged.connect(self._show_heading)
        workbench.connectionChanged.connect(self._on_connection)
        self.go_to(PLAN)

    def reload(self) -> None:
        title = self.tr("Reading the campaigns")
        self.workbench.start("campaigns", title, lambda _, __: CAMPAIGNS.all(), self._on_stored)

    @Slot(int)
    def go_to(self, step: int) -> None:
        super().go_to(step)
        self._show_heading()

    @Slot()
    def start(self) -> None:
        try:
            plan, path = self.queue.plan(), self.queue.path()
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        self._check(lambda c: new_campaign(plan, c.target, c.tuner, path))

    @Slot(object)
    def resume(self, campaign: Campaign) -> None:
        path = Path(campaign.output)
        prompts = self.workbench.prompts

        def known(connection: Connection) -> Campaign:
            stored = resumable(path, connection.tuner)
            agree_to_url(connection.tuner, prompts)
            return stored

        self._check(known)

    @Slot(object)
    def revert(self, campaign: Campaign) -> None:
        box = ConsentBox(
            self.tr("Revert the campaign"),
            self.tr("This reverts all kept changes on {server}:").format(
                server=campaign.server_name
            ),
            "\n".join(campaign.entries[index].treatment for index in campaign.to_confirm)
            or self.tr("No change was kept; only an open change is reverted."),
            self.tr("&Revert"),
            self,
        )
        if self._may_begin() and box.agreed():
            self.execution.revert_all(campaign)

    def _check(self, make: Callable[[Connection], Campaign]) -> None:
        if self._may_begin():
            self.workbench.ask_server(
                self.tr("Checking the campaign"),
                lambda c, _, __: _asked(c, make(c)),
                on_done=self._on_checked,
            )

    def _may_plan(self) -> bool:
        return self.workbench.connection is not None

    def _may_begin(self) -> bool:
        if self.workbench.connection is None:
            self.workbench.show_status(self.tr("Connect to the server first."))
            return False
        return super()._may_begin()

    def _latest(self) -> Campaign | None:
        latest = self.execution.latest
        return latest.campaign if latest else None

    def _session_name(self) -> str:
        connection = self.workbench.connection
        return f"{connection.profile.name}-campaign" if connection else "campaign"

    @Slot(object)
    def _on_checked(self, asked: _Asked) -> None:
        connection = self.workbench.connection
        if connection is None or not self._may_begin():
            return
        limits_lag = LAG_S in asked.campaign.plan.trial.guards
        replicas = self.queue.lag.names() if limits_lag else ()
        if limits_lag and not replicas:
            self.go_to(PLAN)
            self.workbench.show_status(
                self.tr("This campaign limits lag: name the profiles of the other replicas first.")
            )
            return
        words = self.tr("This changes the server {server}, one at a time:")
        question = words.format(server=connection.profile.name)
        treatments = [candidate.treatment for candidate in asked.campaign.plan.candidates]
        if user_data := connection.tuner.catalogue.user_data_ahead(treatments):
            question = f"{shown(user_data)}\n\n{question}"
        box = ConsentBox(
            self.tr("Start the campaign"),
            question,
            "\n\n".join(self._consequences(asked, connection)),
            self.tr("&Start"),
            self,
        )
        stops = any(change.offline and change.writes for change in asked.changes)
        if stops:
            box.ask_for_stop()
        agreed = box.agreed()
        connection.tuner.may_stop = agreed and stops
        if agreed:
            self.workbench.settings.new_folder = Path(asked.campaign.output).parent
            self.execution.begin(asked.campaign, replicas)

    def _consequences(self, asked: _Asked, connection: Connection) -> list[str]:
        writes = [shown(change.describe()) for change in asked.changes if change.writes]
        rate = connection.target.facts.clock_rate
        cost = [shown(line) for line in describe(asked.campaign.plan, rate)]
        journal = self.tr("Each change is recorded in the change log before it is made.")
        return ["\n".join(writes), "\n".join(cost[len(asked.campaign.plan.candidates) :]), journal]

    @Slot()
    def _show_heading(self) -> None:
        """What the page that is seen is about: levels of one setting, or several changes."""
        if self.step() == PLAN:
            levels = self.queue.queue.ladder.isChecked()
        else:
            campaign = self._latest() if self.step() == RUN else self.result.chosen
            levels = campaign is not None and bool(campaign.plan.rounds)
        several = shown(TABS[self.name].title)
        self.set_heading(self.tr("Levels of one setting") if levels else several)

    @Slot()
    def _on_connection(self) -> None:
        connection = self.workbench.connection
        self.queue.queue.clear()
        if connection:
            self.set_subtitle(describe_server(connection.target.facts))
            self.queue.queue.set_knobs([knob.name for knob in connection.tuner.catalogue.knobs])
            self._suggest_path()
        self._show_stored()

    @Slot(object)
    def _on_stored(self, answer: tuple[list[Campaign], int]) -> None:
        self._stored, unread = answer
        self._show_stored()
        if unread:
            self.workbench.show_status(
                self.tr("Campaigns that cannot be read: {n}").format(n=unread)
            )

    def _show_stored(self) -> None:
        connection = self.workbench.connection
        here = connection.target.facts.identity if connection else ""
        self.result.set_server(here)
        super()._show_stored()
        self.show_body(self._body if connection or self._stored else self._empty)
        if not connection and self._stored and not self.running():
            self.go_to(RESULT)

    @Slot(object, object)
    def _on_report(self, campaign: Campaign, path: Path) -> None:
        title = self.tr("Writing {name}").format(name=path.name)
        work = _write_report(campaign, path)
        self.workbench.start("campaigns", title, lambda _, __: work(), self._on_written)

    @Slot(object, object)
    def _on_change(self, campaign: Campaign, folder: Path) -> None:
        title = self.tr("Writing the change")
        work = _write_change(campaign, folder)
        self.workbench.start("campaigns", title, lambda _, __: work(), self._on_written)


def _asked(connection: Connection, campaign: Campaign) -> _Asked:
    planned = [
        change
        for candidate in campaign.plan.candidates
        for change in connection.tuner.plan(candidate.treatment)
    ]
    return _Asked(campaign, tuple(planned))


def _write_report(campaign: Campaign, path: Path) -> _Write:
    """The page for a change board; its kind is the path's ending."""

    def work() -> list[Path]:
        from ldap_workbench.report.campaign import write_campaign_report

        return [write_campaign_report(campaign, path, print_pdf)]

    return work


def _write_change(campaign: Campaign, folder: Path) -> _Write:
    """LDIF, a script of dsconf and ldapmodify, and Ansible tasks, to make and to undo it."""

    def work() -> list[Path]:
        from ldap_workbench.report.export import export

        confirmation = campaign.confirmation
        assert confirmation is not None
        return export(confirmation.session, folder, ("ldif", "dsconf", "ansible"))

    return work
