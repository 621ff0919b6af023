"""Step 3: the run, window by window, with what the server does meanwhile; and its job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSplitter, QWidget

from ldap_workbench.experiment.guards import LAG_S
from ldap_workbench.experiment.hours import Hours, Pause
from ldap_workbench.experiment.lag_watch import watch_replicas
from ldap_workbench.figures.names import STATE_WORDS
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import chart_colours, is_dark
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.screens.experiment.running import RunningExperiment, SoFar
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.execution import DecidableExecution, connecting
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.experiment import Experiment, Plan, State, Step
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_STEP_EM = 1.6
"""Width of a window, in heights of a line."""
_GAP_EM = 0.5
"""Between two pairs."""
_LEAST = 0.55
"""Of that: with less, no letter has room, and words say it."""


class WindowProgress(QWidget):
    """A small letter for every window: filled when done, framed when at work, faint to come."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: tuple[Step, ...] = ()
        self._done = 0
        self._ended = False

    def set_steps(self, steps: Sequence[Step]) -> None:
        """Show another plan."""
        self._steps = tuple(steps)
        self.set_done(0, False)
        self.updateGeometry()

    def set_done(self, done: int, ended: bool) -> None:
        """How many windows are measured, and whether more will come."""
        self._done, self._ended = done, ended
        of = len(self._steps)
        rest = self.tr("{done} of {all} windows measured.")
        if not ended and done < of:
            rest = self.tr("{done} of {all} windows measured, measuring window {next}.")
        self.setAccessibleName(rest.format(done=done, all=of, next=done + 1))
        self.update()

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        return QSize(em * 20, round(em * 1.9))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().height() * 8, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            em = self.em()
            if em < _LEAST * self.fontMetrics().height():
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.accessibleName())
            else:
                self._paint_windows(painter, em)

    def em(self) -> float:
        """Pixels by which all is measured from left to right: less where there is no room."""
        pairs = len({step.pair for step in self._steps})
        wanted = len(self._steps) * _STEP_EM + max(0, pairs - 1) * _GAP_EM
        return min(float(self.fontMetrics().height()), (self.width() - 2) / max(wanted, 1.0))

    def _paint_windows(self, painter: QPainter, em: float) -> None:
        high = 1.6 * self.fontMetrics().height()
        x = 1.0
        for number, step in enumerate(self._steps):
            if number and step.pair != self._steps[number - 1].pair:
                x += em * _GAP_EM
            box = QRectF(x, 1, em * (_STEP_EM - 0.1), high)
            self._paint_window(painter, box, number, step)
            x += em * _STEP_EM

    def _paint_window(self, painter: QPainter, box: QRectF, number: int, step: Step) -> None:
        colours = chart_colours(is_dark(self.palette()))
        colour = QColor(colours.b if step.arm == "B" else colours.a)
        if number < self._done:
            frame, fill, text = QPen(colour, 1), QBrush(colour), QColor(colours.ground)
        elif number == self._done and not self._ended:
            frame, fill, text = QPen(colour, 2), QBrush(), colour
        else:
            frame, fill, text = QPen(QColor(colours.grid), 1), QBrush(), QColor(colours.dim)
        painter.setPen(frame)
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, step.arm)


_CHART_EM = 14
"""In heights of a line: the least height of the tails so far."""


