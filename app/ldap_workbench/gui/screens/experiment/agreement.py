"""The last question before a run: what it will do to the server, and leave to do it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QWidget

from ldap_workbench.experiment.description import describe, restarts_ahead
from ldap_workbench.experiment.origin import Origin
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.screens.experiment.change_page import Planned
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import sentences_of
from ldap_workbench.tuning.plan import PlannedChange


class Agreement(QObject):
    """Old and new value of everything, how it is taken back, and leave to stop the server.

    *Signals:* refused(), where the plan comes from a file of another server
    """

    refused = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._parent = parent

    def ask(self, plan: Plan, planned: Planned | None, origin: Origin | None) -> bool:
        """Ask, unless the plan leaves the server alone; `planned` is the checked treatment.

        What comes from a file is asked for first, and by itself.
        """
        connection = self._workbench.connection
        assert connection is not None
        if origin is not None and not self._file_agreed(connection, plan, origin):
            return False
        if plan.changes_nothing and not plan.restart:
            return True
        box = ConsentBox(
            self.tr("Start the test"),
            self._question(connection, plan),
            "\n\n".join(self._consequences(connection, plan, planned)),
            self.tr("&Start"),
            self._parent,
        )
        stops = bool(planned and planned.offline and not plan.changes_nothing)
        if stops:
            box.ask_for_stop()
        agreed = box.agreed()
        connection.tuner.may_stop = agreed and stops
        return agreed

    def _question(self, connection: Connection, plan: Plan) -> str:
        """Restarts come first, and what changes on other servers, too, before the change."""
        server = connection.profile.name
        changes = self.tr("This changes the server {server}:").format(server=server)
        if user_data := connection.tuner.catalogue.user_data_ahead([plan.treatment]):
            changes = f"{shown(user_data)}\n\n{changes}"
        if not plan.restart:
            return changes
        rate = connection.target.facts.clock_rate
        restarts = shown(restarts_ahead(plan, server, rate, time.time()))
        return restarts if plan.changes_nothing else f"{restarts}\n\n{changes}"

    def _file_agreed(self, connection: Connection, plan: Plan, origin: Origin) -> bool:
        target = connection.target
        try:
            origin.check_server(target.facts)
        except ExperimentError as error:
            self.refused.emit()
            self._workbench.fail(error)
            return False
        lines = origin.describe(plan, target.facts, connection.profile.restart_command)
        runs = bool(plan.load) and plan.load == origin.plan.load
        named_lines = [f"{shown(words)} {named}" for words, named in lines]
        return FileConsent(named_lines, self._parent, runs=runs).agreed()

    def _consequences(
        self, connection: Connection, plan: Plan, planned: Planned | None
    ) -> list[str]:
        if plan.changes_nothing:
            rate = connection.target.facts.clock_rate
            return [shown(line) for line in describe(plan, rate) if "restarted" in str(line)]
        assert planned is not None
        lines = [_listed(change) for change in planned.changes if change.writes]
        return [*lines, self.tr("Each change is recorded in the change log before it is made.")]


def _listed(change: PlannedChange) -> str:
    """What is changed, and below it a line for everything to know of it."""
    first, *others = map(shown, sentences_of(change.describe()))
    return "\n".join([first, *(f"• {line}" for line in others)])


class FileConsent(QDialog):
    """Shows the plan whole; where it `runs` a command, that is agreed to by a tick of its own."""

    def __init__(self, lines: Sequence[str], parent: QWidget | None = None, *, runs: bool) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("A plan from a file"))
        heading = self.tr("This plan comes from a file. Read all of it before you start it.")
        self.plan = QPlainTextEdit("\n".join(lines))
        self.plan.setReadOnly(True)
        self.plan.setProperty("role", "raw")
        self.plan.setAccessibleName(self.tr("The plan in the file"))
        self.plan.setMinimumSize(self.fontMetrics().averageCharWidth() * 90, 280)
        self.tick = QCheckBox(self.tr("Allow the &command in the file to run"))
        self.tick.setVisible(runs)
        self.take = push_button(self.tr("Use &this plan"))
        self.take.setEnabled(not runs)
        self.tick.toggled.connect(self.take.setEnabled)
        self.take.clicked.connect(self.accept)
        refuse = push_button(self.tr("&Do not start"), self.reject, primary=True)
        refuse.setDefault(True)
        column(
            label(heading, wrap=True),
            self.plan,
            self.tick,
            button_row(self.take, refuse),
            on=self,
            spacing=10,
        )

    def agreed(self) -> bool:
        """Ask, and wait for the answer."""
        return bool(self.exec())
