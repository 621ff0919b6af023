"""Campaign: several treatments one after the other, what stayed confirmed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ldap_workbench.campaign import (
    Campaign,
    describe,
    new_campaign,
    resumable,
    stored_campaigns,
)
from ldap_workbench.figures.session_summary import describe_server
from ldap_workbench.gui.campaign.execution import CampaignExecution
from ldap_workbench.gui.campaign.queue_page import QueuePage
from ldap_workbench.gui.campaign.result_page import ResultPage
from ldap_workbench.gui.campaign.run_page import CampaignRunPage
from ldap_workbench.gui.campaign.writer import write_change, write_report
from ldap_workbench.gui.experiment.steps import StepBar
from ldap_workbench.gui.free_path import free_path
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.consent import ConsentBox
from ldap_workbench.gui.widgets.empty import EmptyState
from ldap_workbench.gui.widgets.pages import Pages
from ldap_workbench.gui.workbench import Connection, Workbench
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.tuning import PlannedChange

QUEUE, RUN, RESULT = range(3)


@dataclass(frozen=True)
class _Asked:
    """What is to be agreed to: a campaign, and everything it may write on the server."""

    campaign: Campaign
    changes: tuple[PlannedChange, ...]


class CampaignScreen(Screen):
    """A campaign from its queue to what was confirmed; goes on while you look elsewhere."""

    name = "campaign"
    icon = "campaign"
    title = Message("Campaign")

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        self.set_subtitle(
            self.tr("Several changes, one after the other; those that help are confirmed together")
        )
        self.queue = QueuePage(workbench)
        self.run = CampaignRunPage()
        self.result = ResultPage()
        self.splits = (self.run.trial.split,)
        self.execution = CampaignExecution(workbench, self.run, self)
        self.bar = StepBar((self.tr("Queue"), self.tr("Run"), self.tr("Result")))
        self.pages = Pages()
        for page in (self.queue, self.run, self.result):
            self.pages.add(page)
        self._body = QWidget()
        whole = QVBoxLayout(self._body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self.bar)
        whole.addWidget(self.pages, 1)
        self._stored: list[Campaign] = []
        self._empty = EmptyState(
            "campaign",
            self.tr("No server is connected"),
            self.tr(
                "Connect to a server to try several changes in one go: each is tested alone, "
                "improvements are kept, and at the end all kept changes are confirmed together "
                "on fresh windows."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        self._connect()
        self._go_to(QUEUE)

    def running(self) -> bool:
        """Whether a campaign is at work."""
        return self.execution.at_work()

    def shown(self) -> None:
        self.reload()

    def reload(self) -> None:
        title = self.tr("Reading the campaigns")
        self.workbench.start("campaigns", title, lambda _, __: stored_campaigns(), self._on_stored)

    def step(self) -> int:
        """The page that is seen."""
        return self.pages.currentIndex()

    def go_to(self, step: int) -> None:
        """Show a page."""
        self._go_to(step)

    def stop(self) -> None:
        """End the campaign; the server is put back to what it was before it."""
        self.execution.stop()

    @Slot()
    def start(self) -> None:
        """Begin what the queue page says, after a last look at all it may write."""
        try:
            plan, path = self.queue.plan(), self.queue.path()
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        self._check(lambda c: new_campaign(plan, c.target, c.tuner, path))

    @Slot(object)
    def resume(self, campaign: Campaign) -> None:
        """Go on with one that was interrupted."""
        path = Path(campaign.output)
        self._check(lambda c: resumable(path, c.tuner))

    @Slot(object)
    def revert(self, campaign: Campaign) -> None:
        """End one that was interrupted, with the server as it was before."""
        box = ConsentBox(
            self.tr("Revert the campaign"),
            self.tr("This reverts all kept changes on {server}:").format(server=campaign.server),
            "\n".join(campaign.entries[index].treatment for index in campaign.kept)
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

    def _may_begin(self) -> bool:
        bench = self.workbench
        if bench.connection is None or bench.read_only:
            bench.show_status(self.tr("Connect to the server first, and turn off read-only mode."))
            return False
        if not bench.may_change_a_server():
            return False
        if bench.running.run:
            bench.show_status(self.tr("An experiment is already running."))
            return False
        return True

    @Slot(object)
    def _on_checked(self, asked: _Asked) -> None:
        connection = self.workbench.connection
        if connection is None or not self._may_begin():
            return
        words = self.tr("This changes the server {server}, one at a time:")
        box = ConsentBox(
            self.tr("Start the campaign"),
            words.format(server=connection.profile.ldap_url),
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
            self.execution.begin(asked.campaign)

    def _consequences(self, asked: _Asked, connection: Connection) -> list[str]:
        writes = [shown(change.describe()) for change in asked.changes if change.writes]
        rate = connection.target.facts.clock_rate
        cost = [shown(line) for line in describe(asked.campaign.plan, rate)]
        kept = self.tr("Each change is recorded in the journal before it is made.")
        return ["\n".join(writes), "\n".join(cost[len(asked.campaign.plan.candidates) :]), kept]

    @Slot()
    def _on_connection(self) -> None:
        connection = self.workbench.connection
        self.queue.queue.clear()
        if connection:
            self.set_subtitle(describe_server(connection.target.facts))
            self.queue.queue.set_knobs([knob.name for knob in connection.tuner.catalogue.knobs])
            self._suggest_path()
        self._show_stored()

    def _suggest_path(self) -> None:
        if connection := self.workbench.connection:
            stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M")
            name = f"{connection.profile.name}-campaign-{stamp}"
            self.queue.set_path(free_path(self.workbench.settings.new_folder, name))

    @Slot(object)
    def _on_stored(self, found: tuple[list[Campaign], int]) -> None:
        self._stored, unread = found
        self._show_stored()
        if unread:
            self.workbench.show_status(
                self.tr("Campaigns that cannot be read: {n}").format(n=unread)
            )

    def _show_stored(self) -> None:
        connection = self.workbench.connection
        here = connection.target.facts.identity if connection else ""
        self.result.set_stored(self._stored, here)
        self.show_body(self._body if connection or self._stored else self._empty)
        if not connection and self._stored and not self.running():
            self._go_to(RESULT)
        self._go_to(self.step())

    def _go_to(self, step: int) -> None:
        reachable = {QUEUE} if self.workbench.connection and not self.running() else set()
        reachable |= {RUN} if self.execution.latest else set()
        reachable |= {RESULT} if self._stored else set()
        self.pages.show_number(step)
        self.bar.show_step(step, reachable | {step})

    @Slot()
    def _on_begun(self) -> None:
        self._go_to(RUN)

    @Slot()
    def _on_ended(self) -> None:
        latest = self.execution.latest
        self.queue.draw_again()
        self._suggest_path()
        self.workbench.journal.reload()
        if latest and latest.campaign.ended:
            self._put_stored(latest.campaign)
            self.result.choose(latest.campaign.output)
            self._go_to(RESULT)
        self.reload()

    def _put_stored(self, campaign: Campaign) -> None:
        others = [each for each in self._stored if each.output != campaign.output]
        self._stored = sorted([campaign, *others], key=lambda each: -each.began_ns)
        self._show_stored()

    @Slot(object, object)
    def _on_report(self, campaign: Campaign, path: Path) -> None:
        title = self.tr("Writing {name}").format(name=path.name)
        work = write_report(campaign, path)
        self.workbench.start("campaigns", title, lambda _, __: work(), self._on_written)

    @Slot(object, object)
    def _on_change(self, campaign: Campaign, folder: Path) -> None:
        title = self.tr("Writing the change")
        work = write_change(campaign, folder)
        self.workbench.start("campaigns", title, lambda _, __: work(), self._on_written)

    @Slot(object)
    def _on_written(self, paths: Sequence[Path]) -> None:
        names = ", ".join(path.name for path in paths)
        folder = paths[0].parent if paths else ""
        self.workbench.show_status(
            self.tr("Written to {folder}: {names}").format(folder=folder, names=names)
        )

    def _connect(self) -> None:
        self.bar.wanted.connect(self.go_to)
        self.queue.startWanted.connect(self.start)
        self.run.stopWanted.connect(self.workbench.running.stopWanted)
        self.execution.begun.connect(self._on_begun)
        self.execution.ended.connect(self._on_ended)
        self.result.sessionWanted.connect(self.workbench.open_session)
        self.result.resumeWanted.connect(self.resume)
        self.result.revertWanted.connect(self.revert)
        self.result.reportWanted.connect(self._on_report)
        self.result.changeWanted.connect(self._on_change)
        self.workbench.connectionChanged.connect(self._on_connection)


def _asked(connection: Connection, campaign: Campaign) -> _Asked:
    planned = [
        change
        for candidate in campaign.plan.candidates
        for change in connection.tuner.plan(candidate.treatment)
    ]
    return _Asked(campaign, tuple(planned))
