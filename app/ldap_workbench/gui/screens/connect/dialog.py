"""The dialog for a profile: LDAP and SSH together, and a test that names each step."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from ldap_workbench.capture.live.check import StepResult, try_profile
from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.connect.secrets import Secrets, bind_user
from ldap_workbench.figures.forms.profile import (
    HOST_CHOICES,
    TLS_CHOICES,
    ProfileForm,
    form_of,
    is_socket,
    profile_of,
)
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import push_button, small_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label, level_labels
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.gui.screens.connect.questions import CertificateDialog, HostKeyDialog
from ldap_workbench.gui.screens.connect.steps import StepList
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import (
    UnknownHostKeyError,
    UntrustedCertificateError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel, OnProgress, Progress

_TLS_NAMES = (Message("Not encrypted"), verbatim("StartTLS"), verbatim("LDAPS"))
_HOST_NAMES = (
    Message("Over SSH"),
    Message("The server runs on this machine"),
    Message("No host access: LDAP counters only"),
)


class ProfileDialog(QDialog):
    """Add or edit a server. Accepted: `profile` is what was saved, `connect_now` what is wanted."""

    def __init__(
        self, workbench: Workbench, profile: Profile | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._stored = profile
        self._job: Job | None = None
        self._stuck: dict[type[WorkbenchError], WorkbenchError] = {}
        """What a person has to decide before the next step, by kind of error."""
        self._sockets = {profile.server_url: profile.socket} if profile else {}
        """What ldapi:/// means, by the URL that a server is known by: no field shows it."""
        self._tested = ""
        """The URL of the server that the last test was of."""
        self._tested_form: ProfileForm | None = None
        self.profile: Profile | None = None
        self.connect_now = False
        apply_style(self)
        self.setWindowTitle(self.tr("Edit a server") if profile else self.tr("Add a server"))
        self._make_fields()
        self._lay_out()
        self.fill(form_of(profile) if profile else ProfileForm())
        self._name.setFocus()

    def fill(self, form: ProfileForm) -> None:
        """Put a form into the fields."""
        for name, field in self._lines.items():
            field.setText(getattr(form, name))
        for name, box in self._ticks.items():
            box.setChecked(getattr(form, name))
        self._tls.setCurrentIndex(TLS_CHOICES.index(form.tls))
        self._where.setCurrentIndex(HOST_CHOICES.index(form.where))
        self._enable()

    def form(self) -> ProfileForm:
        """What stands in the fields now."""
        values: dict[str, Any] = {name: field.text() for name, field in self._lines.items()}
        values |= {name: box.isChecked() for name, box in self._ticks.items()}
        return ProfileForm(
            tls=TLS_CHOICES[self._tls.currentIndex()],
            where=HOST_CHOICES[self._where.currentIndex()],
            **values,
        )

    def test(self) -> None:
        """Try every step, or stop trying."""
        if self._job:
            self._job.cancel()
            return
        if (profile := self._checked()) is None:
            return
        self._tested, self._tested_form = profile.server_url, self.form()
        self._keep_password(profile)
        self._steps.clear()
        self._show_way_out([])
        self._test.setText(self.tr("Stop"))
        self._job = self._workbench.runner.start(
            f"test {profile.name}",
            self.tr("Testing {name}").format(name=profile.name),
            partial(_test, profile, self._workbench.secrets),
            on_done=self._on_tested,
            on_failed=self._on_test_failed,
            on_progress=self._on_progress,
            on_cancelled=self._on_test_cancelled,
        )

    def done(self, result: int) -> None:
        if self._job:
            self._job.cancel()
        super().done(result)

    def _make_fields(self) -> None:
        names = (
            "name", "host", "port", "ca_file", "bind_dn", "ssh_host", "ssh_port", "ssh_user",
            "identity", "access_log", "log_command", "restart_command",
        )  # fmt: skip
        self._lines = {name: QLineEdit() for name in names}
        self._name = self._lines["name"]
        self._lines["host"].setPlaceholderText(self.tr("name, address, or ldapi:///"))
        self._lines["ssh_host"].setPlaceholderText(self.tr("same as LDAP"))
        self._lines["identity"].setPlaceholderText(self.tr("SSH agent and default keys"))
        self._lines["access_log"].setPlaceholderText(self.tr("reported by the server"))
        self._lines["restart_command"].setPlaceholderText("systemctl restart dirsrv@instance")
        self._lines["log_command"].setPlaceholderText("journalctl -u slapd -f -n 0")
        self._lines["ca_file"].setPlaceholderText(self.tr("system certificates"))
        for name in ("port", "ssh_port"):
            self._lines[name].setFixedWidth(self.fontMetrics().averageCharWidth() * 9)
        self._ticks = {
            "allow_plain": QCheckBox(
                self.tr("Allow sendin&g the password unencrypted to another host")
            ),
            "sudo": QCheckBox(self.tr("Use su&do -n on the host (to read logs, to change disks)")),
        }
        self._password = QLineEdit()
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setPlaceholderText(self.tr("asked for when needed"))
        self._tls = _choice(_TLS_NAMES)
        self._where = _choice(_HOST_NAMES)
        self._tls.currentIndexChanged.connect(self._on_tls_changed)
        self._where.currentIndexChanged.connect(self._enable)
        self._lines["host"].textChanged.connect(self._on_host_changed)
        self._steps = StepList()
        self._problem = label("", wrap=True)
        self._problem.hide()

    def _lay_out(self) -> None:
        columns = QGridLayout()
        columns.setHorizontalSpacing(16)
        columns.addWidget(
            _card(self.tr("Directory, over LDAP"), level_labels(self._ldap_form())), 0, 0
        )
        columns.addWidget(
            _card(self.tr("Host, for logs and disks"), level_labels(self._host_form())), 0, 1
        )
        top = QFormLayout()
        top.addRow(self.tr("&Name"), self._name)
        column(
            level_labels(top),
            columns,
            (self._steps, 1),
            self._problem,
            self._buttons(),
            on=self,
            spacing=12,
        )
        em = self.fontMetrics().averageCharWidth()
        self.resize(em * 125, self.fontMetrics().height() * 38)

    def _ldap_form(self) -> QFormLayout:
        form = _form()
        form.addRow(
            self.tr("&Host"), _beside(self._lines["host"], self.tr("Por&t"), self._lines["port"])
        )
        form.addRow(self.tr("Encr&yption"), self._tls)
        form.addRow(self.tr("C&A file"), self._with_browse("ca_file"))
        form.addRow(self.tr("&Bind as"), self._lines["bind_dn"])
        form.addRow(self.tr("&Password"), self._password)
        form.addRow("", self._ticks["allow_plain"])
        return form

    def _host_form(self) -> QFormLayout:
        form = _form()
        form.addRow(self.tr("Host access v&ia"), self._where)
        form.addRow(
            self.tr("SSH h&ost"),
            _beside(self._lines["ssh_host"], self.tr("Po&rt"), self._lines["ssh_port"]),
        )
        form.addRow(self.tr("&User"), self._lines["ssh_user"])
        form.addRow(self.tr("&Key file"), self._with_browse("identity"))
        form.addRow("", self._ticks["sudo"])
        form.addRow(self.tr("Access &log"), self._lines["access_log"])
        form.addRow(self.tr("Log co&mmand"), self._lines["log_command"])
        form.addRow(self.tr("Restart &with"), self._lines["restart_command"])
        return form

    def _buttons(self) -> QHBoxLayout:
        self._test = push_button(
            self.tr("T&est"), self.test, tip=self.tr("Try every step; nothing is changed")
        )
        cancel = push_button(self.tr("Cancel"), self.reject)
        save = push_button(self.tr("&Save"), partial(self._save, False))
        both = push_button(self.tr("Save and &connect"), partial(self._save, True), primary=True)
        both.setDefault(True)
        self._certificate = push_button(self.tr("Look at the certi&ficate …"), self._on_certificate)
        self._host_key = push_button(self.tr("&Verify the host key …"), self._on_host_key)
        self._certificate.hide()
        self._host_key.hide()
        return row(self._test, self._certificate, self._host_key, Stretch(), cancel, save, both)

    def _with_browse(self, name: str) -> QWidget:
        button = small_button("open", self.tr("Choose a file"), partial(self._browse, name))
        return _beside(self._lines[name], "", button)

    def _browse(self, name: str) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Choose a file"), str(Path.home()))
        if path:
            self._lines[name].setText(path)

    def _save(self, connect_now: bool) -> None:
        if (profile := self._checked()) is None:
            return
        try:
            self._workbench.profiles.add(profile)
            if self._stored and self._stored.name != profile.name:
                self._workbench.profiles.remove(self._stored.name)
        except (WorkbenchError, OSError) as error:
            self._show_problem(shown(in_our_words(error).explanation))
            return
        self._keep_password(profile)
        self.profile, self.connect_now = profile, connect_now
        self.accept()

    def _checked(self) -> Profile | None:
        """The profile, or a word about the field that is wrong."""
        try:
            profile = profile_of(self.form(), self._stored)
            profile = replace(profile, socket=self._sockets.get(profile.server_url))
        except WorkbenchError as error:
            self._show_problem(shown(error.explanation))
            return None
        self._problem.hide()
        return profile

    def _keep_password(self, profile: Profile) -> None:
        """In memory, until the program ends; the keyring is offered when it is asked for."""
        if self._password.text() and profile.bind_dn:
            user, password = bind_user(profile), self._password.text()
            self._workbench.secrets.remember(user, password, in_keyring=False)

    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.show()

    @Slot(int)
    def _on_tls_changed(self, index: int) -> None:
        usual = {"389", "636", ""}
        if self._lines["port"].text() in usual:
            self._lines["port"].setText("636" if TLS_CHOICES[index] == "ldaps" else "389")
        self._enable()

    @Slot(str)
    def _on_host_changed(self, host: str) -> None:
        """Over a socket the server knows who asks: the DN that stands there unasked goes."""
        if is_socket(host) and self._lines["bind_dn"].text() == ProfileForm.bind_dn:
            self._lines["bind_dn"].clear()
        self._enable()

    @Slot()
    def _enable(self) -> None:
        socket = is_socket(self._lines["host"].text())
        self._tls.setEnabled(not socket)
        self._lines["port"].setEnabled(not socket)
        where = HOST_CHOICES[self._where.currentIndex()]
        for name in ("ssh_host", "ssh_port", "ssh_user", "identity"):
            self._lines[name].setEnabled(where == "ssh")
        for field in (
            self._ticks["sudo"],
            self._lines["restart_command"],
            self._lines["log_command"],
        ):
            field.setEnabled(where != "none")
        encrypted = not socket and TLS_CHOICES[self._tls.currentIndex()] != "none"
        self._lines["ca_file"].setEnabled(encrypted)
        self._ticks["allow_plain"].setEnabled(not encrypted and not socket)

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        self._steps.set_present(shown(progress.text))

    @Slot(object)
    def _on_tested(self, steps: list[StepResult]) -> None:
        self._end_test()
        self._steps.set_steps(steps)
        as_tested = self.form() == self._tested_form
        for step in steps:
            for setting, value in step.settings.items():
                if setting == "socket":
                    self._sockets[self._tested] = value
                elif as_tested:
                    self._lines[setting].setText(value)
        self._show_way_out(steps)
        self._grow()

    def _grow(self) -> None:
        """Make room for every step, as far as the screen has it."""
        if missing := self._steps.missing_height():
            frame = self.frameGeometry().height() - self.height()
            most = self.screen().availableGeometry().height() - frame
            self.resize(self.width(), max(self.height(), min(self.height() + missing, most)))

    def _show_way_out(self, steps: list[StepResult]) -> None:
        """What only a person can decide is asked here, and the test goes on from there."""
        self._stuck = {type(step.error): step.error for step in steps if step.error is not None}
        self._certificate.setVisible(UntrustedCertificateError in self._stuck)
        self._host_key.setVisible(UnknownHostKeyError in self._stuck)

    @Slot()
    def _on_host_key(self) -> None:
        unknown = self._stuck[UnknownHostKeyError]
        assert isinstance(unknown, UnknownHostKeyError)
        if HostKeyDialog(unknown, self).exec():
            from ldap_workbench.connect.host_keys import accept_host_key  # loaded by the test

            accept_host_key(unknown)
            self.test()

    @Slot()
    def _on_certificate(self) -> None:
        untrusted = self._stuck[UntrustedCertificateError]
        assert isinstance(untrusted, UntrustedCertificateError)
        asked = CertificateDialog(untrusted, Path.home(), self)
        if asked.exec():
            self._lines["ca_file"].setText(asked.ca_file)
            self.test()

    @Slot(object)
    def _on_test_failed(self, error: Exception) -> None:
        self._end_test()
        self._show_problem(shown(in_our_words(error).explanation))

    @Slot()
    def _on_test_cancelled(self) -> None:
        self._end_test()
        self._steps.set_present(self.tr("The test was stopped."))

    def _end_test(self) -> None:
        self._job = None
        self._test.setText(self.tr("T&est"))


def _test(
    profile: Profile, secrets: Secrets, progress: OnProgress, cancel: Cancel
) -> list[StepResult]:
    return try_profile(profile, secrets, progress=progress, cancel=cancel)


def _choice(names: tuple[Message, ...]) -> QComboBox:
    box = ComboBox()
    box.addItems([shown(name) for name in names])
    return box


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    return form


def _card(title: str, form: QFormLayout) -> QFrame:
    card = QFrame()
    card.setProperty("role", "card")
    column(label(title, "heading"), form, Stretch(), on=card, margins=(14, 10, 14, 12))
    return card


def _beside(first: QLineEdit, words: str, second: QWidget) -> QWidget:
    """Two fields in one row; the row's label belongs to the first."""
    made = QWidget()
    made.setFocusProxy(first)
    line = row((first, 1), on=made, margins=0)
    if words:
        name = label(words)
        name.setBuddy(second)
        line.addWidget(name)
    line.addWidget(second)
    return made
