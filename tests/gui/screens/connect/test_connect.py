"""Profiles in a dialog: there and back, the test, the questions."""

import threading
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton

from ldap_workbench.capture.live.check import StepResult
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.figures.forms.profile import ProfileForm, form_of, profile_of
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.gui.screens.connect import dialog as dialog_module
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.questions import HostKeyDialog, PasswordDialog
from ldap_workbench.gui.screens.connect.sudoers import HostRights, SudoersDialog
from ldap_workbench.gui.workbench.connection import open_connection
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import UnknownHostKeyError, UsageError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.tuning.journal import Journal
from tests.unit.tuning.fakes import FACTS, FakeTarget

PROFILES = (
    Profile("a", "ldap://ldap1.example.com:389", "cn=dm", starttls=True),
    Profile("b", "ldaps://ldap1.example.com:636", None, ca_file="/etc/ca.pem"),
    Profile("c", "ldap://[2001:db8::7]:1389", "cn=dm", allow_plain=True, local=True, sudo=True),
    Profile(
        "d", "ldap://h:389", "cn=dm", password_env="PW", ssh=SshAddress("g", "u", 2222, "/key"),
        ssh_password_env="SPW", sudo=True, instance="i", access_log="/log",
        restart_command="systemctl restart dirsrv@i", test_server=True,
    ),
    Profile("e", "ldapi://%2frun%2fslapd.socket", None, local=True),
)  # fmt: skip


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.name)
def test_a_profile_survives_the_dialog(profile):
    assert profile_of(form_of(profile), profile) == profile


@pytest.mark.parametrize(
    ("change", "word"),
    [({"name": " "}, "name"), ({"host": ""}, "LDAP host"), ({"port": "x"}, "port"),
     ({"ssh_user": ""}, "SSH user"), ({"host": "ldapi:///"}, "SSH host"),
     ({"ssh_port": "70000"}, "port")],
)  # fmt: skip
def test_what_is_missing_is_named(change, word):
    whole = {"name": "n", "host": "h", "ssh_user": "u"} | change
    with pytest.raises(UsageError, match=word):
        profile_of(ProfileForm(**whole))


@pytest.fixture
def bench(qapp, home):
    made = Workbench()
    yield made
    made.close()


@pytest.fixture
def dialog(qtbot, bench):
    made = ProfileDialog(bench)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def fill(qtbot, dialog, **texts):
    for name, text in texts.items():
        dialog._lines[name].clear()
        qtbot.keyClicks(dialog._lines[name], text)


def test_saving_keeps_the_profile_and_never_the_password(qtbot, dialog, bench, home):
    fill(qtbot, dialog, name="ldap1", host="ldap1.example.com", ssh_user="admin")
    qtbot.keyClicks(dialog._password, "s3cret-s3cret")
    dialog._save(True)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.connect_now
    stored = bench.profiles.get("ldap1")
    assert stored.ssh == SshAddress("ldap1.example.com", "admin")
    assert bench.secrets.password(stored) == "s3cret-s3cret"
    for file in home.rglob("*"):
        assert not file.is_file() or b"s3cret" not in file.read_bytes()


def test_a_wrong_field_is_told_and_nothing_saved(qtbot, dialog, bench):
    fill(qtbot, dialog, name="x", host="h", port="99999", ssh_user="u")
    save(dialog)
    assert dialog._problem.isVisible()
    assert "99999" in dialog._problem.text()
    assert bench.profiles.names() == []


def test_ldaps_changes_the_usual_port_only(qtbot, dialog):
    dialog._tls.setCurrentIndex(2)
    assert dialog._lines["port"].text() == "636"
    fill(qtbot, dialog, port="1636")
    dialog._tls.setCurrentIndex(0)
    assert dialog._lines["port"].text() == "1636"