class RunPage(QWidget):
    """*Signals:* stopWanted(), pauseWanted(bool) from the next pair on, or no longer."""

    stopWanted = Signal()
    pauseWanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._band = Band()
        self._stop = push_button(self.tr("S&top and revert"), self.stopWanted)
        self._pause = push_button(
            self.tr("&Pause"),
            self.pauseWanted,
            tip=self.tr("Rest after this pair, with the change reverted"),
        )
        self._pause.setCheckable(True)
        for button in (self._pause, self._stop):
            self._band.add_button(button)
        self._windows = WindowProgress()
        self._progress = ProgressLine(self.tr("Progress of the experiment"))
        self._stack = StripStack(columns=1)
        self.chart = TailsChart()
        self.chart.setMinimumHeight(_CHART_EM * self.fontMetrics().height())
        self._words = label("", "dim", wrap=True)
        self._so_far: SoFar | None = None
        self._plan: Plan | None = None
        column(
            self._band,
            self._windows,
            self._progress,
            (self._make_parts(), 1),
            on=self,
            margins=0,
            spacing=10,
        )

    def _make_parts(self) -> QSplitter:
        """What the server does, beside what the finished windows show."""
        tails = QWidget()
        column(self._words, (self.chart, 1), Stretch(0), on=tails, margins=0)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setObjectName("run parts")
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self._stack)
        self.split.addWidget(tails)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([450, 550])
        return self.split

    def begin(self, plan: Plan) -> None:
        """A run starts."""
        self._plan = plan
        self._windows.set_steps(plan.steps)
        self._so_far = None
        self.chart.clear()
        self.chart.hide()
        self._words.setText(self.tr("The curves of A and B appear after the first window."))
        self._stack.set_strips(())
        self._stop.setEnabled(True)
        self.show_state(None, plan)

    def beat(self, run: RunningExperiment) -> None:
        """Show where the run is now, and what has come in."""
        if run.feed.drain():
            self._stack.set_strips(run.feed.strips())
        self.show_state(run.experiment, run.plan, run.pause, run.ends_s(), run.hours)
        self.show_so_far(run.so_far)

    def show_state(
        self,
        experiment: Experiment | None,
        plan: Plan,
        pause: Pause | None = None,
        ends_s: float | None = None,
        hours: Hours | None = None,
    ) -> None:
        """Where the run is, and when it will end in seconds since 1970, where that is known."""
        heading, mood = STATE_WORDS[experiment.state if experiment else State.PLANNED]
        tested = self.tr("Under test: {treatment}").format(treatment=plan.treatment)
        if plan.changes_nothing:
            tested = self.tr("Noise floor: both arms measure the unchanged server")
            if experiment and experiment.state is State.REVERTED:
                heading = Message("Done")
        sentence = (shown(experiment.why) if experiment else "") or tested
        if pause and pause.resting:
            heading, mood = Message("Paused"), ""
            claim = Message("The server is as it was before the experiment.")
            sentence = shown(after_reverts(experiment.left_stored if experiment else (), claim))
            self._progress.say("")  # the same once more
        elif hours and (opens := hours.opens):
            heading, mood = Message("Waiting for the allowed hours"), ""
            goes_on = self.tr("Only {hours} is allowed; goes on at {time} (local time)")
            sentence = goes_on.format(hours=hours, time=clock(opens.timestamp()))
            self._progress.say("")  # the same once more
        if ends_s is not None and not (pause and pause.resting):
            ends = self.tr("ends at about {time} (local time)").format(time=clock(ends_s))
            soon = self.tr("pauses after this pair")
            sentence = f"{sentence} · {soon if pause and pause.wanted else ends}"
        self._band.say(shown(heading), sentence, mood)
        done = len(experiment.windows) if experiment else 0
        ended = experiment is not None and experiment.state.ended
        self._windows.set_done(done, ended)
        self._stop.setEnabled(not ended)
        self._offer_pause(pause, windows_to_come=ends_s is not None)

    def _offer_pause(self, pause: Pause | None, *, windows_to_come: bool) -> None:
        wanted = pause is not None and pause.wanted
        self._pause.setEnabled(wanted or windows_to_come)
        self._pause.setChecked(wanted)
        self._pause.setText(self.tr("&Resume") if wanted else self.tr("&Pause"))

    def show_progress(self, progress: Progress) -> None:
        """What the work says."""
        self._progress.show_progress(progress)

    def stopping(self) -> None:
        """The operator has asked to stop."""
        self._stop.setEnabled(False)
        self._progress.say(self.tr("Stopping; the change is being reverted …"))

    def show_outcome(self, text: str) -> None:
        """How it ended, in place of what it was doing last."""
        self._progress.say(text)

    def show_so_far(self, so_far: SoFar | None) -> None:
        """The tails of A against B in the windows that are finished, without a verdict."""
        if so_far is self._so_far or so_far is None:
            return
        self._so_far = so_far
        assert self._plan is not None
        of = len(self._plan.steps) // 2
        words = self.tr(
            "So far {a} of {of} windows of A and {b} of {of} of B. This is not a "
            "verdict: that comes at the end, whatever the curves look like now."
        )
        progress = words.format(a=so_far.a, b=so_far.b, of=of)
        if so_far.why:
            unread = self.tr("The curves cannot be drawn: {why}").format(why=shown(so_far.why))
            progress = f"{progress}\n{unread}"
        self._words.setText(progress)
        if so_far.picture:
            self.chart.set_picture(so_far.picture)
            self.chart.show()


def clock(seconds: float) -> str:
    """A moment by the clock of this machine; with its day where that is not today."""
    moment = datetime.fromtimestamp(seconds).astimezone()
    today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M}" if today else f"{moment:%Y-%m-%d %H:%M}"


class ExperimentExecution(DecidableExecution):
    """One experiment at a time, which may wait for an answer to its verdict.

    *Signals:* done(Experiment, Path) after ended(), where it is whole
    """

    done = Signal(object, object)
    latest: RunningExperiment | None
    _page: RunPage
    _question_kind = "decide"

    def begin(self, plan: Plan, path: Path, replicas: Sequence[str] = ()) -> None:
        """Run a plan into a new session file; `replicas` are profiles where it limits the lag."""
        connection = self._workbench.connection
        feed = LiveFeed(connection.target.facts.device if connection else None)
        run = RunningExperiment(path, plan, feed, self._ask, self._workbench.clock_rate)
        limit, connect = plan.guards.get(LAG_S), connecting(self._workbench)

        def work(c: Connection, progress: OnProgress, cancel: Cancel) -> Experiment:
            with watch_replicas(c.target, replicas, limit, connect) as lag:
                return run.run(c.target, c.tuner, progress, cancel, lag)

        self._begin(
            self.tr("Noise floor") if plan.changes_nothing else self.tr("Experiment"),
            run,
            work,
        )

    def _show_begun(self) -> None:
        assert self.latest is not None
        self._page.begin(self.latest.plan)

    @Slot(object)
    def _on_done(self, experiment: Experiment) -> None:
        assert self.latest is not None
        self._end()
        self.done.emit(experiment, self.latest.path)

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()
        stopped = self.tr("The experiment was stopped and its change reverted.")
        if self.latest and self.latest.plan.changes_nothing:
            stopped = self.tr("The measurement was stopped; nothing had been changed.")
        self._page.show_outcome(stopped)
        self._workbench.show_status(stopped)
