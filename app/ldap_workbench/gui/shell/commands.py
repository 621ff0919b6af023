"""What the command palette offers beside the menus: the buttons of the screens, servers, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.screens.start.lesson import PracticeHost
from ldap_workbench.gui.shell.actions import mark_acting, name_place
from ldap_workbench.gui.shell.navigation import Navigation
from ldap_workbench.gui.workbench.places import PLACE_OF
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names

Do = Callable[[], object]


class Commands(QObject):
    """Commands as they are possible now; belongs to the window."""

    def __init__(
        self, workbench: Workbench, navigation: Navigation, practice: PracticeHost
    ) -> None:
        super().__init__(navigation)
        self._workbench, self._navigation, self._practice = workbench, navigation, practice
        self._made: list[QAction] = []

    def actions(self) -> list[QAction]:
        """One for each thing that can be done now; those of the last call are gone."""
        for old in self._made:
            old.deleteLater()
        self._made = []
        for group, screen, acting in (
            (self._capture, "capture", True),
            (self._session, "report", False),
            (self._experiment, "experiment", True),
            (self._canary, "canary", True),
            (self._servers, "start", True),
            (self._recent, "start", False),
        ):
            for words, do in group():
                action = QAction(words, self)
                name_place(action, shown(PLACE_OF[screen].title))
                action.triggered.connect(lambda _=False, do=do: do())
                self._made.append(mark_acting(action) if acting else action)
        return self._made

    def _capture(self) -> Iterator[tuple[str, Do]]:
        capture = self._navigation.screens.capture
        if capture.running():
            yield self.tr("Stop recording"), partial(self._on, "capture", capture.stop)
            yield self.tr("Add marker"), partial(self._on, "capture", capture.mark)
        elif self._workbench.connection is not None:
            yield self.tr("Start recording"), partial(self._on, "capture", capture.start)

    def _session(self) -> Iterator[tuple[str, Do]]:
        report = self._navigation.screens.report
        if self._workbench.opened is not None:
            for words, suffix in (
                (self.tr("Export the report as Markdown"), ".md"),
                (self.tr("Export the report as PDF"), ".pdf"),
                (self.tr("Export the report as HTML"), ".html"),
            ):
                yield words, partial(self._on, "report", partial(report.export, suffix))

    def _experiment(self) -> Iterator[tuple[str, Do]]:
        experiment = self._navigation.screens.experiment
        planned = experiment.change.planned and experiment.design.plan()
        if experiment.running():
            yield self.tr("Stop the test"), partial(self._on, "experiment", experiment.stop)
        elif planned and not self._workbench.read_only:
            yield self.tr("Start the test"), partial(self._on, "experiment", experiment.start)

    def _canary(self) -> Iterator[tuple[str, Do]]:
        canary = self._navigation.screens.canary
        if canary.running():
            yield self.tr("Stop the canary"), partial(self._on, "canary", canary.stop)
        elif canary.plan.start.isEnabled():
            yield self.tr("Start the canary"), partial(self._on, "canary", canary.start)

    def _recent(self) -> Iterator[tuple[str, Do]]:
        bench = self._workbench
        for path in bench.settings.recent:
            yield self.tr("Open {name}").format(name=path.name), partial(bench.open_session, path)

    def _servers(self) -> Iterator[tuple[str, Do]]:
        """Servers, and servers to practise on."""
        bench = self._workbench
        for profile in bench.profiles.all():
            words = self.tr("Connect to {name}").format(name=profile.name)
            yield words, partial(bench.connect_to, profile)
        for name in scenario_names():
            title = shown(load_scenario(name).title)
            words = self.tr("Practise: {name}").format(name=title)
            yield words, partial(self._practice.start, name)

    def _on(self, screen: str, do: Do) -> None:
        """On its screen, so that its answer is seen."""
        self._navigation.show_screen(screen)
        do()