def test_over_a_socket_the_server_knows_who_asks(qtbot, dialog, bench):
    """No TLS, no port, and none of the DN that stands in the form at first."""
    fill(qtbot, dialog, name="ol1", host="ldapi:///", ssh_host="ol1", ssh_user="admin")
    assert not dialog._tls.isEnabled()
    assert not dialog._lines["port"].isEnabled()
    save(dialog)
    stored = bench.profiles.get("ol1")
    assert (stored.ldap_url, stored.starttls, stored.bind_dn) == ("ldapi:///", False, None)
    assert stored.ssh == SshAddress("ol1", "admin")


def test_the_socket_that_a_test_chose_is_stored_for_its_host_alone(
    qtbot, dialog, bench, monkeypatch
):
    bind = StepResult(verbatim("bind"), True, verbatim("bound"), settings={"socket": "/run/ldapi"})
    monkeypatch.setattr(dialog_module, "try_profile", lambda *_, **__: [bind])
    fill(qtbot, dialog, name="ol1", host="ldapi:///", ssh_host="ol1", ssh_user="admin")
    dialog.test()
    qtbot.waitUntil(lambda: dialog.findChild(TableView).model().rowCount() == 1)
    save(dialog)
    stored = bench.profiles.get("ol1")
    assert (stored.ldap_url, stored.socket) == ("ldapi:///", "/run/ldapi")
    edited = ProfileDialog(bench, stored)
    qtbot.addWidget(edited)
    save(edited)
    assert bench.profiles.get("ol1") == stored
    fill(qtbot, edited, ssh_host="ol2")
    save(edited)
    assert bench.profiles.get("ol1") == replace(stored, ssh=SshAddress("ol2", "admin"), socket=None)


@pytest.mark.parametrize(("then", "log"), [("ds1", "/var/log/slapd.log"), ("ds2", "")])
def test_a_log_that_a_test_found_is_of_the_host_that_was_tested(
    qtbot, dialog, monkeypatch, then, log
):
    step = StepResult(
        verbatim("log"), False, verbatim("unnamed"), settings={"access_log": "/var/log/slapd.log"}
    )
    typed = threading.Event()
    monkeypatch.setattr(dialog_module, "try_profile", lambda *_, **__: [step] * typed.wait(30))
    fill(qtbot, dialog, name="ol1", host="ds1", ssh_host="ds1", ssh_user="admin")
    dialog.test()
    fill(qtbot, dialog, host=then)
    typed.set()
    qtbot.waitUntil(lambda: dialog.findChild(TableView).model().rowCount() == 1)
    assert dialog.form().access_log == log


def save(dialog):
    next(button for button in dialog.findChildren(QPushButton) if button.text() == "&Save").click()


def test_fields_that_do_not_matter_are_greyed(dialog):
    dialog._where.setCurrentIndex(2)
    assert not dialog._lines["ssh_user"].isEnabled()
    dialog._tls.setCurrentIndex(0)
    assert dialog._ticks["allow_plain"].isEnabled()
    assert not dialog._lines["ca_file"].isEnabled()


def test_the_test_names_each_step(qtbot, dialog, monkeypatch):
    steps = [
        StepResult(Message("LDAP port"), True, Message("answers in 1 ms")),
        StepResult(Message("bind"), False, Message("refused"), Message("Check the password.")),
    ]
    monkeypatch.setattr(dialog_module, "try_profile", lambda *_, **__: steps)
    fill(qtbot, dialog, name="x", host="h", ssh_user="u")
    qtbot.mouseClick(dialog._test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog._steps.model.rowCount() == 2)
    shown = [dialog._steps.model.index(row, 0).data() for row in range(2)]
    assert shown == ["✗ fails", "✓ works"]
    assert dialog._steps.summary.text() == "1 of 2 steps failed."
    assert dialog._test.text() == "T&est"


@pytest.mark.parametrize("count", [2, 9])
def test_the_table_of_steps_is_as_high_as_its_rows(dialog, count):
    why = Message("It is refused, and that takes a sentence of several words to explain.")
    dialog._on_tested([StepResult(Message("bind"), False, why, why)] * count)
    table = dialog._steps.findChild(TableView)
    last = table.visualRect(table.model().index(count - 1, 0))
    viewport = table.viewport().rect()
    assert viewport.contains(last)
    assert viewport.bottom() - last.bottom() < last.height()


