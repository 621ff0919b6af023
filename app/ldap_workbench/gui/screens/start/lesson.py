"""The practice directory that the window starts, and its lesson above every screen."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band, anywhere
from ldap_workbench.gui.parts.widgets.labels import badge, label
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import Message
from ldap_workbench.practice.goals import Goal, goals
from ldap_workbench.practice.model.scenario import Remedy, Scenario, load_scenario, scenario_names
from ldap_workbench.practice.process import Practice
from ldap_workbench.session.reader import Session

KEY = "practice"
SPEED = 20.0
"""Practice seconds in a second: an experiment of an hour takes three minutes."""


class PracticeHost(QObject):
    """At most one practice directory at a time.

    *Signals:* changed() when another runs, or none
    """

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._practice: Practice | None = None

    def lesson(self) -> Scenario | None:
        """That of the directory that runs."""
        return self._practice.scenario if self._practice else None

    def start(self, scenario: str, speed: float = SPEED) -> None:
        """Start it in place of the present one, then connect to it."""
        self._workbench.disconnect_server()
        self.stop()
        self._workbench.start(
            KEY,
            self.tr("Starting the practice directory"),
            lambda _, __: Practice.start(scenario, speed),
            self._on_started,
        )

    def offer(self, parent: QWidget) -> QAction:
        """An action with a menu of all there is to practise on."""
        menu = QMenu(self.tr("&Practise"), parent)
        for name in scenario_names():
            action = menu.addAction(shown(load_scenario(name).title))
            action.triggered.connect(lambda _=False, name=name: self.start(name))
        return menu.menuAction()

    def stop(self) -> None:
        """End it."""
        if practice := self._practice:
            self._practice = None
            self.changed.emit()
            self._workbench.runner.start(
                KEY, self.tr("Ending the practice directory"), lambda _, __: practice.stop()
            )

    def end(self) -> None:
        """End it now, when the program ends."""
        if self._practice:
            self._practice.stop()
            self._practice = None

    @Slot(object)
    def _on_started(self, practice: Practice) -> None:
        from ldap_workbench.connect.ssh import accept_fingerprint  # paramiko, loaded by now

        self._practice = practice
        self.changed.emit()
        os.environ.update(practice.environment)
        assert practice.profile.ssh is not None
        accept_fingerprint(practice.profile.ssh, practice.fingerprint)
        self._workbench.connect_to(practice.profile)


OPEN, REACHED = Message("to do"), Message("done")
_HINT_KEYS, _TEST_KEYS, _FOLD_KEYS = "Alt+Shift+N", "Alt+Shift+I", "Alt+Shift+M"


class LessonBand(Band):
    """There while the window is connected to a practice directory of its own.

    It folds to one line with the first session, so that the screens have their room. What counts
    is what was read in sessions of this directory since the lesson began.

    *Signals:* testWanted(Scenario) with the answer, where an experiment ends the lesson
    """

    testWanted = Signal(object)

    def __init__(self, workbench: Workbench, host: PracticeHost) -> None:
        super().__init__()
        self._workbench, self._host = workbench, host
        self._lesson: Scenario | None = None
        self._hints = 0
        self._seen: set[str] = set()
        self._tried: dict[Path, list[Experiment]] = {}
        self.hint = label("", wrap=True)
        self.goals = QGridLayout()
        self.goals.setHorizontalSpacing(8)
        self.goals.setVerticalSpacing(2)
        self.goals.setColumnStretch(1, 1)
        self._rows.addWidget(self.hint)
        self._rows.addLayout(self.goals)
        self.next_hint = anywhere(self.tr("Next hint"), _HINT_KEYS, self._on_hint)
        self.plan_test = anywhere(self.tr("Plan this test"), _TEST_KEYS, self._on_test)
        self.fold = anywhere(self.tr("Collapse"), _FOLD_KEYS)
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self._show)
        for button in (self.plan_test, self.next_hint, self.fold):
            self.add_button(button)
        host.changed.connect(self._on_lesson)
        workbench.connectionChanged.connect(self._show)
        workbench.sessionChanged.connect(self._on_session)
        self.hide()

    def reached(self) -> tuple[Goal, ...]:
        """What the lesson asks for, and what of it is done."""
        if self._lesson is None:
            return ()
        tried = [experiment for several in self._tried.values() for experiment in several]
        return goals(self._lesson, self._seen, tried)

    @Slot()
    def _on_lesson(self) -> None:
        self._lesson = self._host.lesson()
        self._hints = 0
        self._seen, self._tried = set(), {}
        self.fold.setChecked(False)
        self._show()

    @Slot()
    def _on_session(self) -> None:
        """Look for the cause and for verdicts where the session is of this directory."""
        from ldap_workbench.figures.overview.knobs import Match  # loaded with the first session

        bench = self._workbench
        if self._lesson is None or bench.session_match() is not Match.SAME:
            return
        assert bench.opened is not None
        if not self._tried:
            self.fold.setChecked(True)
        self._tried[bench.opened.path] = list(bench.opened.summary.experiments)
        title = self.tr("Looking for the cause")
        bench.ask_session(title, partial(_finding_ids, self._lesson), self._on_findings, view=True)
        self._show()

    @Slot(object)
    def _on_findings(self, answer: tuple[Scenario, set[str]]) -> None:
        lesson, ids = answer
        if lesson is self._lesson:
            self._seen |= ids
            self._show()

    @Slot()
    def _on_hint(self) -> None:
        self._hints += 1
        self.fold.setChecked(False)
        self._show()

    @Slot()
    def _on_test(self) -> None:
        self.testWanted.emit(self._lesson)

    @Slot()
    def _show(self) -> None:
        lesson = self._lesson
        connection = self._workbench.connection
        if lesson is None or connection is None or connection.profile.name != lesson.profile_name:
            self.hide()
            return
        self.show()
        asked, folded = self.reached(), self.fold.isChecked()
        self.fold.setText(self.tr("Expand") if folded else self.tr("Collapse"))
        self.fold.setShortcut(_FOLD_KEYS)
        done = sum(goal.reached for goal in asked)
        if done == len(asked):
            heading = self.tr("Lesson solved: {title}")
        elif folded:
            heading = self.tr("Lesson: {title} ({done} of {all} done)")
        else:
            heading = self.tr("Lesson: {title}")
        words = heading.format(title=shown(lesson.title), done=done, all=len(asked))
        mood = "good" if done == len(asked) else ""
        self.say(words, "" if folded else shown(lesson.about), mood)
        self._show_hint(lesson, folded=folded)
        self._show_goals(() if folded else asked)

    def _show_hint(self, lesson: Scenario, *, folded: bool) -> None:
        count, last = len(lesson.hints), self._hints == len(lesson.hints)
        self.plan_test.setVisible(last and not folded and lesson.remedy == Remedy())
        self.next_hint.setVisible(not folded)
        self.next_hint.setEnabled(not last)
        self.next_hint.setText(
            self.tr("Show the answer") if self._hints == count - 1 else self.tr("Next hint")
        )
        self.next_hint.setShortcut(_HINT_KEYS)  # a new text takes it away
        self.hint.setVisible(bool(self._hints) and not folded)
        if self._hints:
            words = self.tr("Answer: {hint}") if last else self.tr("Hint {n} of {all}: {hint}")
            hint = shown(lesson.hints[self._hints - 1])
            self.hint.setText(words.format(n=self._hints, all=count, hint=hint))

    def _show_goals(self, asked: tuple[Goal, ...]) -> None:
        while (item := self.goals.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for row, goal in enumerate(asked):
            mood = "good" if goal.reached else ""
            state = badge(shown(REACHED if goal.reached else OPEN), mood)
            self.goals.addWidget(state, row, 0)
            self.goals.addWidget(label(shown(goal.text), wrap=True), row, 1)


def _finding_ids(lesson: Scenario, session: Session) -> tuple[Scenario, set[str]]:
    from ldap_workbench.advice.families.find import findings

    return lesson, {finding.id for finding in findings(session)}
