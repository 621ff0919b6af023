"""One window of an experiment: its cache, its load, the wait after a change, the capture."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.source import OnLive
from ldap_workbench.capture.live.window import capture
from ldap_workbench.experiment.load import Load, replay_endpoint
from ldap_workbench.experiment.record import Record
from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.page_cache import PageCache
from ldap_workbench.tuning.tuner import Tuner

if TYPE_CHECKING:
    from ldap_workbench.replay.endpoint import Endpoint

_SPARE_S = 120
"""How much longer than its window a load may run before it is ended."""


class Measuring:
    """Measures the windows of a plan, both arms alike. Used from the target's thread."""

    def __init__(
        self,
        target: Target,
        writer: SessionWriter,
        record: Record,
        *,
        progress: OnProgress,
        cancel: Cancel,
        on_live: OnLive | None,
    ) -> None:
        self._target = target
        self._writer = writer
        self._record = record
        self._plan = record.plan
        self._report_progress = progress
        self._cancel = cancel
        self._on_live = on_live
        self._beside = ExitStack()
        """What runs beside a window: the load."""
        self._page_cache: PageCache | None = None
        self._endpoint: Endpoint | None = None

    def check(self, tuner: Tuner) -> None:
        """Raise WorkbenchError where a replay or dropping the page cache cannot be done here."""
        self._endpoint = replay_endpoint(self._plan.load, self._target)
        if self._plan.cold:
            session = self._record.session
            self._page_cache = PageCache(self._target, tuner.journal, session=session)
            self._page_cache.check()

    def drop_cache(self) -> None:
        """Drop the page cache of the host, where the plan says so."""
        if self._page_cache is None:
            return
        self._report_progress(Progress(Message("Dropping the page cache of the server's host")))
        self._page_cache.drop()
        said = Message("The page cache of the server's host was dropped.")
        self._record.mark("page cache", said)

    def measure(self, index: int) -> tuple[Window, Message]:
        """The window of a step under its load, and why the load ended early (nothing where not)."""
        seconds = self._plan.settle_s + self._plan.window_s + _SPARE_S
        shell = self._target.another_shell() if self._plan.load_on_host else None
        load = self._beside.enter_context(Load(self._plan.load, seconds, shell, self._endpoint))
        self._settle()
        window = self._capture(index)
        self._cancel.check()
        ended_early = load.ended_early
        self.close()
        return window, ended_early

    def close(self) -> None:
        """End the load. After an error the server is put back before this is called."""
        self._beside.close()

    def _settle(self) -> None:
        self._record.enter(State.SETTLING)
        self._report_progress(
            Progress(
                Message("Waiting {settle_s:g} s after the change", settle_s=self._plan.settle_s)
            )
        )
        self._cancel.wait(self._plan.settle_s / self._target.facts.clock_rate)
        self._cancel.check()

    def _capture(self, index: int) -> Window:
        self._record.enter(State.MEASURING)
        step, count = self._plan.steps[index], len(self._plan.steps)
        name = f"{step.arm}{step.pair + 1}"
        plan = CapturePlan(self._plan.window_s, name=name, arm=step.arm, pair=step.pair)

        def on_progress(report: Progress) -> None:
            share = (index + (report.fraction or 0.0)) / count
            text = Message(
                "Window {number} of {count} (arm {arm}): {what}",
                number=index + 1,
                count=count,
                arm=step.arm,
                what=report.text,
            )
            self._report_progress(replace(report, text=text, fraction=share))

        return capture(
            self._target,
            self._writer,
            plan,
            progress=on_progress,
            cancel=self._cancel,
            on_live=self._on_live,
        )