def test_the_safe_answer_to_an_unknown_key_is_the_default(qtbot):
    error = UnknownHostKeyError("h", 22, "ssh-ed25519", "AAAA", "SHA256:abc")
    asked = HostKeyDialog(error)
    qtbot.addWidget(asked)
    asked.show()
    qtbot.waitExposed(asked)
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    assert asked.result() == QDialog.DialogCode.Rejected


def test_a_password_is_hidden_and_the_keyring_offered_only_where_there_is_one(qtbot):
    asked = PasswordDialog(verbatim("Password of cn=dm"), keyring=False)
    qtbot.addWidget(asked)
    assert asked._password.echoMode() == asked._password.EchoMode.Password
    assert not asked._keep.isEnabled()


def test_the_names_of_fields_are_on_a_level_with_them(qtbot, window):
    dialog = window.servers.edit(None)
    qtbot.wait(50)
    names = [name for name in dialog.findChildren(QLabel) if name.isVisible() and name.buddy()]
    assert len(names) > 8
    for name in names:
        middles = [w.mapTo(dialog, w.rect().center()).y() for w in (name, name.buddy())]
        assert abs(middles[0] - middles[1]) <= 1, name.text()
    dialog.reject()


RIGHTS = HostRights(("alias A\n", "#!/bin/sh\n"), ("alias A, stop\n", "#!/bin/sh\ndse\n"))


@pytest.fixture
def rights(qtbot, bench):
    made = SudoersDialog(bench, RIGHTS, None)
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made


def test_the_sudo_rights_are_shown_with_and_without_an_offline_edit(qtbot, rights):
    assert "visudo -cf" in " ".join(each.text() for each in rights.findChildren(QLabel))
    assert rights.text() == "alias A\n"
    qtbot.keyClick(rights.offline, Qt.Key.Key_Space)
    assert rights.text() == "alias A, stop\n"
    qtbot.keyClick(rights.tabs.tabBar(), Qt.Key.Key_Right)
    assert rights.text() == "#!/bin/sh\ndse\n"
    (copy,) = [each for each in rights.findChildren(QPushButton) if each.text() == "&Copy"]
    qtbot.keyClick(copy, Qt.Key.Key_Space)
    assert QApplication.clipboard().text() == rights.text()


def test_the_sudo_rights_are_saved_and_a_full_disk_is_told(qtbot, rights, bench, tmp_path):
    rights.save(tmp_path / "ldap-workbench")
    assert (tmp_path / "ldap-workbench").read_text() == "alias A\n"
    with qtbot.waitSignal(bench.failed) as told:
        rights.save(tmp_path)
    assert str(tmp_path) in told.args[0]


def test_an_offline_edit_that_cannot_be_done_is_not_offered(qtbot, bench):
    dialog = SudoersDialog(bench, HostRights(RIGHTS.usual, None), None)
    qtbot.addWidget(dialog)
    assert not dialog.offline.isEnabled()


@pytest.mark.parametrize(
    ("product", "knob"),
    [
        ("389-Directory", "nsslapd-threadnumber"),
        ("slapd", "olcThreads"),
        ("OpenDJ", "num-worker-threads"),
    ],
)
def test_a_connection_has_the_knobs_of_its_product(monkeypatch, tmp_path, product, knob):
    server = FakeTarget(facts=replace(FACTS, product=product, version="", db_library=""))
    monkeypatch.setattr("ldap_workbench.servers.target.connect", lambda *_, **__: server)
    with closing(Journal(tmp_path / "journal.db")) as journal:
        made = open_connection(PROFILES[0], Secrets(), lambda: journal, no_progress, Cancel())
        assert knob in {each.name for each in made.tuner.catalogue.knobs}
        made.tuner.close()
