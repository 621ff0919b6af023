"""The screens of the window in the order of the rail, and how one leads to another."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget

from ldap_workbench.figures.clients import ClientRow, words_of
from ldap_workbench.gui.capture.screen import CaptureScreen
from ldap_workbench.gui.clients.screen import ClientsScreen
from ldap_workbench.gui.experiment.screen import ExperimentScreen
from ldap_workbench.gui.experiment.steps import CHANGE, VERDICT
from ldap_workbench.gui.findings.screen import FindingsScreen
from ldap_workbench.gui.history.screen import HistoryScreen
from ldap_workbench.gui.journal.screen import JournalScreen
from ldap_workbench.gui.knobs.screen import KnobsScreen
from ldap_workbench.gui.operations.screen import OperationsScreen
from ldap_workbench.gui.overview.screen import OverviewScreen
from ldap_workbench.gui.report.screen import ReportScreen
from ldap_workbench.gui.shell.actions import Actions
from ldap_workbench.gui.shell.rail import Rail
from ldap_workbench.gui.start.screen import StartScreen
from ldap_workbench.gui.style.theme import apply_style
from ldap_workbench.gui.tails.screen import TailsScreen
from ldap_workbench.gui.timeline.screen import TimelineScreen
from ldap_workbench.gui.widgets.panes import Panes
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting
from ldap_workbench.model.message import Message


class Screens(NamedTuple):
    """Top to bottom, as the rail lists them."""

    start: StartScreen
    capture: CaptureScreen
    overview: OverviewScreen
    findings: FindingsScreen
    timeline: TimelineScreen
    tails: TailsScreen
    operations: OperationsScreen
    clients: ClientsScreen
    knobs: KnobsScreen
    experiment: ExperimentScreen
    journal: JournalScreen
    history: HistoryScreen
    report: ReportScreen

    def named(self, name: str) -> Screen:
        """A screen by its name: start, capture, timeline, tails, ..."""
        return next(screen for screen in self if screen.name == name)

    def panes(self) -> dict[Screen, Panes]:
        """The panes that can be closed, by their screen."""
        screens = (self.timeline, self.tails, self.operations, self.knobs)
        return {screen: screen.panes for screen in screens}


def make_screens(bench: Workbench, actions: Actions, practise: QAction) -> Screens:
    """All of them; an empty screen offers the actions that would fill it."""
    to_session = [actions["open"], actions["logs"], actions["add"]]
    to_server = [actions["add"], practise, actions["open"]]
    return Screens(
        StartScreen(bench),
        CaptureScreen(bench, to_server),
        OverviewScreen(bench, to_session),
        FindingsScreen(bench, to_session),
        TimelineScreen(bench, to_session),
        TailsScreen(bench, [*to_session, actions["compare"]]),
        OperationsScreen(bench, to_session),
        ClientsScreen(bench, to_session),
        KnobsScreen(bench, to_server),
        ExperimentScreen(bench, to_server),
        JournalScreen(bench, []),
        HistoryScreen(bench, []),
        ReportScreen(bench, to_session),
    )


class Navigation(QObject):
    """Brings screens to the front, also when one screen asks for another."""

    def __init__(self, screens: Screens, rail: Rail, pages: QStackedWidget) -> None:
        super().__init__(pages)
        self.screens = screens
        self._rail, self._pages = rail, pages
        self._to_experiment = QTimer(self)
        self._to_experiment.setSingleShot(True)
        self._to_experiment.setInterval(0)
        self._to_experiment.timeout.connect(self._on_experiment)
        for screen in screens:
            pages.addWidget(screen)
        rail.set_screens(screens, [screen.name_in_menu() for screen in screens])
        rail.chosen.connect(self._on_chosen)
        screens.overview.wanted.connect(self._on_wanted)
        screens.clients.operationsOfWanted.connect(self._on_client)
        screens.operations.indexKeysWanted.connect(self._on_index_keys)
        screens.knobs.settingWanted.connect(self._on_setting)
        findings = screens.findings.page
        findings.momentWanted.connect(self._on_moment)
        findings.operationsWanted.connect(self._on_operations)
        findings.adviceWanted.connect(self._on_advice)
        findings.adviceFound.connect(screens.knobs.set_advice)
        screens.knobs.adviceWanted.connect(findings.shown)
        screens.experiment.reportWanted.connect(lambda: self.show_screen("report"))
        screens.experiment.revertWanted.connect(screens.journal.revert_group)

    def show_screen(self, name: str) -> None:
        """Bring a screen to the front."""
        self._rail.setCurrentRow([screen.name for screen in self.screens].index(name))

    def current(self) -> Screen:
        """The screen in front."""
        return self.screens[self._rail.currentRow()]

    @Slot()
    def compare(self) -> None:
        """Ask for two sessions to compare."""
        self.show_screen("tails")
        self.screens.tails.comparison.ask()

    @Slot()
    def export_report(self) -> None:
        """Ask where to write the report."""
        self.show_screen("report")
        self.screens.report.export(".html")

    @Slot()
    def revert_all(self) -> None:
        """Offer to revert all open changes."""
        self.show_screen("journal")
        self.screens.journal.revert_all()

    @Slot()
    def reload(self) -> None:
        """Refresh the screen in front."""
        self.current().reload()

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        if 0 <= row < len(self.screens):
            apply_style(self.screens[row])
            self._pages.setCurrentIndex(row)
            self.screens[row].shown()

    @Slot(str)
    def _on_wanted(self, name: str) -> None:
        """A way from the overview: a screen, or a step of the experiment."""
        step = {"verdict": VERDICT, "experiment": CHANGE}.get(name)
        if step is None:
            self.show_screen(name)
            return
        # In a turn before it is shown: both together are felt.
        self.screens.experiment.go_to(step)
        apply_style(self.screens.experiment)
        self._to_experiment.start()

    @Slot()
    def _on_experiment(self) -> None:
        self.show_screen("experiment")

    @Slot(object)
    def _on_client(self, row: ClientRow) -> None:
        self.screens.operations.finder.put(words_of(row), "")
        self.show_screen("operations")

    @Slot()
    def _on_index_keys(self) -> None:
        self.show_screen("capture")
        self.screens.capture.prepare_index_keys()

    @Slot(object)
    def _on_advice(self, advice: Advice) -> None:
        self.show_screen("experiment")
        self.screens.experiment.try_advice(advice)

    @Slot(object)
    def _on_setting(self, setting: Setting) -> None:
        self.show_screen("experiment")
        self.screens.experiment.add_setting(setting)

    @Slot(object, object, object)
    def _on_moment(self, from_ns: int, to_ns: int, strip: Message) -> None:
        self.screens.timeline.show_time_range(from_ns, to_ns, strip)
        self.show_screen("timeline")

    @Slot(object, object)
    def _on_operations(self, from_ns: int, to_ns: int) -> None:
        screen = self.screens.operations
        screen.workbench.selection.choose(from_ns, to_ns)
        self.show_screen("operations")
