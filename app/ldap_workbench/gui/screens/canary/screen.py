"""Canary: one change on several replicas, each in turn beside the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction

from ldap_workbench.campaign.canary import (
    CANARIES,
    Canary,
    Servers,
    Survey,
    connected_replicas,
    new_canary,
    refuse_other_servers,
    resumable_canary,
    survey,
)
from ldap_workbench.campaign.canary_description import canary_restarts_ahead, describe_canary
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.canary.plan_page import PlanPage
from ldap_workbench.gui.screens.canary.result_page import CanaryResultPage
from ldap_workbench.gui.screens.canary.run_page import CanaryRunPage
from ldap_workbench.gui.screens.canary.running import RunningCanary
from ldap_workbench.gui.screens.series.screen import RESULT, RUN, SeriesScreen
from ldap_workbench.gui.workbench.execution import (
    DecidableExecution,
    Work,
    agree_to_url,
    connecting,
)
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.prompts import Question
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

KEY = "canary"
"""Under which its jobs run, one after the other."""


class CanaryExecution(DecidableExecution):
    """One canary at a time, which may wait for an answer to its verdict."""

    latest: RunningCanary | None
    _question_kind = "canary"

    def begin(self, canary: Canary, *, offline: bool, goes_on: bool = False) -> None:
        """Run it, from where it stands to its end; `goes_on` where it was begun earlier."""
        run = RunningCanary(canary, self._ask)
        work = self._on_replicas(run.run, canary, offline=offline, earlier=goes_on)
        self._begin(self.tr("Canary"), run, work)

    def revert_all(self, canary: Canary) -> None:
        """End one that was interrupted, with every replica as it was before it."""
        run = RunningCanary(canary, self._ask)
        work = self._on_replicas(run.revert_all, canary, offline=True, earlier=True)
        self._begin(self.tr("Reverting the canary"), run, work)
        self._page.stopping()

    def _on_replicas(
        self,
        do: Callable[[Servers, OnProgress, Cancel], Canary],
        canary: Canary,
        *,
        offline: bool,
        earlier: bool,
    ) -> Work:
        """With every replica connected; the report is beside the session when it has ended.

        Begun `earlier`, it goes on where the replicas are still the servers of then.
        """
        bench = self._workbench
        names = [seat.profile for seat in canary.seats]

        def work(progress: OnProgress, cancel: Cancel) -> Canary:
            progress(Progress(Message("Connecting to {names:list}", names=tuple(names))))
            journal = bench.journal.file()
            with connected_replicas(names, connecting(bench), journal, offline=offline) as servers:
                if earlier:
                    refuse_other_servers(canary, servers)
                    for _, tuner in servers:
                        agree_to_url(tuner, bench.prompts)
                done = do(servers, progress, cancel)
            from ldap_workbench.report.campaign import write_canary_report

            write_canary_report(done, done.output.with_suffix(".md"))
            return done

        return work

    def _start(self, title: str, work: Work, **listeners: Callable[..., None]) -> Job:
        return self._workbench.runner.start(KEY, title, work, kind=type(self).__name__, **listeners)

    def _server(self) -> str:
        assert self.latest is not None
        return ", ".join(seat.profile for seat in self.latest.canary.seats)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        claim = Message("The canary was stopped; all replicas are as they were before.")
        left = self.latest.canary.left_stored if self.latest else ()
        stopped = shown(after_reverts(left, claim, Message("The canary was stopped.")))
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)


class CanaryScreen(SeriesScreen):
    """A canary from its plan to its verdict; goes on while you look elsewhere."""

    name = "canary"
    execution: CanaryExecution

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.set_subtitle(self.tr("One change on several replicas, each in turn beside the others"))
        self.plan = PlanPage(workbench)
        self.run = CanaryRunPage()
        self.result = CanaryResultPage()
        self.splits = (self.result.split,)
        self.execution = CanaryExecution(workbench, self.run, self)
        empty = self.empty_state(actions)
        titles = (self.tr("Plan"), self.tr("Run"), self.tr("Verdict"))
        self._add_pages(titles, self.plan, self.run, self.result, empty)
        self.plan.checkWanted.connect(self.check)
        self.result.decided.connect(self._on_decided)
        self._show_stored()

    def reload(self) -> None:
        title = self.tr("Reading the canaries")
        self.workbench.start("canaries", title, _read, self._on_read)

    def ended_with(self) -> str:
        """Why the last canary ended early; '' where it did not."""
        latest = self.execution.latest
        return str(latest.canary.why) if latest else ""

    @Slot()
    def check(self) -> None:
        """Connect to what is ticked: who replicates to whom, and what would change on each."""
        form, bench = self.plan.form(), self.workbench
        names, settings = form.profiles, form.settings

        def work(_: object, __: object) -> tuple[Survey, object]:
            with connected_replicas(names, connecting(bench), bench.journal.file()) as servers:
                return survey(servers, settings, asks_for_stop=True), (names, settings)

        bench.start(KEY, self.tr("Checking the replicas"), work, self._on_checked)

    @Slot(object)
    def _on_checked(self, answer: tuple[Survey, object]) -> None:
        survey, asked = answer
        form = self.plan.form()
        if asked == (form.profiles, form.settings):  # else somebody has edited it meanwhile
            self.plan.take_survey(survey)

    @Slot()
    def start(self) -> None:
        survey = self.plan.survey
        if survey is None or not self._may_begin():
            return
        try:
            canary = new_canary(self.plan.plan(), survey, self.plan.path())
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        box = self._consent(canary, self._writes(survey))
        if survey.stops:
            box.ask_for_stop()
        if box.agreed():
            self.workbench.settings.new_folder = canary.output.parent
            self.execution.begin(canary, offline=survey.stops)

    @Slot(object)
    def resume(self, canary: Canary) -> None:
        if not self._may_begin():
            return
        try:
            known = resumable_canary(canary.output)
        except WorkbenchError as error:
            self.workbench.fail(error)
            return
        template = self.tr("{done} of {of} windows are measured.")
        done = template.format(done=len(known.windows), of=len(known.plan.windows))
        if self._consent(known, [done]).agreed():
            self.execution.begin(known, offline=False, goes_on=True)

    @Slot(object)
    def revert(self, canary: Canary) -> None:
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
        assert self.execution.latest is not None
        self.execution.wait_for(question)
        self.result.ask(self.execution.latest.canary, question.about)
        self.go_to(RESULT)

    def _consent(self, canary: Canary, writes: Sequence[str]) -> ConsentBox:
        names = [seat.profile for seat in canary.seats]
        servers = ", ".join(names)
        lines = [shown(line) for line in describe_canary(canary.plan, names)]
        recorded = self.tr("Each change is recorded in the change log before it is made.")
        changes = self.tr("This changes {servers}, one at a time:").format(servers=servers)
        restarts = shown(canary_restarts_ahead(canary, time.time()))
        return ConsentBox(
            self.tr("Start the canary"),
            f"{restarts}\n\n{changes}".lstrip(),
            "\n\n".join(["\n".join(writes), "\n".join(lines[1:]), recorded]),
            self.tr("&Start"),
            self,
        )

    def _writes(self, survey: Survey) -> list[str]:
        return [
            f"{replica.profile}: {shown(change.describe())}"
            for replica in survey.replicas
            for change in replica.changes
        ]

    @Slot(object)
    def _on_read(self, answer: _Read) -> None:
        self._stored, unread, knobs = answer
        self.plan.replicas.set_profiles(self.workbench.profiles.all())
        if self.plan.change.entry.knob.count() == 0:
            self.plan.change.entry.set_knobs(knobs)
        if not self.plan.file.text():
            self._suggest_path()
        self._show_stored()
        if unread:
            status = self.tr("Canaries that cannot be read: {n}").format(n=unread)
            self.workbench.show_status(status)

    def _show_stored(self) -> None:
        super()._show_stored()
        enough = len(self.workbench.profiles.names()) >= 2
        anything = enough or self._stored or self.execution.latest
        self.show_body(self._body if anything else self._empty)

    def _may_show_result(self) -> bool:
        return super()._may_show_result() or self.execution.waits()

    def _latest(self) -> Canary | None:
        latest = self.execution.latest
        return latest.canary if latest else None

    def _session_name(self) -> str:
        return "canary"

    @Slot()
    def _on_ended(self) -> None:
        self.result.answered()
        super()._on_ended()

    @Slot(object)
    def _on_decided(self, then: Then) -> None:
        self.execution.answer(then)
        self.go_to(RUN)

    @Slot(object, object)
    def _on_report(self, canary: Canary, path: Path) -> None:
        def work(_: object, __: object) -> list[Path]:
            from ldap_workbench.report.campaign import write_canary_report

            write_canary_report(canary, path)
            return [path]

        title = self.tr("Writing {name}").format(name=path.name)
        self.workbench.start("canaries", title, work, self._on_written)


_Read = tuple[list[Canary], int, list[str]]


def _read(_: object, __: object) -> _Read:
    """In a worker: the canaries of this user, how many cannot be read, the knobs there are."""
    from ldap_workbench.tuning.catalogue import load_catalogue

    canaries, unread = CANARIES.all()
    return canaries, unread, [knob.name for knob in load_catalogue().knobs]
