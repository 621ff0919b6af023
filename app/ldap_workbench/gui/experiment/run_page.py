"""Step 3: the run, window by window, with what the server does meanwhile."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ldap_workbench.gui.capture.live import LiveFeed
from ldap_workbench.gui.experiment.pills import Pills
from ldap_workbench.gui.timeline.stack import StripStack
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.progress import ProgressLine
from ldap_workbench.model.experiment import Experiment, Plan, State
from ldap_workbench.model.progress import Progress

STATE_WORDS = {
    State.PLANNED: ("Starting", ""),
    State.CHECKING: ("Checking the plan against the server", ""),
    State.APPLYING: ("Applying the change", "warn"),
    State.REVERTING: ("Taking the change back", "warn"),
    State.RESTARTING: ("Restarting the server", "warn"),
    State.SETTLING: ("Letting the server settle", ""),
    State.MEASURING: ("Measuring", ""),
    State.JUDGING: ("Judging", ""),
    State.DECIDING: ("Waiting for your decision", "warn"),
    State.KEPT: ("Done: the change was kept", "good"),
    State.REVERTED: ("Done: the change was reverted", "good"),
    State.ABORTED: ("Ended early", "bad"),
}


class RunPage(QWidget):
    """*Signals:* stopWanted()"""

    stopWanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._band = Band()
        self._stop = push_button(self.tr("S&top and revert"))
        self._stop.clicked.connect(self.stopWanted)
        self._band.add_button(self._stop)
        self._pills = Pills()
        self._progress = ProgressLine(self.tr("Progress of the experiment"))
        self._stack = StripStack()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addWidget(self._band)
        whole.addWidget(self._pills)
        whole.addWidget(self._progress)
        whole.addWidget(self._stack, 1)

    def begin(self, plan: Plan) -> None:
        """A run starts."""
        self._pills.set_steps(plan.steps)
        self._stack.set_strips(())
        self._stop.setEnabled(True)
        self.show_state(None, plan)

    def show_state(self, experiment: Experiment | None, plan: Plan) -> None:
        """Where the run is."""
        heading, mood = STATE_WORDS[experiment.state if experiment else State.PLANNED]
        tested = self.tr("Under test: {treatment}").format(treatment=plan.treatment)
        if plan.changes_nothing:
            tested = self.tr("The noise floor: the server as it is, in both arms")
            heading = self.tr("Done") if heading == STATE_WORDS[State.REVERTED][0] else heading
        why = experiment.why if experiment else ""
        self._band.say(heading, why or tested, mood)
        done = len(experiment.windows) if experiment else 0
        ended = experiment is not None and experiment.state.ended
        self._pills.set_done(done, ended)
        self._stop.setEnabled(not ended)

    def show_progress(self, progress: Progress) -> None:
        """What the work says."""
        self._progress.show_progress(progress)

    def stopping(self) -> None:
        """The operator has asked to stop."""
        self._stop.setEnabled(False)
        self._progress.say(self.tr("Stopping; the change is being reverted …"))

    def beat(self, feed: LiveFeed) -> None:
        """Draw what has come in."""
        if feed.drain():
            self._stack.set_strips(feed.strips())
