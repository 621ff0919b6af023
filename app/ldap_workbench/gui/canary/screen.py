"""Canary: one change on several replicas, each in turn beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ldap_workbench.campaign import (
    Canary,
    Survey,
    connected_replicas,
    describe_canary,
    new_canary,
    resumable_canary,
    stored_canaries,
    survey,
)
from ldap_workbench.campaign.canary_report import write_report
from ldap_workbench.gui.canary.execution import KEY, CanaryExecution, connecting
from ldap_workbench.gui.canary.plan_page import PlanPage
from ldap_workbench.gui.canary.result_page import CanaryResultPage
from ldap_workbench.gui.canary.run_page import CanaryRunPage
from ldap_workbench.gui.experiment.steps import StepBar
from ldap_workbench.gui.free_path import free_path
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.consent import ConsentBox
from ldap_workbench.gui.widgets.empty import EmptyState
from ldap_workbench.gui.widgets.pages import Pages
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message

PLAN, RUN, RESULT = range(3)


class CanaryScreen(Screen):
    """A canary from its plan to its verdict; goes on while you look elsewhere."""

    name = "canary"
    icon = "canary"
    title = Message("Canary")

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        self.set_subtitle(self.tr("One change on several replicas, each in turn beside the others"))
        self.plan = PlanPage(workbench)
        self.run = CanaryRunPage()
        self.result = CanaryResultPage()
        self.splits = (self.result.split,)
        self.execution = CanaryExecution(workbench, self.run, self)
        self.bar = StepBar((self.tr("Plan"), self.tr("Run"), self.tr("Verdict")))
        self.pages = Pages()
        for page in (self.plan, self.run, self.result):
            self.pages.add(page)
        self._body = QWidget()
        whole = QVBoxLayout(self._body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(12)
        whole.addWidget(self.bar)
        whole.addWidget(self.pages, 1)
        self._stored: list[Canary] = []
        self._empty = EmptyState(
            "canary",
            self.tr("A canary needs two servers"),
            self.tr(
                "Add the servers that replicate to each other. One change is tried on one of them "
                "at a time; the others, measured in the same windows, are its controls."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._body)
        self._connect()
        self._show_what_there_is()
        self._go_to(PLAN)

    def running(self) -> bool:
        """Whether a canary is at work."""
        return self.execution.at_work()

    def ended_with(self) -> str:
        """Why the last canary ended early; '' where it did not."""
        latest = self.execution.latest
        return str(latest.canary.why) if latest else ""

    def shown(self) -> None:
        self.reload()

    def reload(self) -> None:
        title = self.tr("Reading the canaries")
        self.workbench.start("canaries", title, _read, self._on_read)

    def step(self) -> int:
        """The page that is seen."""
        return self.pages.currentIndex()

    def go_to(self, step: int) -> None:
        """Show a page."""
        self._go_to(step)

    def stop(self) -> None:
        """End the canary; all replicas are put back."""
        self.execution.stop()

    @Slot()
    def check(self) -> None:
        """Connect to what is ticked: who replicates to whom, and what would change on each."""
        form, bench = self.plan.form(), self.workbench
        names, settings = form.profiles, form.settings

        def work(_: object, __: object) -> tuple[Survey, object]:
            with connected_replicas(names, connecting(bench), bench.journal.file()) as servers:
                return survey(servers, settings), (names, settings)

        bench.start(KEY, self.tr("Checking the replicas"), work, self._on_checked)

    @Slot(object)
    def _on_checked(self, answer: tuple[Survey, object]) -> None:
        found, asked = answer
        form = self.plan.form()
        if asked == (form.profiles, form.settings):  # else somebody has edited it meanwhile
            self.plan.take_found(found)

    @Slot()
    def start(self) -> None:
        """Begin what the plan page says, after a last look at all it may write."""
        found = self.plan.found
        if found is None or not self._may_begin():
            return
        try:
            canary = new_canary(self.plan.plan(), found, self.plan.path())
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        box = self._consent(canary, self._writes(found))
        if found.stops:
            box.ask_for_stop()
        if box.agreed():
            self.workbench.settings.new_folder = canary.output.parent
            self.execution.begin(canary, offline=found.stops)

    @Slot(object)
    def resume(self, canary: Canary) -> None:
        """Go on with one that was interrupted."""
        if not self._may_begin():
            return
        try:
            known = resumable_canary(canary.output)
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        told = self.tr("{done} of {of} windows are measured.")
        done = told.format(done=len(known.windows), of=len(known.plan.windows))
        if self._consent(known, [done]).agreed():
            self.execution.begin(known, offline=False)

    @Slot(object)
    def revert(self, canary: Canary) -> None:
        """End one that was interrupted, with every replica as it was before."""
        box = ConsentBox(
            self.tr("Revert the canary"),
            self.tr("This reverts what the canary left in force on {names}.").format(
                names=", ".join(seat.profile for seat in canary.seats)
            ),
            str(canary.plan.treatment),
            self.tr("&Revert"),
            self,
        )
        if self._may_begin() and box.agreed():
            self.execution.revert_all(canary)

    def decide(self, question: Question) -> None:
        """The verdict is in; the run waits for an answer."""
        self.result.ask(self.execution.wait_for(question), question.about)
        self._go_to(RESULT)

    def _may_begin(self) -> bool:
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

    def _consent(self, canary: Canary, writes: Sequence[str]) -> ConsentBox:
        names = [seat.profile for seat in canary.seats]
        servers = ", ".join(seat.server for seat in canary.seats)
        lines = [shown(line) for line in describe_canary(canary.plan, names)]
        kept = self.tr("Each change is recorded in the journal before it is made.")
        return ConsentBox(
            self.tr("Start the canary"),
            self.tr("This changes {servers}, one at a time:").format(servers=servers),
            "\n\n".join(["\n".join(writes), "\n".join(lines[1:]), kept]),
            self.tr("&Start"),
            self,
        )

    def _writes(self, found: Survey) -> list[str]:
        return [
            f"{each.profile}: {shown(change.describe())}"
            for each in found.replicas
            for change in each.changes
        ]

    @Slot(object)
    def _on_read(self, found: _Read) -> None:
        self._stored, unread, knobs = found
        self.plan.replicas.set_profiles(self.workbench.profiles.all())
        if self.plan.change.entry.knob.count() == 0:
            self.plan.change.entry.set_knobs(knobs)
        if not self.plan.file.text():
            self._suggest_path()
        self.result.set_stored(self._stored)
        self._show_what_there_is()
        if unread:
            told = self.tr("Canaries that cannot be read: {n}").format(n=unread)
            self.workbench.show_status(told)

    def _show_what_there_is(self) -> None:
        enough = len(self.workbench.profiles.names()) >= 2
        anything = enough or self._stored or self.execution.latest
        self.show_body(self._body if anything else self._empty)
        self._go_to(self.step())

    def _suggest_path(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M")
        self.plan.set_path(free_path(self.workbench.settings.new_folder, f"canary-{stamp}"))

    def _go_to(self, step: int) -> None:
        reachable = set() if self.running() else {PLAN}
        reachable |= {RUN} if self.execution.latest else set()
        reachable |= {RESULT} if self._stored or self.execution.waits() else set()
        self.pages.show_number(step)
        self.bar.show_step(step, reachable | {step})

    @Slot()
    def _on_begun(self) -> None:
        self._go_to(RUN)

    @Slot()
    def _on_ended(self) -> None:
        latest = self.execution.latest
        self.result.answered()
        self.plan.draw_again()
        self._suggest_path()
        self.workbench.journal.reload()
        if latest and latest.canary.ended:
            others = [each for each in self._stored if each.output != latest.canary.output]
            self._stored = [latest.canary, *others]
            self.result.set_stored(self._stored)
            self.result.choose(latest.canary.output)
            self._go_to(RESULT)
        self.reload()

    @Slot(object)
    def _on_decided(self, then: Then) -> None:
        self.execution.answer(then)
        self._go_to(RUN)

    @Slot(object, object)
    def _on_report(self, canary: Canary, path: Path) -> None:
        def work(_: object, __: object) -> Path:
            write_report(canary, path)
            return path

        title = self.tr("Writing {name}").format(name=path.name)
        self.workbench.start("canaries", title, work, self._on_written)

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self.workbench.show_status(self.tr("Written: {path}").format(path=path))

    def _connect(self) -> None:
        self.bar.wanted.connect(self.go_to)
        self.plan.checkWanted.connect(self.check)
        self.plan.startWanted.connect(self.start)
        self.run.stopWanted.connect(self.workbench.running.stopWanted)
        self.execution.begun.connect(self._on_begun)
        self.execution.ended.connect(self._on_ended)
        self.result.decided.connect(self._on_decided)
        self.result.sessionWanted.connect(self.workbench.open_session)
        self.result.resumeWanted.connect(self.resume)
        self.result.revertWanted.connect(self.revert)
        self.result.reportWanted.connect(self._on_report)


_Read = tuple[list[Canary], int, list[str]]


def _read(_: object, __: object) -> _Read:
    """In a worker: the canaries of this user, how many cannot be read, the knobs there are."""
    from ldap_workbench.tuning import load_catalogue  # the window starts without

    found, unread = stored_canaries()
    return found, unread, [knob.name for knob in load_catalogue().knobs]
