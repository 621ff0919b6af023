"""Work that goes on without its window: an icon in the tray, and notifications of the desktop."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow, QMenu, QSystemTrayIcon

from ldap_workbench.connect.desktop import notify
from ldap_workbench.gui.parts.style.icons import program_icon
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import set_tip
from ldap_workbench.gui.screens.experiment.screen import ExperimentScreen
from ldap_workbench.gui.shell.placement import bring_to_front
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.message import Message, verbatim

KEY = "desktop"
"""Under which its jobs run, one after the other."""


class Background(QObject):
    """Of one window. Where there is no tray, a second start of the program shows the window."""

    def __init__(
        self, workbench: Workbench, experiment: ExperimentScreen, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._workbench, self._experiment, self._window = workbench, experiment, window
        self._tray = QSystemTrayIcon(program_icon(), self)
        self._menu = QMenu(window)
        self._menu.addAction(self.tr("&Show the window")).triggered.connect(self.come_back)
        self._stop = self._menu.addAction(self.tr("S&top the test …"))
        self._stop.triggered.connect(workbench.running.stopWanted)
        self._tray.setContextMenu(self._menu)
        self._tray.activated.connect(self.come_back)
        workbench.running.changed.connect(self._describe)
        experiment.execution.ended.connect(self._on_ended)
        workbench.prompts.asked.connect(self._on_asked)

    def go(self) -> None:
        """Hide the window; what runs goes on."""
        self._describe()
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray.show()
        self._window.hide()
        self._tell(
            Message("The measurement goes on in the background"),
            Message("The icon in the tray shows the window; so does starting the program again."),
        )

    @Slot()
    def come_back(self) -> None:
        """Show the window again."""
        self._tray.hide()
        bring_to_front(self._window)

    @Slot()
    def _describe(self) -> None:
        run = self._workbench.running.run
        self._stop.setVisible(run is not None)
        words = Message("LDAP Tuning Workbench")
        if run is not None:
            done = len(run.experiment.windows) if run.experiment else 0
            words = Message(
                "{treatment}: {done} of {of} windows measured",
                treatment=str(run.plan.treatment),
                done=done,
                of=len(run.plan.steps),
            )
        set_tip(self._tray, shown(words))

    @Slot()
    def _on_ended(self) -> None:
        """Whatever came of it: a verdict, a stop, an abort."""
        latest = self._experiment.execution.latest
        if latest is not None and not self._window.isActiveWindow():
            self._tell(*outcome(latest.experiment))

    @Slot(object)
    def _on_asked(self, _: object) -> None:
        if not self._window.isActiveWindow():
            self._tell(
                Message("The experiment waits for you"),
                Message("Open the window to answer: keep the change, or revert it."),
            )

    def _tell(self, heading: Message, sentence: Message) -> None:
        """On Linux over D-Bus, which needs no tray; elsewhere the tray's icon speaks."""
        words = shown(heading), shown(sentence)
        if sys.platform == "linux":
            self._workbench.start(KEY, words[0], lambda _, __: notify(*words))
        else:
            self._tray.show()
            self._tray.showMessage(*words, program_icon())


def outcome(experiment: Experiment | None) -> tuple[Message, Message]:
    """What is said of an experiment that has ended, in a heading and a sentence."""
    heading, why = Message("The experiment has ended early"), Message("It did not start.")
    if experiment is None:
        return heading, why
    headings = {
        State.KEPT: Message("The change was kept"),
        State.REVERTED: Message("The change was reverted"),
    }
    heading = headings.get(experiment.state, heading)
    return heading, experiment.why or verbatim(str(experiment.plan.treatment))
