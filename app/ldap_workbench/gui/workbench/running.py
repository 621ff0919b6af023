"""What the windows of one program share: the settings, and what is at work on a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment, Plan, State


class Shared:
    """The settings and the one run at work: every workbench takes it and lets go of it again.

    The last one closes it.
    """

    def __init__(self) -> None:
        self.settings = Settings()
        self.running = Running()
        self._users = 0

    def take(self) -> None:
        """One more workbench uses it."""
        self._users += 1

    def let_go(self) -> None:
        """One workbench fewer uses it."""
        self._users -= 1
        if self._users:
            return
        try:
            self.settings.close()
        except OSError as error:
            # The last window is on its way out: there is no other place to say it.
            sys.stderr.write(f"The settings of the window were not kept: {error}\n")


class Run(Protocol):
    """An experiment, the one of a campaign that is at work, or a canary."""

    @property
    def experiment(self) -> Experiment | None: ...

    @property
    def plan(self) -> Plan: ...

    @property
    def path(self) -> Path: ...

    @property
    def sessions(self) -> frozenset[str]:
        """The session files it writes to now."""
        ...


class Running(QObject):
    """At most one experiment, campaign or canary in all windows; one of the windows owns it.

    Whoever wants it to end asks by `stopWanted`, and the window that owns it asks back.

    *Signals:* changed() when it begins, goes on to another state and ends; stopWanted()
    """

    changed = Signal()
    stopWanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.run: Run | None = None
        self.server = ""
        """The profile of the server it runs on."""
        self.owner: QObject | None = None
        """The workbench of its window."""
        self._job: Job | None = None
        self._announced: tuple[State, int] | None = None

    def begin(self, run: Run, job: Job | None, server: str, owner: QObject) -> None:
        """It runs as this job of this workbench."""
        self.run, self._job, self.server, self._announced = run, job, server, None
        self.owner = owner
        self.changed.emit()

    def look(self) -> None:
        """Say so if it has gone on since the last look."""
        experiment = self.run.experiment if self.run else None
        now = (experiment.state, experiment.step) if experiment else None
        if now != self._announced:
            self._announced = now
            self.changed.emit()

    def end(self) -> None:
        """It has ended."""
        self.run = self._job = self.owner = None
        self.changed.emit()

    def is_job(self, job: Job) -> bool:
        """Whether cancelling this job would end it."""
        return self._job is job

    def makes(self, change: Change) -> bool:
        """Whether it has made a change, and will revert it itself."""
        return self.run is not None and change.session in self.run.sessions
