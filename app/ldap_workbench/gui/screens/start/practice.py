"""The practice directory: started from the window, connected to, ended with it."""

from __future__ import annotations

import os

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.practice.model.scenario import Scenario, load_scenario, scenario_names
from ldap_workbench.practice.process import Practice

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
