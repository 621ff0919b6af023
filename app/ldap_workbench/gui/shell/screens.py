"""The screens of the window: their classes, and what each offers while it is empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtGui import QAction

from ldap_workbench.gui.parts.widgets.panes import Panes
from ldap_workbench.gui.screens.campaign.screen import CampaignScreen
from ldap_workbench.gui.screens.canary.screen import CanaryScreen
from ldap_workbench.gui.screens.capture.screen import CaptureScreen
from ldap_workbench.gui.screens.experiment.screen import ExperimentScreen
from ldap_workbench.gui.screens.fleet.screen import FleetScreen
from ldap_workbench.gui.screens.journal.screen import JournalScreen
from ldap_workbench.gui.screens.knobs.screen import KnobsScreen
from ldap_workbench.gui.screens.operations.screen import OperationsScreen
from ldap_workbench.gui.screens.overview.screen import OverviewScreen
from ldap_workbench.gui.screens.report.screen import ReportScreen
from ldap_workbench.gui.screens.start.screen import StartScreen
from ldap_workbench.gui.screens.tails.screen import TailsScreen
from ldap_workbench.gui.screens.testlist.screen import TestsScreen
from ldap_workbench.gui.screens.timeline.screen import TimelineScreen
from ldap_workbench.gui.shell.actions import Actions
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench


class Screens(NamedTuple):
    """By their names in the registry of places."""

    start: StartScreen
    capture: CaptureScreen
    overview: OverviewScreen
    timeline: TimelineScreen
    tails: TailsScreen
    operations: OperationsScreen
    knobs: KnobsScreen
    experiment: ExperimentScreen
    campaign: CampaignScreen
    canary: CanaryScreen
    journal: JournalScreen
    tests: TestsScreen
    fleet: FleetScreen
    report: ReportScreen

    def named(self, name: str) -> Screen:
        """A screen by its name: start, capture, timeline, tails, ..."""
        screen: Screen = getattr(self, name)
        return screen

    def panes(self) -> dict[Screen, Panes]:
        """The panes that can be closed, by their screen."""
        screens = (self.timeline, self.tails, self.operations, self.knobs)
        return {screen: screen.panes for screen in screens}


def make_screens(bench: Workbench, actions: Actions, practise: QAction) -> Iterator[Screen]:
    """All but Start, one after the other; an empty screen offers the actions that would fill it."""
    to_session = [actions["open"], actions["logs"], actions["add"]]
    to_server = [actions["add"], practise, actions["open"]]
    yield CaptureScreen(bench, to_server)
    yield OverviewScreen(bench, to_session)
    yield TimelineScreen(bench, to_session)
    yield TailsScreen(bench, [*to_session, actions["compare"]])
    yield OperationsScreen(bench, to_session)
    yield KnobsScreen(bench, to_server)
    experiment = ExperimentScreen(bench, to_server)
    yield experiment
    yield CampaignScreen(bench, to_server)
    yield CanaryScreen(bench, [actions["add"]])
    yield JournalScreen(bench, [])
    yield TestsScreen(bench, experiment.planned_treatment)
    yield FleetScreen(bench)
    yield ReportScreen(bench, to_session)
