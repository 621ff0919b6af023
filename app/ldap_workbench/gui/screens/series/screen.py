"""The screen of campaign and canary: plan, run and result, and those that are stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.pages import Pages
from ldap_workbench.gui.screens.experiment.stepper import StepBar
from ldap_workbench.gui.screens.series.plan_page import SeriesPlanPage
from ldap_workbench.gui.screens.series.result_page import Series, SeriesResultPage
from ldap_workbench.gui.workbench.execution import Execution
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench

PLAN, RUN, RESULT = range(3)


class SeriesScreen(Screen):
    """One series at a time, which goes on while you look elsewhere.

    A subclass makes `execution` before it calls `_add_pages`.
    """

    execution: Execution

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._stored: list[Any] = []
        self._wanted: Path | None = None
        """Of which file the result is to be shown."""

    def running(self) -> bool:
        """Whether a series is at work."""
        return self.execution.at_work()

    def shown(self) -> None:
        self.reload()

    def step(self) -> int:
        """The page that is seen."""
        return self.pages.currentIndex()

    @Slot(int)
    def go_to(self, step: int) -> None:
        """Show a page."""
        reachable = {PLAN} if self._may_plan() and not self.running() else set()
        reachable |= {RUN} if self.execution.latest else set()
        reachable |= {RESULT} if self._may_show_result() else set()
        self.pages.show_number(step)
        self.bar.show_step(step, reachable | {step})

    def stop(self) -> None:
        """End the series; every server is put back to what it was before it."""
        self.execution.stop()

    @Slot()
    def start(self) -> None:
        """Begin what the plan page says, after a last look at all it may write."""
        raise NotImplementedError

    @Slot(object)
    def resume(self, series: Any) -> None:
        """Go on with one that was interrupted."""
        raise NotImplementedError

    @Slot(object)
    def revert(self, series: Any) -> None:
        """End one that was interrupted, with every server as it was before."""
        raise NotImplementedError

    def _add_pages(
        self,
        titles: tuple[str, str, str],
        plan: SeriesPlanPage,
        run: Any,
        result: SeriesResultPage,
        empty: EmptyState,
    ) -> None:
        self._plan, self._result, self._empty = plan, result, empty
        self.bar = StepBar(titles)
        self.pages = Pages()
        for page in (plan, run, result):
            self.pages.add(page)
        self._body = QWidget()
        column(self.bar, (self.pages, 1), on=self._body, margins=0, spacing=12)
        self.add_bodies(empty, self._body)
        self.bar.wanted.connect(self.go_to)
        plan.startWanted.connect(self.start)
        run.stopWanted.connect(self.workbench.running.stopWanted)
        self.execution.begun.connect(self._on_begun)
        self.execution.ended.connect(self._on_ended)
        result.sessionWanted.connect(self.workbench.open_session)
        result.resumeWanted.connect(self.resume)
        result.revertWanted.connect(self.revert)
        result.reportWanted.connect(self._on_report)

    def _may_plan(self) -> bool:
        return True

    def _may_show_result(self) -> bool:
        return bool(self._stored)

    def _may_begin(self) -> bool:
        """Whether servers may be changed now; else it is said why not."""
        bench = self.workbench
        if bench.read_only:
            bench.show_status(self.tr("Read-only mode is on. Turn it off in the Server menu."))
            return False
        if not bench.may_change_a_server():
            return False
        if bench.running.run:
            bench.show_status(self.tr("An experiment is already running."))
            return False
        return True

    def _latest(self) -> Series | None:
        """The series that runs or ran last in this window."""
        raise NotImplementedError

    def _session_name(self) -> str:
        """What the file of a new series is called, without the time."""
        raise NotImplementedError

    def _suggest_path(self) -> None:
        path = self.workbench.settings.new_session(self._session_name(), stamped=True)
        self._plan.set_path(path)

    def show_series(self, output: Path) -> None:
        """Show the result of one that is stored, once it is read."""
        self._wanted = output
        self._show_stored()

    def _show_stored(self) -> None:
        """Show the stored ones, and a page that is right for what there is."""
        self._result.set_stored(self._stored)
        if self._wanted and self._result.choose(self._wanted) and not self.running():
            self._wanted = None
            self.go_to(RESULT)
        self.go_to(self.step())

    @Slot()
    def _on_begun(self) -> None:
        self.go_to(RUN)

    @Slot()
    def _on_ended(self) -> None:
        self._plan.draw_again()
        self._suggest_path()
        self.workbench.journal.reload()
        latest = self._latest()
        if latest and latest.ended:
            others = [series for series in self._stored if series.output != latest.output]
            self._stored = sorted([latest, *others], key=lambda series: -series.began_ns)
            self._show_stored()
            self._result.choose(Path(latest.output))
            self.go_to(RESULT)
        self.reload()

    @Slot(object, object)
    def _on_report(self, series: Any, path: Path) -> None:
        raise NotImplementedError

    @Slot(object)
    def _on_written(self, paths: Sequence[Path]) -> None:
        names = ", ".join(path.name for path in paths)
        folder = paths[0].parent if paths else ""
        self.workbench.show_status(
            self.tr("Written to {folder}: {names}").format(folder=folder, names=names)
        )
