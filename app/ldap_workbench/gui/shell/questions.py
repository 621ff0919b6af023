"""What the window asks the operator on behalf of work in a thread, and before it closes."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.consent import ConsentBox, PlainBox
from ldap_workbench.gui.screens.connect.questions import (
    CertificateDialog,
    HostKeyDialog,
    PasswordDialog,
)
from ldap_workbench.gui.shell.navigation import Navigation
from ldap_workbench.gui.shell.placement import bring_to_front
from ldap_workbench.gui.workbench.prompts import SAME_SERVER, Question
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import UnknownHostKeyError, UntrustedCertificateError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile


class Closing(Enum):
    """What somebody who closes a busy window wants."""

    STAY = "stay"
    BACKGROUND = "background"
    STOP = "stop"


class Questions(QObject):
    """Puts the questions of a workbench to the operator, over its window; belongs to it."""

    def __init__(self, workbench: Workbench, navigation: Navigation, window: QWidget) -> None:
        super().__init__(window)
        self._workbench, self._navigation, self._window = workbench, navigation, window
        self._workbench.hostKeyUnknown.connect(self._on_host_key)
        self._workbench.certificateUntrusted.connect(self._on_certificate)
        self._workbench.prompts.asked.connect(self._on_asked)
        self._workbench.running.stopWanted.connect(self._on_stop_wanted)

    def how_to_close(self) -> Closing:
        """What becomes of the experiment or capture that is running."""
        words = self.tr("A capture is running. Closing stops it; partial data is kept.")
        if self._navigation.screens.experiment.running():
            words = self.tr("An experiment is running. Closing stops it and reverts its change.")
        elif self._navigation.screens.campaign.running():
            words = self.tr(
                "A campaign is running. Closing reverts the current experiment. Changes kept so "
                "far stay in force, and you can resume or revert the campaign later."
            )
        elif self._navigation.screens.canary.running():
            words = self.tr("A canary is running. Closing stops it and reverts all replicas.")
        title = self.tr("Something is still running")
        box = PlainBox(title, words, parent=self._window)
        close = box.addButton(self.tr("&Stop and close"), QMessageBox.ButtonRole.DestructiveRole)
        go_on = box.addButton(self.tr("Run in the &background"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("&Keep open"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(go_on)
        box.setEscapeButton(stay)
        box.exec()
        if box.clickedButton() is close:
            return Closing.STOP
        return Closing.BACKGROUND if box.clickedButton() is go_on else Closing.STAY

    @Slot()
    def _on_stop_wanted(self) -> None:
        """End the experiment at work, if that is meant; the window that owns it asks."""
        run = self._workbench.running.run
        if run is None or self._workbench.runs_elsewhere():
            return
        bring_to_front(self._window)
        screens, server = self._navigation.screens, self._workbench.running.server
        stop_it = screens.experiment.stop
        title = Message("Stop the test?")
        words = Message(
            "The experiment on {server} is running. Stopping it reverts its change; the "
            "windows measured so far are kept.",
            server=server,
        )
        if screens.campaign.running():
            stop_it, title = screens.campaign.stop, Message("Stop the campaign?")
            words = Message(
                "The campaign on {server} is running. Stopping it reverts the current experiment "
                "and all changes kept so far; the sessions measured so far are kept.",
                server=server,
            )
        if screens.canary.running():
            stop_it, title = screens.canary.stop, Message("Stop the canary?")
            words = Message(
                "The canary on {server} is running. Stopping it reverts all replicas; the "
                "windows measured so far are kept.",
                server=server,
            )
        box = PlainBox(shown(title), shown(words), str(run.plan.treatment), self._window)
        stop = box.addButton(
            shown(Message("&Stop and revert")), QMessageBox.ButtonRole.DestructiveRole
        )
        stay = box.addButton(self.tr("&Keep running"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.exec()
        if box.clickedButton() is stop:
            stop_it()

    @Slot(object, object)
    def _on_host_key(self, profile: Profile, error: UnknownHostKeyError) -> None:
        from ldap_workbench.connect.ssh import accept_host_key  # paramiko, loaded by now

        dialog = HostKeyDialog(error, self._window)
        if dialog.exec():
            accept_host_key(error)
            self._workbench.connect_to(profile)
        else:
            self._workbench.fail(error)

    @Slot(object, object)
    def _on_certificate(self, profile: Profile, error: UntrustedCertificateError) -> None:
        dialog = CertificateDialog(error, Path.home(), self._window)
        if not dialog.exec():
            self._workbench.fail(error)
            return
        trusting = replace(profile, ca_file=dialog.ca_file)
        if profile.name in self._workbench.profiles.names():
            self._workbench.profiles.add(trusting)
        self._workbench.connect_to(trusting)

    @Slot(object)
    def _on_asked(self, question: Question) -> None:
        if question.kind == "decide":
            self._navigation.show_screen("experiment")
            self._navigation.screens.experiment.decide(question)
            return
        if question.kind == "canary":
            self._navigation.show_screen("canary")
            self._navigation.screens.canary.decide(question)
            return
        if question.kind == SAME_SERVER:
            question.answer(self._is_same_server(question.about))
            return
        user, text = question.about
        dialog = PasswordDialog(text, self._workbench.keyring.there, self._window)
        accepted = bool(dialog.exec())
        if accepted and dialog.in_keyring:
            self._workbench.keyring.keep(user, dialog.password)
        question.answer(dialog.password if accepted else None)

    def _is_same_server(self, question: Message) -> bool:
        box = ConsentBox(
            self.tr("The same server?"),
            shown(question),
            self.tr("The server does not say who it is: only its URL is known."),
            self.tr("&Yes"),
            self._window,
        )
        return box.agreed()
