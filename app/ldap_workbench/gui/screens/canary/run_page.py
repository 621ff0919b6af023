"""Step 2: every replica, whose turn it is, and how far each is behind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ldap_workbench.figures.timeline.live import NOW, ReplicaNow
from ldap_workbench.figures.verdict.canary_view import harm_of, turn_of
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.screens.canary.running import RunningCanary
from ldap_workbench.gui.screens.experiment.run_page import WindowProgress, clock
from ldap_workbench.model.experiment import Step
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Progress

_ROWS = 6


class CanaryRunPage(QWidget):
    """*Signals:* stopWanted(), pauseWanted(bool) from the next window on, or no longer."""

    stopWanted = Signal()
    pauseWanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[ReplicaNow] = []
        self.band = Band()
        self._stop = push_button(self.tr("S&top and revert"), self.stopWanted)
        tip = self.tr("Pause after this window, with the change reverted on all replicas")
        self._pause = push_button(self.tr("&Pause"), self.pauseWanted, tip=tip)
        self._pause.setCheckable(True)
        for button in (self._pause, self._stop):
            self.band.add_button(button)
        self._windows = WindowProgress()
        set_name = self.tr("The number says which replica is the canary of a window.")
        self.legend_label = label(set_name, "dim", wrap=True)
        self._progress = ProgressLine(self.tr("Progress of the canary"))
        self.table = RowsTable(self.tr("Replicas of the canary"), NOW, stretch=1)
        self.stack = StripStack(columns=1)
        self._nothing = label(
            self.tr("Replication lag and CSN distance appear as soon as CSNs can be read."),
            "dim",
            wrap=True,
        )
        self._lay_out()

    def begin(self, running: RunningCanary) -> None:
        """A canary starts, or goes on."""
        plan = running.canary.plan
        steps = [Step(str(canary + 1), block) for block, canary in plan.windows]
        self._windows.set_steps(steps)
        self.stack.set_strips(())
        self._shown = []
        self._stop.setEnabled(True)
        self._progress.say("")
        self.beat(running)
        self.table.fit_height(_ROWS)

    def beat(self, running: RunningCanary) -> None:
        """Show where it is now, and what has come in."""
        if running.feed.drain():
            strips = running.feed.strips()
            self.stack.set_strips(strips)
            self._nothing.setVisible(len(strips) < 2)
        rows = running.replicas()
        if rows != self._shown:
            self._shown = rows
            self.table.rows.set_rows(rows)
        self._windows.set_done(len(running.canary.windows), running.canary.ended)
        self._tell(running)

    def _tell(self, running: RunningCanary) -> None:
        canary, pause, ends_s = running.canary, running.pause, running.ends_s()
        heading, mood = turn_of(canary), ""
        sentences = [shown(harm_of(canary))]
        if canary.ended:
            heading, mood = Message("Done"), "good"
        elif pause.resting:
            heading, mood = Message("Paused"), ""
            sentences.insert(0, self.tr("All replicas are as they were before."))
        elif ends_s is not None:
            soon = self.tr("Pauses after this window.")
            ends = self.tr("Ends at about {time} (local time).").format(time=clock(ends_s))
            sentences.insert(0, soon if pause.wanted else ends)
        self.band.say(shown(heading), " ".join(sentences), mood)
        self._pause.setEnabled(pause.wanted or ends_s is not None)
        self._pause.setChecked(pause.wanted)
        self._pause.setText(self.tr("&Resume") if pause.wanted else self.tr("&Pause"))

    def show_progress(self, progress: Progress) -> None:
        """What the work says."""
        self._progress.show_progress(progress)

    def stopping(self) -> None:
        """The operator has asked to stop."""
        self._stop.setEnabled(False)
        self._pause.setEnabled(False)
        self._progress.say(self.tr("Stopping; all replicas are being reverted …"))

    def show_outcome(self, text: str) -> None:
        """How it ended."""
        self.band.say(text, "")
        self._progress.say("")
        self._stop.setEnabled(False)
        self._pause.setEnabled(False)

    def _lay_out(self) -> None:
        column(
            self.band,
            self._windows,
            self.legend_label,
            self._progress,
            self.table,
            self._nothing,
            (self.stack, 1),
            on=self,
            margins=0,
            spacing=10,
        )
